"""What is refused because of something that a user gave and can change."""


class Refused(ValueError):
    """A key, a file or an option that cannot be used. The message is one sentence for each: what it
    is, what was found and what is allowed. Any other exception from here is a bug of ours."""
