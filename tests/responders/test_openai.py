"""What is sent to a chat endpoint, and how its replies are read."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from PIL import Image

from raqa.responders.base import Heard, Pace
from raqa.responders.openai import Decoding, Prices
from tests.responders.asking import ask, asked, openai, outcomes, question, tone
from tests.responders.fake_server import Reply, serving

ONCE = Pace(concurrency=1, attempts=1)


def _sent(tmp_path: Path, given: Any, **changes: Any) -> dict[str, Any]:
    with serving() as server:
        recording = tone(tmp_path / "a.wav", 300)
        ask(asked([question("q")], [recording]), openai(server.url, **changes), tmp_path, given)
        return server.bodies[0]


def test_a_recording_is_sent_as_wav_at_the_rate_that_was_set(tmp_path: Path) -> None:
    (audio, text) = _sent(tmp_path, "audio")["messages"][0]["content"]
    assert audio["type"] == "input_audio"
    assert audio["input_audio"]["format"] == "wav"
    wav = io.BytesIO(base64.b64decode(audio["input_audio"]["data"]))
    samples, rate = soundfile.read(wav)
    assert rate == 16_000
    spectrum = np.abs(np.fft.rfft(samples))
    assert np.fft.rfftfreq(len(samples), 1 / rate)[spectrum.argmax()] == pytest.approx(300, abs=4)
    assert text["type"] == "text"
    assert "Is there a wheeze" in text["text"]


def test_a_spectrogram_is_sent_as_png_beside_the_waveform_where_both_are_given(
    tmp_path: Path,
) -> None:
    parts = _sent(tmp_path, "both")["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["input_audio", "image_url", "text"]
    kind, data = parts[1]["image_url"]["url"].split(",")
    assert kind == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (1000, 600)


def test_without_a_recording_the_words_are_sent_plainly(tmp_path: Path) -> None:
    decoding = Decoding(temperature=None, seed=None, max_tokens=9, extra={"top_k": 5},
                        length_field="max_completion_tokens")  # fmt: skip
    body = _sent(tmp_path, "none", system="Be brief.", decoding=decoding)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert isinstance(body["messages"][1]["content"], str)
    assert {name: value for name, value in body.items() if name not in {"messages", "model"}} == {
        "max_completion_tokens": 9, "top_k": 5,
    }  # fmt: skip


def test_a_waveform_beyond_full_scale_is_made_quieter_not_clipped() -> None:
    from raqa.audio.waveform import Waveform

    loud = Waveform(np.array([0.0, 2.0, -1.0, 0.5], np.float32), 8000)
    samples, _ = soundfile.read(io.BytesIO(Heard(loud).wav or b""))
    assert samples == pytest.approx([0, 1, -0.5, 0.25], abs=1e-3)


def test_tokens_latency_cost_and_finish_are_noted(tmp_path: Path) -> None:
    with serving(latency_s=0.05) as server:
        prices = Prices(million_in=2.0, million_out=10.0)
        found = ask(asked([question("q")]), openai(server.url, prices=prices), tmp_path)
    row = found.usage.row(0, named=True)
    assert (row["tokens_in"], row["tokens_out"], row["finish"]) == (10, 2, "stop")
    assert row["cost"] == pytest.approx(4e-5)
    assert 0.05 <= row["latency_s"] < 2
    assert row["retries"] == 0


@pytest.mark.parametrize(
    ("body", "outcome", "reason"),
    [
        ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, "refused", "interface"),
        ({"choices": [{"message": {"content": "ye"}, "finish_reason": "length"}]}, "answered", ""),
        ({"choices": [{"message": {"content": [{"type": "text", "text": "y"}]}}]}, "answered", ""),
        ({"choices": [{"message": {"content": ""}}]}, "answered", ""),
        ({"choices": [{"message": {"content": None}}]}, "failed", "has no text"),
        ({"choices": []}, "failed", "no chat completion"),
        ({"error": {"message": "busy"}}, "failed", "no chat completion"),
        ([], "failed", "no chat completion"),
        (7, "failed", "no chat completion"),
        ({"choices": [{"message": {"content": "yes"}}], "usage": "none"}, "failed", "no chat"),
        ({"choices": [{"message": {"content": "yes"}}], "usage": {"prompt_tokens": "9"}},
         "answered", ""),
    ],
)  # fmt: skip
def test_every_form_of_reply_has_an_outcome(
    body: Any, outcome: str, reason: str, tmp_path: Path
) -> None:
    with serving(lambda *_: Reply(body=json.dumps(body).encode())) as server:
        found = ask(asked([question("q")]), openai(server.url, pace=ONCE), tmp_path)
    assert outcomes(found) == {outcome: 1}
    assert reason in (found.usage["reason"][0] or "")


@pytest.mark.parametrize(
    ("status", "body", "outcome", "requests"),
    [
        (400, b'{"error": {"code": "context_length_exceeded"}}', "failed", 1),
        (400, b'{"error": {"code": "content_filter"}}', "refused", 1),
        (302, b"", "failed", 1),
        (503, b"", "failed", 3),
        (200, b"[" * 100_000, "failed", 3),
        (200, b"\xff\xfe\x00", "failed", 3),
    ],
)
def test_what_would_fail_again_is_asked_once_and_what_may_pass_several_times(
    status: int, body: bytes, outcome: str, requests: int, tmp_path: Path
) -> None:
    pace = Pace(concurrency=1, attempts=3, first_wait_s=0.001)
    with serving(lambda *_: Reply(status=status, body=body)) as server:
        found = ask(asked([question("q")]), openai(server.url, pace=pace), tmp_path)
        assert len(server.asked) == requests
    assert outcomes(found) == {outcome: 1}
    assert found.usage["retries"][0] == requests - 1


def test_a_response_without_end_is_a_failure(tmp_path: Path) -> None:
    with serving(lambda *_: Reply(text="x" * 100_000)) as server:
        responder = openai(server.url, pace=ONCE, most_bytes=10_000)
        found = ask(asked([question("q")]), responder, tmp_path)
    assert "longer than 10,000 bytes" in found.usage["reason"][0]


def test_the_key_is_sent_and_is_in_no_file_even_if_the_server_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("MY_KEY", key)
    repeated = Reply(text=f"Your key is {key}", headers={"X-Key": key})
    echoes = {0: Reply("500", body=key.encode()), 1: Reply(status=400, body=key.encode())}
    with serving(lambda text, before: repeated if "(a)" in text else echoes[min(before, 1)]) as one:
        pace = Pace(concurrency=1, attempts=2, first_wait_s=0.001)
        responder = openai(one.url, key_variable="MY_KEY", pace=pace)
        found = ask(asked([question("a"), question("b")]), responder, tmp_path)
        assert all(f"authorization: Bearer {key}" in head.replace("A", "a") for head in one.headers)
    assert found.answers["response"][0] == "Your key is [key removed]"
    found.usage.write_csv(tmp_path / "usage.csv")
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or key.encode() not in path.read_bytes()
    assert key not in repr(responder) + str(responder.identity) + "".join(capsys.readouterr())


def test_without_a_key_none_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving() as server:
        ask(asked([question("q")]), openai(server.url), tmp_path)
        assert "authorization" not in server.headers[0].lower()
