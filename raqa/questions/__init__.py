"""Questions and answers about recordings: templates, generation, the collection on disk."""
