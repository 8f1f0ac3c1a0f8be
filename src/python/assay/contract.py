"""What a kernel's decorator leaves out: calls that are refused before its function sees them."""

from . import _abi
from .groups import groups

_FORMATS = {(2, 16): "fp16", (2, 32): "fp32", (4, 16): "bf16", (10, 8): "e4m3", (12, 8): "e5m2",
            (17, 4): "e2m1", (0, 8): "int8"}
_READS = {"fwd": ("x", "w"), "dgrad": ("y", "w"), "wgrad": ("x", "y")}


def _format(tensor):
    return _FORMATS.get((tensor.contents.code, tensor.contents.bits), "?")


def _kind(struct):
    """The convention as a case spells it, without its place."""
    array = struct.offsets or struct.sizes
    wide = bool(array) and array.contents.bits == 64
    return _abi.CONVENTIONS[struct.convention] + (":i64" if wide else "")


def _described(inputs, scaled, output):
    one = len(set(inputs.values())) == 1
    words = next(iter(inputs.values())) if one else ",".join(
        f"{operand}:{given}" for operand, given in sorted(inputs.items()))
    return f"{words}{' with scales' if scaled else ''} -> {output}"


def _taken(formats, pass_name):
    """Inputs, whether they have scales, and outputs; which blocks scales have is left open."""
    taken = set()
    for item in formats:
        text = item["in"]
        if text[1:2] == ":":  # x:bf16,w:e4m3/row, of the pass that reads those two
            inputs = dict(word.split("/")[0].split(":") for word in text.split(","))
        else:
            inputs = dict.fromkeys(_READS[pass_name], text.split("/")[0])
        if set(inputs) == set(_READS[pass_name]):
            taken.add(_described(inputs, "/" in text, item["out"]))
    return taken


def _by_pass(multiple):
    if isinstance(multiple, dict):
        return {name: multiple.get(name, 1) for name in _abi.PASSES}
    return dict.fromkeys(_abi.PASSES, multiple)


def _is_dense(tensor):
    step = 1
    for axis in reversed(range(tensor.ndim)):
        if tensor.shape[axis] > 1 and tensor.strides[axis] != step:
            return False
        step *= tensor.shape[axis]
    return True


def _is_ascending(found, rows):
    end = 0
    for start, count in found:
        if count < 0 or start < 0 or (count > 0 and (start < end or start + count > rows)):
            return False
        end = start + count if count > 0 else end
    return True


class Contract:
    """Answers why a call is outside the declared manifest, or nothing."""

    def __init__(self, fields):
        self._passes = fields.get("passes")
        self._weights = fields.get("weights")
        kinds = fields.get("offsets")
        self._kinds = None if kinds is None else {kind.replace(":host", "").replace(":i32", "")
                                                  for kind in kinds}
        formats = fields.get("formats")
        wgrad = fields.get("wgrad_formats", formats)
        self._formats = {name: None if listed is None else _taken(listed, name) for name, listed in
                         (("fwd", formats), ("dgrad", formats), ("wgrad", wgrad))}
        self._accumulate = fields.get("accumulate")
        self._bias = fields.get("bias", ())
        self._tactics = {"default", *fields.get("tactics", ())}
        self._base_bytes = fields.get("base_bytes", 1)
        self._multiples = [(field, _by_pass(fields[name])) for field, name in
                           (("k", "k_multiple"), ("n", "n_multiple")) if name in fields]
        self._ld_multiple = fields.get("ld_multiple", 1)
        self._dense = fields.get("strides") == "dense"
        self._max_experts = fields.get("max_experts")
        self._max_rows = fields.get("max_rows")
        self._total_rows_multiple = fields.get("total_rows_multiple", 1)
        self._row_multiple = fields.get("row_multiple", 1)
        self._least_rows = fields.get("least_rows", 1)

    def refusal(self, struct):
        return (self._wrong_kind(struct) or self._misaligned(struct) or self._wrong_rows(struct) or
                self._wrong_groups(struct))

    def _wrong_kind(self, struct):
        name = _abi.PASSES[struct.pass_]
        if self._passes is not None and name not in self._passes:
            return f"pass {name} is not declared"
        layout = _abi.WEIGHTS[struct.weights]
        if self._weights is not None and layout not in self._weights:
            return f"weights {layout} are not declared"
        kind = _kind(struct)
        if self._kinds is not None and kind not in self._kinds:
            return f"offsets {kind} are not declared"
        taken = self._formats[name]
        if taken is not None:
            given = {operand: _format(getattr(struct, operand)) for operand in "xwy"}
            inputs = {operand: given.pop(operand) for operand in _READS[name]}
            ((stored, output),) = given.items()
            scales = {operand for operand in "xwy" if getattr(struct, f"{operand}_scale")}
            scaled = bool(scales - {stored})
            output += "/tensor" if stored in scales else ""
            formats = _described(inputs, scaled, output)
            if formats not in taken:
                return f"formats {formats} are not declared"
        if struct.bias and _format(struct.bias) not in self._bias:
            return f"bias {_format(struct.bias)} is not declared"
        if struct.accumulate and self._accumulate is False:
            return "accumulation is not declared"
        if struct.tactic.decode() not in self._tactics:
            return f"tactic {struct.tactic.decode()} is not declared"
        return None

    def _misaligned(self, struct):
        if self._max_experts is not None and struct.experts > self._max_experts:
            return f"{struct.experts} experts are more than max_experts {self._max_experts}"
        for field, multiples in self._multiples:
            multiple = multiples[_abi.PASSES[struct.pass_]]
            if getattr(struct, field) % multiple:
                return f"{field} {getattr(struct, field)} is not a multiple of {multiple}"
        for name in ("x", "w", "y"):
            tensor = getattr(struct, name).contents
            if (tensor.data or 0) % self._base_bytes:
                return f"{name} is not aligned to {self._base_bytes} bytes"
            if self._ld_multiple > 1 and any(tensor.strides[i] % self._ld_multiple
                                             for i in range(tensor.ndim - 1)):
                return f"a stride of {name} is not a multiple of {self._ld_multiple}"
            if self._dense and not _is_dense(tensor):
                return f"{name} has gaps between its rows"
        return None

    def _wrong_rows(self, struct):
        if self._max_rows is not None and struct.rows > self._max_rows:
            return f"{struct.rows} rows are more than max_rows {self._max_rows}"
        if struct.rows % self._total_rows_multiple:
            return f"{struct.rows} rows are not a multiple of {self._total_rows_multiple}"
        return None

    def _wrong_groups(self, struct):
        """What only the offsets tell, where the host can read them."""
        if self._row_multiple == 1 and self._least_rows == 1:
            return None
        found = groups(struct)
        if found is None or not _is_ascending(found, struct.rows):
            return None  # not to be seen, or for the kernel to say that they are invalid
        busy = [(g, start, count) for g, (start, count) in enumerate(found) if count]
        ends = [start for _, start, _ in busy[1:]] + [struct.rows]
        for (g, start, count), end in zip(busy, ends):
            if count < self._least_rows:
                return f"expert {g} has {count} rows, fewer than {self._least_rows}"
            whole = -(-count // self._row_multiple) * self._row_multiple
            if start % self._row_multiple or end - start < whole:
                return f"rows of expert {g} break row_multiple {self._row_multiple}"
        return None
