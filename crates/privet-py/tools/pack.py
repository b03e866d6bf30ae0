"""A wheel of a library that is built already: ``pack.py LIBRARY FOLDER``.

``maturin build`` compiles the whole workspace once more, with other features than the tests have. CI packs what the
tests were run with; what users install is built by maturin, from the same ``pyproject.toml``.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import sysconfig
import zipfile
from pathlib import Path

CRATE = Path(__file__).resolve().parents[1]
ROOT = CRATE.parents[1]


def setting(text: str, name: str) -> str:
    """One string of a TOML file; Python before 3.11 has no reader of its own."""
    found = re.search(rf'^{name} = "(.*)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"no {name} in the project's settings")
    return found.group(1)


def main(library: Path, folder: Path) -> Path:
    """Writes the wheel, and gives its path."""
    project = (ROOT / "pyproject.toml").read_text()
    version = setting((ROOT / "Cargo.toml").read_text(), "version")
    tag = f"cp39-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    about = f"privet-{version}.dist-info"
    requires = re.search(r'^dependencies = \["(.*)"\]$', project, re.MULTILINE)
    files = {
        f"privet/{path.relative_to(CRATE / 'python' / 'privet').as_posix()}": path.read_bytes()
        for path in sorted((CRATE / "python" / "privet").rglob("*"))
        if path.is_file() and path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed"
    }
    files["privet/_native.abi3.so"] = library.read_bytes()
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: privet\nVersion: {version}\nSummary: {setting(project, 'description')}\n"
        f"Requires-Python: {setting(project, 'requires-python')}\n"
        + "".join(f"Requires-Dist: {one}\n" for one in (requires.group(1).split('", "') if requires else []))
    ).encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: privet\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    files[f"{about}/RECORD"] = ("\n".join([*lines, f"{about}/RECORD,,"]) + "\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"privet-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
