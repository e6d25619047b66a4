"""Times the training of a soft prefix against the straightforward loop, on the same questions.

The loop runs the frozen encoder on every step's recordings, fills all rows up to the longest
question and answer of the set, and takes logits of every token. Ours reads embeddings that were
made once, takes rows of like length together and logits of the answers only. Both take the same
rows in the same order from the same beginning, so that their losses are equal; what embedding once
costs is counted to ours. Run it by itself; with --check its exit status is 1 where the goal is
missed or losses differ.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from torch.nn.functional import cross_entropy

from raqa import load_encoder
from raqa.answering.base import AUDIO_ROW, Fitting, QuestionPairs
from raqa.answering.soft_prefix.batches import Batch
from raqa.answering.soft_prefix.fit import Job, Sides, prepare
from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.loaders import Passes, Place, Position, TrainPasses
from raqa.answering.soft_prefix.model import SoftPrefixModel
from raqa.answering.soft_prefix.settings import (
    LanguageModelSettings,
    LoraSettings,
    MapperSettings,
)
from raqa.encoders.base import Encoder
from raqa.tables import QUESTIONS
from raqa.training.module import make_optimiser
from raqa.training.settings import TrainerSettings

GOAL = 2.0
EQUAL = 1e-3
"""Relative difference of losses: sums in another order, and steps that build on them."""

SECONDS, RATE = 2.0, 16_000
SEED = 0
Waves = NDArray[np.float32]

# A question of each type with its share; options make multiple-choice questions the long ones.
KINDS = (
    (0.4, "Does the subject have {0}?", "Yes, the subject has {0}."),
    (0.4, "What can be heard in the recording of {0}?", "The recording shows {0}."),
    (0.2, "Which of these describes the recording best? Options: A) {0} B) {1} C) {2} D) {3} "
          "E) none of them, or it can not be said", "A) {0}"),
)  # fmt: skip
FINDINGS = ("a dry cough", "wheezing on expiration", "crackles at both lung bases",
            "a history of asthma and of smoking", "normal breathing")  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """Seconds a step, first step's loss, each epoch's loss, and the loss after training."""

    step_s: float
    first: float
    epochs: list[float]
    final: float


def main() -> int:
    """Measure both, print a table, and say whether the goal is met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="a language model's name or folder; else a small one")
    parser.add_argument("--encoder", default="opera_ct", help="of conf/encoder (default opera_ct)")
    parser.add_argument("--questions", type=int, default=64, help="default 64")
    parser.add_argument("--epochs", type=int, default=4, help="default 4")
    parser.add_argument("--threads", type=int, default=2, help="of torch (default 2)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the goal is missed")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    encoder = load_encoder(given.encoder, weights="random")
    size = (given.questions // 2, int(SECONDS * RATE))
    waves = np.random.default_rng(SEED).normal(0, 0.1, size).astype(np.float32)
    settings = TrainerSettings(
        accelerator="cpu", optimizer="adamw", learning_rate=1e-3, batch_size=8,
        gradient_clip_norm=1.0, max_epochs=given.epochs, patience=given.epochs,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        head = SoftPrefixHead(
            language_model=LanguageModelSettings(given.model or small_model(Path(folder))),
            mapper=MapperSettings(dropout=0.0), lora=LoraSettings(rank=8, dropout=0.0),
        )  # fmt: skip
        begun = time.perf_counter()
        audio = embedded(encoder, waves)
        once_s = time.perf_counter() - begun
        train, validation = pairs(audio, given.questions, 0), pairs(audio, 8, 1)
        job = Job(head, train, validation, (SEED,), settings, None)
        found = ours(job)
        cached = straightforward(job, None, waves)
        loop = straightforward(job, encoder, waves)
    steps = given.epochs * -(-given.questions // settings.batch_size)
    sides = {"ours": found, "loop": loop, "loop on embeddings": cached}
    return report(sides, once_s / steps, check=given.check)


def report(sides: Mapping[str, Measured], once_s: float, *, check: bool) -> int:
    """Print all sides; 1 where the goal is missed and that counts."""
    table = Table("", "s a step", "first loss", "loss of each epoch", "loss after")
    for name, one in sides.items():
        epochs = ", ".join(f"{loss:.5f}" for loss in one.epochs)
        table.add_row(name, f"{one.step_s:.3f}", f"{one.first:.5f}", epochs, f"{one.final:.5f}")
    Console().print(table)
    found, loop = sides["ours"], sides["loop"]
    faster = loop.step_s / (found.step_s + once_s)
    losses = [(found.first, loop.first), *zip(found.epochs, loop.epochs, strict=True),
              (found.final, loop.final)]  # fmt: skip
    apart = max(abs(one - other) / other for one, other in losses)
    print(f"{faster:.1f} times faster (goal {GOAL:g}), with {once_s:.3f} s a step for embedding "
          f"once; losses differ by at most {apart:.1e} (allowed {EQUAL:g})")  # fmt: skip
    return int(check and (faster < GOAL or apart > EQUAL))


def ours(job: Job) -> Measured:
    """The head's own fit; it asks whether to stop after every step."""
    head = job.head
    language = head.language()
    model = head.model(language, (1, job.train.audio.shape[1]))
    model.initialise(SEED)
    sides = prepare(job, language)
    passes = passes_of(job, sides)
    rows = next(iter(passes.order(0)))
    with torch.no_grad():
        first = model(sides.train(rows)).mean().item()
    asked: list[float] = []

    def never() -> bool:
        asked.append(time.perf_counter())
        return False

    fitting = Fitting(job.seeds, job.settings, stop=never)
    history = head.fit(job.train, job.validation, fitting).history
    # After an epoch's last step it validates before it asks.
    within = np.diff(np.reshape(asked, (-1, passes.steps))[:, :-1], axis=1)
    return Measured(
        float(np.mean(within)),
        first,
        history["train_loss"].to_list(),
        float(history["validation_error"][-1]),
    )


def straightforward(job: Job, encoder: Encoder | None, waves: Waves) -> Measured:
    """The loop that is written first; without an encoder it reads embeddings as ours does."""
    head, settings = job.head, job.settings
    language = head.language()
    model = head.model(language, (1, job.train.audio.shape[1]))
    model.initialise(SEED)
    sides = prepare(job, language)
    passes = passes_of(job, sides)
    longest = max(batch.tokens.shape[1] for batch in Passes(sides.train, settings.batch_size))
    optimiser = make_optimiser(model.trained.values(), settings)
    first, epochs, times = None, [], []
    for epoch in range(settings.max_epochs):
        for group in optimiser.param_groups:
            group["lr"] = settings.learning_rate * settings.learning_rate_decay**epoch
        passes.position.epoch, losses = epoch, []
        for rows in passes.order(epoch):
            begun = time.perf_counter()
            batch = filled(sides.train(rows), longest, language.padding)
            if encoder is not None:
                heard = [sides.train.tokens.audio_rows[row] for row in rows]
                scaled = sides.scaling.inputs(embedded(encoder, waves[heard]))
                batch = batch._replace(audio=torch.from_numpy(scaled).float()[:, None])
            loss = all_logits(model, batch)
            optimiser.zero_grad()
            loss.mean().backward()
            torch.nn.utils.clip_grad_norm_(model.trained.values(), settings.gradient_clip_norm or 1)
            optimiser.step()
            times.append(time.perf_counter() - begun)
            losses += loss.detach().tolist()
            first = first if first is not None else float(loss.detach().mean())
        epochs.append(float(np.mean(losses)))
    with torch.no_grad():
        final = torch.cat([model(batch) for batch in Passes(sides.validation, 8)]).mean().item()
    assert first is not None
    return Measured(float(np.mean(times)), first, epochs, final)


def passes_of(job: Job, sides: Sides) -> TrainPasses:
    """The order of rows that a fit takes."""
    size = job.settings.batch_size
    return TrainPasses(sides.train, SEED, Position(), Place(), batch_size=size, rows_at_a_time=size)


def filled(batch: Batch, longest: int, padding: int) -> Batch:
    """A batch as long as the longest row of all."""
    more = (longest - batch.tokens.shape[1], 0)
    pad = torch.nn.functional.pad
    return batch._replace(
        tokens=pad(batch.tokens, more, value=padding),
        present=pad(batch.present, more),
        prefix=pad(batch.prefix, more),
        scored=pad(batch.scored, more),
    )


def all_logits(model: SoftPrefixModel, batch: Batch) -> torch.Tensor:
    """Every row's loss, from logits of every token."""
    logits = model.network(
        inputs_embeds=model.embedded(batch),
        attention_mask=batch.present.long(),
        position_ids=(batch.present.cumsum(1) - 1).clamp(min=0),
        use_cache=False,
    ).logits[:, :-1]
    labels = batch.tokens[:, 1:].masked_fill(~batch.scored[:, 1:], -100)
    flat = cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    return flat.view(labels.shape).sum(1) / batch.scored.sum(1)


def embedded(encoder: Encoder, waves: Waves) -> Waves:
    """Embeddings `[clips, width]` of waveforms."""
    parts = [
        encoder.embed(list(part), sample_rate=RATE)
        for part in np.array_split(waves, -(-len(waves) // 8))
    ]
    return np.concatenate(parts)


def pairs(audio: Waves, questions: int, seed: int) -> QuestionPairs:
    """Questions of the three types about the recordings."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(questions):
        _, question, answer = KINDS[random.choice(3, p=[share for share, *_ in KINDS])]
        said = random.permutation(FINDINGS)
        rows.append({
            "qa_id": str(number), "recording_id": str(number), "question_type": "open_ended",
            "question": question.format(*said), "answer": answer.format(*said),
            AUDIO_ROW: number % len(audio),
        })  # fmt: skip
    return QuestionPairs(audio, pl.DataFrame(rows, schema={**QUESTIONS, AUDIO_ROW: pl.Int64}))


def small_model(folder: Path) -> str:
    """An untrained GPT-2 of 4 layers and 256 units with the real one's number of tokens."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    texts = [*FINDINGS, *(text for _, *both in KINDS for text in both), "Question: Answer:"]
    splitter = pre_tokenizers.Whitespace()
    words = {word for text in texts for word, _ in splitter.pre_tokenize_str(text)}
    vocabulary = {word: number for number, word in enumerate(["<end>", *sorted(words)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<end>"))
    tokenizer.pre_tokenizer = splitter
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>").save_pretrained(folder)
    torch.manual_seed(SEED)
    config = GPT2Config(n_embd=256, n_layer=4, n_head=8, bos_token_id=0, eos_token_id=0)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


if __name__ == "__main__":
    sys.exit(main())
