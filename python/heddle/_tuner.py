"""The tuner: a kernel from numpy arrays with the names and the order of Kernel Tuner's tune_kernel(), from a tune file, or from T1.
Candidates are compiled and run in worker processes."""
from __future__ import annotations

import json
import math
import os
import pathlib
import time
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from ._devices import Array, Device, default_context, device, seen
from ._html import table
from ._library import C, Error, Handle, Object, UnsupportedError, call, ffi, made, path, text

_TYPES = {"int32": "int", "uint32": "uint", "int64": "long", "uint64": "ulong", "float32": "float", "float64": "double"}
_STRATEGIES = {"auto": "HED_SEARCH_AUTO", "random": "HED_SEARCH_RANDOM", "random_sample": "HED_SEARCH_RANDOM", "local": "HED_SEARCH_LOCAL",
               "exhaustive": "HED_SEARCH_EXHAUSTIVE", "brute_force": "HED_SEARCH_EXHAUSTIVE"}


class TuneResult(Object):
    """What came out of a tuning. Iterating gives the evaluations, each a dict: the parameters by name, `time` (s, median; NaN where it was
    not measured), `low` and `high` (95 % confidence), `outcome`, `runs`, `build_seconds`, `at`, `error`, `recalled`, `tied`, `text`."""

    def __init__(self, pointer: Any, kernel: Any, parent: Object, on: Device, definition: Any, interrupted: bool, note: str, keep: Any):
        self._handle = Handle(self, pointer, C.hed_tune_result_free, on, parent, keep=keep)
        self.device, self._kernel, self._definition = on, kernel, definition
        #: Whether Ctrl-C ended it; and what a tune file left open, and how it was taken.
        self.interrupted, self.note = interrupted, note
        self.name = text(kernel.name)
        self.parameters = [text(kernel.parameters[i].name) for i in range(kernel.parameter_count)]
        self.evaluations = [self._evaluation(pointer.evaluations[i]) for i in range(pointer.count)]

    def _evaluation(self, e: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for i, name in enumerate(self.parameters):
            p, value = self._kernel.parameters[i], int(e.config.values[i])
            found[name] = value
            if p.labels != ffi.NULL:
                found[name] = next((text(p.labels[k]) for k in range(p.count) if p.values[k] == value), value)
        found.update(time=e.seconds, low=e.low, high=e.high, outcome=text(C.hed_outcome_name(e.outcome)), runs=int(e.runs),
                     build_seconds=e.build_seconds, at=e.at, error=e.error, recalled=bool(e.recalled), tied=bool(e.tied), text=text(e.text))
        return found

    def _at(self, index: int) -> Optional[dict[str, Any]]:
        return self.evaluations[index] if index < len(self.evaluations) else None

    @property
    def best(self) -> Optional[dict[str, Any]]:
        """The winner; None where nothing worked."""
        return self._at(self.p.best)

    @property
    def best_config(self) -> Optional[dict[str, Any]]:
        """The winner's parameters alone."""
        best = self.best
        return None if best is None else {n: best[n] for n in self.parameters}

    @property
    def default(self) -> Optional[dict[str, Any]]:
        """The evaluation of the default configuration."""
        return self._at(self.p.default_index)

    @property
    def gain(self) -> float:
        """The default's time over the winner's."""
        return float(self.p.gain)

    @property
    def info(self) -> dict[str, Any]:
        """All else: size of the space, why it ended, whether it is isolated and kept, roofline, importance of the parameters ..."""
        r = self.p
        known = {n: getattr(r, n) for n in ("count", "ties", "kept_stored", "kept", "space", "in_process", "device_time", "drift", "seconds",
                                            "bandwidth", "arithmetic", "share")}
        known.update(end=text(C.hed_tune_end_name(r.end)), in_process_reason=text(r.in_process_reason), not_kept_reason=text(r.not_kept_reason),
                     problem=[int(r.problem.sizes[i]) for i in range(r.problem.count)],
                     importance={n: r.importance[i] for i, n in enumerate(self.parameters)})
        return known

    def to_pandas(self) -> Any:
        """The evaluations as a pandas.DataFrame (pandas has to be installed)."""
        import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]
        return pandas.DataFrame(self.evaluations)

    def report(self, file: Union[str, os.PathLike[str]]) -> None:
        """Writes a report: a page (.html), T4 (.json) or CSV (.csv), by the file's ending."""
        ending = pathlib.Path(file).suffix.lower()
        formats = {".html": C.HED_REPORT_HTML, ".json": C.HED_REPORT_T4, ".csv": C.HED_REPORT_CSV}
        if ending not in formats:
            raise ValueError(f"{file}: expected a name that ends in .html, .json (T4) or .csv")
        texts = [ffi.new("char[]", t.encode()) for t in (self.name, time.strftime("%Y-%m-%d %H:%M"), "from Python")]
        definition = ffi.new("hed_tune_report_def *", {
            "kernel": ffi.addressof(self._kernel), "result": self.p, "objective": self._definition.objective,
            "device": C.hed_device_describe(self.device.p), "math": self._definition.math, "arguments": self._definition.arguments,
            "cold_cache": self._definition.cold_cache, "origin": texts[0], "date": texts[1], "settings": texts[2]})
        call(C.hed_tune_report_write, path(file), formats[ending], definition)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def _measured(self) -> list[dict[str, Any]]:
        return sorted((e for e in self.evaluations if e["outcome"] == "measured"), key=lambda e: float(e["time"]))

    def __repr__(self) -> str:
        best = self.best
        if best is None:
            return f"<heddle.TuneResult {self.name}: nothing of {len(self)} configurations worked>"
        words = " ".join(f"{n}={best[n]}" for n in self.parameters)
        return f"<heddle.TuneResult {self.name} on {self.device.id}: {words}, {1e6 * best['time']:.4g} us, gain {self.gain:.3g}>"

    def _repr_html_(self) -> str:
        best = self.best
        rows = [[e[n] for n in self.parameters] + [f"{1e6 * e['time']:.4g}", "best" if e is best else "tie" if e["tied"] else ""]
                for e in self._measured()[:10]]
        failed = sum(e["outcome"] not in ("measured", "dropped") for e in self.evaluations)
        note = (f"{self.name} on {self.device.name}: {len(self)} of {self.info['space']} configurations tried, {failed} failed, "
                f"{self.info['seconds']:.1f} s{', interrupted' if self.interrupted else ''}"
                + ("" if math.isnan(self.gain) else f"; gain over the default {self.gain:.3g}"))
        return table([*self.parameters, "us", ""], rows, note)


class Tunable(Object):
    """What an engine makes, whose solver and its sizes can be chosen by measuring."""

    device: Device
    #: The C function, the definition, and what describes its parameters.
    _tuning: tuple[Any, Any, Any]

    def tune(self, *, strategy: str = "auto", iterations: Optional[int] = None, seconds: float = 0, keep: bool = True, seed: int = 0,
             progress: Optional[Callable[[dict[str, Any]], Any]] = None) -> TuneResult:
        """Finds the fastest solver for things like this one on its device, and how to build it. The winner is in the tuning database
        (unless `keep` is False), and what is made of their kind from then on takes it; this one stays as it is. Arguments are
        those of tune_kernel(); candidates run in this process. On `host`, and with math="strict", there is nothing to choose."""
        function, subject, kernel = self._tuning
        self.p  # what was closed is refused: its definition has gone, too
        definition = ffi.new("hed_tune_def *", C.hed_default_tune_def())
        definition.evaluations = 0
        return _run(function, subject, kernel, definition, self.device, self, strategy, iterations, seconds, keep, seed, progress, "")


class _File(Object):
    """A tune file that was read."""

    def __init__(self, pointer: Any, keep: Any):
        self._handle = Handle(self, pointer, C.hed_tune_file_close, keep=keep)


def _device_for_texts(on: Union[str, Device, None]) -> Device:
    """Where kernels can be compiled: the best device that can, unless one is named."""
    if on is not None or "HEDDLE_DEVICE" in os.environ:
        return device(on)
    able: list[Device] = [d for d in default_context().devices() if "source" in d.info["capabilities"]]
    if not able:
        raise Error("no device here compiles kernels: expected a CUDA GPU with NVRTC (pip install heddle[cuda]) or an OpenCL device "
                    "(on a processor: apt install pocl-opencl-icd)", "no device", int(C.HED_ERROR_NO_DEVICE))
    return able[0]


def _tune(file: _File, on: Device, strategy: str, iterations: Optional[int], seconds: float,
          keep: bool, resume: bool, isolation: str, cold_cache: bool, objective: str, seed: int, math_mode: Optional[str],
          progress: Optional[Callable[[dict[str, Any]], Any]]) -> TuneResult:
    definition = ffi.new("hed_tune_def *", C.hed_default_tune_def())
    definition.evaluations = 0
    note = text(C.hed_tune_file_apply(file.p, definition))
    definition.resume, definition.cold_cache = resume, cold_cache
    definition.isolation = getattr(C, "HED_ISOLATION_" + isolation.upper())
    definition.objective = getattr(C, "HED_OBJECTIVE_" + objective.upper())
    if math_mode:
        definition.math = getattr(C, "HED_MATH_" + math_mode.upper())
    kernel = C.hed_tune_file_kernel(file.p)
    return _run(C.hed_tune_kernel, kernel, kernel, definition, on, file, strategy, iterations, seconds, keep, seed, progress, note)


def _run(function: Any, subject: Any, kernel: Any, definition: Any, on: Device, parent: Object, strategy: str, iterations: Optional[int],
         seconds: float, keep: bool, seed: int, progress: Optional[Callable[[dict[str, Any]], Any]], note: str) -> TuneResult:
    """Tunes `subject` by the C `function`; `kernel` describes its parameters."""
    if strategy not in _STRATEGIES:
        raise ValueError(f"strategy {strategy!r}: expected one of {', '.join(_STRATEGIES)}")
    definition.strategy = getattr(C, _STRATEGIES[strategy])
    if iterations is not None or seconds:
        definition.evaluations, definition.limit_seconds = iterations or 0, seconds
    elif not definition.evaluations and not definition.limit_seconds:
        definition.evaluations = 200
    definition.keep, definition.seed = keep, seed
    wrong: list[BaseException] = []

    def told(_: Any, p: Any) -> None:
        if progress and not wrong:
            progress({"done": p.done, "failed": p.failed, "total": p.total, "building": p.building, "space": p.space, "seconds": p.seconds,
                      "stage": text(p.stage), "best": p.best.seconds if p.best else math.nan, "share": p.share})

    def remember(_: Any, problem: BaseException, __: Any) -> None:
        wrong.append(problem)

    def stop(_: Any) -> bool:  # between its lines Python looks for Ctrl-C, ten times a second
        return bool(wrong)

    tell = ffi.callback("void(void *, const hed_tune_progress *)", told, onerror=remember)
    ask = ffi.callback("bool(void *)", stop, error=True, onerror=remember)
    definition.progress, definition.stop = tell, ask
    try:
        pointer = made(function, "hed_tune_result", on.p, subject, definition)
    except Error:
        if wrong:  # it was stopped before anything worked
            raise wrong[0] from None
        raise
    interrupted = any(isinstance(w, KeyboardInterrupt) for w in wrong)
    result = TuneResult(pointer, kernel[0], parent, on, definition, interrupted, note, (tell, ask))
    others = [w for w in wrong if not isinstance(w, KeyboardInterrupt)]
    if others:
        raise others[0]
    return result


def tune_file(file: Union[str, os.PathLike[str]], device: Union[str, Device, None] = None, *, inputs: Optional[Mapping[str, str]] = None,
              strategy: str = "auto", iterations: Optional[int] = None, seconds: float = 0, keep: bool = True, resume: bool = False,
              isolation: str = "auto", cold_cache: bool = False, objective: str = "time", seed: int = 0, math: Optional[str] = None,
              progress: Optional[Callable[[dict[str, Any]], Any]] = None) -> TuneResult:
    """Tunes what a tune file (docs/tune-file.md), a T1 file or a compute shader (.comp, .spv) says; shaders in WGSL run in a browser, by
    `python -m heddle tune blur.wgsl`. `inputs` gives arguments other contents: {"x": "measured.npy", "power": "0:50"}. All else as for
    tune_kernel()."""
    if os.fspath(file).endswith(".wgsl"):
        raise UnsupportedError(f"{os.fspath(file)}: WGSL runs in a browser, which the command does: python -m heddle tune {os.fspath(file)}",
                               "unsupported", int(C.HED_ERROR_UNSUPPORTED))
    on = _device_for_texts(device)
    opened = _File(made(C.hed_tune_file_open, "hed_tune_file", path(file), C.hed_device_describe(on.p)), None)
    for name, content in (inputs or {}).items():
        call(C.hed_tune_file_set_content, opened.p, C.hed_device_describe(on.p), name.encode(), os.fsencode(content))
    return _tune(opened, on, strategy, iterations, seconds, keep, resume, isolation, cold_cache, objective, seed, math, progress)


def tune_kernel_T1(input_filepath: Union[str, os.PathLike[str]], device: Union[str, Device, None] = None, **settings: Any) -> TuneResult:
    """Tunes a kernel that Kernel Tuner's input format T1 describes. Settings are those of tune_file()."""
    return tune_file(input_filepath, device, **settings)


def _sizes(words: Union[str, int, Sequence[Union[str, int]], None]) -> Optional[list[Union[str, int]]]:
    if words is None:
        return None
    return [words] if isinstance(words, (str, int)) else [w if isinstance(w, str) else int(w) for w in words]


def _by_blocks(sizes: Sequence[str], parameters: Mapping[str, Any], names: Sequence[str], divisors: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Kernel Tuner's launch: groups of block_size_x, y, z, and as many of them as the problem's sizes over grid_div_x, y, z."""
    group = [n if n in parameters else 1 for n in names[:len(sizes)]]
    if not any(n in parameters for n in names[:3]):
        raise ValueError(f"the size of a group is not given: expected `group`, or one of {', '.join(names[:3])} among the parameters")
    over = [d if d is not None else ([n] if n in parameters else []) for n, d in zip(names, divisors)]
    groups = [f"ceil_div({size}, {' * '.join(f'({x})' for x in d)})" if d else str(size) for size, d in zip(sizes, over)]
    return group, groups


def _is_file(source: str) -> bool:
    return "\n" not in source and "{" not in source


_LANGUAGES = {"opencl": "opencl", "cuda": "cuda", "cupy": "cuda", "nvcuda": "cuda"}


def tune_kernel(kernel_name: str, kernel_source: Union[str, os.PathLike[str]], problem_size: Any, arguments: Sequence[Any],
                tune_params: Mapping[str, Sequence[Any]], *, group: Any = None, grid: Any = None,
                grid_div_x: Optional[Sequence[str]] = None, grid_div_y: Optional[Sequence[str]] = None,
                grid_div_z: Optional[Sequence[str]] = None, block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"),
                restrictions: Union[str, Sequence[str], None] = None, answer: Optional[Sequence[Any]] = None, atol: Optional[float] = None,
                lang: Optional[str] = None, defines: Optional[Mapping[str, Any]] = None, compiler_options: Optional[Sequence[str]] = None,
                names: Optional[Sequence[str]] = None, work: Optional[Mapping[str, str]] = None, device: Union[str, Device, None] = None,
                strategy: str = "auto", iterations: Optional[int] = None, seconds: float = 0, keep: bool = True, resume: bool = False,
                isolation: str = "auto", cold_cache: bool = False, objective: str = "time", seed: int = 0, math: Optional[str] = None,
                progress: Optional[Callable[[dict[str, Any]], Any]] = None) -> TuneResult:
    """Finds the fastest configuration of a kernel, and keeps it in the tuning database.

    kernel_name, kernel_source  the kernel, in OpenCL C (or CUDA C by `lang`, or by the file's ending): a file, or the text itself
    problem_size  {"n": 1000}; or as Kernel Tuner has it, 1000 or (width, height): then the sizes are called problem_size_x, _y, _z
    arguments  numpy arrays (or CuPy's, PyTorch's ...) and numpy scalars (np.float32(3), np.int32(n)) in the kernel's order
    tune_params  {"WG": [32, 64], "SHAPE": ["row", "tile"]}: numbers are macros, texts appear in the kernel as they are
    group, grid  expressions over parameters and sizes: work items of a group, and of the launch (rounded up to whole groups)
    grid_div_x ...  in their place, as in Kernel Tuner: groups of block_size_x ..., sizes of the problem over these
    restrictions  expressions that must hold: "WG * PER <= 512"
    answer  for each argument the array that it has to become, or None; arrays with an answer are written, all others only read.
            Without `answer` every array may be written, and results are compared with those of the first configuration
    atol  largest |found - expected| / max(1, |expected|); 1e-4 for float32, 1e-9 for float64, 0 for whole numbers
    work  {"bytes": "8 * n", "operations": "n"} of one launch, for rates and the roofline
    device  "cuda:0", part of a name; None: the best that compiles kernels
    strategy  "auto", "random", "local", "exhaustive"; iterations, seconds: limits, else 200 configurations
    isolation  "auto", "worker" or "none": whether candidates run in processes of their own
    progress  called with a dict after each evaluation, and ten times a second

    Ctrl-C ends it with the results so far (`interrupted` is then set)."""
    on = _device_for_texts(device)
    problem = problem_size
    if not isinstance(problem, Mapping):
        sizes = [problem] if np.ndim(problem) == 0 else list(problem)
        problem = {f"problem_size_{axis}": size for axis, size in zip("xyz", sizes)}
    document: dict[str, Any] = {"kernel": kernel_name, "problem": {k: int(v) for k, v in problem.items()},
                                "parameters": {k: _values(k, v) for k, v in tune_params.items()}}
    if group is None:
        document["group"], document["groups"] = _by_blocks(list(problem), tune_params, block_size_names, (grid_div_x, grid_div_y, grid_div_z))
    else:
        document["group"] = _sizes(group)
        if grid is not None:
            document["global"] = _sizes(grid)
    if restrictions:
        document["constraints"] = [restrictions] if isinstance(restrictions, str) else list(restrictions)
    if defines:
        document["defines"] = {k: str(v) for k, v in defines.items()}
    if compiler_options:
        document["options"] = list(compiler_options)
    if work:
        document["work"] = dict(work)
    files, base = [], "python"
    source = os.fspath(kernel_source)
    if _is_file(source):
        document["source"] = os.path.abspath(source)
        base = os.path.abspath(source) + " in tune_kernel()"
    else:
        document["source"] = kernel_name.split("<")[0].split("::")[-1] + ".cl"
        files.append((document["source"], source.encode()))
    if lang:
        if lang.lower() not in _LANGUAGES:
            raise ValueError(f"lang {lang!r}: expected \"OpenCL\" or \"CUDA\"")
        document["language"] = _LANGUAGES[lang.lower()]
    elif not _is_file(source) and "__global__" in source:
        document["language"] = "cuda"
    if answer is not None and len(answer) != len(arguments):
        raise ValueError(f"{len(arguments)} arguments and {len(answer)} answers: expected one for each, None for those that are only read")
    document["arguments"] = []
    for i, value in enumerate(arguments):
        name = names[i] if names else f"argument{i}"
        document["arguments"].append(_argument(name, i, value, None if answer is None else answer[i], answer is not None, atol, files))
    if answer is None and not any("access" in a for a in document["arguments"]):
        raise ValueError("no argument is an array, so there is nothing to compare")
    opened = _parse(document, base, files, on)
    return _tune(opened, on, strategy, iterations, seconds, keep, resume, isolation, cold_cache, objective, seed, math, progress)


def _values(name: str, values: Sequence[Any]) -> Any:
    values = list(values)
    if values and all(isinstance(v, str) for v in values):
        return {"texts": values}
    for v in values:
        if isinstance(v, str) or int(v) != v:
            raise ValueError(f"parameter {name}: {v!r}: expected whole numbers, or texts alone")
    return [int(v) for v in values]


def _argument(name: str, index: int, value: Any, expected: Any, answered: bool, atol: Optional[float], files: list[Any]) -> dict[str, Any]:
    if not isinstance(value, (np.ndarray, np.generic, Array)):
        if any(hasattr(value, name) for name in ("__array_interface__", "__dlpack__", "__array__", "__cuda_array_interface__")):
            value = seen(value)
        else:
            raise TypeError(f"argument {index} is a {type(value).__name__}: expected a numpy array, or a numpy scalar such as "
                            f"{'np.int32' if isinstance(value, int) else 'np.float32'}({value!r}), whose type says what the kernel is given")
    if np.ndim(value) == 0 and not isinstance(value, Array):
        scalar = np.asarray(value)[()]
        if scalar.dtype.name not in _TYPES:
            raise TypeError(f"argument {index}: a number of type {scalar.dtype}; expected one of {', '.join(_TYPES)}")
        return {"name": name, "kind": "scalar", "type": _TYPES[scalar.dtype.name], "value": scalar.item()}
    array = np.ascontiguousarray(np.asarray(value))
    kind = _TYPES.get(array.dtype.name, {"complex64": "float", "complex128": "double"}.get(array.dtype.name, "bytes"))
    files.append((name, array))
    found: dict[str, Any] = {"name": name, "type": kind, "file": name}
    if expected is not None or not answered:
        found["access"] = "read_write"
        if atol is not None and kind in ("float", "double"):
            found["tolerance"] = atol
    if expected is not None:
        right = np.ascontiguousarray(seen(expected), array.dtype)
        if right.shape != array.shape:
            raise ValueError(f"argument {index} has shape {array.shape}, and its answer {right.shape}")
        files.append((name + " (answer)", right))
        found["expected"] = name + " (answer)"
    return found


def _parse(document: dict[str, Any], name: str, files: Sequence[tuple[str, Any]], on: Device) -> _File:
    """Makes a tune file of a document in memory; arrays are used where they are."""
    words = json.dumps(document).encode()
    keep: list[Any] = [ffi.new("char[]", name.encode()), ffi.from_buffer(words)]
    list_ = ffi.new("hed_tune_memory[]", max(len(files), 1))
    for i, (file, content) in enumerate(files):
        keep += [ffi.new("char[]", file.encode()), ffi.from_buffer(content)]
        list_[i].name, list_[i].bytes, list_[i].size = keep[-2], keep[-1], len(keep[-1])
    keep.append(list_)
    definition = ffi.new("hed_tune_text_def *", {"name": keep[0], "text": keep[1], "size": len(words), "files": list_, "file_count": len(files)})
    return _File(made(C.hed_tune_file_parse, "hed_tune_file", definition, C.hed_device_describe(on.p)), keep)
