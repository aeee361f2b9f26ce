"""Files that warpbeam writes, as tables."""

import csv
import json
import os
import sqlite3

from .table import Table

SCHEMA = 1  # of JSON
APPLICATION, VERSION = 0x77627377, 2  # of SQLite


class FormatError(ValueError):
    """The file is none of warpbeam's, or of another version's format."""


def read(path):
    """A dictionary of tables.

    A report (JSON of run, profile and others): "metrics" of the chip, "parts" with those of each
    part, "launches", "configuration", and one for every other list in it. A sweep (JSON or
    SQLite): "points", with a column for each setting that differs and for each metric, and
    "launches", "failures". CSV: "rows".
    """
    path = os.fspath(path)
    with open(path, "rb") as f:
        start = f.read(16)
    if start == b"SQLite format 3\0":
        return _read_sqlite(path)
    if start.lstrip()[:1] == b"{":
        return _read_json(path)
    return {"rows": _read_csv(path)}


# ---- values
def _number(text):
    """A setting's value, where it is written like a number, as one."""
    if not isinstance(text, str):
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _flat(value, name=""):
    """Objects within objects as columns "a.b"."""
    if not isinstance(value, dict):
        return {name: value}
    if set(value) == {"value", "unit"}:
        return {name: value["value"]}
    out = {}
    for key, inner in value.items():
        out.update(_flat(inner, f"{name}.{key}" if name else key))
    return out


# ---- JSON
def _metric_rows(metrics, **head):
    return [dict(head, metric=name, value=m["value"], unit=m["unit"])
            for name, m in metrics.items()]


def _points(document):
    rows, units = [], {}
    for p in document["points"]:
        row = {k: v for k, v in p.items() if not isinstance(v, dict)}
        row.update((k, _number(v)) for k, v in p.get("settings", {}).items())
        for name, m in (p.get("metrics") or {}).items():
            row[name] = m["value"]
            units[name] = m["unit"]
        rows.append(row)
    return Table(rows, units=units)


def _read_json(path):
    with open(path, encoding="utf-8") as f:
        try:
            document = json.load(f)
        except ValueError as e:
            raise FormatError(f"{path}: no JSON: {e}") from e
    if document.get("program", {}).get("name") != "warpbeam":
        raise FormatError(f"{path}: warpbeam did not write it: 'program' is missing")
    if document.get("schema", SCHEMA) != SCHEMA:
        raise FormatError(f"{path}: its schema is {document['schema']}, this package reads {SCHEMA}")
    if isinstance(document.get("points"), list):
        return {"points": _points(document)}
    out = {}
    for key, value in document.items():
        if key == "metrics":
            out[key] = Table(_metric_rows(value), ["metric", "value", "unit"])
        elif key == "parts":
            out[key] = Table((row for part, metrics in value.items()
                              for row in _metric_rows(metrics, part=part)),
                             ["part", "metric", "value", "unit"])
        elif isinstance(value, list) and all(isinstance(v, dict) for v in value):
            out[key] = Table(_flat(v) for v in value)
    return out


# ---- CSV
def _read_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        try:
            reader = csv.DictReader(f, strict=True)
            rows = [{k: _number(v) for k, v in row.items()} for row in reader]
        except (csv.Error, UnicodeDecodeError) as e:
            raise FormatError(f"{path}: no CSV: {e}") from e
        if not reader.fieldnames or any(None in row or None in row.values() for row in rows):
            raise FormatError(f"{path}: its rows do not have the columns of its first line")
    return Table(rows, reader.fieldnames)


# ---- SQLite
def _all(db, statement):
    cursor = db.execute(statement)
    names = [c[0] for c in cursor.description]
    return [dict(zip(names, row)) for row in cursor]


def _read_sqlite(path):
    db = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
    try:
        _check_file(db, path)
        points = {p["point"]: p for p in _all(db, "SELECT * FROM points ORDER BY point")}
        settings = _all(db, "SELECT * FROM settings")
        metrics = _all(db, "SELECT * FROM metrics")
        launches = _all(db, "SELECT * FROM launches ORDER BY point, launch")
        failures = _all(db, "SELECT * FROM failures")
    except sqlite3.Error as e:
        raise FormatError(f"{path}: no file of a sweep's results: {e}") from e
    finally:
        db.close()
    return {"points": _joined(points, settings, metrics), "launches": Table(launches),
            "failures": Table(failures, ["point", "code", "name", "message"])}


def _check_file(db, path):
    application, = db.execute("PRAGMA application_id").fetchone()
    version, = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise FormatError(f"{path}: no file of a sweep's results")
    if version != VERSION:
        raise FormatError(f"{path}: its version is {version}, this package reads {VERSION}")


def _quoted(path):
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _joined(points, settings, metrics):
    """A row for each point: what it is, the settings that differ, its metrics."""
    values, units = {}, {}
    for s in settings:
        values.setdefault(s["path"], {})[s["point"]] = _number(s["value"])
    for path, of in values.items():
        if len(set(map(repr, of.values()))) == 1 and len(of) == len(points):
            continue
        for point, value in of.items():
            points[point][path] = value
    for m in metrics:
        points[m["point"]][m["name"]] = m["value"]
        units[m["name"]] = m["unit"]
    return Table(points.values(), units=units)
