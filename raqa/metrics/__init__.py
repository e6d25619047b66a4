"""Numbers from predictions, with intervals."""
