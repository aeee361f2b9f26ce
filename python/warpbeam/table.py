"""A table: rows of values under named columns, some with a unit."""

import csv
import difflib

FEW = 20  # columns that are told


class Table:
    """Rows are dictionaries; a column that a row lacks is None in it.

    columns: their names, in order; units: of those that have one.
    """

    def __init__(self, rows, columns=None, units=None):
        rows = list(rows)
        if columns is None:
            columns = list(dict.fromkeys(name for row in rows for name in row))
        self.columns = list(columns)
        self.units = dict(units or {})
        self.rows = [{name: row.get(name) for name in self.columns} for row in rows]

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, key):
        """A row by its number, a column's values by its name."""
        if isinstance(key, (int, slice)):
            return self.rows[key]
        if key not in self.columns:
            raise KeyError(f"there is no column {key!r}; {self._offer(str(key))}")
        return [row[key] for row in self.rows]

    def _offer(self, key):
        """Names like that one, of many; else all."""
        if len(self.columns) <= FEW:
            return "there are: " + ", ".join(self.columns)
        near = difflib.get_close_matches(key, self.columns, 3, 0.4)
        return (f"did you mean {', '.join(near)}? " if near else "") + \
            f"the table's columns are {len(self.columns)}, in .columns"

    def where(self, condition=None, **equal):
        """The rows for which condition(row) is true, or whose columns have these values. Names
        with dots: where(**{"chip.sms": 4})."""
        for name in equal:
            self[name]
        return Table(
            (row for row in self.rows
             if (condition is None or condition(row))
             and all(row[name] == value for name, value in equal.items())),
            self.columns, self.units)

    def sorted(self, *names):
        """The rows by these columns; rows without a value come first."""
        def key(row):
            return [(row[n] is not None, isinstance(row[n], str), row[n] if row[n] is not None
                     else 0) for n in names]

        for name in names:
            self[name]
        return Table(sorted(self.rows, key=key), self.columns, self.units)

    def to_csv(self, file):
        """Writes it: a path, or an open text file."""
        if isinstance(file, (str, bytes)) or hasattr(file, "__fspath__"):
            with open(file, "w", newline="", encoding="utf-8") as out:
                return self.to_csv(out)
        writer = csv.DictWriter(file, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)

    def to_pandas(self):
        """The same as a pandas.DataFrame; units are in its attrs."""
        try:
            import pandas
        except ImportError as e:
            raise ImportError("to_pandas() needs pandas, which is not installed") from e
        frame = pandas.DataFrame(self.rows, columns=self.columns)
        frame.attrs["units"] = dict(self.units)
        return frame

    def __repr__(self):
        more = len(self.columns) - FEW
        return f"<Table of {len(self.rows)} rows: {', '.join(self.columns[:FEW])}" + \
            (f" and {more} more columns>" if more > 0 else ">")
