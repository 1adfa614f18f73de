#!/usr/bin/env python3
"""synth_view_browser.py HEDDLE BROWSER: the page of `heddle synth view` in chromium or firefox: a note sounds with the bits of `heddle synth render --strict`, a body is
pulled, an edit is heard and undone, what the engine refuses is taken back, "Save" writes the file and nothing else, another program's change is read,
and nothing is wider than a phone. Skipped where the WebAssembly package is not built."""
import array, json, os, re, shutil, signal, struct, subprocess, sys, tempfile, time

import browsers

NOTE = [[0, 'midi', 0x90, 60, 100], [24000, 'midi', 0x80, 60, 0]] # frames at 48 kHz
SECONDS = 1.5


def midi_file():
    """The same note: 480 ticks are half a second."""
    events = bytes([0, 0xff, 0x51, 3]) + (500000).to_bytes(3, 'big') + bytes([0, 0x90, 60, 100, 0x83, 0x60, 0x80, 60, 0, 0, 0xff, 0x2f, 0])
    return b'MThd' + struct.pack('>IHHH', 6, 0, 1, 480) + b'MTrk' + struct.pack('>I', len(events)) + events


def samples_of(path):
    """Left channel of a WAV file of 32-bit floats."""
    data = open(path, 'rb').read()
    at = data.index(b'data') + 8
    return array.array('f', data[at:at + (len(data) - at) // 8 * 8])[::2]


class Page:
    def __init__(self, browser, address):
        self.browser = browser
        browser.go(address)
        browser.wait('document.title.includes("(ready)")', 'the page is not ready')
        browser.value("""heddle.hit = body => {
            const box = document.getElementById("canvas").getBoundingClientRect(), [x, y] = heddle.scene.project(heddle.scene.restOf(body));
            return document.elementFromPoint(box.x + x, box.y + y) === document.getElementById("canvas");
        }, 0""")

    def value(self, expression):
        return json.loads(self.browser.value(f'JSON.stringify({expression})') or 'null')

    def run(self, expression, subject):
        """Value of a promise."""
        self.browser.value(f'window.done = undefined; (async () => {expression})().then(v => window.done = [v], e => window.done = [null, e.message]); 0')
        self.browser.wait('window.done', subject)
        result = self.value('window.done')
        assert len(result) == 1, f'{subject}: {result[1]}'
        return result[0]

    def body(self, number):
        """Place of a body on the page, pixels."""
        return self.value(f'(r => (p => [p[0] + r.x, p[1] + r.y])(heddle.scene.project(heddle.scene.restOf({number}))))'
                          '(document.getElementById("canvas").getBoundingClientRect())')

    def pullable(self):
        """Bodies that move, and that a pointer at their place on the page takes."""
        return self.value('heddle.state.shape.masses.reduce((found, mass, i) => mass && heddle.hit(i) ? [...found, i] : found, [])')

    def drag(self, number, dx, dy):
        x, y = self.body(number)
        self.browser.mouse('Pressed', x, y, True)
        for step in range(1, 9):
            self.browser.mouse('Moved', x + dx * step / 8, y + dy * step / 8, True)
            time.sleep(0.05)
        return lambda: self.browser.mouse('Released', x + dx, y + dy, False)


def look_at_layers(heddle, browser, page, folder):
    """Two instruments in one: both are seen, a layer's gain is changed in the text, which keeps the files' names, and a copy in another folder contains them."""
    page.run('{ await heddle.open("instrument/dusk"); return true }', 'dusk')
    names = page.value('heddle.state.shape.bodyNames')
    assert any(n.startswith('harp/') for n in names) and any(n.startswith('glass/') for n in names), names[:3]
    knobs = page.value('[...document.querySelectorAll("#macros label")].map(l => [l.textContent, Number(l.querySelector("input").value)])')
    assert knobs[0][0] == 'harp: Reach' and knobs[2][0] == 'glass: Speed' and len(knobs) == 6, knobs
    page.run('{ heddle.select([heddle.state.shape.bodyPaths.at(-1)]); return true }', 'a body of the glass')
    assert page.value('document.querySelector("#fields h2").textContent') == 'layers: glass'
    page.run("""{ const input = [...document.querySelectorAll("#fields input[type=number]")].find(i => i.getAttribute("aria-label").startsWith("gain"));
        input.value = -15; await input.onchange(); return true }""", 'the gain of a layer')
    text = page.value('heddle.state.document.text')
    assert '"instrument": "armonica.json", "gain": -15' in text and '"instrument": "harp.json", "gain": -2' in text, text
    last = page.value('heddle.state.shape.masses.findLastIndex(Boolean)')
    hand = page.value(f'JSON.parse(heddle.sounding(heddle.state.shape.bodyNames[{last}])).layers.map(l => l.instrument.links.at(-1))')
    assert hand[0]['weight'] == 0 and hand[1]['to'] == names[last].split('/')[1], hand
    browser.value('document.getElementById("save").click()')
    browser.wait('document.getElementById("message").textContent.includes("dusk.json")', 'dusk is not saved')
    saved = json.load(open(os.path.join(folder, 'dusk.json')))
    assert [layer['gain'] for layer in saved['layers']] == [-2, -15] and all('version' in layer['instrument'] for layer in saved['layers'])
    # the bits of the saved file
    subprocess.run([heddle, 'synth', 'render', 'dusk.json', 'note.mid', '-o', 'dusk.wav', '--rate', '48000', '--strict', '--format', 'f32', '--device', 'host'], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    native = samples_of(os.path.join(folder, 'dusk.wav'))
    sound = page.run(f'Array.from((await heddle.sound.render(JSON.stringify(heddle.state.whole), {json.dumps(NOTE)}, {SECONDS}))[0])', 'render')
    latency = page.value('heddle.state.synth.info.latency')
    count = min(len(native), len(sound) - latency)
    assert count > 40000 and array.array('f', sound[latency:latency + count]) == native[:count], 'dusk: other bits than the native ones'


def look(heddle, browser, address, folder):
    page = Page(browser, address)
    own = os.path.join(folder, 'own.json')
    text = open(own).read()
    # bits
    subprocess.run([heddle, 'synth', 'render', own, 'note.mid', '-o', 'note.wav', '--rate', '48000', '--strict', '--format', 'f32', '--device', 'host'], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    native = samples_of(os.path.join(folder, 'note.wav'))
    sound = page.run(f'Array.from((await heddle.sound.render(heddle.state.document.text, {json.dumps(NOTE)}, {SECONDS}))[0])', 'render')
    latency = page.value('heddle.state.synth.info.latency') # taken away by the command
    count = min(len(native), len(sound) - latency)
    assert count > 40000 and array.array('f', sound[latency:latency + count]) == native[:count], f'{count} samples: other bits than the native ones'
    assert max(map(abs, sound)) > 0.05, 'silence'
    # a pull of each body that moves: the first touch opens the sound card
    bodies = page.pullable()
    assert len(bodies) == json.loads(page.value('JSON.stringify(heddle.state.shape.masses.filter(Boolean).length)')), f'only {bodies} can be pulled'
    page.drag(bodies[0], 3, -3)()
    browser.wait('heddle.sound.isOn', 'no sound after a touch')
    loudest = 'parseFloat(document.getElementById("level_text").textContent)'
    for body in bodies:
        page.run('{ heddle.sound.send("reset"); return true }', 'reset')
        browser.wait(f'!({loudest} > -90)', 'the sound does not end after "Silence"')
        released = page.drag(body, 20, -80)
        browser.wait(f'Math.hypot(...heddle.scene.moved.subarray({4 * body}, {4 * body + 3})) > 1e-4', f'body {body} does not follow the pointer')
        released()
        browser.wait(f'{loudest} > -36', f'body {body} was pulled, and is not heard')
    # a phrase of eight notes for an instrument that has none of its own
    events = page.run('(await heddle.phrase()).length', 'phrase')
    assert events == 16, f'{events} events; expected those of eight notes'
    # an edit, undone
    browser.value('document.querySelector("[value=move]").click()')
    page.drag(0, 30, 0)()
    browser.wait('document.getElementById("save").textContent.includes("•")', 'no change after a body was moved')
    moved = page.value('heddle.state.document.value.bodies[0].position')
    assert moved != json.loads(text)['bodies'][0]['position'], moved
    changed = page.value('heddle.state.document.text')
    assert sum(a != b for a, b in zip(changed.split('\n'), text.split('\n'))) == 1, 'more than one line changed'
    browser.value('document.getElementById("undo").click()')
    browser.wait(f'heddle.state.document.text === {json.dumps(text)}', 'undo')
    # a refused change
    browser.value('document.getElementById("text").value = heddle.state.document.text.replace(\'"voices": 8\', \'"voices": 0\'), document.getElementById("apply").click()')
    browser.wait('document.getElementById("message").textContent.includes("taken back")', 'voices 0 is taken')
    assert page.value('heddle.state.document.text') == text
    # a change that would be unstable: marked before it is heard
    browser.value('document.getElementById("text").value = heddle.state.document.text.replace(/"mass": 0.002/, \'"mass": 0.0000001\'), document.getElementById("apply").click()')
    browser.wait('!document.getElementById("unstable").hidden && document.getElementById("message").textContent.includes("heavier")', 'no mark of an unstable body')
    assert page.value('heddle.state.document.text') == text
    # the browser of presets
    browser.value('document.getElementById("browse").click()')
    browser.wait('document.querySelectorAll("#browser section button").length === document.getElementById("shipped").options.length - 1', 'cards are missing')
    assert browser.value('document.querySelectorAll("#browser section button").length') >= 60, 'fewer than 60 cards'
    blank = page.value('[...document.querySelectorAll("#browser canvas")].filter(c => !c.getContext("2d").getImageData(0, 0, 168, 96).data.some(Boolean)).length')
    assert blank == 0, f'{blank} pictures are blank'
    browser.value('[...document.querySelectorAll("#browser section button")].find(b => b.querySelector("strong").textContent === "marimba").click()')
    browser.wait('heddle.state.name === "marimba" && !document.getElementById("browser").open', 'marimba is not opened')
    page.run('{ await heddle.open("state"); return true }', 'the own file again')
    # new parts
    for kind in ('string', 'plate', 'lattice', 'tube', 'microphone', 'lfo'):
        before = page.value('heddle.state.document.text.length')
        browser.value(f'document.getElementById("what").value = "{kind}", document.getElementById("make").click()')
        browser.wait(f'heddle.state.document.text.length > {before}', f'no {kind}')
    assert not page.value('document.getElementById("message").textContent'), page.value('document.getElementById("message").textContent')
    # saved, and read again
    assert open(own).read() == text, 'written before "Save"'
    browser.value('document.getElementById("save").click()')
    browser.wait('document.getElementById("message").textContent.includes("Saved")', 'not saved')
    assert open(own).read() == page.value('heddle.state.document.text'), 'another text was saved'
    subprocess.run([heddle, 'synth', 'check', own], check=True, stdout=subprocess.DEVNULL)
    with open(own, 'w') as file:
        file.write(text)
    browser.wait(f'heddle.state.document.text === {json.dumps(text)}', "another program's change is not read")
    assert sorted(os.listdir(folder)) == ['note.mid', 'note.wav', 'own.json', 'view.log'], os.listdir(folder)
    # a shipped instrument is saved under its own name, and never over a file that was there
    page.run('{ await heddle.open("instrument/drum"); return true }', 'drum')
    browser.value('document.getElementById("save").click()')
    browser.wait('document.getElementById("message").textContent.includes("drum.json")', 'drum is not saved')
    assert open(own).read() == text and json.load(open(os.path.join(folder, 'drum.json')))['version'] == 1
    with open(os.path.join(folder, 'harp.json'), 'w') as file:
        file.write('mine')
    page.run('{ await heddle.open("instrument/harp"); return true }', 'harp')
    browser.value('document.getElementById("save").click()')
    browser.wait('document.getElementById("message").textContent.includes("harp.json exists")', 'harp.json is replaced')
    assert open(os.path.join(folder, 'harp.json')).read() == 'mine' and open(own).read() == text
    browser.complaints = [c for c in browser.complaints if '400' not in json.dumps(c)] # the refusal
    look_at_layers(heddle, browser, page, folder)
    # all instruments, and a phone
    for name in page.value('[...document.getElementById("shipped").options].map(o => o.value).filter(Boolean)'):
        if name == 'million':
            continue
        page.run(f'{{ await heddle.open("instrument/{name}"); return true }}', name)
        message = page.value('[document.getElementById("message").className, document.getElementById("message").textContent]')
        assert message[0] != 'bad', f'{name}: {message[1]}'
        if name in ('harp', 'marimba', 'orrery'):
            browser.wait('heddle.state.shape.masses.every((_, i) => heddle.hit(i))', f'{name}: something of the page covers bodies')
        if name == 'marimba':
            assert page.run('(await heddle.phrase()).length', 'phrase') > 100, 'not its own phrase'
    for width in (360, 1280):
        browser.check_width(width, 740, 'the page')


def main():
    heddle = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = browsers.start(sys.argv[2], profile)
        if not browser:
            return 77
        data = subprocess.run([heddle, 'data', 'vibes'], capture_output=True, text=True, check=True).stdout.strip()
        shutil.copyfile(data, os.path.join(scratch, 'own.json'))
        with open(os.path.join(scratch, 'note.mid'), 'wb') as file:
            file.write(midi_file())
        with open(os.path.join(scratch, 'view.log'), 'w') as log:
            server = subprocess.Popen([heddle, 'synth', 'view', 'own.json'], cwd=scratch, stdout=log, stderr=subprocess.STDOUT)
        try:
            with browser:
                end = time.monotonic() + browsers.PATIENCE
                while not (address := re.search(r'open (\S+)', open(os.path.join(scratch, 'view.log')).read())):
                    said = open(os.path.join(scratch, 'view.log')).read()
                    if 'WebAssembly package' in said:
                        print('SKIPPED: the WebAssembly package is not built (./dev wasm)')
                        return 77
                    assert server.poll() is None and time.monotonic() < end, said
                    time.sleep(0.1)
                look(heddle, browser, address[1], scratch)
            assert not browser.complaints, browser.complaints
        finally:
            server.send_signal(signal.SIGINT)
            code = server.wait()
        assert code == 0, f'Ctrl-C: exit code {code}'
    print('synth_view_browser: seen, played, pulled, edited, saved; the bits of the native render')
    return 0


if __name__ == '__main__':
    sys.exit(main())
