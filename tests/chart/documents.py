"""The documents of the tree, taken apart: links, headings, code blocks, tables."""

import importlib.machinery
import importlib.util
import re
from functools import cache
from pathlib import Path

import yaml

from chart import ROOT

DOCUMENTS = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(language: str):
    """The code blocks of a language in all documents, as (document, text); "" is no language."""
    for path in DOCUMENTS:
        for found, text in BLOCK.findall(path.read_text(encoding="utf-8")):
            if found == language:
                yield name_of(path), text


def manifests():
    """The Kubernetes objects of all YAML blocks, as (document, object)."""
    for document, text in blocks("yaml"):
        for each in yaml.safe_load_all(text):
            if isinstance(each, dict) and "kind" in each:
                yield document, each


def commands():
    """The command lines of the blocks without a language, continued lines joined, comments gone."""
    for document, text in blocks(""):
        for line in text.replace("\\\n", " ").splitlines():
            words = re.sub(r"\s+#\s.*$", "", line).strip()
            if words:
                yield document, words


def links():
    """The relative links, as (document, file it points to, anchor or "")."""
    for path in DOCUMENTS:
        text = BLOCK.sub("", path.read_text(encoding="utf-8"))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if "://" not in target:
                file, _, anchor = target.partition("#")
                yield name_of(path), (path.parent / file).resolve() if file else path, anchor


def anchors(path: Path) -> set[str]:
    """What a link into this document may name, as GitHub makes it of a heading."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def generator():
    """scripts/generate, as a module."""
    loader = importlib.machinery.SourceFileLoader("generate", str(ROOT / "scripts" / "generate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("generate", loader))
    loader.exec_module(module)
    return module


@cache
def fields_of_the_spec() -> set[str]:
    """Every path below spec of the custom resource, without the marks of lists."""
    crd = yaml.safe_load((ROOT / "crds" / "scaledcaches.yaml").read_text("utf-8"))
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return {path.replace("[]", "") for path, *_ in generator().rows(schema, "")}


def reasons_of_conditions() -> set[str]:
    """The reasons that the sources give to conditions."""
    found: set[str] = set()
    sources = [ROOT / "lib" / "core" / "conditions.cpp", ROOT / "lib" / "k8s" / "tick_status.cpp", *sorted((ROOT / "controller").glob("*.cpp"))]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        # {type, status, reason …} as an initializer, a failure of Ready, and what a function returns.
        found.update(re.findall(r'Status::\w+,\s*"([A-Z]\w+)"', text))
        found.update(re.findall(r'Failure\{\s*"([A-Z]\w+)"', text))
        if path.name == "conditions.cpp":
            found.update(re.findall(r'return "([A-Z]\w+)"', text))
    return found
