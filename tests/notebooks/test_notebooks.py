from __future__ import annotations

import pathlib
import re

import nbclient
import nbformat
import pytest
from river import datasets

FOLDER = pathlib.Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

CLICKS = """
assert "0 labels given" in panel.status.value
panel.class_buttons["phishing"].click()
panel.class_buttons["honest"].click()
panel.buttons["undo"].click()
assert desk.n_labels == 1
for _ in range(99):
    tell.click()
assert "100 labels given" in panel.status.value
assert "from 10 random checks" in panel.status.value
rest = [x for i, (x, _) in enumerate(pool) if i not in desk.labels]
known = [label for i, label in enumerate(truth) if i not in desk.labels]
right = sum(desk.predict(x)[0] == label for x, label in zip(rest, known, strict=True))
assert right / len(rest) > 0.85, right / len(rest)
while desk.question:
    tell.click()
tell.click()
assert "No more questions" in panel.question.value and desk.n_labels == 300
"""
SLIDES = """
for slider in sliders.values():
    for value in slider.options if hasattr(slider, "options") else (slider.max, slider.min):
        slider.value = value
"""
# In place of repeats whose results are in the committed outputs, a few.
FEWER = {
    "drift": {"repeats=5": "repeats=1"},
    "growing_vocabulary": {
        "repeats=3": "repeats=2",
        "100_000": "20_000",
    },
    "mostly_unlabelled": {
        "range(40)": "range(4)",
        "repeats=6": "repeats=2",
        "range(3)": "range(1)",
        "ranking(models, 10,": "ranking(models, 2,",
    },
    "paying_for_labels": {"repeats=10": "repeats=2"},
    "quick_start": {"repeats=10": "repeats=2"},
    "sensors_that_come_and_go": {
        "repeats=5": "repeats=2",
        "range(30)": "range(3)",
        "N_PLANTS = 30": "N_PLANTS = 3",
        "n_plants=10": "n_plants=2",
    },
    "values_and_evidence": {"repeats=5": "repeats=2", "repeats=10": "repeats=2"},
}
WIDGET = "application/vnd.jupyter.widget-view+json"


def _execute(notebook):
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": FOLDER}}
    )
    # Without nbclient's stand-in for widgets, outputs stay in their cell, and a run does not depend
    # on messages between the two.
    client.comm_open_handlers["jupyter.widget"] = lambda message: None
    client.execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error", output
    return notebook


def test_all_notebooks_are_found():
    assert {path.stem for path in NOTEBOOKS} >= {
        "drift",
        "growing_vocabulary",
        "mostly_unlabelled",
        "paying_for_labels",
        "quick_start",
        "sensors_that_come_and_go",
        "values_and_evidence",
    }


def _with_fewer_repeats(notebook, stem):
    """Replace numbers of repeats, each of which occurs in some cell."""
    for number, fewer in FEWER[stem].items():
        assert any(number in cell.source for cell in notebook.cells), number
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.source = cell.source.replace(number, fewer)


@pytest.mark.parametrize("in_full", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_sliders_slide(path, in_full):
    notebook = nbformat.read(path, as_version=4)
    if not in_full:
        _with_fewer_repeats(notebook, path.stem)
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if "sliders = " in cell.source:
            cells.append(nbformat.v4.new_code_cell(SLIDES))
    notebook.cells = cells
    cells = _execute(notebook).cells
    assert all(cell.execution_count for cell in cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_outputs_are_complete_and_small(path):
    assert path.stat().st_size < 400_000
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.execution_count is not None
            assert not any(output.output_type == "error" for output in cell.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_live_control_has_a_static_picture(path):
    code = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    kinds = [{kind for output in cell.outputs for kind in output.get("data", ())} for cell in code]
    assert any("sliders = " in cell.source for cell in code)
    live = [i for i, own in enumerate(kinds) if WIDGET in own]
    assert live
    for i in live:
        # In its own cell, or in the next one.
        assert "image/png" in set().union(*kinds[i : i + 2]), code[i].source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_needs_no_network(path):
    source = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    for name in ("http://", "https://", "urllib", "requests.", ".download("):
        assert name not in source
    for name in set(re.findall(r"\bdatasets\.(\w+)", source)):
        dataset = getattr(datasets, name, None)
        remote = isinstance(dataset, type) and issubclass(dataset, datasets.base.RemoteDataset)
        assert not remote, name


def test_the_buttons_of_the_labelling_panel():
    notebook = nbformat.read(FOLDER / "paying_for_labels.ipynb", as_version=4)
    notebook.cells = [c for c in notebook.cells if "label_cost_curve" not in c.source]
    notebook.cells.append(nbformat.v4.new_code_cell(CLICKS))
    assert _execute(notebook).cells[-1].execution_count
