"""From embeddings and labels to fitted heads: all seeds trained side by side."""
