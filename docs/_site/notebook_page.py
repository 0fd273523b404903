"""Notebooks as pages, with their saved output, but without live controls."""

from __future__ import annotations

import base64
import json
import pathlib

__all__ = ["notebook_page"]


def notebook_page(path: pathlib.Path) -> tuple[str, dict[str, bytes]]:
    """Return the Markdown of a notebook, and its pictures by name."""
    lines: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            lines += [source, ""]
            continue
        lines += ["```python", source, "```", ""]
        for output in cell["outputs"]:
            data = output.get("data", {})
            text = "".join(output.get("text", data.get("text/plain", "")))
            if "image/png" in data:
                name = f"{path.stem}-{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode("".join(data["image/png"]))
                lines += [f"![]({name})", ""]
            elif "application/vnd.jupyter.widget-view+json" in data:
                lines += ["*Here the notebook has controls.*", ""]
            elif text:
                lines += ["```text", text.rstrip("\n"), "```", ""]
    return "\n".join(lines), pictures
