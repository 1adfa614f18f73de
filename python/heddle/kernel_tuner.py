"""Kernel Tuner's interface on Heddle's tuner: a script needs another import and nothing else.

    from heddle.kernel_tuner import tune_kernel, run_kernel
    results, env = tune_kernel("vector_add", "vector_add.cl", size, args, {"block_size_x": [32, 64, 128]})

`heddle tune script.py` runs a script with this module in place of kernel_tuner and prints each call. Times of the results are in milliseconds,
as there. Without a strategy at most 200 configurations are tried by Heddle's search, and strategy="brute_force" tries all. Features that
belong to other compilers or to hooks of the benchmark loop are refused by name: lang="C", other observers than NVML's energy, textures, tunable
precision."""
from __future__ import annotations

import inspect
import itertools
import json
import math
import os
import re
import sys
import time
import types
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ._definitions import callback, listed, named, number
from ._description import Layout, describe, device_of, is_file
from ._files import write_whole
from ._integration import TuneResults, create_device_targets, store_results
from ._kernel import Kernel, KernelWithMemory
from ._library import C, UnsupportedError
from ._tuner import _tune

#: Prints each call if it is set: `heddle tune script.py` sets it, and the limits of --budget and --time.
announce: Optional[Callable[[str], None]] = None
budget: Optional[int] = None
seconds: float = 0

_MOST_TEXTS = 16384
_BLOCKS = ("block_size_x", "block_size_y", "block_size_z")
#: Strategies of Kernel Tuner; those without a counterpart of the name are Heddle's search.
_STRATEGIES = {None: "auto", "brute_force": "exhaustive", "random_sample": "random", **dict.fromkeys(
    ("basinhopping", "bayes_opt", "bayes_opt_alt_BOTorch", "bayes_opt_BOTorch", "bayes_opt_BOTorch_transfer", "bayes_opt_old", "diff_evo", "dual_annealing",
     "firefly_algorithm", "genetic_algorithm", "greedy_ils", "greedy_mls", "hybrid_greedy_mls", "hyper", "minimize", "mls", "ordered_greedy_mls", "pso",
     "pyatf_strategies", "simulated_annealing", "skopt"), "auto")}
#: Arguments without a counterpart, and the reason.
_REFUSED = {"texmem_args": "there are no textures; read the array", "observers": "there are no hooks in the benchmark loop; NVMLObserver([\"nvml_energy\"]) "
            "and objective=\"energy\" measure joules", "simulation_mode": "use heddle tune replay", "accuracy": "give `atol`, or a function in `verify`"}
#: Quantities of NVMLObserver that a launch's energy gives.
_ENERGY, _POWER = "nvml_energy", "nvml_power"
#: Arguments of the benchmark loop or of other back ends that change nothing here.
_IGNORED = {"iterations", "parallel_workers", "parallel_runner", "parallel", "noodles", "sharedmem", "use_noodles", "log", "compiler", "platform", "quiet",
            "strict_refresh"}


def _refuse(words: str) -> UnsupportedError:
    return UnsupportedError(f"kernel_tuner: {words}", "unsupported", int(C.HED_ERROR_UNSUPPORTED))


def _language(lang: Any) -> Optional[str]:
    name = None if lang is None else str(lang).lower()
    if name in ("c", "fortran", "generic"):
        raise _refuse(f"lang={lang!r}: its compiler runs on the host; expected OpenCL C, CUDA C or HIP")
    return name


def _source(source: Any, tune_params: Mapping[str, Sequence[Any]]) -> Any:
    """A text or file. A list has its first file, which includes the others; a generator's texts become one with a branch for each configuration."""
    if isinstance(source, (list, tuple)):
        if not source:
            raise ValueError("kernel_source: the list is empty; expected a text or the names of files")
        return source[0]
    if not callable(source):
        return source
    named_ = bool(inspect.signature(source).parameters) and "params" not in inspect.signature(source).parameters and "kwargs" in str(inspect.signature(source))

    def made(configuration: dict[str, Any]) -> str:
        text = source(**configuration) if named_ else source(configuration)
        if is_file(text):
            with open(text, encoding="utf-8") as file:
                text = file.read()
        return str(text)
    return _branches("kernel_source", tune_params, made)


def _branches(what: str, tune_params: Mapping[str, Sequence[Any]], made: Callable[[dict[str, Any]], str]) -> str:
    """The texts of a function as one, with a branch for each combination of those parameters that change the text."""
    count = math.prod(len(v) for v in tune_params.values())
    words = {n: v for n, v in tune_params.items() if any(isinstance(x, str) for x in v)}
    if count > _MOST_TEXTS or not all(str(x).isidentifier() for v in words.values() for x in v if len(v) > 1):
        raise _refuse(f"{what} is a function, with {count} configurations; expected at most {_MOST_TEXTS}, of numbers and of words")
    texts = {values: made(dict(zip(tune_params, values))) for values in itertools.product(*tune_params.values())}
    names = list(tune_params)
    for name in tune_params:  # without the parameters that change nothing
        at = names.index(name)
        fewer: dict[tuple[Any, ...], str] = {}
        if all(fewer.setdefault(values[:at] + values[at + 1:], text) == text for values, text in texts.items()):
            texts, names = fewer, names[:at] + names[at + 1:]
    parts = []
    for n in words:  # words are compared by their numbers, which pasting finds
        parts += [f"#define kernel_tuner_{n}_{x} {i}\n" for i, x in enumerate(tune_params[n])] if n in names else []
        parts += [f"#define kernel_tuner_paste_{n}(x) kernel_tuner_{n}_##x\n"
                  f"#define kernel_tuner_number_{n}(x) kernel_tuner_paste_{n}(x)\n"] if n in names else []
    for values, text in texts.items():
        terms = [f"kernel_tuner_number_{n}({n}) == {list(tune_params[n]).index(v)}" if n in words else f"{n} == {v}" for n, v in zip(names, values)]
        parts.append(f"#if {' && '.join(terms) or '1'}\n{text}\n#endif\n")
    return "".join(parts)


def _defined(source: Any, given: Any, tune_params: Mapping[str, Sequence[Any]], options: Optional[list[Any]]
             ) -> tuple[Any, dict[str, Any], Optional[list[Any]]]:
    """The text, its macros, and the options. Each parameter is a macro unless `defines` lists the macros: then whole numbers are none in the text, so
    that a parameter may be a word of the text, or a template's argument in the kernel's name alone."""
    if given is None:
        return source, {"kernel_tuner": 1}, options
    macros = {str(n): v for n, v in named(given, "defines").items()}
    for name, value in macros.items():
        if not name.isidentifier():
            raise ValueError(f"defines: {name!r}: expected the name of a macro")
        if name in tune_params and str(value) != name:
            raise _refuse(f"defines: {name!r} is a parameter and has its value as a macro; expected another name for {value!r}")
    named_ = set(macros).union(*(re.findall(r"\w+", str(v)) for v in macros.values() if not callable(v)))
    hidden = [n for n, values in tune_params.items() if n not in named_ and all(isinstance(v, (int, np.integer)) for v in values)]
    functions = {n: v for n, v in macros.items() if callable(v)}
    plain = {n: str(v) for n, v in macros.items() if n not in functions and n not in tune_params}
    if not hidden and not functions:
        return source, plain, options
    if is_file(str(source)):
        folder = os.path.dirname(os.path.abspath(source))
        with open(source, encoding="utf-8", errors="replace") as file:
            source = file.read()
        options = [*(options or []), f"-I{folder}"]
    before = ""
    if functions:
        before = _branches("a value of defines", tune_params, lambda c: "\n".join(f"#define {n} {f(c)}" for n, f in functions.items()))
    before += "".join(f"enum {{ kernel_tuner_{n} = {n} }};\n#undef {n}\n" for n in hidden)
    after = "".join(f"\n#define {n} kernel_tuner_{n}" for n in hidden)  # for the kernel's name
    return before + source + after + "\n", plain, options


def _options(given: Any) -> Optional[list[Any]]:
    """Options of the compiler without the architecture, which is the device's."""
    options = listed(given or (), "compiler_options", "a list of texts")
    return [o for o in options if not str(o).startswith("-arch")] or None


def _usual_macros(source: Any, problem_size: Any, tune_params: Mapping[str, Sequence[Any]], divisors: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """Macros that a text of Kernel Tuner's has besides its parameters: sizes of a group that are not tuned, and the groups of each axis as far as the
    text names them."""
    found: dict[str, Any] = {n: 1 for n in names[1:3] if n not in tune_params}
    text = str(source)
    if is_file(text) and os.path.isfile(text):
        with open(text, encoding="utf-8", errors="replace") as file:
            text = file.read()
    sizes = [problem_size] if np.ndim(problem_size) == 0 else list(problem_size) if not isinstance(problem_size, Mapping) else []
    for axis, size, name, divisor in zip("xyz", sizes, names, divisors):
        if re.search(rf"\bgrid_size_{axis}\b", text) and (divisor is None or isinstance(divisor, (list, tuple))):
            terms = divisor if divisor is not None else [name] if name in tune_params else []
            over = " * ".join(f"({t})" for t in terms) or "1"
            found[f"grid_size_{axis}"] = f"((({size}) + {over} - 1) / ({over}))"
    return found


def _with_group(tune_params: Any, names: Sequence[str]) -> Mapping[str, Sequence[Any]]:
    """The parameters, with Kernel Tuner's size of a group where they have none."""
    params = named(tune_params, "tune_params")
    return params if any(n in params for n in names[:3]) else {**params, names[0]: [256]}


def _described(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], tune_params: Mapping[str, Sequence[Any]],
               divisors: Sequence[Any], block_size_names: Sequence[str], restrictions: Any, lang: Any, compiler_options: Any, device: Any,
               defines: Any, answer: Any, atol: Optional[float], cmem_args: Any, smem_args: Any, compare: bool) -> Any:
    source = _source(kernel_source, tune_params)
    usual = _usual_macros(source, problem_size, tune_params, divisors, block_size_names) if defines is None else {}
    source, macros, options = _defined(source, defines, tune_params, _options(compiler_options))
    return describe(kernel_name, source, problem_size, arguments, tune_params,
                    Layout(None, None, divisors, block_size_names), restrictions=restrictions, lang=_language(lang), defines={**usual, **macros},
                    compiler_options=options, names=None, on=device,
                    answer=answer, atol=atol, symbols=cmem_args, shared=_shared(smem_args), compare=compare)


def _shared(smem_args: Any) -> Any:
    """Bytes of shared memory: a number, or an expression of parameters."""
    return named(smem_args, "smem_args").get("size")


def _metrics(metrics: Mapping[str, Any], result: dict[str, Any]) -> None:
    """Adds user metrics, which may use earlier ones: functions of the result, or expressions of its names."""
    for name, metric in metrics.items():
        result[name] = metric(result) if callable(metric) else eval(metric, {"__builtins__": {}, "math": math, **result})  # the script's own text


def _result(evaluation: dict[str, Any], parameters: Sequence[str]) -> dict[str, Any]:
    found = {n: evaluation[n] for n in parameters}
    milliseconds = 1e3 * float(evaluation["time"])
    found.update(time=milliseconds, times=[milliseconds], compile_time=1e3 * evaluation["build_seconds"], verification_time=0.0,
                 benchmark_time=milliseconds * evaluation["runs"], strategy_time=0.0, framework_time=0.0,
                 timestamp=time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()))
    return found


class NVMLObserver:
    """Kernel Tuner's observer of energy, for CUDA devices: results have `nvml_energy`, J of a launch, and `nvml_power`, W. Each configuration is
    launched again for as long as the counter needs. Temperatures and clocks are not read."""

    def __init__(self, observables: Sequence[str], *_: Any, **__: Any):
        self.observables = listed(observables, "observables", "a list of names")
        unread = [str(o) for o in self.observables if o not in (_ENERGY, _POWER)]
        if len(unread) == len(self.observables):
            raise _refuse(f"observers.nvml.NVMLObserver: {', '.join(unread)}: expected {_ENERGY} or {_POWER}")
        if unread:
            print(f"NVMLObserver: {', '.join(unread)}: not read", file=sys.stderr)


def _add_energy(result: dict[str, Any], joules: float) -> dict[str, Any]:
    """A result with its energy and power."""
    return {**result, _ENERGY: joules, _POWER: 1e3 * joules / result["time"]}


def _front(results: Sequence[dict[str, Any]], first: str, second: str) -> list[dict[str, Any]]:
    """The results that no other one betters in both quantities, from the least `first` on."""
    front: list[dict[str, Any]] = []
    for result in sorted(results, key=lambda r: (float(r[first]), float(r[second]))):
        if not front or float(result[second]) < float(front[-1][second]):
            front.append(result)
    return front


def _limits(strategy: Any, options: Mapping[str, Any], fevals: Optional[int]) -> tuple[str, Optional[int], float]:
    name = getattr(strategy, "__name__", strategy)
    name = name.rsplit(".", 1)[-1] if isinstance(name, str) else name
    if not isinstance(name, (str, type(None))) or name not in _STRATEGIES:
        raise ValueError(f"strategy {strategy!r}: expected one of {', '.join(n for n in _STRATEGIES if n)}")
    most = options.get("max_fevals", fevals)
    return _STRATEGIES.get(name, "auto"), most if most is not None else 10**9 if name == "brute_force" else None, float(options.get("time_limit", 0))


def _verified(verify: Callable[..., Any], answer: Any, atol: Optional[float], results: list[dict[str, Any]], run: Callable[[dict[str, Any]], Any]
              ) -> list[dict[str, Any]]:
    """Removes the fastest results that `verify` refuses, until one passes. Those behind it are not verified."""
    remaining = sorted(results, key=lambda r: float(r["time"]))
    while remaining and not np.all(verify(answer, run(remaining[0]), atol=atol)):
        remaining.pop(0)
    return [r for r in results if any(r is kept for kept in remaining)]


def tune_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], tune_params: Mapping[str, Sequence[Any]],
                grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, restrictions: Any = None, answer: Any = None,
                atol: Optional[float] = 1e-6, verify: Any = None, verbose: bool = False, lang: Any = None, device: Any = None,
                block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"), strategy: Any = None,
                strategy_options: Any = None, cmem_args: Any = None, smem_args: Any = None, compiler_options: Any = None, cache: Any = None,
                metrics: Any = None, objective: Any = None, objective_higher_is_better: Optional[bool] = None, defines: Any = None, seed: Any = None,
                objectives: Any = None, **others: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Kernel Tuner's tune_kernel(): a list of results with `time` in milliseconds, and a dict about the device."""
    observers_ = listed(others.pop("observers", None) or (), "observers", "a list of observers")
    if any(not isinstance(o, NVMLObserver) for o in observers_):
        raise _refuse(f"observers: {_REFUSED['observers']}")
    for name, value in others.items():
        if name in _REFUSED and value:
            raise _refuse(f"{name}: {_REFUSED[name]}")
        if name not in _REFUSED and name not in _IGNORED:
            raise TypeError(f"tune_kernel() has no argument {name!r}")
    atol = None if atol is None else number(atol, "atol", 0)
    metrics, strategy_options = named(metrics, "metrics"), named(strategy_options, "strategy_options")
    if objectives:  # the first is searched for
        objective = list(objectives)[0]
        objective_higher_is_better = bool(objectives[objective]) if isinstance(objectives, Mapping) else objective_higher_is_better
    elif isinstance(objective, (list, tuple)) and objective:
        objective = objective[0]
    callback(verify, "verify")
    if objective not in (None, "time", "energy", *metrics, *((_ENERGY, _POWER) if observers_ else ())):
        raise ValueError(f"objective {objective!r}: expected time, energy, or the name of one of the metrics")
    divisors = (grid_div_x, grid_div_y, grid_div_z)
    block_size_names = block_size_names or _BLOCKS
    tune_params = _with_group(tune_params, block_size_names)
    where = (divisors, block_size_names, restrictions, lang, compiler_options, device, defines)
    given = None if verify else answer
    d = _described(kernel_name, kernel_source, problem_size, arguments, tune_params, *where, given, atol if given is not None else None,
                   cmem_args, smem_args, verify is None)
    earlier = _Cache(cache, d.on.name, kernel_name, problem_size, tune_params) if cache else None
    if announce:
        announce(f"tune_kernel({kernel_name!r}, {'a function' if callable(kernel_source) else kernel_source if is_file(str(kernel_source)) else 'a text'}"
                 f", problem {problem_size}, {len(arguments)} arguments, " + ", ".join(f"{n}: {len(v)} values" for n, v in tune_params.items())
                 + f") on {d.on.id}")
    how, most, limit = _limits(strategy, strategy_options, None)
    if budget or seconds:
        most, limit = budget, seconds

    frugal = objective in ("energy", _ENERGY)
    what = ("energy,time" if frugal else "time,energy") if observers_ else "energy" if frugal else "time"
    tuned = _tune(d.file, d.kernel, d.on, how, most, limit, True, False, "auto", False, what, 0 if seed is None else seed, None, None, d.failures, d)
    working = [e for e in tuned if e["outcome"] in ("measured", "dropped")]
    if observers_:  # what has no second value was not measured any more
        swapped = [{**e, "time": e["other"], "other": e["time"]} if frugal else e for e in working if not math.isnan(e["other"])]
        results = [_add_energy(_result(e, tuned.parameters), float(e["other"])) for e in swapped]
    else:
        results = [_result(e, tuned.parameters) for e in working]
    if verify:
        def run(result: dict[str, Any]) -> list[Any]:
            return run_kernel(kernel_name, kernel_source, problem_size, arguments, {n: result[n] for n in tune_params}, grid_div_x, grid_div_y,
                              grid_div_z, lang, device, block_size_names, cmem_args, smem_args, compiler_options, defines)
        results = _verified(verify, answer, atol, results, run)
    for result in results:
        _metrics(metrics, result)
    if verbose or announce:
        for e in tuned:
            if e["outcome"] not in ("measured", "dropped"):
                print(f"{' '.join(f'{n}={e[n]}' for n in tuned.parameters)}: {e['outcome']}: {e['text']}")
    env = {"device_name": d.on.name, "device": d.on.id, "kernel_name": kernel_name, "host": "heddle", "gain": tuned.gain,
           "reference": tuned.info["reference"], "reference_reason": tuned.info["reference_reason"]}
    if announce and results:
        best = util.get_best_config(results, objective if objective in results[0] else "time", bool(objective_higher_is_better))
        for r in _front(results, "time", _ENERGY) if observers_ else ():
            announce(f"  {r['time']:.4g} ms, {r[_ENERGY]:.4g} J: {util.get_config_string(r, list(tune_params))}")
        announce(f"best of {len(results)} that work, {len(tuned)} tried: {util.get_config_string(best, list(tune_params))}, {best['time']:.4g} ms")
    elif announce:
        announce(f"none of {len(tuned)} tried works")
    if earlier:
        earlier.write(results, objective or "time")
    return results, env


def run_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], params: Mapping[str, Any],
               grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, lang: Any = None, device: Any = None,
               block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"), cmem_args: Any = None, smem_args: Any = None,
               compiler_options: Any = None, defines: Any = None, **others: Any) -> list[Any]:
    """Kernel Tuner's run_kernel(): runs one configuration and returns the arguments as it leaves them. Arrays of the device are used where they are."""
    if others.get("texmem_args"):
        raise _refuse(f"texmem_args: {_REFUSED['texmem_args']}")
    names = block_size_names or _BLOCKS
    single = _with_group({n: [v] for n, v in named(params, "params").items()}, names)
    copies = [a if np.ndim(a) == 0 or hasattr(a, "__cuda_array_interface__") else np.array(a) for a in arguments]
    _kernel(kernel_name, kernel_source, problem_size, arguments, single, (grid_div_x, grid_div_y, grid_div_z), lang, device, names, cmem_args, smem_args,
            compiler_options, defines)(*copies)
    return copies


def _kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], single: Mapping[str, Sequence[Any]], divisors: Sequence[Any],
            lang: Any, device: Any, names: Sequence[str], cmem_args: Any, smem_args: Any, compiler_options: Any, defines: Any) -> Kernel:
    """A kernel of one configuration."""
    source = _source(kernel_source, single)
    usual = _usual_macros(source, problem_size, single, divisors, names) if defines is None else {}
    source, macros, options = _defined(source, defines, single, _options(compiler_options))
    return KernelWithMemory(named(cmem_args, "cmem_args"), _shared(smem_args), kernel_name, source, problem_size, arguments, single, grid_div_x=divisors[0],
                            grid_div_y=divisors[1], grid_div_z=divisors[2], block_size_names=names, lang=_language(lang), defines={**usual, **macros},
                            device=device, compiler_options=options)


class PythonKernel:
    """Kernel Tuner's kernelbuilder.PythonKernel: a kernel that returns a list of its outputs when it is called. Arrays of the device are written in
    place and are not in that list. `results_file` is one of store_results(), whose best parameters for the device are taken."""

    def __init__(self, kernel_name: str, kernel_string: Any, problem_size: Any, arguments: Sequence[Any], params: Any = None, inputs: Any = None,
                 outputs: Any = None, device: Any = None, block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"),
                 grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, lang: Any = None, compiler_options: Any = None,
                 results_file: Any = None, **_: Any):
        names, params = block_size_names or _BLOCKS, dict(named(params, "params"))

        def made() -> Kernel:
            return _kernel(kernel_name, kernel_string, problem_size, arguments, _with_group({n: [v] for n, v in params.items()}, names),
                           (grid_div_x, grid_div_y, grid_div_z), lang, device, names, None, None, compiler_options, None)
        if results_file:
            source = _source(kernel_string, {n: [v] for n, v in params.items()})
            params.update(TuneResults(results_file).get_best_config(device_of(kernel_name, source, _language(lang), device).name, problem_size))
        self.params, self._kernel = params, made()
        self.outputs = [bool(o) for o in outputs] if outputs is not None else [bool(np.ndim(a)) for a in arguments]

    def __call__(self, *arguments: Any) -> list[Any]:
        copies = [a if np.ndim(a) == 0 or hasattr(a, "__cuda_array_interface__") else np.array(a) for a in arguments]
        self._kernel(*copies)
        return [np.asarray(a) for a, output in zip(copies, self.outputs) if output and np.ndim(a) and not hasattr(a, "__cuda_array_interface__")]


class _Cache:
    """A cache file of Kernel Tuner's, which it reads again, and which `heddle tune replay` reads. Results of earlier runs stay in it."""

    def __init__(self, file: Any, device_name: str, kernel_name: str, problem_size: Any, tune_params: Mapping[str, Sequence[Any]]):
        path = os.fspath(file)
        if os.path.isdir(path):
            raise IsADirectoryError(f"cache: {path} is a folder; expected the name of a file")
        self.path = path if path.endswith(".json") else path + ".json"
        self.head = {"device_name": device_name, "kernel_name": kernel_name, "problem_size": "callable" if callable(problem_size) else problem_size,
                     "tune_params_keys": list(tune_params), "tune_params": {n: list(v) for n, v in tune_params.items()}}
        self.entries: dict[str, Any] = self._read() if os.path.exists(self.path) else {}
        folder = os.path.dirname(self.path) or "."
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"cache: {self.path}: there is no folder {folder}; expected one that exists")

    def _read(self) -> dict[str, Any]:
        """The entries of an earlier run. Kernel Tuner writes the last braces when it ends: a file of an interrupted run lacks them."""
        with open(self.path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for whole in (text, text.rstrip().rstrip(",") + "}}"):
            try:
                found = json.loads(whole)
                break
            except ValueError:
                found = None
        entries = found.get("cache") if isinstance(found, dict) else None
        if not isinstance(entries, dict):
            raise ValueError(f"cache: {self.path} is no cache file of a tuning, and would be replaced; expected another name")
        for name in ("kernel_name", "device_name", "tune_params_keys", "problem_size"):
            old, new = (re.findall(r"\w+", str(each.get(name))) for each in (found, self.head))
            if old != new:
                raise ValueError(f"cache: {self.path} has results of another {name}: {found.get(name)!r} instead of {self.head[name]!r}; expected another name")
        return dict(entries)

    def write(self, results: Sequence[dict[str, Any]], objective: str) -> None:
        """Replaces the file as a whole, so that it is never half written."""
        self.entries.update((",".join(str(r[n]) for n in self.head["tune_params_keys"]), r) for r in results)
        text = json.dumps({**self.head, "objective": objective, "cache": self.entries}, default=_plain)
        write_whole(self.path, text.encode())


def _plain(value: Any) -> Any:
    """A number of numpy's, or an array of them, as JSON takes it."""
    return value.tolist() if hasattr(value, "tolist") else float(value)


# ---- the modules beside it ----

def _get_best_config(results: Sequence[dict[str, Any]], objective: str = "time", objective_higher_is_better: bool = False) -> dict[str, Any]:
    return (max if objective_higher_is_better else min)(results, key=lambda r: float(r[objective]))


def _get_config_string(params: Mapping[str, Any], keys: Optional[Sequence[str]] = None, units: Optional[Mapping[str, str]] = None) -> str:
    return ", ".join(f"{k}={v}{(units or {}).get(k, '')}" for k, v in params.items() if keys is None or k in keys)


def _store_output_file(path: Any, results: Sequence[dict[str, Any]], tune_params: Mapping[str, Sequence[Any]], objective: str = "time") -> None:
    rows = [{"configuration": {n: r[n] for n in tune_params}, "times": {"compilation_time": r["compile_time"], "runtimes": r["times"]},
             "invalidity": "correct", "correctness": 1, "measurements": [{"name": objective, "value": r[objective], "unit": "ms"}],
             "objectives": [objective]} for r in results]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema_version": "1.0.0", "results": rows}, file, default=float)


def _store_metadata_file(path: Any, *_: Any) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema_version": "1.0.0", "metadata": {"tuner": "heddle", "python": sys.version}}, file)


class _Strategies(types.ModuleType):
    """Strategies by name: each is its own name."""

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return name


class _RefusedModule(types.ModuleType):
    """A module whose classes and functions are refused by name when they are called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        module = self.__name__.rsplit("kernel_tuner.", 1)[-1]

        def refuse(*_: Any, **__: Any) -> Any:
            raise _refuse(f"{module}.{name}: {_REFUSED.get(module.split('.')[0], 'it has no counterpart here')}")
        return refuse


def _module(name: str, **members: Any) -> types.ModuleType:
    kind = _Strategies if name == "strategies" else types.ModuleType if members else _RefusedModule
    module = kind(f"{__name__}.{name}")
    module.__dict__.update(members)
    sys.modules[module.__name__] = module
    return module


__path__: list[str] = []  # so that its modules can be imported
util = _module("util", get_best_config=_get_best_config, get_config_string=_get_config_string)
file_utils = _module("file_utils", store_output_file=_store_output_file, store_metadata_file=_store_metadata_file)
integration = _module("integration", store_results=store_results, create_device_targets=create_device_targets, TuneResults=TuneResults)
strategies = _module("strategies")
observers, accuracy = _module("observers"), _module("accuracy")
kernelbuilder = _module("kernelbuilder", PythonKernel=PythonKernel)
_module("observers.nvml", NVMLObserver=NVMLObserver)
for _name in ("observer", "ncu", "pmt", "powersensor", "tegra", "register"):
    _module(f"observers.{_name}")
observers.__path__ = []  # type: ignore[attr-defined]


def run_script(file: str, arguments: Sequence[str]) -> None:
    """Runs a script of Kernel Tuner's with this module in place of kernel_tuner, from the script's folder, and prints each call. --budget COUNT and
    --time SECONDS among the arguments limit each call."""
    import argparse
    import runpy
    global announce, budget, seconds
    options = argparse.ArgumentParser(prog="heddle tune script.py", add_help=False, allow_abbrev=False)
    options.add_argument("-n", "--budget", type=int)
    options.add_argument("-t", "--time", type=float, default=0)
    known, arguments = options.parse_known_args(list(arguments))
    budget, seconds = known.budget, known.time
    announce = lambda words: print(words, flush=True)  # noqa: E731
    for name, module in list(sys.modules.items()):
        if name == __name__ or name.startswith(__name__ + "."):
            sys.modules[name.removeprefix("heddle.")] = module
    sys.argv = [file, *arguments]
    path = os.path.abspath(file)
    os.chdir(os.path.dirname(path))
    sys.path.insert(0, os.path.dirname(path))
    runpy.run_path(path, run_name="__main__")
