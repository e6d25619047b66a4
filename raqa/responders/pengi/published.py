"""Where Pengi's checkpoint and tokenizers are published."""

from __future__ import annotations

from raqa.encoders.published import Published
from raqa.encoders.sources import WebFile

RECORD = "https://zenodo.org/records/8387083"

CLIP = "openai/clip-vit-base-patch16"
GPT2 = "openai-community/gpt2"

HOW_TO_GET = (
    f"`raqa weights fetch pengi` fetches base.pth (2.2 GB; its terms are on {RECORD}), or download "
    "it there and give the file. base_no_text_enc.pth is another model."
)

PENGI = Published(
    name="pengi",
    title="Pengi (base)",
    source=WebFile(f"{RECORD}/files/base.pth?download=1", "pengi/base.pth"),
    licence="2.2 GB. The terms are on the page of the record; the authors' code is MIT.",
    licence_page=RECORD,
    setting="responder.checkpoint",
    otherwise="",
)
