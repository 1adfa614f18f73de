"""Contexts, devices, and arrays in their memory that other packages share without a copy: numpy's array interface, CUDA's (version 3),
and DLPack, in and out."""
from __future__ import annotations

import glob
import importlib.util
import math
import os
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _dlpack
from ._definitions import converted, plain, whole
from ._drivers import leave_out_crashing
from ._html import table
from ._library import C, Handle, Object, OutOfMemoryError, UnsupportedError, call, context_made, ffi, guard, made, optional, path, text


def _nvrtc() -> Optional[str]:
    """NVRTC of NVIDIA's wheels (extra `cuda` of the wheel), where no other is named."""
    if "HEDDLE_NVRTC_LIBRARY" in os.environ:
        return None
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        found = sorted(glob.glob(os.path.join(glob.escape(folder), "*", "lib", "libnvrtc.so.*")))
        if found:
            return found[-1]
    return None


class Context(Object):
    """The root of everything: drivers, devices, cache, tuning database. Most programs need none of their own: the functions of this
    package that take a device's name use one that is made at the first need.

    Settings are the members of hed_context_def that are texts (`device`, `cache_dir`, `database`, `opencl_library` ...) and
    `host_threads`."""

    def __init__(self, **settings: Any):
        guard()
        definition = ffi.new("hed_context_def *", C.hed_default_context_def())
        settings.setdefault("nvrtc_library", _nvrtc())
        keep = []
        for name, value in settings.items():
            if name == "host_threads":
                definition.host_threads = whole(value, name, 0, 0xFFFFFFFF)
                continue
            if name not in ("device", "cache_dir", "data_dir", "kernel_dir", "ptx_dir", "database", "worker", "opencl_library", "cuda_library",
                            "nvrtc_library", "capture", "cuda_home", "vulkan_library", "hip_library", "glsl_compiler"):
                raise TypeError(f"Context() has no setting {name!r}")
            keep.append(ffi.NULL if value is None else path(value))
            setattr(definition, name, keep[-1])
        context_made()
        self._handle = Handle(self, made(C.hed_context_create, "hed_context", definition), C.hed_context_destroy)

    def device(self, selector: Optional[str] = None) -> Device:
        """By id ("cuda:0"), part of its name ("H200") or "best"; None: HEDDLE_DEVICE, else the best."""
        return Device(self, made(C.hed_device_find, "hed_device", self.p, optional(selector, "a device")))

    def devices(self) -> Devices:
        return Devices(Device(self, C.hed_device_at(self.p, i)) for i in range(C.hed_context_describe(self.p).devices))

    def backends(self) -> list[dict[str, Any]]:
        """How well each driver works here, and what would mend it."""
        states = ["works", "limited", "absent", "failed"]
        reports = [C.hed_backend_at(self.p, i) for i in range(C.hed_context_describe(self.p).backends)]
        return [{"name": text(r.name), "state": states[r.state], "devices": int(r.devices), "library": text(r.library),
                 "reason": text(r.reason), "remedy": text(r.remedy)} for r in reports]


class Device(Object):
    """A processor that runs kernels."""

    def __init__(self, context: Context, pointer: Any):
        self._handle = Handle(self, pointer, None, context)
        self.context = context
        info = C.hed_device_describe(pointer)
        self.id, self.name, self.backend = text(info.id), text(info.name), text(info.backend)

    @property
    def info(self) -> dict[str, Any]:
        """Everything that hed_device_info says."""
        info = C.hed_device_describe(self.p)
        found: dict[str, Any] = {}
        for name, field in ffi.typeof("hed_device_info").fields:
            value = getattr(info, name)
            kind = field.type.kind
            found[name] = text(value) if kind == "pointer" else list(value) if kind == "array" else int(value)
        bits = found.pop("capabilities")
        names = [C.hed_capability_name(1 << i) for i in range(C.HED_CAPABILITY_COUNT)]
        found["capabilities"] = [text(n) for i, n in enumerate(names) if bits >> i & 1]
        return found

    def wait(self) -> None:
        """Until all work on it is done."""
        call(C.hed_device_wait, self.p)

    def empty(self, shape: Union[int, Sequence[int]], dtype: Any = np.float32) -> Array:
        """Memory of the device, with no content yet."""
        return empty(shape, dtype, self)

    def array(self, values: Any) -> Array:
        """A copy of `values`, of the host or of a device, in the device's memory."""
        values = seen(values)
        made_here = empty(values.shape, plain(values.dtype.newbyteorder("="), "values"), self)
        made_here.set(values)
        return made_here

    def __repr__(self) -> str:
        return f"<heddle.Device {self.id}: {self.name}>"


def described(device: Device) -> Any:
    """The device's hed_device_info, for functions that take a pointer to it."""
    return ffi.new("hed_device_info *", C.hed_device_describe(device.p))


class Devices(list):  # type: ignore[type-arg]
    """A list of devices that notebooks show as a table."""

    def _repr_html_(self) -> str:
        return table(["id", "name", "platform", "units", "memory, GB"],
                     [[d.id, d.name, d.info["platform"], d.info["compute_units"], f"{d.info['memory_bytes'] / 1e9:.1f}"] for d in self])


_default: list[Context] = []


def default_context() -> Context:
    """The one that is used where none is named. Drivers that crash are left out with a warning."""
    guard()
    if not _default:
        leave_out_crashing()
        _default.append(Context())
    return _default[0]


def device(selector: Union[str, Device, None] = None) -> Device:
    """A device of the default context: by id ("cuda:0", "host"), part of its name, "best"; None: HEDDLE_DEVICE, else the best."""
    if isinstance(selector, Device):
        return selector
    if selector is not None and not isinstance(selector, str):
        raise TypeError(f"device: {selector!r} is a {type(selector).__name__}; expected an id such as \"cuda:0\", a part of a name, or a heddle.Device")
    return default_context().device(selector)


def devices() -> Devices:
    """All devices that are here, the best first."""
    return default_context().devices()


# ---- arrays ----

class Stream(Object):
    """Where work runs in order; other streams do not wait for it. `handle` makes one of another package's stream on a CUDA device,
    which has to outlive it: CuPy's `stream.ptr`, PyTorch's `stream.cuda_stream`."""

    def __init__(self, on: Union[str, Device], handle: Optional[int] = None):
        on = device(on)
        if handle is not None and on.backend == "host":
            raise UnsupportedError("handle: a stream of host is none of a driver; leave the handle out", "unsupported")
        definition = ffi.new("hed_stream_def *", C.hed_default_stream_def())
        address = 0 if handle is None else whole(handle, "handle", 0, (1 << 64) - 1)
        definition.use_handle, definition.handle = handle is not None, ffi.cast("void *", address)
        self.device = on
        self._handle = Handle(self, made(C.hed_stream_create, "hed_stream", on.p, definition), C.hed_stream_destroy, on)

    def wait(self) -> None:
        call(C.hed_stream_wait, self.p)


class Array(Object):
    """Numbers in a device's memory, in C order. numpy.asarray(), torch.from_dlpack(), cupy.asarray() and the like see the same memory
    where they can: those of a host-visible one are not copied, nor are a CUDA device's by CuPy, PyTorch and Numba. The memory lasts as
    long as what looks at it, but for those who come by CUDA's array interface: close() ends it for them."""

    def __init__(self, on: Device, pointer: Any, shape: Sequence[int], dtype: Any, parent: Any = None, keep: Any = None,
                 destroy: Any = True, writeable: bool = True):
        self._handle = Handle(self, pointer, C.hed_buffer_destroy if destroy else None, on, parent, keep=keep)
        self.device, self.shape, self.dtype = on, tuple(int(n) for n in shape), np.dtype(dtype)
        #: False: another package's memory that is only to be read.
        self.writeable = writeable
        info = C.hed_buffer_describe(pointer)
        #: Where the device sees it; 0 where its driver has no addresses.
        self.address = int(info.address)
        self._host = int(ffi.cast("uintptr_t", info.host))

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of no dimensions has no length")
        return int(self.shape[0])

    def set(self, values: Any) -> None:
        """Copies `values`, of the host or of a device, into it, once other work on the device is done."""
        self._check_writeable("the array")
        values = seen(values)
        if not isinstance(values, Array) or values.dtype != self.dtype:
            values = converted(values, self.dtype, "values")
        if values.shape != self.shape:
            raise ValueError(f"an array of shape {self.shape} cannot take one of shape {values.shape}")
        if not self.nbytes:
            return
        self.device.wait()
        stream = Stream(self.device)
        if isinstance(values, Array):
            call(C.hed_copy, stream.p, self.p, 0, values.p, 0, values.nbytes)
        else:
            call(C.hed_write, stream.p, self.p, 0, ffi.from_buffer(values), values.nbytes)
        stream.wait()

    def _check_writeable(self, name: str) -> None:
        """Raises ValueError if the memory is only to be read."""
        if not self.writeable:
            raise ValueError(f"{name} would be written, and its memory is only to be read; copy it first: device.array(x)")

    def numpy(self) -> np.ndarray:
        """Its content: a view where the host sees the memory, else a copy."""
        return np.asarray(self)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if self._host:
            view = np.asarray(_Seen(self, self._host)).view(self.dtype)
            return view if dtype is None and not copy else np.array(view, dtype=dtype)
        if copy is False:
            raise ValueError(f"the memory of {self.device.id} cannot be seen without a copy")
        values = np.empty(self.shape, self.dtype)
        if not self.nbytes:
            return values if dtype is None else values.astype(dtype)
        self.device.wait()
        stream = Stream(self.device)
        call(C.hed_read, stream.p, ffi.from_buffer(values, require_writable=True), self.p, 0, self.nbytes)
        stream.wait()
        return values if dtype is None else values.astype(dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device.backend != "cuda":
            raise AttributeError("this is no memory of a CUDA device")
        self.device.wait()  # so no stream is named
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, not self.writeable), "version": 3, "strides": None,
                "stream": None}

    def __dlpack_device__(self) -> tuple[int, int]:
        if self._host:
            return _dlpack.CPU, 0
        if self.device.backend == "cuda":
            return _dlpack.CUDA, int(self.device.id.split(":")[1])
        raise BufferError(f"the memory of {self.device.id} has no address that others could use; numpy.asarray() copies it")

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Optional[bool] = None) -> Any:
        kind, number = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != (kind, number):
            raise BufferError("an array is handed out where it is; copy it with the other package's functions")
        if copy:
            raise BufferError("an array is handed out as it is; copy it with the other package's functions")
        self.device.wait()
        versioned = max_version is not None and max_version[0] >= 1
        return _dlpack.capsule(_Hold(self), self._host or self.address, kind, number, self.shape, self.dtype, self.writeable, versioned)

    def __repr__(self) -> str:
        return f"<heddle.Array {self.shape} {self.dtype} on {self.device.id}>"


class _Hold(Object):
    """Keeps an array's memory for those who look at it, even if the array is closed."""

    def __init__(self, array: Array):
        self._handle = Handle(self, array.p, None, array)
        self.array = array


class _Seen(_Hold):
    """An array's memory for numpy."""

    def __init__(self, array: Array, address: int):
        super().__init__(array)
        self.__array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (address, not array.writeable), "version": 3}


def empty(shape: Union[int, Sequence[int]], dtype: Any = np.float32, on: Union[str, Device, None] = None) -> Array:
    """Memory of a device, with no content yet."""
    on = device(on)
    given: Any = shape
    sizes = [whole(n, "shape") for n in ([given] if np.ndim(given) == 0 else given)]
    kind = plain(dtype)
    bytes_ = max(math.prod(sizes) * kind.itemsize, 1)
    if bytes_ >= 1 << 63:
        raise OutOfMemoryError(f"an array of shape {tuple(sizes)} and type {kind} has {bytes_} bytes; {on.id} has fewer", "out of memory")
    definition = ffi.new("hed_buffer_def *", C.hed_default_buffer_def(bytes_))
    return Array(on, made(C.hed_buffer_create, "hed_buffer", on.p, definition), sizes, kind)


def _adopt(values: Any, address: int, shape: Sequence[int], dtype: np.dtype, on: Device, writeable: bool) -> Array:
    if not _is_aligned(address, dtype):
        raise ValueError("the elements of this array are not aligned to their size: copy it first")
    definition = ffi.new("hed_buffer_def *", {"memory": C.HED_MEMORY_ADOPTED, "size": math.prod(shape) * plain(dtype, "values").itemsize,
                                              "handle": address})
    return Array(on, made(C.hed_buffer_create, "hed_buffer", on.p, definition), shape, dtype, keep=values, writeable=writeable)


def _is_aligned(address: int, dtype: np.dtype) -> bool:
    return address % max(dtype.alignment, 1) == 0


def _in_c_order(shape: Sequence[int], strides: Any, itemsize: int) -> bool:
    if strides is None:
        return True
    step = itemsize
    for n, stride in zip(reversed(tuple(shape)), reversed(tuple(strides))):
        if n != 1 and stride != step:
            return False
        step *= n
    return True


def _lies_on_cuda(values: Any) -> bool:
    """Whether DLPack names a CUDA device."""
    return hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] == _dlpack.CUDA


def seen(values: Any) -> Any:
    """Values of whatever kind as an Array, where they are on a device, or as numpy's, where numpy can see them."""
    if isinstance(values, (Array, np.ndarray)):
        return values
    if _lies_on_cuda(values) or hasattr(values, "__cuda_array_interface__"):
        return asarray(values)
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array_interface__"):
        return np.asarray(_dlpack.Tensor(values))
    return np.asarray(values)


def asarray(values: Any, on: Union[str, Device, None] = None) -> Array:
    """Another package's array as one of Heddle's, in place: numpy's (and all else of the host's) on the device `host`, CuPy's,
    PyTorch's, Numba's and JAX's of a GPU on that GPU. What was queued to fill it is waited for. It stays alive as long as Heddle's
    does. What cannot be shared (another device, gaps between elements, the other order of bytes) is refused; Device.array() copies.
    Memory that is only to be read stays so: `writeable` is False, and what would write it is refused. An array that has CUDA's
    interface and neither DLPack nor a device's number (Numba's) is taken to be on cuda:0 unless `on` says where."""
    if isinstance(values, Array):
        if on is not None and device(on).id != values.device.id:
            raise UnsupportedError(f"this array is on {values.device.id}, not on {device(on).id}: Device.array() copies", "unsupported")
        return values
    if _lies_on_cuda(values) or hasattr(values, "__cuda_array_interface__"):
        return _on_cuda(values, on)
    on = device(on if on is not None else "host")
    if on.backend != "host":
        raise UnsupportedError(f"memory of the host cannot be that of {on.id}: Device.array() copies", "unsupported")
    values = seen(values)
    plain(values.dtype, "values")
    if not values.flags.c_contiguous:
        raise ValueError("the elements of this array do not follow each other in C order: copy it first (numpy.ascontiguousarray)")
    if values.nbytes == 0:
        raise ValueError("an array without elements has no memory to share")
    return _adopt(values, values.__array_interface__["data"][0], values.shape, values.dtype, on, bool(values.flags.writeable))


def _on_cuda(values: Any, on: Union[str, Device, None]) -> Array:
    """asarray() of an array of a CUDA device."""
    interface = None if _lies_on_cuda(values) else values.__cuda_array_interface__
    number = getattr(getattr(values, "device", None), "id", 0) if interface else values.__dlpack_device__()[1]
    on = device(on if on is not None else f"cuda:{number}")
    if on.backend != "cuda":
        raise UnsupportedError(f"this array lies on a CUDA device, and {on.id} is none", "unsupported")
    if interface is None:  # asked first: DLPack puts what is queued in any stream before this one, 1: the legacy default stream
        tensor = _dlpack.Tensor(values, stream=1)
        keep, address, shape, strides, dtype, stream, writeable = \
            tensor, tensor.address, tensor.shape, tensor.strides, tensor.dtype, 1, tensor.writeable
    else:
        keep, (address, read_only), shape, strides = values, interface["data"], interface["shape"], interface.get("strides")
        dtype, stream, writeable = np.dtype(interface["typestr"]), interface.get("stream"), not read_only
    if not _in_c_order(shape, strides, dtype.itemsize):
        raise ValueError("the elements of this array do not follow each other in C order: copy it first")
    if stream is not None:
        Stream(on, {1: 0}.get(stream, stream)).wait()
    elif interface.get("version", 0) < 3:  # which names no stream: it may be any
        on.wait()
    if not math.prod(shape):
        raise ValueError("an array without elements has no memory to share")
    return _adopt(keep, address, shape, dtype, on, writeable)
