#!/usr/bin/env python3
"""heddle.autotune on a GPU, beside triton.autotune: a matrix product and a layer norm, with the same list of configurations, then a space for as long as
Triton took; kernels of CuPy and Numba-CUDA; a function of PyTorch's. Prints one line of JSON for each case and ends within 90 s. Each tuner has an
empty cache of compiled kernels. Needs torch, triton and a CUDA GPU.

    PYTHONPATH=build/release/python benchmarks/autotune.py [matmul | layer_norm | cupy | torch | numba]..."""
import importlib.util
import json
import os
import sys
import tempfile
import time

import heddle

STARTED = time.perf_counter()
LIMIT = 75  # s; no case begins after it
MISSING = [m for m in ("triton", "torch") if importlib.util.find_spec(m) is None]
if MISSING:
    raise SystemExit(f"missing: {', '.join(MISSING)}")

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


def matmul(a, b, c, m, n, k, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    across, down = tl.cdiv(n, BN), tl.cdiv(m, BM)
    width = GROUP * across
    first = pid // width * GROUP
    rows = min(down - first, GROUP)
    pm, pn = first + pid % width % rows, pid % width // rows
    om, on, ok = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    at, bt = a + om[:, None] % m * sam + ok[None, :] * sak, b + ok[:, None] * sbk + on[None, :] % n * sbn
    total = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        x = tl.load(at, mask=ok[None, :] < k - i * BK, other=0.0)
        y = tl.load(bt, mask=ok[:, None] < k - i * BK, other=0.0)
        total = tl.dot(x, y, total)
        at += BK * sak
        bt += BK * sbk
    tl.store(c + om[:, None] * scm + on[None, :] * scn, total.to(tl.float16), mask=(om[:, None] < m) & (on[None, :] < n))


def layer_norm(x, y, w, b, n, eps, BLOCK: tl.constexpr):
    row, mean, square = tl.program_id(0), tl.zeros([BLOCK], tl.float32), tl.zeros([BLOCK], tl.float32)
    x += row * n
    y += row * n
    for at in range(0, n, BLOCK):
        o = at + tl.arange(0, BLOCK)
        v = tl.load(x + o, mask=o < n, other=0.0).to(tl.float32)
        mean += v
        square += v * v
    m = tl.sum(mean) / n
    r = 1 / tl.sqrt(tl.sum(square) / n - m * m + eps)
    for at in range(0, n, BLOCK):
        o = at + tl.arange(0, BLOCK)
        v = tl.load(x + o, mask=o < n, other=0.0).to(tl.float32)
        tl.store(y + o, ((v - m) * r * tl.load(w + o, mask=o < n) + tl.load(b + o, mask=o < n)).to(tl.float16), mask=o < n)


def first_call(make, kernel, grid, arguments, output, right):
    """One tuner, with an empty cache: seconds of its first call, microseconds of its best, and the error of that."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a thread may still compile
        os.environ["TRITON_CACHE_DIR"] = folder
        tuned = make(triton.jit(kernel))
        started = time.perf_counter()
        tuned[grid](*arguments)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - started
        best = 1e3 * triton.testing.do_bench(lambda: tuned[grid](*arguments), warmup=50, rep=300, return_mode="median")
    error = float((right.float() - arguments[output].float()).abs().max())
    return {"first_call_s": round(seconds, 2), "best_us": round(best, 2), "error": round(error, 4), "best": str(tuned.best_config)}


def compare(name, kernel, configs, space, restrictions, key, grid, arguments, output, right):
    """Triton's tuner and Heddle's, with the same list; then Heddle's with a space, for the time that Triton's took."""
    def run(make):
        return first_call(make, kernel, grid, arguments, output, right)
    theirs = run(lambda f: triton.autotune(configs=configs, key=key)(f))
    ours = run(lambda f: heddle.autotune(configs=configs, key=key, keep=False)(f))
    wide = run(lambda f: heddle.autotune(space=space, restrictions=restrictions, key=key, seconds=theirs["first_call_s"], evaluations=1000, keep=False)(f))
    print(json.dumps({"what": name, "configs": len(configs),
                      "same_list": {"time": round(ours["first_call_s"] / theirs["first_call_s"], 3), "best": round(ours["best_us"] / theirs["best_us"], 3)},
                      "space": {"time": round(wide["first_call_s"] / theirs["first_call_s"], 3), "best": round(wide["best_us"] / theirs["best_us"], 3)},
                      "triton.autotune": theirs, "heddle.autotune": ours, "heddle.autotune, space": wide}), flush=True)


def run_matmul(n=4096):
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    shapes = [(64, 64, 32), (64, 128, 32), (128, 64, 32), (128, 128, 32), (128, 128, 64), (64, 256, 32), (128, 256, 32), (128, 256, 64)]
    configs = [triton.Config({"BM": m, "BN": w, "BK": k, "GROUP": 8}, num_warps=warps, num_stages=3) for m, w, k in shapes for warps in (4, 8)]
    space = {"BM": [128, 64, 256], "BN": [128, 64, 256], "BK": [32, 64, 128], "GROUP": [8, 4, 16], "num_warps": [4, 8], "num_stages": [3, 2, 4, 5]}
    compare(f"matmul {n}", matmul, configs, space, "BM * BN <= 32768", ["m", "n", "k"],
            lambda meta: (triton.cdiv(n, meta["BM"]) * triton.cdiv(n, meta["BN"]),),
            (a, b, c, n, n, n, *a.stride(), *b.stride(), *c.stride()), 2, a @ b)


def run_layer_norm(rows=4096, n=8192):
    x, y = (torch.randn(rows, n, device="cuda", dtype=torch.float16) for _ in range(2))
    w, b = (torch.randn(n, device="cuda", dtype=torch.float16) for _ in range(2))
    configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (512, 1024, 2048, 4096, 8192) for warps in (2, 4, 8, 16)]
    space = {"BLOCK": [1024, 256, 512, 2048, 4096, 8192], "num_warps": [4, 1, 2, 8, 16, 32], "num_stages": [1, 2, 3]}
    compare(f"layer norm {rows} x {n}", layer_norm, configs, space, None, ["n"], (rows,), (x, y, w, b, n, 1e-5), 1,
            torch.nn.functional.layer_norm(x, (n,), w, b, 1e-5))


def report(name, tuned, right):
    tried = sum(len(r) for r in tuned.results.values())
    print(json.dumps({"what": name, "best": str(tuned.best_config), "tried": tried, "right": bool(right)}), flush=True)


def run_numba(n=1 << 24):
    import numpy as np
    try:
        from numba import cuda
    except (AttributeError, ImportError) as problem:  # Numba's own import uses functions that a newer NumPy lacks
        raise RuntimeError(f"Numba does not load beside NumPy {np.__version__} ({problem}): install the NumPy that it supports, or a newer Numba") from problem

    @cuda.jit
    def scale(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = 2 * x[i]
    tuned = heddle.autotune(space={"THREADS": [128, 32, 64, 256, 512, 1024]}, keep=False)(scale)
    x, y = cuda.to_device(np.ones(n, np.float32)), cuda.to_device(np.zeros(n, np.float32))
    tuned[lambda c: -(-n // c["THREADS"]), lambda c: c["THREADS"]](x, y)
    report("numba.cuda.jit", tuned, (y.copy_to_host() == 2).all())


def run_cupy(n=1 << 24):
    import cupy
    text = """extern "C" __global__ void scale(float *y, const float *x, int n) {
        for (int k = 0, i = blockIdx.x * blockDim.x * PER + threadIdx.x; k < PER && i < n; k++, i += blockDim.x) y[i] = 2 * x[i]; }"""
    tuned = heddle.autotune(space={"PER": [1, 2, 4, 8], "THREADS": [128, 64, 256, 512]}, keep=False)(cupy.RawKernel(text, "scale"))
    x, y = cupy.ones(n, cupy.float32), cupy.zeros(n, cupy.float32)
    tuned(lambda c: (-(-n // (c["PER"] * c["THREADS"])),), lambda c: (c["THREADS"],), (y, x, cupy.int32(n)))
    report("cupy.RawKernel", tuned, (y == 2).all())
    element = heddle.autotune(space={"block_size": [128, 64, 256, 512]}, keep=False)(
        cupy.ElementwiseKernel("float32 x", "float32 y", "y = 2 * x", "twice"))
    element(x, y)
    report("cupy.ElementwiseKernel", element, (y == 2).all())


def run_torch(n=4096):
    def product(a, b, chunks):
        return torch.cat([part @ b for part in a.chunk(chunks)])
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    tuned = heddle.autotune(space={"chunks": [1, 2, 4, 8, 16]}, keep=False, tolerance=0.1)(product)
    report("a function of PyTorch's", tuned, torch.allclose(tuned(a, b), a @ b, atol=0.5))


# the driver, cuBLAS and the compiler of Triton begin before a tuner is timed
torch.ones(256, 256, device="cuda") @ torch.ones(256, 256, device="cuda")
scratch = torch.ones(64, device="cuda", dtype=torch.float16)
triton.jit(layer_norm)[(1,)](scratch, scratch, scratch, scratch, 64, 1e-5, BLOCK=64)
for part in (run_matmul, run_layer_norm, run_cupy, run_torch, run_numba):
    if sys.argv[1:] and part.__name__.removeprefix("run_") not in sys.argv[1:]:
        continue
    try:
        if time.perf_counter() - STARTED > LIMIT:
            raise TimeoutError(f"{LIMIT} s are over")
        part()
    except Exception as problem:  # the others still run
        print(json.dumps({"what": part.__name__, "failed": f"{type(problem).__name__}: {problem}"}), flush=True)
print(json.dumps({"seconds": round(time.perf_counter() - STARTED, 1)}), flush=True)
