"""The maker of wheels (python/wheel.py) on a small Heddle: names, hashes, the glibc in the tag, and what is refused."""
import base64
import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

WHEEL = pathlib.Path(__file__).parents[1] / "wheel.py"


def compiled(out, text, *options):
    subprocess.run(["cc", "-x", "c", "-", "-o", out, *options], input=text, text=True, check=True)


class Maker(unittest.TestCase):
    def setUp(self):
        if not shutil.which("cc"):
            self.skipTest("there is no C compiler")
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.prefix = pathlib.Path(self.scratch.name) / "prefix"
        for folder in ("lib/python3/dist-packages/heddle", "bin", "libexec/heddle", "include/heddle", "share/heddle/tests", "share/doc/heddle/licences"):
            (self.prefix / folder).mkdir(parents=True)
        for name in ("base.h", ):
            (self.prefix / "include/heddle" / name).write_text("#define HED 1\n")
        package = self.prefix / "lib/python3/dist-packages/heddle"
        (package / "__init__.py").write_text("")
        (package / "_interface.py").write_text("VERSION = '7.8.9'\n")
        (self.prefix / "share/heddle/flag.json").write_text("{}")
        (self.prefix / "share/heddle/tests/golden.txt").write_text("not for users")
        (self.prefix / "share/doc/heddle/licences/libother").write_text("its licence")
        self.library("libother.so.3", "int other(void) { return 40; }")
        self.library("libheddle.so.7.8", "int other(void); int hed_answer(void) { return other() + 2; }", "libother.so.3")
        for program in ("bin/heddle", "libexec/heddle/heddle-worker"):
            compiled(self.prefix / program, "int hed_answer(void); int main(void) { return hed_answer(); }", f"-L{self.prefix}/lib",
                     "-l:libheddle.so.7.8", f"-Wl,-rpath-link,{self.prefix}/lib", "-Wl,-rpath,$ORIGIN/../lib:$ORIGIN/../../lib")

    def library(self, name, text, *needed):
        compiled(self.prefix / "lib" / name, text, "-shared", "-fPIC", f"-Wl,-soname,{name}", "-Wl,-rpath,$ORIGIN", f"-L{self.prefix}/lib",
                 "-Wl,--no-as-needed", *[f"-l:{n}" for n in needed], "-lm")

    def make(self, out="dist"):
        folder = pathlib.Path(self.scratch.name) / out
        done = subprocess.run([sys.executable, WHEEL, self.prefix, folder], capture_output=True, text=True)
        return done, next(iter(folder.glob("*.whl")), None)

    def test_what_is_in_it(self):
        done, wheel = self.make()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(wheel.name, r"^heddle_gpu-7\.8\.9-py3-none-manylinux_2_\d+_(x86_64|aarch64)\.whl$")
        with zipfile.ZipFile(wheel) as file:
            names = file.namelist()
            for entry in file.infolist():
                runs = entry.filename.startswith(("heddle/lib/", "heddle/bin/", "heddle/libexec/"))
                self.assertEqual(bool(entry.external_attr >> 16 & 0o111), runs, entry.filename)
            record = dict(line.split(",")[:2] for line in file.read("heddle_gpu-7.8.9.dist-info/RECORD").decode().splitlines())
            self.assertEqual(sorted(record), sorted(names))
            for name, hash in record.items():
                if hash:
                    there = base64.urlsafe_b64encode(hashlib.sha256(file.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual(hash, "sha256=" + there)
            metadata = file.read("heddle_gpu-7.8.9.dist-info/METADATA").decode()
            for entry in file.infolist():
                out = pathlib.Path(self.scratch.name) / "unpacked" / entry.filename
                out.parent.mkdir(parents=True, exist_ok=True)
                out.write_bytes(file.read(entry))
                out.chmod(entry.external_attr >> 16 & 0o777)
        self.assertIn('Provides-Extra: cuda', metadata)
        self.assertIn('\nName: heddle-gpu\n', metadata)  # `heddle` on PyPI is a stranger's
        self.assertEqual({n.split("/")[0] for n in names}, {"heddle", "heddle_gpu-7.8.9.dist-info"})
        self.assertIn("heddle/share/heddle/flag.json", names)
        self.assertIn("heddle_gpu-7.8.9.dist-info/licenses/libother", names)
        self.assertFalse([n for n in names if "golden" in n])
        libraries = [n for n in names if n.startswith("heddle/lib/")]
        self.assertEqual(len(libraries), 2)
        for name in libraries:  # names of their own
            self.assertRegex(name, r"heddle/lib/lib(heddle|other)\.\w+\.so$")
        unpacked = pathlib.Path(self.scratch.name) / "unpacked" / "heddle"
        shutil.rmtree(self.prefix)
        [heddle] = unpacked.glob("lib/libheddle.*.so")
        self.assertEqual(ctypes.CDLL(str(heddle)).hed_answer(), 42)
        for program in ("bin/heddle", "libexec/heddle/heddle-worker"):
            self.assertEqual(subprocess.run([unpacked / program]).returncode, 42)

    def test_the_same_to_the_bit(self):
        first, second = self.make("one")[1], self.make("two")[1]
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_the_glibc_that_it_needs(self):
        """hypot() of glibc 2.35 raises the tag."""
        self.library("libheddle-more.so.7.8", "#include <math.h>\ndouble hed_f(double x, double y) { return hypot(x, y); }", "libheddle.so.7.8")
        shown = subprocess.run(["objdump", "-T", self.prefix / "lib/libheddle-more.so.7.8"], capture_output=True, text=True).stdout
        if "GLIBC_2.35" not in shown:
            self.skipTest("this C library has no hypot() of version 2.35")
        self.assertIn("manylinux_2_35_", self.make()[1].name)

    def test_what_is_refused(self):
        self.library("libheddle-web.so.7.8", "int x;", "libz.so.1") if os.path.exists("/usr/lib/x86_64-linux-gnu/libz.so.1") else \
            self.skipTest("there is no zlib here")
        done, wheel = self.make()
        self.assertEqual((done.returncode, wheel), (1, None))
        self.assertRegex(done.stderr, "libheddle-web.so.7.8 needs libz.so.1, which is not in .*: is .* the portable build")
        (self.prefix / "lib/libheddle-web.so.7.8").unlink()
        (self.prefix / "lib/python3/dist-packages/heddle/_interface.py").unlink()
        self.assertIn("has no Python package", self.make()[0].stderr)


if __name__ == "__main__":
    unittest.main()
