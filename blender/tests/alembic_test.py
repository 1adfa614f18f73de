"""The Alembic cache of `heddle cloth run --animated`, as Blender reads it: the vertices of every frame, the faces, the texture coordinates."""
import array, os, struct, subprocess, tempfile

import bpy


def samples_of(path):
    data = open(path, 'rb').read()
    points, start, rate, count = struct.unpack('<iffi', data[16:32])
    floats = array.array('f', data[32:])
    return [[floats[3 * i:3 * i + 3] for i in range(points * sample, points * (sample + 1))] for sample in range(count)]


def rows_of(path, word):
    return [line.split()[1:] for line in open(path) if line.startswith(word + ' ')]


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([os.environ['HEDDLE'], 'cloth', 'run', 'garment', '--frames', '6', '--device', 'host', '--quiet', '--out', 'dress.pc2', '--animated', 'dress.abc'],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    samples = samples_of(f'{folder}/dress.pc2')
    corners = [[[int(n) for n in corner.split('/')] for corner in face] for face in rows_of(f'{folder}/dress-mesh.obj', 'f')]
    textures = [[float(x) for x in row[:2]] for row in rows_of(f'{folder}/dress-mesh.obj', 'vt')]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 60
    bpy.ops.wm.alembic_import(filepath=f'{folder}/dress.abc', as_background_job=False)
    (dress,) = [o for o in bpy.data.objects if o.type == 'MESH']
    assert scene.frame_end - scene.frame_start + 1 == len(samples), (scene.frame_start, scene.frame_end)
    for frame, sample in enumerate(samples):
        scene.frame_set(frame)
        mesh = dress.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
        # Blender's vertical axis is z
        away = max(abs(a - b) for vertex, (x, y, z) in zip(mesh.vertices, sample, strict=True) for a, b in zip(dress.matrix_world @ vertex.co, (x, -z, y)))
        assert away < 1e-6, f'frame {frame}: a vertex is {away} m away'
        assert [list(face.vertices) for face in mesh.polygons] == [[corner[0] - 1 for corner in face] for face in corners], f'frame {frame}: other faces'
        uv = [list(entry.uv) for entry in mesh.uv_layers[0].data]
        wanted = [textures[corner[1] - 1] for face in corners for corner in face]
        assert all(abs(a - b) < 1e-6 for p, q in zip(uv, wanted, strict=True) for a, b in zip(p, q)), f'frame {frame}: other texture coordinates'
print(f'{len(samples)} frames of dress.abc are those of dress.pc2')
