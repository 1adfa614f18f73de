#!/usr/bin/env python3
"""cuBLAS's fp32 matrix multiply without tensor cores, through PyTorch with TF32 off, as a record of `heddle bench --json`.

    python3 benchmarks/cublas.py [SIZE [DEVICE]]        SIZE: of the square matrices, 4096; DEVICE: the id to write, cuda:0

Takes turns of as many launches as last about 50 ms, each turn timed by events; the first two are thrown away. The median of
the turns counts; `spread` is half the 95 % confidence interval of the median (order statistics), as everywhere else.
"""
import json
import math
import statistics
import sys

TURNS = 30


def median_spread(values):
    """Half the width of the narrowest interval of order statistics that covers the median with 95 %, about the middle."""
    n = len(values)
    ordered = sorted(values)
    low = 0
    covered = 1 - 2 * 0.5**n
    while low + 1 < n - 2 - low:
        less = covered - 2 * math.comb(n, low + 1) * 0.5**n
        if less < 0.95:
            break
        covered = less
        low += 1
    return (ordered[n - 1 - low] - ordered[low]) / 2


def main():
    try:
        import torch
    except ImportError:
        sys.exit("cublas.py: PyTorch is not here")
    if not torch.cuda.is_available():
        sys.exit("cublas.py: PyTorch finds no CUDA device")
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda:0"
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    torch.manual_seed(1)
    a = torch.rand(size, size, device="cuda") - 0.5
    b = torch.rand(size, size, device="cuda") - 0.5
    c = torch.empty(size, size, device="cuda")

    def seconds_of(launches):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(launches):
            torch.mm(a, b, out=c)
        end.record()
        end.synchronize()
        return 1e-3 * start.elapsed_time(end) / launches

    # TF32 keeps 10 bits of the factors: its error is a hundred times as large.
    seconds_of(1)
    rows = slice(0, min(size, 64))
    exact = a[rows].double() @ b.double()
    error = ((c[rows].double() - exact).abs().max() / exact.abs().max()).item()
    if error > 1e-5:
        sys.exit(f"cublas.py: error {error:.2g}: that was not fp32")
    launches = max(1, round(0.05 / seconds_of(3)))
    rates = [2e-9 * size**3 / seconds_of(launches) for _ in range(TURNS + 2)][2:]
    record = {
        "suite": "cublas",
        "name": f"matmul m={size} n={size} k={size}",
        "device": device,
        "value": statistics.median(rates),
        "unit": "GFLOP/s",
        "spread": median_spread(rates),
    }
    print(json.dumps([record], indent=2))


if __name__ == "__main__":
    main()
