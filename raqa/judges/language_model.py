"""The judge that asks a language model, by a rubric."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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
from raqa.judges.rubrics import REMINDER, RUBRICS, Grades, Verdict
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
_SETTING = re.compile(r"(?<!judge\.)\bresponder\.(?=\w)")

ADAPTER = 2
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
        with _faults_of_the_judge():
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
        work = _Work.of(self, asked)
        with ResponseStore(self.folder) as store, _faults_of_the_judge():
            found = ask_all(
                list(work.requests.values()), work.responder, store,
                acceptance=Acceptance(work.fault, _reminder), console=console, doing="judging",
                stop=stop,
            )  # fmt: skip
            verdicts = pl.concat([read, work.verdicts(found)]).sort("seed", "qa_id")
            usage = usage_table(work.usage(found))
        if console is not None:
            lines = [verdicts_text(verdicts)]
            if usage.height:
                lines.append(f"The judge: {usage_text(usage, 'different answers')}")
            console.print("\n".join(lines), highlight=False, markup=False)
        return verdicts


@contextmanager
def _faults_of_the_judge() -> Iterator[None]:
    """Say of what is wrong with a responder that it is the judge's."""
    try:
        yield
    except UserError as error:
        problems = (_SETTING.sub("judge.responder.", one) for one in error.problems)
        raise UserError([f"The judge: {one}" for one in problems]) from error


@dataclass(frozen=True)
class _Work:
    """Answers to be judged, and what is asked about them.

    Attributes:
        known: of each answer its seed, qa_id and form with what is certain, or the key of the
            request about it.
        requests: by key. The same answer of several seeds, or to the same question about other
            recordings with the same reference, is asked about once.
        forms, said: of requests, by key: the form, and the answer that is judged.
    """

    judge: LanguageModelJudge
    responder: Responder
    known: list[tuple[int, str, Form, Found | str]] = field(default_factory=list)
    requests: dict[str, Request] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, judge: LanguageModelJudge, answers: pl.DataFrame) -> _Work:
        work = cls(judge, judge.responder.with_room(judge.max_tokens))
        identity = dict(work.responder.identity)
        columns = ("seed", "qa_id", "form", "question", "answer", "response")
        for seed, qa_id, form, question, reference, said in answers.select(columns).iter_rows():
            found: Found | str | None = known_unasked(form, said, reference)
            if found is None:
                text = RUBRICS[form].prompt(question, reference, said, judge.longest)
                found = work._put(qa_id, form, text, identity)
                work.said[found] = said
            work.known.append((seed, qa_id, form, found))
        return work

    def _put(self, qa_id: str, form: Form, text: str, identity: Mapping[str, Any]) -> str:
        """Note a request; its key."""
        schema = RUBRICS[form].schema if self.judge.structured else None
        facts = {"judge": ADAPTER, "responder": identity, "text": text, "schema": schema}
        key = request_key(facts)
        self.requests.setdefault(key, Request(key, facts, Prompt(qa_id, text, schema=schema)))
        self.forms[key] = form
        return key

    def fault(self, request: Request, response: Response) -> str | None:
        """Why a reply is no verdict."""
        if response.cut:
            return "only the beginning of what it was asked was read"
        verdict = self._read(request.key, response)
        if not isinstance(verdict, str):
            return None
        cut = response.finish == "length"
        return f"{verdict}, for it was cut off (judge.max_tokens)" if cut else verdict

    def _read(self, key: str, response: Response) -> Verdict | str:
        return read_verdict(response.text, RUBRICS[self.forms[key]], self.said[key])

    def verdicts(self, found: Responses) -> pl.DataFrame:
        """VERDICTS of all answers."""
        name, version = self.judge.responder.name, self.judge.version
        by = {form: Named(name, version, RUBRICS[form].hash) for form in self.judge.forms}
        return verdicts_table(
            (seed, qa_id, by[form], one if isinstance(one, Found) else self._found(one, found))
            for seed, qa_id, form, one in self.known
        )

    def _found(self, key: str, found: Responses) -> Found:
        response, from_store = found.get(key)
        verdict = self._read(key, response)
        if response.outcome == "answered" and not isinstance(verdict, str):
            return replace(_scored(verdict), from_store=from_store)
        reason = response.reason or "no reason is known"
        if response.outcome == "refused":
            return Found("unscored", f"the judge refused: {reason}")
        if response.text is not None:
            return Found("unscored", f"the judge's reply can not be used: {reason}")
        return Found("unscored", f"the judge failed: {reason}")

    def usage(self, found: Responses) -> Iterator[tuple[str, str, Response, bool]]:
        """Rows of `usage_table`, one for each request."""
        for key, request in self.requests.items():
            response, from_store = found.get(key)
            yield request.prompt.qa_id, key, response, from_store


def _reminder(prompt: Prompt, fault: str) -> Prompt:
    return replace(prompt, text=prompt.text + REMINDER.format(fault=fault))


def _scored(verdict: Verdict) -> Found:
    reason = harmless(verdict.reason)
    if isinstance(verdict, Grades):
        grades = {name: getattr(verdict, name) for name in CRITERIA}
        score = (sum(grades.values()) / len(grades) - 1) / 2
        return Found("graded", reason, score, **grades)
    return Found(verdict.verdict, reason, float(verdict.verdict == "right"))
