#!/usr/bin/env python3
"""Races heddle tune against Kernel Tuner on PoCL: the same text and space, the same time, cold caches, in turns.

    benchmarks/kernel_tuner_race.py build/release/cli/heddle --python VENV/bin/python

VENV has kernel_tuner and pyopencl. Both tune a 9 x 9 convolution of 1,024 x 1,024 pixels for --time seconds with empty caches; Kernel Tuner by another
of its strategies in each race. Then both best configurations run in turns in one process, 40 times each, and the shorter least time wins; within 1 % they
count as equal. A race takes about 85 s; they end as soon as nine are won or two are lost, after at most 14 minutes. The machine has to be quiet: others' use
of its processors is measured before, and told for each race."""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SIZE, WIDTH = 1024, 9
STRATEGIES = ("hybrid_vndx", "dual_annealing", "random_sample", "simulated_annealing", "genetic_algorithm")
PARAMETERS = {"block_size_x": [4, 8, 16, 32, 64, 128, 256], "block_size_y": [1, 2, 4, 8, 16], "tile_x": [1, 2, 3, 4, 6, 8], "tile_y": [1, 2, 3, 4, 6, 8],
              "use_local": [0, 1], "pad": [0, 1]}
TEXT = """
#define SPAN_X (block_size_x * tile_x)
#define SPAN_Y (block_size_y * tile_y)
#define PITCH (SPAN_X + 8 + pad)
__kernel void conv(__global float *restrict out, __global const float *restrict in, __constant float *restrict w, const int width, const int height)
{
#if use_local
    __local float tile[(SPAN_Y + 8) * PITCH];
#endif
    const int lx = get_local_id(0), ly = get_local_id(1), bx = get_group_id(0) * SPAN_X, by = get_group_id(1) * SPAN_Y;
    const int pitch = width + 8;
#if use_local
    for (int y = ly; y < SPAN_Y + 8; y += block_size_y)
        for (int x = lx; x < SPAN_X + 8; x += block_size_x)
            if (bx + x < pitch && by + y < height + 8) tile[y * PITCH + x] = in[(by + y) * pitch + bx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    float sum[tile_y][tile_x];
    for (int j = 0; j < tile_y; j++) for (int i = 0; i < tile_x; i++) sum[j][i] = 0.0f;
    for (int v = 0; v < 9; v++)
        for (int u = 0; u < 9; u++)
            for (int j = 0; j < tile_y; j++)
                for (int i = 0; i < tile_x; i++) {
                    const int x = lx + i * block_size_x, y = ly + j * block_size_y;
#if use_local
                    sum[j][i] += w[v * 9 + u] * tile[(y + v) * PITCH + x + u];
#else
                    if (bx + x < width && by + y < height) sum[j][i] += w[v * 9 + u] * in[(by + y + v) * pitch + bx + x + u];
#endif
                }
    for (int j = 0; j < tile_y; j++)
        for (int i = 0; i < tile_x; i++) {
            const int x = bx + lx + i * block_size_x, y = by + ly + j * block_size_y;
            if (x < width && y < height) out[y * width + x] = sum[j][i];
        }
}
"""
DESCRIPTION = {
    "kernel": "conv", "source": "conv.cl", "problem": {"width": SIZE, "height": SIZE}, "parameters": PARAMETERS,
    "defaults": {"block_size_x": 16, "block_size_y": 4, "tile_x": 1, "tile_y": 1, "use_local": 1, "pad": 0},
    "constraints": ["block_size_x * block_size_y >= 16", "block_size_x * block_size_y <= 1024", "tile_x * tile_y <= 24", "use_local == 1 or pad == 0"],
    "group": ["block_size_x", "block_size_y"],
    "groups": ["ceil_div(width, block_size_x * tile_x)", "ceil_div(height, block_size_y * tile_y)"],
    "arguments": [
        {"name": "out", "type": "float", "access": "write", "size": "width * height", "tolerance": 1e-4},
        {"name": "in", "type": "float", "size": "(width + 8) * (height + 8)", "fill": {"uniform": [0, 1], "seed": 1}},
        {"name": "w", "type": "float", "size": 81, "fill": {"uniform": [0, 0.02], "seed": 2}},
        {"name": "width", "type": "int", "value": "width"}, {"name": "height", "type": "int", "value": "height"}]}


def arrays():
    import numpy as np
    random = np.random.default_rng(1)
    return (np.zeros(SIZE * SIZE, np.float32), random.random((SIZE + 8) * (SIZE + 8), dtype=np.float32),
            (random.random(WIDTH * WIDTH) * 0.02).astype(np.float32), np.int32(SIZE), np.int32(SIZE))


# ---- the processes of the peer and of the judge, in Kernel Tuner's Python ----

def peer(strategy, seed, seconds):
    import random
    import numpy as np
    from kernel_tuner import tune_kernel
    random.seed(seed)
    np.random.seed(seed)
    arguments = arrays()
    image, weights, right = arguments[1].reshape(SIZE + 8, SIZE + 8), arguments[2], np.zeros((SIZE, SIZE), np.float32)
    for v in range(WIDTH):
        for u in range(WIDTH):
            right += weights[v * WIDTH + u] * image[v:v + SIZE, u:u + SIZE]
    results, _ = tune_kernel(
        "conv", TEXT, (SIZE, SIZE), list(arguments), PARAMETERS, restrictions=DESCRIPTION["constraints"], lang="OpenCL",
        grid_div_x=["block_size_x", "tile_x"], grid_div_y=["block_size_y", "tile_y"], strategy=strategy, strategy_options={"time_limit": seconds},
        answer=[right.reshape(-1), None, None, None, None], atol=1e-4, verbose=False, quiet=True)
    best = min((r for r in results if isinstance(r["time"], float)), key=lambda r: r["time"])
    print(json.dumps({"config": {n: int(best[n]) for n in PARAMETERS}, "tried": len(results)}))


def judge(configs):
    """Prints the least time of each configuration, ms, of 40 runs in turns."""
    import pyopencl as cl
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    out, image, weights, width, height = arrays()
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for a in (out, image, weights)]
    kernels, times = [], [[] for _ in configs]
    for c in configs:
        kernel = cl.Program(context, TEXT).build([f"-D{n}={v}" for n, v in c.items()]).conv
        kernel.set_args(*buffers, width, height)
        group = c["block_size_x"], c["block_size_y"]
        kernels.append((kernel, tuple(-(-SIZE // (g * c[t])) * g for g, t in zip(group, ("tile_x", "tile_y"))), group))
    for turn in range(41):
        for i in range(len(kernels)) if turn % 2 else reversed(range(len(kernels))):
            event = cl.enqueue_nd_range_kernel(queue, *kernels[i])
            event.wait()
            times[i].append((event.profile.end - event.profile.start) * 1e-6)
    print(json.dumps([min(t[1:]) for t in times]))


# ---- the race ----

def ticks():
    """Ticks of all processors: all, and those that worked for somebody."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(f) for f in file.readline().split()[1:9]]
    return sum(fields), sum(fields) - fields[3] - fields[4]


def run(words, folder):
    """Runs a command with caches of its own: its output, wall time and processor time, s, and the fraction of the processors that others used."""
    cold = os.path.join(folder, "cold")
    os.makedirs(cold + "/pocl")
    environment = dict(os.environ, POCL_CACHE_DIR=cold + "/pocl", XDG_CACHE_HOME=cold, HEDDLE_DATABASE=cold + "/tuning.db", PYOPENCL_NO_CACHE="1")
    began, (all_began, busy_began), before = time.monotonic(), ticks(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=environment)
    wall, (all_ended, busy_ended), after = time.monotonic() - began, ticks(), resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(cold)
    if done.returncode or "{" not in done.stdout and "[" not in done.stdout:
        sys.exit(f"kernel_tuner_race: {' '.join(words)}: exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    others = (busy_ended - busy_began - own * os.sysconf("SC_CLK_TCK")) / max(1, all_ended - all_began)
    return json.loads(done.stdout[done.stdout.index("[" if "judge" in words else "{"):]), wall, own, max(0.0, others)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("heddle")
    options.add_argument("--python", default=sys.executable, help="with kernel_tuner and pyopencl")
    options.add_argument("--races", type=int, default=10)
    options.add_argument("--lost", type=int, default=1, help="races that may be lost")
    options.add_argument("--time", type=float, default=40)
    options.add_argument("--seed", type=int, default=1, help="of the first race")
    options.add_argument("--others", type=float, default=0.1, help="fraction of the processors that others may use when it begins")
    given = options.parse_args()
    heddle = os.path.abspath(given.heddle)
    all_began, busy_began = ticks()
    time.sleep(3)
    all_ended, busy_ended = ticks()
    used = (busy_ended - busy_began) / max(1, all_ended - all_began)
    print(f"others use {100 * used:.0f} % of {os.cpu_count()} processors; load {os.getloadavg()[0]:.1f}", flush=True)
    if used > given.others:
        sys.exit(f"kernel_tuner_race: the machine is busy; expected at most {100 * given.others:.0f} %: wait, or say --others 1")
    won, lost, walls = 0, 0, []
    print("race  strategy              tried       wall, s       own processor time, s   best, ms         ratio  others", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/conv.cl", "w", encoding="ascii") as file:
            file.write(TEXT)
        with open(folder + "/conv.json", "w", encoding="ascii") as file:
            json.dump(DESCRIPTION, file)
        for i in range(given.seed, given.seed + given.races):
            strategy, results = STRATEGIES[i % len(STRATEGIES)], {}
            words = {"ours": [heddle, "tune", "conv.json", "--device", "opencl:0:0", "--seed", str(i), "--time", str(given.time), "--json", "--quiet"],
                     "peer": [given.python, os.path.abspath(__file__), "peer", strategy, str(i), str(given.time)]}
            for who in ("ours", "peer") if i % 2 else ("peer", "ours"):
                results[who] = run(words[who], folder)
            (ours, wall, cpu, others), (other, peer_wall, peer_cpu, peer_others) = results["ours"], results["peer"]
            configs = [{n: ours["config"][n] for n in PARAMETERS}, other["config"]]
            (ms, peer_ms), _, _, _ = run([given.python, os.path.abspath(__file__), "judge", json.dumps(configs)], folder)
            good = ms <= 1.01 * peer_ms
            won, lost = won + good, lost + (not good)
            walls.append(wall / peer_wall)
            print(f"{i:4d}  {strategy:20s} {sum(ours['evaluations'].values()):4d} {other['tried']:4d}  {wall:6.1f} {peer_wall:6.1f}      {cpu:6.1f} {peer_cpu:6.1f}"
                  f"           {ms:6.3f} {peer_ms:6.3f}  {ms / peer_ms:6.3f}  {100 * max(others, peer_others):.0f} %{'' if good else '  LOST'}", flush=True)
            if not good:
                print(f"      {configs[0]}\n      {configs[1]}", flush=True)
            if won >= given.races - given.lost or lost > given.lost:
                break
    print(f"at least as good in {won} of {won + lost} ({given.races - given.lost} of {given.races} asked): {'met' if lost <= given.lost else 'not met'}; "
          f"wall {statistics.median(walls):.2f} of the peer's at the median, at most 1.0 in {sum(w <= 1 for w in walls)}")
    return 1 if lost > given.lost else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["peer"]:
        peer(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
    elif sys.argv[1:2] == ["judge"]:
        judge(json.loads(sys.argv[2]))
    else:
        sys.exit(main())
