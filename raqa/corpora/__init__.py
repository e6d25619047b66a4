"""One file per corpus: the official download in, recordings out."""
