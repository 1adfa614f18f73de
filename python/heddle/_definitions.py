"""Numbers, texts and arrays of a caller, checked before C sees them, and C structs filled by the names of their members."""
from __future__ import annotations

import math
import operator
import os
from typing import Any, Mapping, Optional, Sequence

import numpy as np

from ._library import Object, ffi, path, word

_NUMBERS = {"float": np.float32, "double": np.float64, "uint32_t": np.uint32, "int32_t": np.int32, "int64_t": np.int64, "uint64_t": np.uint64,
            "uint8_t": np.uint8, "bool": np.bool_, "_Bool": np.bool_}
#: Largest value of a whole number, by its bytes.
_LARGEST = {1: (1 << 8) - 1, 2: (1 << 16) - 1, 4: (1 << 32) - 1, 8: (1 << 64) - 1}


# ---- single values ----

def whole(value: Any, name: str, low: int = 0, high: Optional[int] = None) -> int:
    """A whole number from `low` to `high` (None: no limit)."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; expected a whole number") from None
    if found < low or high is not None and found > high:
        raise ValueError(f"{name}: {found}; expected a whole number from {low}{' on' if high is None else f' to {high}'}")
    return found


def number(value: Any, name: str, low: float = -math.inf, high: float = math.inf, above: Optional[float] = None) -> float:
    """A finite number from `low` to `high`, above `above`."""
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)) or np.ndim(value):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; expected a number") from None
    if not math.isfinite(found) or not low <= found <= high or above is not None and found <= above:
        limits = ([f"above {above:g}"] if above is not None else []) + ([f"at least {low:g}"] if low > -math.inf else []) \
            + ([f"at most {high:g}"] if high < math.inf else [])
        raise ValueError(f"{name}: {found:g}; expected a finite number{' ' if limits else ''}{', '.join(limits)}")
    return found


def choice(value: Any, name: str, words: Sequence[str]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name} {value!r}: expected one of {', '.join(words)}")
    return value


def truth(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; expected True or False")
    return bool(value)


def named(values: Any, name: str) -> dict[str, Any]:
    """A dict of names; an empty one for None."""
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(f"{name}: {values!r} is a {type(values).__name__}; expected a dict")
    return dict(values or {})


def callback(value: Any, name: str) -> Any:
    """A function, or None."""
    if value is not None and not callable(value):
        raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; expected a function")
    return value


def listed(values: Any, name: str, expected: str) -> list[Any]:
    """The items of a list or another sequence that is no text."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__") or hasattr(values, "dtype") and not np.ndim(values):
        raise TypeError(f"{name}: {values!r} is a {type(values).__name__}; expected {expected}")
    return list(values)


def vector(values: Any, name: str, length: int = 3) -> list[float]:
    """So many finite numbers."""
    found = listed(values, name, f"{length} numbers")
    if len(found) != length:
        raise ValueError(f"{name}: {len(found)} numbers; expected {length}")
    return [number(x, f"{name}[{i}]") for i, x in enumerate(found)]


# ---- arrays ----

def plain(dtype: Any, name: str = "dtype") -> np.dtype:
    """A type of elements that devices and other packages know: numbers in the order of this machine's bytes, or structs of these."""
    try:
        found = np.dtype(dtype)
    except TypeError as problem:
        raise TypeError(f"{name}: {dtype!r} is no type of numpy's ({problem})") from None
    if not found.itemsize or not _is_plain(found):
        raise TypeError(f"{name}: elements of type {found} are no numbers that devices know; expected bool, 8 to 64 bit integers, 16 to 64 "
                        "bit floats, complex64 or complex128")
    if found.newbyteorder("=") != found:
        raise ValueError(f"{name}: the bytes of {found.str!r} are in the other order than this machine's; "
                         "convert the array first: x.astype(x.dtype.newbyteorder('='))")
    return found


def _is_plain(dtype: np.dtype) -> bool:
    """True if elements are numbers of at most 16 bytes (8 if real), or structs or arrays of these."""
    if dtype.names is not None:
        return all(_is_plain(dtype[n]) for n in dtype.names)
    if dtype.subdtype is not None:
        return _is_plain(dtype.base)
    return dtype.kind in "biu" and dtype.itemsize <= 8 or dtype.kind == "f" and dtype.itemsize <= 8 or dtype.kind == "c" and dtype.itemsize <= 16


def converted(values: Any, dtype: Any, name: str) -> np.ndarray:
    """Values as a contiguous array of `dtype`. Whole numbers have to fit exactly; floats are rounded, but do not overflow."""
    try:
        array = np.asarray(values)
    except ValueError as problem:  # rows of different lengths
        raise ValueError(f"{name}: {problem}") from None
    to = np.dtype(dtype)
    if array.dtype == to:
        return np.ascontiguousarray(array).reshape(array.shape)  # which makes one dimension of none
    if array.size and (array.dtype.kind not in "biufc" or to.kind not in "biufc"):
        raise TypeError(f"{name}: elements of type {array.dtype} were given; expected numbers that fit {to}")
    if array.dtype.kind == "c" and to.kind != "c":
        raise TypeError(f"{name}: complex numbers were given; expected {to}")
    with np.errstate(all="ignore"):
        found = np.ascontiguousarray(array, to).reshape(array.shape)
        lost = found != array if to.kind in "biu" else np.isfinite(array) & ~np.isfinite(found)
    if array.size and lost.any():
        first = array[lost].flat[0] if array.ndim else array[()]
        raise ValueError(f"{name}: {first} does not fit {to}; convert the values first, or use another type")
    return found


def numbers(values: Any, ctype: str, shape: Sequence[int], name: str, keep: list[Any]) -> Any:
    """An array as C wants it: of this shape (-1: any), contiguous, alive as long as `keep`. Anything with the right memory is not copied."""
    array = converted(values, _NUMBERS[ctype], name)
    if array.ndim != len(shape) or any(n not in (-1, found) for n, found in zip(shape, array.shape)):
        expected = " x ".join("n" if n == -1 else str(n) for n in shape)
        raise ValueError(f"{name} has shape {' x '.join(map(str, array.shape)) or '()'}: expected {expected}")
    pointer = ffi.from_buffer(f"{ctype}[]", array)
    keep += [array, pointer]
    return pointer


# ---- structs ----

def objects(keep: Sequence[Any]) -> list[Object]:
    """Those of Heddle's own among what a struct points to: parents of what is made of it."""
    return [k for k in keep if isinstance(k, Object)]


def enumerator(kind: Any, value: Any, name: str) -> int:
    """A value of an enum: its number, or the end of its name in lower case ("cpu" for HED_CLOTH_SOLVER_CPU)."""
    names = {n.lower(): v for v, n in sorted(kind.elements.items()) if not n.endswith("_COUNT")}
    if isinstance(value, str):
        for n, found in names.items():
            if n == value.lower() or n.endswith("_" + value.lower().replace(" ", "_")):
                return int(found)
    elif isinstance(value, (int, np.integer)) and value in names.values():
        return int(value)
    common = os.path.commonprefix(list(names))
    raise ValueError(f"{name} {value!r}: expected one of {', '.join(n[len(common):] for n in names)}")


def _primitive(kind: Any, value: Any, name: str) -> Any:
    """A number or a truth value as a member of a struct takes it."""
    ctype = kind.cname
    if ctype in ("bool", "_Bool"):
        if not isinstance(value, (bool, np.bool_)) and not (isinstance(value, int) and value in (0, 1)):
            raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; expected True or False")
        return bool(value)
    if ctype in ("float", "double"):
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isinf(value) else number(value, name)
    largest, signed = _LARGEST[ffi.sizeof(kind)], int(ffi.cast(kind, -1)) < 0
    return whole(value, name, -(largest + 1) // 2 if signed else 0, largest // 2 if signed else largest)


def fill(struct: Any, values: Mapping[str, Any], keep: list[Any]) -> None:
    """Sets members of a struct by name: numbers, texts, enumerators by name, fixed arrays, structs as dicts."""
    fields = dict(ffi.typeof(struct).item.fields if ffi.typeof(struct).kind == "pointer" else ffi.typeof(struct).fields)
    for name, value in values.items():
        if name not in fields:
            raise TypeError(f"{ffi.typeof(struct).cname.rstrip(' *&')} has no member {name!r}: expected one of {', '.join(fields)}")
        kind = fields[name].type
        if kind.kind == "pointer" and kind.item.cname == "char" and isinstance(value, (str, os.PathLike)):
            keep.append(path(value))
            setattr(struct, name, keep[-1])
        elif kind.kind == "enum":
            setattr(struct, name, enumerator(kind, value, name))
        elif kind.kind == "primitive":
            setattr(struct, name, _primitive(kind, value, name))
        elif kind.kind == "array" and kind.item.kind == "primitive":
            list_ = listed(value, name, "numbers") if np.ndim(value) else kind.length * [value]
            if len(list_) > kind.length:
                raise ValueError(f"{name}: {len(list_)} numbers; at most {kind.length}")
            for i, item in enumerate(list_):
                getattr(struct, name)[i] = _primitive(kind.item, item, f"{name}[{i}]")
        elif kind.kind == "struct" and isinstance(value, Mapping):
            fill(getattr(struct, name), value, keep)
        elif kind.kind == "pointer" and value is None:
            setattr(struct, name, ffi.NULL)
        elif isinstance(value, ffi.CData) or isinstance(value, Object) and kind.kind == "pointer" and kind.item.kind == "struct":
            keep.append(value)
            setattr(struct, name, value.p if isinstance(value, Object) else value)
        else:
            raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; expected {kind.cname} (made by heddle.ffi)")
