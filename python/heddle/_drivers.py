"""Drivers that crash. A process of the command `heddle` tries all drivers before this one loads them, and those that end that process are
left out with a warning. After a success they are tried again once the machine has started anew, or libraries, lists of drivers or
variables that choose drivers have changed."""
from __future__ import annotations

import hashlib
import os
import pathlib
import re
import subprocess
import warnings

from ._library import VERSION, command

#: Beginnings of the variables that choose drivers, and the files and folders that change when a driver is installed.
_VARIABLES = ("HEDDLE_", "OCL_", "OPENCL_", "POCL_", "VK_", "MESA_", "LIBGL_", "__EGL", "__GLX", "CUDA_", "LD_LIBRARY_PATH", "LD_PRELOAD")
_PLACES = ("/etc/ld.so.cache", "/etc/OpenCL/vendors", "/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/etc/glvnd/egl_vendor.d",
           "/usr/share/glvnd/egl_vendor.d")
#: A line of `heddle devices` about a driver that crashed: its backend, and the reason and remedy.
_CRASHED = re.compile(r"^heddle: (\w+): (its driver .*)$", re.MULTILINE)


def _state() -> str:
    """A hash of everything that decides on the drivers which a process loads."""
    parts = [VERSION, command()] + [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_VARIABLES)]
    for place in _PLACES:
        try:
            parts.append(f"{place} {os.stat(place).st_mtime_ns}")
        except OSError:
            parts.append(place)
    try:
        parts.append(pathlib.Path("/proc/sys/kernel/random/boot_id").read_text())
    except OSError:
        pass
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _memory() -> pathlib.Path:
    """The file with the state in which all drivers worked."""
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "heddle", "drivers-tried")


def _remembered(memory: pathlib.Path) -> str:
    try:
        return memory.read_text(errors="replace")
    except OSError:
        return ""


def _remember(memory: pathlib.Path, state: str) -> None:
    """Writes the state, if there is a place for it."""
    if not memory.is_absolute():
        return
    try:
        memory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        memory.write_text(state)
    except OSError:
        pass


def leave_out_crashing() -> None:
    """Makes contexts that this process opens from now on do without drivers that crash."""
    memory, state = _memory(), _state()
    if _remembered(memory) == state:
        return
    try:
        tried = subprocess.run([command(), "devices", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, errors="replace", timeout=600)
    except (OSError, subprocess.SubprocessError):  # without the command nothing is known of the drivers
        return
    for backend, reason in _CRASHED.findall(tried.stderr):
        os.environ[f"HEDDLE_{backend.upper()}_LIBRARY"] = "none"
        warnings.warn(f"{backend}: {reason}", RuntimeWarning, stacklevel=4)
    if tried.returncode == 0:
        _remember(memory, state)
