"""From the command line to objects: compose, check, build; every fault of it reported at once."""
