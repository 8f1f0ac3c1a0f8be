"""The worker process of a Python kernel: started by assay, which listens on the socket `--fd`."""

import contextlib
import ctypes
import os
import resource
import sys

from . import _abi, loaded
from .call import Call
from .contract import Contract
from .kernel import LoadError, Unsupported, describe, file_of, load


def _tell(struct, text):
    room = struct.message_bytes - 1
    data = text.encode(errors="replace")[:room] + b"\0"
    ctypes.memmove(struct.message, data, len(data))


class _Host:
    """The functions that the library calls back."""

    def __init__(self, spec):
        self._spec = spec
        self._home = os.path.dirname(os.path.abspath(file_of(spec)))
        self._function = None
        self._contract = None
        self._text = None  # kept alive: the library holds its address
        self._modules = None  # the same

    def load(self, text):
        try:
            kernel = load(self._spec)
            self._function = kernel.function
            self._text, loaded = kernel.manifest().encode(), 1
            # A manifest with a mistake in it is refused by the driver, which says what is wrong.
            with contextlib.suppress(AttributeError, KeyError, TypeError):
                self._contract = Contract(kernel.fields())
        except LoadError as error:
            self._text, loaded = " ".join(str(error).split()).encode(errors="replace"), 0
        text[0] = ctypes.c_char_p(self._text)
        return loaded

    def run(self, call):
        struct = call.contents
        try:
            refusal = self._contract.refusal(struct)
            if refusal:
                _tell(struct, refusal)
                return _abi.UNSUPPORTED
            self._function(Call(struct))
            return _abi.OK
        except (Unsupported, NotImplementedError) as error:
            _tell(struct, str(error) or type(error).__name__)
            return _abi.UNSUPPORTED
        except BaseException as error:  # SystemExit too: a kernel does not end its worker
            _tell(struct, describe(error))
            return _abi.ERROR

    def modules(self, text):
        if text:
            try:
                self._modules = loaded.lines(self._home).encode("utf-8", "surrogateescape")
                text[0] = ctypes.c_char_p(self._modules)
            except Exception as error:  # a module may be any object
                sys.stderr.write(describe(error) + "\n")
        return len(sys.modules)


def main():
    if len(sys.argv) != 4 or sys.argv[2] != "--fd" or not sys.argv[3].isdigit():
        sys.exit("usage: assay.worker py:FILE.py --fd N (started by assay, N is its socket)")
    socket = int(sys.argv[3])
    # Whatever the driver's starter left open is not the kernel's.
    os.closerange(3, socket)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(socket + 1, most if 0 < most < 1 << 20 else 1 << 20)
    host = _Host(sys.argv[1])
    load_back, run_back = _abi.LOAD(host.load), _abi.RUN(host.run)
    modules_back = _abi.MODULES(host.modules)
    # What the kernel left registered for exit must not run after the driver has seen the end.
    os._exit(_abi.library().assay_serve_v1(socket, load_back, run_back, modules_back))
