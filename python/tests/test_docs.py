"""The examples of docs/python.md, one after the other in an empty folder; files that they name stand in the page."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import heddle

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_every_example(self):
        os.environ.pop("HEDDLE_DEVICE", None)
        compiles = any("source" in d.info["capabilities"] for d in heddle.devices())
        blocks = list(self.blocks())
        self.assertGreater(len([b for b in blocks if b[0] == "python"]), 10)
        names, left = {}, os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for language, file, text, line in blocks:
                    if language == "c":
                        pathlib.Path(file).write_text(text)
                    elif compiles or not re.search(r"tune_kernel|\br\b", text):
                        exec(compile("\n" * (line - 1) + text, str(PAGE), "exec"), names)
                written = set(os.listdir("."))
            finally:
                os.chdir(left)
        self.assertGreaterEqual(written, {"song.wav", "spring.c"} | ({"scale.html"} if compiles else set()))
        if not compiles:
            self.skipTest("no device here compiles kernels: the examples of tuning were left out")

    def test_the_reference_is_that_of_the_docstrings(self):
        maker = PAGE.parents[1] / "python" / "reference.py"
        there = subprocess.run([sys.executable, maker], capture_output=True, text=True, check=True).stdout
        self.assertEqual(PAGE.with_name("python-reference.md").read_text(), there, f"run {maker} > docs/python-reference.md")

    def test_the_reference_has_every_public_name(self):
        page = PAGE.with_name("python-reference.md").read_text()
        for name in set(heddle._LATER) - {"mppi", "css", "kernel_tuner"} | {"device", "devices", "asarray", "empty", "Context", "Array", "Error", "data"}:
            self.assertRegex(page, rf"### heddle\.(mppi\.)?{name}\n")

    def test_every_public_name_is_exported(self):
        """For checkers of types: __all__ has it, and it is there."""
        named = set(re.findall(r"^### heddle\.(\w+)$", PAGE.with_name("python-reference.md").read_text(), re.M))
        self.assertEqual((named | set(heddle._LATER)) - set(heddle.__all__), set())
        for module in (heddle, heddle.css, heddle.mppi):
            self.assertEqual([n for n in module.__all__ if not hasattr(module, n)], [])

    def blocks(self):
        """(language, file, text, line)"""
        page = PAGE.read_text()
        for m in re.finditer(r"^```(python|c) ?([\w.]*)\n(.*?)^```", page, re.M | re.S):
            yield m.group(1), m.group(2), m.group(3), page.count("\n", 0, m.start(3)) + 1


if __name__ == "__main__":
    unittest.main()
