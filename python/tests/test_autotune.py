"""heddle.autotune on small stand-ins of Triton, Numba-CUDA, CuPy and PyTorch: they run in numpy and wait as long as the configuration says."""
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

folder = tempfile.TemporaryDirectory()
os.environ["HEDDLE_DATABASE"] = os.path.join(folder.name, "tuning.db")
os.environ.pop("HEDDLE_DEVICE", None)  # the tests of the suite run on one device each

import heddle  # noqa: E402  (reads the variable)


def wait(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Config:
    """As triton.Config."""

    def __init__(self, kwargs, num_warps=4, num_stages=2):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages


class JITFunction:
    """As a function of triton.jit."""

    def __init__(self, fn):
        self.fn, self.__name__, self.launches = fn, fn.__name__, []

    def __getitem__(self, grid):
        def launch(*arguments, num_warps=4, num_stages=2, **keywords):
            shape = grid(keywords) if callable(grid) else grid
            self.launches.append((shape, keywords))
            return self.fn(*arguments, **keywords)
        return launch


JITFunction.__module__ = "triton.runtime.jit"


class Dispatcher:
    """As a function of numba.cuda.jit."""

    def __init__(self, fn):
        self.py_func, self.__name__ = fn, fn.__name__

    def __getitem__(self, where):
        return lambda *arguments: self.py_func(where, *arguments)


Dispatcher.__module__ = "numba.cuda.dispatcher"


class RawKernel:
    """As cupy.RawKernel: the text is Python here."""

    def __init__(self, code, name, options=(), backend="nvrtc"):
        self.code, self.name, self.options, self.backend = code, name, options, backend

    def __call__(self, grid, block, arguments):
        macros = dict(o[2:].split("=") for o in self.options if o.startswith("-D"))
        if macros.get("PER") == "3":
            raise RuntimeError("does not compile")
        wait(1e-4 if macros["PER"] == "2" else 2e-3)
        arguments[0][...] = 2 * arguments[1]


RawKernel.__module__ = "cupy._core.raw"


class ElementwiseKernel:
    """As cupy.ElementwiseKernel."""

    name = "double"

    def __call__(self, x, out, block_size=128):
        wait(1e-4 if block_size == 64 else 2e-3)
        out[...] = 2 * x
        return out


class Autotune(unittest.TestCase):
    def test_triton(self):
        @JITFunction
        def add(x, y, out, n, BLOCK):
            wait(1e-4 if BLOCK == 64 else 2e-3)
            out[...] = x + y + (BLOCK == 32)  # 32 is fast and wrong

        add.fn.__defaults__ = None
        configs = [Config({"BLOCK": 128}), Config({"BLOCK": 64}, num_warps=2), Config({"BLOCK": 32})]
        tuned = heddle.autotune(configs=configs, key=["n"], name="add")(add)
        x, y, out = np.arange(8.0), np.ones(8), np.zeros(8)
        tuned[lambda meta: (8 // meta["BLOCK"] + 1,)](x, y, out, 8)
        self.assertEqual(tuned.best_config, {"BLOCK": 64, "num_warps": 2, "num_stages": 2})
        np.testing.assert_array_equal(out, x + y)
        results = next(iter(tuned.results.values()))
        self.assertEqual([r["outcome"] for r in sorted(results, key=lambda r: -r["BLOCK"])][-1], "wrong")
        launches = len(add.launches)
        tuned[(1,)](x, y, out, 8)
        self.assertEqual(len(add.launches), launches + 1)  # nothing is tuned again
        again = heddle.autotune(configs=configs, key=["n"], name="add")(add)
        again[(1,)](x, y, out, 8)
        self.assertEqual((len(add.launches), again.best_config["BLOCK"], again.results), (launches + 2, 64, {}))  # from the database
        again[(1,)](x, y, out, 9)
        self.assertEqual(len(again.results), 1)  # another key

    def test_in_place(self):
        """What is changed in place gets its first content before each run, and the caller's call happens once."""
        def scale(x, BLOCK):
            x *= 2
        x = np.ones(4)
        tuned = heddle.autotune(space={"BLOCK": [1, 2, 3, 4]}, restore_value=["x"], keep=False)(scale)
        tuned(x)
        np.testing.assert_array_equal(x, 2 * np.ones(4))
        counter = np.zeros(1)

        def count(counter, BLOCK):
            counter += 1
        heddle.autotune(space={"BLOCK": [1, 2, 3]}, reset_to_zero=["counter"], keep=False)(count)(counter)
        self.assertEqual(counter[0], 1)

    def test_triton_compiles_ahead(self):
        """Triton's kernels compile in threads, before they are launched; one that does not compile fails with the compiler's message."""
        compiled, threads = [], set()

        class Jit(JITFunction):
            def warmup(self, *arguments, grid, BLOCK, num_warps=4, num_stages=2):
                threads.add(threading.current_thread())
                compiled.append(BLOCK)
                if BLOCK == 8:
                    raise RuntimeError("out of registers")

        Jit.__module__ = "triton.runtime.jit"

        @Jit
        def copy(x, out, BLOCK):
            wait(1e-4 if BLOCK == 64 else 2e-3)
            out[...] = x
        tuned = heddle.autotune(configs=[Config({"BLOCK": b}) for b in (128, 64, 32, 16, 8)], keep=False)(copy)
        out = np.zeros(4)
        tuned[(1,)](np.ones(4), out)
        self.assertEqual((tuned.best_config["BLOCK"], list(out)), (64, [1] * 4))
        self.assertLessEqual({64, 32, 16, 8}, set(compiled))
        self.assertNotIn(threading.main_thread(), threads)
        failed = [r for r in next(iter(tuned.results.values())) if r["outcome"] == "build"]
        self.assertEqual([(r["BLOCK"], r["text"]) for r in failed], [(8, "RuntimeError: out of registers")])
        self.assertNotIn(8, [keywords["BLOCK"] for _, keywords in copy.launches])

    def test_default_is_compiled_once(self):
        """The default is measured first: a thread that compiles it already is waited for, and one that would do so later does not."""
        compiled = []

        class Jit(JITFunction):
            def warmup(self, *arguments, grid, BLOCK, num_warps=4, num_stages=2):
                time.sleep(0.2)
                compiled.append(BLOCK)

        Jit.__module__ = "triton.runtime.jit"

        @Jit
        def copy(x, out, BLOCK):
            if BLOCK not in compiled:  # a launch compiles what no thread has
                compiled.append(BLOCK)
            out[...] = x
        tuned = heddle.autotune(configs=[Config({"BLOCK": b}) for b in (128, 64, 32, 16)], keep=False)(copy)
        tuned[(1,)](np.ones(4), np.zeros(4))
        self.assertEqual(sorted(compiled), [16, 32, 64, 128])

    def test_arrays_of_a_device(self):
        """Arrays that only their device compares: NaN and a wrong element are found, and a small difference of half floats passes."""
        class Tensor(np.ndarray):
            fetched = 0

            def clone(self):
                return self.copy()

            def float(self):
                return self.astype(np.float32)

            def copy_(self, other):
                self[...] = other

            def detach(self):
                return self

            def cpu(self):
                Tensor.fetched += 1
                return self

            def numpy(self):
                return np.asarray(self)

        def fill(x, out, BLOCK):
            out[...] = {1: x, 2: x * np.float16(1.01), 3: x * 2, 4: x}[BLOCK]
            if BLOCK == 4:
                out[1] = np.nan
        x, out = np.ones(4, np.float16).view(Tensor), np.zeros(4, np.float16).view(Tensor)
        tuned = heddle.autotune(space={"BLOCK": [1, 2, 3, 4]}, keep=False)(fill)
        tuned(x, out)
        outcomes = {r["BLOCK"]: (r["outcome"], r["text"]) for r in next(iter(tuned.results.values()))}
        self.assertTrue(outcomes[2][0] in ("measured", "dropped"), outcomes[2])
        self.assertEqual(outcomes[3], ("wrong", "AssertionError: element 0 of out is 2.0, expected 1.0; 4 differ"))
        self.assertEqual(outcomes[4], ("wrong", "AssertionError: element 1 of out is nan, expected 1.0; 1 differ"))
        self.assertEqual(Tensor.fetched, 4)  # found and expected, of the two wrong ones

    def test_prune_as_triton(self):
        seen = []

        def f(x, n, BLOCK):
            seen.append(BLOCK)
            x[...] = n
        prune = {"early_config_prune": lambda configs, named, **_: [c for c in configs if c["BLOCK"] <= named["n"]],
                 "perf_model": lambda n, x, BLOCK, **_: BLOCK, "top_k": 3}
        tuned = heddle.autotune(configs=[{"BLOCK": b} for b in (64, 1, 2, 4, 8)], key=["n"], prune_configs_by=prune, keep=False)(f)
        tuned(np.zeros(3), 16)
        self.assertEqual(set(seen), {1, 2, 4})

    def test_numba(self):
        @Dispatcher
        def add(where, x, out):
            wait(1e-4 if where[1] == 64 else 2e-3)
            out[...] = x + 1
        tuned = heddle.autotune(space={"THREADS": [32, 64, 128]}, keep=False)(add)
        out = np.zeros(4)
        tuned[lambda c: -(-4 // c["THREADS"]), lambda c: c["THREADS"]](np.ones(4), out)
        self.assertEqual((tuned.best_config, list(out)), ({"THREADS": 64}, [2] * 4))

    def test_cupy(self):
        out = np.zeros(4)
        tuned = heddle.autotune(space={"PER": [1, 2, 3]}, keep=False)(RawKernel("text", "double"))
        tuned((1,), lambda c: (c["PER"],), (out, np.ones(4)))
        self.assertEqual((tuned.best_config, list(out)), ({"PER": 2}, [2] * 4))
        failed = [r for r in next(iter(tuned.results.values())) if r["PER"] == 3][0]
        self.assertEqual((failed["outcome"], failed["text"]), ("build", "RuntimeError: does not compile"))
        elementwise = heddle.autotune(space={"block_size": [128, 64]}, keep=False)(ElementwiseKernel())
        np.testing.assert_array_equal(elementwise(np.ones(2), np.zeros(2)), [2, 2])
        self.assertEqual(elementwise.best_config, {"block_size": 64})

    def test_functions_and_texts(self):
        def multiply(a, b, order="ij", chunk=1):
            wait(1e-4 if order == "ji" and chunk == 2 else 2e-3)
            return a @ b
        tuned = heddle.autotune(space={"order": ["ij", "ji"], "chunk": [1, 2, 4]}, restrictions="chunk < 4", keep=False)(multiply)
        a = np.eye(3)
        np.testing.assert_array_equal(tuned(a, a), a)
        self.assertEqual(tuned.best_config, {"order": "ji", "chunk": 2})

    def test_refused(self):
        for words, settings in [("either `configs` or a `space`", {}), ("either `configs`", {"configs": [{}], "space": {"A": [1]}}),
                                ("no argument 'blok'", {"configs": [{}], "blok": 1}), ("pre_hook", {"configs": [{}], "pre_hook": print})]:
            with self.assertRaisesRegex((TypeError, ValueError), words):
                heddle.autotune(**settings)
        with self.assertRaisesRegex(ValueError, "no argument 'm', which is in `key`"):
            heddle.autotune(configs=[{}], key=["m"])(lambda n: None)(3)

        def always(x, BLOCK):
            raise MemoryError("no room")
        with self.assertRaisesRegex(heddle.Error, "no room"):
            heddle.autotune(space={"BLOCK": [1, 2]}, keep=False)(always)(np.zeros(1))

        def interrupted(x, BLOCK):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            heddle.autotune(space={"BLOCK": [1, 2]}, keep=False)(interrupted)(np.zeros(1))


VECTOR_ADD = '''
import numpy
from kernel_tuner import tune_kernel
from kernel_tuner.util import get_best_config
from kernel_tuner.file_utils import store_output_file
text = """
__kernel void add(__global float *c, __global const float *a, __global const float *b, int n) {
    int i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}"""
n = 4096
a, b = numpy.ones(n, numpy.float32), numpy.ones(n, numpy.float32)
results, env = tune_kernel("add", text, n, [numpy.zeros(n, numpy.float32), a, b, numpy.int32(n)], {"block_size_x": [32, 64]},
                           answer=[a + b, None, None, None], metrics={"GB/s": "12e-9 * 4096 / (time / 1000)", "twice": lambda p: 2 * p["GB/s"]})
best = get_best_config(results)
assert len(results) == 2 and best["twice"] == 2 * best["GB/s"] > 0, results
store_output_file("out.json", results, {"block_size_x": [32, 64]})
'''

REDUCTION = '''
import numpy
from kernel_tuner import run_kernel, tune_kernel
text = """
__kernel void partial(__global float *sums, __global const float *x, int n) {
    float sum = 0;
    #pragma unroll unroll_factor
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];
    __local float all[block_size_x];
    all[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        sum = 0;
        for (int i = 0; i < block_size_x; i++) sum += all[i];
        sums[get_group_id(0)] = sum;
    }
}"""
n = 4096
x = numpy.random.default_rng(1).random(n).astype(numpy.float32)
params = {"block_size_x": [32, 64], "num_blocks": [2, 4], "unroll_factor": [0, 2]}
verify = lambda right, found, atol=None: numpy.isclose(right[0], numpy.sum(found[0]), atol=1)
results, env = tune_kernel("partial", text, "num_blocks", [numpy.zeros(4, numpy.float32), x, numpy.int32(n)], params, grid_div_x=[],
                           answer=[numpy.sum(x), None, None], verify=verify)
assert len(results) == 4 and all(r["unroll_factor"] == 2 for r in results), results
sums, _, _ = run_kernel("partial", text, "num_blocks", [numpy.zeros(4, numpy.float32), x, numpy.int32(n)],
                        {"block_size_x": 32, "num_blocks": 4, "unroll_factor": 2}, grid_div_x=[])
assert abs(sums.sum() - x.sum()) < 1, sums
'''


class KernelTuner(unittest.TestCase):
    """Scripts of Kernel Tuner's, without a change."""

    @classmethod
    def setUpClass(cls):
        if not [d for d in heddle.devices() if "source" in d.info["capabilities"] and d.backend == "opencl"]:
            raise unittest.SkipTest("no OpenCL device (Debian: pocl-opencl-icd)")

    def run_script(self, text):
        path = os.path.join(folder.name, "script.py")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([sys.executable, "-m", "heddle", "tune", path, "--budget", "8"], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_script(self):
        words = self.run_script(VECTOR_ADD)
        self.assertIn("tune_kernel('add', a text, problem 4096, 4 arguments, block_size_x: 2 values) on opencl", words)
        self.assertIn("best of 2 that work, 2 tried", words)
        self.assertTrue(os.path.isfile(os.path.join(folder.name, "out.json")))

    def test_a_default_that_does_not_compile(self):
        self.assertIn("best of 4 that work, 8 tried", self.run_script(REDUCTION))

    def test_energy_beside_time(self):
        """With a stand-in for the tuning for energy, whose joules are those of a made-up device."""
        from unittest import mock
        from heddle import kernel_tuner
        from heddle.kernel_tuner.observers.nvml import NVMLObserver
        text = "__kernel void f(__global float *y) { y[get_global_id(0)] = 1; }"
        real, asked = kernel_tuner._tune, []

        def tune(*given):
            asked.append(given[10])
            found = real(*given[:10], "time", *given[11:])
            for e in found.evaluations:
                seconds, joules = e["time"], 1.0 / e["block_size_x"]
                e["time"], e["other"] = (joules, seconds) if given[10] == "energy,time" else (seconds, joules)
                if e["block_size_x"] == 16:  # no second value is measured
                    e["other"] = float("nan")
            return found

        for objective, what in ((None, "time,energy"), ("nvml_energy", "energy,time")):
            with mock.patch.object(kernel_tuner, "_tune", tune):
                results, _ = kernel_tuner.tune_kernel("f", text, 4096, [np.zeros(4096, np.float32)], {"block_size_x": [16, 32, 64]}, lang="OpenCL",
                                                      observers=[NVMLObserver(["nvml_energy", "temperature"])], strategy="brute_force",
                                                      metrics={"J/s": lambda p: 1e3 * p["nvml_energy"] / p["time"]}, objective=objective)
            self.assertEqual(asked.pop(), what)
            self.assertEqual(sorted((r["block_size_x"], r["nvml_energy"]) for r in results), [(32, 1 / 32), (64, 1 / 64)])
            for r in results:
                self.assertAlmostEqual(r["nvml_power"], r["J/s"])
                self.assertLess(r["time"], 1000)
        front = kernel_tuner._front([{"t": 1, "e": 5}, {"t": 2, "e": 5}, {"t": 3, "e": 1}, {"t": 2, "e": 4}], "t", "e")
        self.assertEqual(front, [{"t": 1, "e": 5}, {"t": 2, "e": 4}, {"t": 3, "e": 1}])

    def test_a_python_kernel(self):
        from heddle.kernel_tuner.kernelbuilder import PythonKernel
        text = "__kernel void add(__global float *c, __global const float *a, int n) { int i = get_global_id(0); if (i < n) c[i] = a[i] + 1; }"
        a = np.arange(100, dtype=np.float32)
        add = PythonKernel("add", text, 100, [np.zeros_like(a), a, np.int32(100)], {"block_size_x": 32}, outputs=[True, False, False], lang="OpenCL")
        (found,) = add(np.zeros_like(a), a, np.int32(100))
        np.testing.assert_array_equal(found, a + 1)

    def test_macros(self):
        """`defines` lists the macros of the text; without it these are the parameters, sizes of groups and the number of groups."""
        from heddle import kernel_tuner
        from heddle.kernel_tuner import run_kernel
        words = "__kernel void f(__global int *y) { int per = 5; if (get_global_id(0) == 0) { y[0] = per; y[1] = %s; } }"
        y, sizes = np.zeros(2, np.int32), {"block_size_x": 32, "per": 2}

        def ran(value, defines, problem=100):
            return list(run_kernel("f", words % value, problem, [y], sizes, lang="OpenCL", defines=defines)[0])
        self.assertEqual(ran("TWICE", {"TWICE": lambda p: 2 * p["per"], "block_size_x": "block_size_x"}), [5, 4])
        self.assertEqual(ran("WIDTH + 1", {"WIDTH": "block_size_x"}), [5, 33])
        with self.assertRaisesRegex(heddle.Error, "does not compile"):
            ran("1", None)  # the parameter is a macro
        with self.assertRaisesRegex(heddle.Error, "does not compile"):
            ran("block_size_x", {})
        with self.assertRaisesRegex(heddle.UnsupportedError, "'per' is a parameter"):
            ran("1", {"per": "block_size_x"})
        generator = lambda p: "__kernel void f(__global int *y) { y[0] = %d; y[1] = sizeof(%s); }" % (p["per"], p["kind"])  # noqa: E731
        given = {"block_size_x": [32, 64], "per": [1, 2], "kind": ["char", "long"], "one": ["a b"]}
        self.assertEqual(kernel_tuner._source(generator, given).count("#if"), 4)
        for per, kind, bytes_ in ((1, "long", 8), (2, "char", 1)):
            found = run_kernel("f", kernel_tuner._source(generator, given), 64, [y], {"block_size_x": 32, "per": per, "kind": kind}, lang="OpenCL")
            self.assertEqual(list(found[0]), [per, bytes_])
        del sizes["per"]
        self.assertEqual(ran("grid_size_x * 1000 + block_size_y", None), [5, 4001])
        del sizes["block_size_x"]  # Kernel Tuner's 256
        self.assertEqual(ran("get_local_size(0)", None, 300), [5, 256])

    def test_results_in_a_file(self):
        from heddle.kernel_tuner import create_device_targets, store_results
        from heddle.kernel_tuner.integration import TuneResults
        from heddle.kernel_tuner.kernelbuilder import PythonKernel
        text = "__kernel void f(__global int *y) { y[get_global_id(0)] = block_size_x; }"
        params, path = {"block_size_x": [16, 32, 64]}, os.path.join(folder.name, "results.json")
        name = [d for d in heddle.devices() if d.backend == "opencl"][0].name

        def store(size, *times, device=name):
            store_results(path, "f", text, params, size, [{"block_size_x": b, "time": t} for b, t in zip((16, 32, 64), times)], {"device_name": device})
        store(64, 3.0, 2.0, 1.0)
        store(64, 3.0, 1.0, 1.01)  # in place of those before
        store(128, 3.0, 2.0, 1.0)
        store(64, 1.0, 2.0, 3.0, device="Other GPU")
        results = TuneResults(path)
        self.assertEqual(results.get_best_config(name, 64), {"block_size_x": 32})
        self.assertEqual(results.get_best_config(name), {"block_size_x": 64})  # among the best of both sizes
        self.assertEqual(results.get_best_config("Other GPU", 7), {"block_size_x": 16})
        f = PythonKernel("f", text, 64, [np.zeros(64, np.int32)], {"block_size_x": 16}, lang="OpenCL", results_file=path)
        self.assertEqual(f(np.zeros(64, np.int32))[0][0], 32)
        with self.assertRaisesRegex(ValueError, "another kernel_name"):
            store_results(path, "g", text, params, 64, [{"block_size_x": 16, "time": 1.0}], {"device_name": name})
        header = os.path.join(folder.name, "best.h")
        create_device_targets(header, path)
        for macro, size in (("TARGET_Other_GPU", 16), ("NOTHING", 64)):
            found = subprocess.run(["cc", "-E", "-P", f"-D{macro}", "-include", header, "-xc", "-"], input="block_size_x", capture_output=True, text=True)
            self.assertEqual(found.stdout.strip(), str(size), found.stderr)

    def test_refused_by_name(self):
        from heddle.kernel_tuner.observers.ncu import NCUObserver
        from heddle.kernel_tuner.observers.nvml import NVMLObserver
        with self.assertRaisesRegex(heddle.UnsupportedError, "observers.ncu.NCUObserver: there are no hooks"):
            NCUObserver(["dram__bytes"])
        with self.assertRaisesRegex(heddle.UnsupportedError, "temperature: expected nvml_energy"):
            NVMLObserver(["temperature"])
        from heddle.kernel_tuner import tune_kernel
        text, n = "__kernel void f(__global float *y) { y[0] = 1; }", 64
        for words, settings in [("observers: there are no hooks", {"observers": [1]}), ("lang='C'", {"lang": "C"}), ("no textures", {"texmem_args": {"t": 1}})]:
            with self.assertRaisesRegex(heddle.UnsupportedError, words):
                tune_kernel("f", text, n, [np.zeros(n, np.float32)], {"block_size_x": [32]}, **settings)
