"""compare: similarities of pairs, of networks or of representations in files, one row each."""

from repatlas.artifacts.jobs import kind_of_comparison
from repatlas.named import named
from repatlas.stages.job import stage_parser


def main(arguments: list[str]) -> None:
    known, _ = stage_parser(__doc__).parse_known_args(arguments)
    named("stages", f"compare_{kind_of_comparison(known.job)}").main(arguments)
