"""What is in the archive of a container image: its configuration, its files, its size on the wire."""

import json
import shutil
import tarfile
import zlib
from pathlib import Path

MAX_COMPRESSED_BYTES = 60_000_000  # of the operator's image

_CHUNK = 1 << 20


def config_of(archive: Path) -> dict:
    """The image's configuration: architecture, user, labels, entry point."""
    with tarfile.open(archive) as image:
        return json.load(image.extractfile(_manifest(image)["Config"]))


def compressed_bytes(archive: Path) -> int:
    """How many bytes a node downloads: the layers as gzip, which is how they are sent."""
    with tarfile.open(archive) as image:
        return sum(_deflated(image.extractfile(layer)) for layer in _manifest(image)["Layers"])


def unpack(archive: Path, folder: Path) -> list[tarfile.TarInfo]:
    """Lays the image's files out below `folder` and returns the members of all layers, in order.

    A file that a later layer removes is an error: the images of this tree have none.
    """
    members = []
    with tarfile.open(archive) as image:
        for layer in _manifest(image)["Layers"]:
            with tarfile.open(fileobj=image.extractfile(layer)) as files:
                for member in files:
                    if Path(member.name).name.startswith(".wh."):
                        raise ValueError(f"{archive}: layer {layer} removes {member.name}")
                    members.append(member)
                    _place(files, member, folder)
    return members


def _manifest(image: tarfile.TarFile) -> dict:
    return json.load(image.extractfile("manifest.json"))[0]


def _deflated(layer) -> int:
    packer = zlib.compressobj()
    return sum(len(packer.compress(chunk)) for chunk in iter(lambda: layer.read(_CHUNK), b"")) + len(packer.flush())


def _place(files: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    path = folder / member.name
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if member.issym():
        path.symlink_to(member.linkname)
    elif member.islnk():
        path.hardlink_to(folder / member.linkname)
    elif member.isfile():
        with open(path, "wb") as out:
            shutil.copyfileobj(files.extractfile(member), out)
        path.chmod(member.mode)
    else:
        raise ValueError(f"{member.name} is neither file, folder nor link")
