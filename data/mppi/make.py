#!/usr/bin/env python3
"""Draws the maps of these scenes (PGM with a ROS map YAML), and fits the network's weights.

    python3 data/mppi/make.py

room.pgm: a room of 11 x 11 m with furniture. track.pgm: a closed track of 6 m across a ground of 60 x 40 m; its middle line
goes into car.json by hand. network.npy: a network for the model `network` that imitates a car with slipping tyres."""
import math
import os

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))


def write_map(name, occupied, resolution, x, y):
    """occupied: rows from the lowest y up."""
    rows = np.where(occupied, 0, 254).astype(np.uint8)[::-1]
    with open(f"{here}/{name}.pgm", "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (rows.shape[1], rows.shape[0]))
        file.write(rows.tobytes())
    with open(f"{here}/{name}.yaml", "w", encoding="ascii") as file:
        file.write(f"image: {name}.pgm\nmode: trinary\nresolution: {resolution}\norigin: [{x}, {y}, 0]\n"
                   "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n")


def centres(width, height, resolution, x, y):
    columns = x + (np.arange(width) + 0.5) * resolution
    rows = y + (np.arange(height) + 0.5) * resolution
    return np.meshgrid(columns, rows)


def room():
    x, y = centres(110, 110, 0.1, -5.5, -5.5)
    wall = (abs(x) > 5.3) | (abs(y) > 5.3)
    table = (abs(x - 1.0) < 0.8) & (abs(y - 0.6) < 0.5)
    shelf = (abs(x + 2.0) < 0.25) & (y > -1.0)
    partition = (abs(y + 2.2) < 0.15) & (x > -0.6)
    column = np.hypot(x + 0.6, y + 0.4) < 0.35
    write_map("room", wall | table | shelf | partition | column, 0.1, -5.5, -5.5)


def middle(steps=96):
    """The track's middle line: a rounded bean."""
    points = []
    for i in range(steps):
        a = 2 * math.pi * i / steps
        r = 1 + 0.22 * math.cos(2 * a + 0.6) + 0.10 * math.cos(3 * a)
        points.append((round(21 * r * math.cos(a), 2), round(13 * r * math.sin(a), 2)))
    return points


def track():
    x, y = centres(300, 200, 0.2, -30, -20)
    line = np.array(middle(960))
    squares = np.full(x.shape, np.inf)
    for px, py in line:
        squares = np.minimum(squares, (x - px) ** 2 + (y - py) ** 2)
    write_map("track", squares > 3.0 ** 2, 0.2, -30.0, -20.0)


def car(state, control):
    """Rates of roll, forward and sideways speed and turn rate of a car of 1:5 size."""
    roll, speed, side, turn = state.T
    steering, throttle = control.T
    mass, inertia, a, b, stiff, grip = 21.0, 1.1, 0.25, 0.32, 220.0, 90.0
    ahead = np.maximum(speed, 1.0)
    front = (side + a * turn) / ahead - 0.35 * steering
    rear = (side - b * turn) / ahead
    force = lambda slip: -stiff * slip / np.sqrt(1 + (stiff * slip / grip) ** 2)
    lateral = (force(front) + force(rear)) / mass
    return np.stack([6 * (0.02 * lateral - roll), 5 * throttle - 0.3 * speed + side * turn, lateral - speed * turn,
                     (a * force(front) - b * force(rear)) / inertia], axis=1)


def network():
    """Full-batch Adam on rates divided by their spread."""
    rng = np.random.default_rng(1)
    count = 1000
    state = rng.uniform([-0.1, 0.5, -0.8, -2], [0.1, 8, 0.8, 2], (count, 4))
    inputs = np.concatenate([state, rng.uniform(-1, 1, (count, 2))], axis=1)
    target = car(state, inputs[:, 4:])
    spread, middle_in, spread_in = target.std(axis=0), inputs.mean(axis=0), inputs.std(axis=0)
    x, y = (inputs - middle_in) / spread_in, target / spread
    sizes = [6, 32, 32, 4]
    weights = [rng.normal(0, 1 / math.sqrt(n), (m, n)) for n, m in zip(sizes, sizes[1:])] + [np.zeros(m) for m in sizes[1:]]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    steps = 1500
    for step in range(1, steps + 1):
        h1 = np.tanh(x @ weights[0].T + weights[3])
        h2 = np.tanh(h1 @ weights[1].T + weights[4])
        d3 = 2 * (h2 @ weights[2].T + weights[5] - y) / count
        d2 = d3 @ weights[2] * (1 - h2 * h2)
        d1 = d2 @ weights[1] * (1 - h1 * h1)
        slopes = [d1.T @ x, d2.T @ h1, d3.T @ h2, d1.sum(axis=0), d2.sum(axis=0), d3.sum(axis=0)]
        rate = 0.01 * 0.5 * (1 + math.cos(math.pi * step / steps))
        for i, slope in enumerate(slopes):
            first[i] += 0.1 * (slope - first[i])
            second[i] += 0.001 * (slope * slope - second[i])
            weights[i] -= rate * first[i] / (1 - 0.9 ** step) / (np.sqrt(second[i] / (1 - 0.999 ** step)) + 1e-8)
    print("network: errors (1 sigma)", (d3 * count / 2).std(axis=0) * spread, "of", spread)
    weights[0] = weights[0] / spread_in
    weights[3] = weights[3] - weights[0] @ middle_in
    weights[2] = weights[2] * spread[:, None]
    weights[5] = weights[5] * spread
    order = [0, 3, 1, 4, 2, 5]
    np.save(f"{here}/network.npy", np.concatenate([weights[i].ravel() for i in order]).astype(np.float32))


room()
track()
network()
