"""What the schedule is to be good at."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from echelon.domains.planning.contracts.base import Shape


class Strategy(StrEnum):
    """The four aims."""

    EARLIEST_END = "earliest_end"
    LEVEL_LOAD = "level_load"
    LATEST_START = "latest_start"
    LEAST_COST = "least_cost"


class StrategyProfile(Shape):
    """The aim and its settings.

    `day_price` is what one working day of the whole project costs, beside the prices of soft deadlines. `stretch` is the
    share by which a level load may lengthen the project, `buffer` the share kept free before a deadline.
    """

    aim: Strategy = Strategy.EARLIEST_END
    day_price: Annotated[float, Field(ge=0)] = 1.0
    stretch: Annotated[float, Field(ge=0, le=1)] = 0.1
    buffer: Annotated[float, Field(ge=0, le=1)] = 0.25
