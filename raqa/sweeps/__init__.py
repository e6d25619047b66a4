"""Recipes: the runs of a table or figure, what of them is missing, and running that."""
