"""The decorator that declares a kernel, and how its file is read again in a worker process."""

import importlib.util
import inspect
import json
import os
import sys
import traceback


class Unsupported(Exception):
    """Raised by a kernel for a call that it does not take: the case is Unsupported, not Failed."""


class LoadError(Exception):
    """Why a kernel does not load, in one line."""


class Kernel:
    """A function of one argument, the call, with the manifest that its decorator declares."""

    def __init__(self, function, declared):
        self.function = function
        self.declared = declared
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function

    def __call__(self, call):
        return self.function(call)

    def fields(self):
        """The declared fields. A format may be one word, for in and out alike."""
        fields = {"name": self.__name__, **self.declared}
        for name in ("formats", "wgrad_formats"):
            if isinstance(fields.get(name), (list, tuple)):
                fields[name] = [_combination(item) for item in fields[name]]
        return fields

    def manifest(self):
        return json.dumps(self.fields())

    def spec(self):
        """How the command line names this kernel. Only what a worker can import has a name."""
        path = inspect.getsourcefile(self.function)
        if path is None or not os.path.isfile(path) or not path.endswith(".py"):
            raise ValueError(f"kernel '{self.__name__}' is in no file: its worker process cannot "
                             "import it")
        if "<locals>" in self.function.__qualname__:
            raise ValueError(f"kernel '{self.function.__qualname__}' is inside a function: its "
                             "worker process cannot import it; define it at the top of its file")
        return f"py:{os.path.abspath(path)}:{self.__name__}"


def _combination(item):
    if isinstance(item, str):
        return {"in": item, "out": item}
    if isinstance(item, (list, tuple)) and len(item) == 2:
        return {"in": item[0], "out": item[1]}
    return item


def kernel(function=None, **declared):
    """Declares a kernel: @assay.kernel(passes=["fwd"], formats=["fp32"], offsets=["ends"], ...).

    The words are the manifest's (src/contract/manifest.h); what is left out is probed.
    """
    if function is None:
        return lambda decorated: Kernel(decorated, declared)
    if not callable(function):
        raise TypeError("@assay.kernel takes the manifest's fields by name: offsets=[\"ends\"]")
    return Kernel(function, declared)


def describe(error, path=""):
    """An exception in one line: what, and the frames that led there, the innermost first."""
    what = "".join(traceback.format_exception_only(type(error), error)).strip()
    what = " ".join(what.split())
    own = os.path.dirname(os.path.abspath(__file__))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if not os.path.abspath(frame.filename).startswith(own)
              and not frame.filename.startswith("<frozen")]
    if isinstance(error, SyntaxError) and error.filename == path:
        return what
    places = [f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}"
              for frame in reversed(frames)]
    return " <- ".join([what, *places])


def _split_spec(spec):
    rest = spec[len("py:"):]
    if rest.endswith(".py") or ":" not in rest:
        return rest, ""
    path, _, name = rest.rpartition(":")
    return path, name


def file_of(spec):
    """The file that a kernel's name holds."""
    return _split_spec(spec)[0]


def _import(spec, path):
    if not os.path.isfile(path):
        raise LoadError(f"kernel '{spec}': there is no file '{path}'; a Python kernel is written "
                        "py:FILE.py or py:FILE.py:NAME")
    sys.path.insert(1, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    found = importlib.util.spec_from_file_location(name, path)
    if found is None:
        raise LoadError(f"kernel '{spec}': '{path}' is no Python file, whose name ends in .py")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise LoadError(f"kernel '{spec}' does not import: {describe(error, path)}; install it for "
                        f"{sys.executable}, or name another interpreter in ASSAY_PYTHON") from error
    except BaseException as error:
        raise LoadError(f"kernel '{spec}' does not import: {describe(error, path)}") from error
    return module


def _choose(spec, module, path, name):
    declared = {key: value for key, value in vars(module).items()
                if isinstance(value, Kernel) and value.__module__ == module.__name__}
    names = ", ".join(sorted(declared))
    if name:
        if name in declared:
            return declared[name]
        raise LoadError(f"kernel '{spec}': '{path}' declares no kernel '{name}'; it declares "
                        f"{names or 'none'}")
    if not declared:
        raise LoadError(f"kernel '{spec}' declares no kernel: put @assay.kernel(...) before a "
                        "function of one argument")
    if len(declared) > 1:
        raise LoadError(f"kernel '{spec}' declares {len(declared)} kernels, {names}: name one, as "
                        f"py:{path}:{sorted(declared)[0]}")
    return next(iter(declared.values()))


def load(spec):
    """The kernel that `py:FILE.py` or `py:FILE.py:NAME` names."""
    path, name = _split_spec(spec)
    chosen = _choose(spec, _import(spec, path), path, name)
    try:
        signature = inspect.signature(chosen.function)
        signature.bind(object())
    except TypeError as error:
        raise LoadError(f"kernel '{spec}': '{chosen.__name__}{signature}' does not take one "
                        f"argument, the call ({error})") from error
    try:
        chosen.manifest()
    except (TypeError, ValueError) as error:
        raise LoadError(f"kernel '{spec}': its manifest is no JSON ({error})") from error
    return chosen
