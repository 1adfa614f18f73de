"""A kernel of a caller's as a tune file in memory: its text, the sizes of its launch, its parameters, and its arguments, whose types the text
decides. tune_kernel() and Kernel make it of the same words, so that the one finds what the other has measured."""
from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _signature
from ._definitions import choice, converted, listed, named, number, plain, whole
from ._devices import Array, Device, default_context, described, device, seen
from ._library import C, Error, Handle, Object, call, ffi, made, text, word

_TYPES = {"int32": "int", "uint32": "uint", "int64": "long", "uint64": "ulong", "float32": "float", "float64": "double"}
_LANGUAGES = {"opencl": "opencl", "cuda": "cuda", "cupy": "cuda", "nvcuda": "cuda", "hip": "cuda"}
Restrictions = Union[str, Callable[..., Any], Sequence[Union[str, Callable[..., Any]]], None]


class File(Object):
    """A tune file that was read."""

    def __init__(self, pointer: Any, keep: Any):
        self._handle = Handle(self, pointer, C.hed_tune_file_close, keep=keep)


@dataclasses.dataclass
class Layout:
    """How a launch is laid out: expressions, or Kernel Tuner's sizes of blocks and what divides the problem."""
    group: Any = None
    grid: Any = None
    divisors: Sequence[Any] = (None, None, None)
    block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z")


@dataclasses.dataclass
class Argument:
    """An argument of a kernel, as its text and the array or number that was given describe it."""
    name: str
    declared: str
    dtype: np.dtype
    scalar: bool
    written: bool
    size: int
    shape: tuple[int, ...]


class Description(Object):
    """A kernel's description in C (`kernel`), with what belongs to it in Python."""

    def __init__(self, file: File, on: Device, arguments: list[Argument], restrictions: Sequence[Callable[..., Any]], names: Sequence[str]):
        self.file, self.on, self.arguments = file, on, arguments
        self.kernel = C.hed_tune_file_kernel(file.p)
        self.name = text(self.kernel.name)
        self.failures: list[BaseException] = []
        self._handle = Handle(self, self.kernel, None, file, keep=self._valid(restrictions, names))

    def _valid(self, restrictions: Sequence[Callable[..., Any]], names: Sequence[str]) -> Any:
        """Makes functions that restrict configurations the description's valid()."""
        if not restrictions:
            return None
        called = [_by_name(f, names) for f in restrictions]

        def valid(_: Any, config: Any, __: Any, ___: Any) -> bool:
            if self.failures:
                return False
            values = configuration(self.kernel, config)
            return all(bool(f(values)) for f in called)

        def remember(_: Any, problem: BaseException, __: Any) -> None:
            self.failures.append(problem)

        made_here = ffi.callback("hed_valid_function *", valid, error=False, onerror=remember)
        ffi.cast("hed_kernel_def *", self.kernel).valid = made_here  # the description is this object's own
        return made_here


def configuration(kernel: Any, config: Any) -> dict[str, Any]:
    """The values of a configuration by the names of the parameters; texts where these are texts."""
    found: dict[str, Any] = {}
    for i in range(kernel.parameter_count):
        p, value = kernel.parameters[i], int(config.values[i])
        found[text(p.name)] = value
        if p.labels != ffi.NULL:
            found[text(p.name)] = next((text(p.labels[k]) for k in range(p.count) if p.values[k] == value), value)
    return found


def _by_name(function: Callable[..., Any], names: Sequence[str]) -> Callable[[dict[str, Any]], Any]:
    """A restriction of a dict, or of parameters by their names, as one of a dict."""
    try:
        asked = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        asked = []
    if asked and all(n in names for n in asked):
        return lambda values: function(**{n: values[n] for n in asked})
    if asked and len(asked) != 1:
        raise TypeError(f"restrictions: a function of {', '.join(asked)}; expected one of tune_params by their names, or of a dict of them")
    return function


def device_for_texts(on: Union[str, int, Device, None], backends: Sequence[str] = ("cuda", "hip", "opencl", "vulkan", "gl")) -> Device:
    """Where kernels can be compiled: the best device of these drivers that can, unless one is named, or numbered as Kernel Tuner does it."""
    if isinstance(on, (bool, np.bool_)):
        raise TypeError(f"device: {on!r} is a bool; expected an id such as \"cuda:0\", a part of a name, or a number")
    if not isinstance(on, (int, np.integer)) and (on is not None or "HEDDLE_DEVICE" in os.environ):
        return device(on)
    able: list[Device] = [d for d in default_context().devices() if "source" in d.info["capabilities"] and d.backend in backends]
    if not able:
        raise Error("no device here compiles kernels in CUDA C: expected a CUDA GPU with NVRTC" if "opencl" not in backends else
                    "no device here compiles kernels: expected a CUDA GPU with NVRTC (pip install nvidia-cuda-nvrtc-cu12) or an OpenCL device "
                    "(on a processor: apt install pocl-opencl-icd)", "no device", int(C.HED_ERROR_NO_DEVICE))
    index = 0 if on is None else whole(on, "device")
    if index >= len(able):
        raise Error(f"device {index}: there are {len(able)} that compile this kernel, from 0 on: {', '.join(d.id for d in able)}", "no device",
                    int(C.HED_ERROR_NO_DEVICE))
    return able[index]


def is_file(source: str) -> bool:
    return "\n" not in source and "{" not in source


class _Source:
    """A kernel's text, and what is known of it before it is compiled."""

    def __init__(self, kernel_name: str, kernel_source: Union[str, os.PathLike[str]], lang: Optional[str]):
        given = os.fspath(kernel_source)
        if not isinstance(given, str) or not isinstance(kernel_name, str):
            raise TypeError("kernel_name, kernel_source: expected a name, and a text or a file's name")
        self.kernel = kernel_name.split("<")[0].split("::")[-1].strip()
        self.file = os.path.abspath(given) if is_file(given) else None
        self.name = os.path.basename(given) if self.file else self.kernel + ".cl"
        self.text = "" if self.file else given
        if self.file and os.path.isfile(self.file):
            with open(self.file, encoding="utf-8", errors="replace") as file:
                self.text = file.read()
        self.language = None if lang is None else _LANGUAGES[choice(lang.lower() if isinstance(lang, str) else lang, "lang", list(_LANGUAGES))]
        if lang is None and not self.file and "__global__" in given:
            self.language = "cuda"

    @property
    def cuda(self) -> bool:
        return self.language == "cuda" or self.language is None and self.name.endswith((".cu", ".cuh", ".hip"))

    def parameters(self, macros: Mapping[str, Any], varying: Sequence[str]) -> Optional[list[_signature.Parameter]]:
        """The kernel's parameters where the text shows them; a kernel that it does not have is refused."""
        there = _signature.kernels(self.text)
        if there and not re.search(rf"\b{re.escape(self.kernel)}\b", _signature.bare(self.text)) and "#include" not in self.text and "##" not in self.text:
            raise ValueError(f"{self.name if self.file else 'the text'} has no kernel {self.kernel!r}; it has {', '.join(there)}")
        return _signature.parameters(self.text, self.kernel, macros, varying)


def _device_of(source: _Source, on: Union[str, int, Device, None]) -> Device:
    return device_for_texts(on, ["cuda", "hip"] if source.cuda else ["cuda", "hip", "opencl"])


def device_of(kernel_name: str, kernel_source: Any, lang: Optional[str], on: Union[str, int, Device, None]) -> Device:
    """The device on which describe() puts a kernel."""
    return _device_of(_Source(kernel_name, kernel_source, lang), on)


def describe(kernel_name: str, kernel_source: Union[str, os.PathLike[str]], problem_size: Any, arguments: Sequence[Any],
             tune_params: Mapping[str, Sequence[Any]], layout: Layout, *, restrictions: Restrictions, lang: Optional[str],
             defines: Optional[Mapping[str, Any]], compiler_options: Optional[Sequence[str]], names: Optional[Sequence[str]],
             on: Union[str, int, Device, None], answer: Optional[Sequence[Any]] = None, atol: Optional[float] = None,
             work: Optional[Mapping[str, str]] = None, metrics: Optional[Mapping[str, str]] = None, contents: bool = True, symbols: Optional[Mapping[str, Any]] = None,
             shared: Union[int, str, None] = None, compare: bool = True) -> Description:
    """The description that tune_kernel() and Kernel share; without `contents` arrays only say what they are. `symbols`: arrays of constant
    memory by their names in CUDA C; `shared`: bytes of dynamic shared memory; without `compare` results are not checked."""
    source = _Source(kernel_name, kernel_source, lang)
    device_ = _device_of(source, on)
    if not isinstance(tune_params, Mapping):
        raise TypeError(f"tune_params is a {type(tune_params).__name__}; expected a dict of names and lists of values")
    problem = problem_sizes(problem_size)
    document: dict[str, Any] = {"kernel": kernel_name, "problem": problem, "parameters": {k: _values(k, v) for k, v in tune_params.items()}}
    document.update(_laid_out(layout, [str(s) for s in problem.values()] if _by_parameters(problem_size) else list(problem), tune_params))
    if _by_parameters(problem_size):
        problem = document["problem"] = {name: 1 for name in problem}  # the launch alone depends on it
    if not compare:
        document["reference"] = "none"
    functions, expressions = _restrictions(restrictions)
    if expressions:
        document["constraints"] = expressions
    defines = named(defines, "defines")
    if defines:
        document["defines"] = {k: str(v) for k, v in defines.items()}
    if compiler_options is not None:
        document["options"] = listed(compiler_options, "compiler_options", "a list of options")
    for key, given in (("work", work), ("metrics", metrics)):
        if named(given, key):
            document[key] = named(given, key)
    files: list[tuple[str, Any]] = []
    document["source"] = source.file or source.name
    if not source.file:
        files.append((source.name, source.text.encode()))
    if source.language:
        document["language"] = source.language
    described = _arguments(source, arguments, names, defines, list(tune_params))
    document["arguments"] = _as_documents(described, arguments, answer, atol, files, contents)
    for name, value in named(symbols, "cmem_args").items():
        array = np.ascontiguousarray(value)
        document["arguments"].append({"name": name, "kind": "symbol", "type": _TYPES.get(array.dtype.name, "bytes"), "file": name})
        files.append((name, array))
    if shared is not None:
        document["arguments"].append({"name": "shared", "kind": "local", "type": "bytes", "size": shared})
    base = source.file + " in Python" if source.file else "python"
    return Description(_parse(document, base, files, device_), device_, described, functions, list(tune_params))


def problem_sizes(problem_size: Any) -> dict[str, int]:
    """Named sizes; Kernel Tuner's number or tuple gets names."""
    if callable(problem_size):
        raise TypeError("problem_size is a function; expected numbers: {\"n\": 1000}, 1000 or (width, height). What depends on parameters goes "
                        "into `grid`, as an expression")
    if not isinstance(problem_size, Mapping):
        sizes = [problem_size] if np.ndim(problem_size) == 0 else list(problem_size)
        if len(sizes) > 3:
            raise ValueError(f"problem_size has {len(sizes)} sizes; expected at most 3, or a dict of named sizes")
        problem_size = {f"problem_size_{axis}": size for axis, size in zip("xyz", sizes)}
    if _by_parameters(list(problem_size.values())):
        return {k: v if isinstance(v, str) else str(whole(v, k, 1)) for k, v in problem_size.items()}  # type: ignore[misc]
    return {k: whole(v, f"problem_size[{k!r}]", 1, (1 << 63) - 1) for k, v in problem_size.items()}


def _by_parameters(problem_size: Any) -> bool:
    """Whether a size is an expression of parameters, as in Kernel Tuner."""
    sizes = [problem_size] if isinstance(problem_size, str) else list(problem_size) if isinstance(problem_size, (list, tuple)) else []
    return any(isinstance(s, str) for s in sizes)


def _values(name: str, values: Sequence[Any]) -> Any:
    values = listed(values, f"parameter {name}", "a list of values")
    if values and all(isinstance(v, str) for v in values):
        return {"texts": values}
    for v in values:
        if isinstance(v, (str, bytes)) or v is None or not np.isfinite(v):
            raise ValueError(f"parameter {name}: {v!r}: expected numbers, or texts alone")
    if all(int(v) == v for v in values):
        return [int(v) for v in values]
    return {"texts": [repr(float(v)) for v in values]}  # numbers with fractions appear in the kernel as they are


def _restrictions(given: Restrictions) -> tuple[list[Callable[..., Any]], list[str]]:
    """Functions, and expressions."""
    all_ = [] if given is None else [given] if isinstance(given, str) or callable(given) else listed(given, "restrictions", "a list")
    for r in all_:
        if not isinstance(r, str) and not callable(r):
            raise TypeError(f"restrictions: {r!r} is a {type(r).__name__}; expected an expression such as \"WG * PER <= 512\", or a function")
    return [r for r in all_ if callable(r)], [r for r in all_ if isinstance(r, str)]


def _expressions(words: Any, name: str) -> list[Union[str, int]]:
    found = [words] if isinstance(words, (str, int, np.integer)) else listed(words, name, "expressions")
    return [w if isinstance(w, str) else whole(w, name, 1) for w in found]


def _laid_out(layout: Layout, sizes: Sequence[str], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a tune file that lay out the launch."""
    if layout.group is None and layout.grid is not None:
        raise ValueError("grid is given without group: expected both, or Kernel Tuner's block_size_x with grid_div_x")
    if layout.group is None:
        return _by_blocks(sizes, parameters, layout.block_size_names, layout.divisors)
    if any(d is not None for d in layout.divisors):
        raise ValueError("grid_div_x, _y, _z divide the problem into blocks of block_size_x, _y, _z; with `group` give `grid` instead")
    found: dict[str, Any] = {"group": _expressions(layout.group, "group")}
    if layout.grid is not None:
        found["global"] = _expressions(layout.grid, "grid")
    return found


def _by_blocks(sizes: Sequence[str], parameters: Mapping[str, Any], names: Sequence[str], divisors: Sequence[Any]) -> dict[str, Any]:
    """Kernel Tuner's launch: groups of block_size_x, y, z, and as many of them as the problem's sizes over grid_div_x, y, z."""
    names = listed(names, "block_size_names", "a list of names")
    group = [n if n in parameters else 1 for n in names[:len(sizes)]]
    if not any(n in parameters for n in names[:3]):
        raise ValueError(f"the size of a group is not given: expected `group`, or one of {', '.join(names[:3])} among the parameters")
    for axis, d in zip("xyz", divisors):
        if callable(d):
            raise TypeError(f"grid_div_{axis} is a function; expected a list of expressions such as \"block_size_{axis}\"")
        if isinstance(d, (int, np.integer)):
            raise TypeError(f"grid_div_{axis} is {d!r}; expected a list of names of parameters or expressions, such as [\"block_size_{axis}\"]")
    over = [_expressions(d, "grid_div") if d is not None else ([n] if n in parameters else []) for n, d in zip(names, divisors)]
    return {"group": group, "groups": [f"ceil_div({size}, {' * '.join(f'({x})' for x in d)})" if d else str(size) for size, d in zip(sizes, over)]}


# ---- arguments ----

def _arguments(source: _Source, values: Sequence[Any], names: Optional[Sequence[str]], defines: Mapping[str, Any],
               varying: Sequence[str]) -> list[Argument]:
    """The arguments, each compared with the text where that is understood."""
    values = listed(values, "arguments", "a list of arrays and numbers")
    declared = source.parameters(defines, varying)
    if declared is not None and any(p.local for p in declared):
        raise ValueError(f"{source.kernel} has the argument {next(p.name for p in declared if p.local)!r} in local memory, which arrays and "
                         "numbers cannot describe; declare it inside the kernel, or use a tune file (docs/tune-file.md)")
    if declared is not None and len(declared) != len(values):
        raise ValueError(f"{source.kernel} takes {len(declared)} arguments ({', '.join(p.name for p in declared)}); {len(values)} were given")
    if names is not None and len(listed(names, "names", "a list of names")) != len(values):
        raise ValueError(f"names: {len(names)} names; expected {len(values)}, one for each argument")
    found = []
    for i, value in enumerate(values):
        parameter = declared[i] if declared else None
        name = names[i] if names else parameter.name if parameter else f"argument{i}"
        found.append(_argument(i, word_of(name, "names"), value, parameter, source))
    return found


def word_of(words: Any, name: str) -> str:
    word(words, name)
    return str(words)


def as_array(value: Any, name: str) -> Any:
    """An argument as an Array, or as numpy's; a number stays one."""
    if isinstance(value, (np.ndarray, np.generic, Array)):
        return value
    if any(hasattr(value, n) for n in ("__array_interface__", "__dlpack__", "__array__", "__cuda_array_interface__")):
        return seen(value)
    raise TypeError(f"{name} is a {type(value).__name__}: expected a numpy array, or a numpy scalar such as "
                    f"{'np.int32' if isinstance(value, int) else 'np.float32'}({value!r}), whose type says what the kernel is given")


def _argument(index: int, name: str, value: Any, parameter: Optional[_signature.Parameter], source: _Source) -> Argument:
    label = f"argument {index} \"{name}\"" if parameter else f"argument {index}"
    value = as_array(value, label)
    scalar = np.ndim(value) == 0 and not isinstance(value, Array)
    dtype = np.dtype(value.dtype)
    if dtype.kind != "V":
        plain(dtype, label)
    if parameter and parameter.pointer == scalar:
        raise TypeError(f"{label} is {'a number' if scalar else 'an array'} of {dtype}; {source.name} declares \"{parameter.text}\"")
    if scalar and dtype.name not in _TYPES:
        raise TypeError(f"{label}: a number of type {dtype}; expected one of {', '.join(_TYPES)}")
    if parameter and not parameter.takes(dtype):
        convert = f"np.{parameter.element}({np.asarray(value).item()!r})" if scalar else f"{name}.astype(np.{parameter.element})"
        raise TypeError(f"{label} is {'a number' if scalar else 'an array'} of {dtype}; {source.name} declares \"{parameter.text}\", "
                        f"which is {parameter.element}. Convert it: {convert}")
    if not scalar and dtype.kind == "V":
        plain(dtype, label)
    shape = tuple(np.shape(value)) if not isinstance(value, Array) else value.shape
    size = int(np.prod(shape, dtype=np.int64))
    return Argument(name, parameter.text if parameter else "", dtype, scalar, not scalar and not (parameter and parameter.constant), size, shape)


def _as_documents(described: list[Argument], values: Sequence[Any], answer: Optional[Sequence[Any]], atol: Optional[float],
                  files: list[tuple[str, Any]], contents: bool) -> list[dict[str, Any]]:
    """The arguments as a tune file has them; `files` gets their contents."""
    if answer is not None and len(listed(answer, "answer", "a list")) != len(values):
        raise ValueError(f"{len(values)} arguments and {len(answer)} answers: expected one for each, None for those that are only read")
    tolerance = None if atol is None else number(atol, "atol", 0)
    found = []
    for i, (a, value) in enumerate(zip(described, values)):
        expected = None if answer is None else answer[i]
        if a.scalar:
            if expected is not None:
                raise ValueError(f"argument {i} \"{a.name}\" is a number, which a kernel does not write; its answer has to be None")
            found.append({"name": a.name, "kind": "scalar", "type": _TYPES[a.dtype.name], "value": np.asarray(value)[()].item()})
            continue
        kind = _TYPES.get(a.dtype.name, {"complex64": "float", "complex128": "double"}.get(a.dtype.name, "bytes"))
        one: dict[str, Any] = {"name": a.name, "type": kind}
        if not contents:
            found.append({**one, "access": "write", "size": a.size * a.dtype.itemsize // _BYTES[kind]})
            continue
        array = np.ascontiguousarray(np.asarray(as_array(value, a.name)))
        files.append((a.name, array))
        one["file"] = a.name
        if expected is not None or answer is None:
            one["access"] = "read_write"
            if tolerance is not None and kind in ("float", "double"):
                one["tolerance"] = tolerance
        if expected is not None:
            right = converted(np.asarray(seen(expected)), a.dtype, f"the answer of argument {i}")
            if right.shape != array.shape:
                raise ValueError(f"argument {i} has shape {array.shape}, and its answer {right.shape}")
            files.append((a.name + " (answer)", right))
            one["expected"] = a.name + " (answer)"
        found.append(one)
    if answer is None and not any(a.written for a in described) and contents:
        raise ValueError("no argument is an array that the kernel writes, so there is nothing to compare")
    return found


_BYTES = {"int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4, "double": 8, "bytes": 1}


def _parse(document: dict[str, Any], name: str, files: Sequence[tuple[str, Any]], on: Device) -> File:
    """Makes a tune file of a document in memory; arrays are used where they are."""
    words = json.dumps(document).encode()
    keep: list[Any] = [word(name, "a name"), ffi.from_buffer(words)]
    list_ = ffi.new("hed_tune_memory[]", max(len(files), 1))
    for i, (file, content) in enumerate(files):
        keep += [word(file, "a name"), ffi.from_buffer(content)]
        list_[i].name, list_[i].bytes, list_[i].size = keep[-2], keep[-1], len(keep[-1])
    keep.append(list_)
    definition = ffi.new("hed_tune_text_def *", {"name": keep[0], "text": keep[1], "size": len(words), "files": list_, "file_count": len(files)})
    return File(made(C.hed_tune_file_parse, "hed_tune_file", definition, described(on)), keep)
