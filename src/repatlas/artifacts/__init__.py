"""Results as files: what a job is asked for, where its file lies, what it says of itself and by which code."""
