"""The modules that a worker has loaded, in the lines by which it tells its driver."""

import os
import sys

_OWN = __name__.partition(".")[0]
_INSTALLED = ("site-packages", "dist-packages")
_versions = {}


def _file_of(module):
    """The file that a module was read from, or nothing: built in, made at run time, or mapped."""
    names = vars(module) if hasattr(module, "__dict__") else {}
    spec, path = names.get("__spec__"), names.get("__file__")
    if spec is not None and getattr(spec, "has_location", False):
        path = spec.origin
    elif not (isinstance(path, str) and os.path.isfile(path)):
        return None
    if not isinstance(path, str) or path.endswith(".so"):
        return None
    path = os.path.abspath(path)
    place = path
    # Of a module in an archive, the archive.
    while not os.path.exists(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    return place if os.path.isfile(place) else path


def _normal(name):
    return name.replace("-", "_").replace(".", "_").lower()


def _distribution(site, entry):
    """The packages of an installed distribution, and its version; its name tells both apart."""
    name, _, rest = entry.partition("-")
    packages = [name]
    try:
        with open(os.path.join(site, entry, "top_level.txt"), encoding="utf-8") as file:
            packages = file.read().split() or packages
    except (OSError, ValueError):
        pass  # not every installer writes it
    return {_normal(package) for package in packages}, os.path.splitext(rest)[0].partition("-")[0]


def _version(site, package):
    """As the installer has noted it; "" where it is not one. importlib.metadata would say the
    same, and load twenty modules into the process that is tested."""
    if site not in _versions:
        entries = os.listdir(site) if os.path.isdir(site) else []
        _versions[site] = [_distribution(site, entry) for entry in entries
                           if entry.endswith((".dist-info", ".egg-info"))]
    found = {version for packages, version in _versions[site] if _normal(package) in packages}
    return found.pop() if len(found) == 1 else ""


def _within(path, folder):
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _installed(path):
    """The folder and the package of a file that an installer has put there, or nothing."""
    parts = path.split(os.sep)
    places = [i for i, part in enumerate(parts[:-1]) if part in _INSTALLED]
    if not places:
        return None
    first = places[-1] + 1
    return os.sep.join(parts[:first]), os.path.splitext(parts[first])[0]


def _words(name, path, standard, home):
    """kind, package and version; nothing of the standard library."""
    top = name.partition(".")[0]
    if top == _OWN:
        return "harness", _OWN, ""
    installed = _installed(path)
    if installed:
        return "package", installed[1], _version(*installed)
    if any(_within(file, folder) for file in (path, os.path.realpath(path))
           for folder in (standard, os.path.realpath(standard))):
        return None
    beside = top == name or _within(path, home)
    return ("module", "", "") if beside else ("package", top, "")


def lines(home):
    """Those of all modules but the standard library's; the kernel lies in the folder `home`."""
    standard = os.path.dirname(os.__file__)
    version = ".".join(map(str, sys.version_info[:3]))
    found = {os.path.realpath("/proc/self/exe"): ("interpreter", "", version)}
    for name, module in list(sys.modules.items()):
        path = _file_of(module)
        words = path and _words(name, path, standard, home)
        if words:
            found.setdefault(path, words)
    return "".join("\t".join([*words, "", "", path.replace("\n", "\\012")]) + "\n"
                   for path, words in found.items())
