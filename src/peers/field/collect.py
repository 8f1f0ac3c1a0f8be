"""Collects the folders of other projects' code that the adapters import, from git repositories and
wheels that are on this machine; it downloads nothing:

    python3 src/peers/field/collect.py --to FOLDER --repositories FOLDER --wheels FOLDER [NAME ...]

sources.json says which project, at which commit or version, and which of its files. A repository of
OWNER/PROJECT is looked for as PROJECT, PROJECT.git, OWNER+PROJECT or OWNER+PROJECT/repo, with or
without a work tree. FOLDER/NAME then holds the files under their own paths; FOLDER/versions.json
says what was taken.
"""

import argparse
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Missing(Exception):
    """What could not be taken, in one line."""


def repository_of(folder, name):
    owner, project = name.split("/")
    for place in (project, f"{project}.git", f"{owner}+{project}/repo", f"{owner}+{project}"):
        found = folder / place
        if (found / ".git").exists() or (found / "objects").exists():
            return found
    raise Missing(f"no repository of {name} in {folder}")


def from_git(source, folder, to):
    repository = repository_of(folder, source["repository"])
    words = ["git", "-C", str(repository), "archive", source["commit"], *source["paths"]]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode:
        raise Missing(f"{source['repository']}: {done.stderr.decode().strip().splitlines()[-1]}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(to)
    return {"repository": source["repository"], "commit": source["commit"]}


def wheel_of(folder, wanted):
    name, _, version = wanted.partition("==")
    for wheel in sorted(folder.glob("*.whl")):
        own, own_version = wheel.name.split("-")[:2]
        same = own.replace("_", "-").lower() == name.lower()
        if same and (not version or own_version == version):
            return wheel
    raise Missing(f"no wheel of {wanted} in {folder}")


def unpacked(wheel, to, paths=None):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if paths is None
                 or any(name == path or name.startswith(path + "/") for path in paths)]
        if not names:
            raise Missing(f"{wheel.name} has none of {', '.join(paths)}")
        archive.extractall(to, names)
    return wheel.name.split("-")[1]


def from_wheels(source, folder, to):
    version = unpacked(wheel_of(folder, source["wheel"]), to, source["paths"])
    for needed in source.get("needs", ()):
        unpacked(wheel_of(folder, needed), to)
    return {"wheel": source["wheel"].split("==")[0], "version": version}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sources = json.loads((HERE / "sources.json").read_text())
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all: {', '.join(sources)}")
    parser.add_argument("--to", required=True, type=Path)
    parser.add_argument("--repositories", type=Path, default=Path("."))
    parser.add_argument("--wheels", type=Path, default=Path("."))
    options = parser.parse_args()
    for name in options.names:
        if name not in sources:
            parser.error(f"'{name}' is none of {', '.join(sources)}")
    taken, missing = {}, []
    for name in options.names or sources:
        source, to = sources[name], options.to / name
        to.mkdir(parents=True, exist_ok=True)
        try:
            taken[name] = (from_git(source, options.repositories, to) if "repository" in source
                           else from_wheels(source, options.wheels, to))
        except Missing as error:
            missing.append(f"{name}: {error}")
    file = options.to / "versions.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps({**before, **taken}, indent=1) + "\n")
    print(f"taken: {', '.join(taken) or 'nothing'}")
    for line in missing:
        print(line, file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
