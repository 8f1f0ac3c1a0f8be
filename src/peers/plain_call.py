"""Calls a Python kernel's function on plain tensors of torch, without harness, guard pages or
poison, and holds the answer against float64 arithmetic. Run by judge.py:

    python3 plain_call.py KERNEL 'CASE' FOLDER_OF_DUMPED_ARRAYS [--poison-others]
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

# ruff: noqa: E402
import case_line
import numpy as np
import torch
from assay.kernel import load

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32,
          "e4m3": torch.float8_e4m3fn}
MOST_EXPERTS = 16  # that are poisoned one after another
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Codes:
    """A tensor of 8-bit codes as assay.Tensor offers it: by its bytes."""

    def __init__(self, tensor):
        self.tensor, self.bits = tensor, tensor.view(torch.uint8)


class PlainCall:
    """The fields of assay.Call that a kernel reads, over torch's own memory."""

    stream, workspace, workspace_bytes, threads, status, cap = 0, 0, 0, 0, 0, 0
    sizes, x_ptrs, w_ptrs, y_ptrs, bias = None, 0, 0, 0, None

    def __init__(self, case, operands):
        self.pass_, self.weights, self.tactic = case["pass"], case["weights"], case["tactic"]
        if case["bias"] != "none":
            raise NotImplementedError(f"bias={case['bias']}")
        self.accumulate = case.number("acc") > 0
        self.experts, self.k, self.n = len(case.rows), case.number("k"), case.number("n")
        self.rows, self.pad = physical_rows(case), case.number("pad")
        self.x, self.w, self.y = (
            Codes(operands[role]) if operands[role].dtype == DTYPES["e4m3"] else operands[role]
            for role in "xwy")
        self.x_scale, self.w_scale, self.y_scale = (operands.get(f"{role}_scale")
                                                    for role in "xwy")
        self.x_scale_block = (across(case, "x"), 0) if self.x_scale is not None else (0, 0)
        self.convention, self.offsets = told(case)


def own_starts(case):
    """Of each expert's rows where they lie: aligned up to pad, one unless the case says so."""
    starts, end, pad = [], 0, case.number("pad")
    for rows in case.rows:
        starts.append(-(-end // pad) * pad)
        end = starts[-1] + rows
    return starts


def places(case):
    """Where each owned row lies."""
    return np.concatenate([np.arange(start, start + rows)
                           for start, rows in zip(own_starts(case), case.rows)])


def padded_rows(case):
    """With the last expert's padding, without the tail."""
    pad = case.number("pad")
    return -(-(own_starts(case)[-1] + case.rows[-1]) // pad) * pad


def physical_rows(case):
    return padded_rows(case) + case.number("tail")


def told(case):
    kind, *words = case["told"].split(":")
    ends = [start + rows for start, rows in zip(own_starts(case), case.rows)]
    owners = np.full(physical_rows(case), -1)
    owners[places(case)] = np.repeat(np.arange(len(case.rows)), case.rows)
    values = {"ends": ends, "padded_ends": ends, "indptr": case.starts, "counts": case.rows,
              "row_ids": owners.tolist()}.get(kind)
    if values is None or case["told"] != case["offsets"]:
        raise NotImplementedError(f"offsets={case['offsets']} told={case['told']}")
    wide = torch.int64 if "i64" in words else torch.int32
    return kind, torch.tensor(values, dtype=wide, device="cpu" if "host" in words else DEVICE)


def tensor_of(case, role, arrays):
    """An operand with the strides of the case: NaN in its gaps, its tail and in the output, zeros
    in the padding of an input."""
    out = role == {"fwd": "y", "dgrad": "x", "wgrad": "w"}[case["pass"]]
    k, n, rows = case.number("k"), case.number("n"), physical_rows(case)
    shape = {"x": (rows, k), "y": (rows, n),
             "w": (len(case.rows), *((n, k) if case["weights"] == "enk" else (k, n)))}[role]
    ld = shape[-1] + case_line.per_operand(case["ld"])[role]
    strides = (ld, 1)
    if role == "w":
        strides = (shape[1] * ld + case.number("wpitch"), ld, 1)
    size = sum(stride * max(extent, 1) for stride, extent in zip(strides, shape)) + 1
    word = case["out"] if out else case_line.input_format(case)[0]
    if word not in DTYPES:
        raise NotImplementedError(f"elements of {word}")
    memory = torch.full((size,), float("nan"), device=DEVICE).to(DTYPES[word])
    tensor = memory.as_strided(shape, strides)
    given = arrays.get("c" if out else role)
    if given is not None:
        if role == "w":
            tensor.copy_(torch.from_numpy(given).reshape(shape))
        else:
            if not out:
                tensor[:padded_rows(case)] = 0
            tensor[places(case)] = torch.from_numpy(given).reshape(-1, shape[1]).to(tensor)
    return tensor


def across(case, role):
    return case_line.recipe_of(case)[role == "w"][0]


def scales_of(case, role, arrays):
    """As the call has them: of x and y a row for each physical one, NaN where no expert owns it, or
    each expert's blocks; of w [experts, blocks of k, blocks of n]. None without scales."""
    given = arrays.get(f"{role}_scale")
    if given is None:
        return None
    if role == "w":
        given = given.reshape(len(case.rows), -1, given.shape[1])
    if role == "w" or across(case, role) != 1:
        return torch.from_numpy(given).to(DEVICE)
    scales = torch.full((physical_rows(case), given.shape[1]), float("nan"), device=DEVICE)
    scales[places(case)] = torch.from_numpy(given).to(DEVICE)
    return scales


def owned_rows(case, role, tensor):
    """As the harness dumps an output: rows that experts own, one after another."""
    return (tensor if role == "w" else tensor[places(case)]).float().cpu().numpy()


def called(function, call, case):
    for _ in range(max(case.number("acc"), 1)):
        function(call)
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def leak(function, call, case, arrays):
    """Each expert alone, with NaN in what belongs to the others: none may reach it."""
    out_role = {"fwd": "y", "dgrad": "x", "wgrad": "w"}[case["pass"]]
    whole = case_line.Comparison()
    for expert in range(min(len(case.rows), MOST_EXPERTS)):
        start, end = case.starts[expert], case.starts[expert + 1]
        for role in "xwy":
            tensor = getattr(call, role)
            tensor = tensor.tensor if isinstance(tensor, Codes) else tensor
            given = arrays.get("c" if role == out_role else role)
            own = slice(expert, expert + 1) if role == "w" else slice(start, end)
            at = own if role == "w" else places(case)[own]
            tensor.fill_(float("nan"))
            if given is not None:
                tensor[at] = torch.from_numpy(given).reshape(-1, *tensor.shape[1:])[own].to(tensor)
        called(function, call, case)
        out = owned_rows(case, out_role, getattr(call, out_role))
        found = case_line.compare(case, arrays, out, only=expert)
        whole.elements += found.elements
        whole.wrong += found.wrong
        whole.worst = whole.worst or found.worst
    return {**answer(whole), "sentence": "with NaN in what belongs to other experts, "
                                         + whole.sentence()}


def main():
    spec, line, folder, *more = sys.argv[1:]
    leaks = more == ["--poison-others"]
    case = case_line.parse(line)
    arrays = {file.stem: np.load(file) for file in Path(folder).glob("*.npy")}
    try:
        operands = {role: tensor_of(case, role, arrays) for role in "xwy"}
        operands.update({f"{role}_scale": scales_of(case, role, arrays) for role in "xwy"})
        call = PlainCall(case, operands)
        function = load(spec).function
    except (NotImplementedError, RuntimeError) as error:
        print(json.dumps({"ran": False, "why": str(error).splitlines()[0]}))
        return
    try:
        called(function, call, case)
    except Exception as error:  # pylint: disable=broad-except
        print(json.dumps({"ran": True, "raised": f"{type(error).__name__}: {error}"[:400]}))
        return
    if leaks:
        print(json.dumps(leak(function, call, case, arrays)))
        return
    role = {"fwd": "y", "dgrad": "x", "wgrad": "w"}[case["pass"]]
    out = owned_rows(case, role, getattr(call, role))
    print(json.dumps(answer(case_line.compare(case, arrays, out))))


def answer(found):
    return {"ran": True, "elements": found.elements, "wrong": found.wrong,
            "sentence": found.sentence()}


if __name__ == "__main__":
    main()
