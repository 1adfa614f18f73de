"""heddle.autotune: kernels in Python (Triton, Numba-CUDA, CuPy, PyTorch) in the configuration that is fastest for their arguments. The search, the
racing, the final comparison with the default and the database are those of the tuner; candidates run in this process."""
from __future__ import annotations

import concurrent.futures
import hashlib
import inspect
import itertools
import os
import time
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._definitions import choice, listed, named, number, truth, whole
from ._devices import Device, device as _device
from ._library import C, Error, call, ffi, made, text

_MOST_VALUES = 65535  # values of a parameter
_STRATEGIES = {"auto": "HED_SEARCH_AUTO", "random": "HED_SEARCH_RANDOM", "local": "HED_SEARCH_LOCAL", "exhaustive": "HED_SEARCH_EXHAUSTIVE"}


# ---- arrays of other packages, by the methods that they have ----

def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and bool(getattr(value, "shape", ()))


def _clone(array: Any) -> Any:
    if hasattr(array, "clone"):
        return array.clone()
    if hasattr(array, "copy_to_host"):
        return array.copy_to_host()
    return array.copy()


def _assign(array: Any, source: Any) -> None:
    if hasattr(array, "copy_"):
        array.copy_(source)
    elif hasattr(array, "copy_to_device"):
        array.copy_to_device(source)
    else:
        array[...] = source


def _zero(array: Any) -> None:
    if hasattr(array, "zero_"):
        array.zero_()
    elif hasattr(array, "copy_to_device"):
        array.copy_to_device(np.zeros(array.shape, array.dtype))
    else:
        array[...] = 0


def _host(array: Any) -> np.ndarray:
    if hasattr(array, "copy_to_host"):
        return np.asarray(array.copy_to_host())
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        array = array.float() if "bfloat16" in str(array.dtype) else array
        return np.asarray(array.numpy())
    return np.asarray(array.get() if hasattr(array, "get") else array)


def _tolerance(array: Any) -> float:
    kind = str(array.dtype)
    if not any(word in kind for word in ("float", "complex")):
        return 0
    if "float8" in kind:
        return 0.1
    return 2e-2 if "float16" in kind else 1e-7 if "float64" in kind or "complex128" in kind else 1e-3


def _is_on_device(array: Any) -> bool:
    return hasattr(array, "clone") or type(array).__module__.split(".")[0] == "cupy"


def _is_near(array: Any, expected: Any, limit: float) -> bool:
    """True if arrays on a device agree, by the device; False, too, where only the host can decide: NaN, complex numbers, arrays without arithmetic."""
    same_type = array.shape == expected.shape and array.dtype == expected.dtype
    if not _is_on_device(array) or not same_type or "complex" in str(array.dtype):
        return False
    if limit == 0:
        return bool((array == expected).all())
    wide: Callable[[Any], Any] = (lambda a: a.double() if "64" in str(a.dtype) else a.float()) if hasattr(array, "clone") else (
        lambda a: a.astype("f8" if a.dtype.itemsize == 8 else "f4"))
    found, right = wide(array), wide(expected)
    return bool((abs(found - right) <= limit * abs(right).clip(1)).all())


def _is_same(array: Any, other: Any) -> bool:
    if _is_on_device(array):
        return _is_near(array, other, 0)
    a, b = _host(array), _host(other)
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _compare_on_host(name: str, a: np.ndarray, e: np.ndarray, limit: float) -> None:
    wide = "c16" if e.dtype.kind == "c" else "f8"
    with np.errstate(invalid="ignore"):
        error = np.abs(a.astype(wide) - e.astype(wide)) / np.maximum(1, np.abs(e.astype(wide))) if e.dtype.kind in "fc" else (a != e)
    wrong = np.flatnonzero(np.nan_to_num(np.asarray(error, float), nan=np.inf) > limit) if a.shape == e.shape else np.zeros(1, int)
    different = [int(i) for i in wrong if not (a.shape == e.shape and a.dtype.kind == "f" and np.isnan(a.flat[i]) and np.isnan(e.flat[i]))]
    if different:
        i = different[0]
        raise AssertionError(f"element {i} of {name} is {a.flat[i]}, expected {e.flat[i]}; {len(different)} differ")


# ---- kinds of kernels ----

class _Callable:
    """A function of arrays that takes its configuration by keyword, as of PyTorch."""

    def __init__(self, function: Any):
        self.function = function
        self.module = type(function).__module__.split(".")[0]
        self.names = self._names()

    def _names(self) -> list[str]:
        try:
            return list(inspect.signature(getattr(self.function, "fn", self.function)).parameters)
        except (TypeError, ValueError):
            return []

    def source(self) -> str:
        for holder in (self.function, getattr(self.function, "fn", None), getattr(self.function, "py_func", None)):
            words = getattr(holder, "src", None) or getattr(holder, "code", None)
            if isinstance(words, str):
                return words
            try:
                return inspect.getsource(holder)  # type: ignore[arg-type]
            except (TypeError, OSError):
                continue
        return repr(self.function)

    def launch(self, where: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], config: Mapping[str, Any]) -> Any:
        return self.function(*arguments, **keywords, **config)

    def compiler(self) -> Optional[Callable[..., Any]]:
        """A function with launch()'s arguments that compiles in any thread and launches nothing; None: only a launch compiles."""
        return None


class _Triton(_Callable):
    """A function of triton.jit: the grid is a tuple, or a function of all constants."""

    def launch(self, where: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], config: Mapping[str, Any]) -> Any:
        return self.function[where](*arguments, **keywords, **config)

    def compiler(self) -> Optional[Callable[..., Any]]:
        warmup = getattr(self.function, "warmup", None)
        if warmup is None:
            return None
        caches = getattr(self.function, "device_caches", None)
        if caches is not None:  # its entry is made by one thread, before others need it
            import triton  # type: ignore[import-not-found, unused-ignore]
            caches[triton.runtime.driver.active.get_current_device()]  # pylint: disable=expression-not-assigned
        compile_: Callable[..., Any] = warmup
        return lambda where, arguments, keywords, config: compile_(*arguments, grid=where, **keywords, **config)


class _Numba(_Callable):
    """A function of numba.cuda.jit: grid and block, or functions of the configuration that return them."""

    def _names(self) -> list[str]:
        return list(inspect.signature(getattr(self.function, "py_func", self.function)).parameters)

    def launch(self, where: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], config: Mapping[str, Any]) -> Any:
        grid, block, *others = (part(config) if callable(part) else part for part in where)
        return self.function[(grid, block, *others)](*arguments)


class _CupyRaw(_Callable):
    """A cupy.RawKernel: grid and block, and a text in which each configuration's macros are defined."""

    def __init__(self, function: Any):
        super().__init__(function)
        self.compiled: dict[tuple[Any, ...], Any] = {}

    def launch(self, where: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], config: Mapping[str, Any]) -> Any:
        key = tuple(sorted(config.items()))
        if key not in self.compiled:
            f = self.function
            macros = tuple(f"-D{n}={v}" for n, v in config.items())
            self.compiled[key] = type(f)(f.code, f.name, (*(f.options or ()), *macros), f.backend)
        grid, block = (part(config) if callable(part) else part for part in where)
        return self.compiled[key](grid, block, tuple(arguments), **keywords)


class _CupyElementwise(_Callable):
    """A cupy.ElementwiseKernel, whose block_size is the configuration."""


def _adapter(function: Any) -> _Callable:
    kind = type(function).__name__
    module = type(function).__module__.split(".")[0]
    if kind in ("JITFunction", "Heuristics", "Autotuner") or module == "triton":
        return _Triton(function)
    if module == "numba":
        return _Numba(function)
    if kind == "RawKernel":
        return _CupyRaw(function)
    return _CupyElementwise(function) if kind == "ElementwiseKernel" else _Callable(function)


# ---- clocks ----

_SWEEP_BYTES = 256 << 20  # as in triton.testing.do_bench()


class _Clock:
    """Times a launch: events of PyTorch or CuPy on a device of theirs, else the host's clock. A buffer larger than the cache is cleared before, so
    that the launch finds a cold cache, and the device is busy until the host has issued the launch."""

    def __init__(self, arguments: Sequence[Any]):
        self.torch = self.cupy = self.numba = None
        for a in arguments:
            name = type(a).__module__.split(".")[0]
            if name == "torch" and getattr(a, "is_cuda", False):
                import torch  # type: ignore[import-not-found, unused-ignore]
                self.torch = torch
            elif name == "cupy":
                import cupy  # type: ignore[import-not-found, unused-ignore]
                self.cupy = cupy
            elif name == "numba":
                from numba import cuda  # type: ignore[import-not-found, unused-ignore]
                self.numba = cuda
        self.sweep: Any = None
        if self.torch:
            self.sweep = self.torch.empty(_SWEEP_BYTES, dtype=self.torch.int8, device="cuda")
        elif self.cupy:
            self.sweep = self.cupy.empty(_SWEEP_BYTES, "i1")

    def __call__(self, launch: Callable[[], Any]) -> float:
        if self.torch:
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            self.sweep.zero_()
            begin.record()
            launch()
            end.record()
            end.synchronize()
            return float(begin.elapsed_time(end)) * 1e-3
        if self.cupy:
            begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
            self.sweep.fill(0)
            begin.record()
            launch()
            end.record()
            end.synchronize()
            return float(self.cupy.cuda.get_elapsed_time(begin, end)) * 1e-3
        self.wait()
        started = time.perf_counter()
        launch()
        self.wait()
        return time.perf_counter() - started

    def wait(self) -> None:
        if self.torch:
            self.torch.cuda.synchronize()
        elif self.cupy:
            self.cupy.cuda.Device().synchronize()
        elif self.numba:
            self.numba.synchronize()


# ---- spaces ----

class _Space:
    """Parameters for the search, and the configuration of each of its points."""

    def __init__(self, configs: Optional[Sequence[Any]], space: Mapping[str, Sequence[Any]], restrictions: Sequence[Any]):
        functions = [r for r in restrictions if callable(r)]
        self.constraints = [r for r in restrictions if isinstance(r, str)]
        self.points: Optional[list[dict[str, Any]]] = None
        if configs is not None:
            self.points = [_words_of(c) for c in configs]
        elif functions:
            whole_ = (dict(zip(space, values)) for values in itertools.product(*space.values()))
            self.points = [p for p in whole_ if all(f(p) for f in functions)]
        if functions and not self.points:
            raise ValueError("autotune: the restrictions leave no configuration; expected one at least")
        if self.points is not None and not 0 < len(self.points) <= _MOST_VALUES:
            raise ValueError(f"autotune: {len(self.points)} configurations; expected 1 to {_MOST_VALUES}. Give a `space` with expressions as restrictions")
        self.values = {"CONFIG": list(range(len(self.points)))} if self.points is not None else {n: list(v) for n, v in space.items()}

    def parameters(self, keep: list[Any]) -> tuple[Any, int]:
        found = ffi.new("hed_parameter_def[]", len(self.values))
        for p, (name, values) in zip(found, self.values.items()):
            numbers = [v if _is_whole(v) else i for i, v in enumerate(values)]
            if any(not _is_whole(v) for v in values):
                numbers = list(range(len(values)))
                labels = [ffi.new("char[]", str(v).encode()) for v in values]
                keep += [labels, ffi.new("const char *[]", labels)]
                p.labels = keep[-1]
            keep += [ffi.new("char[]", name.encode()), ffi.new("int64_t[]", numbers)]
            p.name, p.values, p.count, p.value = keep[-2], keep[-1], len(numbers), numbers[0]
        keep.append(found)
        return found, len(self.values)

    def configuration(self, config: Any) -> dict[str, Any]:
        found = {}
        for i, (name, values) in enumerate(self.values.items()):
            value = int(config.values[i])
            found[name] = value if all(_is_whole(v) for v in values) else values[value]
        return dict(self.points[found["CONFIG"]]) if self.points is not None else found


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _values_of(space: Any) -> dict[str, list[Any]]:
    """The values of each parameter of a space."""
    found = {n: listed(values, f"the values of {n!r}", "a list of values") for n, values in named(space, "space").items()}
    for n, values in found.items():
        if not isinstance(n, str):
            raise TypeError(f"space: {n!r} is a {type(n).__name__}; expected the name of a parameter")
        if not values:
            raise ValueError(f"space: parameter {n!r} has no values; expected one at least")
    if space is not None and not found:
        raise ValueError("space: it has no parameter; expected names of parameters, each with its values")
    return found


def _words_of(config: Any) -> dict[str, Any]:
    """A triton.Config, or a dict."""
    if isinstance(config, Mapping):
        return dict(config)
    if not isinstance(getattr(config, "kwargs", None), Mapping):
        raise TypeError(f"configs: {config!r} is a {type(config).__name__}; expected a triton.Config or a dict")
    words = dict(config.kwargs)
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        value = getattr(config, name, None)
        if value is not None and not (name == "num_ctas" and value == 1):
            words[name] = value
    return words


# ---- one tuning ----

class _Ahead:
    """Compiles configurations in threads, ahead of their measurement."""

    def __init__(self, run: "_Run"):
        self.run, self.compile = run, run.owner.kernel.compiler()
        self.builders = min(os.cpu_count() or 1, 16)
        self.pool = concurrent.futures.ThreadPoolExecutor(self.builders, "heddle-compile", self._enter, (run.clock.torch and run.clock.torch.cuda.current_device(),))
        self.compiling: dict[Any, Any] = {}  # configuration of each future, a copy of the search's struct
        self.compiled: dict[tuple[int, ...], Any] = {}

    def _enter(self, device: Any) -> None:
        if self.run.clock.torch:
            self.run.clock.torch.cuda.set_device(device)

    def build(self, config: Any) -> None:
        run = self.run
        future = self.pool.submit(self.compile, run.where, run.arguments, run.keywords, run.space.configuration(config))  # type: ignore[arg-type]
        self.compiling[future] = ffi.new("hed_config *", config)

    def built(self, seconds: float) -> Any:
        """A finished configuration, or None."""
        done = concurrent.futures.wait(self.compiling, seconds, concurrent.futures.FIRST_COMPLETED).done
        if not done:
            return None
        future = done.pop()
        config = self.compiling.pop(future)
        self.compiled[_point(config[0])] = future
        return config

    def take(self, config: Any) -> None:
        """Raises the compiler's exception. Waits for a compilation in progress; one that has not begun is left to the launch."""
        future = self.compiled.pop(_point(config), None)
        if future is None:
            future = next((f for f, c in self.compiling.items() if _point(c[0]) == _point(config) and not f.cancel()), None)
        if future:
            future.result()

    def close(self) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)


def _point(config: Any) -> tuple[int, ...]:
    return tuple(config.values[i] for i in range(config.count))


class _Run:
    """The callbacks of a tuning for one set of arguments."""

    def __init__(self, owner: "Autotuned", where: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], space: _Space):
        self.owner, self.where, self.arguments, self.keywords, self.space = owner, where, arguments, keywords, space
        self.clock = _Clock([*arguments, *keywords.values()])
        self.config: dict[str, Any] = {}
        self.failures: list[BaseException] = []
        names = owner.kernel.names
        self.arrays = {names[i] if i < len(names) else str(i): a for i, a in enumerate(arguments) if _is_array(a)}
        self.arrays.update({n: a for n, a in keywords.items() if _is_array(a)})
        self.first = {n: _clone(a) for n, a in self.arrays.items()}
        self.has_reference = False
        self.expected: dict[str, Any] = {}  # arrays that the reference changes, on their device
        self.result: Any = None  # of a function
        self.expected_result: Any = None
        self.ahead = _Ahead(self) if owner.kernel.compiler() else None

    def launch(self) -> None:
        self.result = self.owner.kernel.launch(self.where, self.arguments, self.keywords, self.config)

    def reset(self, everything: bool) -> None:
        for name, array in self.arrays.items():
            if name in self.owner.zeroed and not everything:
                _zero(array)
            elif everything or name in self.owner.restored or name in self.expected and self.owner.check:
                _assign(array, self.first[name])

    def prepare(self, config: Any) -> None:
        self.config = self.space.configuration(config)
        if self.ahead:
            self.ahead.take(config)
        self.reset(True)
        self.reset(False)
        self.launch()  # compiles
        self.clock.wait()

    def compare(self) -> None:
        """Compares the arrays after the first run with those of the reference, the first configuration that works."""
        if not self.owner.check:
            return
        if not self.has_reference:
            self.has_reference = True
            self.expected = {n: _clone(a) for n, a in self.arrays.items() if not _is_same(a, self.first[n])}
            self.expected_result = _clone(self.result) if _is_array(self.result) else None
            return
        pairs = [(n, self.arrays[n], e) for n, e in self.expected.items()]
        if _is_array(self.result) and self.expected_result is not None:
            pairs.append(("the result", self.result, self.expected_result))
        for name, array, expected in pairs:
            limit = self.owner.tolerance if self.owner.tolerance is not None else _tolerance(expected)
            if not _is_near(array, expected, limit):
                _compare_on_host(name, _host(array), _host(expected), limit)

    def time(self) -> float:
        self.reset(False)
        return self.clock(self.launch)

    def guarded(self, function: Callable[[], Any], error: Any, status: Any) -> Any:
        """Runs a step; its exception is the candidate's failure, except Ctrl-C, which ends the tuning."""
        try:
            return function(), C.HED_OK
        except KeyboardInterrupt as problem:
            self.failures.append(problem)
        except Exception as problem:  # whatever a compiler raises
            words = f"{type(problem).__name__}: {problem}".encode()[:500]
            error.status = status
            ffi.buffer(error.text)[:len(words) + 1] = words + b"\0"
            return None, status
        error.status = C.HED_ERROR_DRIVER
        return None, C.HED_ERROR_DRIVER


class Autotuned:
    """A kernel that is tuned at its first call for each key, and from then on runs in the winner's configuration. `best_config` is that of the
    last call, `results` has the evaluations of each key that was tuned in this process."""

    def __init__(self, function: Any, configs: Any, key: Sequence[str], settings: dict[str, Any]):
        self.kernel, self.fn = _adapter(function), function
        self.configs, self.key = configs, list(key)
        self.zeroed: list[str] = settings["zeroed"]
        self.restored: list[str] = settings["restored"]
        self.check, self.tolerance = settings["check"], settings["tolerance"]
        self.settings = settings
        self.name = settings["name"] or getattr(function, "__name__", None) or getattr(function, "name", type(function).__name__)
        self.chosen: dict[tuple[Any, ...], dict[str, Any]] = {}
        self.results: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        self.best_config: Optional[dict[str, Any]] = None

    def __getitem__(self, where: Any) -> Callable[..., Any]:
        return lambda *arguments, **keywords: self._call(where, arguments, keywords)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if isinstance(self.kernel, _CupyRaw):
            grid, block, given = arguments[:3]
            return self._call((grid, block), given, keywords)
        return self._call(None, arguments, keywords)

    def _call(self, where: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        values = dict(zip(self.kernel.names, arguments))
        values.update(keywords)
        numbered = {*values, *(str(i) for i in range(len(self.kernel.names), len(arguments)))}  # arrays without a name have their number
        for place, names, known in (("key", self.key, values), ("reset_to_zero", self.zeroed, numbered), ("restore_value", self.restored, numbered)):
            missing = [n for n in names if n not in known]
            if missing:
                raise ValueError(f"autotune: {self.name} has no argument {missing[0]!r}, which is in `{place}`; it has {', '.join(sorted(known))}")
        key = (*(values[n] for n in self.key), *(str(v.dtype) for v in values.values() if _is_array(v)))
        if key not in self.chosen:
            self.chosen[key] = self._tuned(key, where, arguments, keywords, values)
        self.best_config = self.chosen[key]
        return self.kernel.launch(where, arguments, keywords, self.best_config)

    def _pruned(self, values: Mapping[str, Any], keywords: Mapping[str, Any]) -> Optional[Sequence[Any]]:
        """The listed configurations after early_config_prune and perf_model, as in Triton."""
        prune: dict[str, Any] = self.settings["prune"]
        if self.configs is None:
            return None
        configs: list[Any] = list(self.configs)
        if prune.get("early_config_prune"):
            configs = list(prune["early_config_prune"](configs, dict(values), **keywords))
        if prune.get("perf_model") and prune.get("top_k"):
            top = prune["top_k"]
            most = int(len(configs) * top) if isinstance(top, float) and top <= 1 else int(top)
            configs = sorted(configs, key=lambda c: float(prune["perf_model"](**values, **_words_of(c))))[:max(most, 1)]
        return configs

    def _tuned(self, key: tuple[Any, ...], where: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], values: Mapping[str, Any]
               ) -> dict[str, Any]:
        s = self.settings
        space = _Space(self._pruned(values, keywords), s["space"], s["restrictions"])
        run = _Run(self, where, arguments, keywords, space)
        on = s["device"] if s["device"] is not None else _usual_device()
        keep: list[Any] = []
        sizes = [int(v) for v in key[:len(self.key)] if _is_whole(v) and v > 0][:8]
        others = [v for v in key if not (_is_whole(v) and v > 0)]
        version = hashlib.sha256(repr((self.kernel.source(), others, space.values, space.points)).encode()).hexdigest()[:24]
        pipeline, problem = self._pipeline(run, space, version, sizes, keep)
        config, origin = ffi.new("hed_config *"), ffi.new("hed_config_origin *")
        if s["keep"] and on is not None:
            call(C.hed_pipeline_resolve, on.p, pipeline, problem, config, origin)
            if origin[0] == C.HED_ORIGIN_EXACT:
                return space.configuration(config[0])
        return self._search(key, run, space, on, pipeline, problem)

    def _pipeline(self, run: _Run, space: _Space, version: str, sizes: Sequence[int], keep: list[Any]) -> tuple[Any, Any]:
        parameters, count = space.parameters(keep)
        names = [ffi.new("char[]", f"size{i}".encode()) for i in range(len(sizes))]
        constraints = [ffi.new("char[]", c.encode()) for c in space.constraints]
        keep += [names, ffi.new("const char *[]", names), constraints, ffi.new("const char *[]", constraints),
                 ffi.new("char[]", f"autotune:{self.name}".encode()), ffi.new("char[]", version.encode())]
        pipeline = ffi.new("hed_pipeline_def *", {
            "name": keep[-2], "version": keep[-1], "parameters": parameters, "parameter_count": count, "constraints": keep[-3],
            "constraint_count": len(constraints), "dimensions": keep[-5], "dimension_count": len(sizes)})

        def prepare(_: Any, config: Any, error: Any) -> Any:
            return run.guarded(lambda: run.prepare(config[0]), error, C.HED_ERROR_BUILD)[1]

        def once(_: Any, value: Any, error: Any) -> Any:
            seconds, status = run.guarded(run.time, error, C.HED_ERROR_DRIVER)
            if status == C.HED_OK:
                value[0] = max(float(seconds), 1e-9)
            return status

        def compare(_: Any, error: Any) -> Any:
            return run.guarded(run.compare, error, C.HED_ERROR_ARGUMENT)[1]

        def build_ahead(_: Any, config: Any, error: Any) -> Any:
            return run.guarded(lambda: run.ahead.build(config[0]), error, C.HED_ERROR_DRIVER)[1]  # type: ignore[union-attr]

        def built(_: Any, seconds: float, config: Any) -> bool:
            found = run.ahead.built(seconds)  # type: ignore[union-attr]
            if found:
                config[0] = found[0]
            return found is not None

        if run.ahead:
            keep += [ffi.callback("hed_status(void *, const hed_config *, hed_error *)", build_ahead),
                     ffi.callback("bool(void *, double, hed_config *)", built, error=False)]
            pipeline.builders, pipeline.build_ahead, pipeline.built = run.ahead.builders, keep[-2], keep[-1]
        keep += [ffi.callback("hed_status(void *, const hed_config *, hed_error *)", prepare), ffi.callback("hed_status(void *, double *, hed_error *)", once),
                 ffi.callback("hed_status(void *, hed_error *)", compare)]
        pipeline.prepare, pipeline.run, pipeline.check = keep[-3:]
        keep.append(ffi.new("hed_problem *", {"count": len(sizes), "sizes": list(sizes)}))
        run.keep = keep  # type: ignore[attr-defined]
        return pipeline, keep[-1]

    def _search(self, key: tuple[Any, ...], run: _Run, space: _Space, on: Any, pipeline: Any, problem: Any) -> dict[str, Any]:
        s = self.settings
        definition = ffi.new("hed_tune_def *", C.hed_default_tune_def())
        definition.problem, definition.keep = problem, s["keep"]
        definition.strategy = getattr(C, _STRATEGIES[s["strategy"]])
        if s["seconds"] or s["evaluations"]:
            definition.evaluations, definition.limit_seconds = s["evaluations"], s["seconds"]
        stop = ffi.callback("bool(void *)", lambda _: bool(run.failures), error=True)
        definition.stop = stop
        try:
            found = made(C.hed_tune_pipeline, "hed_tune_result", on.p, pipeline, definition)
        except Error:
            if run.failures:
                raise run.failures[0] from None
            raise
        finally:
            run.reset(True)
            if run.ahead:
                run.ahead.close()
        try:
            self.results[key] = [{**space.configuration(e.config), "time": e.seconds, "outcome": text(C.hed_outcome_name(e.outcome)), "text": text(e.text)}
                                 for e in (found.evaluations[i] for i in range(found.count))]
            if run.failures:
                raise run.failures[0]
            return space.configuration(found.evaluations[found.best].config)
        finally:
            C.hed_tune_result_free(found)


def _usual_device() -> Any:
    """The device whose key the results have: the first GPU, else the host."""
    try:
        return _device("cuda:0")
    except Error:
        return _device("host")


def autotune(configs: Optional[Sequence[Any]] = None, key: Sequence[str] = (), prune_configs_by: Optional[Mapping[str, Any]] = None,
             reset_to_zero: Optional[Sequence[str]] = None, restore_value: Optional[Sequence[str]] = None, *,
             space: Optional[Mapping[str, Sequence[Any]]] = None, restrictions: Union[str, Sequence[Any], None] = None, check: bool = True,
             tolerance: Optional[float] = None, strategy: str = "auto", evaluations: int = 0, seconds: float = 0, keep: bool = True,
             device: Union[str, Device, None] = None, name: Optional[str] = None, **triton: Any) -> Callable[[Any], Autotuned]:
    """Tunes a kernel at its first call with a new key, and keeps the result in the tuning database, for later processes, too.

        @heddle.autotune(configs=[triton.Config({"BLOCK": 128}, num_warps=4), ...], key=["n"])   as triton.autotune
        @triton.jit
        def add(x, y, out, n, BLOCK: tl.constexpr): ...

    configs, key, prune_configs_by, reset_to_zero, restore_value  as of triton.autotune; a configuration may be a dict. The first one is the default
    space  in their place: {"BLOCK": [64, 128, 256], "num_warps": [2, 4, 8]}, of which only a part is tried; the first values are the default
    restrictions  expressions that must hold, "BLOCK * num_warps <= 1024", or functions of a dict
    check  whether the arrays after a run are compared with those after the first configuration that works, to `tolerance`
    evaluations, seconds  limits, else at most 200 configurations

    Kernels are functions of triton.jit (`kernel[grid]`), of numba.cuda.jit (`kernel[grid, block]`, which may be functions of the configuration),
    cupy.RawKernel (its configuration is macros; grid and block may be functions), cupy.ElementwiseKernel (`block_size`), and any function that takes
    its configuration by keyword. Arrays are restored before the call that the caller asked for. Candidates run in this process: one that crashes
    ends it. Other arguments of triton.autotune (warmup, rep, use_cuda_graph, do_bench ...) change nothing."""
    if (configs is None) == (space is None):
        raise ValueError("autotune: expected either `configs` or a `space`")
    known = {"warmup", "rep", "use_cuda_graph", "do_bench", "cache_results", "pre_hook", "post_hook"}
    for other in triton:
        if other not in known:
            raise TypeError(f"autotune() has no argument {other!r}")
    if triton.get("pre_hook") or triton.get("post_hook"):
        raise ValueError("autotune: pre_hook and post_hook are not called; name arrays in reset_to_zero or restore_value")
    given = [restrictions] if isinstance(restrictions, str) or callable(restrictions) else listed(restrictions or (), "restrictions", "a list of expressions and functions")
    settings = {"prune": named(prune_configs_by, "prune_configs_by"), "zeroed": listed(reset_to_zero or (), "reset_to_zero", "a list of names"),
                "restored": listed(restore_value or (), "restore_value", "a list of names"), "space": _values_of(space), "restrictions": given, "check": truth(check, "check"),
                "tolerance": None if tolerance is None else number(tolerance, "tolerance", 0), "strategy": choice(strategy, "strategy", list(_STRATEGIES)),
                "evaluations": whole(evaluations, "evaluations", 0, 0xFFFFFFFF), "seconds": number(seconds, "seconds", 0), "keep": truth(keep, "keep"),
                "device": None if device is None else _device(device), "name": name}
    list_ = None if configs is None else listed(configs, "configs", "a list of configurations")
    for config in list_ or ():
        _words_of(config)  # raises if it is none
    names = listed(key, "key", "a list of names")

    def decorate(function: Any) -> Autotuned:
        if not callable(function) and not hasattr(function, "__getitem__"):
            raise TypeError(f"autotune: {function!r} is a {type(function).__name__}; expected a kernel or a function")
        return Autotuned(function, list_, names, settings)

    return decorate
