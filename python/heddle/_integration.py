"""Kernel Tuner's files of the best configurations, and headers made of them (its module `integration`)."""
from __future__ import annotations

import json
import os
import re
from typing import Any, Mapping, Optional, Sequence

from ._description import is_file


def _word(name: str) -> str:
    """A device's name as a word of C."""
    return re.sub("[^0-9a-zA-Z]+", "_", name.strip())


def _size(problem_size: Any) -> str:
    if isinstance(problem_size, str):
        return problem_size
    sizes = problem_size if isinstance(problem_size, (list, tuple)) else [problem_size]
    return "x".join(str(s) for s in sizes)


def _maximized(objective: str, higher_is_better: Optional[bool]) -> bool:
    return objective.endswith("/s") if higher_is_better is None else bool(higher_is_better)


class TuneResults:
    """A file of store_results()."""

    def __init__(self, results_filename: Any):
        with open(results_filename, encoding="utf-8") as file:
            meta = json.load(file)
        if not isinstance(meta, dict) or not isinstance(meta.get("data"), list) or not meta["data"]:
            raise ValueError(f"{os.fspath(results_filename)}: expected a file of store_results(), with results")
        self.data: list[dict[str, Any]] = meta.pop("data")
        self.meta: dict[str, Any] = meta
        self.objective, self.objective_higher_is_better = str(meta["objective"]), bool(meta.get("objective_higher_is_better", False))

    def get_best_config(self, gpu_name: str = "default", problem_size: Any = None) -> dict[str, Any]:
        """The best parameters of this device and size. Without results for the size (or the device): those that are among the best of the most
        sizes (and devices), and of these the fastest in sum."""
        own = [d for d in self.data if d["device_name"] == _word(gpu_name)]
        exact = [d for d in own if problem_size is not None and d["problem_size"] == _size(problem_size)]
        candidates = exact or own or self.data
        sums: dict[str, list[Any]] = {}
        for d in candidates:
            one = sums.setdefault(json.dumps(d["tunable_parameters"], sort_keys=True), [0, 0.0, d["tunable_parameters"]])
            one[0] += 1
            one[1] += d[self.objective] if self.objective_higher_is_better else -d[self.objective]
        return dict(max(sums.values(), key=lambda one: (one[0], one[1]))[2])


def store_results(results_filename: Any, kernel_name: str, kernel_string: Any, tune_params: Mapping[str, Any], problem_size: Any,
                  results: Sequence[Mapping[str, Any]], env: Mapping[str, Any], top: float = 3, objective: Optional[str] = None,
                  objective_higher_is_better: Optional[bool] = None) -> None:
    """Writes the results within `top` percent of the best into a file, in place of earlier ones of this device and size."""
    goal = objective or "time"
    maximized = _maximized(goal, objective_higher_is_better)
    measured = [r for r in results if goal in r]
    if not measured:
        raise ValueError(f"store_results: no result has {goal!r}")
    best = (max if maximized else min)(r[goal] for r in measured)
    near = [r for r in measured if (r[goal] >= best * (1 - top / 100) if maximized else r[goal] <= best * (1 + top / 100))]
    data: list[dict[str, Any]] = []
    meta: dict[str, Any] = {"version_number": "1.0", "kernel_name": kernel_name, "objective": goal, "objective_higher_is_better": maximized,
                            "tunable_parameters": list(tune_params)}
    if isinstance(kernel_string, str):
        text = kernel_string
        if is_file(kernel_string):
            with open(kernel_string, encoding="utf-8", errors="replace") as file:
                text = file.read()
        meta["kernel_string"] = text
    if os.path.exists(results_filename):
        earlier = TuneResults(results_filename)
        for name in ("kernel_name", "objective", "tunable_parameters"):
            if earlier.meta.get(name) != meta[name]:
                raise ValueError(f"{os.fspath(results_filename)} has results of another {name}: {earlier.meta.get(name)!r} instead of {meta[name]!r}")
        data, meta = earlier.data, earlier.meta
    device, size = _word(str(env["device_name"])), _size(problem_size)
    data = [d for d in data if (d["device_name"], d["problem_size"]) != (device, size)]
    data += [{"device_name": device, "problem_size": size, "tunable_parameters": {n: r[n] for n in tune_params}, goal: r[goal]} for r in near]
    with open(results_filename, "w", encoding="utf-8") as file:
        json.dump({**meta, "data": data}, file, indent=1, default=lambda v: v.tolist() if hasattr(v, "tolist") else float(v))


def create_device_targets(header_filename: Any, results_filename: Any, objective: Optional[str] = None,
                          objective_higher_is_better: Optional[bool] = None) -> None:
    """Writes a header of macros: for -DTARGET_NAME the parameters of that device, else those that suit all. A text that is tuned gets none of them."""
    results = TuneResults(results_filename)
    if objective is not None and objective != results.objective:
        raise ValueError(f"{os.fspath(results_filename)} has results of {results.objective!r}, not {objective!r}")

    def macros(config: Mapping[str, Any]) -> str:
        return "".join(f"#define {n} {v}\n" for n, v in config.items())
    devices = sorted({str(d["device_name"]) for d in results.data})
    branches = "".join(f"#{'el' if i else ''}if defined(TARGET_{name})\n{macros(results.get_best_config(name))}" for i, name in enumerate(devices))
    with open(header_filename, "w", encoding="utf-8") as file:
        file.write(f"/* Made from {os.path.basename(os.fspath(results_filename))}. */\n#pragma once\n#ifndef kernel_tuner\n{branches}#else\n"
                   f"{macros(results.get_best_config())}#endif\n#endif\n")
