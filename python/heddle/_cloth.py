"""Cloth: a scene file, or a mesh of numpy arrays, frame by frame."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._definitions import callback, converted, fill, listed, named, number, numbers, objects, vector, whole
from ._devices import Array, Device, device as find_device
from ._html import table, uri
from ._picture import draw, png
from ._library import C, Handle, Object, call, ffi, made, path, text
from ._tuner import Tunable

Vector = Sequence[float]


@dataclasses.dataclass
class Sphere:
    """A collider, where it is at the end of a frame; m."""
    centre: Vector
    radius: float
    friction: float = 0.3


@dataclasses.dataclass
class Capsule:
    """Two spheres and what is between them."""
    start: Vector
    end: Vector
    radius: float
    end_radius: Optional[float] = None
    friction: float = 0.3


@dataclasses.dataclass
class Plane:
    """All that is behind a point, seen along the normal (of length 1)."""
    point: Vector
    normal: Vector = (0, 1, 0)
    friction: float = 0.3


@dataclasses.dataclass
class Mesh:
    """Triangles that cloth may not enter. From frame to frame only vertices move."""
    vertices: Any
    triangles: Any
    friction: float = 0.3


def _collider(c: Any, name: str) -> dict[str, Any]:
    """A collider as C takes it, checked."""
    if isinstance(c, Plane):
        kind, radii = C.HED_CLOTH_PLANE, [0.0, 0.0]
        a, b = vector(c.point, name + ".point"), vector(c.normal, name + ".normal")
        if not any(b):
            raise ValueError(f"{name}.normal: {b}; expected a direction")
    elif isinstance(c, Sphere):
        kind, a, b = C.HED_CLOTH_SPHERE, vector(c.centre, name + ".centre"), [0.0, 0.0, 0.0]
        radii = [number(c.radius, name + ".radius", 0), 0.0]
    elif isinstance(c, Capsule):
        kind, a, b = C.HED_CLOTH_CAPSULE, vector(c.start, name + ".start"), vector(c.end, name + ".end")
        radii = [number(c.radius, name + ".radius", 0), number(c.radius if c.end_radius is None else c.end_radius, name + ".end_radius", 0)]
    else:
        raise TypeError(f"{name}: {c!r} is no collider: expected heddle.Sphere, Capsule, Plane or Mesh")
    return {"shape": kind, "a": a, "b": b, "radius": radii, "friction": number(c.friction, name + ".friction", 0)}


@dataclasses.dataclass
class _Surroundings:
    """What cloth meets from now on, checked and copied; None: as the scene has it."""
    wind: Optional[list[float]] = None
    gust: Optional[float] = None
    gravity: Optional[list[float]] = None
    colliders: Optional[list[dict[str, Any]]] = None
    meshes: Sequence[tuple[np.ndarray, np.ndarray, float]] = ()
    starts: Optional[_Surroundings] = None  # its colliders: where they are at the beginning of the next step

    def with_(self, wind: Any, gust: Any, gravity: Any, colliders: Any, starts: Any = None) -> _Surroundings:
        """The same with what is given in its place."""
        found = dataclasses.replace(self)
        if wind is not None:
            found.wind = vector(wind, "wind")
        if gust is not None:
            found.gust = number(gust, "gust", 0)
        if gravity is not None:
            found.gravity = vector(gravity, "gravity")
        if colliders is not None:
            named = [(c, f"colliders[{i}]") for i, c in enumerate(listed(colliders, "colliders", "a list of colliders"))]
            found.colliders = [_collider(c, name) for c, name in named if not isinstance(c, Mesh)]
            found.meshes = [self._mesh(c, name) for c, name in named if isinstance(c, Mesh)]
        if starts is not None:
            found.starts = _Surroundings().with_(None, None, None, starts)
            kinds = [[len(around.colliders or ()), *(len(m[0]) for m in around.meshes)] for around in (found, found.starts)]
            if kinds[0] != kinds[1]:
                raise ValueError("collider_starts: other colliders than in colliders; expected the same ones in the same order")
        return found

    @staticmethod
    def _mesh(mesh: Mesh, name: str) -> tuple[np.ndarray, np.ndarray, float]:
        keep: list[Any] = []
        numbers(mesh.vertices, "float", (-1, 3), name + ".vertices", keep)
        numbers(mesh.triangles, "uint32_t", (-1, 3), name + ".triangles", keep)
        return keep[0].copy(), keep[2].copy(), number(mesh.friction, name + ".friction", 0)

    def fill(self, frame: Any, keep: list[Any]) -> None:
        """Puts them into a frame of C."""
        for name in ("wind", "gravity", "gust"):
            if getattr(self, name) is not None:
                setattr(frame, name, getattr(self, name))
        if self.colliders is None:
            return
        keep.append(ffi.new("hed_cloth_collider[]", self.colliders))
        frame.colliders, frame.collider_count, frame.collider_starts = keep[-1], len(self.colliders), ffi.NULL
        list_ = ffi.new("hed_cloth_mesh_collider[]", len(self.meshes))
        for at, (vertices, triangles, friction) in zip(list_, self.meshes):
            at.vertex_count, at.triangle_count, at.friction = len(vertices), len(triangles), friction
            at.positions = numbers(vertices, "float", (-1, 3), "vertices", keep)
            at.triangles = numbers(triangles, "uint32_t", (-1, 3), "triangles", keep)
        if self.starts is not None:
            keep.append(ffi.new("hed_cloth_collider[]", self.starts.colliders))
            frame.collider_starts = keep[-1]
            for at, (vertices, _, _) in zip(list_, self.starts.meshes):
                at.start_positions = numbers(vertices, "float", (-1, 3), "vertices", keep)
        keep.append(list_)
        frame.meshes, frame.mesh_count = list_, len(self.meshes)


def read_mesh(file: Union[str, os.PathLike[str]]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Vertices (n x 3) and faces (an array of vertices each) of an OBJ, PLY, STL, glTF or GLB, in the file's order."""
    mesh = ffi.gc(ffi.new("hed_cloth_mesh *"), C.hed_cloth_mesh_free)
    call(C.hed_cloth_mesh_read, path(file), mesh)
    vertices = np.frombuffer(ffi.buffer(mesh.positions, 12 * mesh.vertex_count), np.float32).reshape(-1, 3).copy()
    at = np.frombuffer(ffi.buffer(mesh.face_at, 4 * (mesh.face_count + 1)), np.uint32)
    corners = np.frombuffer(ffi.buffer(mesh.corners, 4 * int(at[-1])), np.uint32).copy() if at[-1] else np.empty(0, np.uint32)
    return vertices, np.split(corners, at[1:-1]) if mesh.face_count else []


def _faces(faces: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles and quads of faces: an array (m x 3) or (m x 4), or a list of polygons; those with more corners become fans."""
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        polygons = [converted(faces, np.int64, "faces")]
    else:
        sizes: dict[int, list[Any]] = {}
        for i, f in enumerate(listed(faces, "faces", "an array (m x 3) or (m x 4), or a list of polygons")):
            corners = listed(f, f"faces[{i}]", "a list of vertices")
            sizes.setdefault(len(corners), []).append(corners)
        polygons = [converted(group, np.int64, "faces") for group in sizes.values()]
    triangles, quads = [np.empty((0, 3), np.int64)], [np.empty((0, 4), np.int64)]
    for group in polygons:
        if group.shape[1] < 3:
            raise ValueError(f"a face of {group.shape[1]} vertices: expected at least 3")
        if not group.size:
            continue
        if group.min() < 0 or group.max() >= count:
            raise ValueError(f"a face names vertex {group.max() if group.max() >= count else group.min()}; there are {count}, from 0 on")
        if group.shape[1] == 4:
            quads.append(group)
        else:
            triangles += [group[:, [0, k, k + 1]] for k in range(1, group.shape[1] - 1)]
    return np.concatenate(triangles), np.concatenate(quads)


def _inverse_masses(vertices: np.ndarray, triangles: np.ndarray, quads: np.ndarray, density: float, pins: Any) -> np.ndarray:
    """1/kg: a third of each triangle's mass for its corners; 0 for what is pinned."""
    all_ = np.concatenate([triangles, quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    a, b, c = (vertices[all_[:, k]].astype(np.float64) for k in range(3))
    share = density * np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    mass = np.zeros(len(vertices))
    for k in range(3):
        np.add.at(mass, all_[:, k], share)
    inverse = np.divide(1, mass, out=np.zeros_like(mass), where=mass > 0)
    inverse[_pinned(pins, len(vertices))] = 0
    return inverse.astype(np.float32)


def _pinned(pins: Any, count: int) -> np.ndarray:
    """Numbers of vertices, or a mask over all."""
    array = np.asarray(pins)
    if array.ndim != 1:
        raise ValueError(f"pins has shape {array.shape}; expected a list of vertices, or a mask over all {count}")
    if array.dtype == np.bool_:
        if len(array) != count:
            raise ValueError(f"pins is a mask over {len(array)} vertices; there are {count}")
        return array
    numbers_ = converted(array, np.int64, "pins")
    if array.size and (numbers_.min() < 0 or numbers_.max() >= count):
        raise ValueError(f"pins names vertex {numbers_.max() if numbers_.max() >= count else numbers_.min()}; there are {count}, from 0 on")
    return numbers_


def _fabric(fabric: Union[str, Mapping[str, float], None]) -> Any:
    """A hed_cloth_fabric of its own; None: none."""
    if fabric is None:
        return None
    if isinstance(fabric, str):
        known = C.hed_cloth_fabric_named(fabric.encode())
        if known == ffi.NULL:
            names, k = [], 0
            while (name := C.hed_cloth_fabric_name(k, ffi.NULL)) != ffi.NULL:
                names.append(text(name))
                k += 1
            raise ValueError(f"fabric {fabric!r}: expected one of {', '.join(names)}")
        return ffi.new("hed_cloth_fabric *", known[0])
    made_of = ffi.new("hed_cloth_fabric *")
    fill(made_of, dict(named(fabric, "fabric")), [])
    return made_of


#: Arrays of a garment with an entry for each particle, and how many numbers that has.
_EACH_PARTICLE = {"rest_positions": 3, "max_distance": 1, "backstop_distance": 1, "backstop_radius": 1, "drive": 1, "drive_stiffness": 1}
#: Those that from_mesh() makes, or has no lengths for.
_ARRAYS = {"positions", "inverse_masses", "triangles", "quads", "constraints", "materials", "vertex_particle", "particle_count",
           "triangle_count", "quad_count", "constraint_count", "material_count", "vertex_count"}


class _Scene(Object):
    """A scene file that was read."""

    def __init__(self, file: Union[str, os.PathLike[str]], options: Mapping[str, Any]):
        given, keep = ffi.new("hed_cloth_scene_options *"), []
        self.warnings: list[str] = []
        keep.append(ffi.callback("void(void *, const char *)", lambda _, words: self.warnings.append(text(words))))
        fill(given, options, keep)
        given.warn = keep[0]
        self._handle = Handle(self, made(C.hed_cloth_scene_open, "hed_cloth_scene", path(file), given), C.hed_cloth_scene_close)
        given.warn = ffi.NULL


class Cloth(Tunable):
    """Garments that move together on a device.

    scene  a scene file (docs/cloth-scene.md); from_mesh() makes one of arrays
    device  None: the best
    tethers, mend, substeps  as `heddle cloth run` has them
    **settings  members of hed_cloth_def: math="strict", solver="patches", iterations=2 ..."""

    def __init__(self, scene: Union[str, os.PathLike[str]], device: Union[str, Device, None] = None, *, tethers: bool = False,
                 mend: bool = False, substeps: int = 0, **settings: Any):
        read = _Scene(scene, {"tethers": tethers, "mend": mend, "substeps": substeps})
        definition = ffi.new("hed_cloth_def *", C.hed_cloth_scene_def(read.p))
        keep: list[Any] = []
        fill(definition, settings, keep)
        self.rate = float(C.hed_cloth_scene_rate(read.p))
        #: Frames that the scene asks for; 0: it does not say.
        self.frames = int(C.hed_cloth_scene_frames(read.p))
        self.warnings = read.warnings
        self._triangles: np.ndarray
        self._begin(definition, find_device(device), read, keep)
        self._triangles = self._of_scene(definition)

    @classmethod
    def from_mesh(cls, vertices: Any, faces: Any, pins: Any = (), *, device: Union[str, Device, None] = None, thickness: Optional[float] = None,
                  fabric: Union[str, Mapping[str, float], None] = None,
                  density: Optional[float] = None, rate: float = 60, substeps: int = 0, stretch: Optional[float] = None, bend: Optional[float] = None,
                  garment: Optional[Mapping[str, Any]] = None, **settings: Any) -> Cloth:
        """A garment of vertices (n x 3, m) and faces (m x 3, m x 4, or a list of polygons).

        pins  vertices that stay where they are: numbers, or a mask
        fabric  stiffness in SI units: a name such as "denim", or members of hed_cloth_fabric
        density  kg/m^2; None: the fabric's, else 0.2
        substeps  of a frame; 0: chosen
        stretch, bend  compliance of edges and of hinges without a fabric, m/N; 0 is rigid
        garment  further members of hed_cloth_garment_def: {"self_collision": True, "tethers": True, "max_distance": array ...}
        **settings  members of hed_cloth_def"""
        keep: list[Any] = []
        rate, cloth = number(rate, "rate", above=0), _fabric(fabric)
        density = number((cloth and cloth.density) or 0.2 if density is None else density, "density", above=0)
        numbers(vertices, "float", (-1, 3), "vertices", keep)
        vertices = keep[0]
        if not np.isfinite(vertices).all():
            raise ValueError(f"vertices: vertex {np.flatnonzero(~np.isfinite(vertices).all(1))[0]} is not finite; expected coordinates in m")
        triangles, quads = _faces(faces, len(vertices))
        g = ffi.new("hed_cloth_garment_def *", C.hed_default_cloth_garment_def())
        g.particle_count = len(vertices)
        g.positions = numbers(vertices, "float", (-1, 3), "vertices", keep)
        g.triangle_count, g.quad_count = len(triangles), len(quads)
        if len(triangles):
            g.triangles = numbers(triangles, "uint32_t", (-1, 3), "faces", keep)
        if len(quads):
            g.quads = numbers(quads, "uint32_t", (-1, 4), "faces", keep)
        g.inverse_masses = numbers(_inverse_masses(vertices, triangles, quads, density, pins), "float", (-1,), "pins", keep)
        if cloth:
            keep.append(cloth)
            g.fabric = cloth
        if thickness is not None:
            g.thickness = number(thickness, "thickness", 0)
        if stretch is not None:
            g.family_material[C.HED_CLOTH_STRUCTURAL].compliance = number(stretch, "stretch", 0)
        if bend is not None:
            g.family_material[C.HED_CLOTH_BEND].compliance = number(bend, "bend", 0)
        for name, value in named(garment, "garment").items():
            if name in _EACH_PARTICLE:
                width = _EACH_PARTICLE[name]
                setattr(g, name, numbers(value, "float", (len(vertices),) if width == 1 else (len(vertices), width), name, keep))
            elif name in _ARRAYS:
                raise TypeError(f"{name} of a garment cannot be given here: from_mesh() makes it of vertices, faces and pins")
            else:
                fill(g, {name: value}, keep)
        definition = ffi.new("hed_cloth_def *", C.hed_default_cloth_def())
        keep.append(g)
        definition.garments, definition.garment_count = g, 1
        definition.frame_seconds = 1 / rate
        definition.substeps = whole(substeps, "substeps", 0, 1000)
        fill(definition, settings, keep)
        self = cls.__new__(cls)
        self.rate, self.frames, self.warnings = rate, 0, []
        self._begin(definition, find_device(device), None, keep)
        self._triangles = np.concatenate([triangles, quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
        return self

    def _begin(self, definition: Any, on: Device, scene: Optional[_Scene], keep: list[Any]) -> None:
        self.device, self._scene = on, scene
        self._handle = Handle(self, made(C.hed_cloth_create, "hed_cloth", on.p, definition), C.hed_cloth_destroy, on, scene,
                              *objects(keep), keep=keep)
        self._tuning = (C.hed_cloth_tune, definition, C.hed_cloth_tune_description())
        self._up = int(definition.up)
        #: Frames so far.
        self.frame = 0
        self._around = _Surroundings()

    def step(self, frames: int = 1, *, wind: Optional[Vector] = None, gust: Optional[float] = None, gravity: Optional[Vector] = None,
             colliders: Optional[Sequence[Union[Sphere, Capsule, Plane, Mesh]]] = None,
             collider_starts: Optional[Sequence[Union[Sphere, Capsule, Plane, Mesh]]] = None, driver: Any = None, driver_normals: Any = None,
             motion: Any = None, seconds: Optional[float] = None) -> Cloth:
        """Goes on by `frames` frames. What is not given is as the scene says, or as it was.

        colliders  where they are at the end of the frame; the same ones in the same order as before, new ones at the end
        collider_starts  the same colliders at the beginning of the first of these frames; without it they start where the last frame left them,
          and new ones do not move in their first frame
        driver  (particles x 3) where driven particles would be at the frame's end, with `driver_normals`
        motion  (4 x 4) how the frame of reference moves cloth along"""
        frames = whole(frames, "frames")
        around = self._around.with_(wind, gust, gravity, colliders, collider_starts)
        length = None if seconds is None else number(seconds, "seconds", above=0)
        count = C.hed_cloth_particle_count(self.p)
        for _ in range(frames):
            keep: list[Any] = []
            frame = ffi.new("hed_cloth_frame *")
            if self._scene:
                call(C.hed_cloth_scene_frame, self._scene.p, self.frame, self.rate, frame)
                frame.transform = ffi.NULL  # metres, as before the first frame
            else:
                frame[0] = C.hed_default_cloth_frame()
                frame.seconds = 1 / self.rate
            if length is not None:
                frame.seconds = length
            around.fill(frame, keep)
            if driver is not None:
                frame.driver_positions = numbers(driver, "float", (count, 3), "driver", keep)
            if driver_normals is not None:
                frame.driver_normals = numbers(driver_normals, "float", (count, 3), "driver_normals", keep)
            if motion is not None:  # column by column
                frame.motion = numbers(converted(motion, np.float32, "motion").T, "float", (4, 4), "motion", keep)
            call(C.hed_cloth_step, self.p, frame)
            self.frame += 1
            around = dataclasses.replace(around, starts=None)
            self._around = around  # kept once it was taken
        return self

    def run(self, frames: Optional[int] = None, progress: Optional[Callable[[int, int], Any]] = None) -> np.ndarray:
        """The positions after each of so many frames (the scene's number, unless told), (frames x vertices x 3). Ctrl-C ends it with
        those that are done."""
        total = whole(frames, "frames", 1) if frames is not None else self.frames
        callback(progress, "progress")
        if not total:
            raise ValueError("the scene does not say how many frames it has: give a number")
        found = np.empty((total, self.vertex_count, 3), np.float32)
        for i in range(total):
            try:
                found[i] = self.step().positions
                if progress:
                    progress(i + 1, total)
            except KeyboardInterrupt:
                return found[:i]
        return found

    def wait(self) -> None:
        """Until all frames so far are done."""
        call(C.hed_cloth_wait, self.p)

    @property
    def vertex_count(self) -> int:
        return int(C.hed_cloth_vertex_count(self.p))

    def _read(self, what: int, width: int, dtype: Any) -> np.ndarray:
        to: Any = [ffi.NULL] * 3
        found = np.empty((self.vertex_count, width), dtype)
        to[what] = ffi.from_buffer("uint8_t[]" if dtype == np.uint8 else "float[]", found)
        call(C.hed_cloth_read, self.p, *to)
        return found

    @property
    def positions(self) -> np.ndarray:
        """(vertices x 3) m, also where the scene has another unit, after the last frame."""
        return self._read(0, 3, np.float32)

    @property
    def normals(self) -> np.ndarray:
        """(vertices x 3); enable_normals() makes the device compute them from the next frame on."""
        return self._read(1, 3, np.float32)

    def enable_normals(self) -> None:
        call(C.hed_cloth_enable_normals, self.p)

    @property
    def device_positions(self) -> Array:
        """The last frame's vertices where they are on the device, (vertices x 4) float32: x, y, z, and a colour in the bits of the fourth.
        The next frame leaves them untouched, the one after that uses the memory again."""
        self.wait()
        buffer = C.hed_cloth_vertex_buffer(self.p)
        return Array(self.device, buffer, (self.vertex_count, 4), np.float32, parent=self, destroy=False)

    @property
    def metrics(self) -> dict[str, Any]:
        """How good the last frame is: worst_stretch, residual, kinetic_energy (J), low, high (m), hash ..."""
        found = ffi.new("hed_cloth_metrics *")
        call(C.hed_cloth_evaluate, self.p, found)
        return {n: list(getattr(found, n)) if f.type.kind == "array" else getattr(found, n) for n, f in ffi.typeof("hed_cloth_metrics").fields}

    @property
    def info(self) -> dict[str, Any]:
        """The cloth as it was built: solver, particles, constraints, choice ..."""
        found = C.hed_cloth_describe(self.p)
        known = {n: getattr(found, n) for n, f in ffi.typeof("hed_cloth_info").fields if f.type.kind == "primitive"}
        known.update(solver=text(C.hed_cloth_solver_name(found.solver)), choice=text(found.choice),
                     configured=text(C.hed_config_origin_name(found.configured)))
        return known

    def reset(self) -> None:
        """Back to the start, at rest."""
        call(C.hed_cloth_reset, self.p)
        self.frame = 0

    def save(self) -> bytes:
        """The whole state; load() of a cloth of the same definition goes on from it, bit for bit."""
        state = bytearray(C.hed_cloth_save_size(self.p))
        call(C.hed_cloth_save, self.p, ffi.from_buffer(state, require_writable=True))
        return self.frame.to_bytes(8, "little") + bytes(state)

    def load(self, state: bytes) -> None:
        if not isinstance(state, (bytes, bytearray, memoryview)) or len(state) < 8:
            raise ValueError(f"state: {len(state) if isinstance(state, (bytes, bytearray, memoryview)) else type(state).__name__} bytes; "
                             "expected those of save()")
        content = state[8:]
        call(C.hed_cloth_load, self.p, ffi.from_buffer(content), len(content))
        self.frame = int.from_bytes(state[:8], "little")

    def __repr__(self) -> str:
        return f"<heddle.Cloth of {self.vertex_count} vertices on {self.device.id}, frame {self.frame}>"

    def _of_scene(self, definition: Any) -> np.ndarray:
        """Triangles of all garments of a scene, copies among them."""
        found, first = [np.empty((0, 3), np.int64)], ffi.new("uint32_t[2]")
        for g in range(definition.garment_count):
            mesh = C.hed_cloth_scene_mesh(self._scene.p, g)  # type: ignore[union-attr]
            at = ffi.unpack(mesh.face_at, mesh.face_count + 1)
            corners = ffi.unpack(mesh.corners, at[-1]) if at[-1] else []
            triangles, quads = _faces([corners[a:b] for a, b in zip(at, at[1:])], mesh.vertex_count) if mesh.face_count else (found[0], found[0])
            if len(quads):
                triangles = np.concatenate([triangles, quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
            C.hed_cloth_garment_range(self.p, g, first, first + 1)
            found += [triangles + first[1] + copy * mesh.vertex_count for copy in range(definition.garments[g].copies)]
        return np.concatenate(found)

    def picture(self, width: int = 640, height: int = 480) -> np.ndarray:
        """(height x width x 3) bytes: the cloth after the last frame, for a look at it."""
        return draw(self.positions, self._triangles, self._up, whole(width, "width", 1, 16384), whole(height, "height", 1, 16384))

    def _repr_html_(self) -> str:
        info, metrics = self.info, self.metrics
        picture = "" if self.vertex_count > 1_000_000 else f'<img src="{uri("image/png", png(self.picture()))}">'
        return picture + table(["vertices", "constraints", "solver", "frame", "worst stretch", "kinetic energy, J"],
                     [[info["vertices"], info["constraints"], info["solver"], self.frame, f"{metrics['worst_stretch']:.3g}",
                       f"{metrics['kinetic_energy']:.3g}"]])
