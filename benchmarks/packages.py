"""Packages for learning online while features come and go, each in an environment of its own.

    python -m benchmarks.packages --environments FOLDER [--data FOLDER] [--csv FILE]
    python -m benchmarks.packages --report FILE

An environment that is not in the folder is made with venv and pip. All packages run on the same
rows in the same order (`runner.py`), by turns. `size` is what the installation adds to the
site-packages of an empty environment. `start` is the time of a Python process that makes a learner,
and `speed` that of learn + predict, both against River's, of the same round: the median of the
rounds. A learner that takes long runs once. Not for Windows.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from river import preprocessing

from benchmarks import data
from river_trapezoid import stream

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNNER = pathlib.Path(__file__).with_name("runner.py")
EMPTY, REFERENCE = "empty", "StandardScaler | LogisticRegression"
REQUIREMENTS = {
    EMPTY: [],
    "river-trapezoid": [str(ROOT)],
    "river": ["river==0.26.1"],
    "vowpalwabbit": ["vowpalwabbit==9.11.9"],
    # Its forests import typing_extensions, which it does not ask for.
    "openmoa": ["openmoa==1.0.1", "typing_extensions"],
    "haphazard": ["haphazard[orf3v]==1.2.8"],
}
PACKAGES = [name for name in REQUIREMENTS if name != EMPTY]
STARTS = {
    "river-trapezoid": (
        "from river_trapezoid.linear_model import EvidenceClassifier; EvidenceClassifier()"
    ),
    "river": (
        "from river import linear_model, preprocessing; "
        "preprocessing.StandardScaler() | linear_model.LogisticRegression()"
    ),
    "vowpalwabbit": "import vowpalwabbit; vowpalwabbit.Workspace('--quiet')",
    "openmoa": (
        "from openmoa.classifier import FTRLClassifier; from openmoa.stream import Schema; "
        "FTRLClassifier(Schema.from_custom(['a'], values_for_class_label=['0', '1']))"
    ),
    "haphazard": "from haphazard import load_model; load_model('olvf')",
}
LIMIT = 3000
OF_LEARNERS = ("accuracy", "speed", "microseconds")
OF_PACKAGES = ("megabytes", "packages", "start")
FIELDS = ("package", "learner", "stream", *OF_LEARNERS, *OF_PACKAGES, "note")


def streams() -> dict[str, list[data.Instance]]:
    """A table with half of its values hidden, one that grows column by column, and text."""
    spambase = data.shuffled(data.instances("Spambase"), 0, LIMIT)
    magic = data.shuffled(data.instances("Magic04"), 0, LIMIT)
    return {
        "Spambase, half hidden": list(stream.Haphazard(spambase, p=0.5, seed=0)),
        "Magic04, trapezoidal": list(stream.Trapezoidal(magic, n_chunks=10)),
        "SMS spam, words": list(data.instances("SMSSpam"))[:LIMIT],
    }


def lines(rows: list[data.Instance], words: bool) -> list[str]:
    """A line of JSON for each row; numbers also as River's scaler has them by then."""
    scaler, written = preprocessing.StandardScaler(), []
    for x, y in rows:
        x = {str(key): value for key, value in x.items()}
        line = {"x": x, "y": bool(y)}
        if not words:
            scaler.learn_one(x)
            line["scaled"] = scaler.transform_one(x)
        written.append(json.dumps(line))
    return written


def python(folder: pathlib.Path, name: str) -> str:
    """The interpreter of an environment."""
    return str(folder / name / "bin" / "python")


def make(folder: pathlib.Path, name: str) -> str:
    """Make an environment unless it exists; return what went wrong."""
    made = folder / name / "made"
    if made.exists():
        return ""
    print(f"making {name}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder / name], check=True)
    if REQUIREMENTS[name]:
        command = [python(folder, name), "-m", "pip", "install", "--quiet", *REQUIREMENTS[name]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"pip: {done.stderr.strip().splitlines()[-1]}"
    made.touch()
    return ""


def installed(folder: pathlib.Path, name: str) -> tuple[float, int]:
    """The megabytes of site-packages, and how many packages are there."""
    ask = "import sysconfig; print(sysconfig.get_path('platlib'))"
    where = subprocess.check_output([python(folder, name), "-c", ask], text=True).strip()
    paths = pathlib.Path(where).rglob("*")
    size = sum(path.stat().st_size for path in paths if path.is_file() and not path.is_symlink())
    listed = [python(folder, name), "-m", "pip", "list", "--format", "json"]
    return size / 1e6, len(json.loads(subprocess.check_output(listed)))


def starts(folder: pathlib.Path, names: list[str], rounds: int) -> dict[str, float]:
    """Times that River takes to start."""
    times: dict[str, list[float]] = {name: [] for name in names}
    # The first time, the files may have to come from the disk.
    for i in range(rounds + 1):
        for name in names:
            begin = time.perf_counter()
            subprocess.run([python(folder, name), "-c", STARTS[name]], check=True)
            if i:
                times[name].append(time.perf_counter() - begin)
    return {name: ratio(own, times["river"]) for name, own in times.items()}


def ratio(above: list[float], below: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=False))


def ran(folder, name, file, limit, learners=None) -> list[dict]:
    """What the learners of a package find on a stream."""
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(temporary, "out")
        command = [python(folder, name), RUNNER, name, file, out, "--limit", str(limit)]
        if learners:
            command += ["--learners", *learners]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return [{"learner": "", "failed": done.stderr.strip().splitlines()[-1]}]
        return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def runs(folder, names, file, rounds, limit, brief) -> dict[tuple[str, str], list[dict]]:
    """What each learner finds in each round; one that takes more than brief seconds runs once."""
    found: dict[tuple[str, str], list[dict]] = {}
    rng = random.Random(0)
    for i in range(rounds):
        for name in rng.sample(names, len(names)):
            again = [
                learner
                for (package, learner), results in found.items()
                if package == name and results[0].get("seconds", brief) < brief
            ]
            if i == 0 or again:
                for result in ran(folder, name, file, limit, again):
                    found.setdefault((name, result["learner"]), []).append(result)
    return found


def records(found: dict[tuple[str, str], list[dict]], place: str, n_rows: int) -> list[dict]:
    """Rows of the CSV from the rounds on a stream."""
    reference = [result["seconds"] for result in found["river", REFERENCE]]
    written = []
    for (package, learner), results in sorted(found.items(), key=by_package):
        record = dict.fromkeys(FIELDS, "")
        record |= {"package": package, "learner": learner, "stream": place}
        if "failed" in results[0]:
            record["note"] = results[0]["failed"]
        else:
            seconds = [result["seconds"] for result in results]
            record["accuracy"] = results[0]["accuracy"]
            record["speed"] = ratio(reference, seconds)
            record["microseconds"] = statistics.median(seconds) / n_rows * 1e6
        written.append(record)
    return written


def by_package(item: tuple[tuple[str, str], list[dict]]) -> int:
    return PACKAGES.index(item[0][0])


def measured(folder: pathlib.Path, rounds: int, limit: float, brief: float) -> list[dict]:
    written, names = [], []
    make(folder, EMPTY)
    empty_size, empty_count = installed(folder, EMPTY)
    for name in PACKAGES:
        record = dict.fromkeys(FIELDS, "") | {"package": name}
        written.append(record)
        if failed := make(folder, name):
            record["note"] = failed
            continue
        names.append(name)
        size, count = installed(folder, name)
        record["megabytes"], record["packages"] = size - empty_size, count - empty_count
        (behaviour,) = ran(folder, name, "behaviour", limit)
        record["note"] = "; ".join(f"{key}: {value}" for key, value in behaviour.items())
    for name, start in starts(folder, names, rounds=7).items():
        next(record for record in written if record["package"] == name)["start"] = start
    for place, rows in streams().items():
        with tempfile.TemporaryDirectory() as temporary:
            file = pathlib.Path(temporary, "stream.jsonl")
            file.write_text("\n".join(lines(rows, words="words" in place)), encoding="utf-8")
            found = runs(folder, names, file, rounds, limit, brief)
        written += records(found, place, len(rows))
        print(table(written[-len(found) :]), flush=True)
    return written


def read(path: str) -> list[dict]:
    """Records as they were written."""
    with open(path, newline="", encoding="utf-8") as file:
        return [
            {k: float(v) if v and k in OF_LEARNERS + OF_PACKAGES else v for k, v in record.items()}
            for record in csv.DictReader(file)
        ]


def table(written: list[dict]) -> str:
    """A row for each learner: accuracy in per cent and times as fast as the reference."""
    runs = [record for record in written if record["stream"]]
    places = list(dict.fromkeys(record["stream"] for record in runs))
    text = [f"| package | learner | {' | '.join(places)} |", "|---" * (len(places) + 2) + "|"]
    for package, learner in dict.fromkeys((r["package"], r["learner"]) for r in runs):
        own = {r["stream"]: r for r in runs if (r["package"], r["learner"]) == (package, learner)}
        cells = [cell(own[place]) if place in own else "" for place in places]
        text.append(f"| {package} | {code(learner)} | {' | '.join(cells)} |")
    return "\n".join(text)


def code(learner: str) -> str:
    """A name in a cell of a table."""
    return "`" + learner.replace("|", "\\|") + "`"


def cell(record: dict) -> str:
    if record["accuracy"] == "":
        return record["note"].partition(":")[0]
    return f"{100 * record['accuracy']:.1f} ({record['speed']:.2g})"


def summary(written: list[dict]) -> str:
    """A row for each package, with its most accurate learner on each stream."""
    places = list(dict.fromkeys(record["stream"] for record in written if record["stream"]))
    text = [f"| package | MB | packages | start | {' | '.join(places)} |"]
    text.append("|---" * (len(places) + 4) + "|")
    for record in written:
        if record["stream"]:
            continue
        cells = [f"{record[key]:,.0f}" if record[key] != "" else "" for key in OF_PACKAGES[:2]]
        cells.append(f"{record['start']:.2g}" if record["start"] != "" else "")
        for place in places:
            own = [r for r in written if (r["package"], r["stream"]) == (record["package"], place)]
            best = max(
                (r for r in own if r["accuracy"] != ""), key=lambda r: r["accuracy"], default=None
            )
            cells.append(f"{cell(best)} {code(best['learner'])}" if best else "")
        text.append(f"| {record['package']} | {' | '.join(cells)} |")
    return "\n".join(text)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", metavar="FOLDER", type=pathlib.Path)
    data.add_home(parser)
    parser.add_argument("--csv")
    parser.add_argument("--report", metavar="FILE", help="print the tables of former runs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of a learner, at most")
    parser.add_argument("--brief", type=float, default=5.0, help="what takes longer runs once")
    options = parser.parse_args(arguments)
    if not (options.environments or options.report):
        parser.error("either --environments or --report is needed")
    if options.report:
        written = read(options.report)
    else:
        folder = options.environments.resolve()
        written = measured(folder, options.rounds, options.limit, options.brief)
        if options.csv:
            data.write(options.csv, written)
    print(f"\n{summary(written)}\n\n{table(written)}")


if __name__ == "__main__":
    main()
