"""The rules as they are written, by name."""

import re
from pathlib import Path

RULES = {
    name: text
    for path in sorted((Path(__file__).parents[2] / "workflow/rules").glob("*.smk"))
    for name, text in re.findall(r"^rule (\w+):\n((?: .*\n|\n)+)", path.read_text(), re.MULTILINE)
}
