#!/usr/bin/env python3
"""cloth_view_browser.py HEDDLE BROWSER: the page of `heddle cloth view --page` in chromium or firefox, with three scenes: frames before the first touch have the bits of
`heddle cloth run --strict`, the grabbed cloth follows the pointer and the keyboard, fabric, wind, gravity, thickness and substeps change while it moves, a
recording is a point cache that replaces nothing, Ctrl-C keeps it, nothing complains, and nothing is wider than a phone."""
import array, json, os, re, signal, struct, subprocess, sys, tempfile, time

import browsers

FRAMES = 4
# lengths in cm, z up, a ball that moves, contact of cloth with cloth
SMALL = {'unit': 'cm', 'up': 'z', 'substeps': 20, 'frames': 60,
         'camera': {'eye': [10, -130, 60], 'target': [0, 0, 20]},
         'garments': [{'name': 'sheet', 'grid': {'width': 15, 'height': 15, 'size': [40, 40], 'origin': [-20, -20, 40], 'axes': ['x', 'y']},
                       'pins': [{'vertices': [0, 14]}], 'fabric': 'cotton', 'self_collision': True, 'thickness': 0.4}],
         'colliders': [{'sphere': {'centre': [0, 0, 20], 'radius': 8}, 'motion': {'keys': [{'time': 0, 'move': [0, 0, 0]}, {'time': 1, 'move': [10, 0, 0]}]}}]}


def samples_of(path):
    data = open(path, 'rb').read()
    mark, version, points, start, rate, count = struct.unpack('<12siiffi', data[:32])
    assert mark == b'POINTCACHE2\0' and version == 1, mark
    assert len(data) == 32 + 12 * points * count, f'{path}: {len(data)} bytes for {count} samples of {points}'
    return [data[32 + 12 * points * i:32 + 12 * points * (i + 1)] for i in range(count)]


class View:
    """The command, and its page, which does not play by itself."""
    def __init__(self, heddle, browser, scene, folder, *options):
        self.browser, self.log = browser, os.path.join(folder, 'view.log')
        with open(self.log, 'w') as log:
            self.server = subprocess.Popen([heddle, 'cloth', 'view', '--page', scene, '--device', 'host', '--strict', *options], cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + browsers.PATIENCE
        while not (address := re.search(r'open (\S+)', open(self.log).read())):
            assert self.server.poll() is None and time.monotonic() < end, open(self.log).read()
            time.sleep(0.1)
        self.address = address[1]
        browser.go('about:blank')
        browser.go(self.address.replace('/#', '/?paused#'))
        browser.wait('document.title.includes("(ready)")', f'{scene}: the page is not ready')

    def value(self, expression):
        return json.loads(self.browser.value(f'JSON.stringify({expression})') or 'null')

    def click(self, button):
        self.browser.value(f'document.getElementById("{button}").click(), 0')

    def frame(self):
        return self.value('heddle.state.figures.frame')

    def set(self, control, value, event='onchange'):
        """Changes a setting, and waits for a frame with it."""
        self.browser.value(f'document.getElementById("{control}").value = "{value}", document.getElementById("{control}").{event}(), 0')
        self.browser.wait('!heddle.state.changed', control)
        frame = self.frame()
        self.browser.wait(f'heddle.state.figures.frame > {frame} + 1', f'{control}: no frame after the change')
        message = self.value('document.getElementById("message").textContent')
        assert not message, f'{control}: {message}'
        stretch = self.value('heddle.state.figures.worst')
        assert stretch is None or stretch < 20, f'{control}: an edge is {stretch} times too long'

    def end(self):
        self.server.send_signal(signal.SIGINT)
        code = self.server.wait(timeout=browsers.PATIENCE)
        assert code == 0, f'Ctrl-C: exit code {code}: {open(self.log).read()}'


def same_bits(heddle, view, scene, folder):
    """The first frames of a recording are those of the command without a page."""
    view.click('record')
    view.browser.wait('heddle.state.figures.records', 'nothing is recorded')
    for number in range(1, FRAMES + 1):
        view.click('step')
        view.browser.wait(f'heddle.state.figures.frame === {number}', f'frame {number}')
    subprocess.run([heddle, 'cloth', 'run', scene, '--device', 'host', '--strict', '--frames', str(FRAMES), '--out', 'run.pc2', '--quiet'], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    cache = view.value('heddle.state.figures.recording')
    assert samples_of(os.path.join(folder, cache)) == samples_of(os.path.join(folder, 'run.pc2')), f'{scene}: other bits than those of heddle cloth run'
    return cache


def grabbed(view):
    """The cloth is pulled by the mouse, then by the keyboard."""
    browser = view.browser
    places = view.value("""(() => {
        const box = document.getElementById("canvas").getBoundingClientRect(), { state } = heddle, { vertices } = state.scene;
        return Array.from({ length: 24 }, (_, i) => Math.floor((23.5 - i) * vertices / 24)).map((v) =>
            state.view.project(Array.from(state.cloth.points.slice(3 * v, 3 * v + 3)), box.width, box.height).map((x, k) => x + [box.x, box.y][k]))
            .filter(([x, y]) => x > 60 && y > 90 && x < box.right - 20 && y < box.bottom - 20);
    })()""")
    for x, y in places:
        browser.mouse('Pressed', x, y, True)
        if view.value('heddle.hand.isHolding'):
            break
        browser.mouse('Released', x, y, False)
    assert view.value('heddle.hand.isHolding'), f'nothing to grab at {places}'
    browser.wait('heddle.hand.frames > 4', 'the cloth is not held') # it went along until then
    before = view.value('heddle.hand.at')
    for step in range(1, 9):
        browser.mouse('Moved', x - 4 * step, y - 2 * step, True)
        time.sleep(0.05)
    held = 'Array.from(heddle.state.cloth.points.slice(3 * heddle.hand.vertex, 3 * heddle.hand.vertex + 3))'
    left = 'Math.hypot(...heddle.hand.at.map((x, k) => x - heddle.hand.place[k]))'
    whole = f'Math.hypot(...{before}.map((x, k) => x - heddle.hand.place[k]))'
    gap = f'Math.hypot(...{held}.map((x, k) => x - heddle.hand.at[k])) / heddle.state.scene.scale'
    # where the cloth is taut the hand stops on its way
    browser.wait(f'{gap} < 0.01 && {left} < {whole} - 0.005 * heddle.state.scene.scale', 'the held vertex does not follow the pointer')
    browser.mouse('Released', x - 32, y - 16, False)
    browser.wait('!heddle.hand.isHolding && !heddle.state.changed', 'the cloth is not let go')
    key = 'document.getElementById("canvas").dispatchEvent(new KeyboardEvent("keydown", {{ key: "{}", bubbles: true }})), 0'
    browser.value(key.format('g'))
    browser.wait('heddle.hand.isHolding && heddle.hand.frames > 4', 'G grabs nothing')
    before = view.value('heddle.hand.place')
    browser.value(key.format('ArrowUp'))
    browser.wait(f'Math.hypot(...heddle.hand.place.map((x, k) => x - {before}[k])) > 0', 'an arrow key does not pull')
    browser.value(key.format('g'))
    assert not view.value('heddle.hand.isHolding')


def look(heddle, browser, scene, folder, changes):
    view = View(heddle, browser, scene, folder)
    try:
        see(heddle, view, scene, folder, changes)
    finally:
        view.server.kill()


def see(heddle, view, scene, folder, changes):
    browser = view.browser
    cache = same_bits(heddle, view, scene, folder)
    view.click('play')
    grabbed(view)
    for change in changes:
        view.set(*change)
    view.click('play')
    browser.wait('!heddle.state.changed && !heddle.state.playing', 'pause')
    time.sleep(0.3)
    samples, recorded = samples_of(os.path.join(folder, cache)), view.value('heddle.state.figures.recorded')
    browser.wait(f'heddle.state.figures.recorded === {len(samples) - 1}', f'{recorded} frames and {len(samples)} samples')
    points = array.array('f', view.value('Array.from(heddle.state.cloth.points)'))
    assert points.tobytes() == samples[-1], 'the last sample is not what the page shows'
    assert os.path.exists(os.path.join(folder, cache[:-4] + '-mesh.obj')), 'no mesh beside the cache'
    # a second recording has another name; the first one stays
    view.click('record')
    browser.wait('!heddle.state.figures.records', 'the recording goes on')
    first = open(os.path.join(folder, cache), 'rb').read()
    view.click('record')
    browser.wait('heddle.state.figures.records', 'no second recording')
    second = view.value('heddle.state.figures.recording')
    assert second != cache and open(os.path.join(folder, cache), 'rb').read() == first, f'{second} replaces {cache}'
    view.click('step')
    browser.wait('heddle.state.figures.recorded === 1', 'the second recording')
    for width in (360, 1280):
        browser.check_width(width, 740, 'the page')
    complaints = browser.complaints[:]
    view.end()
    assert len(samples_of(os.path.join(folder, second))) == 2, 'Ctrl-C loses a frame'
    browser.wait('document.getElementById("message").textContent.includes("has ended")', 'the page does not notice the end')
    browser.complaints = complaints # a browser reports the refused connection by itself


def tells_of_tears(heddle, browser, folder):
    """A garment that tears elsewhere is whole in the page, whose hand is a driver, and the page says so."""
    with open(os.path.join(folder, 'torn.json'), 'w') as file:
        json.dump({**SMALL, 'garments': [{**SMALL['garments'][0], 'tear': 0.2}]}, file)
    view = View(heddle, browser, 'torn.json', folder)
    try:
        message = view.value('document.getElementById("message").textContent')
        assert message.startswith('sheet: does not tear here'), f'a garment that tears: "{message}"'
        view.end()
    finally:
        view.server.kill()


def swells(heddle, browser, folder):
    """A cushion keeps its size with a lighter fabric than the scene's, for which its substeps are too few."""
    side, corners, faces = 9, {}, []

    def corner(i, j, top):
        edge = i in (0, side - 1) or j in (0, side - 1)
        return corners.setdefault((i, j, top and not edge), len(corners) + 1)

    for i in range(side - 1):
        for j in range(side - 1):
            flip = (i, j) in ((0, side - 2), (side - 2, 0)) # a diagonal meets each corner of the cushion
            for top in (True, False):
                a, b, c, d = (corner(i + u, j + v, top) for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)))
                faces += [face if top else face[::-1] for face in ([(a, d, b), (b, d, c)] if flip else [(a, c, b), (a, d, c)])]
    with open(os.path.join(folder, 'bag.obj'), 'w') as file:
        file.writelines(f'v {0.05 * i - 0.2:.3f} {0.3 + 0.01 * top * (i % (side - 1) > 0) * (j % (side - 1) > 0):.3f} {0.05 * j - 0.2:.3f}\n' for i, j, top in corners)
        file.writelines('f %d %d %d\n' % face for face in faces)
    with open(os.path.join(folder, 'bag.json'), 'w') as file:
        json.dump({'substeps': 6, 'gravity': [0, 0, 0], 'camera': {'eye': [0.6, 0.7, 0.8], 'target': [0, 0.3, 0]},
                   'garments': [{'mesh': 'bag.obj', 'fabric': 'denim', 'pressure': 60}]}, file)
    view = View(heddle, browser, 'bag.json', folder)
    try:
        view.click('play')
        browser.wait('heddle.state.figures.frame > 10', 'the cushion does not swell')
        view.set('fabric', 'silk')
        frame = view.frame()
        browser.wait(f'heddle.state.figures.frame > {frame + 40}', 'no frames in silk')
        stretch = view.value('heddle.state.figures.worst')
        assert stretch < 0.5, f'in silk an edge is {stretch} too long with {view.value("heddle.state.figures.substeps")} substeps'
        view.end()
    finally:
        view.server.kill()


def main():
    heddle = os.path.abspath(sys.argv[1])
    changes = [('fabric', 'silk'), ('wind', '6', 'oninput'), ('direction', '90', 'oninput'), ('gravity', '5', 'oninput'), ('thickness', '8'), ('substeps', '10'), ('fabric', 'denim')]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = browsers.start(sys.argv[2], profile)
        if not browser:
            return 77
        with browser:
            for scene in ('small.json', 'flag', 'sewn'):
                folder = os.path.join(scratch, scene.split('.')[0])
                os.mkdir(folder)
                with open(os.path.join(folder, 'small.json'), 'w') as file:
                    json.dump(SMALL, file)
                look(heddle, browser, scene, folder, changes if scene == 'small.json' else changes[:2])
            tells_of_tears(heddle, browser, scratch)
            swells(heddle, browser, scratch)
        assert not browser.complaints, browser.complaints
    print('cloth_view_browser: three scenes seen, pulled, changed, recorded; the bits of heddle cloth run')
    return 0


if __name__ == '__main__':
    sys.exit(main())
