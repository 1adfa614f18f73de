"""CSS matched against whole documents: `doc.match(sheet)` gives pairs of element and rule as two arrays."""
from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._definitions import choice, fill, listed, named, truth, whole
from ._devices import Device, device as find_device
from ._html import table
from ._library import C, Handle, Object, call, ffi, made, raise_error, text, word

__all__ = ["NONE", "OWN_STYLE", "Document", "Match", "Names", "Part", "Reduced", "Sheet", "Unused", "unused"]

#: No element, no rule.
NONE = 0xFFFFFFFF
#: In place of a rule: the style attribute of the element itself.
OWN_STYLE = 0xFFFFFFFE


class Names(Object):
    """A table of names. Documents and sheets that are matched together share one; unless told they share the module's own."""

    def __init__(self) -> None:
        self._handle = Handle(self, made(C.hed_css_names_create, "hed_css_names", ffi.NULL), C.hed_css_names_destroy)


_names: list[Names] = []


def _shared(names: Optional[Names]) -> Names:
    if names is not None and not isinstance(names, Names):
        raise TypeError(f"names: {names!r} is a {type(names).__name__}; expected heddle.css.Names()")
    if names is None:
        if not _names:
            _names.append(Names())
        return _names[0]
    return names


def _content(words: Union[str, bytes], what: str) -> bytes:
    """UTF-8 of a text, or bytes as they are."""
    if isinstance(words, str):
        return words.encode("utf-8", "surrogateescape")
    if not isinstance(words, (bytes, bytearray, memoryview)):
        raise TypeError(f"{what} is a {type(words).__name__}: expected a text, or bytes")
    return bytes(words)


def _element(each: Any, index: int) -> tuple[int, Any, Mapping[str, Any]]:
    """Parent, name and attributes of an element of a tree."""
    try:
        parent, name, attributes = each
    except (TypeError, ValueError):
        raise ValueError(f"element {index}: {each!r}; expected (parent, name, attributes)") from None
    if whole(parent, f"the parent of element {index}", -1) >= index:
        raise ValueError(f"element {index} has the parent {parent}; expected an earlier element, or -1")
    if not isinstance(attributes, Mapping):
        raise TypeError(f"element {index}: attributes {attributes!r}; expected a dict")
    return int(parent), name, attributes


class Sheet(Object):
    """A style sheet.

    file, line  for messages; origin  "author", "user" or "user_agent"; media  of the link or style element
    medium  what @media is asked: {"type": "print", "width": 800, "dark": True ...}; a desktop unless told
    imports  texts for @import, by their URL"""

    def __init__(self, css: Union[str, bytes], *, file: str = "sheet", line: int = 1, origin: str = "author", media: Optional[str] = None,
                 medium: Optional[Mapping[str, Any]] = None, quirks: bool = False, split: bool = False,
                 imports: Optional[Mapping[str, str]] = None, names: Optional[Names] = None):
        self.names, keep = _shared(names), []
        content = _content(css, "a style sheet")
        definition = ffi.new("hed_css_sheet_def *")
        keep.append(ffi.new("hed_css_medium *", C.hed_default_css_medium()))
        definition.medium = keep[-1]
        fill(definition.medium, named(medium, "medium"), keep)
        keep.append(ffi.from_buffer(content))
        definition.text, definition.length = keep[-1], len(content)
        fill(definition, {"file": file, "line": line, "quirks": quirks, "split": split,
                          "origin": ["user_agent", "user", "author"].index(choice(origin, "origin", ["author", "user", "user_agent"]))}, keep)
        if media is not None:
            fill(definition, {"media": media}, keep)
        given = {url: ffi.from_buffer(_content(t, f"the import {url!r}")) for url, t in named(imports, "imports").items()}

        def found(_: Any, __: int, url: Any, length: Any) -> Any:
            piece = given.get(text(url))
            if piece is None:
                return ffi.NULL
            length[0] = len(piece)
            return ffi.cast("const char *", piece)

        keep.append(ffi.callback("const char *(void *, uint32_t, const char *, size_t *)", found))
        setattr(definition, "import", keep[-1])
        self._handle = Handle(self, made(C.hed_css_sheet_create, "hed_css_sheet", self.names.p, definition), C.hed_css_sheet_destroy, self.names)

    def __len__(self) -> int:
        """Number of style rules."""
        return int(C.hed_css_rule_count(self.p))

    def rule(self, index: int) -> dict[str, Any]:
        """Facts about a rule: selector, line, column, specificity (a, b, c), applies, valid, reason ..."""
        if not 0 <= whole(index, "rule", -1 << 63) < len(self):
            raise IndexError(f"rule {index}: the sheet has {len(self)}, from 0 on")
        r = C.hed_css_rule_at(self.p, index)
        s = int(r.specificity)
        return {"selector": ffi.unpack(r.selector, r.selector_length).decode("utf-8", "replace") if r.selector_length else "",
                "line": int(r.line), "column": int(r.column), "specificity": (s >> 20, s >> 10 & 1023, s & 1023), "applies": bool(r.applies),
                "valid": r.validity == C.HED_CSS_VALID, "reason": text(r.reason), "important": bool(r.important), "state": bool(r.state),
                "pseudo_element": bool(r.pseudo_element), "begin": int(r.begin), "end": int(r.end)}

    @property
    def rules(self) -> list[dict[str, Any]]:
        return [self.rule(i) for i in range(len(self))]

    def __repr__(self) -> str:
        return f"<heddle.css.Sheet of {len(self)} rules>"

    def _repr_html_(self) -> str:
        return table(["", "selector", "line", "specificity"],
                     [[i, r["selector"] if r["valid"] else f"{r['selector']} ({r['reason']})", r["line"], ",".join(map(str, r["specificity"]))]
                      for i, r in ((i, self.rule(i)) for i in range(min(len(self), 50)))],
                     f"{len(self)} rules")


class Document(Object):
    """A tree of elements, numbered in document order from 0, the root. parse() makes one of HTML, from_elements() of any tree."""

    def __init__(self, definition: Any, keep: Any, names: Optional[Names]):
        self.names = _shared(names)
        self._handle = Handle(self, made(C.hed_css_document_create, "hed_css_document", self.names.p, definition), C.hed_css_document_destroy,
                              self.names)

    @classmethod
    def parse(cls, html: Union[str, bytes], *, file: str = "page", names: Optional[Names] = None) -> Document:
        """HTML, as browsers read it."""
        content = _content(html, "a page")
        keep: list[Any] = [ffi.from_buffer(content), word(file, "file")]
        return cls(ffi.new("hed_css_document_def *", {"html": keep[0], "html_length": len(content), "file": keep[1]}), keep, names)

    @classmethod
    def open(cls, file: Union[str, os.PathLike[str]], names: Optional[Names] = None) -> Document:
        """An HTML file."""
        with open(file, "rb") as page:
            return cls.parse(page.read(), file=os.fspath(file), names=names)

    @classmethod
    def from_elements(cls, elements: Sequence[tuple[int, str, Mapping[str, str]]], *, quirks: bool = False,
                      names: Optional[Names] = None) -> Document:
        """A tree of (parent, name, attributes): the parent an earlier element, or -1 for a root."""
        keep: list[Any] = []
        elements = listed(elements, "elements", "a list of (parent, name, attributes)")
        list_ = ffi.new("hed_css_element[]", len(elements))
        for i, (at, each) in enumerate(zip(list_, elements)):
            parent, name, attributes = _element(each, i)
            keep.append(word(name, f"the name of element {i}"))
            at.parent, at.name = NONE if parent < 0 else parent, keep[-1]
            pairs = [(word(k, f"an attribute of element {i}"), word(v, f"attribute {k} of element {i}")) for k, v in attributes.items()]
            keep += [pairs, ffi.new("hed_css_attribute[]", [{"name": k, "value": v} for k, v in pairs])]
            at.attributes, at.attribute_count = keep[-1], len(pairs)
        return cls(ffi.new("hed_css_document_def *", {"elements": list_, "element_count": len(elements),
                                                        "quirks": truth(quirks, "quirks")}), keep, names)

    def __len__(self) -> int:
        """Number of elements."""
        return int(C.hed_css_document_describe(self.p).elements)

    def _check(self, element: int) -> int:
        if not 0 <= whole(element, "element", -1 << 63) < len(self):
            raise IndexError(f"element {element}: the document has {len(self)}, from 0 on")
        return element

    def element(self, element: int) -> str:
        """An element as a short text: "div#main.wide"."""
        out = ffi.new("char[]", 256)
        C.hed_css_element_text(self.p, self._check(element), out, 256)
        return text(out)

    def parent(self, element: int) -> Optional[int]:
        found = int(C.hed_css_element_parent(self.p, self._check(element)))
        return None if found == NONE else found

    def line(self, element: int) -> int:
        """Of its start tag, from 1; 0: unknown."""
        return int(C.hed_css_element_line(self.p, self._check(element)))

    def select(self, selector: str) -> np.ndarray:
        """The elements that a selector matches, in order."""
        count, words = ffi.new("uint32_t *"), word(selector, "selector")
        call(C.hed_css_select, self.p, words, ffi.NULL, 0, count)
        found = np.empty(count[0], np.uint32)
        if len(found):
            call(C.hed_css_select, self.p, words, ffi.from_buffer("uint32_t[]", found), len(found), count)
        return found

    def match(self, *sheets: Sheet, device: Union[str, Device, None] = None) -> Match:
        """Which rules match which elements. It can be taken apart: elements, rules = doc.match(sheet)."""
        return Match([self], sheets, device=device)

    def __repr__(self) -> str:
        return f"<heddle.css.Document of {len(self)} elements>"


class Match(Object):
    """Documents and sheets, matched. Rules are numbered on from sheet to sheet, elements from document to document. The pairs of element
    and rule are `elements` and `rules`, in order; iterating gives these two arrays.

    device  None: plain C on the processor, else any device, with the same results"""

    def __init__(self, documents: Sequence[Document], sheets: Sequence[Sheet], *, device: Union[str, Device, None] = None,
                 states_possible: bool = False):
        on = None if device is None else find_device(device)
        self.documents, self.sheets = listed(documents, "documents", "a list of documents"), listed(sheets, "sheets", "a list of sheets")
        for name, each, kind in (("documents", self.documents, Document), ("sheets", self.sheets, Sheet)):
            if not all(isinstance(x, kind) for x in each):
                raise TypeError(f"{name}: {each!r}; expected a list of heddle.css.{kind.__name__}")
        lists = [ffi.new("hed_css_document *[]", [d.p for d in documents]), ffi.new("hed_css_sheet *[]", [s.p for s in sheets])]
        definition = ffi.new("hed_css_matcher_def *", {"documents": lists[0], "document_count": len(documents), "sheets": lists[1],
                                                       "sheet_count": len(sheets), "states_possible": truth(states_possible, "states_possible")})
        pointer = made(C.hed_css_matcher_create, "hed_css_matcher", ffi.NULL if on is None else on.p, definition)
        self._handle = Handle(self, pointer, C.hed_css_matcher_destroy, on, *documents, *sheets)
        call(C.hed_css_match, self.p)

    def __len__(self) -> int:
        """Number of pairs."""
        return int(C.hed_css_matcher_results(self.p).pairs)

    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        result = C.hed_css_matcher_results(self.p)
        begin, rules = np.empty(result.elements + 1, np.uint64), np.empty(max(1, result.pairs), np.uint32)
        C.hed_css_matcher_pairs(self.p, ffi.from_buffer("uint64_t[]", begin), ffi.from_buffer("uint32_t[]", rules))
        elements = np.repeat(np.arange(result.elements, dtype=np.uint32), np.diff(begin).astype(np.int64))
        return elements, rules[:result.pairs]

    @property
    def elements(self) -> np.ndarray:
        return self._pairs()[0]

    @property
    def rules(self) -> np.ndarray:
        return self._pairs()[1]

    def __iter__(self) -> Any:
        return iter(self._pairs())

    def rules_of(self, element: int) -> np.ndarray:
        """The rules that match an element, ascending."""
        r = C.hed_css_matcher_results(self.p)
        if not 0 <= whole(element, "element", -1 << 63) < r.elements:
            raise IndexError(f"element {element}: there are {r.elements}, from 0 on")
        c = r.element_class[element]
        return np.array([r.rule[i] for i in range(r.class_begin[c], r.class_begin[c + 1])], np.uint32)

    @property
    def counts(self) -> np.ndarray:
        """How many elements each rule matches."""
        found = np.empty(max(1, C.hed_css_matcher_results(self.p).rules), np.uint32)
        C.hed_css_matcher_counts(self.p, ffi.from_buffer("uint32_t[]", found), ffi.NULL)
        return found[:C.hed_css_matcher_results(self.p).rules]

    def winners(self, property: str) -> np.ndarray:
        """For each element the rule whose declaration of a property wins the cascade; NONE, or OWN_STYLE for its style attribute."""
        found = np.empty(max(1, C.hed_css_matcher_results(self.p).elements), np.uint32)
        call(C.hed_css_cascade, self.p, word(property, "property"), ffi.from_buffer("uint32_t[]", found))
        return found[:C.hed_css_matcher_results(self.p).elements]

    def set_attribute(self, element: int, name: str, value: Optional[str], document: int = 0) -> np.ndarray:
        """Changes an attribute (None: removes it) and matches what that can touch: the elements that match other rules now."""
        if not 0 <= whole(document, "document", -1 << 63) < len(self.documents):
            raise IndexError(f"document {document}: there are {len(self.documents)}, from 0 on")
        self.documents[document]._check(element)
        changes = ffi.new("hed_css_changes *")
        call(C.hed_css_set_attribute, self.p, document, element, word(name, "name"), ffi.NULL if value is None else word(value, "value"), changes)
        return np.array(ffi.unpack(changes.elements, changes.count) if changes.count else [], np.uint32)

    def __repr__(self) -> str:
        return f"<heddle.css.Match of {len(self)} pairs>"

    def _repr_html_(self) -> str:
        counts, rows, at = self.counts, [], 0
        for sheet in self.sheets:
            rows += [[at + i, sheet.rule(i)["selector"], int(counts[at + i])] for i in range(len(sheet))]
            at += len(sheet)
        return table(["rule", "selector", "elements"], rows[:50], f"{len(self)} pairs, {int((counts == 0).sum())} rules that match nothing")


# ---- unused rules ----

class Part(NamedTuple):
    """A rule, a selector of a list, keyframes, a font, a custom property or a layer, and the judgement on it."""
    kind: str   #: "rule" (all its selectors are unused), "selector", "@keyframes", "@font-face", "@counter-style" and the like, "custom property", "@layer"
    text: str   #: selector on one line, or name
    line: int   #: in its sheet, from 1
    begin: int  #: first byte of the sheet's UTF-8
    end: int
    reason: str  #: "unused", "element", "state", "word", "keep", "not judged", "name"
    found: str   #: evidence for the reason: the element, the word, the pattern; "": none
    where: str   #: page, text or origin of the evidence
    where_line: int


class Reduced(NamedTuple):
    """A sheet without its unused parts."""
    text: str
    removed: list[Part]
    kept: list[Part]  #: the others; an "unused" one stays because it holds others, or scripts may read it
    map: str  #: source map (JSON): of the sheet's own map where `maps` has one, else one that leads to the sheet


class Unused(NamedTuple):
    """Result of unused()."""
    sheets: dict[str, Reduced]
    bytes: int
    unused_bytes: int
    rules: int
    unused_rules: int
    not_found: list[str]  #: patterns of `keep` that fit nothing in the sheets


def _texts(given: Union[None, str, bytes, Mapping[str, Any], Sequence[Any]], name: str, ending: str) -> dict[str, bytes]:
    """Names and UTF-8 of texts: of a dict by name, of a list, or of one text."""
    if given is None:
        return {}
    if isinstance(given, (str, bytes, bytearray, memoryview)):
        given = [given]
    if not isinstance(given, Mapping):
        given = {f"{name} {i + 1}{ending}": each for i, each in enumerate(listed(given, name, "texts by their names, or a list of texts"))}
    return {key: _content(each, f"{name} {key!r}") for key, each in given.items()}


def _fill_texts(list_: Any, texts: Mapping[str, bytes], keep: list[Any]) -> None:
    """Sets hed_css_text structs."""
    for at, (name, content) in zip(list_, texts.items()):
        keep += [word(name, "a name"), ffi.from_buffer(content)]
        at.name, at.text, at.length = keep[-2], keep[-1], len(content)


def _parts(search: Any, sheet: int) -> tuple[list[Part], list[Part]]:
    removed: list[Part] = []
    kept: list[Part] = []

    def each(_: Any, entry: Any) -> None:
        part = Part(text(entry.kind), text(entry.text), int(entry.line), int(entry.begin), int(entry.end),
                    text(C.hed_css_reason_text(entry.use.reason)), text(entry.use.found), text(entry.use.where), int(entry.use.line))
        (removed if entry.removed else kept).append(part)

    visit = ffi.callback("void(void *, const hed_css_unused_entry *)", each)
    call(C.hed_css_unused_entries, search, sheet, visit, ffi.NULL)
    return removed, kept


def _reduced(search: Any, sheet: int, name: str, map: Optional[bytes]) -> Reduced:
    size, definition, error = ffi.new("size_t *"), ffi.new("hed_css_map_def *"), ffi.new("hed_error *")
    own = ffi.NULL if map is None else ffi.from_buffer(map)
    file = word(name, "a name")
    definition.map, definition.map_length, definition.file = own, len(map or b""), file

    def result(function: Any, *arguments: Any) -> str:
        found = function(search, sheet, *arguments, size, error)
        if found == ffi.NULL:
            raise_error(error)
        return str(ffi.unpack(found, size[0]).decode("utf-8", "replace"))

    removed, kept = _parts(search, sheet)
    return Reduced(result(C.hed_css_unused_text, ffi.NULL), removed, kept, result(C.hed_css_unused_map, definition))


def unused(sheets: Any, pages: Any = None, *, words: Any = None, keep: Sequence[str] = (), maps: Optional[Mapping[str, Any]] = None,
           keyframes: bool = True, fonts: bool = True, properties: bool = False) -> Unused:
    """Sheets without the rules that nothing on the pages uses, as `heddle css unused`; docs/css.md describes the judgement.

    sheets, pages  texts by their names (a dict), a list of texts, or one text; every page has all sheets
    words  templates, scripts and other texts, whose words keep rules
    keep  patterns of names that stay: "js-*", "#id", "<element>", "[attribute=value]", "--property", "@keyframes NAME", "/regular expression/"
    maps  source maps of the sheets (JSON), by the sheets' names
    keyframes, fonts, properties  whether those that nothing names are removed"""
    alive: list[Any] = []
    given = {"sheets": _texts(sheets, "sheet", ".css"), "pages": _texts(pages, "page", ".html"), "words": _texts(words, "words", ".txt")}
    lists = {name: ffi.new(f"{kind}[]", len(given[name])) for name, kind in
             (("sheets", "hed_css_unused_sheet"), ("pages", "hed_css_unused_page"), ("words", "hed_css_text"))}
    _fill_texts([each.sheet for each in lists["sheets"]], given["sheets"], alive)
    _fill_texts([each.html for each in lists["pages"]], given["pages"], alive)
    _fill_texts(lists["words"], given["words"], alive)
    patterns = listed(keep, "keep", "a list of patterns")
    list_ = ffi.new("hed_css_keep[]", len(patterns))
    for at, pattern in zip(list_, patterns):
        alive.append(word(pattern, "keep"))
        at.pattern = alive[-1]
    strangers = [name for name in named(maps, "maps") if name not in given["sheets"]]
    if strangers:
        raise ValueError(f"maps: there is no sheet {strangers[0]!r}; expected names of sheets: {', '.join(given['sheets'])}")
    given_maps = {name: _content(each, f"the map of {name!r}") for name, each in named(maps, "maps").items()}
    definition = ffi.new("hed_css_unused_def *", C.hed_default_css_unused_def())
    definition.sheets, definition.sheet_count = lists["sheets"], len(given["sheets"])
    definition.pages, definition.page_count = lists["pages"], len(given["pages"])
    definition.words, definition.word_count = lists["words"], len(given["words"])
    definition.keep, definition.keep_count = list_, len(patterns)
    for name, value in (("keyframes", keyframes), ("fonts", fonts), ("properties", properties)):
        setattr(definition, name, truth(value, name))
    search = ffi.gc(made(C.hed_css_unused_create, "hed_css_unused", ffi.NULL, definition), C.hed_css_unused_destroy)
    call(C.hed_css_unused_run, search)
    info = C.hed_css_unused_describe(search)
    return Unused({name: _reduced(search, i, name, given_maps.get(name)) for i, name in enumerate(given["sheets"])},
                  int(info.bytes), int(info.unused_bytes), int(info.rules), int(info.unused_rules),
                  [p for i, p in enumerate(patterns) if not C.hed_css_unused_keep_fits(search, i)])
