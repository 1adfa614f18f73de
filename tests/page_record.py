"""page_record.py FOLDER PAGE FILE: opens PAGE of FOLDER in Chromium, without Heddle, and keeps the data that the page sends as FILE."""
import functools, http.server, os, shutil, signal, subprocess, sys, tempfile, threading, time

folder, page, target = sys.argv[1:]
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
profile = tempfile.mkdtemp()
program = next(p for p in ('chromium', 'chromium-browser', 'google-chrome') if shutil.which(p))
browser = subprocess.Popen([program, '--headless=new', '--enable-unsafe-webgpu', '--no-first-run', f'--user-data-dir={profile}']
                           + (['--no-sandbox'] if os.geteuid() == 0 else []) + [f'http://127.0.0.1:{server.server_port}/{page}'],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
arrived = done.wait(120)
time.sleep(0.2)
os.killpg(browser.pid, signal.SIGKILL)
browser.wait()
shutil.rmtree(profile, ignore_errors=True)
sys.exit(0 if arrived else 'page_record.py: nothing was sent within 120 s')
