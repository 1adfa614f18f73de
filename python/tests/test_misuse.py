"""Calls right and wrong, each group in a process of its own: right ones work, wrong ones raise what is named, in a sentence, and none crashes.
Right calls after wrong ones show that nothing of a refused call is kept."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import heddle

#: Group -> (beginning, [(call, None if it is right, else the names of what it may raise)]).
ERROR, VALUE, TYPE, INDEX, BUFFER, UNSUPPORTED = "Error", "ValueError", "TypeError", "IndexError", "BufferError", "UnsupportedError"
MEMORY = "OutOfMemoryError"
CALLS = {
    "arrays": ("""
host = heddle.device("host")
fixed = np.arange(4, dtype=np.float32)
fixed.flags.writeable = False
np.save("m.npy", np.arange(4.0))
words = b"a text of bytes."
class Only:
    def __init__(self, array): self.array = array
    def __dlpack__(self, **how): return self.array.__dlpack__(**how)
    def __dlpack_device__(self): return self.array.__dlpack_device__()
""", [
        ("heddle.asarray(np.arange(4.0)).set([1, 2, 3, 4])", None),
        ("heddle.asarray(np.load('m.npy', mmap_mode='r')).set([1, 2, 3, 4])", VALUE),
        ("heddle.asarray(np.load('m.npy', mmap_mode='r+')).set([1, 2, 3, 4])", None),
        ("heddle.asarray(np.frombuffer(words, np.uint8)).set(np.zeros(16))", VALUE),
        ("heddle.asarray(memoryview(words)).set(np.zeros(16))", VALUE),
        ("np.asarray(heddle.asarray(fixed))[0] = 1", VALUE),
        ("heddle.asarray(fixed).__dlpack__()", BUFFER),
        ("heddle.asarray(Only(heddle.asarray(fixed))).set([1, 2, 3, 4])", VALUE),
        ("heddle.asarray(Only(np.arange(4.0))).set([1, 2, 3, 4])", None),
        ("assert fixed.tolist() == [0, 1, 2, 3] and words == b'a text of bytes.'", None),
        ("heddle.asarray(b'abc')", TYPE),
        ("heddle.asarray('abc')", TYPE),
        ("heddle.asarray(None)", TYPE),
        ("heddle.asarray([])", VALUE),
        ("heddle.asarray(np.zeros((4, 4))[:, ::2])", VALUE),
        ("heddle.asarray(np.zeros(3, '>f4'))", VALUE),
        ("heddle.asarray(np.zeros(3), 'nosuch')", ERROR),
        ("heddle.asarray(heddle.empty(3, on='host'), 'host')", None),
        ("heddle.asarray(np.frombuffer(bytearray(9), np.uint8)[1:].view(np.float32))", VALUE),
        ("len(heddle.asarray(3.0))", TYPE),
        ("heddle.empty(3, on='host')", None),
        ("heddle.empty(0, on='host')", None),
        ("heddle.empty(-3, on='host')", VALUE),
        ("heddle.empty((2, -3), on='host')", VALUE),
        ("heddle.empty(2.5, on='host')", TYPE),
        ("heddle.empty('3', on='host')", TYPE),
        ("heddle.empty(True, on='host')", TYPE),
        ("heddle.empty((1 << 40, 1 << 40), on='host')", MEMORY),
        ("heddle.empty(3, object, 'host')", TYPE),
        ("heddle.empty(3, [], 'host')", TYPE),
        ("heddle.empty(3, 'M8[D]', 'host')", TYPE),
        ("heddle.empty(3, np.longdouble, 'host')", TYPE),
        ("heddle.empty(3, 'nonsense', 'host')", TYPE),
        ("host.array([1, 2, 3])", None),
        ("assert host.array(np.arange(3, dtype='>f4')).numpy().tolist() == [0, 1, 2]", None),
        ("host.array([None])", TYPE),
        ("host.array(['a'])", TYPE),
        ("host.array([[1], [2, 3]])", VALUE),
        ("host.array(np.array(['2020-01-01'], 'M8[D]'))", TYPE),
        ("heddle.empty(2, np.int32, 'host').set([1.0, 2.0])", None),
        ("heddle.empty(2, np.int32, 'host').set([1.7, 2])", VALUE),
        ("heddle.empty(2, np.int32, 'host').set([np.nan, 2])", VALUE),
        ("heddle.empty(2, np.uint8, 'host').set([300, 2])", VALUE),
        ("heddle.empty(2, np.uint8, 'host').set([-1, 2])", VALUE),
        ("heddle.empty(2, np.float32, 'host').set([1e300, 2])", VALUE),
        ("heddle.empty(2, np.float32, 'host').set([np.inf, np.nan])", None),
        ("heddle.empty(2, np.float32, 'host').set([1j, 2])", TYPE),
        ("heddle.empty(2, np.float32, 'host').set(['a', 'b'])", TYPE),
        ("heddle.empty(2, np.float32, 'host').set([1, 2, 3])", VALUE),
        ("heddle.device('nosuch')", ERROR),
        ("heddle.device(5.0)", TYPE),
        ("heddle.device('ho\\0st')", VALUE),
        ("heddle.Context(colour='red')", TYPE),
        ("heddle.Context(host_threads=-1)", VALUE),
        ("heddle.Context(host_threads=1.5)", TYPE),
        ("heddle.Context(database=5)", TYPE),
        ("heddle.Stream('host').wait()", None),
        ("heddle.Stream('host', 5)", UNSUPPORTED),
        ("heddle.Stream('host', 'x')", UNSUPPORTED),
    ]),
    "cloth": ("""
k = 6
z, x = np.meshgrid(np.linspace(0, 1, k), np.linspace(0, 1, k), indexing="ij")
vertices = np.stack([x, 0 * x, z], -1).reshape(-1, 3)
at = np.arange(k * k).reshape(k, k)
faces = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], -1).reshape(-1, 4)
make = lambda v=vertices, f=faces, pins=(0,), **more: heddle.Cloth.from_mesh(v, f, pins, device="host", **more)
cloth = make()
state = cloth.save()
""", [
        ("cloth.step(2, wind=(1, 0, 0), gust=0.1, colliders=[heddle.Sphere((0, -5, 0), 1)])", None),
        ("cloth.step(wind=(np.nan, 0, 0))", VALUE),
        ("cloth.step(wind=np.nan)", TYPE),
        ("cloth.step(wind=(1, 2))", VALUE),
        ("cloth.step(wind='abc')", TYPE),
        ("cloth.step(gust=np.inf)", VALUE),
        ("cloth.step(gravity=(0, 'down', 0))", TYPE),
        ("cloth.step(gravity=(0, -9.81, 0, 1))", VALUE),
        ("cloth.step(-1)", VALUE),
        ("cloth.step(1.5)", TYPE),
        ("cloth.step('2')", TYPE),
        ("cloth.step(seconds=-1)", VALUE),
        ("cloth.step(seconds=np.nan)", VALUE),
        ("cloth.step(colliders=[5])", TYPE),
        ("cloth.step(colliders=5)", TYPE),
        ("cloth.step(colliders=[heddle.Sphere((0, -5, 0), 1)], collider_starts=[])", VALUE),
        ("cloth.step(collider_starts=[heddle.Sphere((0, -5, 0), 1), heddle.Sphere((0, 5, 0), 1)])", VALUE),
        ("cloth.step(colliders=[heddle.Sphere((0, 0), 1)])", VALUE),
        ("cloth.step(colliders=[heddle.Sphere((0, -5, 0), -1)])", VALUE),
        ("cloth.step(colliders=[heddle.Sphere((0, -5, 0), 1, np.nan)])", VALUE),
        ("cloth.step(colliders=[heddle.Plane((0, -5, 0), (0, 0, 0))])", VALUE),
        ("cloth.step(colliders=[heddle.Mesh([[0, 0, 0]], [[0, 1, 2]])])", ERROR),
        ("cloth.step(colliders=[heddle.Mesh([[0, 0]], [[0, 0, 0]])])", VALUE),
        ("cloth.step(driver=[[1, 2, 3]])", VALUE),
        ("cloth.step(motion=np.eye(3))", VALUE),
        ("cloth.step(motion=np.full((4, 4), np.nan))", ERROR),
        ("cloth.step(); assert np.isfinite(cloth.positions).all() and cloth.frame == 3", None),
        ("cloth.step(0); assert cloth.frame == 3", None),
        ("cloth.load(state); assert cloth.frame == 0", None),
        ("cloth.load(state[:20])", ERROR),
        ("cloth.load(b'')", VALUE),
        ("cloth.load(5)", VALUE),
        ("assert len(cloth.run(2)) == 2", None),
        ("cloth.run(-1)", VALUE),
        ("cloth.run()", VALUE),
        ("cloth.run(2, progress=5)", TYPE),
        ("cloth.picture(0, 10)", VALUE),
        ("make(pins=[0.5])", VALUE),
        ("make(pins=[-1])", VALUE),
        ("make(pins=[36])", VALUE),
        ("make(pins=[True, False])", VALUE),
        ("make(pins=3)", VALUE),
        ("make(pins=np.arange(36) < 3).step()", None),
        ("make(pins=['a'])", TYPE),
        ("make(v=vertices[:, :2])", VALUE),
        ("make(v=np.where(np.arange(108).reshape(36, 3) == 5, np.nan, vertices))", VALUE),
        ("make(v=[[1, 2], [3]])", VALUE),
        ("make(f=[[0, 1, 99]])", VALUE),
        ("make(f=[[0, 1, 2.5]])", VALUE),
        ("make(f=[[0, 1]])", VALUE),
        ("make(f=5)", TYPE),
        ("make(f=[0, 1, 2])", TYPE),
        ("make(density=-1)", VALUE),
        ("make(density=0)", VALUE),
        ("make(rate=0)", VALUE),
        ("make(substeps=1001)", VALUE),
        ("make(fabric='deny')", VALUE),
        ("make(fabric=3)", TYPE),
        ("make(fabric={'warp': 'much'})", TYPE),
        ("make(fabric={'wrap': 1})", TYPE),
        ("make(substeps=1.5)", TYPE),
        ("make(thickness=-1)", VALUE),
        ("make(stretch=np.nan)", VALUE),
        ("make(solver='best')", VALUE),
        ("make(colour='red')", TYPE),
        ("make(garment={'colour': 'red'})", TYPE),
        ("make(garment={'max_distance': [1, 2]})", VALUE),
        ("make(garment=5)", TYPE),
        ("make(garment={'self_collision': 'yes'})", VALUE),
        ("heddle.Cloth('/nowhere.json')", "FileError"),
        ("heddle.Cloth(5)", TYPE),
        ("heddle.read_mesh(5)", TYPE),
    ]),
    "synth": ("""
synth = heddle.Synth(heddle.data() / "instruments" / "vibes.json")
tank = heddle.Synth(heddle.data() / "instruments" / "tank.json")
import os
os.mkdir("texts")
def write(name, text):
    with open(os.path.join("texts", name), "wb") as file: file.write(text)
    return os.path.join("texts", name)
def tuned(tuning, mapping=None): return heddle.Synth(heddle.data() / "instruments" / "vibes.json", tuning=tuning, mapping=mapping)
scale = write("a.scl", b"equal\\n 2\\n600.\\n2/1\\n")
keys = write("a.kbm", b"0\\n0\\n127\\n60\\n69\\n440\\n0\\n")
""", [
        ("tuned(scale)", None),
        ("tuned(scale, keys)", None),
        ("tuned(np.arange(128)).render([(0, 0.05, 60, 0.5)], seconds=0.05)", None),
        ("tuned(None, keys)", VALUE),
        ("tuned(np.arange(128), keys)", VALUE),
        ("tuned(keys)", ERROR),
        ("tuned(scale, scale)", ERROR),
        ("tuned(write('all.tun', b'note 60=6000'), keys)", ERROR),
        ("tuned('nosuch.scl')", "FileError"),
        ("tuned('texts')", "FileError"),
        ("tuned(scale, 'nosuch.kbm')", "FileError"),
        ("tuned(write('empty.scl', b''))", ERROR),
        ("tuned(write('wide.scl', 'x\\n1\\n2/1\\n'.encode('utf-16')))", ERROR),
        ("tuned(write('nan.scl', b'x\\n1\\nnan'))", ERROR),
        ("tuned(write('zero.scl', b'x\\n1\\n3/0'))", ERROR),
        ("tuned(np.full(128, np.inf))", ERROR),
        ("tuned(np.arange(128) * 1000.)", ERROR),
        ("tuned(np.arange(12))", VALUE),
        ("tuned(5)", VALUE),
        ("tuned(['a'] * 128)", TYPE),
        ("synth.render([(0, 0.05, 60, 0.5)], seconds=0.05)", None),
        ("synth.render([(0, 0.05, 60.5, 0.5)])", TYPE),
        ("synth.render([(0, 0.05, 200, 0.5)])", VALUE),
        ("synth.render([(0, np.nan, 60, 0.5)])", VALUE),
        ("synth.render([(0, 1, 60)])", VALUE),
        ("synth.render([5])", TYPE),
        ("synth.render(5)", TYPE),
        ("synth.render('/nowhere.mid')", "FileError"),
        ("synth.render([], seconds=-1)", VALUE),
        ("synth.render([], seconds=np.inf)", VALUE),
        ("synth.render([], tail=-1)", VALUE),
        ("synth.render([], progress=5)", TYPE),
        ("tank.render(sound=np.zeros(100), tail=0)", None),
        ("tank.render(sound=np.full(100, np.nan), tail=0)", VALUE),
        ("tank.render(sound='abc', tail=0)", TYPE),
        ("synth.render(sound=np.zeros(100))", VALUE),
        ("heddle.Synth(heddle.data() / 'instruments' / 'vibes.json', rate=0)", VALUE),
        ("heddle.Synth(heddle.data() / 'instruments' / 'vibes.json', rate='fast')", TYPE),
        ("heddle.Synth(heddle.data() / 'instruments' / 'vibes.json', block=-1)", VALUE),
        ("heddle.Synth(heddle.data() / 'instruments' / 'vibes.json', colour=1)", TYPE),
        ("heddle.write_wav('x.wav', np.zeros((2, 10)))", None),
        ("heddle.write_wav('x.wav', np.zeros((2, 10)), rate=-1)", VALUE),
        ("heddle.write_wav('x.wav', np.zeros((2, 10)), rate=0)", VALUE),
        ("heddle.write_wav('x.wav', np.zeros((2, 10)), bits=24)", VALUE),
        ("heddle.write_wav('x.wav', ['a'])", TYPE),
        ("heddle.write_wav('', np.zeros(3))", "FileNotFoundError"),
        ("assert sorted(os.listdir('.')) == ['texts', 'x.wav'], os.listdir('.')", None),
        ("synth.close()", None),
        ("synth.render([], seconds=0.1)", ERROR),
    ]),
    "mppi": ("""
make = lambda **more: heddle.MPPI("double_integrator", "goal", **{"num_samples": 32, "horizon": 5, "device": "host", **more})
mppi = make()
fleet = make(count=3)
""", [
        ("mppi.command(np.zeros(4))", None),
        ("mppi.command([0, 0, 0])", VALUE),
        ("mppi.command([np.nan, 0, 0, 0])", ERROR),
        ("mppi.command(['a', 0, 0, 0])", TYPE),
        ("plan = mppi.plan()\ntry: mppi.command([np.inf, 0, 0, 0])\nexcept ValueError: assert (mppi.plan() == plan).all()", None),
        ("mppi.command([[1], [2, 3]])", VALUE),
        ("assert np.isfinite(mppi.command(np.zeros(4))).all()", None),
        ("fleet.command(np.zeros((3, 4)))", None),
        ("fleet.command(np.zeros((4, 3)))", VALUE),
        ("mppi.set('goal.x', 1)", None),
        ("mppi.set('goal.x', np.nan)", VALUE),
        ("mppi.set('goal.x', 'far')", TYPE),
        ("mppi.set('mass of nothing', 1)", VALUE),
        ("mppi.set(5, 1)", TYPE),
        ("mppi.plan(1)", INDEX),
        ("mppi.plan(0.5)", TYPE),
        ("mppi.trace(0)", VALUE),
        ("mppi.trace(1.5)", TYPE),
        ("mppi.trace(1, 7)", TYPE),
        ("mppi.reset(np.zeros((5, 2)))", None),
        ("mppi.reset(np.full((5, 2), np.nan))", VALUE),
        ("mppi.reset([[1], [2]])", VALUE),
        ("mppi.set_table('nosuch', [1, 2])", ERROR),
        ("mppi.set_applied([0.5, 0])", None),
        ("mppi.set_applied([np.nan, 0])", VALUE),
        ("mppi.set_applied([0])", VALUE),
        ("mppi.set_timeline('goal.x', [0, 1], [0, 1])", ERROR),
        ("mppi.set_timeline('goal.x', [0], [0, 1])", VALUE),
        ("mppi.set_timeline('goal.x', [0], [0], 7)", INDEX),
        ("mppi.time = np.nan", VALUE),
        ("mppi.choose('x')", ERROR),
        ("mppi.command(np.zeros(4), shift=-1)", VALUE),
        ("make(num_samples=0)", VALUE),
        ("make(num_samples=1.5)", TYPE),
        ("make(horizon=-1)", VALUE),
        ("make(lambda_=0)", VALUE),
        ("make(lambda_=np.nan)", VALUE),
        ("make(dt=-1)", VALUE),
        ("make(noise_sigma=[1, 2, 3])", VALUE),
        ("make(noise_sigma=np.eye(3))", VALUE),
        ("make(noise_sigma='much')", TYPE),
        ("make(noise_sigma=[1, 2], u_min=-1, u_max=[1, 1]).command(np.zeros(4))", None),
        ("make(u_min=1, u_max=-1)", VALUE),
        ("make(u_min=[1, 2, 3])", VALUE),
        ("make(scale='huge')", VALUE),
        ("make(count=-1)", VALUE),
        ("make(colour=1)", TYPE),
        ("make(parameters={'goal.nosuch': 1})", ERROR),
        ("make(parameters={'goal.x': 'far'})", TYPE),
        ("make(parameters=5)", TYPE),
        ("make(nx=3)", VALUE),
        ("make(nx=4, nu=2)", None),
        ("make(pose={'pose_x': 0})", VALUE),
        ("make(tables={'map': [1]})", VALUE),
        ("heddle.MPPI('double_integrator', heddle.mppi.Term('goal', name='mine'))", VALUE),
        ("heddle.MPPI('rocket', 'goal')", VALUE),
        ("heddle.MPPI('double_integrator', 'luck')", VALUE),
        ("heddle.MPPI(len, 'goal')", TYPE),
        ("heddle.MPPI('double_integrator', 5)", TYPE),
        ("heddle.MPPI('double_integrator', heddle.mppi.Term('goal', weight=np.nan))", VALUE),
        ("heddle.MPPI('double_integrator', heddle.mppi.Term('goal', when='never'))", VALUE),
        ("heddle.MPPI.from_scene('/nowhere.json')", "FileError"),
    ]),
    "css": ("""
sheet, doc = heddle.css.Sheet("li {color: red} .a {margin-top: 0}"), heddle.css.Document.parse("<ul><li class=a>x<li>y</ul>")
match = doc.match(sheet)
unused = heddle.css.unused
""", [
        ("elements, rules = match", None),
        ("heddle.css.Sheet(5)", TYPE),
        ("heddle.css.Sheet('a {}', origin='nobody')", VALUE),
        ("heddle.css.Sheet('a {}', line=-1)", VALUE),
        ("heddle.css.Sheet('a {}', file=doc)", TYPE),
        ("heddle.css.Sheet('a {}', medium={'colour': 1})", TYPE),
        ("heddle.css.Sheet('a {}', medium={'width': 'wide'})", TYPE),
        ("heddle.css.Sheet('a {}', imports={'x': 5})", TYPE),
        ("heddle.css.Sheet('a {}', imports=5)", TYPE),
        ("heddle.css.Sheet('a {}', medium='print')", TYPE),
        ("heddle.css.Sheet('a {}', quirks='yes')", TYPE),
        ("heddle.css.Sheet('a {}', names=5)", TYPE),
        ("heddle.css.Document.parse(None)", TYPE),
        ("heddle.css.Document.open('/nowhere.html')", "FileNotFoundError"),
        ("heddle.css.Document.from_elements([(-1, 'svg', {}), (0, 'g', {'id': 'one'})])", None),
        ("heddle.css.Document.from_elements([(-1, 'svg', {}), (5, 'g', {})])", VALUE),
        ("heddle.css.Document.from_elements([(-1, 5, {})])", TYPE),
        ("heddle.css.Document.from_elements([(-1, 'svg')])", VALUE),
        ("heddle.css.Document.from_elements([(-1, 'svg', {'id': 5})])", TYPE),
        ("heddle.css.Document.from_elements(5)", TYPE),
        ("doc.select('li')", None),
        ("doc.select('li >')", ERROR),
        ("doc.select(5)", TYPE),
        ("doc.element(100)", INDEX),
        ("doc.element(-1)", INDEX),
        ("doc.element(1.5)", TYPE),
        ("assert len(doc.match()) == 0", None),
        ("doc.match('li {}')", TYPE),
        ("heddle.css.Match([], [sheet])", ERROR),
        ("heddle.css.Match(doc, sheet)", TYPE),
        ("doc.match(heddle.css.Sheet('a {}', names=heddle.css.Names()))", ERROR),
        ("sheet.rule(2)", INDEX),
        ("match.rules_of(100)", INDEX),
        ("match.winners('margin')", ERROR),
        ("match.winners(5)", TYPE),
        ("match.set_attribute(4, 'class', 'b')", None),
        ("match.set_attribute(-1, 'class', 'b')", INDEX),
        ("match.set_attribute(4, 'class', 5)", TYPE),
        ("match.set_attribute(4, 'class', 'b', document=7)", INDEX),
        ("assert unused('a {} b {}', '<a>')[0]['sheet 1.css'].text.strip() == 'a {}'", None),
        ("unused(5)", TYPE),
        ("unused('a {}')", ERROR),
        ("unused([], '<a>')", ERROR),
        ("unused({'a.css': 5}, '<a>')", TYPE),
        ("unused({5: 'a {}'}, '<a>')", TYPE),
        ("unused('a {}', b'\\x89PNG\\r\\n\\x1a\\n\\0\\0')", ERROR),
        ("unused('a {}', '')", ERROR),
        ("unused('a {}', '<a>', keep='js-*')", TYPE),
        ("unused('a {}', '<a>', keep=['/(/'])", ERROR),
        ("unused('a {}', '<a>', maps={'a.css': '{}'})", VALUE),
        ("unused({'a.css': 'a {}'}, '<a>', maps={'a.css': 'x'})", ERROR),
        ("unused('a {}', '<a>', keyframes='yes')", TYPE),
    ]),
    "autotune": ("""
x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
def twice(x, y, B=1): y[...] = x * 2
def make(function=twice, space={"B": [1, 2]}, **more): return heddle.autotune(**{"space": space, "keep": False, "device": "host", **more})(function)
""", [
        ("make()(x, y); assert (y == 2 * x).all()", None),
        ("make(space=None, configs=[{'B': 1}, {}])(x, y); assert (y == 2 * x).all()", None),
        ("make(space={})", VALUE),
        ("make(space=5)", TYPE),
        ("make(space={'B': []})", VALUE),
        ("make(space={'B': 5})", TYPE),
        ("make(space={5: [1]})", TYPE),
        ("make(space={'B': [1, 1]})(x, y)", ERROR),
        ("make(space={'C': [1, 2]})(x, y)", ERROR),
        ("make(configs=[{'B': 1}])", VALUE),
        ("make(space=None, configs=['x'])", TYPE),
        ("make(space=None, configs=[])(x, y)", VALUE),
        ("make(key='x')", TYPE),
        ("make(key=['nosuch'])(x, y)", VALUE),
        ("make(reset_to_zero='y')", TYPE),
        ("make(reset_to_zero=['nosuch'])(x, y)", VALUE),
        ("make(restore_value=['nosuch'])(x, y)", VALUE),
        ("make(reset_to_zero=['y'])(x, y)", None),
        ("make(restrictions=5)", TYPE),
        ("make(restrictions=['NO > 1'])(x, y)", ERROR),
        ("make(restrictions=[lambda p: False])(x, y)", VALUE),
        ("make(strategy='magic')", VALUE),
        ("make(seconds=np.nan)", VALUE),
        ("make(evaluations=-1)", VALUE),
        ("make(colour=1)", TYPE),
        ("make(5)", TYPE),
        ("make()(x)", ERROR),
        ("make(lambda x, y, B=1: 1 / 0)(x, y)", ERROR),
    ]),
    "kernel_tuner": ("""
import json
from heddle import kernel_tuner
ADD = '''__kernel void add(__global float *c, __global const float *a, int n) { int i = get_global_id(0); if (i < n) c[i] = a[i] + 1; }'''
n = 1000
a, c = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
P = {"block_size_x": [32]}
def tune(text=ADD, size=n, params=P, **more):
    return kernel_tuner.tune_kernel("add", text, size, [c, a, np.int32(n)], params, lang="OpenCL", **more)
def saved(name):
    with open(name) as file: return file.read()
def save(name, text):
    with open(name, "w") as file: file.write(text)
    return name
""", [
        ("assert len(tune(cache='c.json')[0]) == 1 and len(json.loads(saved('c.json'))['cache']) == 1", None),
        ("tune(params={'block_size_x': [64]}, cache='c'); assert sorted(json.loads(saved('c.json'))['cache']) == ['32', '64']", None),
        ("save('open.json', saved('c.json').rstrip('}') + '},'); tune(cache='open'); assert len(json.loads(saved('open.json'))['cache']) == 2", None),
        ("tune(cache=save('mine.json', 'precious'))", VALUE),
        ("tune(cache=save('list.json', '[1]'))", VALUE),
        ("tune(size=999, cache='c.json')", VALUE),
        ("assert saved('mine.json') == 'precious' and saved('list.json') == '[1]' and '64' in saved('c.json')", None),
        ("tune(cache='.')", "IsADirectoryError"),
        ("tune(cache='/nowhere/c.json')", "FileNotFoundError"),
        ("tune(strategy='magic')", VALUE),
        ("tune(strategy=5)", VALUE),
        ("tune(strategy_options=5)", TYPE),
        ("tune(strategy_options={'max_fevals': -1})", VALUE),
        ("tune(metrics=5)", TYPE),
        ("tune(objective='nosuch')", VALUE),
        ("tune(verify=5, answer=[a + 1, None, None])", TYPE),
        ("tune(atol=-1)", VALUE),
        ("tune(compiler_options=5)", TYPE),
        ("tune(smem_args=5)", TYPE),
        ("tune(text=[])", VALUE),
        ("tune(params=5)", TYPE),
        ("tune(observers=[5])", UNSUPPORTED),
        ("tune(colour=1)", TYPE),
        ("kernel_tuner.run_kernel('add', ADD, n, [c, a, np.int32(n)], 5)", TYPE),
        ("kernel_tuner.run_kernel('add', ADD, n, [c, a, np.int32(n)], {'block_size_x': 32}, grid_div_x=5)", TYPE),
        ("assert (kernel_tuner.run_kernel('add', ADD, n, [c, a, np.int32(n)], {'block_size_x': 32})[0] == a + 1).all()", None),
    ]),
    "tuner": ("""
SCALE = '''__kernel void scale(__global float *y, __global const float *x, float a, int n)
{
    for (int i = get_global_id(0) * PER; i < min(n, (int)(get_global_id(0) * PER + PER)); i++) y[i] = a * x[i];
}'''
n = 256
x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
full = [y, x, np.float32(3), np.int32(n)]
P = {"WG": [64], "PER": [1, 4]}
how = {"group": ["WG"], "grid": ["n / PER"], "keep": False, "isolation": "none", "iterations": 2}
def tune(arguments=full, name="scale", text=SCALE, size={"n": n}, params=P, **more):
    return heddle.tune_kernel(name, text, size, arguments, params, **{**how, **more})
def make(arguments=full, text=SCALE, **more):
    return heddle.Kernel("scale", text, {"n": n}, arguments, P, group=["WG"], grid=["n / PER"], **more)
kernel = make()
fixed = y.copy()
fixed.flags.writeable = False
array = kernel.device.array
""", [
        ("assert len(tune(answer=[3 * x, None, None, None], restrictions=[lambda p: p['PER'] < 8, lambda WG, PER: WG * PER < 999], device=0)) == 2", None),
        ("tune([y.astype(np.float64), *full[1:]])", TYPE),
        ("tune([y.astype(np.int32), *full[1:]])", TYPE),
        ("tune([y.astype(object), *full[1:]])", TYPE),
        ("tune([y.astype('>f4'), *full[1:]])", VALUE),
        ("tune([y, x, np.float64(3), np.int32(n)])", TYPE),
        ("tune([y, x, np.float32(3), np.float32(n)])", TYPE),
        ("tune([y, x, x, np.int32(n)])", TYPE),
        ("tune([3, x, np.float32(3), np.int32(n)])", TYPE),
        ("tune([y, x, 3.0, np.int32(n)])", TYPE),
        ("tune([y, x])", VALUE),
        ("tune(5)", TYPE),
        ("tune(name='scal')", VALUE),
        ("tune(text=SCALE.replace('a *', 'b *'))", ERROR),
        ("tune(text='/nowhere.cl')", "FileError"),
        ("tune(text=5)", TYPE),
        ("tune(size={'n': 1.5})", TYPE),
        ("tune(size={'n': 0})", VALUE),
        ("tune(size=lambda: 5)", TYPE),
        ("tune(params={'WG': [1.5]})", VALUE),
        ("tune(params={'WG': []})", ERROR),
        ("tune(params=[1, 2])", TYPE),
        ("tune(answer=[x])", VALUE),
        ("tune(answer=[x[:5], None, None, None])", VALUE),
        ("tune(answer=[None, None, np.float32(3), None])", VALUE),
        ("tune(answer=[4 * x, None, None, None])", ERROR),
        ("tune(atol=-1)", VALUE),
        ("tune(iterations=-1)", VALUE),
        ("tune(seconds=np.nan)", VALUE),
        ("tune(seed=-1)", VALUE),
        ("tune(strategy='magic')", VALUE),
        ("tune(isolation='magic')", VALUE),
        ("tune(objective='magic')", VALUE),
        ("tune(math='magic')", VALUE),
        ("tune(keep='yes')", TYPE),
        ("tune(progress=5)", TYPE),
        ("tune(lang='Fortran')", VALUE),
        ("tune(names=['a'])", VALUE),
        ("tune(defines=5)", TYPE),
        ("tune(names='yxan')", TYPE),
        ("tune(work=0)", TYPE),
        ("tune(compiler_options=0)", TYPE),
        ("tune(compiler_options='-O3')", TYPE),
        ("tune(restrictions=[5])", TYPE),
        ("tune(restrictions=['NO > 1'])", ERROR),
        ("tune(restrictions=[lambda p: False])", ERROR),
        ("tune(restrictions=lambda a, b: True)", TYPE),
        ("tune(group=None)", VALUE),
        ("tune(grid_div_x=['WG'])", VALUE),
        ("tune(device=99)", ERROR),
        ("tune(simulation_mode=True)", UNSUPPORTED),
        ("tune(cache='x.json')", UNSUPPORTED),
        ("tune(verify=max)", UNSUPPORTED),
        ("tune(colour=1)", TYPE),
        ("tune(simulation_mode=False, verbose=True, quiet=True, lang='OpenCL')", None),
        ("kernel(y, x, 3.0, n); assert (y == 3 * x).all()", None),
        ("d = [array(v) for v in (y, x)]; kernel(*d, 2, n); assert (d[0].numpy() == 2 * x).all()", None),
        ("kernel(y, x, 3.0)", TYPE),
        ("kernel(y.astype(np.float64), x, 3.0, n)", TYPE),
        ("kernel(y[:5], x, 3.0, n)", VALUE),
        ("kernel(y[:5], x, 3.0, 5, problem_size={'n': 5})", None),
        ("kernel(y, x, 3.0, n, problem_size={'m': 5})", VALUE),
        ("kernel(fixed, x, 3.0, n)", VALUE),
        ("kernel(heddle.asarray(fixed), x, 3.0, n)", VALUE),
        ("kernel(y, fixed, 3.0, n); assert not fixed.any()", None),
        ("kernel(y, x, 3.0, n + 0.5)", TYPE),
        ("kernel(y, x, 3.0, 1 << 40)", VALUE),
        ("kernel(y, x, 1e300, n)", VALUE),
        ("kernel(y, x, np.float64(3), n)", TYPE),
        ("kernel(y, x, x, n)", TYPE),
        ("kernel(3, x, 3.0, n)", TYPE),
        ("kernel(y[1:], y[:-1], 3.0, n - 1, problem_size={'n': n - 1})", VALUE),
        ("kernel(y, x, 3.0, n, stream=5)", TYPE),
        ("kernel(y, x, 3.0, n, stream=heddle.Stream(kernel.device))", VALUE),
        ("make([y.astype(np.float64), *full[1:]])", TYPE),
        ("make(text=SCALE.replace('a *', 'b *'))", ERROR),
        ("make(math='magic')", VALUE),
        ("kernel(y, x, 3.0, n); assert (y == 3 * x).all()", None),
    ]),
}

CHILD = """
import json, sys
import numpy as np
import heddle
begin, calls = json.load(sys.stdin)
names = {"np": np, "heddle": heddle}
exec(begin, names)
for call in calls:
    try:
        exec(call, names)
        said = None
    except Exception as problem:
        said = [[c.__name__ for c in type(problem).__mro__], str(problem)]
    print("@", json.dumps(said), flush=True)
"""


def answers(group):
    """(what each call came to, how the process ended); fewer answers than calls if it died."""
    begin, calls = CALLS[group]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", CHILD], input=json.dumps([begin, [c for c, _ in calls]]), text=True,
                              capture_output=True, cwd=folder, timeout=600, env={**os.environ, "HEDDLE_DATABASE": os.path.join(folder, "t.db")})
    return [json.loads(line[2:]) for line in done.stdout.splitlines() if line.startswith("@ ")], f"{done.returncode}\n{done.stderr[-2000:]}"


class Misuse(unittest.TestCase):
    def check(self, group):
        calls = CALLS[group][1]
        found, end = answers(group)
        self.assertEqual(len(found), len(calls), f"the process ended {'at ' + calls[len(found)][0] if len(found) < len(calls) else ''}: {end}")
        for (call, expected), answer in zip(calls, found):
            with self.subTest(call):
                if expected is None:
                    self.assertIsNone(answer)
                    continue
                self.assertIsNotNone(answer, "was accepted")
                self.assertIn(expected, answer[0], answer[1])
                self.assertGreaterEqual(len(answer[1].split()), 4, answer[1])

    def test_arrays_and_devices(self):
        self.check("arrays")

    def test_cloth(self):
        self.check("cloth")

    def test_synth(self):
        self.check("synth")

    def test_mppi(self):
        self.check("mppi")

    def test_css(self):
        self.check("css")

    def test_tuner_and_kernels(self):
        os.environ.pop("HEDDLE_DEVICE", None)
        if not any("source" in d.info["capabilities"] and d.backend in ("opencl", "cuda") for d in heddle.devices()):
            self.skipTest("no device here compiles kernels (Debian: pocl-opencl-icd)")
        self.check("tuner")
        self.check("kernel_tuner")

    def test_autotune(self):
        self.check("autotune")

    def test_there_are_many(self):
        right = sum(expected is None for _, calls in CALLS.values() for _, expected in calls)
        self.assertGreaterEqual(sum(len(calls) for _, calls in CALLS.values()), 400)
        self.assertGreaterEqual(right, 30)


if __name__ == "__main__":
    unittest.main()
