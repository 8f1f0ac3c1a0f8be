"""Assay for Python kernels: declare a kernel, certify it, run one case of it."""

from .call import Call
from .command import Report, Result, certify, run
from .kernel import Kernel, Unsupported, kernel
from .tensor import Tensor

__all__ = ["Call", "Kernel", "Report", "Result", "Tensor", "Unsupported", "certify", "kernel",
           "run"]
