#!/usr/bin/env python3
"""live_pages_browser.py HEDDLE: the live pages of the site in Chromium, from a plain file server: a pasted sheet is judged, a robot goes round discs that
are in its way, a ball pushes a cloth, which the mouse and the keyboard grab, an instrument sounds, also behind another tab, where the cloth pauses;
memory does not grow, nothing complains, nothing is wider than a phone. Skipped where the WebAssembly package is not built."""
import http.server, json, os, pathlib, shutil, subprocess, sys, tempfile, threading

from demo_browser import Browser

TOP = pathlib.Path(__file__).resolve().parent.parent


def assemble(folder, heddle):
    """The files of the site's folder "live" (site/build.py)."""
    for source in (TOP / 'site/live', TOP / 'web/synth', TOP / 'web/shared'):
        shutil.copytree(source, folder, dirs_exist_ok=True)
    (folder / 'index.html').rename(folder / 'synth.html')
    shutil.copytree(TOP / 'build/wasm/package', folder / 'engine')
    (folder / 'instruments').mkdir()
    shutil.copyfile(TOP / 'data/instruments/vibes.json', folder / 'instruments/vibes.json')
    (folder / 'instruments/list.json').write_text('["vibes"]')
    schema = subprocess.run([heddle, 'synth', 'check', '--schema'], text=True, capture_output=True, check=True).stdout
    (folder / 'schema.json').write_text(schema)
    (folder / 'favicon.ico').write_bytes(b'') # a browser asks for it by itself


def value(browser, expression):
    return json.loads(browser.value(f'JSON.stringify({expression})') or 'null')


def grabbed(browser):
    """The cloth is grabbed by the mouse, pulled and let go; then by the keyboard."""
    browser.value('heddle.ball.place = [0, 1, 1.5], 0')
    box = value(browser, '(({left, top, width, height}) => [left, top, width, height])(document.getElementById("canvas").getBoundingClientRect())')
    x, y = box[0] + 0.45 * box[2], box[1] + 0.55 * box[3]

    def mouse(kind, x, y):
        browser.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', buttons=0 if kind == 'mouseReleased' else 1, clickCount=1)
    mouse('mousePressed', x, y)
    browser.wait('heddle.hand.vertex >= 0', 'the mouse grabs nothing')
    place = value(browser, 'Array.from(heddle.hand.place)')
    for step in range(1, 9):
        mouse('mouseMoved', x - 5 * step, y)
    held = 'Array.from(heddle.cloth().positions.slice(3 * heddle.hand.vertex, 3 * heddle.hand.vertex + 3))'
    in_hand = f'Math.hypot(...{held}.map((x, k) => x - heddle.hand.at[k])) < 0.01'
    moved = f'Math.hypot(...heddle.hand.at.map((x, k) => x - {place}[k])) > 0.04'
    browser.wait(f'heddle.hand.vertex >= 0 && {in_hand} && {moved}', 'the held vertex does not follow the mouse')
    assert value(browser, 'heddle.cloth().measure().worstStretch') < 0.5
    mouse('mouseReleased', x - 40, y)
    browser.wait('heddle.hand.vertex === -1', 'the cloth is not let go')
    key = 'document.getElementById("canvas").onkeydown({ key: "%s", preventDefault() {} })'
    browser.value(f'{key % " "}, {key % "ArrowUp"}, 0')
    browser.wait(f'heddle.hand.vertex === 0 && {in_hand}', 'space grabs no corner')
    browser.value(f'{key % " "}, 0')
    assert value(browser, 'heddle.hand.vertex') == -1


def open_tab(browser, address):
    """A tab of its own, in front; returns its target and session, which becomes the browser's."""
    browser.session = None
    target = browser.call('Target.createTarget', url='about:blank')['targetId']
    browser.session = browser.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
    for domain in ('Page', 'Runtime', 'Log', 'HeapProfiler'):
        browser.call(domain + '.enable')
    browser.call('Page.navigate', url=address)
    browser.wait('document.title.includes("(ready)")', f'{address} is not ready')
    return target, browser.session


def used_memory(browser):
    """Bytes of the page's objects and arrays after a garbage collection."""
    browser.call('HeapProfiler.collectGarbage')
    usage = browser.call('Runtime.getHeapUsage')
    return usage['usedSize'] + usage.get('backingStorageSize', 0)


def stay(browser, root):
    """Behind another tab the sound goes on and the cloth pauses, and two tabs play; memory does not grow meanwhile."""
    cloth, cloth_session = open_tab(browser, root + '/cloth.html')
    _, synth_session = open_tab(browser, root + '/synth.html')
    start = 'heddle.sound.start(heddle.state.document.text)'
    twice = browser.call('Runtime.evaluate', expression=f'Promise.all([{start}, {start}])', awaitPromise=True, userGesture=True)
    assert 'exceptionDetails' not in twice, f'two keys before the sound card is open: {twice}'
    browser.value('window.notes = 0, setInterval(() => { const key = 48 + notes++ % 24; heddle.sound.send("midi", 0x90, key, 100); '
                  'setTimeout(() => heddle.sound.send("midi", 0x80, key, 0), 90); }, 100), 0')
    browser.value('window.meter = heddle.sound.context.createAnalyser(), heddle.sound.node.connect(meter), 0')
    clock = 'heddle.sound.context.currentTime'
    heard = '(() => { const now = new Float32Array(meter.fftSize); meter.getFloatTimeDomainData(now); return Math.max(...now) > 1e-4; })()'
    browser.session = None
    browser.call('Target.activateTarget', targetId=cloth)
    browser.session = synth_session
    browser.wait('document.hidden', 'the first tab is not hidden')
    since = value(browser, clock)
    browser.wait(f'{clock} > {since} + 2 && {heard}', 'a hidden tab is silent')
    before = used_memory(browser)
    since = value(browser, clock)
    browser.wait(f'{clock} > {since} + 8', 'the sound of a hidden tab stops')
    grown = used_memory(browser) - before
    assert grown < 200_000, f'{value(browser, "notes")} notes have left {grown} bytes'
    browser.session = cloth_session
    frame = value(browser, 'heddle.cloth().frame')
    browser.wait(f'heddle.cloth().frame > {frame}', 'the cloth in front rests')
    before = used_memory(browser)
    browser.value('for (let i = 0; i < 100; i++) heddle.cloth().step().read(); 0')
    grown = used_memory(browser) - before
    assert grown < 200_000, f'100 frames have left {grown} bytes'
    _, second_session = open_tab(browser, root + '/synth.html')
    browser.session = cloth_session
    browser.wait('document.hidden', 'the cloth is not hidden')
    frame = value(browser, 'heddle.cloth().frame')
    browser.session = synth_session
    since = value(browser, clock)
    browser.wait(f'{clock} > {since} + 1', 'the sound stops behind a second page of the instrument')
    browser.session = second_session
    browser.call('Runtime.evaluate', expression=start, awaitPromise=True, userGesture=True)
    browser.wait(f'{clock} > 0.2', 'the second page of the instrument is silent')
    browser.session = cloth_session
    assert value(browser, 'heddle.cloth().frame') <= frame + 1, 'a hidden cloth moves'


def look(browser, root):
    def go(name):
        browser.call('Page.navigate', url=f'{root}/{name}.html')
        browser.wait(f'location.pathname.endsWith("/{name}.html") && document.title.includes("(ready)")', f'{name} is not ready')
        for width in (360, 1280):
            browser.call('Emulation.setDeviceMetricsOverride', width=width, height=740, deviceScaleFactor=1, mobile=width < 500)
            assert value(browser, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'), f'{name} scrolls sideways at {width}'

    go('css')
    gone = 'Array.from(document.querySelectorAll("#result .gone"), (e) => e.textContent)'
    assert value(browser, gone)[0] == '.bar .logo { width: 3em }', value(browser, gone)
    browser.value('document.getElementById("sheet").value = "li {} p {} :checked + label {}", document.getElementById("sheet").oninput()')
    browser.wait(f'{gone}.join() === "p {{}}"', 'a pasted sheet')

    go('mppi')
    browser.wait('heddle.controller().state[0] > -2', 'the robot rests')
    place = value(browser, 'heddle.world.discs[1]')
    moved = value(browser, '((s) => [s[0] + 0.9, s[1] + 0.5])(heddle.controller().state)')
    browser.value(f'heddle.world.discs[1][0] = {moved[0]}, heddle.world.discs[1][1] = {moved[1]}, document.getElementById("canvas").isMoved = true')
    browser.wait('Math.hypot(heddle.controller().state[0] - 2.3, heddle.controller().state[1] - 1.6) < 0.6', f'a disc moved from {place} to {moved} stops the robot')
    gap = float(value(browser, 'document.getElementById("state").textContent.match(/disc (-?[0-9]+) cm/)[1]'))
    assert gap > 0, gap

    go('cloth')
    middle = 'heddle.cloth().read().positions[3 * (20 * 41 + 20) + 2]'
    browser.value('heddle.ball.place = [0, 1, 0.1], document.getElementById("wind").value = 0, 0')
    browser.wait(f'{middle} < -0.02', 'the ball pushes nothing')
    assert value(browser, 'heddle.cloth().measure().worstStretch') < 0.2
    grabbed(browser)
    browser.value('document.getElementById("fabric").value = "silk", document.getElementById("fabric").onchange()')
    browser.wait('heddle.cloth().frame > 3', 'silk stands still')

    go('synth')
    sound = 'heddle.sound.render(heddle.state.document.text, [[0, "midi", 0x90, 60, 100]], 0.5).then((all) => { window.peak = Math.max(...all[0]) })'
    browser.value(f'{sound}, 0')
    browser.wait('window.peak > 0.05', 'the instrument is silent')


def main():
    if not shutil.which('chromium'):
        print('SKIPPED: chromium is not here (apt install chromium)')
        return 77
    if not (TOP / 'build/wasm/package/synth.js').exists():
        print('SKIPPED: the WebAssembly package is not built (./dev wasm)')
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        folder = pathlib.Path(scratch) / 'live'
        assemble(folder, os.path.abspath(sys.argv[1]))

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Quiet)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = Browser(scratch)
        try:
            look(browser, f'http://127.0.0.1:{server.server_address[1]}')
            stay(browser, f'http://127.0.0.1:{server.server_address[1]}')
        finally:
            browser.process.terminate()
            browser.process.wait()
            server.shutdown()
        assert not browser.complaints, browser.complaints
    print('live_pages_browser: judged, driven, pushed, heard and left alone')
    return 0


if __name__ == '__main__':
    sys.exit(main())
