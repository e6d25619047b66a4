"""A run's identity: a readable slug and a hash of what decides its numbers.

Same config (without its transient fields), same label tables, same audio files: same run.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from omegaconf import DictConfig, OmegaConf

from raqa.corpora.base import Recordings

# Fields that change where, how fast or how visibly a run happens, never its numbers.
TRANSIENT = (
    "paths",
    "logger",
    "embed.batch_s",
    "embed.workers",
    "embed.shard_rows",
    "embed.device",
    "embed.shard",
    "force",
    "hydra",
    "trainer.accelerator",
    "trainer.devices",
    "head.folder",
    "judge.folder",
    "task.file",
    *(
        f"{responder}.{setting}"
        for responder in ("responder", "head.responder", "judge.responder")
        for setting in ("pace", "timeout_s", "key_variable", "prices")
    ),
    *(
        f"{corpus}.{place}"
        for corpus in ("datamodule.corpus", "regime.target.corpus")
        for place in ("root", "table", "audio_root", "split_file", "file", "data")
    ),
)


@dataclass(frozen=True)
class Identity:
    """What a run is called, in words and as a hash."""

    slug: str
    digest: str

    @property
    def name(self) -> str:
        """The run folder's name: ``demo-age-mel_stats-mlp_small-within-1a2b3c4d5e``."""
        return f"{self.slug}-{self.digest}"


def identify(
    config: DictConfig,
    *,
    words: Sequence[str],
    seeds: Sequence[int],
    recordings: Sequence[Recordings],
    weights: str,
) -> Identity:
    """Name a run by what decides its numbers.

    Args:
        words: the slug's parts, most general first.
        seeds: the resolved list, so that ``seeds=2`` and ``seeds=[0,1]`` are one run.
        recordings: the cohorts; label tables are hashed by content, audio files by path, size
            and time.
        weights: the encoder's weights ("none", "random" or a SHA-256).
    """
    facts = {
        "config": settled(config),
        "seeds": list(seeds),
        "labels": [
            hashlib.sha256(path.read_bytes()).hexdigest()
            for corpus in recordings
            for path in corpus.sources
        ],
        "files": [_files_digest(corpus.table) for corpus in recordings],
        "weights": weights,
    }
    text = json.dumps(facts, sort_keys=True, default=str)
    return Identity("-".join(words), hashlib.sha256(text.encode()).hexdigest()[:10])


def settled(config: DictConfig) -> dict[str, Any]:
    """The resolved config as plain values, without its transient fields and the seed count."""
    plain = OmegaConf.to_container(config, resolve=True)
    assert isinstance(plain, dict)
    for path in (*TRANSIENT, "seeds"):
        *parents, last = path.split(".")
        inside: Any = plain
        for parent in parents:
            inside = inside.get(parent, {}) if isinstance(inside, dict) else {}
        if isinstance(inside, dict):
            inside.pop(last, None)
    return {str(key): value for key, value in plain.items()}


def _files_digest(table: pl.DataFrame) -> str:
    """Hash ids, paths below their common folder, sizes and times of the audio that is present."""
    present = table.filter(pl.col("audio")).select("recording_id", "path").sort("recording_id")
    digest = hashlib.sha256()
    paths = [Path(path) for path in present["path"]]
    common = _common_folder(paths)
    for recording_id, path in zip(present["recording_id"], paths, strict=True):
        facts = path.stat()
        line = (recording_id, str(path.relative_to(common)), facts.st_size, facts.st_mtime_ns)
        digest.update(repr(line).encode())
    return digest.hexdigest()


def _common_folder(paths: Sequence[Path]) -> Path:
    return Path(os.path.commonpath([path.parent for path in paths])) if paths else Path()
