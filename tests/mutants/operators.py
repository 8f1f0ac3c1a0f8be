"""First-order mutants of C++ sources: one operator of a line changed, as slips of the hand do."""
import dataclasses
import re

# Binary operators stand between blanks in formatted code; brackets of templates do not.
SWAPS = {
    "relational": {"<": ("<=", ">"), "<=": ("<", ">"), ">": (">=", "<"), ">=": (">", "<"),
                   "==": ("!=",), "!=": ("==",)},
    "arithmetic": {"+": ("-",), "-": ("+",), "*": ("+", "/"), "/": ("*",), "%": ("/",),
                   "+=": ("-=", "="), "-=": ("+=",), "*=": ("+=",)},
    "logical": {"&&": ("||",), "||": ("&&",)},
    "bits": {"<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",)},
}
WORDS = {"min": "max", "max": "min", "true": "false", "false": "true", "first": "count"}
SKIPPED = re.compile(r"\s*(#|//|static_assert|namespace|using|template|extern|ASSAY_REQUIRE|"
                     r"struct|enum|class|return nullptr)")
STATEMENT = re.compile(r"(\s*)([A-Za-z_][\w.>\-\[\]():]*(\([^;]*\)|\s[-+*/|&]?=\s[^;]*|\+\+|--)|"
                       r"(\+\+|--)[\w.>\-]+);\s*$")
DECLARES = re.compile(r"\s*(const|constexpr|auto|return|Index|int|float|double|bool|std::\w+[<\s]|"
                      r"[A-Z]\w+[\s&*]+\w+)")


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str      # from the project's root
    line: int      # from 1
    operator: str
    before: str
    after: str

    def key(self):
        """What an entry of equivalent.txt names: places move, lines do not change often."""
        return self.file, self.before.strip(), self.after.strip()

    def diff(self):
        return f"{self.file}:{self.line} ({self.operator})\n  - {self.before.strip()}\n" \
               f"  + {self.after.strip()}"


def code_mask(text):
    """The text with comments and literals of text as blanks, so that places stay."""
    pattern = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
                         r"|'(?:\\.|[^'\\\n])+'", re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def closing(text, begin):
    """The place of the bracket that closes the one at `begin`; -1: not on this line."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    return -1


def mutations(line, code):
    """(operator, line) of every change; `code` is the line's mask."""
    put = lambda begin, end, word: line[:begin] + word + line[end:]
    for kind, table in SWAPS.items():
        for found in re.finditer(r"(?<= )([-+*/%<>=!&|]{1,2})(?= )", code):
            for word in table.get(found[1], ()):
                yield kind, put(*found.span(1), word)
    for found in re.finditer(r"\+\+|--", code):
        yield "arithmetic", put(*found.span(), "--" if found[0] == "++" else "++")
    for found in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", code):
        number = int(found[1])
        for other in {number + 1, max(number - 1, 0), 0} - {number}:
            yield "constant", put(*found.span(1), str(other))
    for found in re.finditer(r"(?<=[\w\])])\[", code):
        end = closing(code, found.start())
        if end > found.end():
            yield "off by one", put(end, end, " + 1")
    for found in re.finditer(r"\b(\w+)\b", code):
        if found[1] in WORDS:
            yield "word", put(*found.span(1), WORDS[found[1]])
    for found in re.finditer(r"\b(if|while) \(", code):
        end = closing(code, found.end() - 1)
        if end > 0:
            begin = max(found.end(), code.rfind("; ", found.end(), end) + 2)
            yield "negated condition", line[:begin] + "!(" + line[begin:end] + ")" + line[end:]
    for found in re.finditer(r"!(?=[\w(])", code):
        yield "negation removed", put(*found.span(), "")
    for found in re.finditer(r"\b(break|continue);", code):
        yield f"{found[1]} removed", put(*found.span(1), "")
    for found in re.finditer(r"\((\w[\w.\->]*), (\w[\w.\->]*)\)", code):
        yield "swapped operands", put(*found.span(), f"({found[2]}, {found[1]})")
    pair = r"(?<![\w.\->\])] )\b(\w[\w.\->]*) ([-/]) (\w[\w.\->]*)(?! ?[(\[*/])"
    for found in re.finditer(pair, code):
        yield "swapped operands", put(*found.span(), f"{found[3]} {found[2]} {found[1]}")
    if STATEMENT.match(code) and not DECLARES.match(code):
        yield "removed statement", re.match(r"\s*", line)[0] + ";"


def mutants_of(file, text):
    """Every mutant of a file, in its order, each line once."""
    for number, (line, code) in enumerate(zip(text.split("\n"), code_mask(text).split("\n")), 1):
        if not code.strip() or SKIPPED.match(code):
            continue
        seen = {line.strip()}
        for operator, after in mutations(line, code):
            if after.strip() not in seen:
                seen.add(after.strip())
                yield Mutant(file, number, operator, line, after)
