"""Contexts, devices, arrays that are shared with other packages, errors, lifetimes, forks, and libraries that are the wrong ones."""
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import weakref

import numpy as np

import heddle
import heddle._description


def python(code, **environment):
    """(exit code, what was printed) of another Python."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)
    return done.returncode, done.stdout + done.stderr


def memory():
    """Bytes that are resident."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Arrays(unittest.TestCase):
    def test_numpy_in_and_out_is_the_same_memory(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        a = heddle.asarray(x)
        self.assertEqual(a.address, x.ctypes.data)
        self.assertEqual(np.asarray(a).ctypes.data, x.ctypes.data)
        self.assertEqual(np.from_dlpack(a).ctypes.data, x.ctypes.data)
        np.asarray(a)[1, 2] = -5
        self.assertEqual(x[1, 2], -5)
        self.assertEqual((a.shape, a.dtype, a.nbytes, len(a)), ((3, 4), np.float32, 48, 3))

    def test_memory_lives_as_long_as_a_view(self):
        a = heddle.device("host").array([1.5, 2.5])
        seen, packed = np.asarray(a), np.from_dlpack(a)
        gone = weakref.ref(a)
        del a
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(seen.tolist() + packed.tolist(), [1.5, 2.5, 1.5, 2.5])
        del seen, packed
        gc.collect()
        self.assertIsNone(gone())

    def test_views_of_what_is_closed(self):
        a = heddle.device("host").array(np.full(100000, 7.0))
        seen, packed = np.asarray(a), np.from_dlpack(a)
        a.close()
        gc.collect()
        self.assertEqual((seen.sum(), packed.sum()), (700000, 700000))
        with self.assertRaisesRegex(heddle.Error, "was closed"):
            np.asarray(a)

    def test_dlpack_in(self):
        class Only:  # that speaks DLPack and nothing else
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **how):
                return self.array.__dlpack__(**how)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
        x = np.arange(6, dtype=np.int64)
        self.assertEqual(heddle.asarray(Only(x)).address, x.ctypes.data)

    def test_capsules_that_are_never_consumed(self):
        a = heddle.device("host").array(np.zeros(4, np.uint8))
        gone = weakref.ref(a)
        a.__dlpack__()
        del a
        gc.collect()
        self.assertIsNone(gone())

    def test_every_type(self):
        for kind in (np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float64, np.complex64):
            x = np.array([1, 2, 3], kind)
            self.assertEqual(np.from_dlpack(heddle.asarray(x)).dtype, x.dtype)
            self.assertEqual(heddle.device("host").array(x).numpy().tolist(), x.tolist())

    def test_what_is_only_to_be_read_stays_so(self):
        """By numpy's flag, by DLPack's bit, by CUDA's interface."""
        x = np.arange(4.0)
        x.flags.writeable = False
        a = heddle.asarray(x)
        self.assertFalse(a.writeable)
        self.assertFalse(np.asarray(a).flags.writeable)
        with self.assertRaisesRegex(ValueError, "only to be read"):
            a.set([1, 2, 3, 4])
        with self.assertRaisesRegex(BufferError, "before version 1 cannot say"):
            a.__dlpack__()

        class Versioned:  # as numpy 2.1 asks and answers
            def __dlpack__(self, stream=None, max_version=None):
                return a.__dlpack__(max_version=max_version)

            def __dlpack_device__(self):
                return a.__dlpack_device__()
        b = heddle.asarray(Versioned())
        self.assertEqual((b.address, b.writeable), (x.ctypes.data, False))
        self.assertTrue(heddle.asarray(np.arange(4.0)).writeable)
        self.assertTrue(heddle.device("host").array(x).writeable)
        self.assertEqual(x.tolist(), [0, 1, 2, 3])

    def test_cudas_flag_of_what_is_only_to_be_read(self):
        on = self.gpu()
        a = on.array(np.arange(3, dtype=np.float32))

        class Other:
            __cuda_array_interface__ = {**a.__cuda_array_interface__, "data": (a.address, True)}
        b = heddle.asarray(Other())
        self.assertEqual((b.writeable, b.__cuda_array_interface__["data"]), (False, (a.address, True)))
        with self.assertRaisesRegex(ValueError, "only to be read"):
            b.set([1, 2, 3])

    def test_what_cannot_be_shared(self):
        with self.assertRaisesRegex(ValueError, "do not follow each other"):
            heddle.asarray(np.zeros((4, 4))[:, ::2])
        with self.assertRaisesRegex(ValueError, "no memory to share"):
            heddle.asarray(np.zeros(0))
        with self.assertRaisesRegex(ValueError, r"shape \(3,\) cannot take one of shape \(2,\)"):
            heddle.empty(3, on="host").set([1, 2])
        self.assertFalse(hasattr(heddle.empty(1, on="host"), "__cuda_array_interface__"))

    def gpu(self):
        found = [d for d in heddle.devices() if d.backend == "cuda"]
        if not found:
            self.skipTest("there is no CUDA device, not even the tests' own driver")
        return found[0]

    def test_cudas_array_interface(self):
        on = self.gpu()
        a = on.array(np.arange(8, dtype=np.float32))
        shown = a.__cuda_array_interface__
        self.assertEqual((shown["data"], shown["shape"], shown["typestr"], shown["version"]), ((a.address, False), (8,), "<f4", 3))
        self.assertFalse(hasattr(a, "__array_interface__"))
        np.testing.assert_array_equal(a.numpy(), np.arange(8))

        class Other:  # an array of another package
            __cuda_array_interface__ = {**shown, "shape": (2, 4), "stream": 1}
        other = heddle.asarray(Other(), on)
        self.assertEqual((other.address, other.shape), (a.address, (2, 4)))
        other.set(np.ones((2, 4)))
        self.assertEqual(a.numpy().tolist(), [1] * 8)
        for wrong, kind, words in (({"strides": (8,)}, ValueError, "do not follow each other"),):
            Other.__cuda_array_interface__ = {**shown, **wrong}
            with self.assertRaisesRegex(kind, words):
                heddle.asarray(Other(), on)
        with self.assertRaisesRegex(heddle.UnsupportedError, "lies on a CUDA device, and host is none"):
            heddle.asarray(Other(), "host")
        with self.assertRaisesRegex(heddle.UnsupportedError, "memory of the host cannot be that of cuda:0"):
            heddle.asarray(np.zeros(3), on)

    def test_dlpack_on_cuda(self):
        on = self.gpu()
        a = on.array(np.arange(6, dtype=np.int32).reshape(2, 3))
        self.assertEqual(a.__dlpack_device__(), (2, 0))

        class Only:
            def __dlpack__(self, stream=None):
                return a.__dlpack__()

            def __dlpack_device__(self):
                return a.__dlpack_device__()
        b = heddle.asarray(Only())
        self.assertEqual((b.address, b.shape, b.dtype), (a.address, (2, 3), np.int32))
        gone = weakref.ref(a)
        del a, Only
        gc.collect()
        self.assertIsNotNone(gone())  # it is on loan
        np.testing.assert_array_equal(b.numpy(), [[0, 1, 2], [3, 4, 5]])
        del b
        gc.collect()
        self.assertIsNone(gone())
        with self.assertRaisesRegex(BufferError, "handed out"):
            on.empty(3).__dlpack__(dl_device=(1, 0))

    def test_what_is_queued_for_another_packages_array(self):
        """DLPack is asked first, since it orders streams; an interface that names no stream may stand for any."""
        on = self.gpu()
        a, asked = on.array(np.arange(3, dtype=np.int32)), []
        shown = a.__cuda_array_interface__

        class Tensor:  # PyTorch's: both, and version 2 of CUDA's interface
            __cuda_array_interface__ = {**shown, "version": 2}

            def __dlpack__(self, stream=None):
                asked.append(stream)
                return a.__dlpack__()

            def __dlpack_device__(self):
                return a.__dlpack_device__()
        self.assertEqual((heddle.asarray(Tensor()).address, asked), (a.address, [1]))

        class Older:
            __cuda_array_interface__ = Tensor.__cuda_array_interface__
        with unittest.mock.patch.object(heddle.Device, "wait") as wait:
            heddle.asarray(Older())
            self.assertEqual(wait.call_count, 1)
            Older.__cuda_array_interface__ = shown  # of version 3, whose stream None says that there is nothing to wait for
            heddle.asarray(Older())
            self.assertEqual(wait.call_count, 1)
        heddle.Stream(on, 0).wait()  # the default stream, of whatever package

    def test_copies_between_devices(self):
        on = self.gpu()
        a = on.array(np.arange(3, dtype=np.float32))

        class Other:
            __cuda_array_interface__ = a.__cuda_array_interface__
        for values in (a, Other()):
            for to in (on, heddle.device("host")):
                b = to.array(values)
                self.assertNotEqual(b.address, a.address)
                self.assertEqual((b.device, b.dtype, b.numpy().tolist()), (to, np.float32, [0, 1, 2]))
        b = on.empty(3, np.float64)
        b.set(Other())
        self.assertEqual(b.numpy().tolist(), [0, 1, 2])
        file = []
        text = heddle._description._Source("k", "__kernel void k(__global float *x) {}", None)
        described = heddle._description._arguments(text, [Other()], None, {}, [])
        heddle._description._as_documents(described, [Other()], None, None, file, True)
        self.assertEqual((described[0].dtype, file[0][1].tolist()), (np.float32, [0, 1, 2]))

    def test_nvrtc_of_pips_wheel(self):
        """The wheel's extra `cuda` puts it into site-packages/nvidia, where no system looks."""
        fake = os.path.join(os.path.dirname(os.environ.get("HEDDLE_CUDA_LIBRARY", "")), "libfake_nvrtc.so")
        if not os.path.exists(fake):
            self.skipTest("the tests' own drivers are not here")
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "nvidia", "cuda_nvrtc", "lib", "libnvrtc.so.12")
            os.makedirs(os.path.dirname(library))
            shutil.copy(fake, library)
            code = ("import heddle, os\nos.environ.pop('HEDDLE_NVRTC_LIBRARY', None)\n"
                    "print([b['library'] for b in heddle.Context().backends() if b['name'] == 'cuda'])")
            status, said = python(code, PYTHONPATH=folder + os.pathsep + os.environ.get("PYTHONPATH", ""))
            self.assertEqual(status, 0, said)
            self.assertIn(library, said)
            status, said = python(code.replace("Context()", "Context(nvrtc_library='')"), PYTHONPATH=folder + os.pathsep + os.environ["PYTHONPATH"])
            self.assertNotIn(library, said)  # unless another one is named

    def test_packages_of_gpus(self):
        """CuPy and PyTorch, on a GPU."""
        on = self.gpu()
        if "Fake" in on.name:
            self.skipTest("there is no GPU")
        a = on.array(np.arange(8, dtype=np.float32))
        tried = 0
        for name in ("cupy", "torch"):
            try:
                module = __import__(name)
            except ImportError:
                continue
            tried += 1
            with self.subTest(name):
                other = module.from_dlpack(a)
                pointer = other.data.ptr if name == "cupy" else other.data_ptr()
                self.assertEqual(pointer, a.address)
                self.assertEqual(heddle.asarray(other).address, a.address)
                late = self.written_late(name, module)  # what is still queued in a stream of theirs comes first
                values, stream = np.empty(1000, np.float32), heddle.Stream(on)  # a stream that waits for no other
                heddle.C.hed_read(stream.p, heddle.ffi.from_buffer(values, require_writable=True), late.p, 0, 4000, heddle.ffi.NULL)
                stream.wait()
                self.assertEqual(values.tolist(), [3] * 1000)
        if not tried:
            self.skipTest("there is neither CuPy nor PyTorch")

    def written_late(self, name, module):
        """An array of 1000 that gets its content, 3, some 0.1 s from now in another stream than the default one; where it is seen."""
        if name == "torch":
            array = module.zeros(1000, device="cuda")
            module.cuda.synchronize()
            with module.cuda.stream(module.cuda.Stream()):
                module.cuda._sleep(200_000_000)
                array.fill_(3)
                return heddle.asarray(array)
        array = module.zeros(1000, module.float32)
        slow = module.RawKernel('extern "C" __global__ void slow(float *y) { long long t = clock64(); while (clock64() - t < 200000000) ; '
                                "for (int i = threadIdx.x; i < 1000; i += 32) y[i] = 3; }", "slow")
        module.cuda.Device().synchronize()
        with module.cuda.Stream(non_blocking=True):
            slow((1,), (32,), (array,))
            return heddle.asarray(array)


FAKE = os.environ.get("HEDDLE_TEST_FAKE_OPENCL")  # a driver that ends its process in the function that FAKE_ABORT_IN names


@unittest.skipIf(not FAKE, "the fake OpenCL driver is built with the C tests alone")
class Drivers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tried = os.path.join(folder.name, "heddle", "drivers-tried")
        self.environment = {"HEDDLE_OPENCL_LIBRARY": FAKE, "XDG_CACHE_HOME": folder.name, "HEDDLE_DEVICE": ""}

    def test_one_that_crashes_is_left_out(self):
        for call in ("clGetPlatformIDs", "clGetDeviceInfo"):
            for code in ("heddle.devices()", "heddle.device('host').context.devices()"):
                code, text = python(f"import heddle; print([d.id for d in {code}])", FAKE_ABORT_IN=call, **self.environment)
                self.assertEqual(code, 0, text)
                self.assertRegex(text, r"RuntimeWarning: opencl: its driver ended .* signal 6 .*HEDDLE_OPENCL_LIBRARY=none")
                self.assertRegex(text, r"\[.*'host'.*\]")
                self.assertNotIn("'opencl", text)
                self.assertFalse(os.path.exists(self.tried))

    def test_those_that_work_are_tried_once(self):
        code = "import heddle; print([d.id for d in heddle.devices()])"
        self.assertIn("'opencl:0:0'", python(code, **self.environment)[1])
        first = os.stat(self.tried)
        self.assertIn("'opencl:0:0'", python(code, **self.environment)[1])
        self.assertEqual(os.stat(self.tried).st_mtime_ns, first.st_mtime_ns)
        self.assertIn("'opencl:0:0'", python(code, **self.environment, OCL_ICD_VENDORS="/nowhere")[1])  # another driver, perhaps
        self.assertNotEqual(os.stat(self.tried).st_mtime_ns, first.st_mtime_ns)


class Objects(unittest.TestCase):
    def test_parents_outlive_children(self):
        context = heddle.Context(opencl_library="", cuda_library="", vulkan_library="", database="")
        a = context.device("host").array([1, 2, 3])
        gone = weakref.ref(context)
        del context
        gc.collect()
        self.assertIsNotNone(gone())  # the device knows it
        self.assertEqual(a.numpy().tolist(), [1, 2, 3])

    def test_cycles_are_taken_apart_in_the_right_order(self):
        code = ("import gc, heddle\n"
                "for _ in range(20):\n"
                "    c = heddle.Context(database='')\n"
                "    d = c.device('host'); a = d.empty(4); s = heddle.Stream(d)\n"
                "    c.a, d.a, a.c, s.c, a.s = a, a, c, c, s\n"
                "    del c, d, a, s\n"
                "    gc.collect()\n"
                "print('fine')")
        self.assertEqual(python(code), (0, "fine\n"))

    def test_closed(self):
        with heddle.Context(database="") as context:
            on = context.device("host")
        with self.assertRaisesRegex(heddle.Error, "was closed"):
            context.devices()
        on.empty(3).set([1, 2, 3])  # what was made of it keeps it

    def test_a_thousand_contexts(self):
        def make(count):
            for _ in range(count):
                with heddle.Context(database="", cache_dir="") as context:
                    context.device("host").array([1, 2])
            gc.collect()

        make(50)
        before, files, threads = memory(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
        make(1000)
        self.assertLess(memory() - before, 2 << 20)
        self.assertEqual((len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))), (files, threads))

    def test_arrays_leave_nothing_behind(self):
        """256 KiB each, handed out and back."""
        on, x = heddle.device("host"), np.zeros(1 << 16, np.float32)
        for make in (lambda: np.asarray(on.array(x)), lambda: np.from_dlpack(on.array(x)), lambda: on.array(x).__dlpack__(),
                     lambda: heddle.asarray(heddle.asarray(x).numpy())):
            make()
            before = memory()
            for _ in range(200):
                make()
            gc.collect()
            self.assertLess(memory() - before, 8 << 20)

    def test_devices(self):
        on = heddle.device("host")
        self.assertEqual((on.id, on.backend, on.info["type"]), ("host", "host", 0))
        self.assertIn("host", repr(on))
        self.assertIn("<td>host</td>", heddle.devices()._repr_html_())
        self.assertIn("host", [b["name"] for b in heddle.default_context().backends()])


class SubInterpreters(unittest.TestCase):
    def test_one_ends_with_the_process_or_before(self):
        """Objects that it still has when the process ends are left to that: no call of C returns there any more."""
        create = "import _interpreters as s; i, run = s.create('legacy'), s.exec\n" if sys.version_info >= (3, 13) else \
            "import _xxsubinterpreters as s; i, run = s.create(isolated=False), s.run_string\n"
        code = ("import sys\n" + create +
                "run(i, 'import sys; sys.path[:] = %r; import heddle; a = heddle.device(\"host\").array([1, 2]); print(a.numpy())' % sys.path)\n"
                "print('end', flush=True)\n")
        alone = subprocess.run([sys.executable, "-W", "ignore", "-c", "import sys\n" + create + "print(run(i, 'import numpy'))"],
                               capture_output=True, text=True, timeout=120)
        if alone.stdout != "None\n":  # of numpy 2.2, as Debian 13 has it
            self.skipTest(f"numpy {np.__version__} does not load in a sub-interpreter")
        for more, unbuffered in (("", ""), ("", "1"), ("s.destroy(i)\n", "")):  # "": Python flushes the standard output of one that ends
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", code + more], capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
            self.assertEqual((done.returncode, sorted(done.stdout.split("\n"))), (0, ["", "[1 2]", "end"]), done.stderr)


class Ends(unittest.TestCase):
    def test_while_a_daemon_thread_is_in_c(self):
        """Its objects are left as they are: it would go on with what was destroyed."""
        code = ("import threading, numpy as np, heddle\n"
                "at, inside = np.stack([*np.mgrid[:60, :60] / 10, np.zeros((60, 60))], -1), threading.Event()\n"
                "g = np.arange(3600).reshape(60, 60)\n"
                "faces = np.stack([g[:-1, :-1], g[1:, :-1], g[1:, 1:], g[:-1, 1:]], -1).reshape(-1, 4)\n"
                "cloth = heddle.Cloth.from_mesh(at.reshape(-1, 3), faces, pins=[0], device='host', substeps=50)\n"
                "def steps():\n"
                "    while True: cloth.step(20); inside.set()\n"
                "threading.Thread(target=steps, daemon=True).start()\n"
                "inside.wait()\n"
                "print('end', flush=True)")
        self.assertEqual(python(code), (0, "end\n"))

    def test_objects_go_with_the_process(self):
        """In the opposite order of their making, and while Python is still there."""
        code = ("import heddle\n"
                "from heddle import _library\n"
                "of = {}\n"
                "array = heddle.device('host').array([1, 2])\n"
                "for handle in _library._handles:\n"
                "    if handle._destroy:\n"
                "        of[handle] = handle._destroy\n"
                "        handle._destroy = lambda pointer, handle=handle: (of[handle](pointer), print(heddle.ffi.typeof(pointer).cname, flush=True))\n")
        self.assertEqual(python(code), (0, "struct hed_buffer *\nstruct hed_context *\n"))


class Failures(unittest.TestCase):
    def test_errors_are_exceptions(self):
        with self.assertRaisesRegex(heddle.Error, 'no device fits "nothing"; there are: .*host') as caught:
            heddle.device("nothing")
        self.assertEqual((caught.exception.status, caught.exception.code), ("no device", heddle.C.HED_ERROR_NO_DEVICE))
        with self.assertRaises(heddle.FileError) as caught:
            heddle.Cloth("/nowhere.json")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("/nowhere.json", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "no setting 'colour'"):
            heddle.Context(colour="red")

    def test_a_process_that_was_forked(self):
        heddle.default_context()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                heddle.device("host")
                os.write(writing, b"nothing was said")
            except heddle.Error as problem:
                os.write(writing, str(problem).encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        with os.fdopen(reading) as said:
            self.assertIn('set_start_method("spawn")', said.read())
        heddle.device("host")  # the parent goes on
        code = "import heddle, os\nif os.fork() == 0: print(heddle.device('host').id)\nelse: os.wait()"
        self.assertEqual(python(code), (0, "host\n"))  # there was no context yet


if __name__ == "__main__":
    unittest.main()
