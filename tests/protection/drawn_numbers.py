"""Is what figures draw what their tables say? Lines, bands and bars, and their colours.

    python tests/protection/drawn_numbers.py check RESULTS
    python tests/protection/drawn_numbers.py plant RESULTS

`check` draws every figure from its table in RESULTS. So that there are bands and bars, the table
gets made-up values of eight networks. The exit code is 1 if a number that is drawn is not in the
table. `plant` shifts a band, exchanges two colours, and moves an interval. The exit code is 1 if
one of these faults is not seen.
"""

import sys
from itertools import chain, permutations
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex

from repatlas.artifacts.files import read_table
from repatlas.config.config import COLOURS
from repatlas.figures.columns import with_all_columns
from repatlas.inference.intervals import median_interval
from repatlas.inference.pooling import FOUND, not_diverged
from repatlas.named import named
from repatlas.plots.style import Style, applied

TOLERANCE = 1e-6
NUMBERS = ["value", "low", "high"]
ACTIVATIONS = {to_hex(colour): name for name, colour in COLOURS.items()}


POOLED = {
    "convergence/figC2": ["layer"],
    "convergence/figC9": ["unit", "variant"],
    "structure/fig04C": ["pairing", "run"],
    "structure/figS4": ["run", "alignment", "targets", "clusters", "participation_ratio"],
    "structure/figS6": ["pairing", "run"],
    "structure/fig07C": ["neuron"],
}
"""Columns over which the numbers of a figure are averages, by study and figure."""
DIFFERENCES = {"structure/fig04C", "structure/fig06"}
"""Figures with differences between activations that their table does not have."""
SHOWN_AS = {
    "convergence/figC5": lambda value: 100 * value,  # points of accuracy
    "convergence/figC6": lambda value: 1 - value,  # on a logarithmic axis
    "convergence/figC9": lambda value: 1 - value,
    "gating/figS7": lambda value: 1 - value,
}
"""What a figure shows instead of the values of its table."""
OTHERS = {
    **{"convergence/figC1": 4, "convergence/figC2": 15, "convergence/figC3": 6},
    **{"convergence/figC5": 10, "convergence/figC6": 19, "convergence/figC10": 4},
    **{"gating/fig04": 24, "gating/fig05": 2, "gating/fig06": 2, "gating/figS1": 1},
    **{"structure/fig01": 1, "structure/fig02": 6, "structure/fig03": 6, "structure/fig04": 6},
    **{"structure/fig04C": 5, "structure/fig06": 3, "structure/fig10": 2, "structure/figS4": 39},
    "structure/figS7": 2,
}
"""How many artists of a figure have other numbers: theory, diagonals, ratios, sums over units."""


def strangers(figure, known):
    """Return the artists of a figure with a number that its table does not have. known: the numbers
    of its rows, by activation.

    They are values of rows, ends of intervals, or means,
    medians, deviations and intervals over the networks of equal rows. In the colour of an
    activation they are of rows about it.
    """
    found = []
    for number, ax in enumerate(figure.axes):
        for artist, colour, places in artists(ax):
            about = known[ACTIVATIONS.get(to_hex(colour))]
            # Where positions go down, numbers go to the right.
            if not are_in(places[:, 0 if ax.yaxis_inverted() else 1], about):
                found.append((number, artist, to_hex(colour), places))
    return found


def artists(ax):
    """Yield each artist with data, its colour, and its finite points (n, 2)."""
    if not ax.axison or ax.get_aspect() != "auto":  # places in a plane, and no numbers
        return
    for line in ax.lines:
        is_seen = line.get_linestyle() != "None" or line.get_marker() not in ("None", "", None)
        if is_seen and ax.transData in (line.get_transform(), *_parts(line.get_transform())):
            yield from _finite(line, line.get_color(), line.get_xydata())
    for each in ax.collections:
        if isinstance(each, LineCollection | PolyCollection):
            colours = np.concatenate([each.get_edgecolor(), each.get_facecolor()])
            points = [path.vertices for path in each.get_paths()]
            if len(points) and len(colours):
                yield from _finite(each, colours[0], np.concatenate(points))
    for bar in chain.from_iterable(ax.containers):
        if hasattr(bar, "get_height"):
            top = bar.get_y() + bar.get_height()
            yield from _finite(bar, bar.get_facecolor(), [[np.inf, top], [bar.get_x(), top]])


def _parts(transform):
    return (getattr(transform, "_a", None), getattr(transform, "_b", None))


def _finite(artist, colour, points):
    points = np.asarray(points, dtype=float)
    points = points[np.isfinite(points).all(axis=1)]
    if len(points):
        yield artist, colour, points


def are_in(numbers, known):
    at = np.clip(np.searchsorted(known, numbers), 1, len(known) - 1)
    nearest = np.minimum(np.abs(known[at] - numbers), np.abs(known[at - 1] - numbers))
    return bool((nearest <= TOLERANCE * np.maximum(1, np.abs(numbers))).all())


def numbers_of(table, name, activation=None):
    """Return the numbers that rows about an activation, or all rows, have, in ascending order."""
    rows = not_diverged(table)
    if name in DIFFERENCES:
        rows = pd.concat([rows, _differences(rows, name)], ignore_index=True)
    if activation is not None:
        own = rows["activation"].eq(activation) | rows["network"].eq(activation)
        rows = rows[own & rows["other_activation"].fillna(activation).eq(activation)]
    if name in SHOWN_AS:
        shown = rows.assign(**{each: SHOWN_AS[name](rows[each]) for each in NUMBERS})
        rows = pd.concat([rows.assign(shown=False), shown.assign(shown=True)])
    told = [each for each in rows if each not in FOUND and rows[each].notna().any()]
    found = [rows[each].to_numpy(float) for each in NUMBERS if each in rows]
    found += _over_networks(rows, told)
    if pooled := POOLED.get(name):
        told = [each for each in told if each not in pooled]
        found += _over_networks(rows, told)
        means = rows.groupby([*told, "seed"], dropna=False)["value"].mean().reset_index()
        found += [means["value"].to_numpy(float), *_over_networks(means, told)]
    if "sd" in rows:
        found += [(rows["value"] + way * rows["sd"]).to_numpy(float) for way in (-1, 1)]
    known = np.unique(np.concatenate([*found, [-1.0, 0.0, 1.0]]))
    return known[np.isfinite(known)]


def _differences(rows, name):
    """Return the difference of two activations for each pair of networks of one seed."""
    rows = rows[rows["run"].notna() & rows["contrast"].isna()]
    shown = [*POOLED.get(name, []), "run", "activation"]
    by = [each for each in rows if each not in {*FOUND, *shown} and rows[each].notna().any()]
    wide = rows.pivot_table(index=[*by, "seed"], columns="activation", values="value", dropna=False)
    parts = [
        (wide[one] - wide[other])
        .rename("value")
        .reset_index()
        .assign(activation=one, against=other)
        for one, other in permutations(wide.columns, 2)
    ]
    return pd.concat(parts).dropna(subset="value")


def _over_networks(rows, told):
    found = []
    for _, values in rows.groupby(told, dropna=False)["value"]:
        values = values.dropna().to_numpy(float)
        if len(values) > 1:
            mean, sd = values.mean(), values.std(ddof=1)
            found += [[mean, mean - sd, mean + sd], median_interval(values)]
    return found


def with_networks(table, number=8):
    """Return the table of a preview as of more networks: made-up values, and intervals."""
    of_networks = table["seed"].notna() & table["run"].notna()
    seeds = table[of_networks].groupby("measure")["seed"].nunique()
    of_all = set(seeds[seeds == seeds.max()].index)  # others are of one network, as an example
    of_networks &= table["measure"].isin(of_all)
    first = table[of_networks & (table["seed"] == table.loc[of_networks, "seed"].min())]
    rest = table[~of_networks].copy()
    scale = 0.02 * rest["value"].abs() + 0.001
    for name, way in (("low", -1), ("high", 1)):
        rest[name] = rest[name].fillna(rest["value"] + way * scale)
    if "sd" in rest:
        rest["sd"] = rest["sd"].fillna(2 * scale)
    draws = np.random.default_rng(0).random((number, len(first)))
    copies = [
        first.assign(seed=seed, value=first["value"] * (1 - 0.05 * draw))
        for seed, draw in enumerate(draws)
    ]
    return pd.concat([*copies, rest], ignore_index=True)


def planted(figure, found):
    """Yield the name of each fault while the figure has it. found: the artists to leave alone."""
    others = {artist for _, artist, *_ in found}
    parts = [[part for part in artists(ax) if part[0] not in others] for ax in figure.axes]
    for name, kind in (("band", PolyCollection), ("interval", LineCollection)):
        of_kind = [each for part in parts for each, *_ in part if isinstance(each, kind)]
        for artist in of_kind[:1]:
            paths = artist.get_paths()
            before = [path.vertices for path in paths]
            for path in paths:
                path.vertices = path.vertices + 0.0137
            yield name
            for path, vertices in zip(paths, before, strict=True):
                path.vertices = vertices
    for part in parts:
        lines = {ACTIVATIONS.get(to_hex(colour)): each for each, colour, _ in part
                 if hasattr(each, "get_xydata")}  # fmt: skip
        for one, other in permutations(lines.keys() - {None}, 2):
            pair = lines[one], lines[other]
            if pair[0].get_xydata().tolist() != pair[1].get_xydata().tolist():
                before = [line.get_color() for line in pair]
                for line, colour in zip(pair, before[::-1], strict=True):
                    line.set_color(colour)
                yield "colour"
                for line, colour in zip(pair, before, strict=True):
                    line.set_color(colour)
                return


def drawn(results):
    """Yield each figure, its name, and its table."""
    for path in sorted(results.glob("*/tables/*.parquet")):
        study, name = path.parts[-3], path.stem
        header, table = read_table(path, "table")
        job = header["job"]
        table = with_networks(with_all_columns(table).to_pandas())
        with applied(style := Style(COLOURS, 5.5, 7.0, False, job.get("step"))):
            module = named(f"studies.{study}", job.get("draw", name))
            yield module.draw(table, style), f"{study}/{name}", table


def main(command, results):
    failed = []
    for figure, name, table in drawn(Path(results)):
        known = {activation: numbers_of(table, name, activation) for activation in (None, *COLOURS)}
        found = strangers(figure, known)
        if command == "check" and len(found) != OTHERS.get(name, 0):
            failed.append(name)
            print(f"{name}: {len(found)} artists, expected {OTHERS.get(name, 0)}")
            for panel, artist, colour, points in found:
                print(f"    panel {panel}: {type(artist).__name__} {colour} {points[0]}")
        for fault in planted(figure, found) if command == "plant" else ():
            seen = len(strangers(figure, known)) > len(found)
            print(f"{name}: {fault} {'seen' if seen else 'NOT SEEN'}")
            failed += [] if seen else [name]
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
