"""Checks python/warpbeam against files that warpbeam wrote into the folder argv[1]."""

import io
import os
import sqlite3
import sys
import unittest
import xml.dom.minidom

import warpbeam

FOLDER = sys.argv.pop(1)
CYCLES = "gpc__cycles_elapsed.max"


def path(name):
    return os.path.join(FOLDER, name)


class Reading(unittest.TestCase):
    def test_a_sweep_has_the_same_points_in_sqlite_and_json(self):
        a, b = warpbeam.read(path("s.sqlite"))["points"], warpbeam.read(path("s.json"))["points"]
        self.assertEqual(len(a), 4)
        for row in b:
            same = a.where(point=row["point"])
            self.assertEqual(len(same), 1)
            for name in ("target", "chip.sms", CYCLES):
                self.assertEqual(same[0][name], row[name])
        self.assertEqual(a.units[CYCLES], b.units[CYCLES], "cycles")
        self.assertEqual(sorted(set(a["chip.sms"])), [2, 4])
        self.assertNotIn("chip.channels", a.columns)  # the same in all

    def test_a_sweep_has_its_launches_and_failures(self):
        tables = warpbeam.read(path("s.sqlite"))
        self.assertEqual(len(tables["launches"].where(kernel="vectoradd")), 2)
        self.assertEqual(len(tables["failures"]), 0)

    def test_a_report_is_the_same_in_json_and_csv(self):
        report, rows = warpbeam.read(path("r.json")), warpbeam.read(path("r.csv"))["rows"]
        chip = {m["metric"]: m["value"] for m in report["metrics"]}
        for row in rows.where(part="chip"):
            if row["metric"] in chip and isinstance(row["value"], (int, float)):
                self.assertAlmostEqual(row["value"], chip[row["metric"]],
                                       delta=1e-6 * abs(row["value"]))
        self.assertGreater(len(rows.where(part="chip")), 50)
        instructions = report["parts"].where(metric="smsp__inst_executed.sum")
        self.assertEqual(sum(instructions["value"]), chip["smsp__inst_executed.sum"])
        self.assertEqual(report["launches"][0]["kernel"], "vectoradd")
        self.assertEqual(report["configuration"].where(path="chip.sms")[0]["value"], 4)

    def test_a_profile_is_the_same_in_json_csv_and_sqlite(self):
        of = [warpbeam.read(path(f"p.{kind}")) for kind in ("json", "csv", "sqlite")]
        for name in ("total", "lines", "buffers", "channel_time", "kernel_metrics"):
            self.assertGreater(len(of[0][name]), 0)
            for other in of[1:]:
                self.assertEqual(other[name].columns, of[0][name].columns)
                self.assertEqual(len(other[name]), len(of[0][name]))
            self.assertEqual(of[2][name].rows, of[0][name].rows)
        for tables in of:
            self.assertEqual(tables["lines"].units["dram_read"], "bytes")
            self.assertEqual(sum(tables["lines"]["executed"]), tables["total"][0]["executed"])
        self.assertIn("estimated_speedup", of[0]["advice"].columns)

    def test_lists_within_rows_are_tables_that_name_the_row(self):
        report = warpbeam.read(path("r.json"))
        chart = report["kernels.memory_chart"].where(kernels=0)
        self.assertGreater(len(chart), 5)
        self.assertIn("metrics.gpc__cycles_elapsed.max", report["kernels"].columns)
        self.assertEqual(report["kernels"].units["metrics.gpc__cycles_elapsed.max"], "cycles")
        self.assertEqual(report["run"][0]["check"], "passed")

    def test_counts_of_exec_and_papers_tables_are_read(self):
        counts = warpbeam.read(path("e.json"))["counts"]
        self.assertEqual(len(counts.where(group="operations")), 5)
        self.assertEqual(counts.where(group="operations", name="f32")["value"],
                         [sum(warpbeam.read(path("e.json"))["launches"]["operations.f32"])])
        rows = warpbeam.read(path("t.json"))["rows"]
        self.assertEqual(set(rows["table"]), {"table4.5"})

    def test_other_files_are_refused_by_name(self):
        for name, content, words in (("a.json", '{"a": 1}', "warpbeam did not write it"),
                                     ("b.json", "{", "no JSON"),
                                     ("c.csv", "a,b\n1\n", "do not have the columns"),
                                     ("d.csv", "", "do not have the columns"),
                                     ("h.csv", "a,\0\n", "no CSV"),
                                     ("i.json", "[1, 2]", "warpbeam did not write it"),
                                     ("e.json", '{"program": {"name": "warpbeam"}, "schema": 99}',
                                      "this package reads 1")):
            with open(path(name), "w", encoding="utf-8") as f:
                f.write(content)
            with self.assertRaisesRegex(warpbeam.FormatError, words):
                warpbeam.read(path(name))
        sqlite3.connect(path("f.sqlite")).execute("CREATE TABLE t (a)")
        with self.assertRaisesRegex(warpbeam.FormatError, "no file of warpbeam's results"):
            warpbeam.read(path("f.sqlite"))
        other = sqlite3.connect(path("g.sqlite"))
        other.execute("PRAGMA application_id = 0x77627377")
        other.execute("PRAGMA user_version = 99")
        other.commit()
        with self.assertRaisesRegex(warpbeam.FormatError, "its version is 99"):
            warpbeam.read(path("g.sqlite"))
        with self.assertRaises(FileNotFoundError):
            warpbeam.read(path("none"))


class Tables(unittest.TestCase):
    table = warpbeam.Table([{"a": 2, "b": "x"}, {"a": 1}, {"a": 2, "b": "w"}])

    def test_rows_are_chosen_and_sorted(self):
        self.assertEqual(self.table.where(a=2)["b"], ["x", "w"])
        self.assertEqual(self.table.where(lambda r: r["b"] is None)["a"], [1])
        self.assertEqual(self.table.sorted("a", "b")["b"], [None, "w", "x"])
        with self.assertRaisesRegex(KeyError, "there are: a, b"):
            self.table["c"]
        with self.assertRaises(KeyError):
            self.table.where(c=1)

    def test_of_many_columns_a_few_are_told(self):
        many = warpbeam.Table([{f"column{i}": i for i in range(100)}])
        with self.assertRaisesRegex(KeyError, "did you mean column4, .*columns are 100") as told:
            many["colum4"]
        self.assertLess(len(str(told.exception)), 200)
        self.assertIn("and 80 more columns", repr(many))

    def test_they_become_csv_and_frames(self):
        out = io.StringIO()
        self.table.to_csv(out)
        self.assertEqual(out.getvalue(), "a,b\n2,x\n1,\n2,w\n")
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "needs pandas"):
                self.table.to_pandas()
        else:
            self.assertEqual(list(self.table.to_pandas()["a"]), [2, 1, 2])


class Plots(unittest.TestCase):
    def test_a_sweep_is_drawn_with_axes_units_and_a_line_for_each_target(self):
        points = warpbeam.read(path("s.sqlite"))["points"]
        text = warpbeam.plot(points, "chip.sms", CYCLES, by="target", file=path("s.svg"))
        with open(path("s.svg"), encoding="utf-8") as f:
            self.assertEqual(f.read(), text)
        self.assertEqual(len(xml.dom.minidom.parseString(text).getElementsByTagName("polyline")), 2)
        for words in (f"{CYCLES}, cycles", ">vectoradd<", ">scalarprod<", "color-scheme: dark"):
            self.assertIn(words, text)

    def test_names_are_escaped_and_one_value_has_an_axis(self):
        table = warpbeam.Table([{"<x>": 1, "y": 0, "n": "<b>&"}])
        text = warpbeam.plot(table, "<x>", "y", by="n")
        xml.dom.minidom.parseString(text)
        self.assertIn("&lt;b&gt;&amp;", text)

    def test_what_cannot_be_drawn_is_said(self):
        with self.assertRaises(KeyError):
            warpbeam.plot(Tables.table, "a", "c")
        with self.assertRaisesRegex(ValueError, "no row has numbers"):
            warpbeam.plot(Tables.table, "a", "b")


if __name__ == "__main__":
    unittest.main()
