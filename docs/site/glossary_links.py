"""A Sphinx extension: links to the glossary and to the reference that no page has to write.

A page links each word of the glossary where it uses the word first. The words are the headings of
glossary.md. Plurals count, too. Titles, code, links, tables and the generated lists of claims and
keys stay as they are. The name of a public function in `code` leads to its page.
"""

import re

from docutils import nodes

GLOSSARY = "glossary"
MOST = 30
LEFT_OUT = re.compile(r"glossary$|reference/|develop/changelog|config$|studies/index|.*/claims$")
AROUND = (nodes.title, nodes.literal, nodes.reference, nodes.table, nodes.literal_block)


def collect(app, doctree):
    """Store the words of the glossary with the address of each."""
    if app.env.docname != GLOSSARY:
        return
    sections = doctree.findall(nodes.section)
    terms = {each[0].astext(): each["ids"][0] for each in sections if each.parent is not doctree}
    if len(terms) > MOST:
        raise ValueError(f"glossary.md has {len(terms)} words; allowed are {MOST}.")
    app.env.glossary_terms = terms


def link(app, doctree, docname):
    """Link the first use of each word on a page."""
    if LEFT_OUT.match(docname) or app.builder.format != "html":
        return
    waiting = {term: pattern_of(term) for term in app.env.glossary_terms}
    for text in list(doctree.findall(nodes.Text)):
        if is_prose(text):
            replace(app, docname, text, waiting)
    pages = pages_of_functions(app.env)
    for literal in list(doctree.findall(nodes.literal)):
        page = pages.get(literal.astext().partition("(")[0])
        if page and not isinstance(literal.parent, nodes.reference | nodes.title):
            address = app.builder.get_relative_uri(docname, page)
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=address))


def pages_of_functions(env) -> dict[str, str]:
    """Return the page of each public function whose name is no ordinary word."""
    found = {}
    for name, entry in env.domaindata["py"]["objects"].items():
        short = name.rpartition(".")[2]
        if entry.objtype == "function" and ("_" in short or short in {"ccgp", "svcca", "pwcca"}):
            found[short] = found[name] = entry.docname
    return found


def pattern_of(term: str) -> re.Pattern[str]:
    """Return a pattern of a word and its plural. Abbreviations must have their capitals."""
    words = [re.escape(term)]
    if term.endswith("y"):
        words.append(re.escape(term[:-1]) + "ies")
    if term.endswith("is"):
        words.append(re.escape(term[:-2]) + "es")
    return re.compile(rf"\b({'|'.join(words)})s?\b", 0 if term.isupper() else re.IGNORECASE)


def is_prose(text: nodes.Text) -> bool:
    node = text.parent
    while node is not None:
        if isinstance(node, AROUND):
            return False
        node = node.parent
    return isinstance(text.parent, nodes.paragraph)


def replace(app, docname, text, waiting):
    """Put links into one piece of text, and take their words from `waiting`."""
    found = []
    for term, pattern in waiting.items():
        match = pattern.search(text)
        if match and not any(
            match.start() < end and start < match.end() for start, end, _ in found
        ):
            found.append((*match.span(), term))
    pieces, done = [], 0
    for start, end, term in sorted(found):
        del waiting[term]
        target = app.builder.get_relative_uri(docname, GLOSSARY)
        address = f"{target}#{app.env.glossary_terms[term]}"
        pieces.append(nodes.Text(text[done:start]))
        pieces.append(nodes.reference("", text[start:end], refuri=address, classes=["glossary"]))
        done = end
    if found:
        text.parent.replace(text, [*pieces, nodes.Text(text[done:])])


def setup(app):
    app.connect("doctree-read", collect)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": False}
