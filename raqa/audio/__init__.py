"""Decode, resample, clip to length: files in, waveforms with their rate out."""
