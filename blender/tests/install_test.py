"""The zip as an artist installs it: python install_test.py ZIP, in a Blender of its own and with no `heddle` on the PATH. It bakes with the
command inside."""
import os
import sys
import tempfile

home = tempfile.mkdtemp(prefix="heddle-blender-")
os.environ.update(BLENDER_USER_RESOURCES=home, PATH="/usr/bin:/bin")
os.environ.pop("HEDDLE", None)
import bpy # noqa: E402

bpy.ops.preferences.addon_enable(module="bl_pkg")
done = bpy.ops.extensions.package_install_files(filepath=os.path.abspath(sys.argv[1]), repo="user_default", enable_on_install=True)
assert done == {"FINISHED"}, done
extension = sys.modules["bl_ext.user_default.heddle_cloth"]
assert extension.command().startswith(home), f"the command is {extension.command()}"
scene = bpy.context.scene
scene.frame_end = 10
bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=1, location=(0, 0, 1))
o = bpy.context.object
o.heddle_cloth.use = True
assert bpy.ops.object.heddle_cloth_bake() == {"FINISHED"}
scene.frame_set(10)
z = (o.matrix_world @ o.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[0].co).z
assert z < 0.8, f"after 9 frames it is at {z}"
print(f"installed from the zip; baked with {os.path.relpath(extension.command(), home)}", flush=True)
os._exit(0)
