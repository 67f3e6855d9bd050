"""Data frames of pandas, where it is installed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from joute.errors import JouteError

if TYPE_CHECKING:
    from pandas import DataFrame


def frame(columns: Mapping[str, Sequence[object]]) -> DataFrame:
    """A data frame with these columns, with NaN for None; JouteError if pandas is not installed."""
    try:
        import pandas  # imported here: it is an extra and takes most of a second
    except ImportError as error:
        raise JouteError("data frames need pandas: pip install pandas, or pip install 'joute[notebook]'") from error
    # A column of None alone would be one of objects, which cannot be averaged or plotted.
    return pandas.DataFrame({name: [math.nan if v is None else v for v in vs] for name, vs in columns.items()})


def frame_of_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> DataFrame:
    """A data frame with named columns, given row by row; the columns exist without rows too."""
    return frame({name: [row[index] for row in rows] for index, name in enumerate(names)})
