"""One bake: export, then `heddle cloth run` beside Blender, which writes the cache that a Mesh Cache modifier plays while it grows. No windows in
it, so that it runs in scripts and tests as well."""
import importlib.util
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import time

import bpy

import numpy as np

from .export import MODIFIER, TEAR, ExportError, export, file_name, place


# The substeps of a frame, as `heddle cloth run` prints them; its line if they give less than 90 % of a fabric's stiffness.
SUBSTEPS = r".*, (\d+) substeps$"
GIVEN = r"\S+: (\d+) substeps give (\S+) % of its fabric's stiffness where they give least; 90 % takes (\d+)"


BAKED = ("heddle_cloth_baked", "heddle_cloth_given") # settings of the cache, and its substeps, as properties of the object


def about_substeps(log, chosen):
    """A line for the panel: substeps that were chosen, or how stiff they make the garment that they make least stiff; "": nothing to say."""
    given = next((found for line in log if (found := re.match(GIVEN, line))), None)
    if given:
        return f"{'Chosen quality' if chosen else 'Quality'} {given[1]} gives {given[2]} % of the stiffness; 90 % takes {given[3]}"
    count = next((found[1] for line in log if (found := re.match(SUBSTEPS, line))), "")
    return f"Quality {count} was chosen" if chosen and count else ""


def command():
    """The command: $HEDDLE, else that of the wheel inside the extension, else an installed one; None."""
    given = os.environ.get("HEDDLE")
    if given:
        return given
    found = importlib.util.find_spec("heddle") # not imported: cffi is not needed for this
    for folder in found.submodule_search_locations or [] if found else []:
        program = pathlib.Path(folder) / "bin" / "heddle"
        if program.exists():
            if not os.access(program, os.X_OK): # Blender unpacks wheels without their permissions
                program.chmod(0o755)
            return str(program)
    return shutil.which("heddle")


def folder_of(scene_file):
    """Where caches are: beside the .blend, with its name; of a file that was never saved in Blender's temporary folder."""
    if scene_file:
        path = pathlib.Path(scene_file)
        return path.parent / "heddle" / path.stem
    return pathlib.Path(bpy.app.tempdir or tempfile.gettempdir()) / "heddle"


class TornCache:
    """A cache that Blender plays: that of the command, with `rows` of each sample; None: all."""

    def __init__(self, source, path, rows):
        self.source, self.path, self.rows, self.count = source, path, rows, 0

    def grow(self):
        """Copies the samples that are new."""
        try:
            with open(self.source, "rb") as f:
                head = list(struct.unpack("<12siiffi", f.read(32)))
                if self.rows is not None and head[2] != len(self.rows):
                    raise ExportError(f"{self.source.name} has {head[2]} vertices; expected {len(self.rows)}, a corner each")
                f.seek(32 + 12 * head[2] * self.count)
                fresh = np.frombuffer(f.read(12 * head[2] * (head[5] - self.count)), "<f4").reshape(-1, head[2], 3)
        except (FileNotFoundError, struct.error):
            return
        with open(self.path, "r+b" if self.count else "wb") as f:
            if not self.count:
                f.write(bytes(32))
            f.seek(0, os.SEEK_END)
            f.write((fresh if self.rows is None else fresh[:, self.rows]).tobytes())
            f.flush()
            self.count += len(fresh)
            head[5] = self.count
            f.seek(0)
            f.write(struct.pack("<12siiffi", *head))


class Bake:
    """Steps until done: `step()` for a moment, `state` EXPORT, RUN, DONE, CANCELLED or FAILED, `done` of `total` frames, `error` a line."""

    def __init__(self, context, cloths):
        self.context, self.cloths = context, cloths
        self.names = [o.name for o in cloths]
        self.state, self.error, self.warnings, self.process, self.log = "EXPORT", "", [], None, None
        self.first, self.total, self.done = context.scene.frame_start, context.scene.frame_end - context.scene.frame_start, 0
        self.folder, self.stem = folder_of(bpy.data.filepath), file_name(cloths[0].name)
        self.work = self.folder / ("work-" + file_name(cloths[0].name))
        program = command()
        if not program:
            raise ExportError("the command heddle is not installed, and this extension came without it")
        self.program = program
        for o in cloths:
            if o.library or not o.is_editable:
                raise ExportError(f"{o.name} is linked from another file: make a library override of it")
        try:
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir(parents=True)
            for o in cloths:
                if o.heddle_cloth.tear and TEAR not in o.modifiers:
                    split_faces(o)
        except OSError as problem:
            raise ExportError(f"cannot write to {self.folder}: {problem.strerror}") from problem
        self.rows, self.torn, self.earlier = {}, [], []
        self.exporting = export(context, cloths, self.work, self.warnings, self.rows)

    def cache(self, cloth):
        """STEM.pc2; of several garments STEM-NAME.pc2, as the command names them."""
        return self.folder / (f"{self.stem}.pc2" if len(self.cloths) == 1 else f"{self.stem}-{file_name(cloth.name)}.pc2")

    def choose_stem(self):
        """The name of the first object, with a number where another object, which was renamed, plays a cache of that name."""
        first, number = file_name(self.cloths[0].name), 1
        self.stem = first
        while any(is_shared(self.cache(o), self.cloths) for o in self.cloths):
            number += 1
            self.stem = f"{first}-{number}"

    def written(self, cloth):
        """The cache that the command writes: of cloth that tears in the folder of its work."""
        return self.work / self.cache(cloth).name if self.rows else self.cache(cloth)

    def step(self):
        """A frame of export, or a look at how far the simulation is."""
        try:
            if self.state == "EXPORT":
                exported = next(self.exporting, None)
                if exported is None:
                    self.run()
                else:
                    self.done = exported
            elif self.state == "RUN":
                self.look()
        except (ExportError, OSError) as problem:
            named = isinstance(problem, OSError) and problem.filename
            self.error, self.state = f"{problem.filename}: {problem.strerror}" if named else str(problem), "FAILED"
            self.put_back()
        except ReferenceError: # what Blender says of an object that is no more
            self.stop()
            self.error, self.state = "an object of the bake was removed", "FAILED"
            self.put_back()
        return self.state

    def to_the_end(self):
        """For scripts; Ctrl-C is Esc."""
        try:
            while self.step() in ("EXPORT", "RUN"):
                if self.state == "RUN":
                    time.sleep(0.02)
        except KeyboardInterrupt:
            self.cancel()

    def lay_aside(self):
        """Moves what was baked before out of the way, until the new bake has its first frame."""
        self.choose_stem()
        for n, o in enumerate(self.cloths):
            path = baked_path(o)
            own = path and os.path.abspath(path) == os.path.abspath(self.cache(o))
            if path and path.exists() and (own or not is_shared(path, self.cloths)):
                kept = self.work / f"earlier-{n}.pc2"
                shutil.move(path, kept) # which may be another disk, if the file was saved since
                self.earlier.append((o, path, kept))
            if MODIFIER in o.modifiers:
                o.modifiers[MODIFIER].show_viewport = False
        for o in self.cloths: # two of them may have exchanged their names
            self.cache(o).unlink(missing_ok=True)

    def put_back(self):
        """Undoes lay_aside(): a bake without a frame leaves the one before it."""
        for o, path, kept in self.earlier:
            shutil.move(kept, path)
            try:
                o.modifiers[MODIFIER].show_viewport = True
            except (ReferenceError, KeyError): # the object, or its modifier, is no more
                pass
        self.earlier = []

    def run(self):
        scene, self.done = self.context.scene, 0
        self.lay_aside()
        for o in self.cloths if self.rows else []:
            self.torn.append(TornCache(self.written(o), self.cache(o), self.rows.get(o.name)))
        out = (self.work if self.rows else self.folder) / f"{self.stem}.pc2"
        arguments = [self.program, "cloth", "run", str(self.work / "scene.json"), "--out", str(out)]
        if scene.heddle_cloth_device:
            arguments += ["--device", scene.heddle_cloth_device]
        self.log = open(self.work / "log.txt", "w+")
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        self.state = "RUN"

    def samples(self):
        """In every cache so far, the start included."""
        counts = []
        for torn in self.torn:
            torn.grow()
        for o in self.cloths:
            try:
                with open(self.cache(o), "rb") as f:
                    counts.append(struct.unpack("<12siiffi", f.read(32))[5])
            except (OSError, struct.error):
                counts.append(0)
        return min(counts)

    def look(self):
        code = self.process.poll() # before the count: what was written until then is counted
        samples = self.samples()
        if samples and not self.shown():
            self.show()
        if samples - 1 > self.done:
            self.done = samples - 1
            for o in self.cloths: # the frame on the screen may be among the new ones
                o.update_tag()
        if code is not None:
            self.ended(code)

    def ended(self, code):
        self.log.seek(0)
        log = self.log.read().splitlines()
        lines = [line.removeprefix("heddle: ") for line in log if line.startswith("heddle: ")]
        self.log.close()
        self.warnings += [line.removeprefix("warning: ") for line in lines if line.startswith("warning: ")]
        errors = [line for line in lines if not line.startswith("warning: ")]
        if code and self.state == "RUN":
            self.error, self.state = (errors or [f"heddle ended with code {code}"])[-1], "FAILED"
        elif self.state == "RUN":
            self.state = "DONE"
        baked = self.samples() > 0
        if not baked:
            self.put_back()
        given = about_substeps(log, chosen=not any(o.heddle_cloth.quality for o in self.cloths))
        for o in self.cloths if baked else []:
            if o.name in bpy.data.objects:
                o["heddle_cloth_baked"] = settings_key(o)
                if given:
                    o["heddle_cloth_given"] = given
        if self.state != "FAILED": # else what it was made of stays for a look
            shutil.rmtree(self.work, ignore_errors=True)
        for o in self.cloths: # what only the command itself uses again
            self.cache(o).with_suffix(".state").unlink(missing_ok=True)
            self.cache(o).with_name(self.cache(o).stem + "-mesh.obj").unlink(missing_ok=True)
        (self.folder / f"{self.stem}.state").unlink(missing_ok=True)

    def shown(self):
        return all(MODIFIER in o.modifiers and o.modifiers[MODIFIER].show_viewport for o in self.cloths)

    def show(self):
        """A Mesh Cache modifier on each object; it reads the file anew at every frame, also while it grows."""
        self.earlier = []
        for o in self.cloths:
            for key in BAKED:
                o.pop(key, None)
            if TEAR in o.modifiers and not o.heddle_cloth.tear:
                o.modifiers.remove(o.modifiers[TEAR])
            m = o.modifiers.get(MODIFIER)
            if not m:
                index = place(o)
                m = o.modifiers.new(MODIFIER, "MESH_CACHE")
                o.modifiers.move(len(o.modifiers) - 1, index)
                m = o.modifiers[MODIFIER]
            m.show_viewport = m.show_render = True
            if TEAR in o.modifiers:
                o.modifiers.move(o.modifiers.find(TEAR), o.modifiers.find(MODIFIER) - (o.modifiers.find(TEAR) < o.modifiers.find(MODIFIER)))
                o.modifiers[TEAR].show_viewport = o.modifiers[TEAR].show_render = True
            m.cache_format, m.interpolation, m.time_mode, m.play_mode = "PC2", "LINEAR", "FRAME", "SCENE"
            m.forward_axis, m.up_axis, m.deform_mode = "POS_Y", "POS_Z", "OVERWRITE"
            m.frame_start, m.frame_scale = self.first, 1.0
            path = str(self.cache(o))
            m.filepath = bpy.path.relpath(path) if bpy.data.filepath else path

    def stop(self):
        """Ends export and process, whatever they are doing."""
        self.exporting.close()
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def cancel(self):
        """At once; the frames that are there stay."""
        was, self.state = self.state, "CANCELLED"
        try:
            self.stop()
            if was == "RUN":
                samples = self.samples()
                self.done = max(0, samples - 1)
                if samples:
                    self.show()
                self.ended(0)
        except ReferenceError: # another file was loaded meanwhile
            self.put_back()


def settings_key(o):
    """What a bake depends on, as far as it can be compared at once: settings, groups, the mesh's size, the scene's range and rate."""
    scene, s = bpy.context.scene, o.heddle_cloth
    values = [str(getattr(s, key)) for key in sorted(s.bl_rna.properties.keys()) if key not in ("rna_type", "name", "use")]
    mesh = o.data
    return "|".join(values + [str(len(mesh.vertices)), str(len(mesh.polygons)), str(scene.frame_start), str(scene.frame_end), str(scene.render.fps / scene.render.fps_base)])


def split_faces(o):
    """Inserts TEAR before the cache, off until there is something to show."""
    at = o.modifiers.find(MODIFIER)
    m = o.modifiers.new(TEAR, "EDGE_SPLIT")
    m.use_edge_angle, m.split_angle, m.show_viewport = True, 0.0, False
    o.modifiers.move(len(o.modifiers) - 1, at if at >= 0 else place(o))


def baked_path(o):
    """The cache that an object plays, if it is ours, wherever it was pointed to; else None."""
    if MODIFIER not in o.modifiers or not o.modifiers[MODIFIER].filepath:
        return None
    path = pathlib.Path(bpy.path.abspath(o.modifiers[MODIFIER].filepath))
    return path if "heddle" in (path.parent.parent.name, path.parent.name) else None


def is_shared(path, cloths):
    """True if an object that is none of `cloths` plays a cache, as a copy of a baked object does."""
    return any(o not in cloths and baked_path(o) == path for o in bpy.data.objects)


def clear(o):
    """Takes away cache and modifiers, and the settings that the cache was made with."""
    path = baked_path(o)
    if path and not is_shared(path, [o]):
        path.unlink(missing_ok=True)
    for name in (TEAR, MODIFIER):
        if name in o.modifiers:
            o.modifiers.remove(o.modifiers[name])
    for key in BAKED:
        o.pop(key, None)
