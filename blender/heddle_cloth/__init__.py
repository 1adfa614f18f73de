"""Heddle Cloth: bakes meshes as cloth with Heddle, into point caches that play while they grow. Properties, Physics, Heddle Cloth."""
import bpy

from .bake import Bake, clear, command, settings_key
from .export import FABRICS, MODIFIER, ExportError, Winds, unit


class HeddleClothSettings(bpy.types.PropertyGroup):
    use: bpy.props.BoolProperty(name="Heddle Cloth", description="This object is cloth")
    fabric: bpy.props.EnumProperty(name="Fabric", items=[(key, name, words) for key, (name, words, _) in FABRICS.items()], default="COTTON")
    warp: bpy.props.EnumProperty(name="Warp", description="Axis of the object along which the stronger threads run; where it stands on the cloth, another one", items=[(axis, axis, "") for axis in "XYZ"], default="Z")
    quality: bpy.props.IntProperty(name="Quality", description="Substeps of a frame: more stretch less. 0: chosen by the bake, which tells how many, and how much of the fabric's stiffness they give", default=0, min=0, max=1000, soft_max=100)
    thickness: bpy.props.FloatProperty(name="Thickness", description="Distance kept from colliders and other cloth", default=0.005, min=0.0, subtype="DISTANCE", precision=4)
    friction: bpy.props.FloatProperty(name="Friction", default=0.5, min=0.0, max=10.0)
    damping: bpy.props.FloatProperty(name="Damping", description="Share of the speed that is lost in a second", default=0.1, min=0.0, max=0.99)
    air: bpy.props.FloatProperty(name="Air", description="How much air and wind drag it along", default=1.0, min=0.0, max=100.0)
    self_collision: bpy.props.BoolProperty(name="Self Collision", description="Keeps layers of it apart, and from other cloth of the same bake")
    layer: bpy.props.IntProperty(name="Layer", description="Who lies outside of whom at the start: 1 on the body, higher ones further out. What begins within is moved out. 0: none; it is moved out of colliders alone", default=0, min=0, max=1000, soft_max=10)
    sewing: bpy.props.FloatProperty(name="Sewing Time", description="Seconds in which edges without a face draw their two ends together", default=1.0, min=0.0, soft_max=10.0)
    pressure: bpy.props.FloatProperty(name="Pressure", description="Inside a closed mesh minus outside, in pascals: a cushion needs 50 to 200", default=0.0, min=-1e6, max=1e6, soft_min=0.0, soft_max=2000.0)
    volume: bpy.props.FloatProperty(name="Gas Volume", description="The pressure is that of a gas at this multiple of the mesh's volume, and falls as it swells. 0: the same at any volume", default=0.0, min=0.0, max=1000.0, soft_max=5.0)
    tear: bpy.props.FloatProperty(name="Tear", description="Stretch at which it tears between its faces: 0.2 is a fifth longer than at rest. 0: never", default=0.0, min=0.0, max=1e4, soft_max=2.0, precision=3)
    tear_group: bpy.props.StringProperty(name="Tear Strength", description="Vertex group: weights multiply Tear, 0.3 along a line makes a weak line. Outside of the group: 1")
    pins: bpy.props.StringProperty(name="Pins", description="Vertex group: weights above 0.5 go where the mesh goes")
    tethers: bpy.props.BoolProperty(name="Keep Length", description="Nothing gets farther from the pins than along the cloth", default=True)
    distance_group: bpy.props.StringProperty(name="Max Distance", description="Vertex group: how far from the mesh's own motion, as a share of the distance")
    distance: bpy.props.FloatProperty(name="Distance", description="At weight 1", default=0.1, min=0.0, subtype="DISTANCE")
    pull_group: bpy.props.StringProperty(name="Pull", description="Vertex group: how far it is pulled to the mesh's own motion in each substep")


def cloths_of(context, every):
    if every:
        return [o for o in context.scene.objects if o.type == "MESH" and o.heddle_cloth.use and o.name in context.view_layer.objects]
    return [context.object]


class OBJECT_OT_heddle_cloth_bake(bpy.types.Operator):
    """Simulate into a cache on disk, which plays from its first frame on. Esc ends it at once and keeps the frames that are there"""
    bl_idname = "object.heddle_cloth_bake"
    bl_label = "Bake"
    every: bpy.props.BoolProperty(name="All", description="Every object of the scene that is Heddle cloth, together", options={"SKIP_SAVE"})
    running = None # one at a time: both would set the scene's frame

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and context.object and context.object.type == "MESH" and not cls.running

    def start(self, context):
        try:
            self.bake = Bake(context, cloths_of(context, self.every))
        except ExportError as problem:
            self.report({"ERROR"}, str(problem))
            return False
        return True

    def finish(self):
        for line in self.bake.warnings:
            self.report({"WARNING"}, line)
        if self.bake.state == "FAILED":
            self.report({"ERROR"}, self.bake.error)
            return {"CANCELLED"}
        if not bpy.data.filepath:
            self.report({"WARNING"}, "The file was never saved: the cache is lost when Blender ends")
        return {"FINISHED"}

    def execute(self, context): # from scripts: to the end
        if not self.start(context):
            return {"CANCELLED"}
        self.bake.to_the_end()
        return self.finish()

    def invoke(self, context, event):
        if not self.start(context):
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.05, window=context.window)
        context.window_manager.progress_begin(0, self.bake.total)
        context.window_manager.modal_handler_add(self)
        type(self).running = self.bake
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.bake.cancel()
        elif event.type == "TIMER":
            self.bake.step()
        else:
            return {"PASS_THROUGH"} # the rest of Blender goes on
        what = "reads" if self.bake.state == "EXPORT" else "simulates"
        context.window_manager.progress_update(self.bake.done)
        context.workspace.status_text_set(f"Heddle {what}: frame {self.bake.done} of {self.bake.total}. Esc ends it and keeps what is there")
        if self.bake.state in ("EXPORT", "RUN"):
            return {"RUNNING_MODAL"} if event.type == "ESC" else {"PASS_THROUGH"}
        self.end(context)
        return self.finish()

    def cancel(self, context): # Blender closes, or loads another file
        self.bake.cancel()
        self.end(context)

    def end(self, context):
        type(self).running = None
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


class OBJECT_OT_heddle_cloth_clear(bpy.types.Operator):
    """Remove the cache and its modifier"""
    bl_idname = "object.heddle_cloth_clear"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object and MODIFIER in context.object.modifiers

    def execute(self, context):
        clear(context.object)
        return {"FINISHED"}


class PHYSICS_PT_heddle_cloth(bpy.types.Panel):
    bl_label = "Heddle Cloth"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "physics"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.object and context.object.type == "MESH"

    def draw_header(self, context):
        self.layout.prop(context.object.heddle_cloth, "use", text="")

    def draw(self, context):
        o, s, layout = context.object, context.object.heddle_cloth, self.layout
        layout.use_property_split, layout.use_property_decorate, layout.active = True, False, s.use
        for name in ("fabric", "warp", "quality", "thickness", "friction", "damping", "air", "self_collision", "layer", "sewing", "pressure"):
            layout.prop(s, name)
        if s.pressure:
            layout.prop(s, "volume")
        layout.prop(s, "tear")
        if s.tear:
            layout.prop_search(s, "tear_group", o, "vertex_groups")
        column = layout.column(heading="Held By")
        for name in ("pins", "distance_group", "pull_group"):
            column.prop_search(s, name, o, "vertex_groups")
            if name == "pins" and s.pins and not s.tear:
                column.prop(s, "tethers")
            if name == "distance_group" and s.distance_group:
                column.prop(s, "distance")
        layout.prop(context.scene, "heddle_cloth_device")
        row = layout.row()
        row.operator("object.heddle_cloth_bake")
        row.operator("object.heddle_cloth_bake", text="Bake All").every = True
        row.operator("object.heddle_cloth_clear")
        for words in self.remarks(context):
            layout.label(text=words, icon="INFO")

    @staticmethod
    def remarks(context):
        o, scene = context.object, context.scene
        if not command():
            yield "The command heddle is not installed"
        if MODIFIER in o.modifiers and o.get("heddle_cloth_baked") not in (None, settings_key(o)):
            yield "Settings have changed since the bake"
        elif MODIFIER in o.modifiers and o.get("heddle_cloth_given"):
            yield o["heddle_cloth_given"]
        gravity = scene.gravity.length * unit(scene)
        if scene.use_gravity and unit(scene) != 1 and gravity < 5:
            yield f"Gravity is {gravity:.3g} m/s² in this scene's units"
        thickness = 1000 * o.heddle_cloth.thickness * unit(scene)
        if unit(scene) != 1 and thickness < 0.5:
            yield f"Thickness is {thickness:.3g} mm in this scene's units"
        for kind in Winds(scene).left_out:
            yield f"Force fields of kind {kind} are left out"


classes = (HeddleClothSettings, OBJECT_OT_heddle_cloth_bake, OBJECT_OT_heddle_cloth_clear, PHYSICS_PT_heddle_cloth)


def register():
    for c in classes:
        bpy.utils.register_class(c)
    bpy.types.Object.heddle_cloth = bpy.props.PointerProperty(type=HeddleClothSettings, override={"LIBRARY_OVERRIDABLE"})
    bpy.types.Scene.heddle_cloth_device = bpy.props.StringProperty(name="Device", description="As `heddle devices` names it: cuda:0, host; empty: the best")


def unregister():
    del bpy.types.Scene.heddle_cloth_device, bpy.types.Object.heddle_cloth
    for c in reversed(classes):
        bpy.utils.unregister_class(c)
