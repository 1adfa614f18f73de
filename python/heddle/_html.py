"""What notebooks show: tables, and data as a part of the page."""
from __future__ import annotations

import base64
import html
from typing import Any, Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], note: str = "") -> str:
    def line(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in cells) + "</tr>"

    return (f"<table><thead>{line(head, 'th')}</thead><tbody>" + "".join(line(r, "td") for r in rows) + "</tbody></table>"
            + (f"<p>{html.escape(note)}</p>" if note else ""))


def uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
