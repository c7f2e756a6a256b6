"""Start Snakemake so that Ctrl-C ends it in one line, with exit code 130.

This file is run by its path, since the Snakefile decides which repatlas is imported."""

import signal
import sys


def main() -> None:
    """Run Snakemake with the arguments of this process."""
    interrupts = []

    def interrupt(number, frame):
        interrupts.append(number)
        signal.default_int_handler(number, frame)

    # A shell's background jobs ignore interrupts.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from snakemake.cli import main

        main()
    except KeyboardInterrupt:
        pass
    except SystemExit as ended:
        if not (interrupts and ended.code):
            raise
    print("Interrupted: the same command continues", file=sys.stderr)
    sys.exit(130)


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file, which has modules of other programs' names
    sys.argv[0] = "snakemake"
    main()
