"""Filling C structs by the names of their members."""
from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

import numpy as np

from ._library import Object, ffi

_NUMBERS = {"float": np.float32, "double": np.float64, "uint32_t": np.uint32, "int32_t": np.int32, "int64_t": np.int64, "uint64_t": np.uint64,
            "uint8_t": np.uint8, "bool": np.bool_, "_Bool": np.bool_}


def numbers(values: Any, ctype: str, shape: Sequence[int], what: str, keep: list[Any]) -> Any:
    """An array as C wants it: of this shape (-1: any), contiguous, alive as long as `keep`. Anything with the right memory is not copied."""
    array: np.ndarray = np.ascontiguousarray(values, _NUMBERS[ctype])
    if array.ndim != len(shape) or any(want not in (-1, n) for want, n in zip(shape, array.shape)):
        want = " x ".join("n" if n == -1 else str(n) for n in shape)
        raise ValueError(f"{what} has shape {' x '.join(map(str, array.shape)) or '()'}: expected {want}")
    pointer = ffi.from_buffer(f"{ctype}[]", array)
    keep += [array, pointer]
    return pointer


def objects(keep: Sequence[Any]) -> list[Object]:
    """Those of Heddle's own among what a struct points to: parents of what is made of it."""
    return [k for k in keep if isinstance(k, Object)]


def enumerator(kind: Any, word: Any) -> int:
    """A value of an enum: its number, or the end of its name in lower case ("cpu" for HED_CLOTH_CPU)."""
    if not isinstance(word, str):
        return int(word)
    names = {name.lower(): value for value, name in sorted(kind.elements.items()) if not name.endswith("_COUNT")}
    for name, value in names.items():
        if name == word.lower() or name.endswith("_" + word.lower().replace(" ", "_")):
            return int(value)
    common = os.path.commonprefix(list(names))
    raise ValueError(f"{word!r}: expected one of {', '.join(n[len(common):] for n in names)}")


def fill(struct: Any, values: Mapping[str, Any], keep: list[Any]) -> None:
    """Sets members of a struct by name: numbers, texts, enumerators by name, fixed arrays, structs as dicts."""
    fields = dict(ffi.typeof(struct).item.fields if ffi.typeof(struct).kind == "pointer" else ffi.typeof(struct).fields)
    for name, value in values.items():
        if name not in fields:
            raise TypeError(f"{ffi.typeof(struct).cname.rstrip(' *&')} has no member {name!r}: expected one of {', '.join(fields)}")
        kind = fields[name].type
        if kind.kind == "pointer" and kind.item.cname == "char" and isinstance(value, (str, os.PathLike)):
            keep.append(ffi.new("char[]", os.fsencode(value)))
            setattr(struct, name, keep[-1])
        elif kind.kind == "enum":
            setattr(struct, name, enumerator(kind, value))
        elif kind.kind == "array" and kind.item.kind == "primitive":
            list_ = np.broadcast_to(np.asarray(value, np.float64), (len(value),) if np.ndim(value) else (kind.length,)).tolist()
            if len(list_) > kind.length:
                raise ValueError(f"{name}: {len(list_)} numbers; at most {kind.length}")
            whole = kind.item.cname not in ("float", "double")
            for i, number in enumerate(list_):
                getattr(struct, name)[i] = int(number) if whole else number
        elif kind.kind == "struct" and isinstance(value, Mapping):
            fill(getattr(struct, name), value, keep)
        elif kind.kind == "pointer" and value is None:
            setattr(struct, name, ffi.NULL)
        else:
            keep.append(value)
            setattr(struct, name, value.p if isinstance(value, Object) else value)
