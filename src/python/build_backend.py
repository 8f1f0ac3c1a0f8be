"""Builds the wheel (PEP 517) without a package of its own: cmake, ninja and the libraries that
`./run` installs have to be there, as for any build of the project. ASSAY_BUILD names a build folder
whose programs are taken as they are."""

import base64
import hashlib
import os
import subprocess
import sysconfig
import zipfile
from pathlib import Path

_HERE = Path(__file__).absolute().parent
_ROOT = _HERE.parents[1]
_GIVEN = os.environ.get("ASSAY_BUILD")
_BUILD = Path(_GIVEN).absolute() if _GIVEN else _ROOT / "build" / "wheel"
_VERSION = "0.1.0"
_INFO = f"assay-{_VERSION}.dist-info"
_TAG = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")

_METADATA = f"Metadata-Version: 2.1\nName: assay\nVersion: {_VERSION}\nRequires-Python: >=3.8\n"
_WHEEL = f"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: {_TAG}\n"
_ENTRIES = ("[console_scripts]\nassay = assay.command:main\n\n"
            "[pytest11]\nassay = assay.pytest_plugin\n")


def _build():
    if _GIVEN:
        return
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DASSAY_TESTS=OFF"]
    for words in (["cmake", "-S", str(_ROOT), "-B", str(_BUILD), *options],
                  ["cmake", "--build", str(_BUILD), "--target", "assay", "assay-worker"]):
        try:
            subprocess.run(words, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise RuntimeError(f"'{' '.join(words)}' failed ({error}): the packages that a build "
                               "needs are those that ./run installs") from error


def _files():
    """(place in the wheel, file) of everything that is installed."""
    for module in sorted((_HERE / "assay").glob("*.py")):
        yield f"assay/{module.name}", module
    yield "assay/libassay-worker.so", _BUILD / "python" / "assay" / "libassay-worker.so"
    for program in ("assay", "assay-worker"):
        yield f"assay/bin/{program}", _BUILD / program
    for folder in ("profiles", "routing"):
        for file in sorted((_ROOT / "corpus" / folder).rglob("*")):
            if file.is_file():
                yield f"assay/share/assay/{file.relative_to(_ROOT)}", file


def _digest(data):
    value = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={value},{len(data)}"


def _add(wheel, record, place, data, executable):
    entry = zipfile.ZipInfo(place)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    wheel.writestr(entry, data)
    record.append(f"{place},{_digest(data)}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    _build()
    name = f"assay-{_VERSION}-{_TAG}.whl"
    record = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for place, file in _files():
            _add(wheel, record, place, file.read_bytes(), os.access(file, os.X_OK))
        for place, text in (("METADATA", _METADATA), ("WHEEL", _WHEEL),
                            ("entry_points.txt", _ENTRIES)):
            _add(wheel, record, f"{_INFO}/{place}", text.encode(), False)
        record.append(f"{_INFO}/RECORD,,")
        wheel.writestr(f"{_INFO}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package is built from a checkout: pip install ./src/python")
