"""The faults that tests/protection/mutants.py puts into code are faults, and are found again."""

import pytest
from mutating import mutants


def faults(source):
    return [each for statement in mutants("x.py", source.encode()) for each in statement]


def changed(source):
    """Return the kind of each fault of a source, and the line that it makes of the code."""
    return {(each.kind, each.after) for each in faults(source)}


@pytest.mark.parametrize(
    ("code", "kind", "after"),
    [
        ("x = a < b", "comparison flipped", "x = a > b"),
        ("x = a not in b", "comparison flipped", "x = a in b"),
        ("x = a < b", "boundary moved", "x = a <= b"),
        ("x = a - b", "arithmetic", "x = a + b"),
        ("x = -a", "arithmetic", "x = a"),
        ("x = (a and b) is None", "and/or", "x = (a or b) is None"),
        ("x = not a", "not dropped", "x = a"),
        ("x = 3", "constant changed", "x = 4"),
        ("x = 0.5", "constant changed", "x = 0.75"),
        ("x = True", "constant changed", "x = False"),
        ("x = f(a, b=c, d=e)", "argument dropped", "x = f(a, d=e)"),
        ("x = a[1:n]", "slice off by one", "x = a[1:n - 1]"),
        ("x = a[:n]", "slice off by one", "x = a[1:n]"),
        ("x.append(a)", "statement deleted", "pass"),
        ("x[0] = a", "statement deleted", "pass"),
    ],
)
def test_each_kind_of_fault_changes_what_it_names(code, kind, after):
    assert (kind, after) in changed(code)


def test_a_returned_value_is_dropped():
    assert ("return value dropped", "return None") in changed("def f():\n    return a")


@pytest.mark.parametrize(
    "source",
    [
        '"""One of 3, not 4."""',
        'def f():\n    """Return 1 < 2."""',
        'x = "1 < 2"',
        'x = "a" + b',
        'x = f"{a + 1} and {b < 2}"',
        "x: Literal[1, 2]",
        "def f(x: Literal[1]) -> Literal[2]: ...",
        "@cache(maxsize=8)\ndef f(): ...",
        "from a import b",
        "x = zip(a, b, strict=True)",
        "x = 1 < 2",
    ],
    ids=lambda source: source.replace("\n", " "),
)
def test_words_types_and_imports_have_no_fault(source):
    """The last source has some, so the test can fail."""
    assert bool(faults(source)) == (source == "x = 1 < 2")


def test_a_fault_changes_its_own_bytes_alone():
    source = 'def f(a):\n    """Öl: 1."""\n    return a  + 1  # é\n'.encode()
    (fault,) = [each for each in faults(source.decode()) if each.kind == "arithmetic"]
    assert fault.applied(source) == source.replace(b"a  + 1", b"a  - 1")
    assert fault.is_valid(source)
    assert (fault.line, fault.function) == (3, "f")


def test_a_fault_is_the_same_after_its_line_has_moved_and_another_after_a_change():
    source = "class A:\n    def f(a):\n        return a + 1\n"
    identities = {each.identity for each in faults(source)}
    assert {each.identity for each in faults("import x\n\n\n" + source)} == identities
    assert not {each.identity for each in faults(source.replace("a +", "b +"))} & identities
    assert not {each.identity for each in faults(source.replace("f(", "g("))} & identities


def test_equal_lines_of_a_function_have_faults_of_their_own():
    found = faults("def f(a):\n    a.add(b)\n    a.add(b)\n")
    assert len({each.identity for each in found}) == len(found) == 2
