"""Kernels of a caller's in the configuration that tune_kernel() has found for them, launched with arrays of numpy, CuPy and PyTorch."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._definitions import choice, converted, number, whole
from ._description import Argument, Layout, Restrictions, as_array, configuration, describe, problem_sizes
from ._devices import Array, Device, Stream
from ._library import C, Handle, Object, call, ffi, made, text

#: Of a scalar: its type in C, and the member that holds it.
_SCALARS = {"int32": ("HED_INT32", "i32"), "uint32": ("HED_UINT32", "u32"), "int64": ("HED_INT64", "i64"), "uint64": ("HED_UINT64", "u64"),
            "float32": ("HED_FLOAT", "f32"), "float64": ("HED_DOUBLE", "f64")}


class Kernel(Object):
    """A kernel in the best configuration that the tuning database knows for the device and the size: the winner of tune_kernel(), which takes
    the same arguments. Where nothing was tuned it is the first configuration. It is compiled at once; calling it launches it.

    arguments  as of tune_kernel(): examples, of which only the types and the sizes are used
    math  "fast" or "strict", as it was tuned
    All else is as for tune_kernel()."""

    #: Constant memory by its names in CUDA C, and bytes of dynamic shared memory (KernelWithMemory).
    _symbols: Mapping[str, Any] = {}
    _shared: Union[int, str, None] = None

    def __init__(self, kernel_name: str, kernel_source: Union[str, os.PathLike[str]], problem_size: Any, arguments: Sequence[Any],
                 tune_params: Mapping[str, Sequence[Any]], *, group: Any = None, grid: Any = None, grid_div_x: Optional[Sequence[str]] = None,
                 grid_div_y: Optional[Sequence[str]] = None, grid_div_z: Optional[Sequence[str]] = None,
                 block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"), restrictions: Restrictions = None,
                 lang: Optional[str] = None, defines: Optional[Mapping[str, Any]] = None, compiler_options: Optional[Sequence[str]] = None,
                 names: Optional[Sequence[str]] = None, device: Union[str, int, Device, None] = None, math: Optional[str] = None):
        d = describe(kernel_name, kernel_source, problem_size, arguments, tune_params,
                     Layout(group, grid, (grid_div_x, grid_div_y, grid_div_z), block_size_names), restrictions=restrictions, lang=lang,
                     defines=defines, compiler_options=compiler_options, names=names, on=device, contents=False,
                     symbols=self._symbols, shared=self._shared)
        self._description, self.device, self.name = d, d.on, d.name
        self._sizes = {n: 1 if isinstance(v, str) else v for n, v in problem_sizes(problem_size).items()}
        definition = ffi.new("hed_tune_def *")
        C.hed_tune_file_apply(d.file.p, definition)
        options = ffi.new("hed_kernel_options *", C.hed_default_kernel_options())
        options.problem, options.math = definition.problem, definition.math
        if math is not None:
            options.math = getattr(C, "HED_MATH_" + choice(math, "math", ["fast", "strict"]).upper())
        pointer = self._made(options)
        self._handle = Handle(self, pointer, C.hed_kernel_destroy, d.on, d)
        self._stream = Stream(d.on)

    def _made(self, options: Any) -> Any:
        d = self._description
        try:
            return made(C.hed_kernel_create, "hed_kernel", d.on.p, d.kernel, options)
        finally:
            if d.failures:  # of a function among the restrictions
                raise d.failures[0]

    @property
    def config(self) -> dict[str, Any]:
        """The configuration in force, by the names of the parameters."""
        found = ffi.new("hed_config *", C.hed_kernel_config(self.p, ffi.NULL))
        return configuration(self._description.kernel, found)

    @property
    def configured(self) -> str:
        """Where the configuration came from: "exact" (tuned for this device and size), "near size", "default" ..."""
        origin = ffi.new("hed_config_origin *")
        C.hed_kernel_config(self.p, origin)
        return text(C.hed_config_origin_name(origin[0]))

    def __call__(self, *arguments: Any, problem_size: Any = None, stream: Optional[Stream] = None) -> None:
        """Runs the kernel. Arrays of the device (heddle.Array, CuPy's, PyTorch's ...) are used where they are; those of the host are copied to the
        device, and back where the kernel may write them. Numbers are numpy's or Python's.

        problem_size  another size than the kernel was made for, in the same form
        stream  a heddle.Stream of the device: the launch is queued there and not waited for, so all arrays have to be of the device"""
        described = self._description.arguments
        if len(arguments) != len(described):
            raise TypeError(f"{self.name} takes {len(described)} arguments ({', '.join(a.name for a in described)}); {len(arguments)} were given")
        sizes = self._sizes if problem_size is None else problem_sizes(problem_size)
        if list(sizes) != list(self._sizes):
            raise ValueError(f"problem_size has {', '.join(sizes)}; expected {', '.join(self._sizes)}")
        if stream is not None and (not isinstance(stream, Stream) or stream.device.id != self.device.id):
            raise TypeError(f"stream: {stream!r}; expected a heddle.Stream of {self.device.id}")
        launch = _Launch(self, sizes == self._sizes, stream)
        given = [launch.argument(a, value, i) for i, (a, value) in enumerate(zip(described, arguments))]
        given += [{"kind": C.HED_STRUCT, "size": v.nbytes, "value": {"bytes": ffi.from_buffer(v)}} for v in self._symbols.values()]
        given += [{"kind": C.HED_LOCAL}] * (self._shared is not None)
        list_ = ffi.new("hed_argument[]", given)
        launch.check_overlaps()
        problem = ffi.new("hed_problem *", {"count": len(sizes), "sizes": list(sizes.values())})
        on = self._stream if stream is None else stream
        call(C.hed_launch, on.p, self.p, problem, list_, len(given))
        if stream is None:
            on.wait()
            launch.copy_back()

    def __repr__(self) -> str:
        words = " ".join(f"{n}={v}" for n, v in self.config.items())
        return f"<heddle.Kernel {self.name} on {self.device.id}: {words} ({self.configured})>"


class KernelWithMemory(Kernel):
    """A kernel in CUDA C with arrays of constant memory and dynamic shared memory."""

    def __init__(self, symbols: Mapping[str, Any], shared: Union[int, str, None], *arguments: Any, **settings: Any):
        self._symbols = {n: np.ascontiguousarray(v) for n, v in symbols.items()}
        self._shared = shared
        super().__init__(*arguments, **settings)


class _Launch:
    """The arguments of one launch: buffers on the device, and arrays of the host that they are copies of."""

    def __init__(self, kernel: Kernel, same_size: bool, stream: Optional[Stream]):
        self.kernel, self.same_size, self.stream = kernel, same_size, stream
        self.copies: list[tuple[np.ndarray, Array, bool]] = []
        self.keep: list[Any] = []

    def argument(self, a: Argument, value: Any, index: int) -> Any:
        label = f"argument {index} \"{a.name}\""
        if a.scalar:
            return self._scalar(a, value, label)
        value = as_array(value, label)
        if np.ndim(value) == 0 and not isinstance(value, Array):
            raise TypeError(f"{label} is a number; {self.kernel.name} takes an array of {a.dtype}")
        if value.dtype != a.dtype:
            raise TypeError(f"{label} is an array of {value.dtype}; {self.kernel.name} takes {a.dtype}"
                            f"{f' ({a.declared})' if a.declared else ''}. Convert it: {a.name}.astype(np.{a.dtype})")
        count = int(np.prod(value.shape, dtype=np.int64))
        if self.same_size and count < a.size:
            raise ValueError(f"{label} has {count} elements; {self.kernel.name} was made with {a.size} for this problem_size")
        buffer = self._buffer(a, value, label)
        self.keep.append(buffer)
        return {"kind": C.HED_BUFFER, "value": {"buffer": buffer.p}}

    def _scalar(self, a: Argument, value: Any, label: str) -> Any:
        if isinstance(value, np.generic) and value.dtype != a.dtype:
            raise TypeError(f"{label} is a number of {value.dtype}; {self.kernel.name} takes {a.dtype}. Convert it: np.{a.dtype}({value})")
        if np.ndim(value):
            raise TypeError(f"{label} is an array; {self.kernel.name} takes one number of {a.dtype}")
        if a.dtype.kind == "f" and isinstance(value, (float, np.floating)):
            found: Any = float(converted(value, a.dtype, label)[()])
        else:
            found = number(value, label) if a.dtype.kind == "f" else int(converted(whole(value, label, -(1 << 63)), a.dtype, label)[()])
        kind, member = _SCALARS[a.dtype.name]
        return {"kind": C.HED_SCALAR, "type": getattr(C, kind), "value": {member: found}}

    def _buffer(self, a: Argument, value: Any, label: str) -> Array:
        """An array of the device as it is, or a copy of one of the host."""
        on = self.kernel.device
        if isinstance(value, Array) and value.device.id == on.id:
            if a.written and a.declared:
                value._check_writeable(label)
            return value
        if isinstance(value, Array) and value.device.backend != "host":
            raise ValueError(f"{label} is on {value.device.id}; {self.kernel.name} runs on {on.id}")
        if self.stream is not None:
            raise ValueError(f"{label} is memory of the host, which would be copied back after the launch; with `stream` give arrays of {on.id}")
        values = np.asarray(value)
        if a.written and a.declared and not values.flags.writeable:
            raise ValueError(f"{label} would be written, and its memory is only to be read; copy it first: {a.name}.copy()")
        for other, there, _ in self.copies:
            if other.__array_interface__ == values.__array_interface__:  # one array given twice is one buffer
                self.copies.append((values, there, a.written and values.flags.writeable))
                return there
        copy = on.array(values)
        self.copies.append((values, copy, a.written and values.flags.writeable))
        return copy

    def check_overlaps(self) -> None:
        """Refuses arrays of the host that share memory where one is written: their copies would not."""
        for i, (values, copy, written) in enumerate(self.copies):
            for other, there, other_written in self.copies[:i]:
                if there is not copy and (written or other_written) and np.may_share_memory(values, other):
                    raise ValueError(f"two arrays of {self.kernel.name} share memory that it may write; copy one of them first")

    def copy_back(self) -> None:
        for values, copy, written in self.copies:
            if written:
                values[...] = copy.numpy()
