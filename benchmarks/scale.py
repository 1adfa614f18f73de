#!/usr/bin/env python3
"""Measures heddle on 1, 2, ... of a machine's devices: tuning, batches of renders, drapes, pages and controllers, strong and weak
scaling, one MPPI controller whose samples they share out, one wardrobe whose garments they divide, one sheet that is cut into strips, and what
a request costs over MPI. On a machine with GPUs one command does it all:

    python3 benchmarks/scale.py build/release/cli/heddle RESULTS

RESULTS gets figures.json, a line for each figure in figures.txt, a table in figures.md, scaling.svg, and a time line (a page) for each
batch. The lists of a batch are as long as --seconds on one device, by the time of their first jobs.
    --device ID    once for each device, instead of every GPU; named twice it is two: --device host --device host measures the queue itself
    --part NAME    tune, winner, render, drape, page, controller, mppi, quadrotor, cloth, wait, mpi; more than once; all unless told
    --seconds S    of a list on one device; 24: with 1, 2 and 4 devices, strong and weak, a part takes a minute
    --share X      this share of samples, garments, steps and seconds of a fall (0.05: a short run); tunings keep their 200 evaluations unless --budget tells
"""
import argparse, json, os, pathlib, shutil, subprocess, sys, time

import scale_plot

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('heddle'), parser.add_argument('results')
parser.add_argument('--device', action='append'), parser.add_argument('--part', action='append')
parser.add_argument('--share', type=float, default=1), parser.add_argument('--budget', type=int, default=200)
parser.add_argument('--problem', default='width=4096,height=4096'), parser.add_argument('--seconds', type=float, default=24)
args = parser.parse_args()
heddle, out = os.path.abspath(args.heddle), pathlib.Path(args.results).absolute()
out.mkdir(parents=True, exist_ok=True)
data = pathlib.Path(__file__).resolve().parent.parent / 'data'
parts = args.part or ['tune', 'winner', 'render', 'drape', 'page', 'controller', 'mppi', 'quadrotor', 'cloth', 'wait', 'mpi']
all_devices = json.loads(subprocess.run([heddle, 'devices', '--json'], capture_output=True, text=True, check=True).stdout)
devices = args.device or [d['id'] for d in all_devices if d['type'] == 'gpu' and d['backend'] == 'cuda'] \
    or [d['id'] for d in all_devices if d['type'] == 'gpu' and d['backend'] == 'opencl']
if not devices:
    sys.exit('scale.py: no GPU here: name devices with --device, as in --device host --device host --part wait')
counts = [n for n in (1, 2, 4, 8, 16) if n < len(devices)] + [len(devices)]
figures = []


def note(name, value, unit, **more):
    figures.append(dict(name=name, value=value, unit=unit, **more))
    print(f'{name}: {value:.4g} {unit}', ', '.join(f'{k} {v}' for k, v in more.items()), flush=True)


def run(words, **kind):
    """Gives seconds, and what was printed as JSON."""
    begin = time.monotonic()
    done = subprocess.run([heddle, *words], capture_output=True, text=True, **kind)
    seconds = time.monotonic() - begin
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f'scale.py: heddle {" ".join(words)}: exit code {done.returncode}: {done.stderr[-800:]}')
    return seconds, json.loads(done.stdout)


def device_words(n):
    return [w for d in devices[:n] for w in ('--device', d)]


# ---- tuning ----

def fresh(folder):
    """An environment in which nothing is known and nothing compiled."""
    shutil.rmtree(folder, ignore_errors=True)
    return dict(os.environ, XDG_CACHE_HOME=str(folder / 'cache'), HEDDLE_DATABASE=str(folder / 'tuning.db'))


def tune(n, seed, *more, keep=None):
    folder = out / 'fresh'
    environment = fresh(folder)
    if keep: environment['XDG_CACHE_HOME'] = str(out / 'compiled')  # compiling is not the limit
    return run(['tune', 'heddle:convolution', '--problem', args.problem, '--seed', str(seed), '--json', '--quiet', *device_words(n),
                *(more or ('--budget', str(args.budget)))], env=environment)


def tuning():
    for compiled in (False, True):
        alone = None
        if compiled: tune(1, 1, keep=True)  # fills the cache
        for n in counts:
            seconds, result = tune(n, 1, keep=compiled)
            alone = alone or seconds
            note(f'tuning on {n}, {"compiled before" if compiled else "with compiling"}', seconds, 's', n=n, kind='tune', compiled=compiled,
                 times=round(alone / seconds, 3), tried=sum(result['evaluations'].values()))
            took = [d['seconds'] for d in result.get('devices', []) if d['seconds']]
            if took: note(f'spread of the winner over {n} devices', 100 * (max(took) / min(took) - 1), '%', kind='spread', n=n)


def winners():
    """Ten searches on all devices against every configuration on one."""
    table = out / 'exhaustive.csv'
    tune(1, 1, '--strategy', 'exhaustive', '--budget', '1000000', '--csv', str(table), keep=True)
    lines = [line.split(',') for line in table.read_text().splitlines()]
    names, at = lines[0], lines[0].index('value')
    parameters = names[:names.index('outcome')]
    known = {tuple(l[:len(parameters)]): float(l[at]) for l in lines[1:] if l[at]}
    best, good = min(known.values()), 0
    for seed in range(1, 11):
        _, result = tune(len(devices), seed, keep=True)
        value = known.get(tuple(str(result['config'][p]) for p in parameters), float('inf'))
        good += value <= best * 1.01
        note(f'winner of search {seed} over the best of all', value / best, 'times', kind='winner', seed=seed)
    note('searches whose winner is the best of all, or within 1 %', good, 'of 10', kind='winners')


# ---- batches ----

def jobs_of(kind, count):
    for i in range(count):
        name = f'{kind}-{i:05d}'
        if kind == 'render':
            yield dict(run=['synth', 'render', f'{data}/instruments/harp.json', '--tail', '3', '--seed', str(i), '--out', f'{name}.wav'],
                       output=f'{name}.wav')
        elif kind == 'drape':
            yield dict(run=['cloth', 'drape', f'{data}/scenes/dress.obj', '--over', f'{data}/scenes/body.obj', '--seconds', str(max(0.05, 2 * args.share)), '--out', f'{name}.obj'],
                       output=f'{name}.obj')
        elif kind == 'page':
            yield dict(run=['css', 'match', f'page-{i % 100}.html', 'sheet.css', '--tsv'], stdout=f'{name}.tsv')
        elif kind == 'controller':
            yield dict(run=['mppi', 'run', 'quadrotor', '--steps', str(max(10, int(60000 * args.share))), '--seed', str(i), '--json'], stdout=f'{name}.json')
        else:  # a controller in real time, which waits most of its two seconds: what is measured is the queue
            yield dict(run=['mppi', 'run', 'cartpole', '--samples', '64', '--steps', '100', '--rate', '50', '--json'], stdout=f'{name}.json')


def batch(kind, n, count, label):
    folder = out / f'{kind}-{label}-{n}'
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if kind == 'page':
        for i in range(100):
            (folder / f'page-{i}.html').write_text('<!doctype html><title>t</title><body>' + ''.join(
                f'<div class="a{j % 17} b{(i + j) % 23}"><p id=p{j}>x<span class=c{j % 5}>y</span></div>' for j in range(400)))
        (folder / 'sheet.css').write_text(''.join(f'.a{i % 17} .b{i % 23}, div > p + .c{i % 5}:nth-child({i % 7 + 1}) {{ margin: {i}px }}\n' for i in range(600)))
    (folder / 'jobs.json').write_text(json.dumps({'jobs': list(jobs_of(kind, count))}))
    seconds, result = run(['batch', str(folder / 'jobs.json'), '--page', str(out / f'{kind}-{label}-{n}.html'), '--json', '--quiet', *device_words(n)])
    if result['failed'] or result['left']: sys.exit(f'scale.py: {kind}: {result["failed"]} jobs failed, {result["left"]} are left: see {folder}/jobs.json.logs')
    busy = sum(d['busy'] for d in result['devices'])
    for file in folder.iterdir():
        if file.suffix not in ('.log', '.journal') and file.is_file(): file.unlink()
    return seconds, dict(done=result['done'], failed=result['failed'], again=len(result['faults']), busy=round(busy / (n * seconds), 4))


def batches(kind, most):
    """The same list on 1, 2, ... devices, and a list for each. The first jobs tell how long a job and the start of a device take."""
    batch(kind, 1, 1, 'first')  # compiles kernels and reads files
    first, _ = batch(kind, 1, 1, 'first')
    more = 400 if kind == 'page' else 3
    several, _ = batch(kind, 1, more, 'first')
    each_job = max(1e-4, (several - first) / (more - 1))
    note(f'a job, {kind}', each_job, 's', kind=f'{kind} job', start=round(first - each_job, 3))
    count = int(min(most, max(2 * max(counts), args.seconds / each_job)))
    count = max(1, count // max(counts)) * max(counts)
    for scaling in ('strong', 'weak'):
        alone = None
        for n in counts:
            jobs = count if scaling == 'strong' else count // max(counts) * n
            seconds, more = batch(kind, n, jobs, scaling)
            alone = alone or seconds
            note(f'{jobs} jobs, {kind}, {scaling}, on {n}', seconds, 's', n=n, kind=kind, scaling=scaling,
                 efficiency=round(alone / seconds / (n if scaling == 'strong' else 1), 4), **more)


def solve(problem, samples, n):
    _, rows = run(['mppi', 'bench', '--json', '--together', *device_words(n), '--problem', problem, '--solves', str(max(5, int(300 * args.share))),
                   '--samples', str(max(512, int(samples * args.share)))])
    return min(rows, key=lambda row: row['median_us'])


def one_controller(problem):
    """A solve whose samples the devices share out: from which number on it pays, a million, and a quarter of a million for each."""
    for samples in (16384, 65536, 262144, 1048576):
        alone = None
        for n in counts:
            best = solve(problem, samples, n)
            alone = alone or best['median_us']
            note(f'{problem}, {best["samples"]} samples on {n}', best['median_us'], 'us', n=n, kind=f'mppi {problem} {best["samples"]}', samples=best['samples'],
                 solver=best['solver'], p99=best['p99_us'], times=round(alone / best['median_us'], 3), scaling='strong',
                 efficiency=round(alone / best['median_us'] / n, 4), plotted=samples == 1048576)
    alone = None
    for n in counts:
        best = solve(problem, 262144 * n, n)
        alone = alone or best['median_us']
        note(f'{problem}, {best["samples"]} samples, as many for each, on {n}', best['median_us'], 'us', n=n, kind=f'mppi {problem} each',
             samples=best['samples'], solver=best['solver'], scaling='weak', efficiency=round(alone / best['median_us'], 4))


def wardrobe(n, garments, mode):
    """Milliseconds of a frame of so many garments, hung by one side, on n devices; the hash of the last one."""
    sides, scene = (48, 56, 64, 72), out / 'wardrobe.json'
    scene.write_text(json.dumps(dict(frames=60, garments=[dict(
        name=f'grid-{side}', copies=max(1, garments // len(sides)), grid=dict(width=side, height=side, size=[1, 1], axes=['x', 'y']),
        pins=[dict(box=dict(low=[-9, 0.999, -9], high=[9, 1.001, 9]))]) for side in sides])))
    _, rows = run(['cloth', 'run', str(scene), '--json', '--quiet', *mode, *device_words(n)])
    return rows[0]['frame_ms']['p50'], rows[0]['hash'], dict(particles=rows[0]['particles'], solver=rows[0]['solver'], p99=round(rows[0]['frame_ms']['p99'], 4))


def wardrobes():
    """1,000 garments that the devices divide, and 1,000 for each; in strict mode their bits are those of one device."""
    garments = max(4 * max(counts), int(1000 * args.share))
    for label, mode in (('fast', []), ('strict', ['--strict'])):
        for scaling in ('strong', 'weak'):
            alone = same = None
            for n in counts:
                ms, bits, more = wardrobe(n, garments * (n if scaling == 'weak' else 1), mode)
                alone, same = alone or ms, same or bits
                if scaling == 'strong' and mode and bits != same:
                    sys.exit(f'scale.py: the wardrobe has the bits {bits} on {n} devices, and {same} on one')
                note(f'{garments} garments{" each" if scaling == "weak" else ""}, {label}, on {n}', ms, 'ms/frame', n=n, kind=f'cloth {label}', scaling=scaling,
                     efficiency=round(alone / ms / (n if scaling == 'strong' else 1), 4), times=round(alone / ms, 3), **more)


def sheet():
    """One sheet of 2,048 x 2,048 without lattices, which the devices cut into strips; in strict mode its bits are those of one device."""
    side, scene = max(64 * max(counts), int(2048 * args.share ** 0.5)), out / 'sheet.json'
    scene.write_text(json.dumps(dict(frames=60, substeps=5, garments=[dict(
        name='sheet', grid=dict(width=side, height=side, size=[2, 2], axes=['x', 'y']), lattices=False,
        pins=[dict(box=dict(low=[-9, 2 - 1 / side, -9], high=[9, 9, 9]))])])))
    for label, mode in (('fast', []), ('strict', ['--strict'])):
        alone = same = None
        for n in counts:
            _, rows = run(['cloth', 'run', str(scene), '--json', '--quiet', *mode, *device_words(n)])
            ms, bits = rows[0]['frame_ms']['p50'], rows[0]['hash']
            alone, same = alone or ms, same or bits
            if mode and bits != same: sys.exit(f'scale.py: the sheet has the bits {bits} on {n} devices, and {same} on one')
            note(f'{side} x {side}, {label}, on {n}', ms, 'ms/frame', n=n, kind=f'sheet {label}', scaling='strong', efficiency=round(alone / ms / n, 4),
                 times=round(alone / ms, 3), solver=rows[0]['solver'], p99=round(rows[0]['frame_ms']['p99'], 4))


def over_mpi():
    program = pathlib.Path(heddle).parent.parent / 'heddle-mpi'
    mpi = str(program) if program.exists() else shutil.which('heddle-mpi')
    if not mpi or not shutil.which('mpirun'):
        print('heddle-mpi or mpirun is not here: the cost of a request over MPI is not measured')
        return
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    done = subprocess.run(['mpirun', '--bind-to', 'none', '--oversubscribe', '-n', '2', mpi, 'measure'], capture_output=True, text=True, env=environment)
    (out / 'mpi.txt').write_text(done.stdout + done.stderr)
    print(done.stdout, end='')


if 'tune' in parts: tuning()
if 'winner' in parts: winners()
for kind, most in (('render', 200), ('drape', 256), ('page', 20000), ('controller', 64), ('wait', 32)):
    if kind in parts: batches(kind, most)
if 'mppi' in parts: one_controller('cartpole')
if 'quadrotor' in parts: one_controller('quadrotor')
if 'cloth' in parts: wardrobes(), sheet()
if 'mpi' in parts: over_mpi()
(out / 'figures.json').write_text(json.dumps(dict(devices=devices, processors=os.cpu_count(), share=args.share, figures=figures), indent=1) + '\n')
(out / 'figures.txt').write_text('\n'.join(f'{f["name"]}: {f["value"]:.4g} {f["unit"]}' + (f', efficiency {f["efficiency"]}' if 'efficiency' in f else '')
                                           + (f', {f["times"]} times sooner than on one' if 'times' in f else '') for f in figures) + '\n')
(out / 'figures.md').write_text(scale_plot.table(figures))
(out / 'scaling.svg').write_text(scale_plot.picture(figures))
