"""Runs a test file: run.py FOLDER-OF-THE-PACKAGE test_x.py. Exit code 77: something that it needs is not here, and it says what."""
import importlib.util
import os
import sys
import unittest

for module in ("cffi", "numpy"):
    if importlib.util.find_spec(module) is None:
        print(f"[SKIP] {sys.executable} has no {module} (Debian: python3-{module})")
        sys.exit(77)
os.environ["PYTHONPATH"] = sys.argv[1] + os.pathsep + os.environ.get("PYTHONPATH", "")
sys.path.insert(0, sys.argv[1])
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
unittest.main(module=sys.argv[2].rsplit("/", 1)[-1][:-3], argv=["heddle"] + sys.argv[3:], verbosity=2)
