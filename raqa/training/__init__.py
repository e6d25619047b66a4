"""Fit heads with Lightning, all seeds side by side."""
