"""From recordings to embeddings: reused, computed or set aside, and never lost."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile
import torch
from rich.console import Console
from torch import Tensor

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.extract import Embeddings, EmbedSettings, extract
from raqa.embeddings.store import EmbeddingStore
from raqa.encoders.base import Encoder
from raqa.encoders.mel_stats import MelStats
from raqa.errors import UserError
from raqa.tables import SET_ASIDE

Run = Callable[..., Embeddings]
Sounds = Callable[..., list[Path]]
Table = Callable[..., pl.DataFrame]


def test_every_recording_gets_the_vector_of_its_own_audio(
    sounds: Sounds, table: Table, run: Run, encoder: Encoder
) -> None:
    paths = sounds(20)
    embeddings = run(table(paths), batch_s=2, shard_rows=7)
    assert embeddings.recording_ids == [f"r{i:03}" for i in range(20)]
    clips = [soundfile.read(path, dtype="float32")[0] for path in paths]
    np.testing.assert_allclose(embeddings.vectors, encoder.embed(clips, 1_000), rtol=1e-6)
    assert (embeddings.reused, embeddings.computed) == (0, 20)
    assert embeddings.set_aside.is_empty()


def test_a_second_run_computes_nothing_and_gives_the_same(
    sounds: Sounds, table: Table, run: Run, encoder: Encoder
) -> None:
    recordings = table(sounds(20))
    first = run(recordings)
    encoder.batches.clear()
    second = run(recordings)
    assert (second.reused, second.computed, encoder.batches) == (20, 0, [])
    np.testing.assert_array_equal(first.vectors, second.vectors)
    fewer = run(recordings[[7, 3]])
    np.testing.assert_array_equal(fewer.vectors, first.vectors[[7, 3]])


def test_only_what_is_new_is_computed(sounds: Sounds, table: Table, run: Run) -> None:
    run(table(sounds(10)))
    more = run(table(sounds(15)))
    assert (more.reused, more.computed) == (10, 5)


def test_a_changed_file_is_embedded_anew_and_a_moved_one_is_not(
    sounds: Sounds, table: Table, run: Run
) -> None:
    paths = sounds(3)
    before = run(table(paths))
    samples, rate = soundfile.read(paths[1])
    soundfile.write(paths[1], samples[::-1] * 0.5, rate)
    after = run(table(paths))
    assert (after.reused, after.computed) == (2, 1)
    assert not np.allclose(before.vectors[1], after.vectors[1])
    paths[0] = paths[0].rename(paths[0].with_name("moved.wav"))
    assert run(table(paths)).computed == 0


@pytest.mark.parametrize("what", ["encoder", "clip"])
def test_another_encoder_or_clip_policy_shares_nothing(
    sounds: Sounds, table: Table, run: Run, what: str
) -> None:
    recordings = table(sounds(3))
    run(recordings)
    if what == "encoder":
        assert run(recordings, other=MelStats(), clip=ClipPolicy()).computed == 3
    else:
        assert run(recordings, clip=ClipPolicy(length_s=0.4)).computed == 3


def test_identical_content_is_embedded_once(
    sounds: Sounds, table: Table, run: Run, encoder: Encoder, tmp_path: Path
) -> None:
    paths = sounds(3)
    copy = tmp_path / "copy.mp3"
    copy.write_bytes(paths[0].read_bytes())
    embeddings = run(table([*paths, copy]))
    assert sum(size for size, _ in encoder.batches) == 3
    np.testing.assert_array_equal(embeddings.vectors[0], embeddings.vectors[3])


def test_segments_of_one_file_are_different_recordings(
    sounds: Sounds, table: Table, run: Run
) -> None:
    (path,) = sounds(1, 2.0)
    recordings = table([path] * 4, start_s=[None, 0.0, 0.5, 1.9], end_s=[None, 0.5, 1.0, 9.0])
    vectors = run(recordings, clip=ClipPolicy(length_s=None)).vectors
    assert len(np.unique(vectors, axis=0)) == 4


def test_bad_files_are_set_aside_by_name_and_the_rest_goes_on(
    sounds: Sounds, table: Table, run: Run, tmp_path: Path
) -> None:
    paths = sounds(6)
    paths[1].write_bytes(b"")
    paths[3].unlink()
    soundfile.write(paths[4], np.zeros(500), 1_000)
    recordings = table(paths, audio=[True, True, True, True, True, False])
    embeddings = run(recordings)
    assert embeddings.recording_ids == ["r000", "r002"]
    assert embeddings.vectors.shape == (2, 8)
    aside = embeddings.set_aside
    assert aside.schema == dict(SET_ASIDE)
    assert aside["stage"].unique().to_list() == ["audio"]
    assert dict(aside["item", "reason"].rows()) == {
        "r001": "the file is empty (0 bytes)",
        "r003": "can not be opened: No such file or directory",
        "r004": "every sample is zero",
        "r005": "there is no audio file",
    }
    assert aside["value"].to_list() == [str(paths[i]) for i in (1, 3, 4, 5)]
    again = run(recordings)
    assert again.set_aside.equals(aside)
    assert again.computed == 0


def test_all_copies_of_a_bad_file_are_set_aside(sounds: Sounds, table: Table, run: Run) -> None:
    paths = sounds(3)
    for path in paths[:2]:
        path.write_bytes(b"no audio")
    embeddings = run(table(paths))
    assert embeddings.set_aside["item"].to_list() == ["r000", "r001"]
    assert embeddings.recording_ids == ["r002"]


def test_a_table_of_bad_files_or_of_none_is_no_error(
    sounds: Sounds, table: Table, run: Run
) -> None:
    assert run(table([])).vectors.shape == (0, 8)
    (path,) = sounds(1)
    path.write_bytes(b"")
    nothing = run(table([path]))
    assert (nothing.recording_ids, nothing.vectors.shape) == ([], (0, 8))


def test_a_clip_too_short_for_the_encoder_is_set_aside(
    sounds: Sounds, table: Table, run: Run, encoder: Encoder
) -> None:
    encoder.min_s = 0.2
    recordings = table(sounds(1) * 2, start_s=[0.1, 0.1], end_s=[0.25, 0.4])
    embeddings = run(recordings, clip=ClipPolicy(length_s=None))
    assert embeddings.recording_ids == ["r001"]
    assert "Counting takes 0.2 s or more" in embeddings.set_aside["reason"][0]


class TestBatches:
    def test_a_batch_holds_clips_of_one_length_up_to_its_budget(
        self, table: Table, run: Run, encoder: Encoder, tmp_path: Path
    ) -> None:
        rng = np.random.default_rng(0)
        lengths = rng.choice([100, 150, 700], 50)
        paths = [tmp_path / f"{i}.wav" for i in range(50)]
        for path, length in zip(paths, lengths, strict=True):
            soundfile.write(path, rng.standard_normal(length) * 0.1, 1_000)
        embeddings = run(table(paths), clip=ClipPolicy(length_s=None), batch_s=0.5)
        assert len(embeddings.recording_ids) == 50
        assert all(size * length <= 500 or size == 1 for size, length in encoder.batches)
        assert sum(size for size, _ in encoder.batches) == 50
        assert len(encoder.batches) < 40

    def test_workers_and_batches_do_not_change_the_numbers(
        self, sounds: Sounds, table: Table, tmp_path: Path
    ) -> None:
        recordings = table(sounds(30))
        results = [
            extract(recordings, MelStats(), ClipPolicy(), EmbeddingStore(tmp_path / str(number)),
                    EmbedSettings(device="cpu", **settings)).vectors
            for number, settings in enumerate([{}, {"workers": 1, "batch_s": 2},
                                               {"workers": 7, "shard_rows": 4}])
        ]  # fmt: skip
        for result in results[1:]:
            np.testing.assert_allclose(result, results[0], rtol=1e-4, atol=1e-4)

    def test_when_memory_runs_out_batches_are_halved(
        self, sounds: Sounds, table: Table, run: Run, encoder: Encoder,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        forward = encoder.forward

        def greedy(waveforms: Tensor) -> Tensor:
            if len(waveforms) > 3:
                raise torch.OutOfMemoryError("CUDA out of memory.")
            return forward(waveforms)

        monkeypatch.setattr(encoder, "forward", greedy)
        embeddings = run(table(sounds(16)), batch_s=8)
        monkeypatch.undo()
        assert max(size for size, _ in encoder.batches) <= 3
        clips = [soundfile.read(path, dtype="float32")[0] for path in sounds(16)]
        np.testing.assert_allclose(embeddings.vectors, encoder.embed(clips, 1_000), rtol=1e-6)

    def test_when_one_clip_does_not_fit_the_way_out_is_named(
        self, sounds: Sounds, table: Table, run: Run, encoder: Encoder,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        def full(waveforms: Tensor) -> Tensor:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried too much")

        monkeypatch.setattr(encoder, "forward", full)
        with pytest.raises(UserError, match=r"out of memory on one clip of 0\.5 s"):
            run(table(sounds(4)))


class TestRefusals:
    def test_numbers_that_are_not_finite_name_the_recording_and_keep_the_rest(
        self, sounds: Sounds, table: Table, run: Run, encoder: Encoder,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        paths = sounds(6)
        soundfile.write(paths[4], np.r_[np.full(250, 0.9), np.full(250, -0.9)], 1_000)
        forward = encoder.forward

        def fragile(waveforms: Tensor) -> Tensor:
            vectors = forward(waveforms)
            return vectors.masked_fill(vectors[:, :1] > 0.8, torch.nan)

        monkeypatch.setattr(encoder, "forward", fragile)
        with pytest.raises(UserError, match=r"NaN or infinite numbers for recording r004 \(.*004"):
            run(table(paths), batch_s=0.5)
        monkeypatch.undo()
        assert run(table(paths)).reused >= 1

    def test_a_clip_policy_that_the_encoder_can_not_take_is_refused_before_any_work(
        self, table: Table, run: Run, encoder: Encoder
    ) -> None:
        recordings = table([Path("/nowhere.wav")])
        encoder.window_s = 0.5
        with pytest.raises(UserError, match=r"exactly 0\.5 s.*clip\.length_s=0\.5"):
            run(recordings, clip=ClipPolicy(length_s=2))
        encoder.window_s = None
        encoder.min_s = 1.0
        with pytest.raises(UserError, match="at least 1 s"):
            run(recordings)
        encoder.min_s, encoder.output = 0.0, "frames"
        with pytest.raises(UserError, match="one length"):
            run(recordings, clip=ClipPolicy(length_s=None))

    def test_a_device_that_is_not_there_is_named(
        self, sounds: Sounds, table: Table, store: EmbeddingStore, encoder: Encoder
    ) -> None:
        with pytest.raises(UserError, match="embed.device=cuda:77"):
            extract(table(sounds(1)), encoder, ClipPolicy(length_s=0.5), store,
                    EmbedSettings(device="cuda:77"))  # fmt: skip


def test_frames_are_kept_as_frames(
    sounds: Sounds, table: Table, run: Run, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder.output = "frames"
    monkeypatch.setattr(encoder, "forward", lambda clips: clips.reshape(len(clips), 50, 10))
    recordings = table(sounds(5))
    assert run(recordings).vectors.shape == (5, 50, 10)
    assert run(recordings).reused == 5


def test_progress_shows_on_a_terminal_and_nowhere_else(
    sounds: Sounds, table: Table, store: EmbeddingStore, encoder: Encoder
) -> None:
    for terminal, shown in ((True, True), (False, False)):
        out = io.StringIO()
        console = Console(file=out, force_terminal=terminal, width=100)
        clip = ClipPolicy(length_s=0.3 if terminal else 0.4)
        extract(table(sounds(4)), encoder, clip, store, EmbedSettings(device="cpu"), console)
        assert ("4/4" in out.getvalue()) is shown
        assert bool(out.getvalue()) is shown


def test_the_threads_of_torch_are_as_they_were(sounds: Sounds, table: Table, run: Run) -> None:
    threads = torch.get_num_threads()
    run(table(sounds(3)))
    assert torch.get_num_threads() == threads


def test_real_recordings_are_embedded_or_set_aside(
    test_data: Path, table: Table, store: EmbeddingStore
) -> None:
    paths = sorted(
        path for corpus in ("coswara", "coughvid", "covid19_cough", "kauh")
        for path in (test_data / corpus).rglob("*") if path.suffix in {".wav", ".mp3", ".webm"}
    )[::4]  # fmt: skip
    extra = sorted((test_data / "coughvid").rglob("*.webm"))
    recordings = table([*paths, *extra])
    embeddings = extract(recordings, MelStats(), ClipPolicy(), store, EmbedSettings(device="cpu"))
    assert len(embeddings.recording_ids) + embeddings.set_aside.height == recordings.height
    assert recordings["recording_id"][-1] in embeddings.recording_ids
    assert np.isfinite(embeddings.vectors).all()
    assert embeddings.set_aside.height > 2


def test_parts_of_several_processes_make_the_whole(table, sounds) -> None:
    recordings = table(sounds(7))
    parts = [EmbedSettings(shard=f"{part}/3").part_of(recordings) for part in (1, 2, 3)]
    assert [part.height for part in parts] == [3, 2, 2]
    ids = sorted(name for part in parts for name in part["recording_id"])
    assert ids == sorted(recordings["recording_id"])
    assert EmbedSettings().part_of(recordings).equals(recordings)


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0"])
def test_a_part_that_does_not_exist_is_refused(shard: str) -> None:
    with pytest.raises(ValueError, match="shard"):
        EmbedSettings(shard=shard)


def test_half_precision_is_for_a_gpu(run, table, sounds) -> None:
    with pytest.raises(UserError, match=r"embed\.precision=bf16 is for a GPU"):
        run(table(sounds(2)), precision="bf16")


def test_half_precision_has_a_shelf_of_its_own(store: EmbeddingStore, encoder) -> None:
    folders = {store.shelf(encoder, ClipPolicy(), kind).folder for kind in ("32", "bf16", "fp16")}
    assert len(folders) == 3
