"""Heddle from Python: tuning of GPU kernels, cloth, a synthesizer of masses and springs, sampling model-predictive control, and CSS
matched against whole documents. docs/python.md begins with examples.

    r = heddle.tune_kernel(...)          a kernel from numpy arrays, as in Kernel Tuner
    heddle.Kernel(...)                   the kernel that was tuned, called with arrays
    @heddle.autotune(...)                kernels of Triton, Numba, CuPy and PyTorch
    heddle.kernel_tuner                  Kernel Tuner's interface
    heddle.Cloth("scene.json")           cloth.step(), cloth.positions
    heddle.Synth("harp.json")            synth.render("song.mid")
    heddle.MPPI(model=..., cost=...)     mppi.command(state)
    heddle.css.Document.parse(html)      document.match(sheet)

`heddle.C` and `heddle.ffi` are the C functions as they are."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _library
from ._devices import (Array, Context, Device, Devices, Stream, asarray, default_context, device, devices, empty)
from ._library import (C, ArgumentError, Error, FileError, Object, OutOfMemoryError, UnsupportedError, command, data, ffi)

_library.check()
__version__ = _library.VERSION

#: Names that are imported when they are first used, and where they are.
_LATER = {
    "tune_kernel": "_tuner", "tune_kernel_T1": "_tuner", "tune_file": "_tuner", "TuneResult": "_tuner",
    "Kernel": "_kernel", "autotune": "_autotune", "Autotuned": "_autotune", "kernel_tuner": "kernel_tuner",
    "Cloth": "_cloth", "Sphere": "_cloth", "Capsule": "_cloth", "Plane": "_cloth", "Mesh": "_cloth", "read_mesh": "_cloth",
    "Synth": "_synth", "Sound": "_synth", "write_wav": "_synth",
    "MPPI": "mppi", "mppi": "mppi", "css": "css",
}

if TYPE_CHECKING:
    from . import css, kernel_tuner, mppi
    from ._autotune import Autotuned, autotune
    from ._cloth import Capsule, Cloth, Mesh, Plane, Sphere, read_mesh
    from .mppi import MPPI
    from ._synth import Sound, Synth, write_wav
    from ._kernel import Kernel
    from ._tuner import TuneResult, tune_file, tune_kernel, tune_kernel_T1

#: Every public name, for `from heddle import *` and for checkers of types.
__all__ = [
    "C", "ffi", "Array", "ArgumentError", "Autotuned", "Capsule", "Cloth", "Context", "Device", "Devices", "Error", "FileError", "Kernel", "MPPI", "Mesh", "Object",
    "OutOfMemoryError", "Plane", "Sound", "Sphere", "Stream", "Synth", "TuneResult", "UnsupportedError", "asarray", "autotune", "command", "css", "data",
    "default_context", "device", "devices", "empty", "kernel_tuner", "mppi", "read_mesh", "tune_file", "tune_kernel", "tune_kernel_T1", "write_wav", "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'heddle' has no attribute {name!r}")
    module = importlib.import_module("." + _LATER[name], __name__)
    found = module if _LATER[name] == name else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])
