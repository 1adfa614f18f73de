"""The extension in Blender's own module, without a window: HEDDLE=.../heddle python bake_test.py [NAME...] [--picture FILE]."""
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import bpy
import bmesh # of bpy
import numpy as np
from mathutils import Matrix

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import heddle_cloth # noqa: E402
from heddle_cloth.bake import Bake, clear, command, folder_of, settings_key # noqa: E402
from heddle_cloth.export import MODIFIER, TEAR, ExportError, file_name # noqa: E402

work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-blender-"))
tests = []


def test(function):
    tests.append(function)
    return function


def check(fine, *words):
    if not fine:
        raise AssertionError(" ".join(str(w) for w in words))


def near(a, b, tolerance, *words):
    far = float(np.abs(np.asarray(a, float) - np.asarray(b, float)).max())
    check(far <= tolerance, *words, f"differs by {far:.3g}, at most {tolerance:.3g}")


def new_file(saved=True, first=1, last=25, fps=24, base=1.0, scale=1.0):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    shutil.rmtree(work / "heddle", ignore_errors=True)
    if saved:
        bpy.ops.wm.save_as_mainfile(filepath=str(work / "scene.blend"))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base = first, last, fps, base
    scene.unit_settings.scale_length = scale
    scene.heddle_cloth_device = "host"
    scene.frame_set(first)
    return scene


def sheet(name="cloth", n=12, size=1.0, at=(0, 0, 1), **settings):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=n, y_subdivisions=n, size=size, location=at)
    o = bpy.context.object
    o.name = name
    o.heddle_cloth.use, o.heddle_cloth.quality = True, 8
    for key, value in settings.items():
        setattr(o.heddle_cloth, key, value)
    return o


def ball(radius=0.3, at=(0, 0, 0.5), **names):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, location=at, segments=24, ring_count=16)
    o = bpy.context.object
    o.modifiers.new("Collision", "COLLISION")
    return o


def group(o, name, vertices, weight=1.0):
    (o.vertex_groups.get(name) or o.vertex_groups.new(name=name)).add([int(v) for v in vertices], weight, "REPLACE")


def move(o, path, values):
    for frame, value in values.items():
        setattr(o, path, value)
        o.keyframe_insert(path, frame=frame)
    for curve in o.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def shown(o, frame):
    """Vertices in the world, as Blender has them at a frame."""
    bpy.context.scene.frame_set(frame)
    e = o.evaluated_get(bpy.context.evaluated_depsgraph_get())
    m = e.to_mesh()
    p = heddle_cloth.export.points(m, e.matrix_world)
    e.to_mesh_clear()
    return p


def bake(o, **how):
    for other in bpy.context.scene.objects:
        other.select_set(other == o)
    bpy.context.view_layer.objects.active = o
    check(bpy.ops.object.heddle_cloth_bake(**how) == {"FINISHED"}, "the bake did not finish")


def refuses(words, *cloths):
    try:
        job = Bake(bpy.context, list(cloths))
        while job.step() in ("EXPORT", "RUN"):
            time.sleep(0.01)
        said = job.error
    except ExportError as problem:
        said = str(problem)
    check(words in said, f'expected "{words}", it said "{said}"')


def cache_path(o):
    return pathlib.Path(bpy.path.abspath(o.modifiers[MODIFIER].filepath))


def cache(o):
    raw = cache_path(o).read_bytes()
    head = struct.unpack("<12siiffi", raw[:32])
    return np.frombuffer(raw[32:], "<f4", 3 * head[2] * head[5]).reshape(head[5], head[2], 3)


@test
def what_is_shown_is_what_was_simulated():
    """Rotated, scaled, moving objects: the same run without matrices, in the world."""
    scene = new_file(last=20)
    b = ball(0.25, (0, 0, 0.5))
    b.scale = (1.2, 1.0, -0.9) # mirrored, too
    b.rotation_euler = (0.2, 0.1, 0.4)
    move(b, "location", {1: (-0.2, 0, 0.5), 20: (0.2, 0.1, 0.55)})
    o = sheet(n=20, at=(0.1, 0, 1.0))
    o.scale, o.rotation_euler = (0.5, 1.3, 2.0), (0.1, 0.2, 0.7)
    move(o, "location", {1: (0.1, 0, 0.9), 20: (0.4, 0, 0.9)}) # the object runs away; the cloth falls where it was
    before = shown(o, 1)
    job = Bake(bpy.context, [o])
    while job.step() == "EXPORT":
        pass
    text = json.loads((job.work / "scene.json").read_text())
    check(len(text["garments"][0].pop("output_matrix")) == 20, "a matrix for each frame")
    (job.work / "world.json").write_text(json.dumps(text))
    subprocess.run([command(), "cloth", "run", str(job.work / "world.json"), "--out", str(work / "world.pc2"), "--device", "host", "-q"], check=True, stdout=subprocess.DEVNULL)
    while job.step() == "RUN":
        time.sleep(0.01)
    check(job.state == "DONE", job.error)
    raw = (work / "world.pc2").read_bytes()
    world = np.frombuffer(raw[32:], "<f4").reshape(20, len(before), 3)
    near(shown(o, 1), before, 1e-6, "the first frame is the mesh as it is;")
    for frame in range(1, 21):
        near(shown(o, frame), world[frame - 1], 2e-6, f"frame {frame}")
    check(np.ptp(world[-1][:, 2]) > 0.05, "it lies over the ball")


@test
def nothing_is_inside_a_moving_ball():
    new_file(last=40)
    b = ball(0.3, (0, 0, 0.5))
    move(b, "location", {1: (0, 0, 0.5), 40: (0.3, 0, 0.5)})
    o = sheet(n=30, size=1.4, at=(0.1, 0, 0.95), quality=20)
    bake(o)
    for frame in (10, 20, 40):
        p = shown(o, frame)
        far = np.linalg.norm(p - np.array(b.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation), axis=1)
        check(far.min() > 0.29, f"frame {frame}: a vertex is {far.min():.3f} from the middle of a ball of 0.3")
    check(p[:, 2].max() < 0.9 and p[:, 2].min() < 0.5, "it hangs over the ball")


@test
def a_body_that_deforms_lifts_what_lies_on_it():
    scene = new_file(last=30)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0))
    body = bpy.context.object
    body.scale = (2, 2, 0.5)
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="tall")
    for point in key.data:
        point.co.z += 1.0 if point.co.z > 0 else 0.0 # 0.5 in the world
    for frame, value in ((1, 0.0), (10, 0.0), (25, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    body.modifiers.new("Collision", "COLLISION")
    o = sheet(n=10, at=(0, 0, 0.3), quality=15)
    bake(o)
    near(shown(o, 9)[:, 2], 0.255, 0.02, "it lies on the body;")
    near(shown(o, 30)[:, 2], 0.755, 0.02, "and goes up with it;")


def falls(first, fps, base, scale):
    """Without air: 1/2 g t (t + h), the same for every vertex."""
    scene = new_file(first=first, last=first + 12, fps=fps, base=base, scale=scale)
    scene.gravity = (0, 0, -9.81 / scale) # as Blender keeps what it shows as 9.81 m/s^2
    o = sheet(size=1 / scale, at=(0, 0, 2 / scale), air=0.0, damping=0.0, thickness=0.005 / scale)
    o.scale = (2, 1, 1)
    bpy.context.view_layer.update()
    before = shown(o, first)
    bake(o)
    check(o.modifiers[MODIFIER].frame_start == first, "the cache starts with the range")
    near(shown(o, first), before, 1e-5 / scale, "the first frame")
    for frame in (first + 1, first + 6, first + 12):
        t = (frame - first) / (fps / base)
        h = 1 / (fps / base) / 8 # a substep: what integrates late
        fallen = (before - shown(o, frame))[:, 2] * scale
        exact = 9.81 * t * t / 2
        check(abs(fallen.mean() - exact) <= 9.81 * t * h / 2 + 1e-4, f"frame {frame}: fell {fallen.mean():.5f} m, {exact:.5f} by the formula")
        check(np.ptp(fallen) < 1e-4, "it falls as a whole")


@test
def a_free_fall_is_the_formula():
    falls(1, 24, 1.0, 1.0)


@test
def a_free_fall_in_centimetres():
    falls(1, 24, 1.0, 0.01)


@test
def a_free_fall_at_23_976_from_frame_101():
    falls(101, 24, 1.001, 1.0)


@test
def pins_go_where_the_mesh_goes():
    """A modifier above the cache, an animated object, a group that holds an edge; the rest swings behind."""
    new_file(last=20)
    o = sheet(n=14, at=(0, 0, 1), pins="held")
    edge = [v.index for v in o.data.vertices if v.co.x < -0.49]
    group(o, "held", edge)
    wave = o.modifiers.new("Wave", "WAVE")
    wave.height, wave.speed = 0.1, 0.1
    o.modifiers.new("Subdivision", "SUBSURF")
    move(o, "location", {1: (0, 0, 1), 20: (0.5, 0.2, 1.2)})
    o.modifiers["Subdivision"].show_viewport = False
    driven = {frame: shown(o, frame)[edge] for frame in (1, 7, 20)}
    o.modifiers["Subdivision"].show_viewport = True
    bake(o)
    check([m.name for m in o.modifiers] == ["Wave", MODIFIER, "Subdivision"], "the cache lies between deforming and making vertices")
    check(all(m.show_viewport for m in o.modifiers), "modifiers are on again")
    o.modifiers["Subdivision"].show_viewport = False
    for frame, wanted in driven.items():
        near(shown(o, frame)[edge], wanted, 1e-5, f"pins at frame {frame}")
    check(shown(o, 20)[:, 2].min() < 0.9, "the rest hangs down")
    again = shown(o, 20)
    bake(o) # with its own cache in the stack: the same
    near(shown(o, 20), again, 1e-5, "baked again")


@test
def a_marker_is_a_jump():
    """With a marker at its frame, an object that jumps takes the cloth along: as if it had stayed; without it, the cloth is dragged."""
    found = {}
    for name in ("stays", "teleport", "no marker"):
        scene = new_file(last=20)
        o = sheet(n=10, at=(0, 0, 1), pins="held")
        group(o, "held", [v.index for v in o.data.vertices if v.co.x < -0.49])
        if name != "stays":
            move(o, "location", {1: (0, 0, 1), 9: (0, 0, 1), 10: (20, 5, 3), 20: (20, 5, 3)})
        if name == "teleport":
            scene.timeline_markers.new("Teleport", frame=10)
        bake(o)
        found[name] = shown(o, 20)
    near(found["teleport"], found["stays"] + (20, 5, 2), 1e-3, "after the jump")
    check(np.abs(found["no marker"] - found["teleport"]).max() > 0.1, "the marker matters")


@test
def painted_distance_and_pull():
    new_file(last=20)
    o = sheet(n=14, distance_group="far", distance=0.05)
    half = [v.index for v in o.data.vertices if v.co.x < 0]
    group(o, "far", range(len(o.data.vertices)))
    group(o, "far", half, 0.2)
    before = shown(o, 1)
    bake(o)
    far = np.linalg.norm(shown(o, 20) - before, axis=1)
    check(far.max() <= 0.0501 and far[half].max() <= 0.0101, "nothing is farther than its distance")
    check(far.max() > 0.03, "and what may go, goes")
    o.heddle_cloth.distance_group, o.heddle_cloth.pull_group = "", "far"
    group(o, "far", range(len(o.data.vertices)), 1.0)
    bake(o)
    near(shown(o, 20), before, 2e-3, "pulled all the way")


@test
def wind_blows():
    scene = new_file(last=20)
    scene.use_gravity = False
    bpy.ops.object.effector_add(type="WIND", rotation=(0, math.pi / 2, 0))
    wind = bpy.context.object
    o = sheet(n=10, air=2.0, damping=0.0)
    o.rotation_euler = (0, math.pi / 2, 0)
    for frame, strength in ((1, 0.0), (10, 0.0), (11, 6.0)):
        wind.field.strength = strength
        wind.field.keyframe_insert("strength", frame=frame)
    for curve in wind.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
    before = shown(o, 1)
    bake(o)
    near(shown(o, 10), before, 1e-3, "without wind nothing moves;")
    moved = (shown(o, 20) - before).mean(axis=0)
    check(moved[0] > 0.05 and abs(moved[1]) < 0.02, f"blown along x: {moved}")
    bpy.ops.object.effector_add(type="VORTEX")
    bpy.context.view_layer.objects.active = o
    check(any("Vortex" in words for words in heddle_cloth.PHYSICS_PT_heddle_cloth.remarks(bpy.context)), "a field that is left out is said")


@test
def n_gons_and_concave_colliders():
    new_file(last=30)
    mesh = bpy.data.meshes.new("horseshoe") # a concave face, extruded: a fan from its first corner would fill its gap
    outline = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (0.2, 0.5), (0.2, -0.2), (-0.2, -0.2), (-0.2, 0.5), (-0.5, 0.5)]
    count = len(outline)
    mesh.from_pydata([(x, y, z) for z in (0, 0.2) for x, y in outline], [],
                     [list(reversed(range(count))), list(range(count, 2 * count))] + [[k, (k + 1) % count, (k + 1) % count + count, k + count] for k in range(count)])
    body = bpy.data.objects.new("horseshoe", mesh)
    bpy.context.collection.objects.link(body)
    body.modifiers.new("Collision", "COLLISION")
    o = sheet("patch", n=6, size=0.2, at=(0, 0.2, 0.4)) # over the gap
    bake(o)
    check(shown(o, 30)[:, 2].max() < -0.5, "what falls through the gap falls on")
    bpy.ops.mesh.primitive_circle_add(vertices=16, radius=0.3, fill_type="NGON", location=(0, -0.35, 0.5))
    disc = bpy.context.object
    disc.heddle_cloth.use = True
    bake(disc)
    check(shown(disc, 30)[:, 2].mean() > 0.05, f"the disc of one face lies on top: {shown(disc, 30)[:, 2].mean()}")


@test
def linked_data():
    new_file(last=5)
    o = sheet()
    twin = bpy.data.objects.new("twin", o.data)
    twin.location = (3, 0, 1)
    bpy.context.collection.objects.link(twin)
    bpy.context.view_layer.update()
    before = shown(twin, 5)
    bake(o)
    near(shown(twin, 5), before, 0, "the twin of the same mesh stays;")
    check(MODIFIER not in twin.modifiers and o.data.users == 2, "and has no modifier")
    bpy.ops.wm.save_as_mainfile(filepath=str(work / "library.blend"))
    new_file(last=5)
    with bpy.data.libraries.load(str(work / "library.blend"), link=True) as (there, here):
        here.objects = ["cloth"]
    linked = here.objects[0]
    bpy.context.collection.objects.link(linked)
    refuses("linked from another file: make a library override", linked)
    own = linked.override_create()
    bpy.context.collection.objects.link(own)
    own.heddle_cloth.quality = 5
    bake(own)
    check(MODIFIER in own.modifiers, "an override is baked")


@test
def an_unsaved_file():
    new_file(saved=False, last=5)
    o = sheet("höllisch/rot")
    bake(o)
    path = pathlib.Path(o.modifiers[MODIFIER].filepath)
    check(path.is_absolute() and path.exists() and path.suffix == ".pc2", f"the cache is {path}")
    check(shown(o, 5)[:, 2].max() < 1, "it plays")


@test
def a_cache_plays_while_it_grows_and_ends_at_once():
    new_file(last=250)
    o = sheet(n=60, quality=200)
    job = Bake(bpy.context, [o])
    while job.step() == "EXPORT" or job.state == "RUN" and job.done < 4:
        pass
    check(job.state == "RUN" and 4 <= job.done < 250, f"still running: {job.state} {job.error} {job.done}")
    early = shown(o, 4)
    check(early[:, 2].max() < 1, "frame 4 is to be seen already")
    start = time.time()
    job.cancel()
    took, there = time.time() - start, job.done
    check(took < 2 and job.state == "CANCELLED" and 4 <= there < 250, f"ended after {took:.2f} s with {there} frames")
    check(len(cache(o)) == there + 1, "the frames that are there stay")
    near(shown(o, 4), early, 0, "frame 4 as before;")
    near(shown(o, 200), shown(o, there + 1), 0, "behind the last frame it stands still;")
    job = Bake(bpy.context, [o])
    check(job.step() == "EXPORT", "ended while it reads")
    job.cancel()
    check(o.modifiers[MODIFIER].show_viewport and len(cache(o)) == there + 1, "the bake before stays")


@test
def an_object_or_a_file_goes_away():
    for stage in ("EXPORT", "RUN"):
        new_file(last=250)
        o = sheet(n=30, quality=100)
        job = Bake(bpy.context, [o])
        while job.step() != stage:
            pass
        bpy.data.objects.remove(o)
        while job.step() in ("EXPORT", "RUN"):
            time.sleep(0.01)
        check(job.state == "FAILED" and "removed" in job.error, f"{stage}: {job.state} {job.error}")
        check(not job.process or job.process.poll() is not None, "the process has ended")
        new_file(last=250)
        job = Bake(bpy.context, [sheet(n=30, quality=100)])
        while job.step() != stage:
            pass
        new_file()
        job.cancel()
        check(job.state == "CANCELLED" and (not job.process or job.process.poll() is not None), "another file was loaded")


@test
def a_bake_that_is_refused_leaves_the_one_before():
    scene = new_file()
    o = sheet()
    bpy.ops.object.heddle_cloth_bake()
    path, key = pathlib.Path(bpy.path.abspath(o.modifiers[MODIFIER].filepath)), o["heddle_cloth_baked"]
    before = path.read_bytes()

    def refused(why, words):
        message = ""
        try:
            bpy.ops.object.heddle_cloth_bake()
        except RuntimeError as problem:
            message = str(problem)
        check(words in message, why, message)
        check(path.is_file() and path.read_bytes() == before, why, "took the cache away")
        check(o.modifiers[MODIFIER].show_viewport and o["heddle_cloth_baked"] == key, why, "left it without the cache")

    o.heddle_cloth.pins = "absent"
    refused("a group that is not there", "no vertex group")
    o.heddle_cloth.pins = ""
    o.heddle_cloth.pressure = 100.0
    refused("pressure on an open mesh", "closed mesh")
    o.heddle_cloth.pressure = 0.0
    scene.heddle_cloth_device = "cuda:99"
    refused("a device that is not there", "cuda:99")
    scene.heddle_cloth_device = "host"
    given, os.environ["HEDDLE"] = os.environ.get("HEDDLE"), str(work / "nowhere")
    refused("a command that is not there", "nowhere")
    if given:
        os.environ["HEDDLE"] = given
    else:
        del os.environ["HEDDLE"]
    bake = Bake(bpy.context, [o])
    bake.step()
    bake.cancel()
    check(path.read_bytes() == before and o.modifiers[MODIFIER].show_viewport, "a bake that was cancelled early took the cache away")
    o.heddle_cloth.air = 20.0
    bpy.ops.object.heddle_cloth_bake()
    check(o["heddle_cloth_baked"] != key and path.read_bytes() != before, "a new bake did not replace the old one")
    check([p.name for p in path.parent.iterdir()] == [path.name], f"beside it: {list(path.parent.iterdir())}")


@test
def a_copy_of_a_baked_object_leaves_it_its_cache():
    new_file(last=5)
    o = sheet()
    bpy.ops.object.heddle_cloth_bake()
    path = cache_path(o)
    before = path.read_bytes()
    copies = []
    for _ in range(2):
        copies.append(o.copy())
        copies[-1].data = o.data.copy()
        bpy.context.collection.objects.link(copies[-1])
        check(cache_path(copies[-1]) == path, "a copy plays another cache")
    copies[0].heddle_cloth.air = 20.0
    job = Bake(bpy.context, copies[:1])
    job.to_the_end()
    check(job.state == "DONE" and cache_path(copies[0]) != path, "the bake of a copy:", job.state, job.error)
    check(path.is_file() and path.read_bytes() == before, "a bake of a copy took the cache away")
    clear(copies[1])
    check(path.is_file(), "a copy that was cleared took the cache away")
    clear(o)
    check(not path.exists(), "a cache that nothing plays stays")


@test
def a_renamed_object_keeps_its_cache():
    new_file(last=6)
    old = sheet()
    bake(old)
    was = cache(old).copy()
    old.name = "old"
    new = sheet(n=5, at=(0, 0, 2))
    bake(new)
    check(cache_path(old) != cache_path(new), "an object of the same name plays the same cache")
    near(cache(old), was, 0, "the cache of the renamed object")
    bake(old)
    bake(new)
    check(cache_path(old) != cache_path(new), "after baking again they play one cache")
    check(cache(new).shape[1] == 36 and cache(old).shape[1] == 169, "vertices", cache(new).shape, cache(old).shape)


@test
def names_are_exchanged():
    scene = new_file(last=4)
    a, b = sheet("a"), sheet("b", n=5)
    bake(a, every=True)
    a.name, b.name, a.name = "c", "a", "b"
    before = cache_path(a).read_bytes(), cache_path(b).read_bytes()
    scene.heddle_cloth_device = "cuda:99"
    refuses("cuda:99", a, b)
    refuses("cuda:99", b, a)
    check((cache_path(a).read_bytes(), cache_path(b).read_bytes()) == before, "a bake that is refused changed the caches")
    scene.heddle_cloth_device = "host"
    bake(a, every=True)
    check(cache(a).shape[1] == 169 and cache(b).shape[1] == 36, "vertices", cache(a).shape, cache(b).shape)


@test
def a_cache_on_another_disk_is_replaced_or_stays():
    """Of a file that was baked before it was saved the cache is in the system's folder, often another disk, to which no file is renamed."""
    shared = pathlib.Path("/dev/shm")
    if not shared.is_dir() or os.stat(shared).st_dev == os.stat(work).st_dev:
        return
    other = pathlib.Path(tempfile.mkdtemp(dir=shared)) / "heddle"
    try:
        scene = new_file(last=5)
        o = sheet()
        bpy.ops.object.heddle_cloth_bake()
        other.mkdir()
        path = pathlib.Path(shutil.move(cache_path(o), other / "cloth.pc2"))
        o.modifiers[MODIFIER].filepath = str(path)
        before = path.read_bytes()
        scene.heddle_cloth_device = "cuda:99"
        job = Bake(bpy.context, [o])
        job.to_the_end()
        check("cuda:99" in job.error, "another reason:", job.error)
        check(path.read_bytes() == before and o.modifiers[MODIFIER].show_viewport, "a bake that was refused took the cache away")
        job = Bake(bpy.context, [o])
        while job.state == "EXPORT":
            job.step()
        o.modifiers.remove(o.modifiers[MODIFIER])
        job.to_the_end()
        check(job.state == "FAILED" and path.read_bytes() == before, "without the modifier:", job.state, job.error)
        scene.heddle_cloth_device = "host"
        bpy.ops.object.heddle_cloth_bake()
        check(cache_path(o).parent == job.folder and len(cache(o)) == 5, "the new bake")
    finally:
        shutil.rmtree(other.parent)


@test
def baking_again_forgets_what_was():
    new_file(last=5)
    o = sheet()
    bake(o)
    path = pathlib.Path(bpy.path.abspath(o.modifiers[MODIFIER].filepath))
    check(path == work / "heddle" / "scene" / "cloth.pc2", f"the cache is {path}")
    check([p.name for p in path.parent.iterdir()] == ["cloth.pc2"], f"beside it: {list(path.parent.iterdir())}")
    check(o["heddle_cloth_baked"] == settings_key(o), "the bake is of these settings")
    first = shown(o, 5)
    o.heddle_cloth.air = 20.0
    words = "Settings have changed since the bake"
    check(words in list(heddle_cloth.PHYSICS_PT_heddle_cloth.remarks(bpy.context)), "the panel says that settings have changed")
    job = Bake(bpy.context, [o])
    check(path.exists(), "what was baked stays until there is something else")
    while job.step() in ("EXPORT", "RUN"):
        time.sleep(0.01)
    check(np.abs(shown(o, 5) - first).max() > 1e-4, "another result")
    check(words not in list(heddle_cloth.PHYSICS_PT_heddle_cloth.remarks(bpy.context)), "and of these settings")
    o.name = "another" # its cache goes along
    check(bpy.ops.object.heddle_cloth_clear() == {"FINISHED"} and not path.exists() and MODIFIER not in o.modifiers, "cleared")


@test
def several_together():
    new_file(last=30)
    ball(0.3, (0, 0, 0.3))
    low, high = sheet("low", n=10, at=(0, 0, 0.7), self_collision=True, thickness=0.08), sheet("high one", n=10, at=(0, 0, 0.85), self_collision=True, thickness=0.08)
    bake(low, every=True)
    under, over = shown(low, 30), shown(high, 30)
    check(over[:, 2].mean() > under[:, 2].mean() + 0.02, "one lies on the other")
    check(over[:, 2].mean() < 0.8, "both have fallen")


@test
def layers_begin_outside_of_each_other():
    """Two balls of cloth that begin within a body; the inner one is mirrored, which turns its faces."""
    new_file(last=3)
    ball(0.3, (0, 0, 0))
    made = {}
    for name, radius, layer in (("coat", 0.27, 2), ("shirt", 0.28, 1)):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, segments=24, ring_count=16)
        o = made[name] = bpy.context.object
        o.name, o.heddle_cloth.use, o.heddle_cloth.thickness, o.heddle_cloth.layer, o.heddle_cloth.quality = name, True, 0.02, layer, 8
    made["shirt"].scale.x = -1
    before = shown(made["shirt"], 1)
    bake(o, every=True)
    shirt, coat = (np.linalg.norm(shown(made[name], 1), axis=1) for name in ("shirt", "coat"))
    # faces of the body's ball lie up to 0.005 below it, those of the shirt, too
    check(shirt.min() > 0.314 and shirt.max() < 0.34, f"the shirt begins at {shirt.min():.3f} to {shirt.max():.3f}, around a body of 0.3")
    check(coat.min() > shirt.min() + 0.014 and coat.max() < 0.38, f"the coat begins at {coat.min():.3f} to {coat.max():.3f}")
    for o in made.values():
        o.heddle_cloth.layer = 0
    bake(o, every=True)
    shirt = np.linalg.norm(shown(made["shirt"], 1), axis=1)
    check(shirt.min() > 0.314, f"without a layer the shirt begins at {shirt.min():.3f}, within a body of 0.3")
    for o in made.values():
        o.location.x = 2
    bake(o, every=True)
    near(shown(made["shirt"], 1), before + (2, 0, 0), 1e-6, "beside the body it begins where it is;")


@test
def a_mirrored_garment_is_posed_and_whole():
    """Half a sheet under Mirror, Armature and Subdivision: both halves are simulated as one, in the pose; the mesh has a key shape."""
    new_file(last=6)
    o = sheet(n=12, size=1.0, at=(0, 0, 1))
    half = bmesh.new()
    half.from_mesh(o.data)
    bmesh.ops.delete(half, geom=[v for v in half.verts if v.co.x < -1e-4], context="VERTS")
    half.to_mesh(o.data)
    half.free()
    o.shape_key_add(name="Basis")
    raised = o.shape_key_add(name="raised", from_mix=False)
    raised.value = 1
    for point in raised.data:
        point.co.z += 0.1
    bones = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.collection.objects.link(bones)
    bpy.context.view_layer.objects.active = bones
    bpy.ops.object.mode_set(mode="EDIT")
    bone = bones.data.edit_bones.new("bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    bones.pose.bones["bone"].location = (0, 0.5, 0) # along the bone, so up
    group(o, "bone", range(len(o.data.vertices)))
    o.modifiers.new("Mirror", "MIRROR")
    o.modifiers.new("Armature", "ARMATURE").object = bones
    o.modifiers.new("Subdivision", "SUBSURF")
    ball(0.3, (0, 0, 1.2))
    before = shown(o, 1)
    near(before[:, 2], 1.6, 1e-5, "the sheet in its pose;")
    bake(o)
    check([m.type for m in o.modifiers] == ["MIRROR", "ARMATURE", "MESH_CACHE", "SUBSURF"], [m.type for m in o.modifiers])
    near(shown(o, 1), before, 1e-5, "the start;")
    after = shown(o, 6)
    fall = 0.5 * 9.81 * (5 / 24) ** 2
    check(1.5 < after[:, 2].max() < 1.6 and abs(after[:, 2].min() - (1.6 - fall)) < 0.05, f"{after[:, 2].min():.3f} to {after[:, 2].max():.3f}")
    check(np.abs(after[:, 0]).max() < 0.52 and np.ptp(after[np.abs(after[:, 0]) < 0.01, 2]) < 0.3, "the halves are apart")


def strip(name, columns, rows, spacing, at=(0, 0, 0), **settings):
    """A grid of columns x rows vertices along x and y, clamped at its first two columns."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(spacing * x, spacing * y, 0) for y in range(rows) for x in range(columns)], [],
                     [[k, k + 1, k + columns + 1, k + columns] for y in range(rows - 1) for k in range(y * columns, (y + 1) * columns - 1)])
    o = bpy.data.objects.new(name, mesh)
    o.location = at
    bpy.context.collection.objects.link(o)
    o.heddle_cloth.use = True
    for key, value in settings.items():
        setattr(o.heddle_cloth, key, value)
    group(o, "clamp", [y * columns + x for y in range(rows) for x in range(2)])
    o.heddle_cloth.pins = "clamp"
    return o


@test
def fabrics_differ():
    """Clamped strips of 7 cm beside each other."""
    new_file(last=40)
    made = {fabric: strip(fabric.lower(), 9, 3, 0.01, at=(0, 0.1 * k, 0), fabric=fabric, quality=30, damping=0.9, tethers=False)
            for k, fabric in enumerate(heddle_cloth.FABRICS)}
    bake(made["COTTON"], every=True)
    drop = {fabric: -float(shown(o, 40)[:, 2].min()) for fabric, o in made.items()}
    check(drop["SILK"] > drop["COTTON"] > drop["LEATHER"] + 0.005, f"silk hangs lower than leather: {drop}")
    check(drop["RUBBER"] < 0.065 and min(drop.values()) > 0.02, f"each bends: {drop}")


@test
def fabrics_are_as_stiff_as_they_are():
    """A clamped strip of 5 cm of denim: 22 mm by the elastica (docs/cloth-stiffness.md), 50 where it is limp."""
    new_file(last=120, fps=60)
    o = strip("strip", 7, 3, 0.01, fabric="DENIM", quality=60, air=0.0, damping=0.99, tethers=False)
    bake(o)
    drop = -float(shown(o, 120)[:, 2].min())
    print(f"a strip of denim drops by {1000 * drop:.1f} mm")
    near(drop, 0.0215, 0.0015, "its tip")


@test
def what_substeps_give_is_said():
    new_file(last=3)
    o = strip("strip", 30, 30, 0.01, fabric="LEATHER", quality=5)
    bake(o)
    said = list(heddle_cloth.PHYSICS_PT_heddle_cloth.remarks(bpy.context))
    check(any(words.startswith("Quality 5 gives ") and "90 % takes" in words for words in said), f"the panel says {said}")


@test
def substeps_are_chosen():
    """A hung sheet at quality 0: the panel tells the choice, and edges stretch by less than the gate's 5 %."""
    new_file(last=30, fps=60)
    o = sheet(n=24, size=1.0, quality=0, self_collision=True)
    group(o, "clamp", [k for k, v in enumerate(o.data.vertices) if v.co.y > 0.499])
    o.heddle_cloth.pins = "clamp"
    length = np.array([(o.data.vertices[a].co - o.data.vertices[b].co).length for a, b in (e.vertices for e in o.data.edges)])
    ends = np.array([tuple(e.vertices) for e in o.data.edges])
    bake(o)
    said = list(heddle_cloth.PHYSICS_PT_heddle_cloth.remarks(bpy.context))
    check(any(re.match(r"(Quality \d+ was chosen|Chosen quality \d+ gives)", words) for words in said), f"the panel says {said}")
    p = shown(o, 30)
    stretch = np.linalg.norm(p[ends[:, 0]] - p[ends[:, 1]], axis=1) / length - 1
    check(stretch.max() < 0.05, f"an edge is {100 * stretch.max():.2g} % too long")


@test
def a_ball_of_cloth_is_filled():
    """With pressure it stays round under its weight, without it the top sinks in."""
    high = []
    for pressure, volume in ((200.0, 0.0), (200.0, 1.0), (0.0, 0.0)):
        new_file(last=40, fps=30)
        bpy.ops.mesh.primitive_ico_sphere_add(radius=0.2, subdivisions=4, location=(0, 0, 0.21))
        o = bpy.context.object
        o.heddle_cloth.use, o.heddle_cloth.pressure, o.heddle_cloth.volume, o.heddle_cloth.quality = True, pressure, volume, 30
        bpy.ops.mesh.primitive_cube_add(size=2.0, location=(0, 0, -1))
        bpy.context.object.modifiers.new("Collision", "COLLISION")
        bake(o)
        high.append(float(np.ptp(shown(o, 40)[:, 2])))
    check(min(high[:2]) > 0.38 and high[2] < 0.34, f"filled, a gas, empty: {high} high; 0.4 at first")


@test
def edges_without_a_face_sew():
    """Two panels over each other, sewn at one border by edges alone; one edge more leads to a vertex of no face."""
    new_file(last=60, fps=30)
    bpy.context.scene.use_gravity = False
    n, mesh = 6, bpy.data.meshes.new("panels")
    grid = [(0.05 * x, 0.05 * y) for y in range(n) for x in range(n)]
    mesh.from_pydata([(x, y, 0) for x, y in grid] + [(x, y, 0.1) for x, y in grid] + [(0, 0, 1)],
                     [(k, k + n * n) for k in range(n)] + [(0, 2 * n * n)],
                     [[k, k + 1, k + n + 1, k + n] for first in (0, n * n) for y in range(n - 1) for k in range(first + y * n, first + (y + 1) * n - 1)])
    o = bpy.data.objects.new("panels", mesh)
    bpy.context.collection.objects.link(o)
    o.heddle_cloth.use, o.heddle_cloth.air, o.heddle_cloth.sewing = True, 0.0, 0.5
    job = Bake(bpy.context, [o])
    job.to_the_end()
    check(job.state == "DONE", job.error)
    check(any("1 edges without a face lead to vertices of no face" in words for words in job.warnings), f"it warns {job.warnings}")
    p = shown(o, 60)
    gap = np.linalg.norm(p[:n] - p[n * n:n * n + n], axis=1)
    check(gap.max() < 0.005, f"sewn borders are {gap.max():.4f} apart; they began at 0.1")
    check(np.linalg.norm(p[n * n - 1] - p[2 * n * n - 1]) > 0.02, "the other borders are not sewn")


@test
def pockets_and_fins_are_cloth():
    """A fin along a line of the strip: an edge of three faces. It falls with the strip."""
    new_file(last=30, fps=30)
    o = strip("strip", 12, 4, 0.02, fabric="COTTON", quality=20)
    mesh, count = o.data, 48
    line = [y * 12 + 8 for y in range(4)]
    finned = bpy.data.meshes.new("finned")
    finned.from_pydata([tuple(v.co) for v in mesh.vertices] + [(0.16, 0.02 * y, 0.03) for y in range(4)], [],
                       [list(f.vertices) for f in mesh.polygons] + [[line[y], line[y + 1], count + y + 1, count + y] for y in range(3)])
    o.data = finned
    group(o, "clamp", [y * 12 + x for y in range(4) for x in range(2)])
    bake(o)
    p = shown(o, 30)
    far = np.linalg.norm(p[count:] - p[line], axis=1)
    check(len(p) == count + 4 and far.max() < 0.033 and far.min() > 0.02, f"the fin's vertices are {far.min():.3f} to {far.max():.3f} from their line; at rest 0.03")
    check(p[count:, 2].max() < 0, f"and hang with the strip: {p[count:, 2]}")


@test
def instances_of_collections_are_colliders():
    """A ball in a collection that is not in the scene itself, instanced by an empty that moves."""
    scene = new_file(last=40)
    b = ball(0.2, (0.1, 0, 0))
    props = bpy.data.collections.new("props")
    for c in list(b.users_collection):
        c.objects.unlink(b)
    props.objects.link(b)
    for k, x in enumerate((-0.4, 0.2)): # the balls are at -0.3 and 0.3
        empty = bpy.data.objects.new(f"set {k}", None)
        empty.instance_type, empty.instance_collection, empty.location = "COLLECTION", props, (x, 0, 0.6)
        scene.collection.objects.link(empty)
        move(empty, "location", {1: (x, 0, 0.6), 40: (x, 0, 0.65)})
    o = sheet(n=30, size=1.2, at=(0, 0, 0.9), quality=20)
    bake(o)
    p = shown(o, 40)
    for x in (-0.3, 0.3):
        far = np.linalg.norm(p - (x, 0, 0.65), axis=1)
        check(0.19 < far.min() < 0.22, f"a vertex is {far.min():.3f} from the middle of a ball of 0.2 at {x}")
    check(p[:, 2].min() < 0.6, "it hangs over the balls")


def hung(tear, weak=None, **settings):
    """A sheet of 0.5 m that hangs from its upper border; `weak`: factor of `tear` along its middle."""
    o = sheet("hung", n=10, size=0.5, fabric="JERSEY", quality=20, damping=0.5, tear=tear, **settings)
    o.data.transform(Matrix.Rotation(math.pi / 2, 4, "X"))
    height = np.array([v.co.z for v in o.data.vertices])
    group(o, "top", np.flatnonzero(height > 0.24))
    o.heddle_cloth.pins = "top"
    if weak:
        group(o, "weak", np.flatnonzero(np.abs(height) < 0.03), weak)
        o.heddle_cloth.tear_group = "weak"
    return o


@test
def cloth_tears_along_a_painted_line():
    """The lower half falls, what Blender shows is the mesh with a vertex for each corner, and faces keep their shape at the start."""
    low = {}
    for tear, weak in ((0.0, None), (1.0, None), (1.0, 0.001)):
        new_file(last=30, fps=30)
        o = hung(tear, weak)
        start = shown(o, 1)[[k for face in o.data.polygons for k in face.vertices]]
        bake(o)
        low[tear, weak] = float(shown(o, 30)[:, 2].min())
        if not tear:
            continue
        check(len(shown(o, 1)) == len(o.data.loops), "a vertex for each corner of a face")
        bpy.context.scene.frame_set(1)
        e = o.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = e.to_mesh()
        corner = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", corner)
        near(heddle_cloth.export.points(mesh, e.matrix_world)[corner], start, 1e-5, "corners at the start")
        e.to_mesh_clear()
        o.modifiers.new("Weld", "WELD")
        check(len(shown(o, 1)) == len(o.data.vertices), "a Weld modifier after the cache closes the seams")
        check(len(shown(o, 30)) >= len(o.data.vertices) + (5 if weak else 0), "but not the tear")
        o.modifiers.remove(o.modifiers["Weld"])
        check(cache(o).shape[0] == 30, "a sample for each frame")
    check(abs(low[1.0, None] - low[0.0, None]) < 0.01, f"at a high limit it does not tear: {low}")
    check(low[1.0, 0.001] < low[0.0, None] - 0.5, f"the lower half falls: {low}")
    o.heddle_cloth.tear = 0.0
    bake(o)
    check(TEAR not in o.modifiers and len(shown(o, 30)) == len(o.data.vertices), "baked again without a tear it is whole")
    o.heddle_cloth.tear = 1.0
    bake(o)
    heddle_cloth.bake.clear(o)
    check(not o.modifiers, "Clear removes both modifiers")


@test
def what_cannot_tear_is_said():
    new_file(last=3)
    o = hung(0.2)
    o.heddle_cloth.pressure = 100.0
    refuses("it tears and has pressure", o)
    o.heddle_cloth.pressure = 0.0
    o.heddle_cloth.distance_group = "top"
    refuses("Max Distance and Pull are for cloth that does not", o)
    o.heddle_cloth.distance_group = ""
    move(o, "location", {1: (0, 0, 0), 3: (0, 0, 1)})
    refuses("pins that move", o)
    o.animation_data_clear()
    bpy.ops.mesh.primitive_circle_add(vertices=5, fill_type="NGON")
    five = bpy.context.object
    five.heddle_cloth.use, five.heddle_cloth.tear = True, 0.2
    refuses("faces of more than four corners", five)
    o.heddle_cloth.tear_group = "nowhere"
    refuses('has no vertex group "nowhere"', o)


@test
def what_is_wrong_is_said():
    new_file(last=5)
    empty = bpy.data.objects.new("empty mesh", bpy.data.meshes.new("empty"))
    bpy.context.collection.objects.link(empty)
    refuses("empty mesh has no faces", empty)
    o = sheet(pins="nowhere")
    refuses('has no vertex group "nowhere"', o)
    o.vertex_groups.new(name="nowhere")
    refuses("no vertex has a weight above 0.5", o)
    o.heddle_cloth.pins = ""
    b = ball()
    build = b.modifiers.new("Build", "BUILD")
    build.frame_start, build.frame_duration = 1, 3
    b.modifiers.move(1, 0)
    refuses("may not change how many there are", o)
    bpy.data.objects.remove(b)
    o.scale.x = 0
    refuses("a scale of 0", o)
    o.scale.x = 1
    for who in (o, ball()):
        place = who.data.vertices[7].co.x
        who.data.vertices[7].co.x = math.nan
        refuses("vertex 7 has no place at frame 1", o)
        who.data.vertices[7].co.x = place
    bpy.context.scene.frame_end = bpy.context.scene.frame_start
    refuses("nothing moves", o)
    bpy.context.scene.frame_end = 5
    bpy.context.scene.heddle_cloth_device = "nonsense"
    refuses("nonsense", o)
    bpy.context.scene.heddle_cloth_device = "host"
    was = os.environ["HEDDLE"]
    os.environ["HEDDLE"] = "/nowhere/heddle"
    refuses("/nowhere/heddle: No such file", o)
    os.environ["HEDDLE"] = was
    check(file_name("a b") != file_name("a_b") and file_name("a_b") == "a_b", "names of files do not meet")
    check(folder_of("/x/y.blend") == pathlib.Path("/x/heddle/y"), "a folder for each file")


@test
def the_panel_draws():
    """Without a window: each property and operator that it names is there."""

    class Layout:
        def __getattr__(self, name):
            return lambda *arguments, **named: Layout()

        def prop(self, data, name, **named):
            check(name in data.bl_rna.properties, f"no property {name}")

        def prop_search(self, data, name, where, what, **named):
            self.prop(data, name)
            self.prop(where, what)

        def operator(self, name, **named):
            check(hasattr(getattr(bpy.ops, name.split(".")[0]), name.split(".")[1]), f"no operator {name}")
            return Layout()

        column = row = lambda self, **named: Layout()

    class Panel:
        layout = Layout()
        remarks = staticmethod(heddle_cloth.PHYSICS_PT_heddle_cloth.remarks)

    scene = new_file(scale=0.01)
    sheet(pins="a", distance_group="b", tear=0.2)
    heddle_cloth.PHYSICS_PT_heddle_cloth.draw_header(Panel, bpy.context)
    heddle_cloth.PHYSICS_PT_heddle_cloth.draw(Panel, bpy.context)
    check(any("Gravity is 0.0981 m/s²" in words for words in Panel.remarks(bpy.context)), "weak gravity is said")
    check(any("Thickness is 0.05 mm" in words for words in Panel.remarks(bpy.context)), "a thin cloth is said")
    scene.gravity, bpy.context.object.heddle_cloth.thickness = (0, 0, -981), 0.5
    check(not list(Panel.remarks(bpy.context)), "and nothing where all is well")


def picture(path):
    """A tablecloth, rendered by Cycles: for eyes."""
    scene = new_file(last=60)
    bpy.ops.mesh.primitive_cylinder_add(radius=0.5, depth=0.06, location=(0, 0, 0.7), vertices=96)
    table = bpy.context.object
    table.modifiers.new("Collision", "COLLISION")
    o = sheet("tablecloth", n=120, size=1.7, at=(0, 0, 0.76), quality=40, thickness=0.008, fabric="COTTON", self_collision=True)
    start = time.time()
    bake(o)
    print(f"   {len(o.data.vertices)} vertices, 60 frames: {time.time() - start:.1f} s")
    o.modifiers.new("Subdivision", "SUBSURF").render_levels = 1
    for polygon in o.data.polygons:
        polygon.use_smooth = True
    for thing, colour in ((o, (0.55, 0.08, 0.06, 1)), (table, (0.35, 0.25, 0.15, 1))):
        material = bpy.data.materials.new(thing.name)
        material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour
        material.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.8
        thing.data.materials.append(material)
    bpy.ops.mesh.primitive_plane_add(size=20, location=(0, 0, -0.05))
    bpy.ops.object.light_add(type="AREA", location=(2, -2, 3))
    light = bpy.context.object
    light.data.energy, light.data.size, light.rotation_euler = 250, 1.5, (0.7, 0.3, 0.6)
    scene.world = bpy.data.worlds.new("sky")
    scene.world.color = (0.4, 0.45, 0.5)
    bpy.ops.object.camera_add(location=(2.1, -2.1, 1.9), rotation=(1.05, 0, math.pi / 4))
    scene.camera = bpy.context.object
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 24, False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.filepath = 640, 480, path
    scene.frame_set(60)
    bpy.ops.render.render(write_still=True)


def main():
    arguments = sys.argv[1:]
    heddle_cloth.register()
    if arguments[:1] == ["--picture"]:
        return picture(arguments[1])
    failed = 0
    for function in tests:
        if arguments and function.__name__ not in arguments:
            continue
        start = time.time()
        try:
            function()
            print(f"[PASS] {function.__name__} ({time.time() - start:.2f} s)", flush=True)
        except Exception as problem:
            failed += 1
            print(f"[FAIL] {function.__name__}: {problem}", flush=True)
            if not isinstance(problem, AssertionError):
                traceback.print_exc()
    shutil.rmtree(work, ignore_errors=True)
    print(f"{len(tests)} tests, {failed} failed")
    sys.stdout.flush()
    os._exit(bool(failed)) # the module's own end may crash


main()
