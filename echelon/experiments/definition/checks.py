"""What a check of a task may be. A trial succeeds when every check of its task passes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from echelon.settings import Section

Share = Annotated[float, Field(ge=0, le=1)]


class Bounded(Section):
    """A command that grades: bounded in processor time and memory, not in wall time, which depends on the machine.

    It runs what a job wrote, so it runs behind a fence: no network, no file but the copy and, to read, task and system.
    """

    fence: Literal["auto", "none"] = Field(
        "auto", description="auto: behind bubblewrap or not at all; none: unfenced, where what jobs write is trusted"
    )

    cpu_seconds: int = Field(60, ge=1, description="processor time of the command and of each process that it starts")
    memory_megabytes: int = Field(2_048, ge=64, description="memory of each of them")


class CommandCheck(Bounded):
    """Exit code 0 is a pass. A last line of output that is a JSON object with `score` gives the score."""

    kind: Literal["command"]
    run: tuple[str, ...] = Field(
        min_length=1, description="program and arguments; {python}, {task}, {output} and {workspace} are filled in"
    )
    must_change: tuple[str, ...] = Field(
        (),
        description="files, relative to the output, that must differ from the input of the same name; of an input folder "
        "relative to the workspace (repository/a.py)",
    )


class JUnitCheck(Bounded):
    """Every test of a JUnit file passes, and there is one. The score is the share that passes."""

    kind: Literal["junit"]
    run: tuple[str, ...] = Field((), description="what writes the file, as in `command`; empty: the job wrote it")
    file: str = Field(description="the JUnit file, relative to the folder that the command runs in")
    must_change: tuple[str, ...] = Field((), description="as in `command`")


class RequirementsCheck(Section):
    """Requirements against a gold list, matched one to one by their texts. The score is F1."""

    kind: Literal["requirements"]
    gold: str = Field(description="JSON list of objects with `text`, and `page` when pages count; relative to the task")
    file: str = Field("requirements.json", description="what is scored, relative to the output")
    at_least: Share = Field(0.9, description="F1 from which it passes")
    alike: float = Field(85.0, gt=0, le=100, description="similarity in percent from which two texts are the same")
    pages: bool = Field(False, description="whether a match must also name the right page")


class SameFileCheck(Section):
    """A file has the expected bytes."""

    kind: Literal["same_file"]
    file: str = Field(description="relative to the output")
    expected: str = Field(description="relative to the task")


class JSONSchemaCheck(Section):
    """A file is JSON that fits a schema."""

    kind: Literal["json_schema"]
    file: str = Field(description="relative to the output")
    json_schema: str = Field(alias="schema", description="file with the JSON Schema, relative to the task")


class PythonCheck(Section):
    """A Python function that is given a `Finished` trial and returns a bool, a score from 0 to 1, or both."""

    kind: Literal["python"]
    function: str = Field(pattern=r"^[\w.]+:\w+$", description="module:name; the task's folder is searched first")
    at_least: Share = Field(1.0, description="score from which it passes, when the function returns a number")


class RubricCheck(Section):
    """A model judges the result by a rubric; how well it agrees with human labels is reported."""

    kind: Literal["rubric"]
    rubric: str = Field(min_length=1, description="what makes a result good; one criterion a line")
    file: str = Field(description="what is judged, relative to the output")
    model: str = Field(description="the judge, as openai/<name>")
    labels: str = Field(
        "",
        description="JSON lines of {text, passed} that people judged, relative to the task; the judge sees the texts",
    )
    at_least: Share = Field(0.5, description="score from which it passes")


Check = Annotated[
    CommandCheck | JUnitCheck | RequirementsCheck | SameFileCheck | JSONSchemaCheck | PythonCheck | RubricCheck,
    Field(discriminator="kind"),
]
