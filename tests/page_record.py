"""page_record.py BROWSER FOLDER PAGE FILE: opens PAGE of FOLDER in chromium or firefox, without Heddle, and keeps the data that the page sends as FILE."""
import functools, http.server, sys, tempfile, threading, time

import browsers

name, folder, page, target = sys.argv[1:]
done = threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, '.js': 'text/javascript'}

    def do_POST(self):
        with open(target, 'wb') as file:
            file.write(self.rfile.read(int(self.headers['Content-Length'])))
        self.send_response(204)
        self.end_headers()
        done.set()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = browsers.start(name, profile)
    if not browser:
        sys.exit(77)
    with browser:
        browser.go(f'http://127.0.0.1:{server.server_port}/{page}')
        end = time.monotonic() + browsers.PATIENCE
        while not done.wait(0.5):
            browser.value('0') # reads what the browser has to say
            if time.monotonic() > end:
                sys.exit(f'page_record.py: nothing was sent within {browsers.PATIENCE} s')
