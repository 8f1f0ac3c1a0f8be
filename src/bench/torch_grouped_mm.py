"""Times kernels of this project beside torch's grouped_mm and one dense product of equal work.

All in one process and in alternation, so that they share the card's clocks and its power; an L2
cache that holds none of the operands before each timing; answers checked before and after on
sampled rows. Kernels come as shared objects with the C ABI (BUILD/kernels/sm90.so). Needs a GPU
and torch 2.10 or later.
"""

import argparse
import ctypes
import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from assay import _abi  # noqa: E402
from timed_cases import (BadInput, alternating_order, median_ratio, read_cases,  # noqa: E402
                         read_recording, spread)

try:
    import torch
except ImportError:
    torch = None

PASSES = ("fwd", "dgrad", "wgrad")
ROOT = Path(__file__).resolve().parents[2]
LEAST_ROUNDS = 5
WARM_ROUNDS, WARM_SECONDS = 3, 0.15
SWEPT_BYTES = 512 << 20  # several times the L2 cache; reading them hides the launch that follows
SAMPLED_EXPERTS, SAMPLED_ROWS = 5, 8


class Kernel:
    """A shared object with the two symbols of the C ABI."""

    def __init__(self, path):
        self.path = path
        try:
            self.library = ctypes.CDLL(str(Path(path).resolve()))
            self.library.assay_manifest_v1.restype = ctypes.c_char_p
            self.run = self.library.assay_run_v1
        except (OSError, AttributeError) as error:
            raise BadInput(f"kernel '{path}' does not load: {error}") from None
        self.run.restype = ctypes.c_int
        self.run.argtypes = [ctypes.POINTER(_abi.CallStruct)]
        self.manifest = json.loads(self.library.assay_manifest_v1())
        self.name = self.manifest["name"]


class Call:
    """One assay_call with everything it points to."""

    def __init__(self, kernel, product, out):
        self.kernel, self.kept = kernel, []
        case = product.case
        tensors = dict(product.operands)
        tensors[product.output_role] = out
        workspace_bytes = kernel.manifest.get("workspace_bytes", 0)
        self.workspace = torch.empty(max(workspace_bytes, 1), dtype=torch.uint8, device="cuda")
        self.status = torch.zeros(1, dtype=torch.int32, device="cuda")
        self.message = ctypes.create_string_buffer(256)
        call = _abi.CallStruct()
        call.struct_size_bytes = ctypes.sizeof(call)
        call.pass_ = _abi.PASSES.index(product.pass_)
        call.convention = _abi.CONVENTIONS.index("ends")
        call.weights = _abi.WEIGHTS.index("enk")
        call.experts, call.k, call.n, call.rows = case.experts, case.k, case.n, case.rows
        call.pad = 1
        call.x = self._describe(tensors["x"], 4, 16)
        call.w = self._describe(tensors["w"], 4, 16)
        call.y = self._describe(tensors["y"], 4, 16)
        call.offsets = self._describe(product.ends, 0, 32)
        call.workspace = self.workspace.data_ptr()
        call.workspace_bytes = workspace_bytes
        call.stream = torch.cuda.current_stream().cuda_stream
        call.tactic = b"default"
        call.status = self.status.data_ptr()
        call.message = ctypes.addressof(self.message)
        call.message_bytes = ctypes.sizeof(self.message)
        self.call = call

    def _describe(self, tensor, code, bits):
        dimensions = tensor.dim()
        shape = (ctypes.c_int64 * dimensions)(*tensor.shape)
        strides = (ctypes.c_int64 * dimensions)(*tensor.stride())
        struct = _abi.TensorStruct()
        struct.data = tensor.data_ptr()
        struct.device_type, struct.device_id, struct.ndim = 2, 0, dimensions
        struct.code, struct.bits, struct.lanes = code, bits, 1
        struct.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        struct.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
        self.kept += [tensor, shape, strides, struct]
        return ctypes.pointer(struct)

    def __call__(self):
        code = self.kernel.run(ctypes.byref(self.call))
        if code != _abi.OK:
            raise RuntimeError(f"{self.kernel.name}: {self.message.value.decode(errors='replace')}")


class Product:
    """One pass over a case: operands, and how torch computes it."""

    def __init__(self, case, pass_):
        self.case, self.pass_ = case, pass_
        self.output_role = {"fwd": "y", "dgrad": "x", "wgrad": "w"}[pass_]
        shapes = {"x": (case.rows, case.k), "w": (case.experts, case.n, case.k),
                  "y": (case.rows, case.n)}
        self.output_shape = shapes.pop(self.output_role)
        self.operands = {role: torch.randn(shape, device="cuda", dtype=torch.bfloat16)
                         for role, shape in shapes.items()}
        self.ends = torch.tensor(case.starts[1:], device="cuda", dtype=torch.int32)
        self._sampled = None

    def grouped(self):
        x, w, y = (self.operands.get(role) for role in "xwy")
        if self.pass_ == "fwd":
            return grouped_mm(x, w.transpose(-2, -1), offs=self.ends)
        if self.pass_ == "dgrad":
            return grouped_mm(y, w, offs=self.ends)
        return grouped_mm(y.t(), x, offs=self.ends)

    def dense(self):
        x, w, y = (self.operands.get(role) for role in "xwy")
        if self.pass_ == "fwd":
            return torch.mm(x, w[0].t())
        if self.pass_ == "dgrad":
            return torch.mm(y, w[0])
        return torch.mm(y.t(), x)

    def sampled(self):
        """(index into the output, exact value, sum of magnitudes, length) of some rows, in fp64."""
        if self._sampled is None:
            self._sampled = list(self._sample())
        return self._sampled

    def _sample(self):
        counts = self.case.counts
        busy = sorted((g for g, count in enumerate(counts) if count), key=lambda g: counts[g])
        step = max(1, len(busy) // SAMPLED_EXPERTS)
        chosen = sorted({busy[0], busy[-1], *busy[::step]})
        empty = [g for g, count in enumerate(counts) if not count]
        if self.pass_ == "wgrad":
            chosen += empty[:1] + empty[-1:]
        for g in chosen:
            begin, end = self.case.starts[g], self.case.starts[g + 1]
            if self.pass_ == "wgrad":
                picks = torch.linspace(0, self.case.n - 1, SAMPLED_ROWS).long().cuda()
                left = self.operands["y"][begin:end, picks].double().t()
                right = self.operands["x"][begin:end].double()
                index = (g, picks)
            else:
                index = torch.linspace(begin, end - 1, SAMPLED_ROWS).long().cuda()
                w = self.operands["w"][g].double()
                left = self.operands["x" if self.pass_ == "fwd" else "y"][index].double()
                right = w.t() if self.pass_ == "fwd" else w
            yield index, left @ right, left.abs() @ right.abs(), left.shape[1]


def grouped_mm(*args, **kwargs):
    public = getattr(torch.nn.functional, "grouped_mm", None)
    return (public or torch._grouped_mm)(*args, **kwargs)


def slope_of(length, declared):
    """How far a sum may lie from the exact one, over the sum of magnitudes: oracle/error_bound.h
    for steps of L products with F fraction bits; undeclared: L 4, F 23, 64 partial sums."""
    per_step, fraction, splits = (16, 25, 1) if declared else (4, 23, 64)
    delta = length * 2.0**-fraction + (-(-length // per_step) + splits - 1) * 2.0**-23
    slope = delta / (1 - delta)
    return slope + (splits * 2.0**-24 * (1 + slope) if splits > 1 else 0)


def wrong_elements(product, out, declared):
    """Elements of the sampled rows that lie outside RN(y - E) .. RN(y + E)."""
    wrong = 0
    for index, exact, gauge, length in product.sampled():
        # fp64 sums, and torch's conversion of fp64 to bf16 by way of fp32, round as well.
        error = (slope_of(length, declared) + (length + 8) * 2.0**-53) * gauge
        error += 2.0**-24 * exact.abs()
        got = out[index].double()
        low = (exact - error).to(torch.bfloat16).double()
        high = (exact + error).to(torch.bfloat16).double()
        wrong += int((~((low <= got) & (got <= high))).sum())
    return wrong


class Contestant:
    def __init__(self, name, launch, result, declared=False, checked=True):
        self.name, self.launch, self.result = name, launch, result
        self.declared, self.checked = declared, checked  # declared: a kernel, with its own output
        self.milliseconds, self.trouble, self.before = [], "", None

    def check(self, product, when):
        if not self.checked or self.trouble:
            return
        wrong = wrong_elements(product, self.result(), self.declared)
        if wrong:
            self.trouble = f"{wrong} sampled elements are wrong {when} timing"
        elif self.before is None:
            self.before = self.result().clone()
            if self.declared:  # what is there after timing comes from a timed run
                self.result().fill_(float("nan"))
        elif not torch.equal(self.before.view(torch.int16), self.result().view(torch.int16)):
            self.trouble = "its bits are not those of the run before timing"


def contestants_for(product, kernels):
    made = []
    for kernel in kernels:
        out = torch.full(product.output_shape, float("nan"), device="cuda", dtype=torch.bfloat16)
        made.append(Contestant(kernel.name, Call(kernel, product, out), lambda out=out: out,
                               declared=True))

    def torch_contestant(name, run, checked):
        box = {}

        def launch():
            box["out"] = run()

        made.append(Contestant(name, launch, lambda: box["out"], checked=checked))

    torch_contestant("torch", product.grouped, True)
    torch_contestant("dense", product.dense, False)
    return made


class Clock:
    def __init__(self):
        self.swept = torch.zeros(SWEPT_BYTES // 4, device="cuda", dtype=torch.float32)
        self.events = []

    def round(self, contestants, number, kept):
        while len(self.events) < len(contestants):
            self.events.append([torch.cuda.Event(enable_timing=True) for _ in range(2)])
        for i in alternating_order(len(contestants), number):
            begin, end = self.events[i]
            self.swept.sum()
            begin.record()
            contestants[i].launch()
            end.record()
        torch.cuda.synchronize()
        for contestant, (begin, end) in zip(contestants, self.events):
            if kept:
                contestant.milliseconds.append(begin.elapsed_time(end))

    def time(self, contestants, rounds, seconds):
        start, warm = time.monotonic(), 0
        while warm < WARM_ROUNDS or time.monotonic() - start < WARM_SECONDS:
            self.round(contestants, warm, False)
            warm += 1
        start = time.monotonic()
        for number in range(rounds):
            if number >= LEAST_ROUNDS and time.monotonic() - start >= seconds:
                break
            self.round(contestants, number, True)


def first_run(contestant, product):
    try:
        contestant.launch()
        torch.cuda.synchronize()
    except RuntimeError as error:
        contestant.trouble = str(error).splitlines()[0]
        return
    contestant.check(product, "before")


def measure(case, pass_, kernels, clock, options):
    product = Product(case, pass_)
    contestants = contestants_for(product, kernels)
    for contestant in contestants:
        first_run(contestant, product)
    timed = [contestant for contestant in contestants if not contestant.trouble]
    clock.time(timed, options.rounds, options.seconds)
    for contestant in timed:
        contestant.check(product, "after")
    peers = {c.name: c.milliseconds for c in timed if c.name in ("torch", "dense")}
    flop = 2.0 * case.rows * case.k * case.n
    lines = []
    for c in contestants:
        line = {"name": c.name, "rounds": len(c.milliseconds), "trouble": c.trouble}
        if c.milliseconds:
            milliseconds = statistics.median(c.milliseconds)
            line.update(milliseconds=milliseconds, spread=spread(c.milliseconds),
                        teraflops=flop / milliseconds * 1e-9)
            for peer, samples in peers.items():
                line[f"over_{peer}"] = median_ratio(samples, c.milliseconds)
        lines.append(line)
    return {"case": case.name, "pass": pass_, "k": case.k, "n": case.n, "rows": case.rows,
            "experts": case.experts, "contestants": lines}


def text_of(result):
    text = f"{result['case']:<16} {result['pass']:<5}"
    for line in result["contestants"]:
        if not line["rounds"]:
            text += f"  {line['name']}: {line['trouble']}"
            continue
        text += f"  {line['name']} {line['milliseconds']:.4f} ms"
        over = [f"{line[key]:.3f} x {key[5:]}" for key in ("over_torch", "over_dense")
                if key in line and line["name"] not in ("torch", "dense")]
        text += f" ({', '.join(over)})" if over else ""
        text += f" WRONG: {line['trouble']}" if line["trouble"] else ""
    return text


def write_record(path, results):
    if path:
        record = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
                  "cuda": torch.version.cuda, "products": results}
        Path(path).write_text(json.dumps(record, indent=1) + "\n")


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", action="append", required=True, help="a shared object")
    parser.add_argument("--cases", default=ROOT / "corpus/bench/cases.csv",
                        help="lines name,k,n,rows of expert 0,1,...")
    parser.add_argument("--case", action="append", default=[], help="one of them; default: all")
    parser.add_argument("--recorded", action="append", default=[], help="FILE:STEP:LAYER")
    parser.add_argument("--k", type=int, default=4096, help="with --recorded")
    parser.add_argument("--n", type=int, default=2048, help="with --recorded")
    parser.add_argument("--pass", dest="passes", action="append", choices=PASSES)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=1.0, help="of timing one product")
    parser.add_argument("--json", help="a file")
    return parser.parse_args(words)


def run(options):
    cases = read_cases(options.cases, options.case)
    cases += [read_recording(word, options.k, options.n) for word in options.recorded]
    if torch is None or not torch.cuda.is_available():
        raise BadInput("needs torch and a GPU that it can use")
    torch.manual_seed(0)
    torch.cuda.init()
    # All contestants add in fp32, so cuBLAS may not store partial sums in bf16 either.
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    kernels = [Kernel(path) for path in options.kernel]
    clock, results = Clock(), []
    for case in cases:
        for pass_ in options.passes or PASSES:
            results.append(measure(case, pass_, kernels, clock, options))
            print(text_of(results[-1]), flush=True)
            write_record(options.json, results)  # a run that is cut short leaves what it has
            torch.cuda.empty_cache()
    ours = {kernel.name for kernel in kernels}
    wrong = any(line["trouble"] for result in results for line in result["contestants"]
                if line["name"] in ours)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(run(parse(sys.argv[1:])))
    except (BadInput, OSError) as error:
        print(f"torch_grouped_mm.py: {error}", file=sys.stderr)
        sys.exit(2)
