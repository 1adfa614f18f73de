"""The tuner: a kernel from numpy arrays with the names and the order of Kernel Tuner's tune_kernel(), from a tune file, or from T1.
Candidates are compiled and run in worker processes."""
from __future__ import annotations

import math
import os
import pathlib
import time
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from ._definitions import callback, choice, named, number, truth, whole
from ._description import Description, File, Layout, Restrictions, configuration, describe, device_for_texts
from ._devices import Device, described
from ._html import table
from ._library import C, Error, Handle, Object, UnsupportedError, call, ffi, made, path, text, word

_STRATEGIES = {"auto": "HED_SEARCH_AUTO", "random": "HED_SEARCH_RANDOM", "random_sample": "HED_SEARCH_RANDOM", "local": "HED_SEARCH_LOCAL",
               "exhaustive": "HED_SEARCH_EXHAUSTIVE", "brute_force": "HED_SEARCH_EXHAUSTIVE"}


class TuneResult(Object):
    """What came out of a tuning. Iterating gives the evaluations, each a dict: the parameters by name, `time` (s, median; NaN where it was
    not measured), `low` and `high` (95 % confidence), `outcome`, `runs`, `build_seconds`, `at`, `error`, `recalled`, `tied`, `text`. With another objective
    than the time, `time`, `low` and `high` are its values; with "time,energy" or "energy,time" `other` is the second one. Metrics are in `metrics`, by name."""

    def __init__(self, pointer: Any, kernel: Any, parent: Object, on: Device, definition: Any, interrupted: bool, note: str, keep: Any):
        self._handle = Handle(self, pointer, C.hed_tune_result_free, on, parent, keep=keep)
        self.device, self._kernel, self._definition = on, kernel, definition
        #: Whether Ctrl-C ended it; and what a tune file left open, and how it was taken.
        self.interrupted, self.note = interrupted, note
        self.name = text(kernel.name)
        self.parameters = [text(kernel.parameters[i].name) for i in range(kernel.parameter_count)]
        self.evaluations = [self._evaluation(pointer.evaluations[i]) for i in range(pointer.count)]

    def _evaluation(self, e: Any) -> dict[str, Any]:
        found = configuration(self._kernel, e.config)
        found.update(time=e.seconds, low=e.low, high=e.high, outcome=text(C.hed_outcome_name(e.outcome)), runs=int(e.runs),
                     build_seconds=e.build_seconds, at=e.at, error=e.error, recalled=bool(e.recalled), tied=bool(e.tied), text=text(e.text))
        d = self._definition
        if d.metric != ffi.NULL and d.metric.maximized:
            found.update(time=1 / e.seconds, low=1 / e.high, high=1 / e.low)
        if d.two_objectives:
            found.update(other=e.second if e.second > 0 else math.nan)
        if d.metric_count:
            known = e.second if e.second > 0 else math.nan
            seconds, joules = ((e.seconds, known) if d.objective == C.HED_OBJECTIVE_TIME else (known, e.seconds)
                               if d.objective == C.HED_OBJECTIVE_ENERGY else (known, math.nan))
            found.update(metrics={text(d.metrics[i].name): float(d.metrics[i].value(d.metrics + i, ffi.addressof(e, "config"), seconds, joules))
                                  for i in range(d.metric_count)})
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
        """All else: size of the space, why it ended, whether it is isolated and kept, `elements` of output that are known of them those `unwritten` by the reference and those `unsteady` that differ from run to run and so are not compared, the `reference` configuration and why it is not the default (`reference_reason`), roofline, importance of the parameters, `resources` of the winner on CUDA and HIP ..."""
        r = self.p
        known = {n: getattr(r, n) for n in ("count", "ties", "kept_stored", "kept", "space", "in_process", "device_time", "drift", "seconds",
                                            "bandwidth", "arithmetic", "share", "elements", "unwritten", "unsteady")}
        known.update(end=text(C.hed_tune_end_name(r.end)), in_process_reason=text(r.in_process_reason), not_kept_reason=text(r.not_kept_reason),
                     reference_reason=text(r.reference_reason),
                     reference=configuration(self._kernel, r.reference_config) if r.reference_config.count else None,
                     problem=[int(r.problem.sizes[i]) for i in range(r.problem.count)],
                     importance={n: r.importance[i] for i, n in enumerate(self.parameters)}, resources=self.resources)
        return known

    def _resources(self) -> Any:
        """The C struct of the winner's resources; None where no driver reports them."""
        if self.device.backend not in ("cuda", "hip") or self.best is None:
            return None
        found, geometry, built = ffi.new("hed_tune_resources *", {"group_items": 1}), ffi.new("hed_geometry *"), ffi.NULL
        kernel, config, problem = ffi.addressof(self._kernel), ffi.addressof(self.p.evaluations[self.p.best], "config"), ffi.addressof(self.p, "problem")
        definition = self._definition
        options = ffi.new("hed_kernel_options *", {"math": definition.math, "config": config, "problem": problem, "defines": definition.defines,
                                                  "define_count": definition.define_count})
        try:
            kernel.geometry(kernel, config, problem, geometry)
            for i in range(geometry.dimensions):
                found.group_items *= geometry.group[i]
            dynamic = sum(int(geometry.local_bytes[i]) for i in range(kernel.argument_count) if kernel.arguments[i].kind == C.HED_LOCAL)
            built = made(C.hed_kernel_create, "hed_kernel", self.device.p, kernel, options)
            call(C.hed_kernel_measure_resources, built, ffi.addressof(found, "kernel"))
            call(C.hed_kernel_resident_groups, built, found.group_items, dynamic, ffi.addressof(found, "resident_groups"))
        except Error:
            return None
        finally:
            C.hed_kernel_destroy(built)
        found.local_bytes = dynamic + max(0, int(found.kernel.local_bytes))
        return found if found.resident_groups >= 0 else None

    @property
    def resources(self) -> Optional[dict[str, int]]:
        """Of the winner on CUDA and HIP: `registers` and `spill_bytes` of an item, `local_bytes` and `group_items` of a group, and
        `resident_groups`, which are on the device at once. None elsewhere."""
        r = self._resources()
        return None if r is None else {
            "registers": int(r.kernel.registers), "spill_bytes": int(r.kernel.spill_bytes), "local_bytes": int(r.local_bytes),
            "group_items": int(r.group_items), "resident_groups": int(r.resident_groups)}

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
        device, resources = described(self.device), self._resources()
        definition = ffi.new("hed_tune_report_def *", {
            "resources": ffi.NULL if resources is None else resources,
            "kernel": ffi.addressof(self._kernel), "result": self.p, "objective": self._definition.objective,
            "device": device, "math": self._definition.math, "arguments": self._definition.arguments,
            "cold_cache": self._definition.cold_cache, "origin": texts[0], "date": texts[1], "settings": texts[2]})
        call(C.hed_tune_report_save, definition, path(file), formats[ending])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def _measured(self) -> list[dict[str, Any]]:
        return sorted((e for e in self.evaluations if e["outcome"] == "measured"), key=lambda e: float(e["time"]),
                      reverse=self._definition.metric != ffi.NULL and bool(self._definition.metric.maximized))

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
        return _run(function, subject, kernel, definition, self.device, self, strategy, iterations, seconds, keep, seed, progress, "")


def _set_objective(definition: Any, objective: str) -> None:
    """Sets the objective by its word, or by the name of one of the file's metrics."""
    names = [text(definition.metrics[i].name) for i in range(definition.metric_count)]
    first = choice(objective, "objective", ["time", "energy", "time,energy", "energy,time", *names]).split(",")[0]
    definition.metric = definition.metrics + names.index(objective) if objective in names else ffi.NULL
    definition.two_objectives = objective in ("time,energy", "energy,time")
    definition.objective = getattr(C, "HED_OBJECTIVE_" + ("METRIC" if objective in names else first.upper()))


def _tune(file: File, kernel: Any, on: Device, strategy: str, iterations: Optional[int], seconds: float,
          keep: bool, resume: bool, isolation: str, cold_cache: bool, objective: Optional[str], seed: int, math_mode: Optional[str],
          progress: Optional[Callable[[dict[str, Any]], Any]], failures: list[BaseException], parent: Object) -> TuneResult:
    definition = ffi.new("hed_tune_def *", C.hed_default_tune_def())
    note = text(C.hed_tune_file_apply(file.p, definition))
    definition.resume, definition.cold_cache = truth(resume, "resume"), truth(cold_cache, "cold_cache")
    definition.isolation = getattr(C, "HED_ISOLATION_" + choice(isolation, "isolation", ["auto", "worker", "none"]).upper())
    if objective is not None:
        _set_objective(definition, objective)
    if math_mode is not None:
        definition.math = getattr(C, "HED_MATH_" + choice(math_mode, "math", ["fast", "strict"]).upper())
    return _run(C.hed_tune_kernel, kernel, kernel, definition, on, parent, strategy, iterations, seconds, keep, seed, progress, note, failures)


def _run(function: Any, subject: Any, kernel: Any, definition: Any, on: Device, parent: Object, strategy: str, iterations: Optional[int],
         seconds: float, keep: bool, seed: int, progress: Optional[Callable[[dict[str, Any]], Any]], note: str,
         wrong: Optional[list[BaseException]] = None) -> TuneResult:
    """Tunes `subject` by the C `function`; `kernel` describes its parameters. What is put into `wrong` ends it."""
    failures = [] if wrong is None else wrong
    definition.strategy = getattr(C, _STRATEGIES[choice(strategy, "strategy", list(_STRATEGIES))])
    limit = number(seconds, "seconds", 0)
    if iterations is not None or limit:
        definition.evaluations = 0 if iterations is None else whole(iterations, "iterations", 1, 0xFFFFFFFF)
        definition.limit_seconds = limit
    definition.keep, definition.seed = truth(keep, "keep"), whole(seed, "seed", 0, (1 << 64) - 1)
    callback(progress, "progress")

    def told(_: Any, p: Any) -> None:
        if progress and not failures:
            progress({"done": p.done, "failed": p.failed, "total": p.total, "building": p.building, "space": p.space, "seconds": p.seconds,
                      "stage": text(p.stage), "best": p.best.seconds if p.best else math.nan, "share": p.share})

    def remember(_: Any, problem: BaseException, __: Any) -> None:
        failures.append(problem)

    def stop(_: Any) -> bool:  # between its lines Python looks for Ctrl-C, ten times a second
        return bool(failures)

    tell = ffi.callback("void(void *, const hed_tune_progress *)", told, onerror=remember)
    ask = ffi.callback("bool(void *)", stop, error=True, onerror=remember)
    definition.progress, definition.stop = tell, ask
    try:
        pointer = made(function, "hed_tune_result", on.p, subject, definition)
    except Error:
        if failures:  # it was stopped before anything worked
            raise failures[0] from None
        raise
    interrupted = any(isinstance(w, KeyboardInterrupt) for w in failures)
    result = TuneResult(pointer, kernel[0], parent, on, definition, interrupted, note, (tell, ask))
    others = [w for w in failures if not isinstance(w, KeyboardInterrupt)]
    if others:
        raise others[0]
    return result


def tune_file(file: Union[str, os.PathLike[str]], device: Union[str, int, Device, None] = None, *, inputs: Optional[Mapping[str, str]] = None,
              strategy: str = "auto", iterations: Optional[int] = None, seconds: float = 0, keep: bool = True, resume: bool = False,
              isolation: str = "auto", cold_cache: bool = False, objective: Optional[str] = None, seed: int = 0, math: Optional[str] = None,
              progress: Optional[Callable[[dict[str, Any]], Any]] = None) -> TuneResult:
    """Tunes what a tune file (docs/tune-file.md), a T1 file or a compute shader (.comp, .spv) says; shaders in WGSL run in a browser, by
    `python -m heddle tune blur.wgsl`. `inputs` gives arguments other contents: {"x": "measured.npy", "power": "0:50"}. All else as for
    tune_kernel()."""
    if os.fspath(file).endswith(".wgsl"):
        raise UnsupportedError(f"{os.fspath(file)}: WGSL runs in a browser, which the command does: python -m heddle tune {os.fspath(file)}",
                               "unsupported", int(C.HED_ERROR_UNSUPPORTED))
    on = device_for_texts(device)
    opened = File(made(C.hed_tune_file_open, "hed_tune_file", path(file), described(on)), None)
    for name, content in named(inputs, "inputs").items():
        call(C.hed_tune_file_set_content, opened.p, described(on), word(name, "inputs"), path(content))
    return _tune(opened, C.hed_tune_file_kernel(opened.p), on, strategy, iterations, seconds, keep, resume, isolation, cold_cache, objective, seed,
                 math, progress, [], opened)


def tune_kernel_T1(input_filepath: Union[str, os.PathLike[str]], device: Union[str, int, Device, None] = None, **settings: Any) -> TuneResult:
    """Tunes a kernel that Kernel Tuner's input format T1 describes. Settings are those of tune_file()."""
    return tune_file(input_filepath, device, **settings)


#: Arguments of Kernel Tuner's that measuring here has no place for, with what takes theirs.
_KERNEL_TUNER = {
    "simulation_mode": "Heddle measures; results that it has measured before are taken again with resume=True",
    "cache": "measurements are kept in the tuning database (keep=True), and taken from it with resume=True",
    "cmem_args": "give constant memory as an argument of the kernel, or as a symbol in a tune file (docs/tune-file.md)",
    "smem_args": "declare shared memory in the kernel, or give it in a tune file (docs/tune-file.md)",
    "texmem_args": "there are no textures; read the array",
    "verify": "results are compared with `answer`, to `atol`",
    "observers": "times are in the result, and objective=\"energy\" measures joules",
    "strategy_options": "iterations and seconds are the limits; a seed is `seed`",
    "platform": "a device is named by its id (heddle.devices())",
    "compiler": "the device's own compiler is taken",
    "log": "use progress, and e[\"text\"] of an evaluation",
}


def _refuse_others(others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if name not in _KERNEL_TUNER:
            raise TypeError(f"tune_kernel() has no argument {name!r}")
        if value not in (None, False) and not (isinstance(value, (list, dict, tuple)) and not value):
            raise UnsupportedError(f"{name} of Kernel Tuner: {_KERNEL_TUNER[name]}", "unsupported", int(C.HED_ERROR_UNSUPPORTED))


def tune_kernel(kernel_name: str, kernel_source: Union[str, os.PathLike[str]], problem_size: Any, arguments: Sequence[Any],
                tune_params: Mapping[str, Sequence[Any]], *, group: Any = None, grid: Any = None,
                grid_div_x: Optional[Sequence[str]] = None, grid_div_y: Optional[Sequence[str]] = None,
                grid_div_z: Optional[Sequence[str]] = None, block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"),
                restrictions: Restrictions = None, answer: Optional[Sequence[Any]] = None, atol: Optional[float] = None,
                lang: Optional[str] = None, defines: Optional[Mapping[str, Any]] = None, compiler_options: Optional[Sequence[str]] = None,
                names: Optional[Sequence[str]] = None, work: Optional[Mapping[str, str]] = None, metrics: Optional[Mapping[str, str]] = None,
                device: Union[str, int, Device, None] = None,
                strategy: str = "auto", iterations: Optional[int] = None, seconds: float = 0, keep: bool = True, resume: bool = False,
                isolation: str = "auto", cold_cache: bool = False, objective: Optional[str] = None, seed: int = 0, math: Optional[str] = None,
                verbose: bool = False, quiet: bool = False, progress: Optional[Callable[[dict[str, Any]], Any]] = None,
                **kernel_tuner: Any) -> TuneResult:
    """Finds the fastest configuration of a kernel, and keeps it in the tuning database.

    kernel_name, kernel_source  the kernel, in OpenCL C (or CUDA C by `lang`, or by the file's ending): a file, or the text itself
    problem_size  {"n": 1000}; or as Kernel Tuner has it, 1000 or (width, height): then the sizes are called problem_size_x, _y, _z
    arguments  numpy arrays (or CuPy's, PyTorch's ...) and numpy scalars (np.float32(3), np.int32(n)) in the kernel's order, of the types that
            the kernel's text declares
    tune_params  {"WG": [32, 64], "SHAPE": ["row", "tile"]}: numbers are macros, texts appear in the kernel as they are
    group, grid  expressions over parameters and sizes: work items of a group, and of the launch (rounded up to whole groups)
    grid_div_x ...  in their place, as in Kernel Tuner: groups of block_size_x ..., sizes of the problem over these
    restrictions  expressions that must hold, "WG * PER <= 512", or functions of a dict of parameters, or of parameters by their names
    answer  for each argument the array that it has to become, or None; arrays with an answer are written, all others only read.
            Without `answer` every array may be written, and results are compared with those of the first configuration
    atol  largest |found - expected| / max(1, |expected|); 1e-4 for float32, 1e-9 for float64, 0 for whole numbers
    work  {"bytes": "8 * n", "operations": "n"} of one launch, for rates and the roofline
    metrics  {"GB/s": "bytes / time / 1e9"}: expressions over `time` (s), `energy` (J), `operations` and `bytes` of `work`, parameters and sizes
    objective  "time", "energy", "time,energy" (the first one is minimized, the second measured of what works), or a metric of the time
    device  "cuda:0", part of a name, or a number among the devices that compile the kernel; None: the best of these
    strategy  "auto", "random", "local", "exhaustive"; iterations, seconds: limits, else 200 configurations
    isolation  "auto", "worker" or "none": whether candidates run in processes of their own
    verbose  prints a line for each configuration that failed; nothing else is ever printed, with or without `quiet`
    progress  called with a dict after each evaluation, and ten times a second

    Ctrl-C ends it with the results so far (`interrupted` is then set). heddle.Kernel launches the winner. Other arguments of Kernel Tuner's
    are refused, with what takes their place."""
    _refuse_others(kernel_tuner)
    truth(quiet, "quiet")
    described = describe(kernel_name, kernel_source, problem_size, arguments, tune_params,
                         Layout(group, grid, (grid_div_x, grid_div_y, grid_div_z), block_size_names), restrictions=restrictions, lang=lang,
                         defines=defines, compiler_options=compiler_options, names=names, on=device, answer=answer, atol=atol, work=work,
                         metrics=metrics)
    result = _tune(described.file, described.kernel, described.on, strategy, iterations, seconds, keep, resume, isolation, cold_cache, objective,
                   seed, math, progress, described.failures, described)
    if truth(verbose, "verbose"):
        for e in result:
            if e["outcome"] not in ("measured", "dropped"):
                print(f"{' '.join(f'{n}={e[n]}' for n in result.parameters)}: {e['outcome']}: {e['text']}")
    return result
