"""Cloth, synth, mppi and css from Python, compared with closed forms and with the command."""
import gc
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import unittest

import numpy as np

import heddle

DATA = heddle.data()


def command(*words):
    done = subprocess.run([heddle.command(), *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def sheet(n=12, size=1.0):
    """A level square of n x n vertices, and its quads."""
    at = np.linspace(0, size, n)
    z, x = np.meshgrid(at, at, indexing="ij")
    g = np.arange(n * n).reshape(n, n)
    return np.stack([x, 0 * x, z], -1).reshape(-1, 3), np.stack([g[:-1, :-1], g[1:, :-1], g[1:, 1:], g[:-1, 1:]], -1).reshape(-1, 4)


class Cloth(unittest.TestCase):
    def test_a_scene_as_the_command_has_it(self):
        cloth = heddle.Cloth(DATA / "scenes" / "flag.json", device="host")
        cloth.step(3)
        with tempfile.TemporaryDirectory() as folder:
            command("cloth", "run", DATA / "scenes" / "flag.json", "--frames", 3, "--out", pathlib.Path(folder) / "flag.pc2", "--device",
                    "host", "--quiet")
            content = (pathlib.Path(folder) / "flag.pc2").read_bytes()
        _, _, vertices, _, _, samples = struct.unpack("<12siiffi", content[:32])
        there = np.frombuffer(content, "<f4", offset=32).reshape(samples, vertices, 3)
        np.testing.assert_array_equal(cloth.positions, there[-1])
        self.assertEqual((cloth.frame, cloth.vertex_count), (3, vertices))

    def test_positions_are_in_metres_whatever_the_unit_of_the_scene(self):
        found = []
        for unit, metres in (("m", 1), ("cm", 0.01)):
            with tempfile.TemporaryDirectory() as folder:
                scene = pathlib.Path(folder) / "scene.json"
                scene.write_text(json.dumps({"unit": unit, "garments": [{"grid": {"width": 5, "height": 5, "size": [1 / metres, 2 / metres]}}]}))
                cloth = heddle.Cloth(scene, device="host")
                start = cloth.positions
                fallen = cloth.step(6).positions
                cloth.reset()
                found.append((start, fallen, cloth.positions))
        for at, same in zip(*found):
            np.testing.assert_allclose(at, same, atol=1e-5)
        self.assertAlmostEqual(float(found[1][0][:, 1].max()), 2, places=5)

    def test_free_fall(self):
        vertices, faces = sheet()
        cloth = heddle.Cloth.from_mesh(vertices, faces, substeps=5, garment={"damping": 0}, device="host")
        cloth.step(30)
        fallen = cloth.positions - vertices
        steps, dt = 150, 1 / 300  # symplectic Euler: g dt^2 n (n + 1) / 2
        self.assertAlmostEqual(float(fallen[:, 1].mean()), -9.81 * dt * dt * steps * (steps + 1) / 2, delta=0.02)
        self.assertLess(abs(fallen[:, [0, 2]]).max(), 1e-4)

    def test_fabrics(self):
        """Without substeps a hung sheet keeps its length; heavier cloth of lower stiffness stretches more."""
        n = 24
        y, x = np.divmod(np.arange(n * n), n)
        vertices = np.stack([x / (n - 1), -y / (n - 1), 0.0 * x], 1).astype(np.float32)
        corner = (y * n + x).reshape(n, n)[:-1, :-1].ravel()
        faces = np.stack([corner, corner + n, corner + n + 1, corner + 1], 1)
        long = {}
        for fabric in ("denim", {"warp": 40, "weft": 40, "shear": 20, "density": 0.4}):
            cloth = heddle.Cloth.from_mesh(vertices, faces, pins=np.arange(n), fabric=fabric, device="host", garment={"damping": 0.95})
            cloth.step(120)
            long[str(fabric)] = float(-cloth.positions[:, 1].min())
        denim, soft = long.values()
        self.assertLess(abs(denim - 1), 0.01)
        self.assertTrue(1.02 < soft < 1.1, soft)  # 0.4 x 9.81 / (2 x 40) = 4.9 %

    def test_pins_and_colliders(self):
        vertices, faces = sheet()
        cloth = heddle.Cloth.from_mesh(vertices, faces, pins=[0, 11], thickness=0.01, device="host")
        ball = heddle.Sphere((0.5, -0.4, 0.5), 0.3)
        for _ in range(40):
            cloth.step(wind=(0.5, 0, 0), colliders=[ball, heddle.Plane((0, -3, 0))])
        p = cloth.positions
        np.testing.assert_allclose(p[[0, 11]], vertices[[0, 11]], atol=1e-6)
        self.assertGreater(np.linalg.norm(p - ball.centre, axis=1).min(), 0.299)
        self.assertLess(p[:, 1].min(), -0.2)

    def test_positions_where_they_are(self):
        cloth = heddle.Cloth.from_mesh(*sheet(), device="host")
        cloth.step()
        there = cloth.device_positions
        seen = np.asarray(there)
        self.assertEqual(seen.ctypes.data, there.address)
        np.testing.assert_array_equal(seen[:, :3], cloth.positions)
        del cloth
        gc.collect()
        self.assertTrue(np.isfinite(seen[:, :3]).all())  # the array keeps the cloth

    def test_a_stream_of_ones_own(self):
        on = heddle.device("host")
        cloth = heddle.Cloth.from_mesh(*sheet(3), device=on, stream=heddle.Stream(on), solver="cpu")
        self.assertEqual(cloth.step(2).info["solver"], "cpu")
        gc.collect()
        self.assertTrue(np.isfinite(cloth.step(2).positions).all())

    def test_faces_of_every_kind(self):
        vertices = [[0, 0, 0], [1, 0, 0], [2, 0, 0.5], [1, 0, 1], [0, 0, 1]]
        for faces in ([[0, 1, 2, 3, 4]], [[0, 1, 3, 4], [1, 2, 3]], np.array([[0, 1, 4], [1, 3, 4], [1, 2, 3]])):
            cloth = heddle.Cloth.from_mesh(vertices, faces, pins=[True, False, False, False, True], device="host").step(5)
            self.assertEqual(cloth.info["triangles"], 3)
            np.testing.assert_allclose(cloth.positions[[0, 4]], np.array(vertices)[[0, 4]], atol=1e-6)

    def test_saved_states(self):
        cloth = heddle.Cloth.from_mesh(*sheet(), pins=[0], device="host")
        state = cloth.step(5).save()
        first = cloth.step(5).positions
        cloth.load(state)
        self.assertEqual(cloth.frame, 5)
        np.testing.assert_array_equal(cloth.step(5).positions, first)
        cloth.reset()
        np.testing.assert_allclose(cloth.positions, sheet()[0], atol=1e-6)
        with self.assertRaises(heddle.ArgumentError):
            cloth.load(state[:40])

    def test_what_is_refused(self):
        vertices, faces = sheet(3)
        for words, make in (("a face names vertex 9; there are 9", lambda: heddle.Cloth.from_mesh(vertices, faces + 1)),
                            ("pins names vertex 40", lambda: heddle.Cloth.from_mesh(vertices, faces, pins=[40])),
                            ("vertices has shape 9 x 2: expected n x 3", lambda: heddle.Cloth.from_mesh(vertices[:, :2], faces)),
                            ("max_distance has shape 2: expected 9", lambda: heddle.Cloth.from_mesh(vertices, faces, garment={"max_distance": [1, 2]})),
                            ("'best': expected one of auto, colours", lambda: heddle.Cloth.from_mesh(vertices, faces, solver="best")),
                            ("driver has shape 1 x 3: expected 9 x 3", lambda: heddle.Cloth.from_mesh(vertices, faces).step(driver=[[1, 2, 3]]))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                make()
        with self.assertRaisesRegex(TypeError, "no member 'colour'"):
            heddle.Cloth.from_mesh(vertices, faces, colour="red")

    def test_interrupted_a_run_gives_what_is_done(self):
        cloth = heddle.Cloth.from_mesh(*sheet(), device="host")
        frames = cloth.run(10, progress=lambda done, _: done == 4 and os.kill(os.getpid(), signal.SIGINT))
        self.assertIn(len(frames), (3, 4))
        self.assertTrue(np.isfinite(frames).all())
        self.assertEqual(len(cloth.run(2)), 2)  # it goes on

    def test_pictures(self):
        """A square that hangs is seen as the parallelogram that it is, without holes."""
        vertices, faces = sheet(5)
        cloth = heddle.Cloth.from_mesh(vertices[:, [0, 2, 1]], faces, device="host")  # in the plane of x and y
        image = cloth.picture(200, 160)
        self.assertEqual((image.shape, image.dtype), ((160, 200, 3), np.uint8))
        seen = (image != image[0, 0]).any(2)
        down, along = np.flatnonzero(seen.any(1)), np.flatnonzero(seen.any(0))
        high, wide = down[-1] - down[0] + 1, along[-1] - along[0] + 1
        self.assertAlmostEqual(high, 144, delta=3)  # nine tenths
        for column in seen.T[along[1]:along[-1]]:
            there = np.flatnonzero(column)
            self.assertEqual(there[-1] - there[0] + 1, len(there))
        self.assertAlmostEqual(seen.sum() / (high * wide), 0.81, delta=0.05)
        html = cloth._repr_html_()
        self.assertIn('<img src="data:image/png;base64,', html)
        self.assertIn("<th>constraints</th>", html)

    def test_meshes(self):
        vertices, faces = heddle.read_mesh(DATA / "scenes" / "table.obj")
        self.assertEqual(vertices.shape[1], 3)
        self.assertLess(max(f.max() for f in faces), len(vertices))


class Synth(unittest.TestCase):
    def test_a_render_is_the_commands(self):
        """The same samples, to the bit."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "x.wav"
            command("synth", "render", DATA / "instruments" / "vibes.json", DATA / "music" / "phrases" / "vibes.mid", "--out", out, "--tail", 0,
                    "--format", "f32", "--device", "host", "--quiet")
            content = out.read_bytes()
        at = content.index(b"data") + 8
        there = np.frombuffer(content, "<f4", offset=at).reshape(-1, 2).T
        sound = heddle.Synth(DATA / "instruments" / "vibes.json", rate=48000).render(DATA / "music" / "phrases" / "vibes.mid", tail=0)
        self.assertEqual(sound.shape, there.shape)
        np.testing.assert_array_equal(sound, there)

    def test_sound_that_comes_in(self):
        """As the command has it, to the bit; one channel goes to all, of more the first are taken."""
        voice = heddle.Synth(DATA / "instruments" / "vibes.json").render([(0, 0.2, 69, 0.8)], seconds=0.3)
        with tempfile.TemporaryDirectory() as folder:
            into, out = pathlib.Path(folder) / "in.wav", pathlib.Path(folder) / "out.wav"
            heddle.write_wav(into, voice[:1])
            command("synth", "render", DATA / "instruments" / "tank.json", "--in", into, "--out", out, "--tail", "0.2", "--format", "f32",
                    "--device", "host", "--quiet")
            content = out.read_bytes()
        there = np.frombuffer(content, "<f4", offset=content.index(b"data") + 8).reshape(-1, 2).T
        tank = heddle.Synth(DATA / "instruments" / "tank.json")
        self.assertEqual(tank.inputs, 1)
        self.assertGreater(float(abs(there).max()), 1e-3)
        for sound in (voice, voice[0], np.asarray(voice).tolist()):
            np.testing.assert_array_equal(tank.render(sound=sound, tail=0.2), there)
        two = heddle.Synth(DATA / "instruments" / "tank.json", inputs=2)
        np.testing.assert_array_equal(two.render(sound=voice[0], tail=0.2), there)
        self.assertEqual(tank.render([(0, 0.5, 60, 1)], sound=voice, tail=0).seconds, 0.5)
        with self.assertRaisesRegex(ValueError, "vibes has no audio inputs"):
            heddle.Synth(DATA / "instruments" / "vibes.json").render(sound=voice)
        with self.assertRaisesRegex(ValueError, r"shape \(1, 2, 3\): tank expects \(1, frames\)"):
            tank.render(sound=np.zeros((1, 2, 3)))
        with self.assertRaisesRegex(ValueError, "48000 Hz for a synth of 44100 Hz"):
            heddle.Synth(DATA / "instruments" / "tank.json", rate=44100).render(sound=voice)

    def test_nothing_to_choose(self):
        synth = heddle.Synth(DATA / "instruments" / "vibes.json")
        with self.assertRaisesRegex(heddle.UnsupportedError, "nothing to choose"):
            synth.tune()
        synth.close()
        with self.assertRaisesRegex(heddle.Error, "was closed"):
            synth.tune()

    def test_notes(self):
        synth = heddle.Synth(DATA / "instruments" / "vibes.json")
        sound = synth.render([(0, 0.5, 69, 0.8)], tail=0.5)
        self.assertEqual((sound.shape, sound.dtype, sound.rate, sound.seconds), ((2, 48000), np.float32, 48000, 1.0))
        spectrum = abs(np.fft.rfft(sound.sum(0)))
        self.assertAlmostEqual(int(spectrum.argmax()), 440, delta=2)
        np.testing.assert_array_equal(synth.render([(0, 0.5, 69, 0.8)], seconds=0.25), sound[:, :12000])  # each begins at rest
        self.assertIn("<audio", sound._repr_html_())
        self.assertLess(float(abs(synth.render([], seconds=0.1)).max()), 1e-12)

    def test_interrupted_a_render_gives_what_is_done(self):
        synth = heddle.Synth(DATA / "instruments" / "vibes.json")
        with self.assertWarnsRegex(UserWarning, r"interrupted: \d\.\d of 5\.0 s are rendered"):
            sound = synth.render([(0, 1, 60, 1)], seconds=5,
                                 progress=lambda done, _: 0.5 < done < 0.51 and os.kill(os.getpid(), signal.SIGINT))
        self.assertAlmostEqual(sound.seconds, 0.5, delta=0.05)
        np.testing.assert_array_equal(sound, synth.render([(0, 1, 60, 1)], seconds=1)[:, :sound.shape[1]])

    def test_wav(self):
        sound = np.array([[0, 0.5, -1, 2], [0, 0.25, 1, -2]], np.float32)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.wav"
            heddle.write_wav(file, sound, 44100, bits=16)
            content = file.read_bytes()
            self.assertEqual(struct.unpack("<HHIIHH", content[20:36]), (1, 2, 44100, 176400, 4, 16))
            self.assertEqual(np.frombuffer(content[44:], "<i2").tolist(), [0, 0, 16384, 8192, -32767, 32767, 32767, -32767])
            heddle.write_wav(file, sound, 48000)
            np.testing.assert_array_equal(np.frombuffer(file.read_bytes()[44:], "<f4").reshape(-1, 2).T, sound)
            self.assertEqual(os.listdir(folder), ["x.wav"])
            # a pipe and a link stay: a rename would put a file in their place
            pipe, link = pathlib.Path(folder) / "pipe", pathlib.Path(folder) / "link"
            os.mkfifo(pipe)
            link.symlink_to("linked.wav")
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            heddle.write_wav(pipe, sound, 48000)
            self.assertEqual(os.read(reader, 1 << 16), file.read_bytes())
            os.close(reader)
            heddle.write_wav(link, sound, 48000)
            self.assertEqual((link.parent / "linked.wav").read_bytes(), file.read_bytes())
            self.assertTrue(pipe.is_fifo() and link.is_symlink())
            self.assertEqual(sorted(os.listdir(folder)), ["link", "linked.wav", "pipe", "x.wav"])

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "expected .start s, end s, note 0 to 127, velocity 0 to 1"):
            heddle.Synth(DATA / "instruments" / "vibes.json").render([(0, 1, 200, 0.5)])
        with self.assertRaises(heddle.FileError):
            heddle.Synth("/nowhere.json")
        with self.assertRaisesRegex(ValueError, "channels"):
            heddle.write_wav("/nowhere.wav", np.zeros((2, 3, 4)))


POINT = """/* A point that is pushed. P(nothing) in a comment is none. */
MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
{
    x[0] += dt * x[1];
    x[1] += dt * (P(gain) * u[0] - P_ARRAY(drag)[1] * x[1]);
}"""
SPOT = "MPPI_FUNCTION float term_spot(const float *x, const float *u, int t, MPPI_WORLD w) " \
       "{ return mppi_square(x[POSE_X] - P(at)) + 0.1f * mppi_square(x[1]) + 0.0f * TABLE(bias)[0]; }"


class MPPI(unittest.TestCase):
    def make(self, model=POINT, cost=None, **settings):
        cost = cost or heddle.mppi.Term(SPOT, parameters={"at": 2}, tables=["bias"])
        given = {"nx": 2, "nu": 1, "noise_sigma": [2.0], "num_samples": 512, "horizon": 30, "lambda_": 0.5, "dt": 0.05, "u_min": -5, "u_max": 5,
                 "parameters": {"gain": 1, "drag": [0, 0.2]}, "tables": {"bias": np.ones(8)}, "pose": {"pose_x": 0}, "device": "host", **settings}
        return heddle.MPPI(model, cost, **given)

    def test_ones_own_texts(self):
        mppi, x = self.make(), np.zeros(2, np.float32)
        for _ in range(100):
            u = mppi.command(x)
            self.assertLessEqual(abs(u[0]), 5)
            want = [x[0] + 0.05 * x[1], x[1] + 0.05 * (u[0] - 0.2 * x[1])]
            x = mppi.states()[1]
            np.testing.assert_allclose(x, want, atol=1e-5)  # what the text says
        self.assertAlmostEqual(float(x[0]), 2, delta=0.05)
        self.assertEqual(mppi.rollouts.shape, (64, 31, 2))
        self.assertEqual(mppi.plan().shape, (30, 1))
        states, costs = mppi.trace(5)
        self.assertTrue((np.diff(costs) >= 0).all() and np.isfinite(states).all())
        self.assertEqual(mppi.stats["outcome"], "solved")
        mppi.set("spot.at", -1)
        for _ in range(100):
            mppi.command(x)
            x = mppi.states()[1]
        self.assertAlmostEqual(float(x[0]), -1, delta=0.05)
        self.assertEqual(mppi.parameters["spot.at"], -1)

    def test_the_same_seed_gives_the_same_controls(self):
        u = [self.make(seed=seed).command([0, 0])[0] for seed in (1, 1, 2)]
        self.assertEqual(u[0], u[1])
        self.assertNotEqual(u[0], u[2])

    def test_a_scene_and_a_fleet(self):
        mppi = heddle.MPPI.from_scene(DATA / "mppi" / "cartpole.json", device="host", samples=256)
        self.assertEqual((mppi.nx, mppi.nu, mppi.num_samples), (4, 1, 256))
        self.assertEqual(mppi.command(mppi.start).shape, (1,))
        fleet = heddle.MPPI("double_integrator", "goal", parameters={"goal.x": 3}, num_samples=128, horizon=20, count=3, device="host")
        self.assertEqual(fleet.command(np.zeros((3, 4))).shape, (3, 2))
        self.assertEqual(len(fleet.stats), 3)
        self.assertIn("cartpole", heddle.mppi.models())
        self.assertIn("goal", heddle.mppi.terms())

    def test_goals_of_a_fleet_and_goals_that_move(self):
        fleet = heddle.MPPI("differential_drive", ["goal", "costmap"], num_samples=128, horizon=20, count=2, device="host", lambda_=0.1,
                            tables={"costmap": np.r_[4, 4, -9, -9, 0.2, 0, 0, 0, np.zeros(16)]}, each=["costmap"], timelines={"goal.y": ([0, 1], [0, 0])})
        fleet.set("goal.x", 2, index=0)
        fleet.set("goal.x", -2, index=1)
        fleet.set_table("costmap", np.r_[4, 4, -9, -9, 0.2, 0, 0, 0, np.full(16, 0.5)], index=1)
        fleet.set_timeline("goal.y", [0, 2], [0, 4], index=1)
        x = np.zeros((2, 5), np.float32)
        for _ in range(30):
            fleet.command(x, shift=0.03)
            x = np.stack([fleet.states(i)[1] for i in range(2)])
        self.assertGreater(x[0, 0], 0.1)
        self.assertAlmostEqual(fleet.time, 29 * 0.03, delta=1e-6)
        self.assertGreater(fleet.stats[1]["baseline"], 20 * 0.5)  # its map costs everywhere
        fleet.choose("THREADS=1 SPLIT=yes")
        self.assertEqual((fleet.info["choice"], fleet.info["measured"]), ("THREADS=1 SPLIT=yes", False))
        fleet.time = 7
        self.assertEqual(fleet.time, 7)
        with self.assertRaisesRegex(ValueError, "each: there is no table 'map'"):
            heddle.MPPI("differential_drive", "goal", each=["map"], device="host")
        with self.assertRaisesRegex(ValueError, "timeline goal.x: 2 times and 1 values"):
            heddle.MPPI("differential_drive", "goal", timelines={"goal.x": ([0, 1], [2])}, device="host")

    def test_what_is_refused(self):
        for words, make in ((r"reads P\(gain\), which is not given", lambda: self.make(parameters={"drag": [0, 1]})),
                            (r"reads TABLE\(bias\), which is not given", lambda: self.make(cost=heddle.mppi.Term(SPOT, parameters={"at": 1}))),
                            ("a state of 3 numbers: expected 2", lambda: self.make().command([1, 2, 3])),
                            ("neither a file nor a model of Heddle's called 'rocket'", lambda: self.make("rocket")),
                            ("neither a file nor a term of Heddle's called 'luck'", lambda: self.make(cost="luck")),
                            ("expected nx and nu", lambda: self.make(nx=None)),
                            ("there is no parameter 'mass'; there are: gain", lambda: self.make().set("mass", 1)),
                            ("controls has shape 2 x 1: expected 30 x 1", lambda: self.make().reset([[1], [2]]))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                make()
        with self.assertRaisesRegex(heddle.Error, "does not compile") as caught:
            self.make(POINT.replace("dt * x", "dt * y"))
        self.assertRegex(caught.exception.log, "model.c:4:.*y")
        with self.assertRaisesRegex(heddle.ArgumentError, "not finite|finite"):
            self.make().command([np.nan, 0])


class CSS(unittest.TestCase):
    HTML = "<!doctype html><ul id=list><li class=a>x<li style='color: red'>y</ul><p class='a b'>z"

    def setUp(self):
        self.sheet, self.doc = heddle.css.Sheet("ul > li {color: red} .a {color: blue} b {x: y}\n:bad-one {a: b}"), heddle.css.Document.parse(self.HTML)

    def test_matching(self):
        elements, rules = self.doc.match(self.sheet)
        names = [(self.doc.element(e), self.sheet.rule(r)["selector"]) for e, r in zip(elements, rules)]
        self.assertEqual(names, [("li.a", "ul > li"), ("li.a", ".a"), ("li", "ul > li"), ("p.a.b", ".a")])
        self.assertEqual(self.doc.select("ul > li").tolist(), [4, 5])
        match = self.doc.match(self.sheet)
        self.assertEqual((len(match), match.counts.tolist(), match.rules_of(4).tolist()), (4, [2, 2, 0, 0], [0, 1]))
        winners = match.winners("color")
        self.assertEqual((winners[4], winners[5], winners[0]), (1, heddle.css.OWN_STYLE, heddle.css.NONE))
        for e in range(len(self.doc)):
            self.assertEqual(match.rules_of(e).tolist(), rules[elements == e].tolist())

    def test_facts(self):
        self.assertEqual(len(self.sheet), 4)
        self.assertEqual(self.sheet.rules[0]["specificity"], (0, 0, 2))
        self.assertFalse(self.sheet.rules[3]["valid"])
        self.assertEqual((self.sheet.rules[3]["line"], self.doc.parent(4), self.doc.parent(0), self.doc.line(4)), (2, 3, None, 1))

    def test_changes(self):
        match = self.doc.match(self.sheet)
        self.assertEqual(match.set_attribute(5, "class", "a").tolist(), [5])
        self.assertEqual(match.rules_of(5).tolist(), [0, 1])

    def test_trees_and_imports(self):
        doc = heddle.css.Document.from_elements([(-1, "svg", {}), (0, "g", {"class": "a", "id": "one"}), (1, "path", {})])
        sheet = heddle.css.Sheet("@import 'more.css'; g path {x: y}", imports={"more.css": "#one {a: b}"})
        self.assertEqual([a.tolist() for a in doc.match(sheet)], [[1, 2], [0, 1]])

    def test_many_of_both(self):
        other = heddle.css.Document.parse("<p class=a>")
        match = heddle.css.Match([self.doc, other], [self.sheet, heddle.css.Sheet("p {a: b}")])
        self.assertEqual(match.counts.tolist(), [2, 3, 0, 0, 2])
        self.assertIn("<td>.a</td>", match._repr_html_())

    def test_what_is_refused(self):
        with self.assertRaisesRegex(heddle.ArgumentError, "selector|expected"):
            self.doc.select("ul >")
        with self.assertRaisesRegex(heddle.ArgumentError, "margin-top"):
            self.doc.match(self.sheet).winners("margin")
        with self.assertRaises(IndexError):
            self.doc.element(100)
        with self.assertRaises(IndexError):
            self.sheet.rule(-1)
        with self.assertRaisesRegex(TypeError, "a style sheet is a int: expected a text, or bytes"):
            heddle.css.Sheet(5)
        with self.assertRaisesRegex(TypeError, "a page is a NoneType"):
            heddle.css.Document.parse(None)


class Unused(unittest.TestCase):
    SHEET = ".a { top: 0 }\n.b { top: 1px }\n.w { top: 0 }\n.js-x { top: 0 }\n.a, .c { --x: 1 }\n@keyframes k {}\n"

    def test_texts_in_and_out(self):
        page = "<!doctype html>\n<p class=a>x"
        result = heddle.css.unused({"app.css": self.SHEET}, {"index.html": page}, words={"App.jsx": "<i className=w>"}, keep=["js-*", "zz-*"])
        sheet = result.sheets["app.css"]
        self.assertEqual(sheet.text, ".a { top: 0 }\n.w { top: 0 }\n.js-x { top: 0 }\n.a { --x: 1 }\n")
        self.assertEqual([(p.kind, p.text, p.line) for p in sheet.removed],
                         [("rule", ".b", 2), ("selector", ".c", 5), ("@keyframes", "k", 6)])
        self.assertEqual([(p.text, p.reason, p.found, p.where, p.where_line) for p in sheet.kept],
                         [(".a", "element", "p.a", "index.html", 2), (".w", "word", "w", "App.jsx", 1), (".js-x", "keep", "js-*", "keep", 0),
                          (".a", "element", "p.a", "index.html", 2), ("--x", "unused", "", "", 0)])
        self.assertEqual(result.not_found, ["zz-*"])
        self.assertEqual(result.bytes - result.unused_bytes, len(sheet.text))
        self.assertEqual(self.SHEET.encode()[sheet.removed[0].begin:sheet.removed[0].end], b".b { top: 1px }")
        own = json.loads(sheet.map)
        self.assertEqual((own["version"], own["sources"], own["mappings"].split(";")[:2]), (3, ["app.css"], ["AAAA", "AAEA"]))
        old = json.dumps({"version": 3, "sources": ["app.scss"], "names": [], "mappings": "AAAA;AACA;AACA"})
        result = heddle.css.unused([self.SHEET], page, maps={"sheet 1.css": old})
        self.assertEqual(json.loads(result.sheets["sheet 1.css"].map)["sources"], ["app.scss"])

    def test_refusals(self):
        for arguments in (("a {}",), ("a {}", "import x from 'y'"), ("a {}", b"\1\2"), ("a {}", "")):
            with self.assertRaises(heddle.Error):
                heddle.css.unused(*arguments)
        with self.assertRaises(heddle.Error):
            heddle.css.unused("a {}", "<p>", keep=["/(/"])
        for arguments in ((5, "<p>"), ("a {}", {"x": 5}), ("a {}", [None])):
            with self.assertRaises(TypeError):
                heddle.css.unused(*arguments)


if __name__ == "__main__":
    unittest.main()
