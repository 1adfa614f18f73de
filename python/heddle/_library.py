"""The C libraries: where they are, whether they are the right ones, and calling them.

`C` has every function of the public headers, `ffi` makes what they are given; both are for those who want what the rest of
the package does not offer. `call()` makes exceptions of errors. `Handle` keeps C objects alive for as long as something that
was made of them is."""
from __future__ import annotations

import atexit
import ctypes
import os
import pathlib
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, cast

from . import _interface

if TYPE_CHECKING:
    from .functions import Functions

ffi: Any = _interface.ffi  # whose C types no checker knows
# cffi 1.17 ends the process if hed_default_geometry() is looked up before the struct that points to functions of its type.
ffi.typeof("hed_kernel_def").fields
VERSION: str = _interface.VERSION
FOLDER = pathlib.Path(__file__).parent
#: Libraries in the order in which they need each other.
NAMES = ["heddle", "heddle-symbols", "heddle-tunefile", "heddle-canonical", "heddle-cloth", "heddle-synth", "heddle-synth-live",
         "heddle-mppi", "heddle-css", "heddle-web"]
_SOVERSION = ".".join(VERSION.split(".")[:2])


class Error(RuntimeError):
    """What Heddle says of a failure. `status` is its word for the kind of failure ("build failed"), `code` the number of
    hed_status, `log` the compiler's words where a kernel did not compile."""

    def __init__(self, text: str, status: str = "error", code: int = 0, log: str = ""):
        super().__init__(text + ("\n" + log if log else ""))
        self.text, self.status, self.code, self.log = text, status, code, log


class ArgumentError(Error, ValueError):
    """An argument that the C library refuses, or an input that is not what it should be."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    def __str__(self) -> str:
        return self.text


class UnsupportedError(Error, NotImplementedError):
    """What this device, driver or build cannot do."""


class OutOfMemoryError(Error, MemoryError):
    """No memory, of the host or of the device."""


def _prefixes() -> Iterable[pathlib.Path]:
    """Folders that may have lib/libheddle.so: HEDDLE_PREFIX, the package itself (a wheel), the prefix that it is installed in."""
    if os.environ.get("HEDDLE_PREFIX"):
        yield pathlib.Path(os.environ["HEDDLE_PREFIX"])
        return
    yield FOLDER
    if FOLDER.parent.name in ("dist-packages", "site-packages"):
        yield FOLDER.parents[3]


def _build() -> Any:
    """What the build folder's package knows of the build; None in an installed one."""
    if os.environ.get("HEDDLE_PREFIX"):
        return None
    try:
        from . import _build
    except ImportError:
        return None
    return _build


def _file(name: str) -> str:
    built = _build()
    if built:
        return str(built.LIBRARIES.get(name, f"lib{name}.so.{_SOVERSION}"))
    for prefix in _prefixes():
        for folder in (prefix / "lib", *sorted((prefix / "lib").glob("*-linux-gnu*"))):
            for file in (folder / f"lib{name}.so.{_SOVERSION}", *sorted(folder.glob(f"lib{name}.*.so"))):
                if file.exists():
                    return str(file)
    return f"lib{name}.so.{_SOVERSION}"


def command() -> str:
    """The file of the command `heddle` that belongs to this package."""
    built = _build()
    if built:
        return str(built.COMMAND)
    for prefix in _prefixes():
        if (prefix / "bin" / "heddle").exists():
            return str(prefix / "bin" / "heddle")
    return "heddle"


def data() -> pathlib.Path:
    """The folder with the instruments, scenes and songs that come with Heddle: `heddle.data() / "instruments" / "harp.json"`."""
    built = _build()
    if built:
        return pathlib.Path(built.DATA)
    for prefix in _prefixes():
        if (prefix / "share" / "heddle").is_dir():
            return prefix / "share" / "heddle"
    return pathlib.Path("/usr/share/heddle")


class _Functions:
    """The C functions, enumerators and all, found when they are first asked for; libraries are loaded likewise."""

    def __init__(self) -> None:
        self._opened: dict[str, Any] = {}
        self._lock = threading.Lock()

    def _open(self, name: str) -> Any:
        with self._lock:
            if name not in self._opened:
                file = _file(name)
                try:
                    self._opened[name] = ffi.dlopen(file, ffi.RTLD_NOW | ffi.RTLD_LOCAL)
                except OSError as problem:
                    raise Error(f"lib{name} of Heddle {VERSION} cannot be loaded: {problem}. Install Heddle {VERSION}, or set HEDDLE_PREFIX "
                                f"to the folder that it is installed in (the one with lib/libheddle.so.{_SOVERSION})", "no library") from None
            return self._opened[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        home = _interface.LIBRARY_OF.get(name, "heddle")
        known = name in _interface.LIBRARY_OF  # else an enumerator, which every library gives
        for library in (home, *(n for n in NAMES if known and n.startswith(home + "-"))):  # synth_player.h is of heddle-synth-live
            try:
                found = getattr(self._open(library), name)
                break
            except (AttributeError, ffi.error):
                continue
        else:
            raise AttributeError(f"Heddle's C libraries have no {name}")
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted(_interface.LIBRARY_OF)


C = cast("Functions", _Functions())


def check() -> None:
    """Whether the libraries are those that the package was made from: version, and the size of every public struct."""
    found = text(C.hed_version_text())
    if found != VERSION:
        raise Error(f"libheddle is version {found} and this package is made for {VERSION}: {_file('heddle')}. Install the two of one version",
                    "wrong library")
    sizes, at = C.hed_symbols_sizes(), 0
    told: dict[str, int] = {}
    wrong: list[str] = []
    while sizes[at].name != ffi.NULL:
        told[text(sizes[at].name)] = int(sizes[at].bytes)
        at += 1
    for name, expected in _interface.SIZES.items():
        if told.get(name) != expected:
            wrong.append(f"{name} has {told.get(name, 'no')} bytes and {expected} were expected")
    if wrong:
        raise Error(f"the libraries are not those that this package was made from, though both say {VERSION}: {'; '.join(wrong[:3])}"
                    f"{' ...' if len(wrong) > 3 else ''}. Install both of one build: {_file('heddle')}", "wrong library")


# ---- texts and errors ----

def text(pointer: Any) -> str:
    """A C string; "" for NULL."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer), "utf-8", "replace")


def _c_text(content: bytes, name: str) -> Any:
    if b"\0" in content:
        raise ValueError(f"{name}: {content!r} contains a zero, at which C would end it; expected a text without one")
    return ffi.new("char[]", content)


def path(name: Any) -> Any:
    """A file's name as C has it."""
    return _c_text(os.fsencode(os.fspath(name)), "a file's name")


def word(words: Any, name: str) -> Any:
    """A text as C has it."""
    if not isinstance(words, str):
        raise TypeError(f"{name}: {words!r} is a {type(words).__name__}; expected a text")
    return _c_text(words.encode("utf-8", "surrogateescape"), name)


def optional(words: Optional[str], name: str) -> Any:
    """A text as C has it; NULL for None."""
    return ffi.NULL if words is None else word(words, name)


def _classes() -> dict[int, type[Error]]:
    return {C.HED_ERROR_ARGUMENT: ArgumentError, C.HED_ERROR_FORMAT: ArgumentError, C.HED_ERROR_BOUNDS: ArgumentError,
            C.HED_ERROR_IO: FileError, C.HED_ERROR_UNSUPPORTED: UnsupportedError, C.HED_ERROR_MEMORY: OutOfMemoryError,
            C.HED_ERROR_DEVICE_MEMORY: OutOfMemoryError}


def raise_error(error: Any) -> None:
    kind = _classes().get(error.status, Error)
    raise kind(text(error.text), text(C.hed_status_name(error.status)), int(error.status), text(error.log))


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a C function that returns a status, with an hed_error behind its arguments; an exception where it fails."""
    guard()
    error = ffi.new("hed_error *")
    if function(*arguments, error) != 0:
        raise_error(error)


def made(function: Callable[..., int], kind: str, *arguments: Any) -> Any:
    """What a C function makes: `kind` is its type, the pointer to it the last argument before the error."""
    out = ffi.new(kind + " **")
    call(function, *arguments, out)
    return out[0]


# ---- processes that were forked ----

_contexts_made = 0
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = _forked or _contexts_made > 0


os.register_at_fork(after_in_child=_after_fork)


def guard() -> None:
    """Drivers do not survive a fork, so nothing is called in a child of a process that had a context."""
    if _forked:
        raise Error("this process was forked from one that had a Heddle context, which no driver survives: start it with "
                    'multiprocessing.set_start_method("spawn"), or import heddle in the child alone', "forked")


def context_made() -> None:
    global _contexts_made
    _contexts_made += 1


# ---- C objects ----

_handle_lock = threading.RLock()
_handles: dict[Handle, bool] = {}  # those that are not closed, the oldest first
_ending = False  # the process is
_kept = False  # objects of a process that ends: another thread may be in C with any of them


class Handle:
    """A C object. It is destroyed once its Python object is gone and so are all that were made of it, in whatever order the
    garbage collector meets them; `keep` (memory that C points to) goes after it."""

    def __init__(self, owner: Any, pointer: Any, destroy: Optional[Callable[[Any], Any]], *parents: Any, keep: Any = None):
        self._pointer, self._destroy, self._uses, self._keep = pointer, destroy, 1, keep
        self._parents = [p._handle for p in parents if p is not None]
        with _handle_lock:
            for parent in self._parents:
                parent._uses += 1
        self._close = weakref.finalize(owner, self._closed)
        self._close.atexit = False  # _end() does
        _handles[self] = True

    def _closed(self) -> None:
        if _handles.pop(self, False):
            self._release()

    def _release(self) -> None:
        with _handle_lock:
            self._uses -= 1
            if self._uses:
                return
        if _keeps():
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))  # for `keep`
            return
        if self._destroy and not _forked:
            self._destroy(self._pointer)
        self._pointer = self._keep = None
        for parent in self._parents:
            parent._release()
        self._parents = []

    def close(self) -> None:
        self._close.detach()  # and not called: at the end of the process it may do nothing any more
        self._closed()

    @property
    def pointer(self) -> Any:
        guard()
        if not self._close.alive:
            raise Error("this object was closed", "closed")
        return self._pointer


class Object:
    """What stands for a C object in Python."""

    _handle: Handle

    @property
    def p(self) -> Any:
        """The C object, for functions of `heddle.C`."""
        return self._handle.pointer

    def close(self) -> None:
        """Gives up the C object now, not when it is collected. It goes as soon as nothing that was made of it is left."""
        self._handle.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


# ---- the end of the process ----

def _inside() -> bool:
    """True if another thread is in a function of this package, and so perhaps in one of C."""
    for thread, top in sys._current_frames().items():
        frame = top if thread != threading.get_ident() else None
        while frame:
            if frame.f_globals.get("__package__") == __package__:
                return True
            frame = frame.f_back
    return False


def _keeps() -> bool:
    """True if C objects are left to the end of the process: a daemon thread is still in C, or Python ends threads of
    sub-interpreters at their next call of C."""
    global _kept
    _kept = _kept or _ending and _inside()
    return _kept or sys.is_finalizing()


def _end_with_thread() -> None:
    """Ends the process where this thread ends before it returns from main().

    Python before 3.12.1 (python/cpython#109793) ends the main thread, with status 0, if it finalizes a sub-interpreter that gives
    up the lock, to flush its standard output for example. The process would then wait for threads of C for ever: of Heddle, of
    drivers, of numpy's BLAS."""
    process, key = ctypes.PyDLL(None), ctypes.c_uint()  # whose functions keep the lock
    if process.pthread_key_create(ctypes.byref(key), ctypes.cast(process.exit, ctypes.c_void_p)) == 0:
        process.pthread_setspecific(key, ctypes.c_void_p(0x100))  # exit(0x100) has status 0; NULL would not be passed


def _end() -> None:
    global _ending
    _ending = True
    if sys.is_finalizing() and sys.version_info < (3, 12, 1):
        _end_with_thread()
    for handle in reversed(list(_handles)):
        handle.close()


atexit.register(_end)
