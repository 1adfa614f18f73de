"""A Blender scene as files of Heddle: meshes in the world as they are at the first frame, what moves as point caches, and scene.json
(docs/cloth-scene.md). Lengths are Blender's units; the scene's "unit" says how many metres one is."""
import hashlib
import json
import math
import re
import struct

import bpy
import numpy as np

MODIFIER = "Heddle Cloth"
TEAR = "Heddle Tear" # gives each face its own vertices, as the cache of cloth that tears has them

# Fabrics of Heddle by name (docs/cloth-stiffness.md), and one in numbers: N/m, N m, kg/m^2.
FABRICS = {
    "COTTON": ("Cotton", "Shirts, bed linen", {"name": "cotton"}),
    "SILK": ("Silk", "Light, folds finely", {"name": "silk"}),
    "WOOL": ("Wool", "Suits, coats", {"name": "wool"}),
    "DENIM": ("Denim", "Heavy, in few large folds", {"name": "denim"}),
    "LEATHER": ("Leather", "Heavy and stiff", {"name": "leather"}),
    "JERSEY": ("Jersey", "T-shirt knit, which gives easily", {"name": "interlock"}),
    "RUBBER": ("Rubber sheet", "A millimetre thick, heavy, gives in every direction",
               {"warp": 1500.0, "weft": 1500.0, "shear": 500.0, "bend_warp": 1.7e-4, "bend_weft": 1.7e-4, "density": 1.0, "poisson": 0.49}),
}


class ExportError(Exception):
    """What is wrong, for the artist: one line."""


def file_name(name):
    """A name for files and for Heddle: short, of plain letters, and different for different names."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:36]
    return plain if plain == name else f"{plain}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def unit(scene):
    return 1.0 if scene.unit_settings.system == "NONE" else scene.unit_settings.scale_length


def rate(scene):
    return scene.render.fps / scene.render.fps_base


def points(mesh, matrix=None):
    """(vertices x 3) float32, times a matrix of 4 x 4."""
    p = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", p)
    p = p.reshape(-1, 3)
    if matrix is None:
        return p
    m = np.array(matrix, np.float64)
    return (p @ m[:3, :3].T + m[:3, 3]).astype(np.float32)


def require_finite(p, name, frame):
    wrong = np.flatnonzero(~np.isfinite(p).all(axis=1))
    if len(wrong):
        raise ExportError(f"{name}: vertex {wrong[0]} has no place at frame {frame}: a coordinate is not a number")


def polygons(mesh, mirrored):
    """Turned where the object is mirrored, so that they look to where Blender has their outside."""
    corner = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corner)
    start = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", start)
    faces = np.split(corner, start[1:]) if len(start) else []
    return [face[::-1] for face in faces] if mirrored else faces


def triangles(mesh, mirrored):
    """Blender's own triangles, which are right for concave faces; turned where the object is mirrored, so that they look outwards."""
    mesh.calc_loop_triangles()
    t = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", t)
    return t.reshape(-1, 3)[:, ::-1 if mirrored else 1]


def sewing(mesh):
    """(seams x 2) vertices of the edges without a face, which are drawn together, and the number of those that lead to no face."""
    ends = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", ends)
    edge_of, vertex_of = np.empty(len(mesh.loops), np.int32), np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("edge_index", edge_of)
    mesh.loops.foreach_get("vertex_index", vertex_of)
    loose, cloth = np.ones(len(mesh.edges), bool), np.zeros(len(mesh.vertices), bool)
    loose[edge_of], cloth[vertex_of] = False, True
    seams = ends.reshape(-1, 2)[loose]
    sewn = cloth[seams].all(axis=1)
    return seams[sewn], int((~sewn).sum())


def weights(mesh, group, outside=0.0):
    """Of each vertex in a vertex group; `outside`: of the others."""
    w = np.full(len(mesh.vertices), outside, np.float32)
    for vertex in mesh.vertices:
        for entry in vertex.groups:
            if entry.group == group:
                w[vertex.index] = entry.weight
    return w


def write_obj(path, p, faces):
    with open(path, "w") as f:
        f.writelines("v %.9g %.9g %.9g\n" % tuple(v) for v in p.tolist())
        f.writelines("f " + " ".join(str(i + 1) for i in face) + "\n" for face in (face.tolist() for face in faces))


class PointCache:
    """A PC2 file that grows by a sample for each frame."""

    def __init__(self, path, first):
        self.path, self.first, self.count, self.moves = path, first, 0, False
        self.file = open(path, "wb")
        self.file.write(bytes(32))
        self.add(first)

    def add(self, p):
        self.moves = self.moves or not np.array_equal(p, self.first)
        self.file.write(p.astype("<f4").tobytes())
        self.count += 1

    def close(self):
        self.file.seek(0)
        self.file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(self.first), 0.0, 1.0, self.count))
        self.file.close()


def teleports(scene):
    """Times of jumps, s: timeline markers named "teleport" at the first frame after them."""
    frames = {m.frame for m in scene.timeline_markers if m.name.lower().startswith("teleport")}
    return [(frame - scene.frame_start) / rate(scene) for frame in sorted(frames) if scene.frame_start < frame <= scene.frame_end]


def sequence(cache, jumps):
    return {"file": cache.path.name, **({"teleports": jumps} if jumps else {})}


class Winds:
    """Force fields of kind Wind: their strength is the speed of the air along their z axis, in m/s."""

    def __init__(self, scene):
        fields = [o for o in scene.objects if o.field and o.field.type != "NONE" and not o.hide_viewport]
        self.fields = [o for o in fields if o.field.type == "WIND"]
        self.left_out = sorted({o.field.type.title().replace("_", " ") for o in fields if o.field.type != "WIND"})
        self.speeds, self.gust = [], 0.0

    def add(self, graph, centre):
        total, noise = np.zeros(3), 0.0
        for o in self.fields:
            o = o.evaluated_get(graph)
            field, m = o.field, np.array(o.matrix_world)
            axis = m[:3, 2] / max(np.linalg.norm(m[:3, 2]), 1e-12)
            from_here = np.asarray(centre) - m[:3, 3]
            far = float(np.linalg.norm(from_here))
            if field.shape == "PLANE":
                far = abs(float(from_here @ axis))
            if field.use_max_distance and far > field.distance_max:
                continue
            near = field.distance_min if field.use_min_distance else 0.0
            total += field.strength * axis * (1.0 + max(0.0, far - near)) ** -field.falloff_power
            noise = max(noise, field.noise)
        self.speeds.append(total.tolist())
        self.gust = max(self.gust, min(1.0, noise / 10.0))

    def settings(self):
        if not any(any(s) for s in self.speeds):
            return None
        steady = all(s == self.speeds[0] for s in self.speeds)
        return {"velocity": self.speeds[0] if steady else self.speeds, "gust": self.gust}


class Input:
    """A garment-to-be: the mesh as it is at its place in the stack of modifiers, in the world."""

    def __init__(self, cloth, folder):
        self.cloth, self.name, self.folder = cloth, file_name(cloth.name), folder
        self.cache, self.matrices = None, []

    def below(self):
        """The cache and the modifiers below it, which are off meanwhile: what stands above is simulated."""
        found = [at for at in (self.cloth.modifiers.find(name) for name in (TEAR, MODIFIER)) if at >= 0]
        return list(self.cloth.modifiers)[min(found) if found else place(self.cloth):]

    def split(self, context):
        """Finds the row of the cache for each vertex that TEAR makes: rows are the corners of triangles, then those of quads."""
        sizes = np.array([len(face) for face in self.faces])
        if (sizes > 4).any():
            raise ExportError(f"{self.cloth.name} tears: faces of more than four corners have to be triangles first")
        modifier = self.cloth.modifiers[TEAR]
        modifier.show_viewport = True
        o = self.cloth.evaluated_get(context.evaluated_depsgraph_get())
        mesh = o.to_mesh()
        vertex, count = np.empty(len(mesh.loops), np.int32), len(mesh.vertices)
        mesh.loops.foreach_get("vertex_index", vertex)
        o.to_mesh_clear()
        modifier.show_viewport = False
        first = np.where(sizes == 3, np.cumsum(sizes * (sizes == 3)), sizes[sizes == 3].sum() + np.cumsum(sizes * (sizes == 4))) - sizes
        within = np.concatenate([np.arange(n)[::-1 if self.mirrored else 1] for n in sizes])
        self.rows = np.full(count, -1)
        self.rows[vertex] = np.repeat(first, sizes) + within
        if len(vertex) != sizes.sum() or count != len(vertex) or (self.rows < 0).any():
            raise ExportError(f"{self.cloth.name} tears: sewing edges and vertices without a face are for cloth that does not")

    def sample(self, graph, frame):
        o = self.cloth.evaluated_get(graph)
        matrix = np.array(o.matrix_world, np.float64)
        if not abs(np.linalg.det(matrix[:3, :3])) > 1e-12:
            raise ExportError(f"{self.cloth.name} has a scale of 0 at frame {frame}")
        mesh = o.to_mesh(preserve_all_data_layers=True, depsgraph=graph)
        try:
            p = points(mesh, matrix)
            require_finite(p, self.cloth.name, frame)
            if self.cache is None:
                if not len(mesh.polygons):
                    raise ExportError(f"{self.cloth.name} has no faces")
                self.mirrored = np.linalg.det(matrix[:3, :3]) < 0
                self.faces, self.groups = polygons(mesh, self.mirrored), self.read_groups(mesh)
                self.seams, self.stray = sewing(mesh)
                self.warp = matrix[:3, "XYZ".index(self.cloth.heddle_cloth.warp)].tolist()
                self.cache = PointCache(self.folder / f"{self.name}-input.pc2", p)
            elif len(p) != len(self.cache.first):
                raise ExportError(f"{self.cloth.name} has {len(p)} vertices at frame {frame}, {len(self.cache.first)} before: "
                                  "put the modifier that changes them below " + MODIFIER)
            else:
                self.cache.add(p)
        finally:
            o.to_mesh_clear()
        self.matrices.append(np.linalg.inv(matrix).tolist())
        return p.mean(axis=0)

    def read_groups(self, mesh):
        found = {}
        for key in ("pins", "distance_group", "pull_group", *(["tear_group"] if self.cloth.heddle_cloth.tear else [])):
            name = getattr(self.cloth.heddle_cloth, key)
            if not name:
                continue
            if name not in self.cloth.vertex_groups:
                raise ExportError(f'{self.cloth.name} has no vertex group "{name}"')
            found[key] = weights(mesh, self.cloth.vertex_groups[name].index, outside=float(key == "tear_group"))
        if "pins" in found and not (found["pins"] > 0.5).any():
            raise ExportError(f'{self.cloth.name}: no vertex has a weight above 0.5 in "{self.cloth.heddle_cloth.pins}"')
        return found

    def garment(self, jumps):
        """Its part of scene.json, and its files; `jumps`: times of jumps, s."""
        s = self.cloth.heddle_cloth
        self.cache.close()
        mesh = self.folder / f"{self.name}-input.obj"
        write_obj(mesh, self.cache.first, self.faces)
        made = {
            "name": self.name, "mesh": mesh.name, "weld": False, "mend": True,
            "fabric": {**FABRICS[s.fabric][2], "warp_axis": self.warp}, "damping": s.damping, "drag": s.air, "lift": 0.6 * s.air, "friction": s.friction,
            "thickness": s.thickness, "self_collision": s.self_collision,
        }
        density = made["fabric"].pop("density", None)
        if density:
            made["density"] = density
        if s.layer:
            made["layer"] = s.layer
        if s.pressure:
            made["pressure"], made["rest_volume"] = s.pressure, s.volume
        if len(self.seams):
            made["sewing"] = {"seconds": s.sewing, "seams": [{"from": self.seams[:, 0].tolist(), "to": self.seams[:, 1].tolist()}]}
        held = any(key != "tear_group" for key in self.groups)
        if s.tear:
            made["tear"] = s.tear
            if "distance_group" in self.groups or "pull_group" in self.groups or (self.cache.moves and held):
                raise ExportError(f"{self.cloth.name} tears: pins that move, Max Distance and Pull are for cloth that does not")
            held = False
        if "pins" in self.groups:
            made["pins"] = [{"vertices": np.flatnonzero(self.groups["pins"] > 0.5).tolist()}]
            made["tethers"] = s.tethers and not s.tear # what cannot stretch does not tear
        if held or (jumps and self.cache.moves and not s.tear):
            made["driver"] = {"sequence": sequence(self.cache, jumps)} if self.cache.moves else {}
        for key, group, scale in (("max_distance", "distance_group", s.distance), ("drive", "pull_group", 1.0), ("tear_strength", "tear_group", 1.0)):
            if group in self.groups:
                path = self.folder / f"{self.name}-{key}.txt"
                np.savetxt(path, np.maximum(self.groups[group] * scale, 1.001e-4 if key == "tear_strength" else 0.0), fmt="%.9g")
                made[key] = {"file": path.name}
        still = all(m == self.matrices[0] for m in self.matrices)
        made["output_matrix"] = self.matrices[0] if still else self.matrices
        for matrix in [made["output_matrix"]] if still else made["output_matrix"]:
            matrix[3] = [0.0, 0.0, 0.0, 1.0]
        return made


class Collider:
    """An object with a Collision modifier, as animated and deformed; `place`: "" or the instance of a collection that it stands in."""

    def __init__(self, body, place, folder):
        self.body, self.folder, self.cache = body, folder, None
        self.name = "body-" + file_name(body.name + place)

    def sample(self, o, matrix, frame):
        """`o`: the object as evaluated at the frame, at `matrix` in the world."""
        mesh = o.to_mesh()
        try:
            p = points(mesh, matrix)
            require_finite(p, f"the collider {self.body.name}", frame)
            if self.cache is None:
                self.faces = triangles(mesh, matrix.determinant() < 0)
                if len(self.faces):
                    self.cache = PointCache(self.folder / f"{self.name}.pc2", p)
            elif len(p) != len(self.cache.first):
                raise ExportError(f"the collider {self.body.name} has {len(p)} vertices at frame {frame}, {len(self.cache.first)} before: "
                                  "its modifiers may not change how many there are")
            else:
                self.cache.add(p)
        finally:
            o.to_mesh_clear()

    def collider(self, jumps):
        self.cache.close()
        write_obj(self.folder / f"{self.name}.obj", self.cache.first, self.faces)
        made = {"mesh": f"{self.name}.obj", "mend": True, "friction": min(10.0, self.body.collision.cloth_friction / 10)}
        if self.cache.moves:
            made["sequence"] = sequence(self.cache, jumps)
        return made


POSING = {"ARMATURE", "CURVE", "HOOK", "LATTICE", "MESH_CACHE", "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "SURFACE_DEFORM"}
DEFORMING = POSING | {"CAST", "CORRECTIVE_SMOOTH", "DISPLACE", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "WARP",
                      "WAVE"}


def place(cloth):
    """Where the cache belongs in a stack that has none: behind what poses the mesh or makes its other half, whatever stands before that, and
    behind what deforms it next; before what makes other vertices of it, such as Subdivision."""
    kinds = [modifier.type for modifier in cloth.modifiers]
    index = max((1 + at for at, kind in enumerate(kinds) if kind == "MIRROR" or kind in POSING), default=0)
    while index < len(kinds) and kinds[index] in DEFORMING:
        index += 1
    return index


def is_body(o, cloths):
    return (o.type == "MESH" and o not in cloths and o.collision and o.collision.use
            and any(m.type == "COLLISION" and m.show_viewport for m in o.modifiers))


class Bodies:
    """Colliders of the scene: objects, and what stands in instances of collections."""

    def __init__(self, context, cloths, folder):
        here = context.view_layer.objects
        self.objects = [(o, Collider(o, "", folder)) for o in context.scene.objects if o.name in here and is_body(o, cloths)]
        self.cloths, self.folder, self.instances = cloths, folder, None

    def sample(self, graph, frame):
        for o, collider in self.objects:
            e = o.evaluated_get(graph)
            collider.sample(e, e.matrix_world, frame)
        found = {}
        for instance in graph.object_instances:
            if not instance.is_instance or not instance.parent or instance.parent.instance_type != "COLLECTION":
                continue
            o, at = instance.object.original, instance.parent.original.name_full
            if is_body(o, self.cloths):
                place = ".".join([at, *(str(n) for n in instance.persistent_id if n != 2**31 - 1)])
                key = (o.name_full, place)
                found[key] = (self.instances or {}).get(key) or Collider(o, place, self.folder)
                found[key].sample(instance.object, instance.matrix_world.copy(), frame)
        if self.instances is not None and set(found) != set(self.instances):
            name, place = min(set(found) ^ set(self.instances))
            raise ExportError(f"the collider {name} of {place} comes or goes at frame {frame}: instances of collections must be there in all frames")
        self.instances = found

    def colliders(self, jumps):
        every = [collider for _, collider in self.objects] + list(self.instances.values())
        return [collider.collider(jumps) for collider in every if collider.cache]


def export(context, cloths, folder, warnings, rows):
    """Writes everything into `folder`, a frame at each step of this generator (its value: frames done); at the end scene.json. Frame and
    modifiers are as they were when it ends, or is closed. Adds a line to `warnings` for what is left out, and to `rows` those of each
    cloth that tears (Input.split())."""
    scene, was = context.scene, context.scene.frame_current
    first, last = scene.frame_start, scene.frame_end
    if last <= first:
        raise ExportError(f"the scene's range ends at frame {last} and starts at {first}: nothing moves")
    inputs, bodies, winds = [Input(o, folder) for o in cloths], Bodies(context, cloths, folder), Winds(scene)
    off = [m for i in inputs for m in i.below() if m.show_viewport]
    try:
        for modifier in off:
            modifier.show_viewport = False
        for frame in range(first, last + 1):
            scene.frame_set(frame)
            graph = context.evaluated_depsgraph_get()
            centres = [i.sample(graph, frame) for i in inputs]
            bodies.sample(graph, frame)
            winds.add(graph, np.mean(centres, axis=0))
            for i in inputs if frame == first else []:
                if i.cloth.heddle_cloth.tear:
                    i.split(context)
                    rows[i.cloth.name] = i.rows
            yield frame - first + 1
    finally:
        try:
            for modifier in off:
                modifier.show_viewport = True
            scene.frame_set(was)
        except ReferenceError: # the object, or the file, is no more
            pass
    warnings += [f"{i.cloth.name}: {i.stray} edges without a face lead to vertices of no face, and are left out" for i in inputs if i.stray]
    gravity = [g * unit(scene) for g in scene.gravity] if scene.use_gravity else [0.0, 0.0, 0.0]
    jumps = teleports(scene)
    text = {
        "up": "z", "unit": unit(scene), "rate": rate(scene), "frames": last - first, "gravity": gravity,
        "substeps": max(o.heddle_cloth.quality for o in cloths), # 0: chosen
        "garments": [i.garment(jumps) for i in inputs], "colliders": bodies.colliders(jumps),
    }
    wind = winds.settings()
    if wind:
        text["wind"] = wind
    if not all(math.isfinite(g) for g in gravity):
        raise ExportError("gravity is not a number")
    (folder / "scene.json").write_text(json.dumps(text))
