"""Pictures of meshes by numpy alone: points over every triangle, the nearest of each pixel, shaded by the angle to the light. For notebooks;
`heddle cloth run --png-every` draws better ones."""
from __future__ import annotations

import struct
import zlib

import numpy as np

_SKY, _CLOTH = np.array([236, 238, 242]), np.array([176, 70, 62])


def draw(vertices: np.ndarray, triangles: np.ndarray, up: int = 1, width: int = 640, height: int = 480) -> np.ndarray:
    """(height x width x 3) bytes: the mesh from the front, to the left and above, fitted into the picture."""
    image = np.broadcast_to(_SKY, (height, width, 3)).astype(np.uint8)
    if not len(triangles) or not np.isfinite(vertices).all():
        return image
    world = np.roll(vertices.astype(np.float64), 1 - up, axis=1)  # the second axis points up
    turn, tilt = np.radians(-30), np.radians(25)
    around = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    over = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    seen = world @ (over @ around).T  # x to the right, y up, z towards the eye
    low, high = seen.min(0), seen.max(0)
    scale = 0.9 * min(width / max(high[0] - low[0], 1e-9), height / max(high[1] - low[1], 1e-9))
    middle = (low + high) / 2
    x, y = width / 2 + scale * (seen[:, 0] - middle[0]), height / 2 - scale * (seen[:, 1] - middle[1])
    corners = np.stack([x[triangles], y[triangles], seen[:, 2][triangles]], -1)  # (triangles x 3 x 3)
    normals = np.cross(*(seen[triangles[:, k]] - seen[triangles[:, 0]] for k in (1, 2)))
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    light = 0.35 + 0.65 * abs(normals @ (np.array([-0.4, 0.7, 0.6]) / np.linalg.norm([-0.4, 0.7, 0.6])))
    # as many rows of points as the longest side has pixels, and a few more; in steps of a quarter, so that triangles share a pattern
    reach = np.linalg.norm(corners[:, :, :2] - np.roll(corners[:, :, :2], 1, axis=1), axis=2).max(1)
    steps = np.ceil(1.25 ** np.ceil(np.log(np.clip(1.2 * reach + 1, 2, 4 * max(width, height))) / np.log(1.25))).astype(np.int64)
    nearest, colours = np.full(height * width, -np.inf), image.reshape(-1, 3)
    for count in np.unique(steps):
        of_size = np.flatnonzero(steps == count)
        a, b = np.meshgrid(np.linspace(0, 1, count), np.linspace(0, 1, count))
        inside = a + b <= 1 + 1e-9
        weights = np.stack([1 - a[inside] - b[inside], a[inside], b[inside]], -1)
        for part in np.array_split(of_size, max(1, len(of_size) * len(weights) // 2_000_000)):
            points = np.einsum("pk,tkc->tpc", weights, corners[part]).reshape(-1, 3)
            pixel = np.clip(points[:, 1].astype(np.int64), 0, height - 1) * width + np.clip(points[:, 0].astype(np.int64), 0, width - 1)
            order = np.argsort(points[:, 2], kind="stable")  # of what falls on one pixel the last, and so the nearest, stays
            of = np.repeat(part, len(weights))
            front = np.full(height * width, -1)
            front[pixel[order]] = order
            hit = np.flatnonzero(front >= 0)
            hit = hit[points[front[hit], 2] > nearest[hit]]
            nearest[hit] = points[front[hit], 2]
            colours[hit] = (_CLOTH * light[of[front[hit]], None]).astype(np.uint8)
    return image


def png(image: np.ndarray) -> bytes:
    """A PNG file of (height x width x 3) bytes."""
    height, width, _ = image.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))
