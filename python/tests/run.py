"""Runs a test file: run.py WHERE test_x.py, where WHERE is the package's folder, a wheel, or `installed`: what Python finds by itself. Exit code 77: something that it needs is not here, and it says what."""
import importlib.util
import os
import sys
import tempfile
import unittest
import zipfile

for module in ("cffi", "numpy"):
    if importlib.util.find_spec(module) is None:
        print(f"[SKIP] {sys.executable} has no {module} (Debian: python3-{module})")
        sys.exit(77)
where = sys.argv[1]
if where.endswith(".whl"):
    unpacked = tempfile.TemporaryDirectory()
    with zipfile.ZipFile(where) as wheel:
        for entry in wheel.infolist():
            os.chmod(wheel.extract(entry, unpacked.name), entry.external_attr >> 16 & 0o777)
    where = unpacked.name
if where != "installed":
    os.environ["PYTHONPATH"] = where + os.pathsep + os.environ.get("PYTHONPATH", "")
    sys.path.insert(0, where)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
unittest.main(module=sys.argv[2].rsplit("/", 1)[-1][:-3], argv=["heddle"] + sys.argv[3:], verbosity=2)
