"""BERTScore (Zhang et al. 2020) as the package bert-score has it, each sentence embedded once.

The same tokens, layer and greedy matching as that package without IDF: CLS and SEP have no weight
of their own, but other tokens may match them (torchmetrics leaves them out, and differs).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from raqa.errors import UserError
from raqa.pretrained import load_pretrained, load_weights

Floats = NDArray[np.float32]

_TOKENS = 4096
"""Tokens that the model is given at once."""
_HELD = 4096
"""Candidate sentences whose tokens are held at once."""
_PAIRS = 2_000_000
"""Numbers of token vectors that are matched at once."""


@dataclass(frozen=True, eq=False)
class BertScores:
    """Scores of pairs, all `[pairs]`.

    Attributes:
        precision, recall, f1: 0 where one of the two texts is empty.
        rescaled: F1 on the scale on which the model's baseline is 0; None: it has no baseline.
        empty: whether the candidate is.
        truncated: whether the candidate or the reference is longer than the model reads.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    rescaled: Floats | None
    empty: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Embedded:
    """Sentences of one length in tokens: unit vectors `[sentences, tokens, width]`, weights."""

    vectors: Any
    weights: Any


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class BertScorer:
    """Scores pairs of texts with one model.

    Attributes:
        model: a name on huggingface.co, or a folder in the same layout.
        num_layers: how many layers are run; None: as many as bert-score found best for the name.
        setting: what the user calls `model`, for messages.
    """

    model: Annotated[str, Field(min_length=1)] = "roberta-large"
    num_layers: Annotated[int, Field(ge=1)] | None = None
    setting: str = "bertscore.model"

    @property
    def words(self) -> str:
        """The model, for tables."""
        return f"{Path(self.model).name or self.model}, {self.layers} layers"

    @property
    def layers(self) -> int:
        """How many layers are run.

        Raises:
            UserError: it is not given, and bert-score does not know the model.
        """
        if self.num_layers is not None:
            return self.num_layers
        from bert_score.utils import model2layers

        if self.model not in model2layers:
            raise UserError(
                f"{self.setting}={self.model}: bert-score has found no best layer for it. Say how "
                "many layers to run (num_layers), or choose a model that it knows, such as "
                "roberta-large or distilbert-base-uncased."
            )
        return int(model2layers[self.model])

    @property
    def no_baseline(self) -> str | None:
        """Why scores can not be rescaled, or None."""
        if self._baseline_file.is_file():
            return None
        return f"bert-score has no baseline file for {Path(self.model).name or self.model}"

    def score(self, candidates: Sequence[str], references: Sequence[str]) -> BertScores:
        """Score pairs; equal ones are computed once.

        Raises:
            UserError: the model can not be had, or is of a kind that is not known.
        """
        pairs = list(zip(candidates, references, strict=True))
        distinct = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
        texts = _Texts.of(distinct, self)
        scored = self._score_distinct(list(distinct), texts)
        rows = [distinct[pair] for pair in pairs]
        precision, recall, f1 = scored[rows].T
        return BertScores(
            precision, recall, f1,
            self._rescaled(f1),
            np.array([not texts.tokens[one] for one, _ in pairs], bool),
            np.array([not texts.long.isdisjoint(pair) for pair in pairs], bool),
        )  # fmt: skip

    def _score_distinct(self, pairs: Sequence[tuple[str, str]], texts: _Texts) -> Floats:
        """Precision, recall and F1 of distinct pairs, `[pairs, 3]`."""
        scores = np.zeros((len(pairs), 3), np.float32)
        places: dict[str, list[int]] = {}
        for place, (candidate, reference) in enumerate(pairs):
            if texts.tokens[candidate] and texts.tokens[reference]:
                places.setdefault(candidate, []).append(place)
        wanted = {pairs[place][1] for rows in places.values() for place in rows}
        known = self._embed(sorted(wanted), texts)
        others = sorted(set(places) - wanted)
        chunks = [others[start : start + _HELD] for start in range(0, len(others), _HELD)]
        for chunk in [sorted(set(places) & wanted), *chunks]:
            here = {text: known[text] for text in chunk if text in known}
            here |= self._embed([text for text in chunk if text not in known], texts)
            rows = [place for text in chunk for place in places[text]]
            for alike in _alike(rows, pairs, here, known):
                scores[alike] = _matched(
                    [here[pairs[row][0]] for row in alike], [known[pairs[row][1]] for row in alike]
                )
        return scores

    def _embed(self, sentences: Sequence[str], texts: _Texts) -> dict[str, tuple[_Embedded, int]]:
        """Every sentence's place in a block of sentences with as many tokens."""
        import torch

        found: dict[str, tuple[_Embedded, int]] = {}
        ordered = sorted(sentences, key=lambda text: len(texts.tokens[text]))
        for batch in _batches(ordered, texts):
            tokens = torch.tensor([texts.tokens[text] for text in batch])
            with torch.inference_mode():
                states = self._network(input_ids=tokens, attention_mask=torch.ones_like(tokens))[0]
                vectors = states / states.norm(dim=-1, keepdim=True)
            weights = torch.ones(tokens.shape)
            for special in (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id):
                weights[tokens == special] = 0
            weights /= weights.sum(dim=1, keepdim=True)
            block = _Embedded(vectors, weights)
            found |= {text: (block, row) for row, text in enumerate(batch)}
        return found

    @cached_property
    def tokenizer(self) -> Any:
        """The model's tokenizer, which knows how long a text it reads."""
        from transformers import AutoTokenizer

        made = load_pretrained(
            AutoTokenizer.from_pretrained, self.model, "main", setting=self.setting
        )
        positions = getattr(self._network.config, "max_position_embeddings", None)
        if positions and made.model_max_length > positions:
            made.model_max_length = positions
        return made

    @cached_property
    def _network(self) -> Any:
        from transformers import AutoModel

        loaded = load_weights(
            AutoModel.from_pretrained, self.model, "main", setting=self.setting, spare=("pooler",)
        )
        _cut(loaded, self.layers, f"{self.setting}={self.model}")
        return loaded.requires_grad_(False).eval()

    @property
    def _baseline_file(self) -> Path:
        import bert_score

        folder = Path(bert_score.__file__).parent / "rescale_baseline" / "en"
        return folder / f"{self.model}.tsv" if not Path(self.model).is_dir() else folder / "none"

    def _rescaled(self, f1: Floats) -> Floats | None:
        if self.no_baseline:
            return None
        with self._baseline_file.open(encoding="utf-8", newline="") as file:
            rows = {int(row["LAYER"]): float(row["F"]) for row in csv.DictReader(file)}
        baseline = rows[self.layers]
        return np.asarray((f1 - baseline) / (1 - baseline), np.float32)


@dataclass(frozen=True, eq=False)
class _Texts:
    """Distinct texts: their tokens, none where empty, and those that are truncated."""

    tokens: dict[str, list[int]]
    long: frozenset[str]

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]] | dict[tuple[str, str], int],
           scorer: BertScorer) -> _Texts:  # fmt: skip
        from bert_score.utils import sent_encode

        tokenizer = scorer.tokenizer
        tokens: dict[str, list[int]] = {}
        long = []
        for text in dict.fromkeys(text for pair in pairs for text in pair):
            tokens[text] = sent_encode(tokenizer, text) if text.strip() else []
            if len(tokens[text]) >= tokenizer.model_max_length:
                whole = tokenizer.encode(text.strip(), add_special_tokens=True, verbose=False)
                if len(whole) > len(tokens[text]):
                    long.append(text)
        return cls(tokens, frozenset(long))


def _cut(network: Any, layers: int, name: str) -> None:
    """Drop the layers above the one whose output is compared, as bert-score does."""
    from torch.nn import ModuleList

    for owner in ("encoder", "transformer"):  # BERT and RoBERTa; DistilBERT
        part: Any = getattr(network, owner, None)
        if part is not None and isinstance(getattr(part, "layer", None), ModuleList):
            if layers > len(part.layer):
                raise UserError(f"{name} has {len(part.layer)} layers; num_layers={layers}.")
            part.layer = part.layer[:layers]
            return
    raise UserError(
        f"{name} is a {type(network).__name__}; BERT, RoBERTa, DistilBERT and models built like "
        "them can be used for BERTScore."
    )


def _batches(ordered: Sequence[str], texts: _Texts) -> Iterator[list[str]]:
    """Neighbours with equally many tokens, as many as the model is given at once."""
    batch: list[str] = []
    for text in ordered:
        length = len(texts.tokens[text])
        if batch and (length != len(texts.tokens[batch[0]]) or (len(batch) + 1) * length > _TOKENS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


Place = tuple[_Embedded, int]


def _alike(
    rows: Sequence[int], pairs: Sequence[tuple[str, str]],
    candidates: dict[str, Place], references: dict[str, Place],
) -> Iterator[list[int]]:  # fmt: skip
    """Pairs whose candidates are in one block and references in another, as many as fit."""
    buckets: dict[tuple[int, int], list[int]] = {}
    for row in rows:
        candidate, reference = pairs[row]
        key = (id(candidates[candidate][0]), id(references[reference][0]))
        buckets.setdefault(key, []).append(row)
    for bucket in buckets.values():
        one = candidates[pairs[bucket[0]][0]][0].vectors
        other = references[pairs[bucket[0]][1]][0].vectors
        step = max(1, _PAIRS // max(one[0].numel(), other[0].numel()))
        for start in range(0, len(bucket), step):
            yield bucket[start : start + step]


def _matched(candidates: Sequence[Place], references: Sequence[Place]) -> Floats:
    """Precision, recall and F1 `[pairs, 3]` of pairs from one block each."""
    import torch

    (one, other) = candidates[0][0], references[0][0]
    here = torch.tensor([row for _, row in candidates])
    there = torch.tensor([row for _, row in references])
    with torch.inference_mode():
        alike = torch.bmm(one.vectors[here], other.vectors[there].transpose(1, 2))
        precision = (alike.amax(dim=2) * one.weights[here]).sum(dim=1)
        recall = (alike.amax(dim=1) * other.weights[there]).sum(dim=1)
        f1 = 2 * precision * recall / (precision + recall)
        scores = torch.stack([precision, recall, torch.nan_to_num(f1)], dim=1)
    return np.asarray(scores.numpy(), np.float32)
