#!/usr/bin/env python3
"""Makes the meshes of the scenes here: table.obj, body.obj with walk.pc2, walker.glb (the same with a skeleton), dress.obj
and others.
python3 make.py; nothing else is needed.

The body is a smooth union of capsules (Quilez' polynomial minimum), cut out of a lattice by surface nets (Gibson 1998) and skinned to
the capsules' bones, which step on the spot and turn. The dress is a tube around it. Metres, y up."""
import json
import math
import struct

TAU = 2 * math.pi


def add(a, b): return (a[0] + b[0], a[1] + b[1], a[2] + b[2])
def sub(a, b): return (a[0] - b[0], a[1] - b[1], a[2] - b[2])
def mul(a, s): return (a[0] * s, a[1] * s, a[2] * s)
def dot(a, b): return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def write_obj(name, comment, vertices, textures, faces, colours=None):
    """Faces are lists of (vertex, texture), or without textures of vertices."""
    with open(name, "w", encoding="ascii") as f:
        f.write(f"# {comment}\n")
        for i, v in enumerate(vertices):
            f.write("v %.5g %.5g %.5g" % v + (" %.4g %.4g %.4g" % colours[i] if colours else "") + "\n")
        for t in textures:
            f.write("vt %.4g %.4g\n" % t)
        for face in faces:
            f.write("f " + " ".join(f"{c[0] + 1}/{c[1] + 1}" if textures else f"{c + 1}" for c in face) + "\n")


# ---- the table: a profile turned around the y axis ----

def make_table():
    profile = [(0.52, 0.71), (0.545, 0.715), (0.555, 0.73), (0.545, 0.745), (0.52, 0.75)]  # the edge of its top, from below
    foot = [(0.06, 0.70), (0.045, 0.60), (0.04, 0.30), (0.05, 0.12), (0.26, 0.03), (0.28, 0.015), (0.28, 0.0)]
    rings = list(reversed(foot)) + profile + [(0.35, 0.75), (0.18, 0.75)]
    around = 48
    vertices = [(0.0, 0.0, 0.0)]
    textures = [(0.5, 0.0)]
    for j, (r, y) in enumerate(rings):
        for i in range(around + 1):
            textures.append((i / around, (j + 1) / (len(rings) + 1)))
            if i < around:
                vertices.append((r * math.cos(TAU * i / around), y, r * math.sin(TAU * i / around)))
    vertices.append((0.0, 0.75, 0.0))
    textures.append((0.5, 1.0))
    def corner(j, i): return (1 + j * around + i % around, 1 + j * (around + 1) + i)
    faces = []
    for i in range(around):
        faces.append([(0, 0), corner(0, i), corner(0, i + 1)])
        for j in range(len(rings) - 1):
            faces.append([corner(j, i), corner(j + 1, i), corner(j + 1, i + 1), corner(j, i + 1)])
        faces.append([corner(len(rings) - 1, i), (len(vertices) - 1, len(textures) - 1), corner(len(rings) - 1, i + 1)])
    write_obj("table.obj", "a round table, 1.11 m across; made by make.py", vertices, textures, faces)


# ---- the body: capsules (from, to, radius at each), one bone each ----

BONES = {
    "hips": ((-0.07, 0.95, 0.0), (0.07, 0.95, 0.0), 0.11, 0.11),
    "waist": ((-0.035, 1.11, 0.0), (0.035, 1.11, 0.0), 0.102, 0.102),
    "chest": ((-0.055, 1.30, 0.005), (0.055, 1.30, 0.005), 0.118, 0.118),
    "neck": ((0.0, 1.42, -0.01), (0.0, 1.52, 0.0), 0.058, 0.05),
    "head": ((0.0, 1.60, 0.01), (0.0, 1.67, 0.0), 0.085, 0.095),
}
for side, s in (("left", 1), ("right", -1)):
    BONES[side + " shoulder"] = ((s * 0.09, 1.39, 0.0), (s * 0.175, 1.385, 0.0), 0.06, 0.055)
    BONES[side + " upper arm"] = ((s * 0.19, 1.37, 0.0), (s * 0.36, 1.15, 0.0), 0.05, 0.04)
    BONES[side + " lower arm"] = ((s * 0.36, 1.15, 0.0), (s * 0.50, 0.94, 0.05), 0.039, 0.028)
    BONES[side + " thigh"] = ((s * 0.092, 0.90, 0.0), (s * 0.10, 0.50, 0.005), 0.092, 0.058)
    BONES[side + " shin"] = ((s * 0.10, 0.50, 0.005), (s * 0.105, 0.09, -0.01), 0.055, 0.04)
    BONES[side + " foot"] = ((s * 0.105, 0.045, -0.03), (s * 0.125, 0.035, 0.13), 0.042, 0.032)
NAMES = list(BONES)


def capsule(p, bone):
    a, b, ra, rb = BONES[bone]
    d = sub(b, a)
    t = min(max(dot(sub(p, a), d) / dot(d, d), 0.0), 1.0)
    q = sub(p, add(a, mul(d, t)))
    return math.sqrt(dot(q, q)) - (ra + t * (rb - ra))


def body(p, bones=NAMES, k=0.05):
    """Signed distance, about: the smooth minimum over the bones."""
    least = 1e9
    for bone in bones:
        d = capsule(p, bone)
        if d > least + k:
            continue
        h = max(k - abs(least - d), 0.0) / k
        least = min(least, d) - h * h * k / 4
    return least


def slope(p, field, e=1e-3):
    return tuple((field(add(p, q)) - field(sub(p, q))) / (2 * e) for q in ((e, 0, 0), (0, e, 0), (0, 0, e)))


def onto_surface(vertices, field):
    for _ in range(3):
        for i, p in enumerate(vertices):
            g = slope(p, field)
            vertices[i] = sub(p, mul(g, field(p) / max(dot(g, g), 1e-6)))


def surface_nets(low, high, cell, field=body):
    n = [int(math.ceil((high[k] - low[k]) / cell)) + 1 for k in range(3)]
    def place(i, j, k): return (low[0] + i * cell, low[1] + j * cell, low[2] + k * cell)
    value = {(i, j, k): field(place(i, j, k)) for i in range(n[0]) for j in range(n[1]) for k in range(n[2])}
    corners = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    edges = [(p, q) for p in corners for q in corners if p < q and sum(x != y for x, y in zip(p, q)) == 1]
    number, vertices = {}, []
    for i in range(n[0] - 1):
        for j in range(n[1] - 1):
            for k in range(n[2] - 1):
                points = []
                for p, q in edges:
                    u, v = (i + p[0], j + p[1], k + p[2]), (i + q[0], j + q[1], k + q[2])
                    if (value[u] < 0) != (value[v] < 0):
                        t = value[u] / (value[u] - value[v])
                        points.append(add(place(*u), mul(sub(place(*v), place(*u)), t)))
                if points:
                    number[(i, j, k)] = len(vertices)
                    vertices.append(mul((sum(p[0] for p in points), sum(p[1] for p in points), sum(p[2] for p in points)), 1 / len(points)))
    faces = []
    for (i, j, k), inside in value.items():
        for axis in range(3):
            other = [i, j, k]
            other[axis] += 1
            if tuple(other) not in value or (inside < 0) == (value[tuple(other)] < 0):
                continue
            u, v = (axis + 1) % 3, (axis + 2) % 3
            ring = []
            for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                c = [i, j, k]
                c[u] -= 1 - du
                c[v] -= 1 - dv
                ring.append(number[tuple(c)])
            faces.append(ring if inside < 0 else ring[::-1])
    onto_surface(vertices, field)
    return vertices, faces


def weights(p):
    near = sorted((max(capsule(p, bone), 0.0) + 0.012, bone) for bone in NAMES)[:4]
    share = [(bone, d ** -4) for d, bone in near]
    total = sum(w for _, w in share)
    return [(bone, w / total) for bone, w in share]


# ---- its motion: each joint turns, and what hangs on it turns along ----

PARENT = {"waist": "hips", "chest": "waist", "neck": "chest", "head": "neck"}
for side in ("left", "right"):
    PARENT.update({side + " shoulder": "chest", side + " upper arm": side + " shoulder", side + " lower arm": side + " upper arm",
                   side + " thigh": "hips", side + " shin": side + " thigh", side + " foot": side + " shin"})


def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    if axis == "x":
        return ((1, 0, 0), (0, c, -s), (0, s, c))
    if axis == "y":
        return ((c, 0, s), (0, 1, 0), (-s, 0, c))
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def product(a, b): return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3))
def apply(m, p): return tuple(dot(row, p) for row in m)


def pose(phase):
    """The turn and move of each bone, p -> turn p + move, at a part of the cycle (0 to 1)."""
    wave, twice, lift = math.sin(TAU * phase), math.sin(2 * TAU * phase), (1 - math.cos(TAU * phase)) / 2
    joints = {"hips": turn("y", 22 * wave), "chest": turn("y", -16 * wave), "head": turn("y", -6 * wave), "waist": turn("z", 4 * wave)}
    for side, s in (("left", 1), ("right", -1)):
        step = s * wave
        joints[side + " thigh"] = turn("x", -24 * step - 4 * lift)
        joints[side + " shin"] = turn("x", 14 * max(-step, 0) + 10 * max(step, 0))
        joints[side + " upper arm"] = product(turn("x", 18 * step), turn("z", -s * 10 * lift))
        joints[side + " lower arm"] = turn("x", -14 * lift)
    made = {}
    for bone in NAMES:
        start = BONES[bone][0] if bone not in ("hips", "waist", "chest") else tuple((x + y) / 2 for x, y in zip(*BONES[bone][:2]))
        own = joints.get(bone, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        if bone not in PARENT:
            made[bone] = (own, add(sub(start, apply(own, start)), (0.03 * wave, 0.012 * twice, 0.0)))
            continue
        up, move = made[PARENT[bone]]
        around = sub(start, apply(own, start))
        made[bone] = (product(up, own), add(apply(up, around), move))
    return made


def make_body():
    vertices, faces = surface_nets((-0.6, -0.03, -0.24), (0.6, 1.80, 0.24), 0.03)
    # Cylindrical texture coordinates; the seam is behind.
    textures = [((math.atan2(x, z) / TAU) % 1.0, y / 1.8) for x, y, z in vertices]
    write_obj("body.obj", "a figure, 1.77 m tall; walk.pc2 moves it; made by make.py", vertices, textures, [[(v, v) for v in f] for f in faces])
    bound = [weights(p) for p in vertices]
    samples = 40
    with open("walk.pc2", "wb") as f:
        f.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(vertices), 0.0, 1.0, samples))
        for s in range(samples):
            bones = pose(s / samples)
            for p, share in zip(vertices, bound):
                q = (0.0, 0.0, 0.0)
                for bone, w in share:
                    m, move = bones[bone]
                    q = add(q, mul(add(apply(m, p), move), w))
                f.write(struct.pack("<fff", *q))
    make_walker(vertices, faces, bound)


# ---- the body again, as a skeleton with a skin ----

def quaternion(m):
    """x y z w of a turn by less than half a circle."""
    w = math.sqrt(max(1 + m[0][0] + m[1][1] + m[2][2], 0)) / 2
    return ((m[2][1] - m[1][2]) / (4 * w), (m[0][2] - m[2][0]) / (4 * w), (m[1][0] - m[0][1]) / (4 * w), w)


def start_of(bone):
    a, b = BONES[bone][:2]
    return tuple((x + y) / 2 for x, y in zip(a, b)) if bone in ("hips", "waist", "chest") else a


def make_walker(vertices, faces, bound):
    """One node for each bone at its joint; the animation "walk" turns them, and moves the hips: 2 s."""
    views, accessors, chunk = [], [], b""

    def add_data(rows, kind, code, component, extra=None):
        nonlocal chunk
        data = b"".join(struct.pack("<" + code * len(r), *r) for r in rows)
        views.append({"buffer": 0, "byteOffset": len(chunk), "byteLength": len(data)})
        chunk += data + b"\0" * (-len(data) % 4)
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": len(rows), "type": kind, **(extra or {})})
        return len(accessors) - 1

    triangles = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
    largest = [sorted(shares, key=lambda s: -s[1])[:4] for shares in bound]
    joints = [tuple(NAMES.index(b) for b, w in s) + (0,) * (4 - len(s)) for s in largest]
    shares = [tuple(w / sum(x for b, x in s) for b, w in s) + (0.0,) * (4 - len(s)) for s in largest]
    bounds = {"min": [min(v[k] for v in vertices) for k in range(3)], "max": [max(v[k] for v in vertices) for k in range(3)]}
    attributes = {"POSITION": add_data(vertices, "VEC3", "f", 5126, bounds), "JOINTS_0": add_data(joints, "VEC4", "B", 5121),
                  "WEIGHTS_0": add_data(shares, "VEC4", "f", 5126)}
    indices = add_data([(v,) for t in triangles for v in t], "SCALAR", "I", 5125)
    inverse = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0) + mul(start_of(b), -1) + (1,) for b in NAMES]
    binds = add_data(inverse, "MAT4", "f", 5126)
    nodes, channels, samplers = [], [], []
    for b in NAMES:
        children = [NAMES.index(c) for c in NAMES if PARENT.get(c) == b]
        place = sub(start_of(b), start_of(PARENT[b])) if b in PARENT else start_of(b)
        nodes.append({"name": b, "translation": list(place), **({"children": children} if children else {})})
    roots = [i for i, b in enumerate(NAMES) if b not in PARENT]
    nodes.append({"name": "figure", "mesh": 0, "skin": 0})
    keys = [s / 40 for s in range(41)]
    times = add_data([(2 * k,) for k in keys], "SCALAR", "f", 5126, {"min": [0], "max": [2]})
    poses = [pose(k) for k in keys]

    def animate(bone, path, rows, kind):
        samplers.append({"input": times, "output": add_data(rows, kind, "f", 5126)})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": NAMES.index(bone), "path": path}})

    for b in NAMES:
        def own(made):
            if b not in PARENT:
                return made[b][0]
            up = made[PARENT[b]][0]
            return product(tuple(zip(*up)), made[b][0])
        rows = [quaternion(own(made)) for made in poses]
        if any(abs(q[3]) < 1 - 1e-9 for q in rows):
            animate(b, "rotation", rows, "VEC4")
    for i in roots:
        b = NAMES[i]
        animate(b, "translation", [add(apply(made[b][0], start_of(b)), made[b][1]) for made in poses], "VEC3")
    document = {"asset": {"version": "2.0", "generator": "make.py"}, "scene": 0, "scenes": [{"nodes": roots + [len(NAMES)]}], "nodes": nodes,
                "meshes": [{"name": "figure", "primitives": [{"attributes": attributes, "indices": indices}]}],
                "skins": [{"joints": list(range(len(NAMES))), "inverseBindMatrices": binds}],
                "animations": [{"name": "walk", "channels": channels, "samplers": samplers}],
                "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(chunk)}]}
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open("walker.glb", "wb") as f:
        f.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(chunk), len(text), 0x4e4f534a) + text + struct.pack("<II", len(chunk), 0x4e4942) + chunk)


# ---- the dress: rings around the trunk, close above the waist, wide below ----

def make_dress():
    trunk = [b for b in NAMES if b in ("hips", "waist", "chest") or "thigh" in b]
    top, waist, hem, around, rows = 1.275, 1.10, 0.52, 66, 34
    def reach(y, angle):
        """How far the trunk goes from the axis in this direction."""
        low, high = 0.0, 0.4
        for _ in range(30):
            middle = (low + high) / 2
            if body((middle * math.sin(angle), y, middle * math.cos(angle)), trunk, 0.06) < 0:
                low = middle
            else:
                high = middle
        return low
    vertices, colours, textures = [], [], []
    for row in range(rows):
        y = top + (hem - top) * row / (rows - 1)
        below = max(waist - y, 0.0)
        part = below / (waist - hem)
        for i in range(around + 1):
            textures.append((i / around, 1 - row / (rows - 1)))
            if i == around:
                continue
            angle = TAU * i / around
            close = reach(max(y, 0.9), angle) + 0.012
            wide = reach(waist, angle) + 0.012 + 0.46 * below
            r = max(close, wide) if below > 0 else close
            r *= 1 + 0.055 * part * math.cos(11 * angle)
            vertices.append((r * math.sin(angle), y, r * math.cos(angle)))
            # Red: how far it may stray. Green: 1 where it must stay outside.
            stray = 0.02 if row == 0 else 0.04 if part == 0 else 0.04 + 0.96 * min(1.0, 1.6 * part)
            colours.append((stray, 1.0 if part == 0 else 0.0, 0.0))
    faces = []
    for row in range(rows - 1):
        for i in range(around):
            def corner(j, k): return (j * around + k % around, j * (around + 1) + k)
            faces.append([corner(row, i), corner(row + 1, i), corner(row + 1, i + 1), corner(row, i + 1)])
    write_obj("dress.obj", "a dress for body.obj. Vertex colours: red how far it may stray, green where it must stay outside; made by make.py",
              vertices, textures, faces, colours)


# ---- two panels of a tabard, before and behind body.obj: sewn.json sews their shoulders and sides ----

def make_tabard(width=25, rows=29):
    vertices, textures, faces = [], [], []
    for side in (1, -1):
        first = len(vertices)
        for j in range(rows):
            y = 0.92 + 0.72 * j / (rows - 1)
            for i in range(width):
                u = 2 * i / (width - 1) - 1
                slope = 0.10 * max(abs(u) - 0.35, 0) * (j / (rows - 1)) ** 6  # shoulders fall outwards
                vertices.append((0.29 * u, y - slope, side * 0.17))
                textures.append((i / (width - 1), j / (rows - 1)))
        for j in range(rows - 1):
            for i in range(width - 1):
                a = first + j * width + i
                quad = [a, a + 1, a + width + 1, a + width]
                faces.append([(v, v) for v in (quad if side > 0 else quad[::-1])])
    write_obj("tabard.obj", "two panels, 25 x 29 vertices each, the one before the body first; made by make.py", vertices, textures, faces)


# ---- T-shirts: a surface around the trunk and the upper arms, cut off at the hem, the neck and the sleeves ----

def cut_off(vertices, faces, height, cell):
    """Takes away what has a height above 0. Vertices near 0 are put there first, so that no sliver is left."""
    for i, p in enumerate(vertices):
        if abs(height(p)) < 0.4 * cell:
            vertices[i] = sub(p, mul(slope(p, height), height(p)))
    heights = [height(p) if abs(height(p)) > 1e-4 else 0.0 for p in vertices]
    made, kept = {}, []
    for face in faces:
        corners = []
        for a, b in zip(face, face[1:] + face[:1]):
            if heights[a] <= 0:
                corners.append(a)
            if heights[a] * heights[b] < 0:
                key = (min(a, b), max(a, b))
                if key not in made:
                    made[key] = len(vertices)
                    t = heights[a] / (heights[a] - heights[b])
                    vertices.append(add(vertices[a], mul(sub(vertices[b], vertices[a]), t)))
                corners.append(made[key])
        if len(corners) > 2 and any(c < len(heights) and heights[c] < 0 for c in corners):
            kept.append(corners)
    used = sorted({c for face in kept for c in face})
    number = {c: i for i, c in enumerate(used)}
    return [vertices[c] for c in used], [[number[c] for c in face] for face in kept]


def make_shirts(cell=0.023, ease=0.018):
    """Three that begin at the same place: the inner ones are longer, so that all are seen."""
    bones = [b for b in NAMES if b in ("hips", "waist", "chest", "neck") or "shoulder" in b or "upper arm" in b]
    def field(p):
        """Straight down from the hips on."""
        return max(body((p[0], max(p[1], 0.97), p[2]), bones, 0.07) - ease, 0.74 - p[1])
    uncut, faces_uncut = surface_nets((-0.5, 0.70, -0.24), (0.5, 1.64, 0.24), cell, field)
    for _ in range(6):  # evenly spread
        sums = [[(0.0, 0.0, 0.0), 0] for _ in uncut]
        for face in faces_uncut:
            for a, b in zip(face, face[1:] + face[:1]):
                sums[a] = [add(sums[a][0], uncut[b]), sums[a][1] + 1]
                sums[b] = [add(sums[b][0], uncut[a]), sums[b][1] + 1]
        uncut = [mul(add(v, mul(total, 1 / count)), 0.5) for v, (total, count) in zip(uncut, sums)]
        onto_surface(uncut, field)
    def over_hem(hem): return lambda p: hem - p[1]
    def in_neck(radius): return lambda p: max(radius - math.dist(p, (0.0, 1.475, 0.01)), p[1] - 1.5)
    def past_sleeve(arm, part):
        a, b = BONES[arm][:2]
        along = sub(b, a)
        end, normal = add(a, mul(along, part)), mul(along, 1 / math.sqrt(dot(along, along)))
        return lambda p: dot(sub(p, end), normal) if min(bones, key=lambda b: capsule(p, b)) == arm else -1.0
    for name, hem, neck, sleeve in (("inner", 0.80, 0.088, 0.76), ("middle", 0.86, 0.104, 0.60), ("outer", 0.92, 0.12, 0.42)):
        vertices, faces = list(uncut), faces_uncut
        for cut in (over_hem(hem), in_neck(neck), past_sleeve("left upper arm", sleeve), past_sleeve("right upper arm", sleeve)):
            vertices, faces = cut_off(vertices, faces, cut, cell)
        write_obj(f"shirt-{name}.obj", f"the {name} one of three T-shirts for body.obj; made by make.py", vertices, [], faces)


# ---- a cushion that lies flat: two sheets with one border, a little apart in the middle ----

def make_cushion(n=45, size=0.5):
    vertices, textures, faces, number = [], [], [], {}
    for side in (1, -1):
        for j in range(n):
            for i in range(n):
                border = i in (0, n - 1) or j in (0, n - 1)
                textures.append((i / (n - 1), j / (n - 1)))
                if border and side < 0:
                    number[side, i, j] = number[1, i, j]
                    continue
                u, v = 2 * i / (n - 1) - 1, 2 * j / (n - 1) - 1
                number[side, i, j] = len(vertices)
                vertices.append((size / 2 * u, side * 0.004 * (1 - u * u) * (1 - v * v) + side * (0 if border else 0.002), size / 2 * v))
        first = 0 if side > 0 else n * n
        for j in range(n - 1):
            for i in range(n - 1):
                quad = [(number[side, a, b], first + b * n + a) for a, b in ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))]
                faces.append(quad if side > 0 else quad[::-1])
    write_obj("cushion.obj", "a cushion, 0.5 m across, without its filling; made by make.py", vertices, textures, faces)


make_table()
make_body()
make_dress()
make_tabard()
make_shirts()
make_cushion()
