"""The judge that asks a language model, by a rubric."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
from pydantic import ConfigDict, Field, field_validator
from pydantic.dataclasses import dataclass as checked

from raqa.display import harmless
from raqa.errors import UserError
from raqa.judges.base import (
    FREE_TEXT,
    Found,
    Judge,
    Named,
    pairs,
    verdicts_table,
    verdicts_text,
)
from raqa.judges.reply import read_verdict
from raqa.judges.rubrics import REMINDER, RUBRICS, Grades, Rubric, Verdict
from raqa.judges.rules import RulesJudge
from raqa.judges.unasked import known_unasked
from raqa.responders.asking import Acceptance, Request, Responses, ask_all
from raqa.responders.base import Prompt, Responder, Response
from raqa.responders.hearing import Hearing
from raqa.responders.store import ResponseStore, request_key
from raqa.responders.usage import usage_table, usage_text
from raqa.tables import CRITERIA, Form

if TYPE_CHECKING:
    from rich.console import Console

_READS = Hearing(given="none")

ADAPTER = 1
"""Raised when the same reply begins to be read in another way; judgements are kept under it."""


@checked(frozen=True, config=ConfigDict(extra="forbid", arbitrary_types_allowed=True))
class LanguageModelJudge(Judge):
    """Asks a responder about every answer in free text; the other answers are read by rules.

    Attributes:
        responder: who judges.
        forms: what it judges; with label as well, what rules could read, to compare both.
        longest: characters of an answer that it is shown.
        max_tokens: the fewest tokens that its reply may have; the responder's own limit counts
            where it is higher.
        structured: hold the responder to the verdict's JSON schema where it can be held.
        folder: where judgements are kept.
    """

    responder: Responder
    forms: tuple[Form, ...] = FREE_TEXT
    longest: Annotated[int, Field(ge=100)] = 4000
    max_tokens: Annotated[int, Field(ge=16)] = 400
    structured: bool = True
    folder: Path = Path("cache/judgements")

    @field_validator("forms")
    @classmethod
    def _judged(cls, forms: tuple[Form, ...]) -> tuple[Form, ...]:
        if strange := [one for one in forms if one not in RUBRICS]:
            raise ValueError(f"{', '.join(strange)}: only {', '.join(RUBRICS)} can be judged")
        if not forms or len(set(forms)) < len(forms):
            raise ValueError("it takes some forms, each once")
        return forms

    @field_validator("responder")
    @classmethod
    def _suits(cls, responder: Responder) -> Responder:
        if "none" not in responder.inputs:
            raise UserError(
                f"judge.responder: {type(responder).__name__} always hears something; a judge "
                "reads text alone."
            )
        heat = dict(responder.identity.get("decoding", {})).get("temperature")
        if heat:
            raise UserError(
                f"judge.responder.decoding.temperature={heat:g}: a judge is asked at 0, or with "
                "null at what its server allows."
            )
        return responder

    @property
    def identity(self) -> Mapping[str, Any]:
        """Model, decoding, rubrics, and what else decides a verdict."""
        return {
            "judge": "language_model",
            "adapter": ADAPTER,
            "responder": dict(self.responder.identity),
            "rubrics": {form: RUBRICS[form].hash for form in self.forms},
            "longest": self.longest,
            "max_tokens": self.max_tokens,
            "structured": self.structured,
        }

    @property
    def version(self) -> str:
        """The model's revision, where that is a word, and a hash of everything but rubrics."""
        facts = {name: value for name, value in self.identity.items() if name != "rubrics"}
        text = json.dumps(facts, sort_keys=True, default=str)
        digest = hashlib.blake2b(text.encode(), digest_size=5).hexdigest()
        revision = self.responder.identity.get("revision")
        return f"{revision}+{digest}" if isinstance(revision, str) else digest

    def check(self) -> None:
        """Look for what the responder needs, before any work."""
        self.responder.check(_READS)

    def judge(
        self,
        items: pl.DataFrame,
        answers: pl.DataFrame,
        *,
        console: Console | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> pl.DataFrame:
        """Ask about every answer in free text that is not known to be worthless."""
        table = pairs(items, answers)
        asked = table.filter(pl.col("form").is_in(self.forms))
        read = RulesJudge().judge(items, answers.join(asked, on=["seed", "qa_id"], how="anti"))
        with ResponseStore(self.folder) as store:
            judged = [
                _Judging(self, form, store).judge(asked.filter(form=form), console, stop)
                for form in self.forms
                if (asked["form"] == form).any()
            ]
        verdicts = pl.concat([read, *(one for one, _ in judged)]).sort("seed", "qa_id")
        if console is not None:
            usage = [row for _, rows in judged for row in rows]
            lines = [verdicts_text(verdicts)]
            if usage:
                lines.append(f"The judge: {usage_text(usage_table(usage))}")
            console.print("\n".join(lines), highlight=False, markup=False)
        return verdicts


_Usage = tuple[str, str, Response, bool]


@dataclass(frozen=True)
class _Judging:
    """Answers of one form being judged."""

    of: LanguageModelJudge
    form: Form
    store: ResponseStore
    rubric: Rubric = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rubric", RUBRICS[self.form])

    def judge(
        self, table: pl.DataFrame, console: Console | None, stop: Callable[[], bool]
    ) -> tuple[pl.DataFrame, list[_Usage]]:
        """VERDICTS of the answers, and what asking took."""
        schema = self.rubric.schema if self.of.structured else None
        responder = self.of.responder.structured(schema, self.of.max_tokens)
        known, put = self._sorted(table, dict(responder.identity))
        found = ask_all(
            list(put.values()), responder, self.store,
            acceptance=Acceptance(self._fault, _reminder), console=console,
            doing=f"judging ({self.form})", stop=stop,
        )  # fmt: skip
        by = Named(self.of.responder.name, self.of.version, self.rubric.hash)
        rows = [
            (seed, qa_id, by, one if isinstance(one, Found) else self._found(*found.get(one)))
            for seed, qa_id, one in known
        ]
        return verdicts_table(rows), list(_usage(put, found))

    def _sorted(
        self, table: pl.DataFrame, identity: Mapping[str, Any]
    ) -> tuple[list[tuple[int, str, Found | str]], dict[str, Request]]:
        """What is known of each answer, or the key of the request about it; and the requests.

        The same answer of several seeds, or to the same question about other recordings with the
        same reference, is asked about once.
        """
        known: list[tuple[int, str, Found | str]] = []
        put: dict[str, Request] = {}
        columns = ("seed", "qa_id", "question", "answer", "response")
        for seed, qa_id, question, reference, response in table.select(columns).iter_rows():
            certain = known_unasked(self.form, response, reference)
            if certain is not None:
                known.append((seed, qa_id, certain))
                continue
            text = self.rubric.prompt(question, reference, response, self.of.longest)
            facts = {"judge": ADAPTER, "responder": identity, "text": text}
            key = request_key(facts)
            put.setdefault(key, Request(key, facts, Prompt(qa_id, text)))
            known.append((seed, qa_id, key))
        return known, put

    def _fault(self, response: Response) -> str | None:
        verdict = read_verdict(response.text, self.rubric)
        if not isinstance(verdict, str):
            return None
        cut = response.finish == "length"
        return f"{verdict}, for it was cut off (judge.max_tokens)" if cut else verdict

    def _found(self, response: Response, from_store: bool) -> Found:
        verdict = read_verdict(response.text, self.rubric)
        if response.outcome == "answered" and not isinstance(verdict, str):
            return replace(_scored(verdict), from_store=from_store)
        reason = response.reason or "no reason is known"
        if response.outcome == "refused":
            return Found("unscored", f"the judge refused: {reason}")
        if response.text is not None:
            return Found("unscored", f"the judge's reply can not be used: {reason}")
        return Found("unscored", f"the judge failed: {reason}")


def _reminder(prompt: Prompt, fault: str) -> Prompt:
    return replace(prompt, text=prompt.text + REMINDER.format(fault=fault))


def _scored(verdict: Verdict) -> Found:
    reason = harmless(verdict.reason)
    if isinstance(verdict, Grades):
        grades = {name: getattr(verdict, name) for name in CRITERIA}
        score = (sum(grades.values()) / len(grades) - 1) / 2
        return Found("graded", reason, score, **grades)
    return Found(verdict.verdict, reason, float(verdict.verdict == "right"))


def _usage(put: Mapping[str, Request], found: Responses) -> Iterator[_Usage]:
    for key, request in put.items():
        response, from_store = found.get(key)
        yield request.prompt.qa_id, key, response, from_store
