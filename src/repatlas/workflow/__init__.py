"""The workflow: what a config asks for, and the stages that make it."""
