from __future__ import annotations

import pathlib

import nbclient
import nbformat
import pytest

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
assert "from 10 questions drawn at random" in panel.status.value
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
    slider.value = slider.max
    slider.value = slider.min
"""


def _execute(notebook):
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": FOLDER}}
    )
    client.execute()
    for state in client.widget_state.values():
        for output in state.get("outputs", []):
            assert output["output_type"] != "error", output
    return notebook


def test_all_notebooks_are_found():
    assert {path.stem for path in NOTEBOOKS} >= {
        "quick_start",
        "paying_for_labels",
        "values_and_evidence",
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_sliders_slide(path):
    notebook = nbformat.read(path, as_version=4)
    if any("sliders = " in cell.source for cell in notebook.cells):
        notebook.cells.append(nbformat.v4.new_code_cell(SLIDES))
    cells = _execute(notebook).cells
    assert all(cell.execution_count for cell in cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_outputs_are_complete_and_small(path):
    assert path.stat().st_size < 400_000
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.execution_count is not None
            assert not any(output.output_type == "error" for output in cell.outputs)


def test_the_buttons_of_the_labelling_panel():
    notebook = nbformat.read(FOLDER / "paying_for_labels.ipynb", as_version=4)
    notebook.cells = [c for c in notebook.cells if "label_cost_curve" not in c.source]
    notebook.cells.append(nbformat.v4.new_code_cell(CLICKS))
    assert _execute(notebook).cells[-1].execution_count
