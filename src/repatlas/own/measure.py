"""Measures of one representation, each by the estimator that is right for its rows."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from repatlas.geometry.balanced import at_least
from repatlas.geometry.scaling import Scale, refuse_scale
from repatlas.geometry.svm import few_fits_by_numpy
from repatlas.geometry.threads import on_one_thread
from repatlas.named import named, names
from repatlas.own.annotated import columns_of, rows_of
from repatlas.own.arguments import as_measures, in_words
from repatlas.own.labels import Variables, labelled
from repatlas.own.progress import doing, progress
from repatlas.own.result import NULLS, DataFrame, Result, explained, frame
from repatlas.own.trials import Conditions, Drawn, Features, Fits, Rows, Trials

PACKAGE = "own.measures"
COLUMNS = ["measure", "about", "value", "low", "high", "chance", "p", "p_geometry", "n", "of"]
COLUMNS += ["how", "reason"]


@on_one_thread
@progress("measure")
def measure(
    samples: ArrayLike,
    labels: Any,
    rows: Rows,
    variables: Variables = None,
    measures: str | Sequence[str] = (
        "alignment",
        "decoding",
        "ccgp",
        "parallelism",
        "dimensionality",
    ),
    features: Features | None = None,
    conditions: Conditions | None = None,
    draws: int = 199,
    seed: int = 0,
    folds: int = 5,
    resamples: int | None = None,
    least: int | None = None,
    scale: Scale = "rms",
    blocks: ArrayLike | None = None,
) -> DataFrame:
    """Return the geometry of a representation, with intervals, chance levels and p values.

    samples: (m, n), a row for each item or trial, a column for each unit; labels: (m, k), the
    values that k variables had in each row, numbers or strings, as an array, a data frame, a series
    or a mapping from names to columns. Rows of data frames and series are matched by their index:
    samples and labels must have the same names, each once, in any order. If only one of them is an
    array, rows are matched by position, and the index must count from 0. Tensors of torch may be on
    a GPU. samples may be an AnnData; labels and blocks are then names of columns of its obs, or as
    above.
    variables: the columns that count; as a mapping also the values that count, such as
    {"side": ["left", "right"]}. The conditions are the combinations of values.
    rows="items": each row is another item without noise, such as an image in a network.
    rows="trials": rows of a condition are repeats with independent noise, such as the trials of a
    recording.
    features: "all" if there are no other units, as in a layer, or "sample" if some neurons were
    recorded. None means "all" for items and "sample" for trials.
    conditions: for the dimensionality of trials, "all" if there are no other conditions, as the
    combinations of a design, or "sample" of more, such as natural images. None means "sample" for
    the values of one variable if they are 12 or more, and otherwise "all".

    measures: one or several names from this list. A measure of variables has a row in the result
    for each variable.
    "alignment": the debiased kernel alignment of items with the variable's values (one-hot), and
    the jackknife's interval over items. For trials it is the alignment of the conditions' means.
    Chance is 0. p permutes items, a random 1000 if there are more. Of 3 to 7 items or conditions it
    is the plain alignment. Its chance is exact, and p is 1 / (number of orders) at least.
    "decoding": balanced_decoding, cross-validated in `folds`; "ccgp": balanced_ccgp. Both draw
    equal numbers of rows `resamples` times. None means 10 times if conditions have unequal numbers,
    and otherwise once. p is from one draw of the data and of each null. Chance is 0.5.
    "parallelism": corrected_parallelism_score. If each condition has 6 rows or more, it has the
    jackknife's interval over rows. If each condition has one row, it is the plain score. Chance is
    0. The value is nan if its coding vectors are no longer than noise may make them; p is given
    anyway.
    "dimensionality": corrected_participation_ratio of items, with the jackknife's interval over
    items, or over items and features. Of trials it is participation_ratio_of_conditions, or
    participation_ratio_of_halves if the conditions are a sample, with its interval over conditions.
    It has no p, but is nan for trials in which nothing is coded.
    "collapse": neural collapse onto the values of each variable, in several rows: within_share, nc1
    and, of three values or more, nc2_norms and nc2_angles. All are 0 for complete collapse. For
    trials the noise of single trials is within the values. Chance is the mean over shuffled labels,
    and p is small if there is less variance within the values than by chance. NC3 and NC4 need the
    readout of a network; neural_collapse computes them.
    p: the p value of the null hypothesis that nothing is coded, from shuffled labels
    (shuffle_null). p_geometry: the p value of the null hypothesis that as much is coded in random
    directions (geometric_null, Bernardi et al. 2020). For parallelism both compare the plain score.
    draws: the number of draws of each null, so that p is 1 / (draws + 1) at least; 0 leaves out p.
    seed: the same seed gives the same numbers.

    least: the fewest rows of a condition in decoding, ccgp and parallelism. Conditions with fewer
    rows are left out, and the reason names them. None means as few as each measure needs: `folds`
    for decoding and, for trials, 2 for ccgp and parallelism. Draws of equal numbers are as small as
    the rarest condition. If they leave out more than half of the rows, the reason says so.

    scale: how decoders see the features. "rms" divides all by one number, so that distances keep
    their ratios. "features" divides each by its standard deviation in the fitted rows: use it if
    features have different units. The reason names features that have nearly all of the variance.
    None leaves them as they are.

    blocks: (m,), the run, session or film of each row, as numbers or names. Give blocks if rows of
    one block are not independent, such as trials in the drift of a run. Folds of decoding and ccgp
    then hold out whole blocks, and the jackknife leaves out whole blocks. Shuffles for p move the
    labels of whole blocks, in their order, to other blocks of the same number of rows. Parallelism
    takes the noise from the means of a condition in different blocks. Dimensionality takes halves
    from different blocks. If blocks allow no p value, the reason says why. Alignment of trials
    permutes conditions.

    The result has a row for each number. Its columns are measure, about (the variable), value, low
    and high (the 95 % interval), chance, p, p_geometry, n, how (the estimator) and reason. The
    reason says why there is no value, or no interval, what was left out, and why an interval and a
    p value may seem to disagree. For example, ccgp of a
    single variable has the value nan and a reason. The column n has the number of rows, conditions
    or items that the number is computed from; for decoders it is the rows of one draw. plot_nulls
    shows the draws of the nulls, which are in the table's attribute "nulls".
    Raises ValueError for malformed input: samples that are not finite, or labels of another number.

    Two variables on two axes of a population, in 400 noisy trials.

    >>> rng = np.random.default_rng(0)
    >>> side, colour = rng.choice(["left", "right"], 400), rng.choice(["blue", "red"], 400)
    >>> codes = np.column_stack([side == "right", colour == "red"])
    >>> rates = codes @ rng.standard_normal((2, 60)) + rng.standard_normal((400, 60))
    >>> found = measure(rates, {"side": side, "colour": colour}, rows="trials",
    ...                 measures=["parallelism", "ccgp"], draws=19)
    >>> found[["measure", "about", "value", "p"]].round(2).values.tolist()  # doctest: +ELLIPSIS
    [['parallelism', 'side', 1.0, 0.05], ...]
    """
    if not isinstance(rows, str) or rows not in ("items", "trials"):
        raise ValueError(f'rows is {in_words(rows)}; allowed are "items" and "trials".')
    for name, which in (("features", features), ("conditions", conditions)):
        if which is not None and in_words(which) not in ("'all'", "'sample'"):
            raise ValueError(f'{name} is {in_words(which)}; allowed are "all", "sample" and None.')
    measures = as_measures(measures, names(PACKAGE))
    at_least("draws", draws, 0)
    at_least("folds", folds, 2)
    at_least("resamples", 1 if resamples is None else resamples, 1)
    at_least("least", 1 if least is None else least, 1)
    at_least("seed", seed, 0)
    refuse_scale(scale)
    fits = Fits(folds, resamples, least, scale, conditions)
    labels, blocks = (
        columns_of(samples, name, of) for name, of in (("labels", labels), ("blocks", blocks))
    )
    samples = rows_of(samples)
    *data, groups = labelled(samples, labels, variables, blocks)
    seen = Trials(*data, rows, features, Drawn(draws, seed, groups), fits=fits)
    found: list[Result] = []
    with few_fits_by_numpy():
        for number, name in enumerate(measures, 1):
            doing(name, number, len(measures))
            found += map(explained, named(PACKAGE, name).rows(seen))
    table = frame((result._asdict() for result in found if result.draw is None), COLUMNS)
    table.attrs[NULLS] = _draws(found)
    return table


def _draws(found: list[Result]) -> list[dict[str, Any]]:
    """Return the draws of each null: in lists, since pandas compares and writes them."""
    draws: dict[tuple[str, str, str], list[float]] = {}
    for result in found:
        if result.draw is not None:
            key = result.measure, result.about, result.variant
            draws.setdefault(key, []).append(result.value)
    keys = ("measure", "about", "null", "draws")
    return [dict(zip(keys, (*of, values), strict=True)) for of, values in draws.items()]
