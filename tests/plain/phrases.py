"""The words and phrases that are hard to read, and what to write instead."""

import re

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
