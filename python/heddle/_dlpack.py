"""DLPack (dmlc/dlpack 1.0, and the capsules without a version of 0.8): arrays handed to other packages and taken from them, with their
memory as it is."""
from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, Sequence

import numpy as np

CPU, CUDA = 1, 2
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class _Managed(ctypes.Structure):
    """DLManagedTensor, its DLTensor written out."""


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned, which can say that an array is only to be read."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_TENSOR: Any = [
    ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
    ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
    ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]
_Managed._fields_ = [*_TENSOR, ("manager_ctx", ctypes.c_void_p), ("deleter", _Deleter)]
_Versioned._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p), ("deleter", _Deleter),
                       ("flags", ctypes.c_uint64), *_TENSOR]
_READ_ONLY = 1

_api = ctypes.pythonapi
_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(("PyCapsule_New", _api))
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _api))
#: Names of capsules, fresh and consumed, by their struct. Capsules keep pointers to them.
_NAMES = {_Managed: (b"dltensor", b"used_dltensor"), _Versioned: (b"dltensor_versioned", b"used_dltensor_versioned")}

#: What is on loan, by the address of its struct.
_lent: dict[int, Any] = {}


def _return(managed: Any) -> None:
    _lent.pop(managed, None)


def _drop(capsule: Any) -> None:
    for fresh, _ in _NAMES.values():
        if _valid(capsule, fresh):  # that nothing has taken
            _lent.pop(_pointer(capsule, fresh), None)


_give_back, _forget = _Deleter(_return), _Destructor(_drop)


def capsule(owner: Any, address: int, kind: int, number: int, shape: Sequence[int], dtype: np.dtype, writeable: bool, versioned: bool) -> Any:
    """A capsule over memory that lives as long as `owner`."""
    if dtype.kind not in _CODES:
        raise BufferError(f"DLPack has no name for elements of type {dtype}")
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    steps = (ctypes.c_int64 * max(len(shape), 1))(*(math.prod(shape[i + 1:]) for i in range(len(shape))))
    struct: Any = _Versioned if versioned else _Managed
    managed = struct(data=address, device_type=kind, device_id=number, ndim=len(shape), code=_CODES[dtype.kind], bits=8 * dtype.itemsize, lanes=1,
                     shape=sizes, strides=steps, deleter=_give_back)
    if versioned:
        managed.major, managed.flags = 1, 0 if writeable else _READ_ONLY
    elif not writeable:
        raise BufferError("this array is only to be read, which DLPack before version 1 cannot say; copy it first")
    _lent[ctypes.addressof(managed)] = (managed, sizes, steps, owner)
    return _new(ctypes.addressof(managed), _NAMES[struct][0], _forget)


class Tensor:
    """The array in another package's capsule, which is given back when this goes."""

    def __init__(self, values: Any, **how: Any):
        try:
            capsule = values.__dlpack__(max_version=(1, 0), **how)
        except TypeError:  # a package that knows no versions
            capsule = values.__dlpack__(**how)
        struct: Any = next((s for s, (fresh, _) in _NAMES.items() if _valid(id(capsule), fresh)), None)
        if struct is None:
            raise BufferError("expected a DLPack capsule that has not been consumed yet")
        m = self._managed = struct.from_address(_pointer(id(capsule), _NAMES[struct][0]))
        _rename(capsule, _NAMES[struct][1])
        kinds = {code: kind for kind, code in _CODES.items()}
        if struct is _Versioned and m.major != 1 or m.lanes != 1 or m.code not in kinds:
            raise BufferError("this capsule holds elements that numpy has no type for")
        self.writeable = struct is _Managed or not m.flags & _READ_ONLY
        self.dtype = np.dtype(f"{kinds[m.code]}{m.bits // 8}")
        self.shape = tuple(m.shape[i] for i in range(m.ndim))
        self.strides = tuple(m.strides[i] * self.dtype.itemsize for i in range(m.ndim)) if m.strides else None
        self.address = (m.data or 0) + m.byte_offset

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, not self.writeable), "strides": self.strides, "version": 3}

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.deleter and not sys.is_finalizing():
            managed.deleter(ctypes.addressof(managed))
