"""What a config implies: the jobs, what each depends on, and the places of their files."""
