"""Sampling model-predictive control. Models and costs are texts in OpenCL C, as docs/mppi.md says, or Heddle's own by name; they are
compiled for the device. A Python function cannot be rolled out on one: its text has to be written."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._definitions import converted, enumerator, fill, listed, named, number, numbers, truth, whole
from ._devices import Device, device as find_device
from ._html import table
from ._library import C, ArgumentError, Handle, Object, call, ffi, made, path, text, word
from ._tuner import Tunable

__all__ = ["MPPI", "Term", "models", "terms"]

Text = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass
class Term:
    """A term of the cost: the name of one of Heddle's own, a file, or a text that defines term_NAME(x, u, t, w).

    parameters  of a text: what it reads as P(name), a number, or as P_ARRAY(name), a list; of Heddle's own: those that differ
    tables  names of the tables that a text reads; when  "running" (after each step), "terminal" or "always" """
    text: Text
    weight: float = 1
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    tables: Sequence[str] = ()
    when: str = "running"
    name: Optional[str] = None


def models() -> dict[str, str]:
    """Heddle's own models, with what they are."""
    return _catalogue(C.hed_mppi_model_at)


def terms() -> dict[str, str]:
    """Heddle's own terms, with what they are."""
    return _catalogue(C.hed_mppi_term_at)


def _catalogue(at: Any) -> dict[str, str]:
    found, index = {}, 0
    while at(index) != ffi.NULL:
        found[text(at(index).name)] = text(at(index).summary)
        index += 1
    return found


def _values(name: str, value: Any) -> Any:
    """A parameter's number, or the list of an array."""
    return [number(x, f"{name}[{i}]") for i, x in enumerate(value)] if np.ndim(value) else number(value, name)


class _Source:
    """A text with its parameters, as C descriptions have them."""

    def __init__(self, given: Text, what: str, name: Optional[str], parameters: Mapping[str, Any], tables: Sequence[str], keep: list[Any]):
        words = _text(given, what)
        if "\n" in words or "{" in words:
            self.text, self.file = words, what + ".c"
        else:
            with open(words, encoding="utf-8") as file:
                self.text = file.read()
            self.file = words
        self.name = name or self._name(what)
        self.tables = listed(tables, "tables", "a list of names")
        if what == "model":  # of the controller's tables those that the text reads
            self.tables = [n for n in self.tables if re.search(rf"\bTABLE(_COUNT)?\(\s*{re.escape(n)}\s*\)", self.text)]
        self.parameters = {n: _values(n, v) for n, v in named(parameters, "parameters of a text").items()}
        bare = re.sub(r"/\*.*?\*/|//[^\n]*", "", self.text, flags=re.S)
        for macro, known in (("P", [n for n, v in self.parameters.items() if not isinstance(v, list)]),
                             ("P_ARRAY", [n for n, v in self.parameters.items() if isinstance(v, list)]), ("TABLE", self.tables)):
            for n in re.findall(rf"\b{macro}\(\s*(\w+)\s*\)", bare):
                if n not in known:
                    value = {"P": f"parameters={{{n!r}: a number}}", "P_ARRAY": f"parameters={{{n!r}: a list}}", "TABLE": f"tables=[{n!r}]"}[macro]
                    raise ValueError(f"{self.file} reads {macro}({n}), which is not given: expected {value}")
        list_ = ffi.new("hed_mppi_parameter[]", [
            {"name": _word(n, keep), "value": v[0] if isinstance(v, list) else v, "length": len(v) if isinstance(v, list) else 0}
            for n, v in self.parameters.items()])
        keep.append(list_)
        names = ffi.new("const char *[]", [_word(n, keep) for n in self.tables])
        keep.append(names)
        self.members = {"name": _word(self.name, keep), "summary": _word("", keep), "text": _word(self.text, keep), "file": _word(self.file, keep),
                        "parameters": list_, "parameter_count": len(self.parameters), "tables": names, "table_count": len(self.tables)}

    def _name(self, what: str) -> str:
        if what == "model":
            return pathlib.Path(self.file).stem
        found = re.findall(r"\bterm_(\w+)\s*\(", self.text)
        if not found:
            raise ValueError(f"{self.file}: expected a function float term_NAME(const float *x, const float *u, int t, MPPI_WORLD w)")
        return str(found[-1])

    @property
    def settings(self) -> list[tuple[str, float]]:
        """Values of arrays beyond what a description holds."""
        return [(f"{n}.{i}", float(x)) for n, v in self.parameters.items() if isinstance(v, list) for i, x in enumerate(v)]


def _word(words: str, keep: list[Any]) -> Any:
    keep.append(word(words, "a name or text of a model or term"))
    return keep[-1]


def _text(given: Any, name: str) -> str:
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{name}: {given!r} is a {type(given).__name__}; expected a text, a file of it, or a name of Heddle's own")
    return os.fspath(given)


class MPPI(Tunable):
    """A controller.

    model, cost  texts, files of them, or names of Heddle's own (heddle.mppi.models(), terms()); cost may be a list of these and of Term
    nx, nu  numbers of states and controls, of a text
    parameters  {"mass": 1.2}: what the model's text reads as P(name); of Heddle's own model those that differ. With a dot they are of
            a term: {"goal.x": 5, "goal.weight": 2}
    noise_sigma  standard deviation of each control, or (nu x nu) their covariance
    num_samples, horizon, lambda_, u_min, u_max, dt  as pytorch_mppi names them. The cost of a sample is the sum over its steps, unless
            scale="mean"
    tables  {"map": array} that texts read as TABLE(map)[i]; pose  {"pose_x": 0, "pose_y": 1 ...}: which states are what
    count  controllers that are solved together, a fleet; then states are (count x nx). Their parameters, tables named in `each` and
            timelines are their own: set("goal.x", 3, index=7), set_table("map", array, index=7)
    timelines  {"goal.x": (times, values)}: parameters of terms that change with time, linear between moments; with a third element True
            by the shorter turn. The clock, `time`, advances with each command
    **settings  members of hed_mppi_def: seed=1, kind="tube", sampler="coloured", solver="packets", iterations=2 ..."""

    start: np.ndarray

    def __init__(self, model: Text, cost: Union[Text, Term, Sequence[Union[Text, Term]]], nx: Optional[int] = None, nu: Optional[int] = None, *,
                 noise_sigma: Any = None, num_samples: int = 1024, horizon: int = 100, lambda_: float = 1.0, u_min: Any = None, u_max: Any = None,
                 dt: float = 0, scale: str = "sum", parameters: Optional[Mapping[str, Any]] = None, tables: Optional[Mapping[str, Any]] = None,
                 pose: Optional[Mapping[str, int]] = None, each: Sequence[str] = (),
                 timelines: Optional[Mapping[str, Sequence[Any]]] = None, device: Union[str, Device, None] = None, **settings: Any):
        on = find_device(device)
        keep: list[Any] = []
        _text(model, "model")
        parameters, tables, pose = named(parameters, "parameters"), named(tables, "tables"), named(pose, "pose")
        own = {n: v for n, v in parameters.items() if "." not in n}
        given = {n: v for n, v in parameters.items() if "." in n}
        definition = ffi.new("hed_mppi_def *", C.hed_default_mppi_def())
        definition.model = self._model(model, nx, nu, own, given, dt, pose, list(tables), keep)
        list_ = [cost] if isinstance(cost, (str, os.PathLike, Term)) else listed(cost, "cost", "a text, a Term, or a list of these")
        all_terms = ffi.new("hed_mppi_term[]", len(list_))
        for i, term in enumerate(list_):
            self._term(all_terms[i], term if isinstance(term, Term) else Term(term), given, keep)
        definition.terms, definition.term_count = all_terms, len(list_)
        keep.append(all_terms)
        definition.samples, definition.steps = whole(num_samples, "num_samples", 1, 0xFFFFFFFF), whole(horizon, "horizon", 1, 0xFFFFFFFF)
        setattr(definition, "lambda", number(lambda_, "lambda_", above=0))
        definition.dt = number(dt, "dt", 0)
        fill(definition, {"scale": scale}, keep)
        self._controls(definition, noise_sigma, u_min, u_max, keep)
        pairs = ffi.new("hed_mppi_setting[]", [{"name": _word(n, keep), "value": number(v, n)} for n, v in given.items()])
        definition.settings, definition.setting_count = pairs, len(given)
        read = {text(s.tables[i]) for s in (definition.model, *all_terms) for i in range(s.table_count)}
        for name in tables:
            if name not in read:
                raise ValueError(f"tables: nothing reads {name!r}; read are {', '.join(sorted(read)) or 'none'}")
        contents = ffi.new("hed_mppi_table[]", [
            {"name": _word(n, keep), "values": numbers(np.ravel(converted(v, np.float32, f"table {n}")), "float", (-1,), f"table {n}", keep),
             "count": np.size(v), "per_controller": n in each}
            for n, v in tables.items()])
        for name in listed(each, "each", "a list of names"):
            if name not in tables:
                raise ValueError(f"each: there is no table {name!r}; tables are {', '.join(tables) or 'none'}")
        lines = ffi.new("hed_mppi_timeline[]", [self._timeline(n, v, keep) for n, v in named(timelines, "timelines").items()])
        keep += [pairs, contents, lines]
        definition.timelines, definition.timeline_count = lines, len(lines)
        definition.tables, definition.table_count = contents, len(tables)
        fill(definition, settings, keep)
        self._begin(on, definition, keep, None)

    @staticmethod
    def _timeline(name: str, given: Sequence[Any], keep: list[Any]) -> dict[str, Any]:
        """The members of a hed_mppi_timeline."""
        if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
            raise ValueError(f"timeline {name}: expected (times, values) or (times, values, angle)")
        times, values = numbers(given[0], "double", (-1,), f"times of {name}", keep), numbers(given[1], "float", (-1,), f"values of {name}", keep)
        if np.size(given[0]) != np.size(given[1]):
            raise ValueError(f"timeline {name}: {np.size(given[0])} times and {np.size(given[1])} values; expected as many of each")
        return {"name": _word(name, keep), "times": times, "values": values, "count": np.size(given[0]),
                "angle": truth(given[2], "angle") if len(given) == 3 else False}

    @staticmethod
    def _controls(definition: Any, noise_sigma: Any, u_min: Any, u_max: Any, keep: list[Any]) -> None:
        """Noise and limits of the controls."""
        nu = int(definition.model.controls)
        sigma = converted([] if noise_sigma is None else noise_sigma, np.float32, "noise_sigma")
        if sigma.ndim == 2:
            definition.covariance = numbers(sigma, "float", (nu, nu), "noise_sigma", keep)
            if (np.diag(sigma) < 0).any():
                raise ValueError("noise_sigma: the diagonal of a covariance is not below 0")
            sigma = np.sqrt(np.diag(sigma))
        for name, given, values in (("noise_sigma", noise_sigma, sigma), ("u_min", u_min, None), ("u_max", u_max, None)):
            if given is None:
                continue
            found = np.atleast_1d(converted(given, np.float32, name) if values is None else values)
            if found.shape not in ((nu,), (1,)):
                raise ValueError(f"{name} has shape {found.shape}; expected one number, or {nu}")
            member = {"noise_sigma": "sigma", "u_min": "minimum", "u_max": "maximum"}[name]
            fill(definition, {member: np.broadcast_to(found, nu).tolist()}, keep)
        if u_min is not None and u_max is not None:
            definition.limits_given = (1 << nu) - 1  # 0 and 0 switch a control off
        if u_min is not None and u_max is not None and any(definition.minimum[i] > definition.maximum[i] for i in range(nu)):
            raise ValueError(f"u_min {u_min} is above u_max {u_max}")

    @classmethod
    def from_scene(cls, scene: Union[str, os.PathLike[str]], *, device: Union[str, Device, None] = None, **settings: Any) -> MPPI:
        """The controller of a scene file (docs/mppi.md), with members of hed_mppi_def that differ. `start` is where its loop begins,
        (nx), or (count x nx) of a fleet, whose robots have the scene's parameters and maps."""
        read = _Scene(scene)
        keep: list[Any] = []
        definition = ffi.new("hed_mppi_def *", C.hed_mppi_scene_def(read.p))
        fill(definition, settings, keep)
        self = cls.__new__(cls)
        self._begin(find_device(device), definition, keep, read)
        robots = int(C.hed_mppi_scene_def(read.p).count)
        if self.count != robots:
            raise ValueError(f"count: {self.count}; the scene has {robots}")
        for i in range(robots):
            call(C.hed_mppi_set_robot, self.p, i, ffi.new("hed_mppi_robot *", C.hed_mppi_scene_robot(read.p, i)))
        start = np.array(ffi.unpack(C.hed_mppi_scene_start(read.p), robots * self.nx), np.float32)
        self.start = start if robots == 1 else start.reshape(robots, self.nx)
        return self

    @staticmethod
    def _model(model: Text, nx: Optional[int], nu: Optional[int], own: Mapping[str, Any], given: dict[str, Any], dt: float,
               pose: Optional[Mapping[str, int]], tables: Sequence[str], keep: list[Any]) -> Any:
        found = C.hed_mppi_model_find(os.fspath(model).encode())
        if found != ffi.NULL:
            given.update(own)
            for name, value, of in (("nx", nx, found.states), ("nu", nu, found.controls)):
                if value is not None and whole(value, name) != of:
                    raise ValueError(f"{name}: {value}; the model {text(found.name)} has {of}")
            if pose:
                raise ValueError(f"pose: the model {text(found.name)} has its own")
            return found
        words = _text(model, "model")
        if "\n" not in words and "{" not in words and not os.path.exists(words):
            raise ValueError(f"there is neither a file nor a model of Heddle's called {words!r}; models: {', '.join(models())}")
        if nx is not None:
            nx = whole(nx, "nx", 1, 0xFFFFFFFF)
        if nu is not None:
            nu = whole(nu, "nu", 1, ffi.typeof("hed_mppi_model").fields[[n for n, _ in ffi.typeof("hed_mppi_model").fields].index("sigma")][1].type.length)
        if nx is None or nu is None:
            raise ValueError("the model is a text: expected nx and nu, its numbers of states and controls")
        source = _Source(model, "model", None, own, tables, keep)
        made_here = ffi.new("hed_mppi_model *", {**source.members, "states": nx, "controls": nu, "dt": dt or 0.01})
        members = ("pose_x", "pose_y", "pose_heading", "speed", "turn", "velocity_x", "velocity_y")
        for member in pose or {}:
            if member not in members:
                raise ValueError(f"pose has no {member!r}; expected some of {', '.join(members)}")
        for member in members:
            setattr(made_here, member, whole((pose or {}).get(member, -1), f"pose[{member!r}]", -1, nx - 1))
        for i in range(nu):
            made_here.sigma[i] = 1
        given.update(source.settings)
        keep.append(made_here)
        return made_here

    @staticmethod
    def _term(to: Any, term: Term, given: dict[str, Any], keep: list[Any]) -> None:
        found = C.hed_mppi_term_find(_text(term.text, "a term").encode())
        if found != ffi.NULL:
            ffi.memmove(ffi.addressof(to) if ffi.typeof(to).kind == "struct" else to, found, ffi.sizeof("hed_mppi_term"))
            name = text(found.name)
            if listed(term.tables, "tables", "a list of names") or term.name is not None:
                raise ValueError(f"the term {name} is Heddle's own: it has its name and tables, and `parameters` alone are given")
            for n, v in named(term.parameters, "parameters of a term").items():
                given.update({f"{name}.{n}": v} if np.ndim(v) == 0 else {f"{name}.{n}.{i}": x for i, x in enumerate(v)})
        else:
            words = os.fspath(term.text)
            if "\n" not in words and "{" not in words and not os.path.exists(words):
                raise ValueError(f"there is neither a file nor a term of Heddle's called {words!r}; terms: {', '.join(terms())}")
            source = _Source(term.text, "cost", term.name, term.parameters, term.tables, keep)
            for member, value in source.members.items():
                setattr(to, member, value)
            given.update({f"{source.name}.{n}": v for n, v in source.settings})
        to.weight = number(term.weight, "weight")
        to.when = enumerator(ffi.typeof("hed_mppi_when"), term.when, "when")

    def _begin(self, on: Device, definition: Any, keep: list[Any], scene: Any) -> None:
        self.device = on
        pointer = made(C.hed_mppi_create, "hed_mppi", on.p, definition)
        self._handle = Handle(self, pointer, C.hed_mppi_destroy, on, scene, keep=(definition, keep))
        self._tuning = (C.hed_mppi_tune, definition, C.hed_mppi_tune_description())
        full = getattr(C.hed_mppi_describe(pointer), "def")
        self.nx, self.nu, self.count = int(full.model.states), int(full.model.controls), int(full.count)
        self.horizon, self.num_samples, self.dt = int(full.steps), int(full.samples), float(full.dt)
        self._stats = ffi.new("hed_mppi_stats[]", self.count)
        self._began = False

    def _state(self, state: Any) -> np.ndarray:
        x = converted(state, np.float32, "state")
        if self.count > 1 and x.shape != (self.count, self.nx) and x.shape != (self.count * self.nx,):
            raise ValueError(f"a state of shape {x.shape}: expected {self.count} x {self.nx}")
        if x.size != self.count * self.nx:
            raise ValueError(f"a state of {x.size} numbers: expected {self.nx}")
        if not np.isfinite(x).all():
            raise ArgumentError(f"state: {x[~np.isfinite(x)][0]} is not finite; expected numbers", "argument", int(C.HED_ERROR_ARGUMENT))
        return x

    def command(self, state: Any, shift: Union[bool, float] = True) -> np.ndarray:
        """The controls to apply now, (nu) or (count x nu). The plan of the call before is shifted by a step first, or by the
        time `shift` in seconds, for a loop whose period is not `dt`."""
        x = self._state(state)  # a refused one leaves the plan as it is
        seconds = self.dt * bool(shift) if isinstance(shift, (bool, np.bool_)) else number(shift, "shift", 0)
        if self._began and seconds > 0:
            C.hed_mppi_shift_seconds(self.p, seconds)
        u = np.empty((self.count, self.nu), np.float32)
        call(C.hed_mppi_solve, self.p, ffi.from_buffer("float[]", x), ffi.from_buffer("float[]", u), self._stats)
        self._began = True
        return u if self.count > 1 else u.reshape(self.nu)

    def set_applied(self, controls: Any) -> None:
        """What the actuators really did since the last call, (nu) or (count x nu): the rates of the next call begin from it."""
        keep: list[Any] = []
        shape = (self.nu,) if self.count == 1 else (self.count, self.nu)
        if not np.isfinite(converted(controls, np.float32, "controls")).all():
            raise ValueError("controls: some are not finite; expected numbers")
        C.hed_mppi_set_applied(self.p, numbers(controls, "float", shape, "controls", keep))

    def reset(self, controls: Any = None) -> None:
        """Forgets the plan, or takes `controls` (horizon x nu) for it."""
        keep: list[Any] = []
        if controls is not None and not np.isfinite(converted(controls, np.float32, "controls")).all():
            raise ValueError("controls: some are not finite; expected numbers")
        shape = (self.horizon, self.nu) if self.count == 1 else (self.count, self.horizon, self.nu)
        C.hed_mppi_reset(self.p, ffi.NULL if controls is None else numbers(controls, "float", shape, "controls", keep))
        self._began = False

    def _copy(self, pointer: Any, shape: tuple[int, ...]) -> np.ndarray:
        return np.array(np.frombuffer(ffi.buffer(pointer, 4 * int(np.prod(shape))), np.float32).reshape(shape))

    def plan(self, index: int = 0) -> np.ndarray:
        """The plan of controls, (horizon x nu)."""
        return self._copy(C.hed_mppi_controls(self.p, self._index(index)), (self.horizon, self.nu))

    def states(self, index: int = 0) -> np.ndarray:
        """The states along the plan, (horizon + 1 x nx)."""
        return self._copy(C.hed_mppi_states(self.p, self._index(index)), (self.horizon + 1, self.nx))

    def _index(self, index: int) -> int:
        if not 0 <= whole(index, "index", -1 << 63) < self.count:
            raise IndexError(f"controller {index}: there are {self.count}, from 0 on")
        return index

    def trace(self, count: int, best: bool = True, index: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """States (count x horizon + 1 x nx) and costs (count) of samples of the last solve: the best, or the first ones."""
        whole(count, "count", 1, self.num_samples)
        states, costs = np.empty((count, self.horizon + 1, self.nx), np.float32), np.empty(count, np.float32)
        call(C.hed_mppi_trace, self.p, self._index(index), count, truth(best, "best"), ffi.from_buffer("float[]", states), ffi.from_buffer("float[]", costs))
        return states, costs

    @property
    def rollouts(self) -> np.ndarray:
        """The states of the 64 best samples of the last solve, (64 x horizon + 1 x nx)."""
        return self.trace(min(64, self.num_samples))[0]

    @property
    def stats(self) -> dict[str, Any]:
        """Of the last solve: outcome, baseline, ess, crashed, solve_ns ...; a list of them for more than one controller."""
        found = []
        for s in self._stats:
            one = {n: getattr(s, n) for n, _ in ffi.typeof("hed_mppi_stats").fields}
            one["outcome"] = ("solved", "all crashed", "deadline", "diverged")[s.outcome]
            found.append(one)
        return found[0] if self.count == 1 else found  # type: ignore[return-value]

    def set(self, parameter: str, value: float, index: Optional[int] = None) -> None:
        """Sets a parameter ("mass", "goal.x", "goal.weight") from the next solve on, of controller `index` of a fleet or of all."""
        found = C.hed_mppi_parameter_find(self.p, word(parameter, "parameter"))
        if found == 0xFFFFFFFF:
            raise ValueError(f"there is no parameter {parameter!r}; there are: {', '.join(self.parameters)}")
        if index is not None:
            C.hed_mppi_set_parameter(self.p, self._index(index), found, number(value, parameter))
        elif not C.hed_mppi_post(self.p, found, number(value, parameter)):
            raise ValueError("more parameters were set since the last solve than are kept")

    def _which(self, index: Optional[int]) -> int:
        return 0xFFFFFFFF if index is None else self._index(index)

    def set_timeline(self, parameter: str, times: Any, values: Any, index: Optional[int] = None) -> None:
        """Replaces the timeline of a parameter from the next solve on, of controller `index` of a fleet or of all."""
        keep: list[Any] = []
        line = self._timeline(parameter, (times, values), keep)
        call(C.hed_mppi_set_timeline, self.p, self._which(index), line["name"], line["times"], line["values"], line["count"])

    @property
    def time(self) -> float:
        """The clock of the timelines, s: the time of the state of the next command."""
        return float(C.hed_mppi_time(self.p))

    @time.setter
    def time(self, seconds: float) -> None:
        C.hed_mppi_set_time(self.p, number(seconds, "time"))

    @property
    def parameters(self) -> dict[str, float]:
        """All parameters of model and terms."""
        value = ffi.new("float *")
        found: dict[str, float] = {}
        while True:
            name = C.hed_mppi_parameter_at(self.p, len(found), value)
            if name == ffi.NULL:
                return found
            found[text(name)] = value[0]

    def set_table(self, name: str, values: Any, index: Optional[int] = None) -> None:
        """Replaces a table's content from the next solve on, of controller `index` of a fleet (a table in `each`) or of all."""
        keep: list[Any] = []
        flat = np.ravel(converted(values, np.float32, "values"))
        content = numbers(flat, "float", (-1,), name, keep)
        if index is None:
            call(C.hed_mppi_post_table, self.p, word(name, "name"), content, flat.size)
        else:
            call(C.hed_mppi_set_table, self.p, self._index(index), word(name, "name"), content, flat.size)

    def choose(self, choice: Optional[str] = None, solver: str = "auto") -> None:
        """Replaces the structure of the solves; the plan is kept. `choice` is as `info["choice"]`; None: by the rules."""
        keep: list[Any] = []
        call(C.hed_mppi_set_choice, self.p, enumerator(ffi.typeof("hed_mppi_solver"), solver, "solver"), ffi.NULL if choice is None else _word(choice, keep))

    @property
    def info(self) -> dict[str, Any]:
        """How it runs: solver, choice, where that came from."""
        found = C.hed_mppi_describe(self.p)
        names = {value: name[len("HED_MPPI_"):].lower() for value, name in ffi.typeof("hed_mppi_solver").elements.items()}
        return {"solver": names[found.solver], "choice": text(found.choice), "configured": text(C.hed_config_origin_name(found.origin)),
                "measured": bool(found.measured), "samples": self.num_samples, "horizon": self.horizon, "dt": self.dt}

    def __repr__(self) -> str:
        return f"<heddle.MPPI of {self.nx} states and {self.nu} controls, {self.num_samples} samples of {self.horizon} steps on {self.device.id}>"

    def _repr_html_(self) -> str:
        rows = [[k, v] for k, v in {**self.info, **(self.stats if self.count == 1 else {})}.items()]
        return table(["", ""], rows)


class _Scene(Object):
    """A scene file that was read."""

    def __init__(self, file: Union[str, os.PathLike[str]]):
        self._handle = Handle(self, made(C.hed_mppi_scene_open, "hed_mppi_scene", path(file)), C.hed_mppi_scene_close)
