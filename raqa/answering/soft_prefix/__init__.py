"""Audio as vectors before a question, which a language model then answers (CaReAQA's way)."""
