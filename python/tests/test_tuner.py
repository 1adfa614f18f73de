"""The tuner, on the device that compiles kernels here: from arrays, from files, isolated, and what is refused in which words."""
import csv
import json
import os
import pathlib
import signal
import tempfile
import unittest

import numpy as np

import heddle

SCALE = """
__kernel void scale(__global float *y, __global const float *x, float a, int n)
{
    for (int i = get_global_id(0) * PER; i < min(n, (int)(get_global_id(0) * PER + PER)); i++) y[i] = a * x[i];
}"""
N = 1 << 14
X, Y = np.random.default_rng(1).random(N, np.float32), np.zeros(N, np.float32)


def able():
    return [d for d in heddle.devices() if "source" in d.info["capabilities"]]


def scale(text=SCALE, **settings):
    """Two configurations, compared with the answer."""
    given = {"group": ["WG"], "grid": ["n / PER"], "answer": [3 * X, None, None, None], "keep": False, **settings}
    params = given.pop("params", {"WG": [64], "PER": [1, 4]})
    return heddle.tune_kernel("scale", text, {"n": N}, [Y, X, np.float32(3), np.int32(N)], params, **given)


class FromArrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ.pop("HEDDLE_DEVICE", None)
        if not able():
            raise unittest.SkipTest("no device here compiles kernels (Debian: pocl-opencl-icd)")
        cls.folder = tempfile.TemporaryDirectory()
        cls.result = scale(restrictions=["WG * PER <= 512"])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file(self, name):
        return pathlib.Path(self.folder.name) / name

    def test_result(self):
        r = self.result
        self.assertEqual(sorted(e["PER"] for e in r), [1, 4])
        self.assertTrue(all(e["outcome"] in ("measured", "dropped") and e["error"] == 0 for e in r))
        self.assertEqual(r.best_config, {n: r.best[n] for n in ("WG", "PER")})
        self.assertFalse(r.info["in_process"], r.info["in_process_reason"])
        self.assertEqual((r.info["space"], r.info["end"], r.interrupted), (2, "exhausted", False))
        self.assertGreater(r.gain, 0)
        self.assertIn(f"PER={r.best['PER']}", repr(r))
        self.assertIn("<th>PER</th>", r._repr_html_())
        self.assertEqual(Y.max(), 0)  # the kernel has buffers of its own

    def test_reports(self):
        for name in ("r.html", "r.json", "r.csv"):
            self.result.report(self.file(name))
        with open(self.file("r.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([r["winner"] for r in rows].count("1"), 1)
        self.assertEqual(len(json.loads(self.file("r.json").read_text())["results"]), 2)
        self.assertIn("<html", self.file("r.html").read_text())
        with self.assertRaisesRegex(ValueError, "expected a name that ends in"):
            self.result.report(self.file("r.xls"))

    def test_an_answer_that_is_wrong(self):
        with self.assertRaisesRegex(heddle.Error, "wrong"):
            scale(answer=[4 * X, None, None, None])

    def test_what_the_compiler_says(self):
        with self.assertRaises(heddle.Error) as caught:
            scale(SCALE.replace("a *", "b *"), params={"WG": [64], "PER": [1]})
        self.assertEqual(caught.exception.status, "build failed")
        self.assertRegex(str(caught.exception), "scale.cl:4:.*undeclared identifier 'b'")

    def test_interrupted_it_ends_with_what_there_is(self):
        def at(p):
            if p["done"] >= 1 and not sent:
                sent.append(True)
                os.kill(os.getpid(), signal.SIGINT)
        sent = []
        r = scale(progress=at)
        self.assertTrue(r.interrupted)
        self.assertEqual(r.info["end"], "stopped")
        self.assertLessEqual(1, len(r))

    def test_an_exception_in_progress_comes_out(self):
        def fails(p):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            scale(progress=fails)

    def test_kernel_tuners_own_way(self):
        """block_size_x, problem_size as a number, grid_div_x."""
        text = SCALE.replace("PER", "per")
        r = heddle.tune_kernel("scale", text, N, [Y, X, np.float32(3), np.int32(N)], {"block_size_x": [64], "per": [1, 4]},
                               grid_div_x=["block_size_x", "per"], answer=[3 * X, None, None, None], keep=False, iterations=2,
                               device=able()[0], isolation="none")
        self.assertEqual({e["outcome"] for e in r} - {"dropped"}, {"measured"})
        self.assertTrue(r.info["in_process"])

    def test_a_tune_file(self):
        for name, array in (("x.npy", X), ("right.npy", 3 * X)):
            np.save(self.file(name), array)
        self.file("scale.cl").write_text(SCALE)
        self.file("scale.json").write_text(json.dumps({
            "kernel": "scale", "source": "scale.cl", "problem": {"n": N}, "parameters": {"WG": [64], "PER": [1, 4]}, "group": ["WG"],
            "global": ["n / PER"], "arguments": [
                {"name": "y", "type": "float", "access": "write", "size": "n", "expected": "right.npy"},
                {"name": "x", "type": "float", "file": "x.npy"}, {"name": "a", "type": "float", "value": 3},
                {"name": "n", "type": "int", "value": "n"}]}))
        r = heddle.tune_file(self.file("scale.json"), keep=False)
        self.assertEqual(len(r), 2)
        self.assertIsNotNone(r.best)


    def test_t1(self):
        self.file("t1.cl").write_text(SCALE)
        vector = {"Type": "float", "MemoryType": "Vector", "Size": N, "FillType": "Constant"}
        self.file("t1.json").write_text(json.dumps({
            "ConfigurationSpace": {"TuningParameters": [{"Name": "WG", "Type": "int", "Values": "[64]"},
                                                        {"Name": "PER", "Type": "int", "Values": "[1, 4]"}], "Conditions": []},
            "KernelSpecification": {"Language": "OpenCL", "KernelName": "scale", "KernelFile": "t1.cl", "LocalSize": {"X": "WG"},
                                    "ProblemSize": [N], "GridDivX": ["WG", "PER"], "Arguments": [
                {**vector, "Name": "y", "AccessType": "WriteOnly", "FillValue": 0, "Output": 1},
                {**vector, "Name": "x", "AccessType": "ReadOnly", "FillValue": 2},
                {"Name": "a", "Type": "float", "MemoryType": "Scalar", "FillValue": 3},
                {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": N}]}}))
        r = heddle.tune_kernel_T1(self.file("t1.json"), keep=False, iterations=2)
        self.assertEqual(sorted(e["PER"] for e in r), [1, 4])

    def test_an_engine(self):
        synth = heddle.Synth(heddle.data() / "instruments" / "vibes.json", device=able()[0])
        told = []
        r = synth.tune(iterations=2, keep=False, strategy="random", seed=1, progress=told.append)
        self.assertEqual((len(r), r.name, r.info["kept"]), (2, "synth", False))
        self.assertIn("STRUCTURE", r.best_config)
        self.assertTrue(told)
        r.report(self.file("synth.html"))
        self.assertEqual(synth.render([(0, 0.1, 60, 1)], seconds=0.1).seconds, 0.1)  # it is as it was

    def test_a_table_of_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not here")
        self.assertIsInstance(self.result.to_pandas(), pandas.DataFrame)
        self.assertEqual(list(self.result.to_pandas()["PER"]), [e["PER"] for e in self.result])


class Refused(unittest.TestCase):
    """In words, before anything is compiled."""

    @classmethod
    def setUpClass(cls):
        if not able():
            raise unittest.SkipTest("no device here compiles kernels")

    def refuse(self, kind, words, *arguments, **settings):
        with self.assertRaisesRegex(kind, words):
            heddle.tune_kernel(*arguments, **settings)

    def test_arguments(self):
        P = {"block_size_x": [64]}
        self.refuse(TypeError, r"argument 1 is a float: expected a numpy array, or a numpy scalar such as np.float32\(3.0\)",
                    "scale", SCALE, N, [Y, 3.0], P)
        self.refuse(ValueError, "2 arguments and 1 answers", "scale", SCALE, N, [Y, X], P, answer=[X])
        self.refuse(ValueError, r"argument 0 has shape \(16384,\), and its answer \(5,\)", "scale", SCALE, N, [Y], P, answer=[X[:5]])
        self.refuse(ValueError, "the size of a group is not given", "scale", SCALE, N, [Y], {"WG": [64]})
        self.refuse(ValueError, "parameter WG: 1.5: expected whole numbers", "scale", SCALE, N, [Y], {"WG": [1.5]}, group=["WG"])
        self.refuse(ValueError, "strategy 'magic': expected one of auto, random", "scale", SCALE, N, [Y], P, strategy="magic")
        self.refuse(heddle.ArgumentError, 'restrictions|constraints.*"NO"|NO', "scale", SCALE, N, [Y], P, restrictions=["NO > 1"])
        self.refuse(TypeError, "a number of type float16", "scale", SCALE, N, [Y, np.float16(1)], P)

    def test_wgsl(self):
        with self.assertRaisesRegex(heddle.UnsupportedError, "runs in a browser.*python -m heddle tune blur.wgsl"):
            heddle.tune_file("blur.wgsl")

    def test_files(self):
        with self.assertRaisesRegex(heddle.FileError, "nowhere.json"):
            heddle.tune_file("/nowhere.json")
        self.refuse(heddle.FileError, "nowhere.cl", "scale", "/nowhere.cl", N, [Y], {"block_size_x": [64]})


if __name__ == "__main__":
    unittest.main()
