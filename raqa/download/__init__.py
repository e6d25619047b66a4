"""Fetching files from web servers and unpacking archives, safely and in spite of interruptions."""
