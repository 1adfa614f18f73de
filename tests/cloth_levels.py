#!/usr/bin/env python3
"""cloth_levels.py HEDDLE: levels of detail. A coarse cloth is simulated, and its point cache leads a fine mesh of few substeps (`driver` with `mesh` and
`sequence`, `max_distance`): the fine mesh stretches less, and is nearer to a run of many substeps, than with the same few substeps alone."""
import array, json, math, os, random, struct, subprocess, sys, tempfile

FRAMES, COARSE, FINE = 40, 13, 49


def mesh(n):
    """Irregular triangles over 2 m x 2 m: positions, triangles."""
    chance, step = random.Random(n), 2 / (n - 1)
    inner = lambda k: 0 < k < n - 1
    points = [(step * (x + 0.5 * (chance.random() - 0.5) * inner(x)), 0.0, step * (z + 0.5 * (chance.random() - 0.5) * inner(z)))
              for z in range(n) for x in range(n)]
    faces = []
    for z in range(n - 1):
        for x in range(n - 1):
            a, b, c, d = z * n + x, z * n + x + 1, (z + 1) * n + x, (z + 1) * n + x + 1
            faces += [(a, c, b), (b, c, d)] if chance.random() < 0.5 else [(a, c, d), (a, d, b)]
    return points, faces


def run(heddle, folder, name, n, substeps, **settings):
    """Samples of a sheet that hangs by two corners."""
    garment = {'name': name, 'mesh': f'{n}.obj', 'fabric': 'cotton', 'damping': 0.2, **({} if settings else {'pins': [{'vertices': [0, n - 1]}]}), **settings}
    with open(os.path.join(folder, name + '.json'), 'w') as file:
        json.dump({'frames': FRAMES, 'substeps': substeps, 'garments': [garment]}, file)
    subprocess.run([heddle, 'cloth', 'run', name + '.json', '--out', name + '.pc2', '--device', 'host', '--quiet'], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    data = open(os.path.join(folder, name + '.pc2'), 'rb').read()
    count = struct.unpack('<12siiffi', data[:32])[5]
    floats = array.array('f', data[32:])
    assert count == FRAMES + 1 and len(floats) == 3 * n * n * count, f'{name}: {count} samples'
    return [list(zip(*[iter(floats[3 * n * n * k:3 * n * n * (k + 1)])] * 3)) for k in range(count)]


def stretch(samples, points, faces):
    """The 99th percentile of all edges in the frame where it is largest."""
    edges = {tuple(sorted((f[k], f[k - 1]))) for f in faces for k in range(3)}
    rests = [(a, b, math.dist(points[a], points[b])) for a, b in edges]
    return max(sorted(math.dist(p[a], p[b]) / rest - 1 for a, b, rest in rests)[len(rests) * 99 // 100] for p in samples[1:])


def distance(samples, others):
    """Root of the mean square of distances, in the last frame, m."""
    return math.sqrt(sum(math.dist(a, b) ** 2 for a, b in zip(samples[-1], others[-1])) / len(samples[-1]))


def main():
    heddle = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for n in (COARSE, FINE):
            points, faces = mesh(n)
            with open(os.path.join(folder, f'{n}.obj'), 'w') as file:
                file.writelines('v %.9g %.9g %.9g\n' % p for p in points)
                file.writelines('f %d %d %d\n' % tuple(k + 1 for k in f) for f in faces)
        run(heddle, folder, 'coarse', COARSE, 40)
        good = run(heddle, folder, 'good', FINE, 120)
        alone = run(heddle, folder, 'alone', FINE, 6)
        led = run(heddle, folder, 'led', FINE, 6, max_distance=0.02, driver={'mesh': 'coarse-mesh.obj', 'sequence': {'file': 'coarse.pc2'}})
    figures = {name: (stretch(samples, points, faces), distance(samples, good)) for name, samples in (('alone', alone), ('led', led))}
    print('cloth_levels: ' + ', '.join(f'{name}: p99 {100 * p99:.1f} %, {100 * far:.1f} cm from 120 substeps' for name, (p99, far) in figures.items()))
    for k, what in enumerate(('stretch', 'distance')):
        assert figures['led'][k] < 0.5 * figures['alone'][k], f'{what}: {figures}'
    return 0


if __name__ == '__main__':
    sys.exit(main())
