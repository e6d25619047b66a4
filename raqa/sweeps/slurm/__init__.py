"""Recipes on a Slurm cluster: submit, see how far they are, go on after any interruption.

What is submitted stands in a folder beside the runs; every job reads it there. Nothing waits on the
login node, and all that `raqa status` says is read from that folder, the runs and Slurm itself.
"""
