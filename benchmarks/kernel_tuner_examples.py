#!/usr/bin/env python3
"""Runs the examples of Kernel Tuner, unchanged, through heddle.kernel_tuner, and prints which ended.

    PYTHONPATH=build/release/python python3 benchmarks/kernel_tuner_examples.py KERNEL_TUNER/examples [--only cuda opencl] [--time 20] [--budget N] [NAMES...]

Each script runs in a copy of the folder, in a process of its own, as `heddle tune SCRIPT --time SECONDS` does: SECONDS for each call of
tune_kernel(). Scripts need numpy, and some of them more: what a machine lacks is said by name and counts apart. Scripts for a host compiler
(lang="C"), for textures and for hooks of the benchmark loop are refused by name, and count apart as well, like those of which a call found no
configuration that works ("idle")."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time


def outcome(code, words):
    """One word and the line that says why."""
    lines = [line for line in words.strip().splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if code == 0:
        best = [line for line in lines if line.startswith("best of")]
        none = [line for line in lines if line.startswith("none of")]
        return ("idle", none[0]) if none else ("ended", best[-1] if best else last)
    if code is None:
        return "time-out", last
    missing = re.search(r"No module named '([^']+)'", last)
    if missing:
        return "lacking", f"needs the module {missing.group(1)}"
    return ("refused" if "UnsupportedError" in last or "has no argument" in last else "failed"), last


def run(script, seconds, budget, limit):
    command = [sys.executable, "-m", "heddle", "tune", os.path.basename(script), "--time", str(seconds)]
    command += ["--budget", str(budget)] if budget else []
    try:
        done = subprocess.run(command, cwd=os.path.dirname(script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=limit, env={**os.environ, "MPLBACKEND": "Agg"})
        return outcome(done.returncode, done.stdout)
    except subprocess.TimeoutExpired as problem:
        words = problem.stdout or b""
        return outcome(None, words.decode(errors="replace") if isinstance(words, bytes) else words)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("examples")
    options.add_argument("names", nargs="*", help="files without .py; all if none is given")
    options.add_argument("--only", nargs="+", default=["cuda", "opencl"])
    options.add_argument("--time", type=float, default=20)
    options.add_argument("--budget", type=int, default=0)
    options.add_argument("--limit", type=float, default=120, help="seconds after which a script is ended")
    given = options.parse_intermixed_args()
    if os.environ.get("PYTHONPATH"):  # scripts run in other folders
        os.environ["PYTHONPATH"] = os.pathsep.join(os.path.abspath(p) for p in os.environ["PYTHONPATH"].split(os.pathsep))
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "examples")
        shutil.copytree(given.examples, copy)
        for kind in given.only:
            for name in sorted(os.listdir(os.path.join(copy, kind))):
                if not name.endswith(".py") or given.names and name[:-3] not in given.names:
                    continue
                began = time.monotonic()
                word, line = run(os.path.join(copy, kind, name), given.time, given.budget, given.limit)
                counts[word] = counts.get(word, 0) + 1
                print(f"{kind}/{name[:-3]:32s} {word:8s} {time.monotonic() - began:6.1f} s  {line[:160]}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 1 if counts.get("failed") or counts.get("time-out") else 0


if __name__ == "__main__":
    sys.exit(main())
