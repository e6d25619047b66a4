"""Pengi (Deshmukh et al. 2023, arXiv 2305.11834), configuration "base", as it was published.

`model.Pengi` hears seven seconds, reads a prompt and writes a text: a frozen GPT-2 continues 40
vectors made of the audio and 40 made of the prompt.
"""
