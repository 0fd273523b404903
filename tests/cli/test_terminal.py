"""The command line in a real terminal."""

from __future__ import annotations

import re

import pexpect
import pytest

from tests.cli.terminals import started


@pytest.fixture
def start():
    terminals = []

    def start(*arguments):
        terminals.append(started(*arguments))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close(force=True)


def test_progress_is_shown_with_the_time_left_and_removed_at_the_end(start, table):
    terminal = start("compare", str(table), "--target", "label", "--learners", "all")
    terminal.expect(r"Comparing: +\d+%\|.*\d+\.\d of 40 runs \[\d\d:\d\d, \d\d:\d\d left\]")
    terminal.expect(r"RK-TS3VM .*\r\n")
    terminal.expect(pexpect.EOF)
    assert "Comparing" not in terminal.before
    terminal.close()
    assert terminal.exitstatus == 0


def test_help_in_a_terminal_is_at_most_80_columns_wide(start):
    terminal = start("compare", "--help")
    terminal.expect(pexpect.EOF)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", terminal.before)
    assert "--target" in plain
    assert max(map(len, plain.split("\r\n"))) <= 80


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_prints_the_results_so_far(start, tmp_path, jobs):
    path, records = tmp_path / "long.csv", tmp_path / "records.csv"
    rows = "".join(f"{i % 7},{i % 11},{int(i % 3 == 0)}\n" for i in range(20_000))
    path.write_text(f"a,b,y\n{rows}")
    # The first learner takes less than a second, and the last would take minutes.
    options = ["--learners", "OLSF,RK-TS3VM", "--jobs", jobs, "--csv", str(records)]
    terminal = start("compare", str(path), "--target", "y", *options)
    terminal.expect(r"[12]\.\d of 3 runs")
    terminal.sendintr()
    terminal.expect("interrupted; the results so far:\r\n")
    terminal.expect(r"OLSF +0\.\d{4}")
    terminal.expect(f"records: {records}")
    terminal.expect(pexpect.EOF)
    assert "Traceback" not in terminal.before
    terminal.close()
    assert terminal.exitstatus == 130
    assert ",OLSF," in records.read_text(encoding="utf-8")
