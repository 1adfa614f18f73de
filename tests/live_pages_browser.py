#!/usr/bin/env python3
"""live_pages_browser.py HEDDLE BROWSER: the live pages of the site in chromium or firefox, from a plain file server: a pasted sheet is judged, a robot goes round discs that
are in its way, a ball pushes a cloth, which the mouse and the keyboard grab, an instrument sounds, also behind another tab, where the cloth pauses;
memory does not grow, nothing complains, nothing is wider than a phone. On a phone's screen each page of the handbook opens its engine and does its work by the
keyboard alone, and by a finger alone. Skipped where the WebAssembly package is not built."""
import http.server, json, os, pathlib, shutil, subprocess, sys, tempfile, threading

import browsers

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / 'site'))
import live_files # noqa: E402


def assemble(folder, heddle):
    """The files of the site's folder "live" (site/build.py)."""
    live_files.copy(folder, TOP / 'build/wasm/package')
    shutil.copyfile(TOP / 'data/instruments/vibes.json', folder / 'instruments/vibes.json')
    (folder / 'instruments/list.json').write_text('["vibes"]')
    schema = subprocess.run([heddle, 'synth', 'check', '--schema'], text=True, capture_output=True, check=True).stdout
    (folder / 'schema.json').write_text(schema)
    shutil.copyfile(TOP / 'site/theme/live.js', folder / 'live.js')
    buttons = ''.join(f'<p><button data-live="{name}.html">Try it here</button>' for name in ('synth', 'cloth', 'css', 'mppi'))
    (folder / 'handbook.html').write_text('<!doctype html><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="style_of_site.css">'
                                          f'<script>const root = "."</script><script src="live.js" defer></script>{buttons}<p style="height: 300vh">')
    shutil.copyfile(TOP / 'site/theme/style.css', folder / 'style_of_site.css')
    (folder / 'favicon.ico').write_bytes(b'') # a browser asks for it by itself


def value(browser, expression):
    return json.loads(browser.value(f'JSON.stringify({expression})') or 'null')


def place_on_cloth(browser, heddle, window):
    """Place in the canvas, as fractions of it, where the middle of the cloth is seen."""
    middle = f'{heddle}.cloth().positions.slice(3 * (20 * 41 + 20), 3 * (20 * 41 + 20) + 3)'
    return value(browser, f'(({{ clientWidth: w, clientHeight: h }}) => {heddle}.view.project(Array.from({middle}), w, h)'
                 f'.map((x, k) => x / (k ? h : w)))({window}document.getElementById("canvas"))')


def grabbed(browser):
    """The cloth is grabbed by the mouse, pulled and let go; then by the keyboard."""
    browser.value('heddle.ball.place = [0.9, 1, 0.9], 0')
    box = value(browser, '(({left, top, width, height}) => [left, top, width, height])(document.getElementById("canvas").getBoundingClientRect())')
    across, down = place_on_cloth(browser, 'heddle', '')
    x, y = box[0] + across * box[2], box[1] + down * box[3]
    browser.mouse('Pressed', x, y, True)
    browser.wait('heddle.hand.vertex >= 0', 'the mouse grabs nothing')
    place = value(browser, 'Array.from(heddle.hand.place)')
    for step in range(1, 9):
        browser.mouse('Moved', x - 5 * step, y, True)
    held = 'Array.from(heddle.cloth().positions.slice(3 * heddle.hand.vertex, 3 * heddle.hand.vertex + 3))'
    in_hand = f'Math.hypot(...{held}.map((x, k) => x - heddle.hand.at[k])) < 0.01'
    moved = f'Math.hypot(...heddle.hand.at.map((x, k) => x - {place}[k])) > 0.04'
    browser.wait(f'heddle.hand.vertex >= 0 && {in_hand} && {moved}', 'the held vertex does not follow the mouse')
    assert value(browser, 'heddle.cloth().measure().worstStretch') < 0.5
    browser.mouse('Released', x - 40, y, False)
    browser.wait('heddle.hand.vertex === -1', 'the cloth is not let go')
    key = 'document.getElementById("canvas").onkeydown({ key: "%s", preventDefault() {} })'
    browser.value(f'{key % " "}, {key % "ArrowUp"}, 0')
    browser.wait(f'heddle.hand.vertex === 0 && {in_hand}', 'space grabs no corner')
    browser.value(f'{key % " "}, 0')
    assert value(browser, 'heddle.hand.vertex') == -1


INSIDE = 'frames[0].heddle'
FOCUSED = '(frames.length ? frames[0].document : document).activeElement'


def tab_to(browser, selector):
    """Passes the focus on to an element, where one sees it."""
    for _ in range(40):
        browser.press('Tab')
        if browser.value(f'{FOCUSED}.matches({json.dumps(selector)})'):
            assert browser.value(f'{FOCUSED}.matches(":focus-visible") && getComputedStyle({FOCUSED}).outlineStyle !== "none"'), f'the focus of {selector} is not seen'
            return
    raise AssertionError(f'Tab does not reach {selector}')


def place_of(browser, selector, across=0.5, down=0.5):
    """Place in the window of a point of an element, in the engine's frame if there is one."""
    x, y, width, height = value(browser, f'''(() => {{
        const frame = document.querySelector("iframe"), outer = frame?.getBoundingClientRect() ?? {{ left: 0, top: 0 }};
        const inner = (frame?.contentDocument ?? document).querySelector({json.dumps(selector)}).getBoundingClientRect();
        return [inner.left + outer.left + (frame?.clientLeft ?? 0), inner.top + outer.top + (frame?.clientTop ?? 0), inner.width, inner.height];
    }})()''')
    return [x + across * width, y + down * height]


def drawn(start, dx, dy):
    return [[start[0] + dx * k / 8, start[1] + dy * k / 8] for k in range(9)]


def try_here(browser, root, name, by_touch):
    browser.open_tab() # a changed instrument would ask before one leaves it
    browser.resize(360, 740)
    browser.go(f'{root}/handbook.html')
    button = f'button[data-live="{name}.html"]'
    browser.wait(f'document.readyState === "complete" && !!document.querySelector({json.dumps(button)})', 'no handbook')
    if by_touch:
        browser.drag([place_of(browser, button)])
    else:
        tab_to(browser, button)
        browser.press('Enter')
    browser.wait('frames.length && frames[0].document.title.includes("(ready)")', f'{name} does not open in the handbook')


def work_by_keys(browser, root):
    try_here(browser, root, 'synth', False)
    browser.key('d', True)
    browser.wait(f'{INSIDE}.sound.isOn && {INSIDE}.state && frames[0].document.querySelectorAll("#keys .down").length === 1', 'no key sounds')
    browser.key('d', False)
    browser.wait('frames[0].document.getElementById("level_text").textContent.includes("dB")', 'a key is silent')
    tab_to(browser, '#macros input')
    browser.press('ArrowRight', 'ArrowRight')
    assert browser.value(f'Number({FOCUSED}.value) > 0'), 'the slider stays'

    try_here(browser, root, 'cloth', False)
    for control, key in (('fabric', 's'), ('wind', 'ArrowLeft'), ('thickness', 'ArrowRight')):
        tab_to(browser, f'#{control}')
        before = value(browser, f'{FOCUSED}.value')
        browser.press(key)
        browser.wait(f'{FOCUSED}.value !== "{before}"', f'{control} stays')
    tab_to(browser, '#canvas')
    browser.press(' ')
    browser.wait(f'{INSIDE}.hand.vertex === 0', 'space grabs no corner')
    height = value(browser, f'{INSIDE}.hand.at[1]')
    browser.press(*['ArrowUp'] * 5)
    browser.wait(f'{INSIDE}.hand.at[1] > {height} + 0.05', 'the corner stays')
    browser.press(' ')
    browser.wait(f'{INSIDE}.hand.vertex === -1', 'space does not let go')

    try_here(browser, root, 'css', False)
    tab_to(browser, '#sheet')
    browser.press(*'qq{}')
    browser.wait('frames[0].document.querySelector("#result").innerHTML.includes(">qq{}")', 'a typed rule is not judged')

    try_here(browser, root, 'mppi', False)
    tab_to(browser, '#canvas')
    (first, *_), goal = value(browser, f'{INSIDE}.world.discs'), f'{INSIDE}.world.goal[1]'
    browser.press(' ', 'ArrowUp', 'ArrowUp')
    browser.wait(f'{INSIDE}.world.discs[0][1] > {first[1]} + 0.3', 'the disc stays')
    browser.press(*'   ', 'ArrowDown')
    browser.wait(f'Math.abs(Math.abs({goal}) - 1.6) > 0.1', 'the goal stays')


def work_by_finger(browser, root):
    def drag(path, held):
        browser.touch('Start', path[0])
        for place in path[1:]:
            browser.touch('Move', place)
        browser.wait(held, f'the finger holds nothing: {held}')
        browser.touch('End', path[-1])
        assert value(browser, '[scrollY, frames[0].scrollY]') == [0, 0], 'the page goes away under the finger'

    try_here(browser, root, 'synth', True)
    drag([place_of(browser, '#keys [data-note="60"]')], f'{INSIDE}.sound.isOn && frames[0].document.querySelectorAll("#keys .down").length === 1')
    browser.wait('frames[0].document.querySelectorAll("#keys .down").length === 0', 'the key stays down')
    drag(drawn(place_of(browser, '#macros input', 0.1), 50, 0), 'frames[0].document.querySelector("#macros input").value > 0.3')

    try_here(browser, root, 'cloth', True)
    drag(drawn(place_of(browser, '#canvas', *place_on_cloth(browser, INSIDE, 'frames[0].')), 20, -80), f'{INSIDE}.hand.vertex >= 0 && {INSIDE}.hand.at[1] > {INSIDE}.hand.from[1] + 0.03')
    browser.wait(f'{INSIDE}.hand.vertex === -1', 'the finger does not let go')

    try_here(browser, root, 'css', True)
    browser.drag([place_of(browser, '#sheet')])
    browser.wait(f'{FOCUSED}.id === "sheet"', 'the finger does not reach the sheet')

    try_here(browser, root, 'mppi', True)
    size = value(browser, '(({ clientWidth: w, clientHeight: h }) => Math.min(w, 1.4 * h) / 6.3)(frames[0].document.getElementById("canvas"))') # px a metre
    (_, (x, y, _), _), (left, top) = value(browser, f'{INSIDE}.world.discs'), place_of(browser, '#canvas')
    drag(drawn([left + x * size, top - y * size], 0, -1.8 * size), f'{INSIDE}.world.discs[1][1] > {y} + 1.5')


def open_tab(browser, address):
    """A tab of its own, in front, and from now on the browser's."""
    tab = browser.open_tab()
    browser.go(address)
    browser.wait('document.title.includes("(ready)")', f'{address} is not ready')
    return tab


def check_memory(browser, act, subject):
    """After act() the page has no more objects than before, where the browser counts them."""
    before = browser.used_memory()
    act()
    if before is not None:
        grown = browser.used_memory() - before
        assert grown < 200_000, f'{subject} have left {grown} bytes'


def stay(browser, root):
    """Behind another tab the sound goes on and the cloth pauses, and two tabs play; memory does not grow meanwhile."""
    cloth = open_tab(browser, root + '/cloth.html')
    synth = open_tab(browser, root + '/synth.html')
    start = 'heddle.sound.start(heddle.state.document.text)'
    browser.touched(f'Promise.all([{start}, {start}])') # two keys before the sound card is open
    browser.value('window.notes = 0, setInterval(() => { const key = 48 + notes++ % 24; heddle.sound.send("midi", 0x90, key, 100); '
                  'setTimeout(() => heddle.sound.send("midi", 0x80, key, 0), 90); }, 100), 0')
    browser.value('window.meter = heddle.sound.context.createAnalyser(), heddle.sound.node.connect(meter), 0')
    clock = 'heddle.sound.context.currentTime'
    heard = '(() => { const now = new Float32Array(meter.fftSize); meter.getFloatTimeDomainData(now); return Math.max(...now) > 1e-4; })()'
    browser.show(cloth)
    browser.wait('document.hidden', 'the first tab is not hidden')
    since = value(browser, clock)
    browser.wait(f'{clock} > {since} + 2 && {heard}', 'a hidden tab is silent')
    since = value(browser, clock)
    check_memory(browser, lambda: browser.wait(f'{clock} > {since} + 8', 'the sound of a hidden tab stops'), '80 notes')
    browser.tab = cloth
    frame = value(browser, 'heddle.cloth().frame')
    browser.wait(f'heddle.cloth().frame > {frame}', 'the cloth in front rests')
    check_memory(browser, lambda: browser.value('for (let i = 0; i < 100; i++) heddle.cloth().step().read(); 0'), '100 frames')
    second = open_tab(browser, root + '/synth.html')
    browser.tab = cloth
    browser.wait('document.hidden', 'the cloth is not hidden')
    frame = value(browser, 'heddle.cloth().frame')
    browser.tab = synth
    since = value(browser, clock)
    browser.wait(f'{clock} > {since} + 1', 'the sound stops behind a second page of the instrument')
    browser.tab = second
    browser.touched(start)
    browser.wait(f'{clock} > 0.2', 'the second page of the instrument is silent')
    browser.tab = cloth
    assert value(browser, 'heddle.cloth().frame') <= frame + 1, 'a hidden cloth moves'


def look(browser, root):
    def go(name):
        browser.go(f'{root}/{name}.html')
        browser.wait(f'location.pathname.endsWith("/{name}.html") && document.title.includes("(ready)")', f'{name} is not ready')
        for width in (360, 1280):
            browser.check_width(width, 740, name)

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
    browser.value('AudioContext.prototype.resume = () => new Promise(() => {}), document.getElementById("sound").click(), 0') # as without a sound card
    browser.wait('document.getElementById("message").textContent.includes("no sound card")', 'a missing sound card is not reported')


def main():
    if not (TOP / 'build/wasm/package/synth.js').exists():
        print('SKIPPED: the WebAssembly package is not built (./dev wasm)')
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        browser = browsers.start(sys.argv[2], scratch)
        if not browser:
            return 77
        folder = pathlib.Path(scratch) / 'live'
        assemble(folder, os.path.abspath(sys.argv[1]))

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Quiet)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f'http://127.0.0.1:{server.server_address[1]}'
        with browser:
            look(browser, root)
            work_by_keys(browser, root)
            work_by_finger(browser, root)
            stay(browser, root)
        server.shutdown()
        assert not browser.complaints, browser.complaints
    print('live_pages_browser: judged, driven, pushed, heard and left alone, by mouse, keys and finger')
    return 0


if __name__ == '__main__':
    sys.exit(main())
