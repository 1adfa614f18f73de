"""Browsers for tests of pages: Chromium over the pipe of its DevTools, Firefox over WebDriver BiDi. Both have the same methods; a tab is what open_tab()
returns, and `tab` is the one that the methods are for."""
import atexit, base64, json, os, pathlib, re, shutil, socket, struct, subprocess, time

from screen import Screen

PATIENCE = 120 # s, on a machine that others share
# keys without a letter: code of DevTools, value of WebDriver, text that a field takes
KEYS = {'Tab': (9, '\ue004', ''), 'Enter': (13, '\ue007', '\r'), ' ': (32, ' ', ' '), 'ArrowLeft': (37, '\ue012', ''), 'ArrowUp': (38, '\ue013', ''),
        'ArrowRight': (39, '\ue014', ''), 'ArrowDown': (40, '\ue015', '')}


def start(name, scratch):
    """A browser of this name, or None with a reason where it is not installed. Its profile is made in the folder `scratch`."""
    made = {'chromium': Chromium, 'firefox': Firefox}[name]
    program = next(filter(None, map(shutil.which, made.PROGRAMS)), None)
    if not program or not all(map(shutil.which, made.NEEDS)):
        print('SKIPPED:', ' or '.join((name, *made.NEEDS)), 'is not here (apt install', ' '.join((made.PROGRAMS[0], *map(str.lower, made.NEEDS))) + ')')
        return None
    return made(program, scratch)


class Browser:
    """Methods of both browsers."""

    def __init__(self, command, **options):
        self.count, self.complaints, self.tab = 0, [], None
        self.process = subprocess.Popen(command, **options)
        atexit.register(self.process.terminate)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE / 4)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def answer(self, number):
        """Result of a call; complaints of the page before it are collected."""
        while True:
            message = json.loads(self.message())
            if message.get('method') in self.COMPLAINTS and self.is_complaint(message):
                self.complaints.append(message['params'])
            if message.get('id') == number:
                assert 'error' not in message, message
                return message['result']

    def is_complaint(self, message):
        return True

    def used_memory(self):
        """Bytes of the page's objects and arrays after a garbage collection; None: the browser does not count them."""

    def wait(self, expression, subject):
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, subject
            time.sleep(0.05)

    def press(self, *keys):
        for key in keys:
            self.key(key, True), self.key(key, False)

    def drag(self, places):
        """A finger goes down at the first of the places, [x, y], and up at the last; with one place, a tap."""
        self.touch('Start', places[0])
        for place in places[1:]:
            self.touch('Move', place)
        self.touch('End', places[-1])

    def check_width(self, width, height, subject):
        """Resizes the window; nothing may scroll sideways."""
        self.resize(width, height)
        self.wait(f'innerWidth === {width}', f'{subject}: the window does not have {width} pixels')
        assert self.value('document.documentElement.scrollWidth <= document.documentElement.clientWidth'), f'{subject} scrolls sideways at {width}'


class Chromium(Browser):
    """Without a window. https://chromedevtools.github.io/devtools-protocol/"""
    PROGRAMS, NEEDS = ('chromium', 'chromium-browser', 'google-chrome'), ()
    COMPLAINTS = ('Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded')

    def __init__(self, program, scratch):
        here, self.out = os.pipe()
        self.back, there = os.pipe()
        self.rest = b''

        def arrange(): # Chromium reads 3 and writes 4
            low, high = os.dup2(here, 103), os.dup2(there, 104)
            os.dup2(low, 3), os.dup2(high, 4)
        super().__init__([program, '--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--enable-unsafe-webgpu',
                          f'--user-data-dir={scratch}/profile', 'about:blank'], preexec_fn=arrange, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(here), os.close(there)
        self.open_tab()

    def message(self):
        while b'\0' not in self.rest:
            part = os.read(self.back, 1 << 20)
            assert part, 'the browser has ended'
            self.rest += part
        message, self.rest = self.rest.split(b'\0', 1)
        return message

    def call(self, method, **parameters):
        self.count += 1
        message = {'id': self.count, 'method': method, 'params': parameters}
        if self.tab and not method.startswith('Target.'):
            message['sessionId'] = self.tab['session']
        os.write(self.out, json.dumps(message).encode() + b'\0')
        return self.answer(self.count)

    def open_tab(self):
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.tab = {'target': target, 'session': self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']}
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(domain + '.enable')
        return self.tab

    def show(self, tab):
        """Brings a tab to the front."""
        self.call('Target.activateTarget', targetId=tab['target'])

    def go(self, address):
        self.call('Page.navigate', url=address)

    def resize(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def value(self, expression):
        """Value of an expression; None after an exception."""
        return self.call('Runtime.evaluate', expression=expression, returnByValue=True)['result'].get('value')

    def touched(self, expression):
        """Evaluates and awaits an expression as if the reader had just touched the page."""
        result = self.call('Runtime.evaluate', expression=expression, awaitPromise=True, userGesture=True)
        assert 'exceptionDetails' not in result, result

    def mouse(self, kind, x, y, down):
        self.call('Input.dispatchMouseEvent', type='mouse' + kind, x=x, y=y, button='left', buttons=int(down), clickCount=int(kind != 'Moved'))

    def key(self, key, down):
        number, _, text = KEYS.get(key, (ord(key[0].upper()), key, key))
        code = 'Space' if key == ' ' else key if key in KEYS else f'Key{key.upper()}'
        self.call('Input.dispatchKeyEvent', type='keyDown' if down else 'keyUp', key=key, code=code, windowsVirtualKeyCode=number, text=text if down else '')

    def touch(self, kind, place):
        self.call('Input.dispatchTouchEvent', type='touch' + kind, touchPoints=[] if kind == 'End' else [{'x': place[0], 'y': place[1]}])

    def used_memory(self):
        self.call('HeapProfiler.enable')
        self.call('HeapProfiler.collectGarbage')
        usage = self.call('Runtime.getHeapUsage')
        return usage['usedSize'] + usage.get('backingStorageSize', 0)

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call('Page.captureScreenshot')['data']))


def plain(value):
    """A value of Python for a remote value of WebDriver BiDi."""
    kind = value['type']
    if kind == 'array':
        return [plain(item) for item in value['value']]
    if kind == 'object':
        return {key: plain(item) for key, item in value['value']}
    return value.get('value')


class Firefox(Browser):
    """On a screen of its own, since it has no WebGL without a window. https://www.w3.org/TR/webdriver-bidi/"""
    PROGRAMS, NEEDS = ('firefox-esr', 'firefox'), ('Xvfb',)
    COMPLAINTS = ('log.entryAdded', 'network.responseCompleted', 'network.fetchError')
    # a stand-in for the sound card: without one, Firefox never starts an AudioContext
    PREFERENCES = {'media.cubeb.force_mock_context': True, 'dom.webgpu.enabled': True, 'gfx.webgpu.ignore-blocklist': True, 'datareporting.policy.dataSubmissionEnabled': False,
                   'browser.shell.checkDefaultBrowser': False, 'browser.aboutwelcome.enabled': False}

    def __init__(self, program, scratch):
        profile = pathlib.Path(scratch) / 'firefox'
        profile.mkdir()
        (profile / 'user.js').write_text(''.join(f'user_pref({json.dumps(name)}, {json.dumps(value)});\n' for name, value in self.PREFERENCES.items()))
        self.screen = Screen(str(profile), '1400x1000')
        atexit.register(self.screen.process.terminate)
        with open(profile / 'log', 'w') as log:
            super().__init__([program, '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'], stdout=log, stderr=log,
                             env={**os.environ, 'DISPLAY': self.screen.name, 'GDK_BACKEND': 'x11'})
        end = time.monotonic() + PATIENCE
        while not (port := re.search(r'BiDi listening on ws://127\.0\.0\.1:(\d+)', (profile / 'log').read_text())):
            assert self.process.poll() is None and time.monotonic() < end, (profile / 'log').read_text()
            time.sleep(0.1)
        self.socket = socket.create_connection(('127.0.0.1', int(port[1])))
        self.socket.sendall(f'GET /session HTTP/1.1\r\nHost: 127.0.0.1:{port[1]}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
                            f'Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\n\r\n'.encode())
        self.source = self.socket.makefile('rb')
        assert b' 101 ' in self.source.readline()
        while self.source.readline().strip():
            pass
        self.call('session.new', capabilities={})
        self.call('session.subscribe', events=list(self.COMPLAINTS))
        self.tab = self.call('browsingContext.getTree')['contexts'][0]['context']

    def __exit__(self, *_):
        super().__exit__()
        self.screen.process.terminate()
        self.screen.process.wait()

    def send(self, kind, data):
        """A frame of RFC 6455. Firefox takes none whose mask is zero."""
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else b'\xfe' + struct.pack('>H', size) if size < 1 << 16 else b'\xff' + struct.pack('>Q', size)
        self.socket.sendall(bytes([0x80 | kind]) + length + b'\xff' * 4 + bytes(byte ^ 0xff for byte in data))

    def message(self):
        data = b''
        while True:
            first, size = self.source.read(2)
            if size >= 126:
                size, = struct.unpack('>H', self.source.read(2)) if size == 126 else struct.unpack('>Q', self.source.read(8))
            part = self.source.read(size)
            if first & 15 == 9: # a ping
                self.send(10, part)
            elif first & 15 <= 2:
                data += part
                if first & 0x80:
                    return data

    def call(self, method, **parameters):
        self.count += 1
        self.send(1, json.dumps({'id': self.count, 'method': method, 'params': parameters}).encode())
        return self.answer(self.count)

    def is_complaint(self, message):
        return message['method'] != 'network.responseCompleted' or message['params']['response']['status'] >= 400

    def open_tab(self):
        self.tab = self.call('browsingContext.create', type='tab')['context']
        return self.tab

    def show(self, tab):
        self.call('browsingContext.activate', context=tab)

    def go(self, address):
        self.call('browsingContext.navigate', context=self.tab, url=address, wait='interactive')

    def resize(self, width, height):
        self.call('browsingContext.setViewport', context=self.tab, viewport={'width': width, 'height': height}, devicePixelRatio=1)

    def evaluate(self, expression, **options):
        return self.call('script.evaluate', expression=expression, target={'context': self.tab}, **options)

    def value(self, expression):
        result = self.evaluate(expression, awaitPromise=False)
        return plain(result['result']) if result['type'] == 'success' else None

    def touched(self, expression):
        result = self.evaluate(expression, awaitPromise=True, userActivation=True)
        assert result['type'] == 'success', result

    def mouse(self, kind, x, y, down):
        steps = [{'type': 'pointerMove', 'x': round(x), 'y': round(y)}]
        if kind != 'Moved':
            steps.append({'type': 'pointerDown' if down else 'pointerUp', 'button': 0})
        self.call('input.performActions', context=self.tab, actions=[{'type': 'pointer', 'id': 'mouse', 'actions': steps}])

    def key(self, key, down):
        step = {'type': 'keyDown' if down else 'keyUp', 'value': KEYS[key][1] if key in KEYS else key}
        self.call('input.performActions', context=self.tab, actions=[{'type': 'key', 'id': 'keys', 'actions': [step]}])

    def touch(self, kind, place):
        steps = [] if kind == 'End' else [{'type': 'pointerMove', 'x': round(place[0]), 'y': round(place[1])}]
        if kind != 'Move':
            steps.append({'type': 'pointerDown' if kind == 'Start' else 'pointerUp', 'button': 0})
        self.call('input.performActions', context=self.tab, actions=[{'type': 'pointer', 'id': 'finger', 'parameters': {'pointerType': 'touch'}, 'actions': steps}])

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call('browsingContext.captureScreenshot', context=self.tab)['data']))
