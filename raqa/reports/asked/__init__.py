"""What reports say of runs that asked models which others trained."""
