"""DLPack (dmlc/dlpack 0.8, unversioned capsules): arrays handed to other packages and taken from them, with their memory as it is."""
from __future__ import annotations

import ctypes
from typing import Any, Sequence

import numpy as np

CPU, CUDA = 1, 2
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [  # DLManagedTensor, its DLTensor written out
    ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
    ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
    ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64), ("manager_ctx", ctypes.c_void_p), ("deleter", _Deleter)]

_api = ctypes.pythonapi
_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(("PyCapsule_New", _api))
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _api))
_FRESH, _USED = b"dltensor", b"used_dltensor"  # names that capsules keep pointers to

#: What is on loan, by the address of its DLManagedTensor.
_lent: dict[int, Any] = {}


def _return(managed: Any) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


def _drop(capsule: Any) -> None:
    if _valid(capsule, _FRESH):  # that nothing has taken
        _lent.pop(_pointer(capsule, _FRESH), None)


_give_back, _forget = _Deleter(_return), _Destructor(_drop)


def capsule(owner: Any, address: int, kind: int, number: int, shape: Sequence[int], dtype: np.dtype) -> Any:
    """A capsule over memory that lives as long as `owner`."""
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    managed = _Managed(address, kind, number, len(shape), _CODES[dtype.kind], 8 * dtype.itemsize, 1, sizes, None, 0, None, _give_back)
    _lent[ctypes.addressof(managed)] = (managed, sizes, owner)
    return _new(ctypes.addressof(managed), _FRESH, _forget)


class Tensor:
    """What is in another package's capsule, which is given back when this goes."""

    def __init__(self, capsule: Any):
        if not _valid(id(capsule), _FRESH):
            raise BufferError("expected a DLPack capsule that has not been consumed yet")
        self._managed = _Managed.from_address(_pointer(id(capsule), _FRESH))
        _rename(capsule, _USED)
        m = self._managed
        kinds = {code: kind for kind, code in _CODES.items()}
        if m.lanes != 1 or m.code not in kinds:
            raise BufferError("this capsule holds elements that numpy has no type for")
        self.dtype = np.dtype(f"{kinds[m.code]}{m.bits // 8}")
        self.shape = tuple(m.shape[i] for i in range(m.ndim))
        self.strides = tuple(m.strides[i] * self.dtype.itemsize for i in range(m.ndim)) if m.strides else None
        self.address = (m.data or 0) + m.byte_offset

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.deleter:
            managed.deleter(ctypes.pointer(managed))
