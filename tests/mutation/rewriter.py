# SPDX-License-Identifier: BSL-1.0
"""Finds the decisions in a header and rewrites it so that each can be changed at run time (mutants.hpp).

It reads tokens and brackets, and relies on the format that lint.format demands: an operator with two operands has
spaces around it, a template's angle brackets have none before them. What the compiler needs as a constant is left
alone: template arguments, constexpr variables, static_assert, if constexpr, requires, case, consteval functions.
"""

import bisect
import re

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
  | (?P<number>(?:0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*(?:\.\d*)?(?:[eE][+-]?\d+)?)[uUlLzZfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><=>|<<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||<<|<=|>=|==|!=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|::|[^\s\w])
""", re.VERBOSE | re.MULTILINE | re.DOTALL)

BINARY = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
          "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",), "&": ("|",), "|": ("&",), "^": ("|",),
          "<<": (">>",), ">>": ("<<",)}  # in the order of mutants.hpp
COMPOUND = {"+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "%=": "/=", "&=": "|=", "|=": "&=", "^=": "|=",
            "<<=": ">>=", ">>=": "<<="}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
ASSIGNMENTS = {"=", *COMPOUND}
LEAVES = {"return", "break", "continue"}
NOT_STATEMENTS = {"return", "if", "for", "while", "do", "switch", "case", "default", "using", "static_assert", "const",
                  "constexpr", "auto", "static", "template", "typename", "struct", "class", "enum", "union", "else",
                  "goto", "asm", "friend", "typedef", "namespace", "public", "private", "protected", "break", "continue",
                  "try", "catch", "concept", "alignas", "extern", "inline", "explicit", "operator", "requires"}


class Token:
    __slots__ = ("kind", "text", "begin", "end", "spaced", "apart", "match", "constant", "block")

    def __init__(self, kind, text, begin, end):
        self.kind, self.text, self.begin, self.end = kind, text, begin, end
        self.spaced = self.apart = False  # a space before, a space after
        self.match = None    # place of the other bracket
        self.constant = False
        self.block = None    # of a '{': "scope", "body" or "value"

    def __repr__(self):
        return self.text


class Mutant:
    """One changed decision. `change` and `line_text` name it in the list of explained ones, also when lines move."""

    def __init__(self, header, line, column, change, line_text):
        self.header, self.line, self.column, self.change, self.line_text = header, line, column, change, line_text
        self.number = None

    @property
    def key(self):
        return self.header, self.line_text, self.change

    def __str__(self):
        return f"{self.header}:{self.line}: {self.change}"


def tokens_of(text):
    tokens = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("comment", "directive"):
            continue
        pieces = [(match.start(), match.end())]
        if match.group() in (">=", ">>=") and not text[match.start() - 1].isspace():
            pieces = [(at, at + 1) for at in range(match.start(), match.end())]
        for begin, end in pieces:
            token = Token(kind, text[begin:end], begin, end)
            token.spaced = begin == 0 or text[begin - 1].isspace()
            token.apart = end == len(text) or text[end].isspace()
            tokens.append(token)
    # '>>' that closes two templates was not read as one, since ours is always two tokens; join what is an operator
    joined = []
    for token in tokens:
        if (token.text == ">" and joined and joined[-1].text == ">" and joined[-1].end == token.begin
                and joined[-1].spaced and token.apart):
            joined[-1].text, joined[-1].end, joined[-1].apart = ">>", token.end, True
        else:
            joined.append(token)
    return joined


class Header:
    """A header's tokens with their brackets, what is constant, and its mutants."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.tokens = tokens_of(text)
        self.lines = [0] + [match.end() for match in re.finditer("\n", text)]
        self.mutants, self.edits = [], []
        self.open_to_close()
        self.classify(0, len(self.tokens), "scope")
        self.constants = self.named_constants()

    # --- reading -------------------------------------------------------------------------------------------------

    def open_to_close(self):
        stack = []
        for at, token in enumerate(self.tokens):
            before = self.tokens[at - 1] if at else None
            if token.kind != "sign" or (before and before.text == "operator" and token.text not in "()"):
                continue
            if token.text in "([{":
                stack.append(at)
            elif token.text == "<" and before and (before.text == "template" or not token.spaced) and (
                    before.kind == "name" or before.text in (")", "]")):
                stack.append(at)
            elif token.text == ">" and stack and self.tokens[stack[-1]].text == "<" and not token.spaced:
                self.pair(stack.pop(), at)
            elif token.text in ")]}":
                while stack and self.tokens[stack[-1]].text == "<":
                    stack.pop()  # was no bracket
                if stack:
                    self.pair(stack.pop(), at)

    def pair(self, opening, closing):
        self.tokens[opening].match, self.tokens[closing].match = closing, opening

    def text_of(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def opens(self, at):
        match = self.tokens[at].match
        return match is not None and match > at

    def closes(self, at):
        match = self.tokens[at].match
        return match is not None and match < at

    def mark_constant(self, begin, end):
        for token in self.tokens[begin:end]:
            token.constant = True

    def top(self, begin, end):
        """Places from begin to end outside of brackets; of a bracket the opening one alone."""
        at = begin
        while at < end:
            yield at
            at = self.tokens[at].match + 1 if self.opens(at) else at + 1

    def classify(self, begin, end, kind):
        """Finds the blocks and the constants between two places; `kind` is "scope" (of names) or "body"."""
        start, at = begin, begin
        while at < end:
            token = self.tokens[at]
            before = self.text_of(at - 1)
            if token.text == ";":
                self.statement_constants(start, at)
                start = at + 1
            elif token.text == ":" and at - 1 >= start and before in ("public", "private", "protected"):
                start = at + 1
            elif self.opens(at):
                if token.text == "<":
                    self.mark_constant(at, token.match)
                elif token.text == "(" and before in ("static_assert", "sizeof", "alignof", "alignas", "decltype",
                                                      "noexcept", "requires", "__attribute__") or (
                        before == "constexpr" and self.text_of(at - 2) == "if"):
                    self.mark_constant(at, token.match)
                elif token.text == "[" and self.text_of(at + 1) == "[":
                    self.mark_constant(at, token.match)
                elif token.text == "{":
                    token.block = self.block_of(start, at, kind)
                    words = {self.tokens[i].text for i in self.top(start, at)}
                    if token.block == "constant" or "consteval" in words or self.is_called_for_constant(start, at):
                        self.mark_constant(at, token.match)
                        token.block = token.block if token.block != "constant" else "value"
                    inner = {"scope": "scope", "body": "body"}.get(token.block, "value")
                    if token.block == "body" and kind == "scope":
                        self.statement_constants(start, at)
                    self.classify(at + 1, token.match, inner)
                    if token.block in ("scope", "body"):
                        at = start = token.match + 1
                        if token.block == "scope" and self.text_of(at) == ";":
                            start = at = at + 1
                        continue
                else:
                    self.classify(at + 1, token.match, "value" if kind == "value" else kind + "'")
                at = token.match
            at += 1
        if start < end and kind in ("scope", "body"):
            self.statement_constants(start, end)

    def is_called_for_constant(self, start, at):
        """Whether a lambda's body begins here that gives a constexpr variable its value."""
        words = [self.tokens[i].text for i in self.top(start, at)]
        after = self.tokens[at].match + 1
        return "constexpr" in words and "=" in words[words.index("constexpr"):] and "[" in words and (
            self.text_of(after) == "(")

    def block_of(self, start, at, kind):
        before = self.tokens[at - 1]
        top = [self.tokens[i].text for i in self.top(start, at)]
        if before.text == "requires" or (before.text == ")" and self.text_of(before.match - 1) == "requires"
                                         and (not kind.startswith("scope") or "=" in top)):
            return "constant"
        if kind.startswith("scope"):
            if "namespace" in top:
                return "scope"
            if "enum" in top:
                return "constant"
            if {"class", "struct", "union"} & set(top) and self.is_class(top):
                return "scope"
            if kind == "scope" and "(" in top and "=" not in top[:top.index("(")]:
                if ":" in top[top.index("("):]:  # initialisers of members come before the body
                    if before.kind == "name" or before.text == ">":
                        return "value"
                return "body"
        if before.text in (")", "else", "do", "try", "mutable", "]", ";", "{", "}") or before.text in (
                "const", "noexcept", "override"):
            return "body"
        if before.kind == "name" or before.text == ">":
            for i in range(at - 1, max(start - 1, at - 12), -1):  # `-> std::size_t {`
                if self.tokens[i].text == "->" and self.text_of(i - 1) in (")", "noexcept", "mutable"):
                    return "body"
                if self.tokens[i].text in (";", "{", "}", "(", ",", "="):
                    break
        return "value"

    @staticmethod
    def is_class(top):
        return "(" not in top[top.index(next(word for word in top if word in ("class", "struct", "union"))):]

    def statement_constants(self, begin, end):
        """Of a statement, or of a function's head."""
        top = list(self.top(begin, end))
        words = [self.tokens[at].text for at in top]
        if not words:
            return
        if {"concept", "using", "typedef"} & set(words) or words[0] in ("case", "friend") and "{" not in words:
            self.mark_constant(begin, end)
        if "constexpr" in words and words[0] != "if":
            at = words.index("constexpr")
            value = next((i for i, word in enumerate(words) if word in ("=", "{", "(")), None)
            if value is not None and value > at and words[value] != "(":
                self.mark_constant(begin, end)
        for i, word in enumerate(words):
            if word == "requires":
                self.mark_constant(top[i], end if i else end)

    def named_constants(self):
        """{name: [(begin, end) of text where it is that constant]}; in a function, only that function."""
        bodies = [(token.begin, self.tokens[token.match].end) for token in self.tokens if token.block == "body"]
        found = {}
        for match in re.finditer(r"\bconstexpr\s+(?:[\w:]|<[^;=<>]*>)+\s+(\w+)\s*(?:=|\{)", self.text):
            around = [body for body in bodies if body[0] < match.start() < body[1]]
            found.setdefault(match[1], []).append(max(around, default=(0, len(self.text))))
        found.pop("operator", None)
        return found

    def is_constant(self, token):
        return any(begin <= token.begin < end for begin, end in self.constants.get(token.text, ()))

    # --- finding -------------------------------------------------------------------------------------------------

    def position(self, at):
        begin = self.tokens[at].begin
        line = bisect.bisect_right(self.lines, begin)
        return line, begin - self.lines[line - 1] + 1

    def line_text(self, line):
        end = self.lines[line] if line < len(self.lines) else len(self.text)
        code = re.sub(r"//.*", "", self.text[self.lines[line - 1]:end])
        return " ".join(code.split())

    def add(self, at, change):
        line, column = self.position(at)
        mutant = Mutant(self.name, line, column, change, self.line_text(line))
        same = sum(other.line == line and re.sub(r" \(\d+\.\)$", "", other.change) == change for other in self.mutants)
        if same:
            mutant.change += f" ({same + 1}.)"
        self.mutants.append(mutant)
        return mutant

    def wrap(self, first, last, opening, closing, mutants):
        self.edits.append((self.tokens[first].begin, self.tokens[last].end, opening, closing, mutants))

    def find(self):
        """Fills `mutants`, and `edits`: (begin, end, text before, text after, mutants), numbers still as {0}, {1}."""
        body = self.bodies()
        self.constant_evaluation()
        for at, token in enumerate(self.tokens):
            if token.constant:
                continue
            if not body[at]:
                # members' first values and those of arguments
                if token.kind == "number" and (self.text_of(at - 1) in ("=", "{") and self.text_of(at + 1) in (";", "}", ",")):
                    self.number(at, at)
                continue
            if self.text_of(at - 1) == "operator":
                continue
            if token.kind == "number" and self.text_of(at - 1) == "[" and self.text_of(at + 1) == "]" and (
                    self.text_of(at + 2) == "{"):
                continue  # the size of an array
            if token.kind == "number" and self.text_of(at - 1) != "case":
                self.number(at, at)
            elif token.kind == "name" and self.is_constant(token) and self.is_use(at):
                first = at
                while self.text_of(first - 1) == "::" and self.tokens[first - 2].kind == "name":
                    first -= 2
                if not (self.text_of(first - 1) == "::" or self.text_of(first - 1) in (".", "->")):
                    self.number(first, at)
            elif token.text in BINARY and token.spaced and token.apart and token.match is None:
                if "..." not in (self.text_of(at - 1), self.text_of(at + 1)):
                    changes = [self.add(at, f"'{token.text}' to '{other}'") for other in BINARY[token.text]]
                    text = f" ::mutants::op({{0}}) {token.text}"
                    self.edits.append((token.end, token.end, text, "", changes))
            elif token.text in COMPOUND:
                first = self.postfix_before(at)
                if first is not None and self.text_of(at + 1) != "{":
                    change = self.add(at, f"'{token.text}' to '{COMPOUND[token.text]}'")
                    self.wrap(first, at - 1, "::mutants::changed(", ", {0})", [change])
            elif token.text in ("&&", "||") and token.spaced and token.apart:
                self.logical(at)
            elif token.text == "?":
                first, last = self.region(at, {"||", "&&"})
                self.condition(first, last - 1 if last > at else last, first, at - 1)
            elif token.text in ("if", "while") and self.text_of(at + 1) == "(":
                self.controlled(at)
            elif token.text == "!" and not token.apart:
                self.negation(at)
        for at in range(len(self.tokens)):
            if body[at] and not self.tokens[at].constant:
                self.statement(at)
        self.mutants.sort(key=lambda mutant: (mutant.line, mutant.column))
        return self.mutants

    def constant_evaluation(self):
        """What `if (std::is_constant_evaluated())` leads to: nothing is changed there, and so nothing would be met."""
        for at, token in enumerate(self.tokens):
            if token.text != "if" or self.text_of(at + 1) != "(":
                continue
            closing = self.tokens[at + 1].match
            if "".join(word.text for word in self.tokens[at + 2:closing]) != "std::is_constant_evaluated()":
                continue
            after = closing + 1
            end = self.tokens[after].match if self.text_of(after) == "{" else next(
                i for i in self.top(after, len(self.tokens)) if self.tokens[i].text == ";")
            self.mark_constant(after, end + 1)

    def bodies(self):
        inside = [False] * len(self.tokens)
        for at, token in enumerate(self.tokens):
            if token.block == "body":
                for i in range(at + 1, token.match):
                    inside[i] = True
        # and what initialises members: `: offset_{step_number * step} {`
        for at, token in enumerate(self.tokens):
            if token.text in "{(" and self.opens(at) and not inside[at] and token.block in ("value", None):
                if self.tokens[at - 1].kind == "name" and self.text_of(at - 2) in (":", ",") and self.member_of_list(at - 2):
                    for i in range(at + 1, token.match):
                        inside[i] = True
        return inside

    def member_of_list(self, at):
        """Whether the ':' or ',' belongs to a list that initialises members."""
        while at > 0:
            if self.text_of(at) == ":":
                return self.text_of(at - 1) in (")", "noexcept", "const")
            if self.text_of(at) in (";", "}") and not self.closes(at):
                return False
            at = self.tokens[at].match - 1 if self.closes(at) else at - 1
        return False

    def is_use(self, at):
        after, before = self.text_of(at + 1), self.tokens[at - 1] if at else None
        if after in ("(", "[", "{", "::", ".") or (after == "<" and self.opens(at + 1)) or after in ASSIGNMENTS:
            return False
        return not (before is not None and (before.kind == "name" and before.text not in ("return", "else", "case")
                                            or before.text in (".", "->")
                                            or before.text in ("&", "*") and not before.spaced and False))

    def number(self, first, last):
        text = self.text[self.tokens[first].begin:self.tokens[last].end]
        changes = [self.add(first, f"'{text}' to '{text} + 1'"), self.add(first, f"'{text}' to '{text} - 1'")]
        self.wrap(first, last, "::mutants::number(", ", {0})", changes)

    def postfix_before(self, at):
        """Where the expression begins that ends before `at`: names, calls, members."""
        i = at - 1
        while i >= 0:
            if self.closes(i):
                opening = self.tokens[i].match
                if self.tokens[opening].text == "{":
                    return None
                before = self.tokens[opening - 1]
                if before.kind == "name" or before.text in (")", "]", ">"):
                    i = opening - 1
                    continue
                return opening
            if self.tokens[i].kind == "name":
                if self.text_of(i - 1) in (".", "->", "::"):
                    i -= 2
                    continue
                while self.text_of(i - 1) == "*" and not self.tokens[i - 1].apart:
                    i -= 1
                return i
            return None
        return None

    def postfix_after(self, at):
        """Where the expression ends that begins at `at`, without its prefixes."""
        i = at
        while self.text_of(i) in ("!", "*", "-", "~", "&", "++", "--"):
            i += 1
        if self.opens(i):
            i = self.tokens[i].match
        while True:
            after = self.text_of(i + 1)
            if after in (".", "->", "::"):
                i += 2
            elif after in ("(", "[", "{", "<") and self.opens(i + 1) and not (after == "{" and self.tokens[i + 1].spaced):
                i = self.tokens[i + 1].match
            else:
                return i

    def region(self, at, within):
        """First and last place of the operands around the operator `at`, which may hold the operators `within`."""
        stops = {";", ",", "?", ":", "return", "co_return", "case", "else", "do", "=", *COMPOUND, "&&", "||"} - within
        first = at
        while first > 0:
            before = first - 1
            if self.closes(before):
                if self.tokens[before].text == "}" and self.tokens[self.tokens[before].match].block != "value":
                    break
                first = self.tokens[before].match
            elif self.opens(before) or self.tokens[before].text in stops:
                break
            else:
                first = before
        last = at
        while last + 1 < len(self.tokens):
            after = last + 1
            if self.opens(after):
                last = self.tokens[after].match
            elif self.closes(after) or self.tokens[after].text in stops:
                break
            else:
                last = after
        # `if (a) x = ...` : the control's parentheses are no operand
        while self.text_of(first) in ("if", "while", "for", "switch", "constexpr"):
            first += 1
            if self.opens(first):
                first = self.tokens[first].match + 1
        return first, last

    def logical(self, at):
        operator = self.tokens[at].text
        within = {"&&"} if operator == "&&" else {"&&", "||"}
        first, last = self.region(at, within)
        if self.text_of(first - 1) in ("return",) and False:
            return
        places = [i for i in self.top(first, last + 1) if self.tokens[i].text == operator]
        if places[0] != at or any(self.tokens[i].text == "..." for i in self.top(first, last + 1)):
            return
        if any(token.text == "is_constant_evaluated" for token in self.tokens[first:last + 1]):
            return
        other, neutral = ("||", "true") if operator == "&&" else ("&&", "false")
        exchanged = self.add(at, f"'{operator}' to '{other}'")
        bounds = [first - 1, *places, last + 1]
        for begin, end in zip(bounds, bounds[1:]):
            text = " ".join(self.text[self.tokens[begin + 1].begin:self.tokens[end - 1].end].split())
            dropped = self.add(begin + 1, f"without '{text}'")
            self.wrap(begin + 1, end - 1, "::mutants::operand(static_cast<bool>(", f"), {neutral}, {{0}}, {{1}})",
                      [dropped, exchanged])
        self.wrap(first, last, "::mutants::flip(", ", {0})", [exchanged])

    def condition(self, first, last, begin, end):
        """The other way round, unless one of its own operators makes it that."""
        top = [self.tokens[i].text for i in self.top(begin, end + 1)]
        if not top or COMPARISONS & set(top) or {"&&", "||", "..."} & set(top):
            return False
        if any(self.tokens[i].text in ASSIGNMENTS for i in self.top(begin, end + 1)):
            return False
        text = " ".join(self.text[self.tokens[begin].begin:self.tokens[end].end].split())
        change = self.add(begin, f"'{text}' the other way round")
        self.wrap(begin, end, "::mutants::flip(static_cast<bool>(", "), {0})", [change])
        return True

    def controlled(self, at):
        opening, closing = at + 1, self.tokens[at + 1].match
        begin = opening + 1
        for i in self.top(begin, closing):
            if self.tokens[i].text == ";":
                begin = i + 1
        if any(self.tokens[i].text == "=" for i in self.top(begin, closing)):
            return  # declares
        if any(token.text == "is_constant_evaluated" for token in self.tokens[begin:closing]):
            return  # always the same at run time
        after = closing + 1
        while self.text_of(after) == "[" and self.text_of(after + 1) == "[":
            after = self.tokens[after].match + 1
        if self.text_of(after) == "__builtin_unreachable":
            self.mark_constant(opening, closing)
            return
        self.condition(begin, closing - 1, begin, closing - 1)
        if self.tokens[at].text == "if":
            leaves = self.text_of(after) in LEAVES
            end = after
            if self.text_of(after) == "{":
                end = self.tokens[after].match
                statements = [i for i in self.top(after + 1, end) if self.tokens[i].text == ";"]
                last = statements[-2] + 1 if len(statements) > 1 else after + 1
                leaves = self.text_of(last) in LEAVES
            else:
                end = next(i for i in self.top(after, len(self.tokens)) if self.tokens[i].text == ";")
            if leaves and self.text_of(end + 1) != "else":
                text = " ".join(self.text[self.tokens[begin].begin:self.tokens[closing - 1].end].split())
                change = self.add(begin, f"never '{text}'")
                self.wrap(begin, closing - 1, "::mutants::unless(static_cast<bool>(", "), {0})", [change])

    def negation(self, at):
        end = self.postfix_after(at + 1)
        begin, before, after = self.tokens[at].begin, self.text_of(at - 1), self.text_of(end + 1)
        if any(edit[0] == begin and edit[1] == self.tokens[end].end and "flip" in edit[2] for edit in self.edits):
            return
        if before == "(" and after == ")" and self.text_of(at - 2) in ("if", "while") or after == "?":
            return  # the whole condition
        text = self.text[begin:self.tokens[end].end]
        if "is_constant_evaluated" in text:
            return
        change = self.add(at, f"'{text}' the other way round")
        self.wrap(at, end, "::mutants::flip(static_cast<bool>(", "), {0})", [change])

    def statement(self, at):
        """A statement that begins here and can be left out."""
        before, token = self.tokens[at - 1], self.tokens[at]
        header = before.text == ")" and before.match is not None and (
            self.text_of(before.match - 1) in ("if", "for", "while")
            or self.text_of(before.match - 1) == "constexpr" and self.text_of(before.match - 2) == "if")
        attribute = before.text == "]" and before.match is not None and self.text_of(before.match + 1) == "["
        begins = (before.text == ";" and not self.in_for(at) or before.text == "{" and before.block == "body"
                  or before.text == "}" and before.match is not None and self.tokens[before.match].block in ("body", "scope")
                  or header or attribute or before.text in ("else", "do"))
        if before.text == "}" and token.text == "(" and not token.spaced:
            return  # calls a lambda
        if not begins or token.text in NOT_STATEMENTS - {"break"} or token.text in ("{", "}", ";", "[", ")"):
            return
        if token.text == "break" and (header or attribute):
            return
        end = at
        for i in self.top(at, len(self.tokens)):
            if self.tokens[i].text == ";" or self.closes(i):
                end = i
                break
        if self.tokens[end].text != ";" or self.is_declaration(at, end):
            return
        text = " ".join(self.text[self.tokens[at].begin:self.tokens[end].begin].split())
        if text.startswith(("__builtin_unreachable", "__builtin_trap")) or re.fullmatch(r"static_cast<void>\(\w+\)", text):
            return
        change = self.add(at, f"without '{text}'")
        self.wrap(at, end, "{{ if (::mutants::keep({0})) ", " }}", [change])

    def in_for(self, at):
        """Whether the ';' before `at` is within the parentheses of a loop."""
        depth, i = 0, at - 1
        while i >= 0:
            if self.closes(i):
                i = self.tokens[i].match
            elif self.opens(i):
                return self.tokens[i].text == "("
            i -= 1
        return False

    def is_declaration(self, begin, end):
        previous = None
        for at in self.top(begin, end):
            token = self.tokens[at]
            if token.text in ("(", "[", "=", "{") or token.text in ASSIGNMENTS:
                return False
            if token.text == "<" and self.opens(at):
                previous = self.tokens[token.match]
                if self.tokens[token.match + 1].kind == "name":
                    return True
                continue
            if token.kind == "name" and previous is not None and (
                    previous.kind == "name" or previous.text in (">", "&", "*", "&&") and not previous.spaced
                    and previous is not self.tokens[begin]):
                return True
            previous = token
        return False

    # --- writing -------------------------------------------------------------------------------------------------

    def written(self, without=frozenset()):
        """The header with its mutants in it, but for those that are named; every line stays where it is."""
        inserts = []
        for place, (begin, end, before, after, mutants) in enumerate(self.edits):
            if any(mutant in without for mutant in mutants):
                continue
            numbers = [mutant.number for mutant in mutants]
            order = (end - begin)
            inserts.append((begin, 1 if end > begin else 0, -order, place, before.format(*numbers)))
            if after:
                inserts.append((end, 0, order, -place, after.format(*numbers)))
        inserts.sort(key=lambda insert: insert[:4])
        out, last = [], 0
        for place, _, _, _, text in inserts:
            out += [self.text[last:place], text]
            last = place
        return "".join(out) + self.text[last:]
