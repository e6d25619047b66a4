"""Questions about recordings and their answers: made, chosen, checked."""
