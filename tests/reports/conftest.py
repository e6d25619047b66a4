"""Realistic run folders, made without torch, audio or training, and a browser to look at pages."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from raqa.corpora.base import Step
from raqa.reports.run_folder import RunFolder
from raqa.tables import CLASS_PREDICTIONS, FOLD, PREDICTIONS, SetAside, set_aside_table

MakeRun = Callable[..., Path]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=10000",
    "--window-size=1400,1000",
)

ASIDE = (
    SetAside("coswara", "audio", "a1_cough-shallow", "is an empty wav file (44 bytes, no samples)"),
    SetAside("coswara", "audio", "b2_cough-shallow", "is digital silence"),
    SetAside("coswara", "audio", "c3_cough-shallow", "is digital silence"),
    SetAside("coswara", "audio", "d4_cough-shallow", "is digital silence"),
    SetAside("coswara", "audio", "e5_cough-shallow", "is digital silence"),
    SetAside(
        "coswara",
        "label",
        "f6",
        "age of 999 is outside 0–120 year",
        row=17,
        field="age",
        value="999",
    ),
    SetAside("coswara", "label", "g7", "no age", row=18, field="age", value=""),
)


def provenance(name: str, seeds: list[int], **facts: Any) -> dict[str, Any]:
    known = {
        "run": name,
        "corpus": "coswara",
        "corpus_title": "Coswara",
        "synthetic": False,
        "task": "age",
        "unit": "year",
        "encoder": "mel_stats",
        "encoder_fingerprint": "0123456789abcdef",
        "weights": "none",
        "weights_real": True,
        "head": "mlp_small",
        "regime": "within",
        "clip": "2s-start-zero",
        "seeds": seeds,
        "split": "by_subject",
        "subject_known": True,
        "versions": {"raqa": "0.1.0"},
        "commit": "0" * 40,
        "finished_at": "2026-11-30T12:00:00+00:00",
        "embeddings": {"reused": 0, "computed": 500},
        "recordings_hash": "feedbeef",
    }
    return {**known, **facts}


def make_fold(subjects: int, known: bool, unit: str, random: np.random.Generator) -> pl.DataFrame:
    names = np.repeat(np.arange(subjects), random.integers(1, 4, size=subjects))
    age = np.clip(random.gamma(6, 6, size=subjects), 7, 87).round()
    sex = random.choice(["female", "male", "other"], p=[0.45, 0.53, 0.02], size=subjects)
    side = random.choice(["train", "validation", "test"], p=[0.64, 0.16, 0.2], size=subjects)
    side[:3] = ["train", "validation", "test"]
    label = age if unit == "year" else 1 / (1 + np.exp(-random.normal(-1, 1, size=subjects)))
    return pl.DataFrame(
        {
            "side": side[names],
            "corpus": ["coswara"] * len(names),
            "recording_id": [f"r{index:05d}" for index in range(len(names))],
            "subject_id": [f"s{subject:04d}" for subject in names],
            "subject_known": [known] * len(names),
            "label": label[names],
            "age": age[names],
            "sex": sex[names],
        },
        schema_overrides=dict(FOLD),
    ).with_columns(sex=pl.when(pl.int_range(pl.len()) % 17 == 0).then(None).otherwise("sex"))


def make_predictions(
    fold: pl.DataFrame, skill: float, seeds: list[int], random: np.random.Generator
) -> pl.DataFrame:
    """Predictions that follow the labels by `skill`, from −1 over 0 (the mean) to 1."""
    test, fitted = fold.filter(side="test"), fold.filter(side="train")["label"]
    centre, spread = float(fitted.mean()), float(fitted.std())
    noise = random.normal(0, 0.35 * spread * min(1, 3 * abs(skill)), size=test.height)
    tables = []
    for seed in seeds:
        own = random.normal(0, 0.12 * spread * min(1, 3 * abs(skill)), size=test.height)
        predicted = centre + skill * (test["label"].to_numpy() - centre) + noise + own
        tables.append(
            test.select(
                pl.lit(seed, dtype=pl.Int64).alias("seed"),
                "corpus",
                "recording_id",
                "subject_id",
                truth="label",
                prediction=pl.Series(predicted),
            )
        )
    return pl.concat(tables).cast(dict(PREDICTIONS))


def run_maker(folder: Path) -> MakeRun:
    """Make a function that writes a finished run below folder/runs; `facts` replace provenance."""

    def make(
        name: str = "coswara-age-mel_stats-mlp_small-1a2b3c",
        *,
        skill: float = 0.6,
        subjects: int = 400,
        seeds: tuple[int, ...] = (0, 1, 2, 3, 4),
        known: bool = True,
        unit: str = "year",
        **facts: Any,
    ) -> Path:
        random = np.random.default_rng(11)
        fold = make_fold(subjects, known, unit, random)
        target = RunFolder(folder / "runs" / name)
        with target.draft() as draft:
            draft.write(
                config="datamodule:\n  name: coswara\nhead:\n  dropout: 0.3\n",
                provenance=provenance(name, list(seeds), subject_known=known, unit=unit, **facts),
                fold=fold,
                predictions=make_predictions(fold, skill, list(seeds), random),
                set_aside=set_aside_table(ASIDE),
                steps=[
                    Step("labelled", 2746, 2746),
                    Step("shallow cough, quality 1 or 2", 2563, 2563),
                    Step("age known", fold.height + 5, subjects + 5),
                    Step("audio usable", fold.height, subjects),
                ],
                history=pl.DataFrame({"epoch": [0, 1], "seed": [0, 0], "loss": [1.0, 0.5]}),
                save_heads=lambda path: path.write_bytes(b"weights"),
            )
            draft.publish(resamples=1000)
        return target.path

    return make


def class_run_maker(folder: Path) -> MakeRun:
    """Make a function that writes a finished run that predicts classes below folder/runs."""

    def make(
        name: str = "coswara-sex-mel_stats-mlp_small-4d5e6f",
        *,
        skill: float = 1.5,
        subjects: int = 400,
        seeds: tuple[int, ...] = (0, 1, 2),
        classes: tuple[str, ...] = ("female", "male"),
        **facts: Any,
    ) -> Path:
        random = np.random.default_rng(12)
        fold = make_fold(subjects, known=True, unit="year", random=random)
        of_subject = random.integers(len(classes), size=subjects).astype(float)
        numbers = fold["subject_id"].str.slice(1).cast(pl.Int64)
        fold = fold.with_columns(label=pl.Series(of_subject[numbers]))
        known = {"task": "sex", "unit": None, "kind": "classification", "classes": classes, **facts}
        target = RunFolder(folder / "runs" / name)
        with target.draft() as draft:
            draft.write(
                config="datamodule:\n  name: coswara\n",
                provenance=provenance(name, list(seeds), **known),
                fold=fold,
                predictions=make_class_predictions(fold, len(classes), skill, seeds, random),
                set_aside=set_aside_table(ASIDE),
                steps=[Step("audio usable", fold.height, subjects)],
            )
            draft.publish(resamples=500)
        return target.path

    return make


def make_class_predictions(
    fold: pl.DataFrame,
    classes: int,
    skill: float,
    seeds: tuple[int, ...],
    random: np.random.Generator,
) -> pl.DataFrame:
    """Probabilities whose logit of the true class is higher by `skill`."""
    test = fold.filter(side="test")
    truth = test["label"].to_numpy().astype(int)
    tables = []
    for seed in seeds:
        logits = random.normal(size=(test.height, classes)) * min(1, abs(skill))
        logits[np.arange(test.height), truth] += skill
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        tables.append(
            test.select(
                pl.lit(seed, dtype=pl.Int64).alias("seed"),
                "corpus",
                "recording_id",
                "subject_id",
                truth="label",
                prediction=pl.Series(shares.argmax(axis=1).astype(float)),
                probabilities=pl.Series(shares.tolist(), dtype=pl.List(pl.Float64)),
            )
        )
    return pl.concat(tables).select(*CLASS_PREDICTIONS)


@pytest.fixture
def make_class_run(tmp_path: Path) -> MakeRun:
    """Write a finished run that predicts classes below tmp_path/runs."""
    return class_run_maker(tmp_path)


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Write a finished run below tmp_path/runs."""
    return run_maker(tmp_path)


@pytest.fixture(scope="session")
def make_run_in() -> Callable[[Path], MakeRun]:
    """Write finished runs below a folder of one's choice."""
    return run_maker


@pytest.fixture
def browse(tmp_path: Path) -> Callable[..., Any]:
    """Ask a page questions in a headless browser: `browse(page, script, width=390)`."""
    return lambda page, script, *, width: ask(page, script, width=width, folder=tmp_path)


def ask(page: str, script: str, *, width: int, folder: Path) -> Any:
    """Lay a page out `width` pixels wide and return what the body of `script` returns.

    The page lies in a frame, because a headless window can not be as narrow as a phone; the
    script sees it as `page` (its document) and `view` (its window).
    """
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        pytest.skip(f"no browser found; install one of {', '.join(BROWSERS)} to run this test")
    outer = folder / "outer.html"
    outer.write_text(
        f"""<!doctype html><meta charset="utf-8"><title></title>
<iframe id="frame" style="width: {width}px; height: 900px; border: 0"
  srcdoc="{html.escape(page)}"></iframe>
<script>
const answer = (page, view) => {{ {script} }};
frame.onload = () => {{
  try {{ document.title = JSON.stringify(answer(frame.contentDocument, frame.contentWindow)); }}
  catch (error) {{ document.title = JSON.stringify("error: " + error); }}
}};
</script>""",
        encoding="utf-8",
    )
    profile = f"--user-data-dir={folder / 'profile'}"
    done = subprocess.run(
        [browser, *BROWSER_OPTIONS, profile, "--dump-dom", outer.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout, flags=re.DOTALL)
    assert title is not None
    assert title[1], "the page never finished loading"
    return json.loads(html.unescape(title[1]))
