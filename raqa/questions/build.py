"""From corpora and settings to a collection: what `raqa qa build` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter, ValidationError

from raqa.corpora.base import Recordings
from raqa.corpora.cohort import audio_present
from raqa.errors import UserError, neighbours
from raqa.questions.collection import Collection, Part, check_out, dropped_table, write
from raqa.questions.generate import Generator, QuestionSettings
from raqa.questions.templates import Templates, load_templates
from raqa.tables import SIDES

_OWN = ("templates", "wordings", "balance", "most_options", "seed")


@dataclass(frozen=True)
class Request:
    """What was typed after `raqa qa build`, taken apart and checked.

    Attributes:
        overrides: settings of datamodule, split and paths, as in training; one that begins with
            the name of a corpus instead of `datamodule` is for that corpus alone.
    """

    corpora: tuple[str, ...]
    overrides: tuple[str, ...]
    templates: str | None
    settings: QuestionSettings

    def overrides_for(self, corpus: str) -> list[str]:
        """What Hydra is told about one corpus."""
        others = tuple(f"{name}." for name in self.corpora if name != corpus)
        own = f"{corpus}."
        return [f"datamodule={corpus}", *(
            f"datamodule.{one.removeprefix(own)}" if one.startswith(own) else one
            for one in self.overrides if not one.startswith(others)
        )]  # fmt: skip


def parse_request(words: Sequence[str]) -> Request:
    """Tell corpora from settings: a word with an equals sign is a setting.

    Raises:
        UserError: a corpus that does not exist or a setting of the wrong form, all together.
    """
    from raqa.configuration.folder import group_choices, group_texts

    choices, groups = group_choices("datamodule"), group_texts()
    named = [word for word in words if "=" not in word]
    given = dict(word.split("=", 1) for word in words if word.split("=", 1)[0] in _OWN)
    overrides = [word for word in words if "=" in word and word.split("=", 1)[0] not in _OWN]
    problems = [
        f"There is no corpus {name!r}. {neighbours(name, choices)}"
        for name in named
        if name not in choices
    ]
    problems += [
        f"{word}: name the corpus by itself, for example `raqa qa build coswara --out DIR`."
        for word in overrides
        if word.startswith("datamodule=")
    ]
    keys = [word.split("=", 1)[0] for word in overrides]
    problems += [
        f"{key}: there is no such setting. {neighbours(key, [*_OWN, *groups])}"
        for key in keys
        if "." not in key and "/" not in key and key.split("@")[0] not in groups
    ]
    templates = given.pop("templates", None)
    try:
        settings = TypeAdapter(QuestionSettings).validate_python(given)
    except ValidationError as error:
        settings = QuestionSettings()
        places = {str(fault["loc"][0]): fault for fault in error.errors()}
        problems += [f"{name}={given[name]}: {_EXPECTED[name]}" for name in places]
    if problems:
        raise UserError(problems)
    corpora = tuple(dict.fromkeys(named)) or _present(overrides)
    request = Request(corpora, tuple(overrides), templates, settings)
    _check(request)
    return request


def _check(request: Request) -> None:
    """Refuse settings that the corpora do not have, before any of them is read.

    Raises:
        UserError: all of them together, those that several corpora lack once.
    """
    from raqa.configuration.overrides import compose_choices

    problems: dict[str, None] = {}
    for corpus in request.corpora:
        try:
            compose_choices(request.overrides_for(corpus))
        except UserError as error:
            problems |= dict.fromkeys(error.problems)
    if problems:
        hint = ""
        if len(request.corpora) > 1 and any("datamodule.corpus." in one for one in problems):
            hint = f" For one corpus alone, write {request.corpora[0]}.corpus.SETTING=VALUE."
        *first, last = problems
        raise UserError([*first, last + hint])


_EXPECTED = {
    "wordings": "expected how many, 1 or more, or all.",
    "balance": "expected true or false.",
    "most_options": "expected how many, 2 or more.",
    "seed": "expected a number, 0 or more.",
}


def _present(overrides: Sequence[str]) -> tuple[str, ...]:
    """Every published corpus whose folder or table is there.

    Raises:
        UserError: none is.
    """
    from omegaconf import OmegaConf

    from raqa.configuration.build import build_node
    from raqa.configuration.folder import config_folder, group_choices
    from raqa.configuration.overrides import compose_config

    config = compose_config(_paths(overrides))
    found = []
    for name in group_choices("datamodule"):
        config.datamodule = OmegaConf.load(config_folder() / "datamodule" / f"{name}.yaml")
        if "_target_" not in config.datamodule.get("corpus", {}):
            continue  # a made-up corpus that changes a few settings of another one
        corpus = build_node(config, "datamodule.corpus")
        if corpus.place is not None and corpus.place.exists() and not corpus.synthetic:
            found.append(name)
    if not found:
        raise UserError(
            "No corpus is named, and none is in paths.data. `raqa corpora list` says which there "
            "are and how to get them; `raqa qa build demo --out DIR` needs no download."
        )
    return tuple(found)


def read_sides(
    overrides: Sequence[str], *, cohort: bool = False, audio: bool = False
) -> Recordings:
    """Read a corpus and put its recordings on sides.

    Args:
        overrides: as in training, `datamodule=NAME` among them.
        cohort: keep only what the datamodule's filters let pass.
        audio: keep only recordings whose file is there.

    Raises:
        UserError: as the corpus, the cohort or the split say.
    """
    from raqa.configuration.build import build_node
    from raqa.configuration.overrides import compose_choices

    config, _ = compose_choices(overrides)
    recordings: Recordings = build_node(config, "datamodule.corpus").read()
    sided: Recordings = build_node(config, "split").apply(recordings)
    if cohort:
        sided = build_node(config, "datamodule.cohort").apply(sided)
    return audio_present(sided) if audio else sided


Watch = Callable[[str, float], None]
Suffixes = dict[str, dict[str, str]]
"""By corpus and recording_id how the name of the audio file ends."""


def build(
    request: Request,
    out: Path,
    *,
    cohort: bool = False,
    audio: bool = False,
    watch: Watch = lambda *_: None,
) -> tuple[Collection, Suffixes]:
    """Make the questions of all corpora asked for and write them.

    Args:
        watch: is told a corpus's name and which fraction of it was done since the last time.

    Returns:
        the collection, and how the names of the audio files end.

    Raises:
        UserError: templates, corpora or settings that can not be used.
    """
    check_out(out)
    templates = load_templates(request.templates)
    parts, problems = [], list[str]()
    for name in request.corpora:  # all are read before anything is written
        watch(name, 0.0)
        try:
            parts.append(read_sides(request.overrides_for(name), cohort=cohort, audio=audio))
        except UserError as error:
            problems += error.problems
    names = [one.corpus for one in parts]
    problems += [f"Two of the corpora call themselves {name}; name one of them."
                 for name in sorted({name for name in names if names.count(name) > 1})]  # fmt: skip
    if problems:
        raise UserError(problems)
    settings = {
        **asdict(request.settings), "templates": request.templates, "cohort": cohort,
        "audio": audio, "corpora": list(request.corpora), "overrides": list(request.overrides),
        "data": _data(request.overrides),
    }  # fmt: skip
    collection = write(
        out, _parts(parts, templates, request.settings, watch), settings, templates.hash
    )
    return collection, {
        one.corpus: {name: Path(path).suffix for name, path in
                     one.table.select("recording_id", "path").iter_rows()}
        for one in parts
    }  # fmt: skip


def _data(overrides: Sequence[str]) -> str:
    """Where corpora are on this machine."""
    from raqa.configuration.overrides import compose_config

    return str(Path(compose_config(_paths(overrides)).paths.data).absolute())


def _paths(overrides: Sequence[str]) -> list[str]:
    """What of the settings is about folders; the rest may be of one corpus, by its name."""
    return [one for one in overrides if one.startswith(("paths.", "paths="))]


def _parts(
    corpora: list[Recordings], templates: Templates, settings: QuestionSettings, watch: Watch
) -> Iterator[Part]:
    for recordings in corpora:
        name = recordings.corpus
        generator = Generator(recordings.table, templates, settings, partial(watch, name))
        yield make_part(generator, recordings)


def make_part(generator: Generator, recordings: Recordings) -> Part:
    """Join a generator's questions with what is known about the corpus."""
    table = recordings.table
    side = pl.col("side").fill_null("none")
    facts: dict[str, Any] = {
        "recordings": table.height,
        "with_audio": int(table["audio"].sum()),
        "subjects": table["subject_id"].n_unique(),
        "sides": dict(table.group_by(side).len().sort("side").iter_rows()),
        "known": {column.name: column.known for column in generator.columns},
        "questions": [
            {"attribute": attribute, "question_type": question_type,
             **dict(zip((*SIDES, "none"), map(int, counts), strict=True))}
            for (attribute, question_type), counts in generator.counts.items()
        ],
    }  # fmt: skip
    return Part(recordings.corpus, generator.blocks(), facts, dropped_table(generator.dropped),
                recordings.set_aside, table)  # fmt: skip
