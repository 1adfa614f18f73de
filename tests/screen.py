"""A screen without a monitor, for tests of windows."""
import os, subprocess


class Screen:
    """Xvfb, whose picture is a file (xwd) in `folder`."""
    def __init__(self, folder, size):
        here, there = os.pipe()
        self.process = subprocess.Popen(['Xvfb', '-displayfd', str(there), '-screen', '0', f'{size}x24', '-nolisten', 'tcp', '-noreset', '-fbdir', folder],
                                        pass_fds=[there], stderr=subprocess.DEVNULL)
        os.close(there)
        with os.fdopen(here) as answer:
            self.name = ':' + answer.readline().strip()
        self.file = os.path.join(folder, 'Xvfb_screen0')
