"""The parameters of a kernel, as its text in OpenCL C or CUDA C declares them. A macro, a template or a typedef that is not understood leaves
a parameter's type unknown; it is never guessed."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Mapping, Optional, Sequence

import numpy as np

_KERNEL = re.compile(r"\b(?:__kernel|kernel|__global__)\b")
_ATTRIBUTES = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__launch_bounds__\s*\([^()]*\)")
_QUALIFIERS = {"const", "volatile", "restrict", "__restrict__", "__restrict", "__global", "global", "__constant", "constant", "__private",
               "private", "struct", "register", "__grid_constant__"}
#: Element types by their words in order of the alphabet, so that "unsigned long" and "long unsigned" are one.
_TYPES = {"bool": "bool", "char": "int8", "char signed": "int8", "uchar": "uint8", "char unsigned": "uint8", "short": "int16", "ushort": "uint16",
          "short unsigned": "uint16", "int": "int32", "signed": "int32", "uint": "uint32", "unsigned": "uint32", "int unsigned": "uint32",
          "long": "int64", "long long": "int64", "ulong": "uint64", "long unsigned": "uint64", "long long unsigned": "uint64", "half": "float16",
          "__half": "float16", "float": "float32", "double": "float64", "int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16",
          "uint16_t": "uint16", "int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64"}
#: Complex numbers are pairs of these.
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


@dataclasses.dataclass
class Parameter:
    """One parameter: `text` as it is declared; `element` the numpy type of a number or of a pointer's elements, None where it is not known."""
    text: str
    name: str
    pointer: bool
    constant: bool
    local: bool
    element: Optional[str]

    def takes(self, dtype: np.dtype) -> bool:
        """True if elements of this type are what the text declares, as far as that is known."""
        if self.element is None:
            return True
        known = [self.element, *([_COMPLEX[self.element]] if self.pointer and self.element in _COMPLEX else [])]
        return dtype.name in known or dtype == np.bool_ and self.element in ("int8", "uint8")


def bare(text: str) -> str:
    """A text without comments and continued lines."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text.replace("\\\n", " "), flags=re.S)


def kernels(text: str) -> list[str]:
    """Names of the kernels in a text, in order."""
    found: list[str] = []
    text = _ATTRIBUTES.sub(" ", bare(text))
    for start in _KERNEL.finditer(text):
        name = re.match(r"[\w\s]*?\b(\w+)\s*\(", text[start.end():start.end() + 2000])
        if name and name.group(1) not in found:
            found.append(name.group(1))
    return found


def parameters(text: str, kernel: str, macros: Mapping[str, Any], varying: Sequence[str]) -> Optional[list[Parameter]]:
    """Parameters of a kernel; None where the text does not show them. `macros` are given to the compiler, `varying` with other values each time."""
    text = _ATTRIBUTES.sub(" ", bare(text))
    types = _named_types(text, macros, varying)
    lists = []
    for found in re.finditer(rf"\b{re.escape(kernel)}\s*\(", text):
        before = text[max(text.rfind(c, 0, found.start()) for c in ";}#") + 1:found.start()]
        end = _closing(text, found.end())
        if end is not None and _KERNEL.search(before):
            lists.append([_parameter(piece, types) for piece in _pieces(text[found.end():end])])
    if not lists or any(p is None for p in lists[0]) or any(other != lists[0] for other in lists[1:]):
        return None  # or there are variants, of which a macro chooses one
    return [p for p in lists[0] if p is not None]


def _closing(text: str, start: int) -> Optional[int]:
    """Position of the parenthesis that closes a list."""
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if not depth:
            return i
    return None


def _pieces(text: str) -> list[str]:
    """A list of parameters at its commas; those inside of brackets are none."""
    if text.strip() in ("", "void"):
        return []
    parts, depth = [""], 0
    for c in text:
        depth += (c in "(<[") - (c in ")>]")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [" ".join(p.split()) for p in parts]


def _named_types(text: str, macros: Mapping[str, Any], varying: Sequence[str]) -> dict[str, Optional[str]]:
    """Names that stand for a type: macros and typedefs; None where a name stands for several."""
    found: dict[str, Optional[str]] = {n: str(v) for n, v in macros.items()}
    pairs = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([\w \t]+?)[ \t]*$", text, re.M)
    pairs += [(new, old) for old, new in re.findall(r"\btypedef\s+([\w\s]+?)\s+(\w+)\s*;", text)]
    for name, words in pairs:
        found[name] = words if found.get(name, words) == words else None
    return {**found, **{n: None for n in varying}}


def _parameter(piece: str, types: Mapping[str, Optional[str]]) -> Optional[Parameter]:
    """One parameter of a list; None where it does not have a type and a name."""
    local = re.fullmatch(r"HED_LOCAL ?\((.*), ?(\w+)\)", piece)
    if local:
        return Parameter(piece, local.group(2), True, False, True, None)
    words = re.findall(r"\w+|[*&\[]|<.*>|::", re.sub(r"\[[^]]*\]", "[", piece))
    names = [w for w in words if re.match(r"\w", w)]
    if len(names) < 2 or not re.fullmatch(r"[A-Za-z_]\w*", names[-1]) or re.search(r"[()]", piece):
        return None
    pointer = "*" in words or "[" in words
    before = words[:words.index("*")] if "*" in words else words
    stars = words.count("*") + words.count("[")
    plain = [w for w in names[:-1] if w not in _QUALIFIERS]
    simple = all(re.match(r"[\w*\[]", w) for w in words) and stars <= 1
    return Parameter(piece, names[-1], pointer, "const" in before or "__constant" in words or "constant" in words,
                     "__local" in words or "local" in words, _element(plain, types) if simple else None)


def _element(words: list[str], types: Mapping[str, Optional[str]]) -> Optional[str]:
    """The numpy type that a declaration's words name."""
    for _ in range(8):  # a macro may name another one
        if not any(w in types for w in words):
            break
        words = [x for w in words for x in ((types[w] or "?").split() if w in types else [w]) if x not in _QUALIFIERS]
    if len(words) == 1:
        vector = re.fullmatch(r"(u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)", words[0])
        words = [vector.group(1)] if vector else words
    return _TYPES.get(" ".join(sorted(words)))
