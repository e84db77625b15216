"""Kernel settings of the whole machine: read before the kubelet changes them, put back after."""

from pathlib import Path


def read(names: tuple[str, ...]) -> dict[str, str]:
    """The values of those settings that this kernel has."""
    paths = {name: _path(name) for name in names}
    return {
        name: path.read_text(encoding="utf-8").strip()
        for name, path in paths.items()
        if path.exists()
    }


def restore(values: dict[str, str]) -> None:
    """Writes the values back where they differ."""
    for name, value in values.items():
        path = _path(name)
        if path.read_text(encoding="utf-8").strip() != value:
            path.write_text(value, encoding="utf-8")


def _path(name: str) -> Path:
    return Path("/proc/sys") / name.replace(".", "/")
