"""What is fitted on top of embeddings."""
