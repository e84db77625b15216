"""Figures of runs: collected by part and variant, printed as one table, kept as JSON."""

import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Kind:
    """What a figure is called, in which unit, and what is wanted of it ("" where nothing is).

    The worst of several runs is the largest, or the smallest if `higher_is_better`.
    """

    name: str
    unit: str = ""
    bar: str = ""
    higher_is_better: bool = False


@dataclass
class Figures:
    """Values by (part, variant, kind), in the order in which they came."""

    values: dict[tuple[str, str, Kind], list[float | None]] = field(default_factory=dict)

    def add(self, part: str, variant: str, kind: Kind, value: float | None) -> None:
        """Adds the value of one run; None stands for what did not happen in time."""
        self.values.setdefault((part, variant, kind), []).append(value)

    def table(self) -> str:
        head = f"{'part':14} {'variant':14} {'figure':44} {'median':>10} {'worst':>10}  {'wanted':12} runs"
        return "\n".join([head, *(self._row(key, found) for key, found in self.values.items())])

    def write(self, path: Path) -> None:
        rows = [
            {
                "part": part,
                "variant": variant,
                "figure": kind.name,
                "unit": kind.unit,
                "wanted": kind.bar,
                "median": _median(found),
                "worst": _worst(kind, found),
                "runs": found,
            }
            for (part, variant, kind), found in self.values.items()
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    @staticmethod
    def _row(key: tuple[str, str, Kind], found: list[float | None]) -> str:
        part, variant, kind = key
        name = f"{kind.name}, {kind.unit}" if kind.unit else kind.name
        median, worst = _text(_median(found)), _text(_worst(kind, found))
        runs = " ".join(map(_text, found))
        return f"{part:14} {variant:14} {name:44} {median:>10} {worst:>10}  {kind.bar:12} {runs}"


def _median(found: list[float | None]) -> float | None:
    there = [value for value in found if value is not None]
    return statistics.median(there) if there else None


def _worst(kind: Kind, found: list[float | None]) -> float | None:
    """None, which is printed as "never", if one of the runs did not get there."""
    if None in found or not found:
        return None
    return min(found) if kind.higher_is_better else max(found)


def _text(value: float | None) -> str:
    if value is None:
        return "never"
    return str(value) if isinstance(value, int) else f"{value:.2f}"
