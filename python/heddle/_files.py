"""Files that are written as a whole."""
from __future__ import annotations

import os
from typing import Any


def write_whole(path: Any, content: bytes) -> None:
    """Writes a file under another name and renames it, so that it is never half written. A device, a pipe and a symbolic link are written
    in place: the rename would replace the node itself, /dev/null for example."""
    if os.path.islink(path) or os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(content)
        return
    part = f"{os.fsdecode(path)}.{os.getpid()}.part"
    try:
        with open(part, "xb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
