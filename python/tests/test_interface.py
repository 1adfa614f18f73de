"""The C interface as Python sees it: each public function is there, structs have the sizes that the C compiler gives them, a wrong library
is refused in words, and importing is quick."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import heddle
from heddle import _interface, _library

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include" / "heddle"


def python(code, **environment):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)
    return done.returncode, done.stdout + done.stderr


class Headers(unittest.TestCase):
    def test_every_public_function_is_there(self):
        """The headers as text: HED_API, and inline functions."""
        missing, count = [], 0
        for header in sorted(INCLUDE.glob("*.h")):
            if header.stem in ("math", "tree", "mppi_words"):  # texts for kernels
                continue
            bare = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.S)
            bare = re.sub(r"#ifdef __cplusplus.*?(#else|#endif)", "", bare, flags=re.S)
            for name in re.findall(r"^(?:HED_API|static inline)\b[^;{]*?\b(hed_\w+)\s*\(", bare, re.M):
                count += 1
                try:
                    if not callable(getattr(heddle.C, name, None)):
                        missing.append(f"{name} of {header.name}")
                except heddle.Error as problem:  # libmicrohttpd does not travel with a wheel
                    if header.stem != "web" or "libheddle-web" not in str(problem):
                        raise
        self.assertEqual(missing, [])
        self.assertGreater(count, 300)
        self.assertEqual(set(dir(heddle.C)) >= {"hed_tune_kernel", "hed_now", "hed_cloth_step"}, True)

    def test_any_function_may_be_the_first(self):
        """cffi makes C types when they are first used; some lead back to themselves."""
        for name in ("hed_default_geometry", "hed_default_work", "hed_default_sample_bytes", "hed_default_sample_fill"):
            self.assertEqual(python(f"import heddle; heddle.C.{name}"), (0, ""))

    def test_stubs_name_every_function(self):
        stub = (pathlib.Path(heddle.__file__).parent / "functions.pyi").read_text()
        compile(stub, "functions.pyi", "exec")
        self.assertEqual([n for n in _interface.LIBRARY_OF if f"def {n}(" not in stub], [])

    def test_calling_them(self):
        ffi, C = heddle.ffi, heddle.C
        self.assertEqual(ffi.string(C.hed_version_text()).decode(), heddle.__version__)
        self.assertEqual(C.hed_ceil_divide(7, 2), 4)
        self.assertEqual(C.hed_problem_2d(3, 4).sizes[1], 4)
        self.assertEqual(C.hed_default_tune_def().evaluations, 200)
        self.assertGreater(C.hed_now(), 0)
        with self.assertRaises(AttributeError):
            C.hed_no_such_thing

    def test_sizes(self):
        sizes = heddle.C.hed_symbols_sizes()
        told = {}
        while sizes[len(told)].name != heddle.ffi.NULL:
            told[heddle.ffi.string(sizes[len(told)].name).decode()] = sizes[len(told)].bytes
        self.assertEqual(told, _interface.SIZES)
        self.assertGreater(len(told), 90)


class WrongLibraries(unittest.TestCase):
    """In a prefix of their own."""

    def prefix(self, folder, **replaced):
        lib = pathlib.Path(folder) / "lib"
        lib.mkdir(parents=True)
        for other in pathlib.Path(_library._file("heddle")).parent.glob("lib*.so*"):  # of a wheel: what libheddle needs
            if not other.name.startswith("libheddle"):
                shutil.copy(other, lib)
        for name in ("heddle", "heddle-symbols"):
            target = lib / f"lib{name}.so.{_library._SOVERSION}"
            if name in replaced:
                source = pathlib.Path(folder) / (name + ".c")
                source.write_text(replaced[name])
                subprocess.run(["cc", "-shared", "-fPIC", "-o", target, source], check=True)
            else:
                shutil.copy(_library._file(name), target)
        return str(folder)

    def test_none(self):
        with tempfile.TemporaryDirectory() as folder:
            code, said = python("import heddle", HEDDLE_PREFIX=folder)
        self.assertEqual(code, 1)
        self.assertRegex(said, "libheddle.* cannot be loaded: .* set HEDDLE_PREFIX to the folder")

    def test_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            text = 'const char *hed_version_text(void) { return "7.8.9"; }'
            code, said = python("import heddle", HEDDLE_PREFIX=self.prefix(folder, heddle=text))
        self.assertEqual(code, 1)
        self.assertIn(f"libheddle is version 7.8.9 and this package is made for {heddle.__version__}", said)

    def test_other_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            text = ('#include <stddef.h>\ntypedef struct { const char *name; size_t bytes; } size;\n'
                    'static const size sizes[] = {{"hed_error", 12}, {"hed_tune_def", 16}, {0, 0}};\n'
                    'const size *hed_symbols_sizes(void) { return sizes; }')
            code, said = python("import heddle", HEDDLE_PREFIX=self.prefix(folder, **{"heddle-symbols": text}))
        self.assertEqual(code, 1)
        self.assertRegex(said, r"hed_error has 12 bytes and \d+ were expected; .*Install both of one build")

    def test_not_even_a_library(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = self.prefix(folder)
            (pathlib.Path(prefix) / "lib" / f"libheddle-symbols.so.{_library._SOVERSION}").write_text("no library")
            code, said = python("import heddle", HEDDLE_PREFIX=prefix)
        self.assertEqual(code, 1)
        self.assertRegex(said, "libheddle-symbols of Heddle .* cannot be loaded")


class Starting(unittest.TestCase):
    def test_engines_are_loaded_when_they_are_used(self):
        code, said = python("import heddle, sys; print([m for m in ('heddle._cloth', 'heddle.css', 'heddle._tuner') if m in sys.modules],"
                            " sorted(heddle.C._opened))")
        self.assertEqual((code, said), (0, "[] ['heddle', 'heddle-symbols']\n"))

    def test_the_command(self):
        done = subprocess.run([sys.executable, "-m", "heddle", "version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn(heddle.__version__, done.stdout)
        wrong = subprocess.run([sys.executable, "-m", "heddle", "nothing"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, subprocess.run([heddle.command(), "nothing"], capture_output=True).returncode)
        self.assertIn('"nothing"', wrong.stderr)

    def test_names(self):
        for name in dir(heddle):
            self.assertIsNotNone(getattr(heddle, name), name)
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            heddle.nothing


if __name__ == "__main__":
    unittest.main()
