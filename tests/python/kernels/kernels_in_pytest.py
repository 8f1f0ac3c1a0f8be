"""A file as pytest gets it: a right kernel and a wrong one."""

from last_row_is_dropped import last_row_is_dropped  # noqa: F401

import assay
from base import FORWARD, forward


@assay.kernel(**FORWARD)
def right(call):
    forward(call)


def test_one_case():
    line = "pass=fwd in=fp32 k=8 n=4 rows=3,2 weights=ekn"
    assert assay.run(line, right).passed
    assert not assay.run(line, last_row_is_dropped).passed


def test_a_profile(request):
    report = assay.certify(right, profile=request.config.getoption("--assay-profile"), jobs=1)
    assert report.passed and not report.certified
    assert [check["verdict"] for check in report.checks] == ["Passed"] * 3


def test_what_is_no_kernel():
    for wrong in (len, 7):
        try:
            assay.certify(wrong)
        except TypeError as error:
            assert "@assay.kernel" in str(error)
        else:
            raise AssertionError(wrong)

    @assay.kernel
    def inside(call):
        del call

    try:
        assay.certify(inside)
    except ValueError as error:
        assert "inside a function" in str(error)
    else:
        raise AssertionError("a function's own kernel cannot be imported")
