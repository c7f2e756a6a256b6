"""Find prose that is hard to read, and let no file get worse.

    python tests/prose.py            fail where a file has more findings than are stored
    python tests/prose.py PATH ...   print every finding of these files and folders
    python tests/prose.py --table    count the findings of each folder
    python tests/prose.py --write    store the numbers of today in tests/prose.json

The check reads docstrings, comments, messages of exceptions, and pages. Code blocks, doctests,
indented formulas and `literals` are left out, and so are lines with the words "prose: ok".
docs/develop/plain-english.md explains the rules. Every finding has a code:

    S1  a docstring or comment starts with a word that needs the name above it (Of, Those, As ...)
    P1  it starts with a pronoun without a noun (It, They, Its ...)
    D1  the first sentence of a function's docstring has no verb
    D2  a docstring of fewer than four words
    E1  a function changes files or processes, and the first sentence does not say so
    L1  a sentence of more than 30 words
    X1  an inverted phrase ("that of", "of which", "is to be" ...)
    W1  a word in an uncommon sense
    I1  a function or class whose name does not say what it does
"""

import ast
import json
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / "tests/prose.json"
READ = ["src", "workflow", "config", "profiles", "docs", "tests", "benchmarks"]
READ += [
    ".ci",
    ".github",
    "README.md",
    "CONTRIBUTING.md",
    "CODE_OF_CONDUCT.md",
    "CHANGELOG.md",
    "Makefile",
    "Snakefile",
]
SUFFIXES = {".py", ".smk", ".md", ".rst", ".yaml", ".yml"}
NAMES = {"Makefile", "Snakefile", "run"}
GENERATED = re.compile(r"Written by `make |Made by `make |^# The claims, judged", re.MULTILINE)
EXEMPT = "prose: ok"
CODES = ("S1", "P1", "D2", "L1", "X1", "W1", "I1", "D1", "E1")
RATED = CODES[:7]
"""The codes that count for the rate per 1,000 words."""
LONGEST = 30

LEANING = re.compile(
    r"(Of|Those|That|As(?! (long|soon)\b)|Likewise|The same|The others?|By which|For whose|In words"
    r"|None of|None where|Because of|So many|Which of)\b"
)
PRONOUN = re.compile(
    r"(It|Its|They|Their|Them|He)\b"
    r"|(This|These|Both|Such|Each|All)( (is|are|has|have|of (it|them))\b|[,:.])"
)
PHRASES = {
    "X1": {
        r"\b(that|those) of\b": "repeat the noun",
        r"\bof (which|whom)\b": "start a new sentence",
        r"\b(for|in|by|of|with) whose\b": "start a new sentence",
        r"\b(that|those) which\b": "write 'the ... that'",
        r"\b(is|are|was|were) to (?!(the|a|an|one|which|each|its?|this|\d)\b)\w+": "must or will",
        r"\bas [\w.' ]{1,25} (has|have|had) it\b": "write 'as in ...'",
        r"\bwhat (there is|is there|is left of|that has)\b": "name the thing",
        r"\bfor (\w+'s|\w+ \w+'s|its|their|whose) sake\b": "write 'because ...'",
    },
    "W1": {
        r"\brooms?\b(?! temperature)": "folder, package or space",
        r"\btwins?\b": "the other run, full or preview",
        r"\banew\b": "again",
        r"\blikewise\b": "in the same way",
        r"\bput(s|ting)? (aside|right)\b": "rename, move or recompute",
        r"\bsort(s|ed)? out\b": "classify",
        r"\bfront door\b": "start-up check",
        r"\bhears?\b": "handle, receive",
        r"\bin (the )?place of\b": "instead of",
        r"\bso many\b": "this many, or the number",
        r"\bbesides?\b": "next to, in addition to, compared with",
        r"\brest(s|ing)? on\b": "depends on, is computed from",
        r"\btold (apart|by|from)\b|\btells? (\w+ )?apart\b": "distinguish",
        r"\b(is|are|was|were) told (?!to\b)": "is reported, is distinguished",
        r"\bone's own\b": "your own",
        r", say(?=[,.;:)]|$)": "for example",
        r"\bledgers?\b": "claims file",
        r"\b(laid|lays?) over\b": "override, merge",
        r"\bdear(er|est)?\b": "expensive",
        r"\bhinders?\b": "stop, prevent",
        r"\bbut (for|where|that)\b(?! (a|some|one) reason)": "except",
        r"(?<!are )(?<!is )\ball the same(?=[.,;:)]|$)": "anyway",
        r"\b(goes|go|went|going) on from\b|\bpath (goes|may go) on\b": "continue",
        r"\bby the clock\b": "wall-clock time",
        r"\bbroken off\b": "interrupted",
        r"\bat hand\b": "available",
        r"\bruled by\b": "dominated by",
        r"\b(tanh|ReLU|trained|matched|memorising|absolute|each) less (?!than\b)": "minus",
        r"\bstands? (beside|in|under|there|at|before|on|alone)\b": "is",
        r"\bhad for less\b": "cheaper",
        r"\bfrom (which|that|the \w+) on\b": "after, starting with",
        r"\b(come|comes|came|coming) about\b": "arise, is made",
        r"\bof (its|their) own\b": "own, separate",
        r"\bin parts of\b": "as a fraction of",
        r"\b(dealt|deals?) to\b": "assigned to",
    },
}
UNCLEAR = re.compile(
    r"_?(of_|into_the|never_|hear_|put_right|sort_out|put_aside|no_files|speak$|say$|tell$|told$|said$"
    r"|noticed$|behind$|firsts|there$|then$|come$|apart$|alone$|own$|whole$|as_found|bare$|room_of)"
)
"""Names of functions and classes: prepositions, idioms and adjectives without a noun."""


def words_of(listed: str) -> set[str]:
    return set(listed.split())


AUXILIARIES = words_of(
    """
    is are was were be been has have had does do did can could will would may might must should
    shall isn't aren't doesn't don't can't won't cannot
    """
)
VERBS = words_of(
    """
    accept add agree align allow answer append apply ask assert assign assume average become begin
    belong block bring build call carry cause centre change check choose claim classify clear
    close collect combine come compare compile complete compute concern contain continue
    contribute convert copy correspond count cover create cut decide decode default define delete
    depend describe detect determine differ diverge divide draw drop end ensure equal estimate
    evaluate exclude exist expect explain extend fail fall fill filter find finish fit flush
    follow forget format forward gather generate get give go group grow guess happen help hold
    ignore import include increase indicate install interpret join judge keep kill know label lack
    last leave let limit link list load lock log look lose make map mark match mean measure merge
    lie miss move multiply need normalise occur open order override parse pass permute pick name
    place plan plot point predict prepare prevent print process produce project prove provide put
    raise read rearrange receive recompute record reduce refer refuse register reject release remain
    remove rename render repeat replace report represent reproduce request require resample
    rescale respond restore return reuse round run sample save say scale score search see select
    send separate serve set shift shorten show shrink shuffle simulate skip solve sort specify
    split standardise start state stay step stop store strip subtract sum supply support take teach
    test touch train translate treat try turn update use validate vary verify wait warn weigh weight
    work wrap write yield
    """
)
PLURALS = words_of(
    """
    answers averages blocks calls causes centres changes checks claims counts covers cuts defaults
    draws drops ends estimates falls filters fits formats groups labels lacks links lists loads
    locks logs looks maps marks matches means measures moves names needs orders places plans plots
    points prints processes projects ranks releases reports requests returns rounds runs samples
    scales scores searches sets shows shifts sorts splits starts states steps stops stores sums
    supports tests turns updates uses values weights works wraps
    """
)
"""Words that look like verbs and are usually nouns."""
FINITE = {
    f"{verb}{'es' if verb.endswith(('s', 'sh', 'ch', 'x', 'o')) else 's'}" for verb in VERBS
} | {f"{verb[:-1]}ies" for verb in VERBS if verb.endswith("y")}
FINITE = (FINITE - PLURALS) | {"returns", "makes", "needs", "counts", "shows"}
PLURAL = re.compile(r"they|we|you|\w\w+[^isu']s")
CLAUSE = re.compile(
    r"\b(that|which|who|whose|whom|where|when|if|as|since|than|whether|how|what|while|unless|until"
    r"|before|after|because|although|though|however)\b[^,;:]*"
)

EFFECTS = {
    "rename": "renam|mov|replac",
    "unlink": "remov|delet|drop|clear|clean|forget",
    "rmtree": "remov|delet|drop|clear|clean|forget",
    "write_text": "writ|stor|sav|creat|mak|record",
    "write_bytes": "writ|stor|sav|creat|mak|record",
    "symlink_to": "link",
    "utime": "time|touch",
    "kill": "kill|end|stop|signal",
    "killpg": "kill|end|stop|signal",
}
"""What changes something outside of the program, and the words that say so."""


class Text(NamedTuple):
    words: str
    lines: list[int]
    """The line of each character of `words`."""
    kind: str
    """module, class, function, value, comment, message or page."""


class Finding(NamedTuple):
    line: int
    code: str
    reason: str
    sentence: str


def text(numbered: list[tuple[int, str]], kind: str) -> Iterator[Text]:
    """Yield numbered lines as one text, unless they have no letters."""
    words, lines = "", []
    for number, line in numbered:
        piece = line.strip()
        if piece:
            piece = f" {piece}" if words else piece
            words += piece
            lines += [number] * len(piece)
    if re.search("[A-Za-z]", words):
        yield Text(words, lines, kind)


def docstring(first: int, margin: int, value: str, kind: str) -> Iterator[Text]:
    """Yield the paragraphs of a docstring without its doctests and indented blocks."""
    numbered = list(enumerate(value.split("\n"), first))
    paragraph: list[tuple[int, str]] = []
    kinds = iter([kind])
    in_block = False
    for number, line in [*numbered, (0, "")]:
        bare = line.strip()
        if not bare:
            yield from text(paragraph, next(kinds, "page")) if paragraph else ()
            paragraph = []
            in_block = False
            continue
        is_first = number == first
        starts = not paragraph and (bare.startswith(">>>") or line.startswith(" " * (margin + 4)))
        in_block = in_block or (not is_first and starts) or bare.startswith(">>>")
        if not in_block:
            paragraph.append((number, line))


def python_texts(tree: ast.Module) -> Iterator[Text]:
    """Yield the docstrings of a module and the messages of its exceptions."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for before, statement in (
            zip([None, *body], body, strict=False) if isinstance(body, list) else ()
        ):
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                continue
            value = statement.value.value
            if isinstance(value, str) and (
                before is None or isinstance(before, ast.Assign | ast.AnnAssign)
            ):
                kind = "value" if before else kind_of(node)
                yield from docstring(statement.lineno, statement.col_offset, value, kind)
        call = node.exc if isinstance(node, ast.Raise) else node
        is_refusal = isinstance(call, ast.Call) and name_of(call) in {"refuse", "exit"}
        if isinstance(call, ast.Call) and (isinstance(node, ast.Raise) or is_refusal):
            for argument in call.args:
                yield from text([(argument.lineno, literal(argument))], "message")


def kind_of(node: ast.AST) -> str:
    """Return what a docstring belongs to: module, class, function, or value for a property."""
    decorators = " ".join(ast.dump(each) for each in getattr(node, "decorator_list", []))
    if "property" in decorators or "fixture" in decorators:
        return "value"
    return {"Module": "module", "ClassDef": "class"}.get(type(node).__name__, "function")


def name_of(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def literal(node: ast.AST) -> str:
    """Return a string or f-string with `x` for each expression in it, else an empty string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(literal(part) or "x" for part in parts)


NO_PROSE = re.compile(r"#\s*(noqa|type:|fmt:|pragma|yaml-language-server|!|-\*-|ruff|mypy)")


def comments(source: str, is_python: bool) -> Iterator[Text]:
    """Yield the comments of a file. Comments on consecutive lines are one text."""
    group: list[tuple[int, int, str]] = []
    for row, column, comment in [*_comments(source, is_python), (-1, -1, "")]:
        if group and (group[-1][0] + 1, group[-1][1]) != (row, column):
            yield from text([(number, line) for number, _, line in group], "comment")
            group = []
        group.append((row, column, comment.lstrip("#!: ")))


def _comments(source: str, is_python: bool) -> Iterator[tuple[int, int, str]]:
    if is_python:
        for token in tokenize.generate_tokens(iter(source.splitlines(keepends=True)).__next__):
            if token.type == tokenize.COMMENT and not NO_PROSE.match(token.string):
                yield *token.start, token.string
        return
    for number, line in enumerate(source.split("\n"), 1):
        found = re.search(r"(?:^|\s)(#(?:\s.*|$))", line)
        if found and not NO_PROSE.match(found[1]):
            yield number, found.start(1), found[1]


def rule_docstrings(source: str) -> Iterator[Text]:
    """Yield the docstrings of functions in a file of rules, which `ast` cannot parse."""
    for found in re.finditer(r':\n( +)"""(.*?)"""', source, re.DOTALL):
        first = source.count("\n", 0, found.start()) + 2
        yield from docstring(first, len(found[1]), found[2], "function")


def page_texts(source: str) -> Iterator[Text]:
    """Yield the paragraphs, list items and cells of a page in Markdown or reStructuredText."""

    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    for hidden in (r"<!--.*?-->", r"\{#.*?#\}", r"\{%.*?%\}", r"^(```+|~~~+).*?^\1"):
        source = re.sub(hidden, blank, source, flags=re.DOTALL | re.MULTILINE)
    source = re.sub(r"\A---\n.*?\n---\n", blank, source, flags=re.DOTALL)
    source = re.sub(r"</?[a-z][^>\n]*>", " ", re.sub(r"\{\{.*?\}\}", "x", source))
    source = re.sub(r"\[([^\]]*)\]\([^)]*\)", lambda found: found[1] + blank(found), source)
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*source.split("\n"), ""], 1):
        bare = line.strip()
        item = re.match(r"([-*+]|\d+\.)\s+", bare)
        if not bare or item or bare.startswith(("|", "#", "!", ">", "..", "(", ":::")):
            yield from text(block, "page")
            block = []
        if bare.startswith("|"):
            for cell in bare.strip("|").split("|"):
                yield from text([(number, cell)], "page")
        elif bare and not bare.startswith(("#", "!", "..", ":::")):
            block.append((number, bare[item.end() :] if item else bare))


ABBREVIATED = re.compile(r"\b(e\.g|i\.e|et al|vs|cf|[Ff]ig|[Ee]q|No|approx)\.$|\b[A-Z]\.$|\.\.\.$")


def sentences(each: Text) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with its line. A `literal` becomes the word CODE."""
    hidden = re.sub(
        r"``[^`]*``|`[^`]*`", lambda found: "CODE".ljust(len(found[0]), "\0"), each.words
    )
    start = 0
    for end in [
        *(found.end() for found in re.finditer(r"[.!?][)\"'*]*(?=\s|$)", hidden)),
        len(hidden),
    ]:
        piece, rest = hidden[start:end], hidden[end:]
        # A lower-case letter continues the sentence, unless it begins a name.
        goes_on = rest and not re.match(r"\s+([^a-z\s]|nan\b|\w+=|[a-z]\w*_\w+|\w+: )", rest)
        if rest and (ABBREVIATED.search(piece) or goes_on):
            continue
        if clean := re.sub(r"[\0*]|\b_+|_+\b", "", piece).strip():
            offset = start + len(piece) - len(piece.lstrip())
            yield each.lines[min(offset, len(each.lines) - 1)], clean
        start = end


def length(sentence: str) -> int:
    """Return the number of words. In a list "name: text; name: text" the longest item counts."""
    items = re.split(r";\s+(?=[\w, ]{1,40}: )", sentence)
    return max(len(re.findall(r"[A-Za-z][A-Za-z'-]*", item)) for item in items)


def has_verb(sentence: str) -> bool:
    """Return True if the sentence starts with a verb or has one outside its clauses."""
    words = re.findall(r"[a-z']+", CLAUSE.sub(" ", sentence.lower()))
    after_plurals = {after for word, after in pairwise(words) if PLURAL.fullmatch(word)}
    return bool({*words[:1], *after_plurals} & VERBS or {*words} & (AUXILIARIES | FINITE))


def findings_of(each: Text) -> Iterator[Finding]:
    """Yield what is hard to read in one text."""
    for place, (line, sentence) in enumerate(sentences(each)):
        if place == 0 and each.kind not in ("page", "message"):
            yield from start_of(each, line, sentence)
        if (count := length(sentence)) > LONGEST:
            yield Finding(line, "L1", f"{count} words", sentence)
        for code, phrases in PHRASES.items():
            for pattern, instead in phrases.items():
                for found in re.finditer(pattern, sentence, re.IGNORECASE):
                    yield Finding(line, code, f"{found[0].strip(' ,')!r}: {instead}", sentence)


def start_of(each: Text, line: int, sentence: str) -> Iterator[Finding]:
    """Yield what is wrong with the first sentence of a docstring or comment."""
    if found := LEANING.match(sentence):
        yield Finding(line, "S1", f"starts with {found[0]!r}: name the thing", sentence)
    elif PRONOUN.match(sentence):
        yield Finding(line, "P1", f"starts with {sentence.split()[0]!r}: name the noun", sentence)
    if each.kind == "function" and not has_verb(sentence):
        yield Finding(line, "D1", "no verb: 'Return ...'", sentence)
    is_short = length(each.words) < 4 and sentence.split()[0].lower() not in VERBS | FINITE
    if each.kind in ("function", "class") and is_short:
        yield Finding(line, "D2", "fewer than four words", sentence)


def findings_of_names(tree: ast.Module) -> Iterator[Finding]:
    """Yield functions and classes with unclear names, and functions whose effects are not named."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and UNCLEAR.match(node.name):
            yield Finding(node.lineno, "I1", "the name does not say what it does", node.name)
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("test_"):
            continue
        first = (ast.get_docstring(node) or "").split("\n\n")[0].lower()
        missing = {name for name in effects(node) if not re.search(EFFECTS[name], first)}
        if first and missing:
            reason = f"does {', '.join(sorted(missing))}, and its first sentence does not say so"
            yield Finding(node.lineno, "E1", reason, node.name)


def effects(node: ast.FunctionDef) -> set[str]:
    """Return the names of the calls in a function that change files or processes."""
    calls = {name_of(each) for each in ast.walk(node) if isinstance(each, ast.Call)}
    return calls & set(EFFECTS)


def check(path: Path) -> tuple[list[Finding], int, int]:
    """Return the findings of a file, the number of its texts and the number of its words."""
    source = path.read_text(encoding="utf-8")
    is_page = path.suffix in (".md", ".rst")
    if is_page and GENERATED.search(source):
        return [], 0, 0
    found = []
    texts = list(page_texts(source) if is_page else comments(source, path.suffix == ".py"))
    if path.suffix == ".py":
        tree = ast.parse(source)
        texts += python_texts(tree)
        found += findings_of_names(tree)
    if path.suffix == ".smk":
        texts += rule_docstrings(source)
    found += [each for part in texts for each in findings_of(part)]
    lines = source.split("\n")
    kept = [each for each in found if EXEMPT not in lines[each.line - 1]]
    return sorted(kept), len(texts), sum(length(part.words) for part in texts)


def files(paths: list[Path]) -> Iterator[Path]:
    """Yield the files with prose among these paths and below these folders."""
    for path in paths:
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            inside = set(each.relative_to(ROOT).parts)
            is_prose = each.suffix in SUFFIXES or each.name in NAMES
            if each.is_file() and is_prose and not inside & {"__pycache__", "_build", ".venv"}:
                yield each


def worse(
    found: dict[str, dict[str, int]], stored: dict[str, dict[str, int]]
) -> Iterator[tuple[str, int, int]]:
    """Yield each file that has more findings than allowed, its findings, and how many are allowed.

    found, stored: the number of findings of each file, by folder. A file that is not stored may
    have as many as the files of its folder that are gone: it may be one of them, renamed.
    """
    for folder, counts in found.items():
        allowed = stored.get(folder, {})
        spare = sum(number for name, number in allowed.items() if name not in counts)
        for name, number in counts.items():
            if name in allowed:
                limit = allowed[name]
            else:
                limit = spare
                spare = max(0, spare - number)
            if number > limit:
                yield f"{folder}/{name}".removeprefix("./"), number, limit


def table(sizes: dict[str, Counter[str]]) -> str:
    """Return a table with the findings of each folder, by their code and per 1,000 words."""
    lines = [
        f"{'folder':28}{'texts':>7}{'words':>8}" + "".join(f"{c:>6}" for c in CODES) + " /1000"
    ]
    for folder in [*sorted(sizes), "all"]:
        row = sizes[folder] if folder in sizes else sum(sizes.values(), Counter())
        rate = 1000 * sum(row[code] for code in RATED) / max(row["words"], 1)
        counts = "".join(f"{row[code]:>6}" for code in CODES)
        lines.append(f"{folder:28}{row['texts']:>7}{row['words']:>8}{counts}{rate:>6.1f}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Check the named files, or all. Print findings, and return 1 if there are too many."""
    option = arguments[0] if arguments and arguments[0].startswith("--") else ""
    if option not in ("", "--table", "--write") or (option and arguments[1:]):
        sys.exit((__doc__ or "").split("\n\n")[1])
    named = [Path(each).resolve() for each in arguments] if not option else []
    if absent := [each for each in named if not each.exists()]:
        sys.exit(f"{absent[0]} does not exist")
    checked = {path: check(path) for path in files(named or [ROOT / each for each in READ])}
    counts: dict[str, dict[str, int]] = {}
    sizes: dict[str, Counter[str]] = {}
    for path, (found, texts, words) in checked.items():
        inside = path.relative_to(ROOT)
        counts.setdefault(inside.parent.as_posix(), {})[inside.name] = len(found)
        folder = "/".join(inside.parts[:-1][: 3 if inside.parts[0] == "src" else 2]) or "."
        size = Counter({"texts": texts, "words": words}) + Counter(each.code for each in found)
        sizes[folder] = sizes.get(folder, Counter()) + size
    if option == "--table":
        print(table(sizes))
        return 0
    if option == "--write":
        kept = {folder: {f: n for f, n in each.items() if n} for folder, each in counts.items()}
        STORE.write_text(json.dumps({f: n for f, n in kept.items() if n}, indent=1) + "\n")
        return 0
    if named:
        for path, (found, _, _) in checked.items():
            show(path.relative_to(ROOT).as_posix(), found)
        return int(any(found for found, _, _ in checked.values()))
    too_many = list(worse(counts, json.loads(STORE.read_text())))
    for name, number, limit in too_many:
        show(name, checked[ROOT / name][0])
        print(f"{name}: {number} findings, allowed: {limit}. See docs/develop/plain-english.md.")
    return int(bool(too_many))


def show(name: str, found: list[Finding]) -> None:
    """Print findings, one on a line."""
    for each in found:
        print(f'{name}:{each.line}: {each.code} {each.reason}: "{each.sentence[:100]}"')


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
