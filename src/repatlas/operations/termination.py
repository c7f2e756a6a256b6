"""A workflow that is asked to end, ends."""

import signal
import threading


def run_sigterm_handler_in_thread() -> None:
    """Let the present handler of SIGTERM run in a separate thread. Snakemake's handler takes a
    lock that the main thread often holds. Python calls handlers in the main thread, where this one
    would then wait for ever (JobScheduler.exit_gracefully, Snakemake 9.27)."""
    handler = signal.getsignal(signal.SIGTERM)
    signal.signal(
        signal.SIGTERM, lambda *received: threading.Thread(target=handler, args=received).start()
    )
