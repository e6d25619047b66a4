"""`raqa prepare`: what is openly downloadable of a corpus, fetched into its folder."""
