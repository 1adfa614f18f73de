#!/usr/bin/env python3
"""heddle.autotune on a GPU, beside triton.autotune: a matrix product and a layer norm, with the same configurations, then a space; kernels of
Numba-CUDA and CuPy; a function of PyTorch's. Prints one line of JSON for each. Needs triton, torch, cupy, numba and a CUDA GPU.

    PYTHONPATH=build/release/python benchmarks/autotune.py"""
import importlib.util
import itertools
import json
import time

import heddle

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


def compare(name, kernel, configs, space, restrictions, key, grid, arguments, right):
    """The first call (tuning included) and the best time of each tuner, by triton.testing.do_bench()."""
    makers = {"triton.autotune": lambda f: triton.autotune(configs=configs, key=key)(f),
              "heddle.autotune": lambda f: heddle.autotune(configs=configs, key=key, keep=False)(f),
              "heddle.autotune, space": lambda f: heddle.autotune(space=space, restrictions=restrictions, key=key, seconds=60, keep=False)(f)}
    for words, make in makers.items():
        tuned = make(triton.jit(kernel))
        started = time.perf_counter()
        tuned[grid](*arguments)
        torch.cuda.synchronize()
        first = time.perf_counter() - started
        seconds = 1e-3 * triton.testing.do_bench(lambda: tuned[grid](*arguments), warmup=50, rep=300, return_mode="median")
        print(json.dumps({"what": name, "by": words, "first_call_s": round(first, 2), "best_us": round(1e6 * seconds, 2), "best": str(tuned.best_config),
                          "error": float((right() - arguments[right.output]).abs().max())}), flush=True)


def run_matmul(n=4096):
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    configs = [triton.Config({"BM": m, "BN": w, "BK": k, "GROUP": 8}, num_warps=warps, num_stages=stages)
               for m, w, k in itertools.product((64, 128), (64, 128, 256), (32, 64)) for warps, stages in ((4, 3), (8, 3), (4, 4))]
    space = {"BM": [128, 64, 256], "BN": [128, 64, 256], "BK": [32, 64, 128], "GROUP": [8, 4, 16], "num_warps": [4, 8], "num_stages": [3, 2, 4, 5]}

    def right():
        return a @ b
    right.output = 2
    compare(f"matmul {n}", matmul, configs, space, "BM * BN <= 32768", ["m", "n", "k"],
            lambda meta: (triton.cdiv(n, meta["BM"]) * triton.cdiv(n, meta["BN"]),),
            (a, b, c, n, n, n, *a.stride(), *b.stride(), *c.stride()), right)


def run_layer_norm(rows=4096, n=8192):
    x, y = (torch.randn(rows, n, device="cuda", dtype=torch.float16) for _ in range(2))
    w, b = (torch.randn(n, device="cuda", dtype=torch.float16) for _ in range(2))
    configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (512, 1024, 2048, 4096, 8192) for warps in (2, 4, 8, 16)]
    space = {"BLOCK": [1024, 256, 512, 2048, 4096, 8192], "num_warps": [4, 1, 2, 8, 16, 32], "num_stages": [1, 2, 3]}

    def right():
        return torch.nn.functional.layer_norm(x, (n,), w, b, 1e-5)
    right.output = 1
    compare(f"layer norm {rows} x {n}", layer_norm, configs, space, None, ["n"], (rows,), (x, y, w, b, n, 1e-5), right)


def report(name, tuned, right):
    print(json.dumps({"what": name, "best": str(tuned.best_config), "tried": sum(len(r) for r in tuned.results.values()), "right": bool(right)}), flush=True)


def run_numba(n=1 << 24):
    from numba import cuda
    import numpy as np

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


for part in (run_matmul, run_layer_norm, run_numba, run_cupy, run_torch):
    try:
        part()
    except Exception as problem:  # the others still run
        print(json.dumps({"what": part.__name__, "failed": f"{type(problem).__name__}: {problem}"}), flush=True)
