"""Reads what warpbeam writes into tables, and draws them. Needs the standard library alone.

    import warpbeam
    sweep = warpbeam.read("sweep.sqlite")          # or a report or a sweep as JSON, or a CSV file
    warpbeam.plot(sweep["points"], "chip.sms", "gpc__cycles_elapsed.max", by="target",
                  file="sweep.svg")
    frame = sweep["points"].to_pandas()            # where pandas is installed
"""

from .plot import plot
from .read import FormatError, read
from .table import Table

__all__ = ["FormatError", "Table", "plot", "read"]
