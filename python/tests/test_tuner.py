"""The tuner, on the device that compiles kernels here: from arrays, from files, isolated, and what is refused in which words."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import heddle
import heddle._signature

SCALE = """
__kernel void scale(__global float *y, __global const float *x, float a, int n)
{
    for (int i = get_global_id(0) * PER; i < min(n, (int)(get_global_id(0) * PER + PER)); i++) y[i] = a * x[i];
}"""
N = 1 << 14
X, Y = np.random.default_rng(1).random(N, np.float32), np.zeros(N, np.float32)

ARGUMENTS = [Y, X, np.float32(3), np.int32(N)]


def able():
    return [d for d in heddle.devices() if "source" in d.info["capabilities"] and d.backend in ("cuda", "opencl")]


def scale(text=SCALE, **settings):
    """Two configurations, compared with the answer."""
    given = {"group": ["WG"], "grid": ["n / PER"], "answer": [3 * X, None, None, None], "keep": False, **settings}
    params = given.pop("params", {"WG": [64], "PER": [1, 4]})
    return heddle.tune_kernel("scale", text, {"n": N}, ARGUMENTS, params, **given)


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
        self.assertEqual(r.info["unwritten"], 0)
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

    def test_metrics_and_the_objective(self):
        given = {"work": {"bytes": "8 * n"}, "metrics": {"GB/s": "bytes / time / 1e9", "J/B": "energy / bytes"}}
        r = scale(objective="GB/s", **given)
        self.assertEqual(r.best["time"], max(e["time"] for e in r if e["outcome"] == "measured"))
        self.assertEqual(r.best["metrics"]["GB/s"] > 0, True)
        self.assertTrue(np.isnan(r.best["metrics"]["J/B"]))
        self.assertLessEqual(r.best["low"], r.best["high"])
        with self.assertRaisesRegex(ValueError, "'speed': expected one of time, energy, time,energy, energy,time, GB/s"):
            scale(objective="speed", **given)
        if heddle.device(r.device.id).backend != "cuda":
            for objective in ("energy", "time,energy", "energy,time"):
                with self.assertRaisesRegex(heddle.UnsupportedError, "has no counter of energy"):
                    scale(objective=objective)

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
        self.assertEqual((r.info["elements"], r.info["unwritten"]), (N, 0))
        described = json.loads(self.file("scale.json").read_text())
        del described["arguments"][0]["expected"]
        described["arguments"][0]["size"] = "n + 100"  # of which the kernel writes n
        self.file("longer.json").write_text(json.dumps(described))
        r = heddle.tune_file(self.file("longer.json"), keep=False)
        self.assertEqual({e["outcome"] for e in r} - {"dropped"}, {"measured"})
        self.assertEqual((r.info["elements"], r.info["unwritten"]), (N + 100, 100))
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


class Kernels(unittest.TestCase):
    """heddle.Kernel, with arrays of the host and of its device."""

    @classmethod
    def setUpClass(cls):
        os.environ.pop("HEDDLE_DEVICE", None)
        if not able():
            raise unittest.SkipTest("no device here compiles kernels (Debian: pocl-opencl-icd)")

    def make(self, params=None, **more):
        return heddle.Kernel("scale", SCALE, {"n": N}, ARGUMENTS, params or {"WG": [64], "PER": [1, 2, 4]}, group=["WG"], grid=["n / PER"], **more)

    def test_it_takes_what_was_tuned(self):
        """In a process of its own, with a database of its own."""
        code = ("import sys; sys.path.insert(0, sys.argv[1])\nimport test_tuner as t, heddle\n"
                "before = t.Kernels().make()\n"
                "r = t.scale(params={'WG': [64], 'PER': [1, 2, 4]}, keep=True, restrictions=[lambda p: p['PER'] == 4 or p['PER'] < 3])\n"
                "print(before.configured, before.config, r.info['kept'], r.best_config == t.Kernels().make().config, t.Kernels().make().configured)")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", code, os.path.dirname(__file__)], capture_output=True, text=True, timeout=600,
                                  env={**os.environ, "HEDDLE_DATABASE": os.path.join(folder, "tuning.db")})
        self.assertEqual(done.stdout, "default {'WG': 64, 'PER': 1} True True exact\n", done.stderr)

    def test_arrays_of_the_host_and_of_the_device(self):
        kernel, y = self.make(), np.zeros(N, np.float32)
        kernel(y, X, 3.0, N)
        np.testing.assert_array_equal(y, 3 * X)
        kernel(heddle.asarray(y), X, np.float32(2), np.int32(N))
        np.testing.assert_array_equal(y, 2 * X)
        on = [kernel.device.array(a) for a in (np.zeros(N, np.float32), X)]
        for stream in (None, heddle.Stream(kernel.device)):
            kernel(on[0], on[1], 5, N, stream=stream)
            if stream:
                stream.wait()
            np.testing.assert_array_equal(on[0].numpy(), 5 * X)
        wide = np.zeros(2 * N, np.float32)
        kernel(wide[::2], X, 1, N)  # with gaps
        np.testing.assert_array_equal(wide[::2], X)
        self.assertEqual(wide[1::2].max(), 0)
        kernel(y, y, 2, N)  # the same array twice is the same memory
        np.testing.assert_array_equal(y, 4 * X)
        short = np.zeros(5, np.float32)
        kernel(short, X, 1, 5, problem_size={"n": 5})
        np.testing.assert_array_equal(short, X[:5])
        self.assertIn("WG=64", repr(kernel))

    def test_arrays_of_other_packages(self):
        """CuPy's and PyTorch's on a GPU; PyTorch's of the host anywhere."""
        kernel, tried = self.make(), 0
        for name in ("cupy", "torch"):
            try:
                module = __import__(name)
            except ImportError:
                continue
            places = ["cuda"] if name == "cupy" else ["cpu", "cuda"]
            for place in places if kernel.device.backend == "cuda" else places[:len(places) - 1]:
                tried += 1
                with self.subTest(f"{name} on {place}"):
                    self.check_package(kernel, module, place)
        if not tried:
            self.skipTest("there is neither PyTorch nor CuPy on a GPU")

    def check_package(self, kernel, module, place):
        def copy(a):
            return module.asarray(a) if module.__name__ == "cupy" else module.from_numpy(a.copy()).to(place)

        def host(a):
            return module.asnumpy(a) if module.__name__ == "cupy" else a.cpu().numpy()
        y, x = copy(Y), copy(X)
        kernel(y, x, 3, N)
        np.testing.assert_array_equal(host(y), 3 * X)
        for wrong, words in (((copy(Y.astype(np.float64)), x, 3, N), "an array of float64"), ((y[:5], x, 3, N), "has 5 elements")):
            with self.assertRaisesRegex((TypeError, ValueError), words):
                kernel(*wrong)
        if place == "cuda":  # in a stream of theirs: what they queue before and after is in order
            stream = module.cuda.Stream()
            with stream if module.__name__ == "cupy" else module.cuda.stream(stream):
                x += 1
                kernel(y, x, 2, N, stream=heddle.Stream(kernel.device, stream.ptr if module.__name__ == "cupy" else stream.cuda_stream))
                y *= 10
            stream.synchronize()
            np.testing.assert_allclose(host(y), 20 * (X + 1), rtol=1e-6)

    def test_what_would_be_written_is_not_read_only(self):
        kernel, fixed = self.make(), Y.copy()
        fixed.flags.writeable = False
        for values in (fixed, heddle.asarray(fixed)):
            with self.assertRaisesRegex(ValueError, 'argument 0 "y" would be written'):
                kernel(values, X, 3.0, N)
        kernel(Y.copy(), fixed, 3.0, N)
        with self.assertRaisesRegex(ValueError, "share memory"):
            kernel(X[1:], X[:-1], 3.0, N - 1, problem_size={"n": N - 1})


class Engines(unittest.TestCase):
    """What was made of arrays and dicts is tuned later: the definition's memory is still there."""

    @classmethod
    def setUpClass(cls):
        if not able():
            raise unittest.SkipTest("no device here compiles kernels (Debian: pocl-opencl-icd)")

    def tune(self, thing):
        other = [heddle.ffi.new("char[]", b"\xff" * size) for size in range(16, 4096, 8) for _ in range(4)]  # where freed memory was
        self.assertGreater(len(thing.tune(iterations=1, keep=False)), 0)
        del other

    def test_cloth(self):
        self.tune(heddle.Cloth.from_mesh(np.random.default_rng(1).random((4, 3)), [[0, 1, 2, 3]], pins=[0], fabric="denim", device=able()[0]))

    def test_mppi(self):
        self.tune(heddle.MPPI("differential_drive", ["goal", "costmap"], num_samples=64, horizon=10, device=able()[0],
                              parameters={"goal.x": 3}, timelines={"goal.y": ([0, 1], [2, 3])},
                              tables={"costmap": np.r_[4, 4, -9, -9, 0.2, 0, 0, 0, np.zeros(16)]}))


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
        a, n = ARGUMENTS[2:]
        self.refuse(TypeError, r'argument 2 "a" is a float: expected a numpy array, or a numpy scalar such as np.float32\(3.0\)',
                    "scale", SCALE, N, [Y, X, 3.0, n], P)
        self.refuse(ValueError, "4 arguments and 1 answers", "scale", SCALE, N, ARGUMENTS, P, answer=[X])
        self.refuse(ValueError, r"argument 0 has shape \(16384,\), and its answer \(5,\)", "scale", SCALE, N, ARGUMENTS, P,
                    answer=[X[:5], None, None, None])
        self.refuse(ValueError, "the size of a group is not given", "scale", SCALE, N, ARGUMENTS, {"WG": [64]})
        self.refuse(ValueError, "parameter WG: .x.: expected numbers, or texts alone", "scale", SCALE, N, ARGUMENTS, {"WG": [1.5, "x"]}, group=["WG"])
        self.refuse(ValueError, "strategy 'magic': expected one of auto, random", "scale", SCALE, N, ARGUMENTS, P, strategy="magic")
        self.refuse(heddle.ArgumentError, 'restrictions|constraints.*"NO"|NO', "scale", SCALE, N, ARGUMENTS, P, restrictions=["NO > 1"])
        self.refuse(TypeError, "a number of type float16", "scale", SCALE, N, [Y, X, np.float16(1), n], P)

    def test_types_are_the_texts(self):
        """A mismatch names both; what a macro or a template stands for is known only to the compiler."""
        P, a, n = {"block_size_x": [64]}, *ARGUMENTS[2:]
        for value, words in ((Y.astype(np.float64), 'argument 0 "y" is an array of float64; scale.cl declares "__global float .y", which is float32'),
                             (Y.astype(np.int32), "an array of int32; .* which is float32"),
                             (np.float32(1), 'a number of float32; scale.cl declares "__global float .y"')):
            self.refuse(TypeError, words, "scale", SCALE, N, [value, X, a, n], P)
        self.refuse(TypeError, r"argument 3 \"n\" is a number of int64; .* which is int32. Convert it: np.int32\(5\)", "scale", SCALE, N,
                    [Y, X, a, np.int64(5)], P)
        self.refuse(TypeError, "elements of type object", "scale", SCALE, N, [Y.astype(object), X, a, n], P)
        self.refuse(ValueError, "in the other order", "scale", SCALE, N, [Y.astype(">f4"), X, a, n], P)
        self.refuse(TypeError, "which is float64", "scale", SCALE.replace("float", "real"), N, ARGUMENTS, P, defines={"real": "double"})
        declared = heddle._signature.parameters
        text = "#define real float\n__kernel void k(__global real *x, const __global float4 *v, TYPE t, unsigned long n) {}\n"
        self.assertEqual([(p.name, p.element, p.pointer, p.constant) for p in declared(text, "k", {}, ["TYPE"])],
                         [("x", "float32", True, False), ("v", "float32", True, True), ("t", None, False, False), ("n", "uint64", False, False)])
        text = 'template <int N> __global__ void __launch_bounds__(64) k(T *__restrict__ y, const thrust::complex<float> *z, dim3 d) {}'
        self.assertEqual([(p.name, p.element) for p in declared(text, "k", {}, [])], [("y", None), ("z", None), ("d", None)])
        self.assertIsNone(declared("#define ARGS int a\n__kernel void k(ARGS) {}", "k", {}, []))
        self.assertIsNone(declared("__kernel void k(int a) {}\n#if X\n__kernel void k(int a, int b) {}", "k", {}, []))
        self.assertEqual(declared("__kernel void k(void) {}", "k", {}, []), [])

    def test_the_compilers_words_come_first(self):
        """Of a kernel that does not compile, with another name, or another number of arguments, without an answer too."""
        P, how = {"block_size_x": [64]}, {"isolation": "none", "keep": False}
        hidden = SCALE.replace("float a, int n", "REST").replace("PER", "1") + "\n"
        for words, name, text, arguments in (
                (r"^scale .*on \S+: .*scale.cl.*4.* (undeclared identifier 'b'|identifier .b. is undefined)", "scale", SCALE.replace("a *", "b *"), ARGUMENTS),
                (r"^scale takes 4 arguments \(y, x, a, n\); 2 were given", "scale", SCALE, ARGUMENTS[:2]),
                ("^the text has no kernel 'scal'; it has scale", "scal", SCALE, ARGUMENTS),
                (r"^scale .*on \S+: .*takes 4 arguments.* 2", "scale", "#define REST float a, int n" + hidden, ARGUMENTS[:2])):
            with self.subTest(words), self.assertRaisesRegex((heddle.Error, ValueError), words) as caught:
                heddle.tune_kernel(name, text, N, arguments, P, defines={"PER": 1} if "PER" in text else None, **how)
            self.assertNotIn("expected outputs", str(caught.exception))

    def test_kernel_tuners_habits(self):
        P = {"block_size_x": [64], "per": [1, 4]}
        how = {"grid_div_x": ["block_size_x", "per"], "keep": False, "isolation": "none", "answer": [3 * X, None, None, None], "lang": "OpenCL"}
        r = heddle.tune_kernel("scale", SCALE.replace("PER", "per"), N, ARGUMENTS, P, restrictions=[lambda p: p["per"] * p["block_size_x"] <= 64],
                               device=0, verbose=True, quiet=True, simulation_mode=False, cache=None, strategy="brute_force", **how)
        self.assertEqual([e["per"] for e in r], [1])
        r = heddle.tune_kernel("scale", SCALE.replace("PER", "per"), N, ARGUMENTS, P, restrictions=lambda per, block_size_x: per == 4, **how)
        self.assertEqual([e["per"] for e in r], [4])
        with self.assertRaises(ZeroDivisionError):
            heddle.tune_kernel("scale", SCALE.replace("PER", "per"), N, ARGUMENTS, P, restrictions=lambda p: 1 / 0, **how)
        self.refuse(heddle.UnsupportedError, "simulation_mode of Kernel Tuner: Heddle measures", "scale", SCALE, N, ARGUMENTS, P, simulation_mode=True)
        self.refuse(heddle.UnsupportedError, "verify of Kernel Tuner: results are compared with `answer`", "scale", SCALE, N, ARGUMENTS, P, verify=max)
        self.refuse(heddle.Error, r"device 50: there are \d that compile this kernel, from 0 on", "scale", SCALE, N, ARGUMENTS, P, device=50)
        self.refuse(ValueError, "lang 'fortran': expected one of opencl, cuda", "scale", SCALE, N, ARGUMENTS, P, lang="Fortran")

    def test_wgsl(self):
        with self.assertRaisesRegex(heddle.UnsupportedError, "runs in a browser.*python -m heddle tune blur.wgsl"):
            heddle.tune_file("blur.wgsl")

    def test_files(self):
        with self.assertRaisesRegex(heddle.FileError, "nowhere.json"):
            heddle.tune_file("/nowhere.json")
        self.refuse(heddle.FileError, "nowhere.cl", "scale", "/nowhere.cl", N, ARGUMENTS, {"block_size_x": [64]})


if __name__ == "__main__":
    unittest.main()
