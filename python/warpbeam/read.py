"""Files that warpbeam writes, as tables."""

import csv
import io
import json
import os
import sqlite3

from .table import Table

SCHEMA, REPRODUCE = 1, 2  # of JSON; of a paper's tables
HARDWARE = ("warpbeam-hardware/1", "warpbeam-compare-hardware/1")
# SQLite files: application_id, and the version of each.
APPLICATION, VERSION = 0x77627377, 2  # of sweep and reproduce
TABLES, TABLES_VERSION = {0x77627072: "profile", 0x77626877: "hardware"}, 1

# Objects whose keys are names: the columns that have them.
NAMED = {"counts": ("group", "name"), "memory": ("space", "act"),
         "registers": ("section", "figure"), "figures": ("figure",), "means": ("run", "figure"),
         "settings": ("path",)}


class FormatError(ValueError):
    """The file is none of warpbeam's, or of another version's format."""


def read(path):
    """A dictionary of tables.

    A report (JSON of any command): "metrics" of the chip, "parts" with those of each part,
    "launches", "configuration", and one for every other list or object in it; of a list within
    rows a table "kernels.memory_chart" whose column "kernels" has the row's number; single values
    in "run". A profile (JSON, SQLite or CSV): its tables, as "lines". A sweep (JSON or SQLite):
    "points", with a column for each setting that differs and for each metric, and "launches",
    "failures". Other CSV: "rows".
    """
    path = os.fspath(path)
    with open(path, "rb") as f:
        start = f.read(16)
    if start == b"SQLite format 3\0":
        return _read_sqlite(path)
    if start.lstrip()[:1] in (b"{", b"["):
        return _read_json(path)
    return _read_csv(path)


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


def _is_metric(value):
    return isinstance(value, dict) and {"value", "unit"} <= set(value)


def _flat(value, units, name=""):
    """Objects within objects as columns "a.b"; of metrics the value, their unit is noted."""
    if not isinstance(value, dict):
        return {name: value}
    if set(value) == {"value", "unit"}:
        units[name] = value["unit"]
        return {name: value["value"]}
    out = {}
    for key, inner in value.items():
        out.update(_flat(inner, units, f"{name}.{key}" if name else key))
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


def _are_rows(value):
    return isinstance(value, list) and all(isinstance(v, dict) for v in value)


def _are_columns(value):
    lists = list(value.values())
    return bool(lists) and all(isinstance(v, list) and len(v) == len(lists[0]) and not
                               any(isinstance(x, (dict, list)) for x in v) for v in lists)


class _Tables:
    """Tables of a document, in order of its members."""

    def __init__(self):
        self.rows, self.units, self.names = {}, {}, {}

    def add(self, key, value):
        if key == "metrics":
            self._put(key, _metric_rows(value), ["metric", "value", "unit"])
        elif key == "parts":
            self._put(key, [row for part, metrics in value.items()
                            for row in _metric_rows(metrics, part=part)],
                      ["part", "metric", "value", "unit"])
        elif _are_rows(value):
            self._rows(key, value, {})
        elif isinstance(value, dict):
            self._add_object(key, value)

    def _add_object(self, key, value):
        if key in NAMED:
            self._put(key, list(self._named(key, value, NAMED[key], {})))
        elif value and all(_are_rows(v) for v in value.values()):
            for name, rows in value.items():
                self.add(name if name not in self.rows else f"{key}.{name}", rows)
        elif _are_columns(value):
            self._put(key, [dict(zip(value, row)) for row in zip(*value.values())])
        elif value:
            self._rows(key, [value], {})

    def _put(self, key, rows, names=None):
        self.rows.setdefault(key, []).extend(rows)
        if names:
            self.names[key] = names

    def _rows(self, key, values, head):
        """Objects as rows, which the lists within them name by their numbers."""
        table = self.rows.setdefault(key, [])
        for value in values:
            at = len(table)
            table.append({})
            table[at] = {**head, **self._row(value, key, {key: at})}

    def _named(self, key, value, columns, head):
        """A row for each name, or pair of names."""
        for name, inner in value.items():
            row = {**head, columns[0]: name}
            if len(columns) > 1 and isinstance(inner, dict):
                yield from self._named(key, inner, columns[1:], row)
            else:
                yield {**row, **(inner if isinstance(inner, dict) else {"value": inner})}

    def _row(self, value, key, number):
        """An object as a row; the lists of rows in it go into tables of their own."""
        plain = {}
        for name, inner in value.items():
            if _are_rows(inner) and inner:
                self._rows(f"{key}.{name}", inner, number)
            elif isinstance(inner, dict) and inner and all(_are_rows(v) for v in inner.values()):
                for of, rows in inner.items():
                    self._rows(f"{key}.{name}.{of}", rows, number)
            else:
                plain[name] = inner
        return _flat(plain, self.units.setdefault(key, {}))

    def all(self):
        return {key: Table(rows, self.names.get(key), self.units.get(key))
                for key, rows in self.rows.items()}


def _with_units(tables):
    """Of a profile "counts" has the units of its tables' columns, of a run "metrics" those of its
    kernels and launches."""
    units = {c.get("name"): c.get("unit") for c in tables.get("counts", ())}
    units.update((f"metrics.{m['metric']}", m["unit"]) for m in tables.get("metrics", ()))
    for table in tables.values():
        table.units.update((name, units[name]) for name in table.columns if units.get(name))
    return tables


def _check_document(document, path):
    if not isinstance(document, dict):
        raise FormatError(f"{path}: warpbeam did not write it: it is no object")
    if str(document.get("format", "")).startswith("warpbeam "):  # a sweep's plan
        if document.get("version") != 1:
            raise FormatError(f"{path}: its version is {document.get('version')}, "
                              "this package reads 1")
        return
    by = document.get("made_by") or document.get("program")  # made_by: of a recording
    if not isinstance(by, dict) or by.get("name") != "warpbeam":
        raise FormatError(f"{path}: warpbeam did not write it: 'program' is missing")
    known = REPRODUCE if "scores" in document else SCHEMA
    if document.get("schema", known) not in (known, *HARDWARE):
        raise FormatError(f"{path}: its schema is {document['schema']}, this package reads {known}")


def _read_json(path):
    with open(path, encoding="utf-8") as f:
        try:
            document = json.load(f)
        except ValueError as e:
            raise FormatError(f"{path}: no JSON: {e}") from e
    _check_document(document, path)
    tables = _Tables()
    run = {k: v for k, v in document.items() if not isinstance(v, (dict, list)) and v is not None}
    tables.add("run", [run])
    for key, value in document.items():
        if key not in ("program", "points"):
            tables.add(key, value)
    out = _with_units(tables.all())
    if isinstance(document.get("points"), list):
        out["points"] = _points(document)
    return out


# ---- CSV
def _csv_table(lines, path):
    try:
        reader = csv.DictReader(lines, strict=True)
        rows = [{k: _number(v) for k, v in row.items()} for row in reader]
    except csv.Error as e:
        raise FormatError(f"{path}: no CSV: {e}") from e
    if not reader.fieldnames or any(None in row or None in row.values() for row in rows):
        raise FormatError(f"{path}: its rows do not have the columns of its first line")
    return Table(rows, reader.fieldnames)


def _read_csv(path):
    """A profile's file has several tables, each behind a line "# NAME"."""
    with open(path, newline="", encoding="utf-8") as f:
        try:
            text = f.read()
        except UnicodeDecodeError as e:
            raise FormatError(f"{path}: no CSV: {e}") from e
    if "\0" in text:
        raise FormatError(f"{path}: no CSV: it has NUL bytes")
    if not text.startswith("# "):
        return {"rows": _csv_table(io.StringIO(text, newline=""), path)}
    out = {}
    for part in ("\n" + text).split("\n# ")[1:]:
        name, _, rows = part.partition("\n")
        out[name] = _csv_table(io.StringIO(rows, newline=""), path)
    return _with_units(out)


# ---- SQLite
def _all(db, statement):
    cursor = db.execute(statement)
    names = [c[0] for c in cursor.description]
    return [dict(zip(names, row)) for row in cursor]


def _read_sqlite(path):
    db = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
    try:
        if _check_file(db, path) == APPLICATION:
            return _read_results(db)
        return _read_tables(db)
    except sqlite3.Error as e:
        raise FormatError(f"{path}: no file of warpbeam's results: {e}") from e
    finally:
        db.close()


def _read_results(db):
    points = {p["point"]: p for p in _all(db, "SELECT * FROM points ORDER BY point")}
    settings = _all(db, "SELECT * FROM settings")
    metrics = _all(db, "SELECT * FROM metrics")
    launches = _all(db, "SELECT * FROM launches ORDER BY point, launch")
    failures = _all(db, "SELECT * FROM failures")
    return {"points": _joined(points, settings, metrics), "launches": Table(launches),
            "failures": Table(failures, ["point", "code", "name", "message"])}


def _read_tables(db):
    """All tables of a profile, or of what hardware measured."""
    names = [t["name"] for t in _all(db, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return _with_units(
        {name: Table(_all(db, 'SELECT * FROM "%s" ORDER BY rowid' % name.replace('"', '""')))
         for name in names})


def _check_file(db, path):
    """Its application."""
    application, = db.execute("PRAGMA application_id").fetchone()
    version, = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION and application not in TABLES:
        raise FormatError(f"{path}: no file of warpbeam's results")
    known = VERSION if application == APPLICATION else TABLES_VERSION
    if version != known:
        raise FormatError(f"{path}: its version is {version}, this package reads {known}")
    return application


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
