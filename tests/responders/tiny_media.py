"""Tiny random models of the classes of the presets, saved as a hub keeps them.

Every file of a repository is there: configuration, weights, tokenizer, processor, chat template. A
second of sound is a hundred frames, an image of 28 pixels four patches.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

WORDS = ["what", "is", "heard", "in", "the", "recording", "?", "cough", "wheeze", "yes", "no", "a",
         "dry", "wet", "user", "system", "assistant", *(f"w{n}" for n in range(30))]  # fmt: skip
RATE = 16_000
SPREAD = 0.6  # of weights: wide enough that what is heard changes what is said
TEXT = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024,
        "initializer_range": SPREAD}  # fmt: skip
_VISION = {"model_type": "siglip_vision_model", "hidden_size": 16, "intermediate_size": 32,
           "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 28,
           "vision_use_head": False, "initializer_range": SPREAD}  # fmt: skip


def _chat(**marks: str) -> str:
    """A template of parts, as multimodal ones are; a string in their place is an error."""
    media = "".join(
        f"{{% if part['type'] == '{kind}' %}}{marks[kind]}{{% endif %}}" for kind in marks
    )
    return (
        "{% for message in messages %}<|im_start|>{{ message['role'] }} "
        f"{{% for part in message['content'] %}}{media}"
        "{% if part['type'] == 'text' %}{{ part['text'] }}{% endif %}{% endfor %}<|im_end|>"
        "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
    )


def _tokenizer(*marks: str, **named: str) -> Any:
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<unknown>", "<|im_start|>", "<|im_end|>", *marks, *named.values()]
    words = models.WordLevel(
        {w: i for i, w in enumerate([*special, *WORDS])}, unk_token="<unknown>"
    )
    tokenizer = Tokenizer(words)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens([AddedToken(mark, special=True) for mark in special])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<pad>",
        unk_token="<unknown>", extra_special_tokens=named,
    )  # fmt: skip


def _extractor(chunk_s: int) -> Any:
    from transformers import WhisperFeatureExtractor

    return WhisperFeatureExtractor(feature_size=16, chunk_length=chunk_s, sampling_rate=RATE,
                                   return_attention_mask=True)  # fmt: skip


def _qwen2(tokenizer: Any) -> dict[str, Any]:
    return {"model_type": "qwen2", "vocab_size": len(tokenizer), **TEXT}


def _save(folder: Path, processor: Any, network_class: Any, config: Any) -> Path:
    """Write everything; the publisher samples, as most do."""
    from transformers import GenerationConfig

    processor.save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = network_class(config)
        if "gemma" in config.model_type:
            _stir(network)
    network.generation_config = GenerationConfig(
        eos_token_id=processor.tokenizer.eos_token_id, pad_token_id=0, do_sample=True,
        temperature=5.0, repetition_penalty=2.0,
    )  # fmt: skip
    network.save_pretrained(folder)
    return folder


def _stir(network: Any) -> None:
    """Let a Gemma see from the beginning, and say other things than the last word again."""
    torch.manual_seed(1)
    for name, weight in network.named_parameters():
        if "language_model" in name and "norm" in name:
            torch.nn.init.normal_(weight, std=3.0)
        if "embed_tokens" in name:
            torch.nn.init.normal_(weight, std=0.1)
        if "projection" in name:
            torch.nn.init.normal_(weight)


def qwen2_audio(folder: Path) -> Path:
    """Hears two seconds; its chat template is the class's own."""
    from transformers import (
        Qwen2AudioConfig,
        Qwen2AudioForConditionalGeneration,
        Qwen2AudioProcessor,
    )

    tokenizer = _tokenizer("<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>")
    tower = {"model_type": "qwen2_audio_encoder", "num_mel_bins": 16, "encoder_layers": 2,
             "encoder_attention_heads": 2, "encoder_ffn_dim": 32, "d_model": 16,
             "max_source_positions": 100, "initializer_range": SPREAD}  # fmt: skip
    config = Qwen2AudioConfig(
        audio_config=tower, text_config=_qwen2(tokenizer),
        audio_token_index=tokenizer.convert_tokens_to_ids("<|AUDIO|>"),
    )  # fmt: skip
    processor = Qwen2AudioProcessor(_extractor(2), tokenizer)
    return _save(folder, processor, Qwen2AudioForConditionalGeneration, config)


def audio_flamingo_3(folder: Path) -> Path:
    """Hears six seconds in windows of two."""
    from transformers import (
        AudioFlamingo3Config,
        AudioFlamingo3ForConditionalGeneration,
        AudioFlamingo3Processor,
    )

    tokenizer = _tokenizer("<sound>")
    tower = {"model_type": "audioflamingo3_encoder", "num_mel_bins": 16, "num_hidden_layers": 2,
             "num_attention_heads": 2, "intermediate_size": 32, "hidden_size": 16,
             "max_source_positions": 100, "initializer_range": SPREAD}  # fmt: skip
    config = AudioFlamingo3Config(
        audio_config=tower, text_config=_qwen2(tokenizer),
        audio_token_id=tokenizer.convert_tokens_to_ids("<sound>"),
    )  # fmt: skip
    processor = AudioFlamingo3Processor(
        _extractor(2), tokenizer, chat_template=_chat(audio="<sound>"), max_audio_len=6
    )
    return _save(folder, processor, AudioFlamingo3ForConditionalGeneration, config)


def qwen2_5_omni(folder: Path) -> Path:
    """Hears four seconds, sees, and speaks: with talker and vocoder, as it is published."""
    from transformers import (
        Qwen2_5OmniConfig,
        Qwen2_5OmniForConditionalGeneration,
        Qwen2_5OmniProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
    )

    marks = {"image_token": "<|IMAGE|>", "audio_token": "<|AUDIO|>", "video_token": "<|VIDEO|>",
             "vision_bos_token": "<|vision_bos|>", "vision_eos_token": "<|vision_eos|>",
             "audio_bos_token": "<|audio_bos|>", "audio_eos_token": "<|audio_eos|>"}  # fmt: skip
    tokenizer = _tokenizer(**marks)
    places = {name: tokenizer.convert_tokens_to_ids(mark) for name, mark in marks.items()}
    config = Qwen2_5OmniConfig(**_omni(len(tokenizer), places))
    processor = Qwen2_5OmniProcessor(
        Qwen2VLImageProcessor(size={"shortest_edge": 56 * 56, "longest_edge": 112 * 112}),
        Qwen2VLVideoProcessor(), _extractor(4), tokenizer,
        chat_template=_chat(audio="<|audio_bos|><|AUDIO|><|audio_eos|>",
                            image="<|vision_bos|><|IMAGE|><|vision_eos|>"),
    )  # fmt: skip
    return _save(folder, processor, Qwen2_5OmniForConditionalGeneration, config)


def _omni(words: int, places: Mapping[str, int]) -> dict[str, Any]:
    turning = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [1, 1, 2]}
    marks = {f"{kind}_token_index": places[f"{kind}_token"] for kind in ("audio", "image", "video")}
    thinker = {
        "audio_config": {"num_mel_bins": 16, "encoder_layers": 2, "encoder_attention_heads": 2,
                         "encoder_ffn_dim": 32, "d_model": 16, "max_source_positions": 100,
                         "output_dim": 32, "n_window": 25, "initializer_range": SPREAD},
        "vision_config": {"depth": 2, "hidden_size": 16, "intermediate_size": 32, "num_heads": 2,
                          "out_hidden_size": 32, "fullatt_block_indexes": [1], "window_size": 56,
                          "initializer_range": SPREAD},
        "text_config": {**TEXT, "vocab_size": words, "rope_parameters": turning},
        "initializer_range": SPREAD,
        "audio_start_token_id": places["audio_bos_token"],
        "audio_end_token_id": places["audio_eos_token"],
        "vision_start_token_id": places["vision_bos_token"],
        "vision_end_token_id": places["vision_eos_token"],
        **marks,
    }  # fmt: skip
    talker = {"vocab_size": 40, "embedding_size": 32, "hidden_size": 16, "intermediate_size": 16,
              "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1,
              "head_dim": 8, "rope_parameters": turning, **marks}  # fmt: skip
    diffusion = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "emb_dim": 8,
                 "head_dim": 8, "num_embeds": 20, "mel_dim": 8, "enc_emb_dim": 4, "enc_dim": 8,
                 "enc_channels": [8, 8, 8, 8, 24], "enc_attention_channels": 4,
                 "enc_se_channels": 4, "look_ahead_layers": [0],
                 "look_backward_layers": [0]}  # fmt: skip
    vocoder = {"mel_dim": 8, "upsample_initial_channel": 64}
    return {"thinker_config": thinker, "talker_config": talker,
            "token2wav_config": {"dit_config": diffusion, "bigvgan_config": vocoder}}  # fmt: skip


def llava_onevision(folder: Path) -> Path:
    """Sees an image in tiles of 28 pixels, as many as its shape wants."""
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessor,
        LlavaOnevisionProcessor,
        LlavaOnevisionVideoProcessor,
    )

    tokenizer = _tokenizer("<image>", "<video>")
    shapes = [[28, 28], [28, 56], [56, 28], [56, 56]]
    side = {"height": 28, "width": 28}
    config = LlavaOnevisionConfig(
        vision_config={**_VISION, "patch_size": 14},
        text_config=_qwen2(tokenizer),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_index=tokenizer.convert_tokens_to_ids("<video>"), image_grid_pinpoints=shapes,
    )  # fmt: skip
    processor = LlavaOnevisionProcessor(
        LlavaOnevisionImageProcessor(size=side, image_grid_pinpoints=shapes), tokenizer,
        LlavaOnevisionVideoProcessor(size=side), num_image_tokens=4,
        vision_feature_select_strategy="full", chat_template=_chat(image="<image>"),
    )  # fmt: skip
    return _save(folder, processor, LlavaOnevisionForConditionalGeneration, config)


def medgemma(folder: Path) -> Path:
    """Sees an image of 28 pixels as four tokens."""
    from transformers import (
        Gemma3Config,
        Gemma3ForConditionalGeneration,
        Gemma3ImageProcessor,
        Gemma3Processor,
    )

    marks = {"image_token": "<image_soft_token>", "boi_token": "<start_of_image>",
             "eoi_token": "<end_of_image>"}  # fmt: skip
    tokenizer = _tokenizer(**marks)
    place = tokenizer.convert_tokens_to_ids
    config = Gemma3Config(
        vision_config={**_VISION, "patch_size": 7},
        text_config={**_qwen2(tokenizer), "model_type": "gemma3_text", "head_dim": 8},
        mm_tokens_per_image=4, image_token_index=place(marks["image_token"]),
        boi_token_index=place(marks["boi_token"]), eoi_token_index=place(marks["eoi_token"]),
    )  # fmt: skip
    processor = Gemma3Processor(
        Gemma3ImageProcessor(size={"height": 28, "width": 28}), tokenizer, image_seq_length=4,
        chat_template=_chat(image="<start_of_image>"),
    )  # fmt: skip
    return _save(folder, processor, Gemma3ForConditionalGeneration, config)


TINY = {
    "qwen2_audio": qwen2_audio,
    "qwen2_5_omni": qwen2_5_omni,
    "audio_flamingo_3": audio_flamingo_3,
    "llava_onevision": llava_onevision,
    "medgemma": medgemma,
}
"""What makes a tiny model of each preset."""
