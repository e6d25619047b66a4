"""From the cells of a recipe to the paper's table or figure: numbers, statistics, texts, files."""
