"""Chromium over its developer tools' protocol, by a pipe: class Browser, and class Tab of one page."""
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_browser():
    return next(filter(None, map(shutil.which, ['chromium', 'chromium-browser', 'google-chrome'])), None)


class Browser:
    """A browser without a window and a network, with a profile of its own."""

    def __init__(self, path, *options):
        pipes = [os.pipe(), os.pipe()]
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # The browser reads from descriptor 3 and writes to 4: copies above 9 cannot be in their way.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for pair in pipes for end in pair]
        for pair in pipes:
            for end in pair:
                os.close(end)

        def connect():
            os.dup2(high[0], 3)
            os.dup2(high[3], 4)

        command = [path, '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--proxy-server=127.0.0.1:9',
                   '--hide-scrollbars', '--no-first-run', f'--user-data-dir={self.profile.name}', *options, 'about:blank']
        self.process = subprocess.Popen(command, preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(high[0])
        os.close(high[3])
        self.to, self.source = high[1], high[2]
        self.text, self.calls, self.tabs = b'', 0, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
        self.profile.cleanup()

    def receive(self, seconds=120):
        """One message of the browser; None after `seconds` without one."""
        end = time.monotonic() + seconds
        while b'\0' not in self.text:
            ready, _, _ = select.select([self.source], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            more = os.read(self.source, 1 << 20)
            if not more:
                raise EOFError('the browser ended')
            self.text += more
        line, self.text = self.text.split(b'\0', 1)
        return json.loads(line)

    def send(self, method, session=None, **parameters):
        """Sends a call; returns its number."""
        self.calls += 1
        message = {'id': self.calls, 'method': method, 'params': parameters}
        if session:
            message['sessionId'] = session
        text = json.dumps(message).encode() + b'\0'
        while text:
            text = text[os.write(self.to, text):]
        return self.calls

    def wait(self, name, done):
        """The first message for which done() is true; events before it go to their tabs."""
        while True:
            message = self.receive()
            if message is None:
                raise TimeoutError(f'{name}: no answer')
            if message.get('sessionId') in self.tabs:
                self.tabs[message['sessionId']].event(message)
            if done(message):
                return message

    def call(self, method, session=None, **parameters):
        number = self.send(method, session, **parameters)
        answer = self.wait(method, lambda message: message.get('id') == number)
        if 'error' in answer:
            raise ValueError(f"{method}: {answer['error']['message']}")
        return answer['result']


class Tab:
    """A page. Scripts of its own are off; evaluate() runs ours."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.call('Target.createTarget', url='about:blank')['targetId']
        self.session = browser.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        browser.tabs[self.session] = self
        self.call('Page.enable')
        self.call('Emulation.setScriptExecutionDisabled', value=True)
        self.call('Emulation.setFocusEmulationEnabled', enabled=True)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def event(self, message):
        """Called with each message of this tab."""

    def go(self, address):
        self.browser.send('Page.navigate', self.session, url=address)
        self.browser.wait(address, lambda message: message.get('sessionId') == self.session and message.get('method') == 'Page.loadEventFired')

    def evaluate(self, text):
        result = self.call('Runtime.evaluate', expression=text, returnByValue=True, awaitPromise=True, userGesture=True)
        if 'exceptionDetails' in result:
            raise ValueError(result['exceptionDetails'].get('exception', {}).get('description', str(result)))
        return result['result'].get('value')
