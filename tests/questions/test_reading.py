"""Every phrasing of the golden file is read as was decided; nothing that templates say is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from raqa.corpora.attributes import attribute
from raqa.questions.reading import Reading, facts_about, read_answer

GOLDEN = Path(__file__).with_name("golden_answers.yaml")
NOT_READ = ("unreadable", "refused", "unscored")


def golden() -> Iterator[Any]:
    for group in yaml.safe_load(GOLDEN.read_text(encoding="utf-8")):
        facts = facts_about(
            attribute(group["attribute"]),
            group["question_type"],
            question=group["question"],
            offered=group.get("options", ()),
            asked=group.get("asked"),
        )
        for response, decided in group["answers"]:
            yield pytest.param(facts, response, decided, id=f"{group['attribute']}: {response!r}")


@pytest.mark.parametrize(("facts", "response", "decided"), [*golden()])
def test_a_phrasing_is_read_as_it_was_decided(facts, response, decided):
    reading = read_answer(response, facts)
    if decided in NOT_READ:
        assert (reading.outcome, reading.label, reading.value) == (decided, None, None)
        assert reading.reason
    elif facts.kind == "numeric":
        assert reading.outcome == "readable", reading.reason
        assert reading.value == pytest.approx(decided)
    else:
        assert reading == Reading("readable", label=decided)


def test_the_golden_file_has_at_least_80_phrasings_and_every_outcome():
    decided = [one.values[2] for one in golden()]
    assert len(decided) >= 80
    assert {*NOT_READ} < {one for one in decided if isinstance(one, str)}
