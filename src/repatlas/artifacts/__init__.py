"""Results as files: what a job is asked for, where its file lies, and what it says of itself."""
