"""Pages that are written elsewhere: the API from `__all__`, notebooks, results and changes."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import pathlib
import pkgutil
import posixpath
import re
from typing import Any

import latex2mathml.converter
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from notebook_page import notebook_page

# The compiled weights have no docstrings of their own.
os.environ.setdefault("RIVER_TRAPEZOID_PURE", "1")

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
ELSEWHERE = {
    "benchmarks/README.md": RESULTS / "README.md",
    "benchmarks/reproduction.md": RESULTS / "reproduction.md",
    "benchmarks/figures/agreement.png": RESULTS / "figures" / "agreement.png",
    "changelog.md": ROOT / "CHANGELOG.md",
}
# Paragraphs of a docstring that begin with a prompt.
DOCTEST = re.compile(r"(?:^>>> .*\n(?:.+\n)*\n?)+", re.MULTILINE)
UP = re.compile(r"\]\((?P<path>(?:\.\./)+[^)#\s]+)")
CODE = re.compile(r"`[^`\n]+`")
FORMULA = re.compile(
    r'<(?P<tag>div|span) class="arithmatex">\\[\[(](?P<latex>.*?)\\[\])]</(?P=tag)>', re.DOTALL
)


def rooms() -> dict[str, list[str]]:
    """The public names of each public sub-package, in the order of the alphabet."""
    package = importlib.import_module("river_trapezoid")
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg and module.name != "cli" and not module.name.startswith("_"):
            room = importlib.import_module(f"river_trapezoid.{module.name}")
            if room.__all__:
                found[module.name] = sorted(room.__all__, key=str.lower)
    spark = importlib.import_module("river_trapezoid.keyed.spark")
    found["keyed.spark"] = sorted(spark.__all__, key=str.lower)
    return found


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the API into the navigation."""
    assert config.nav is not None
    api: list[Any] = ["api/index.md"]
    for room, names in rooms().items():
        pages = [{name: f"api/{room}/{_file(name, names)}"} for name in names]
        api.append({room: [f"api/{room}/index.md", *pages]})
    config.nav.insert(-2, {"API": api})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the API, and what is written elsewhere."""
    for uri, path in ELSEWHERE.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        text, pictures = notebook_page(path)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
        for name, data in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    found = rooms()
    for room, names in found.items():
        for name in names:
            reference = f"::: river_trapezoid.{room}.{name}\n"
            uri = f"api/{room}/{_file(name, names)}"
            files.append(File.generated(config, uri, content=reference))
        files.append(File.generated(config, f"api/{room}/index.md", content=_room(room, names)))
    files.append(File.generated(config, "api/index.md", content=_overview(found)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Have the search show the guide first, then the API, and tables of figures last.

    Bars in code lose their backslashes, which the site would display. Folded content is marked as
    Markdown. Links to files of the project become links to the pages made of them.
    """
    uri = page.file.src_uri
    boost = {"api": 2, "benchmarks": 0.1, "notebooks": 1}.get(uri.partition("/")[0], 3)
    page.meta["search"] = {"boost": boost}
    markdown = markdown.replace("<details>", '<details markdown="1">')
    markdown = CODE.sub(lambda code: code[0].replace("\\|", "|"), markdown)
    folder, pages = pathlib.Path(page.file.abs_src_path or ROOT).parent, _pages()

    def here(link: re.Match[str]) -> str:
        path = (folder / link["path"]).resolve()
        if path not in pages:
            return link[0]
        return f"]({posixpath.relpath(pages[path], posixpath.dirname(uri))}"

    return UP.sub(here, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Turn formulas into MathML, which browsers set by themselves."""
    return FORMULA.sub(_formula, html)


@functools.cache
def _pages() -> dict[pathlib.Path, str]:
    """The pages by the files that they are made of."""
    pages = {path: uri for uri, path in ELSEWHERE.items()}
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        pages[path] = f"notebooks/{path.stem}.md"
    pages[ROOT / "river_trapezoid"] = "api/index.md"
    for room, names in rooms().items():
        module = importlib.import_module(f"river_trapezoid.{room}")
        pages[pathlib.Path(str(module.__file__))] = f"api/{room}/index.md"
        for name in names:
            of = getattr(module, name)
            if inspect.isclass(of) or inspect.isfunction(of):
                path = pathlib.Path(inspect.getfile(of))
                pages.setdefault(path, f"api/{room}/{_file(name, names)}")
    return pages


def _formula(match: re.Match[str]) -> str:
    latex = match["latex"].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    display = "block" if match["tag"] == "div" else "inline"
    return latex2mathml.converter.convert(latex, display=display)


def _file(name: str, names: list[str]) -> str:
    """The file of a name's page; not all file systems tell names apart by their case."""
    twin = name != name.lower() and name.lower() in names
    return f"{name}-class.md" if twin else f"{name}.md"


def _room(room: str, names: list[str]) -> str:
    module = importlib.import_module(f"river_trapezoid.{room}")
    told = DOCTEST.sub(r"```python\n\g<0>```\n", (module.__doc__ or "").strip() + "\n")
    lines = [f"# {room}", "", told, "| | |", "|---|---|"]
    lines += [f"| [{name}]({_file(name, names)}) | {_summary(module, name)} |" for name in names]
    return "\n".join(lines) + "\n"


def _overview(found: dict[str, list[str]]) -> str:
    lines = ["# API", "", "| | |", "|---|---|"]
    for room, names in found.items():
        links = ", ".join(f"[{name}]({room}/{_file(name, names)})" for name in names)
        lines.append(f"| [{room}]({room}/index.md) | {links} |")
    return "\n".join(lines) + "\n"


def _summary(module: Any, name: str) -> str:
    text = getattr(module, name).__doc__ or ""
    return " ".join(text.strip().partition("\n\n")[0].split()).replace("|", "\\|")
