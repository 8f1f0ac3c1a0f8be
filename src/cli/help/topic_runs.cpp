// Topics about runs and what they leave behind.
#include "src/cli/help/topics.h"

namespace assay {

std::string_view text_of_certificate() {
  return R"(assay certify KERNEL --profile ci --out DIR leaves in DIR

  NAME.results.jsonl   every case as it finished: one line that says what runs,
                       one a case, one a finding, one at the end
  NAME.intoto.jsonl    the certificate: DSSE envelopes with in-toto statements (our
                       predicate, test-result v0.1, and svr v0.2 if all passed)
  NAME.report.html     the report, one file that loads nothing

The certificate names the artifact by SHA-256: of the plug-in's file, or of a built-in
kernel's sources, compiler and flags. corpus/certificates has the predicate's schema.

Its field `code` names all files of code that the kernel's process had loaded, also
those that only a later call loads: libraries and Python modules by SHA-256, packages
by version and SHA-256, the system's libraries (below /lib, /usr/lib, /lib64 and
/usr/lib64) by build id. A file that changes while it is tested ends the run. Code
that a kernel makes in memory or reads as data (JIT, .cubin) has no row.

verify --artifact compares the libraries and modules, too, that lie beside the
artifact or where its RUNPATH points; --depends compares others, by their names:

  assay verify DIR/shim.so.intoto.jsonl --artifact ./shim.so --depends lib/libreal.so

What was not compared is said in a note, and so is a library of the system of which
this machine has another build.

Keys are Ed25519 in PEM; the key's id is the SHA-256 of the public one:

  openssl genpkey -algorithm ed25519 -out key.pem
  openssl pkey -in key.pem -pubout -out key.pub.pem
  assay certify ./lib.so --out DIR --sign key.pem
  assay verify DIR/lib.so.intoto.jsonl --artifact ./lib.so --key key.pub.pem

Without a key the file ends in a line with the SHA-256 of all bytes before it,
which guards against damage, not against forgery.

verify accepts one byte form of each certificate, and says the first thing that is
wrong: envelope, fields, signature, digests of artifact, code, profile and results,
verdict, times (none after now, or after --at), waivers, policy. When it accepts, it
says which checks are waived, until when and why. It needs no GPU. Exit 0 accepted,
1 rejected, 2 a file that is unreadable or malformed.

A check that measures judges its cases as any other and reports figures without a
verdict: it is MEASURED, in no list of passed tests, and no demand of "checks" is met
by it.

A policy is a JSON object; what it leaves out is not demanded:

  {"profile": "full", "device": "cuda", "gpu": "NVIDIA H200", "kernel": "sm90",
   "waivers": "none", "signed": true, "maxErrorOverBound": 0.5,
   "maxAgeDays": 90, "minCases": 3000, "checks": ["nothing_outside_is_read"],
   "expires": "2027-06-30"}

How many planted defects the profile catches goes in with --selftest FILE, from
assay selftest --profile P --json FILE.

assay diff BEFORE AFTER compares two certificates or runs: what is new, fixed,
lost, worse.
)";
}

std::string_view text_of_waivers() {
  return R"(assay certify --waive FILE lets known failures through:

  {"waivers": [{"check": "special_values_propagate", "kernel": "my_kernel",
                "reason": "NaN payloads are not kept", "link": "https://example.org/17",
                "until": "2027-01-31"}]}

A waived check runs like any other. That it passes after all is a failure, and so
is a date that has passed: waivers are removed when they are no longer needed. The
certificate lists every waiver, its verdict is WAIVED, and assay verify rejects it
unless a policy says "waivers": "any".
)";
}

std::string_view text_of_ci() {
  return R"(Exit codes: 0 passed, 1 failed, 2 bad input, 3 incomplete (cut short, or something
could not be judged). 77 is never used. The last line on stdout is
`N passed, N failed, N skipped`, of checks; those that only measure are in none of
the three, the line above has their number. --quiet prints findings and verdict
only; NO_COLOR is honoured.

A finding is filed under what is wrong, such as stray_write or values, whichever check
met it; what several checks met is one finding. A check gets no more cases after its
finding (--max-findings). With --keep-going all cases are judged, and the table and the
record say how many failed; after four hangs the run is cut short all the same.

A run that was killed goes on with --resume and the same --out. Two runs cannot
write one record at a time, and a run that certifies less than the certificate in
--out (another profile, --filter, --seed) replaces it with --replace only. The next
run deletes what an earlier one left there. A long run can be
cut in parts, on as many machines of one kind as you like; a part exits 0 if it
found nothing, and the verdict comes with the merge:

  assay certify ./lib.so --profile full --out DIR --shard 1/3      (2/3, 3/3)
  assay merge DIR/*.part*of3.results.jsonl --out DIR --sign key.pem

With MPI (built with -DASSAY_MPI=ON) ranks share the cases as they come free:

  mpirun -n 16 assay certify ./lib.so --profile full --out DIR

Reports of one or more runs:

  assay report DIR --html report.html --junit junit.xml --markdown comment.md

In JUnit a finding is a failure with its text, a waived or inapplicable check is
skipped with the reason, and what kept the run from a verdict is an error. Figures of
checks that measure are properties of the suite.

With CMake, from an installed Assay:

  find_package(assay REQUIRED)
  add_library(my_kernel MODULE my_kernel.cu)
  target_link_libraries(my_kernel PRIVATE assay::abi)
  assay_certify(TARGET my_kernel PROFILE ci)

adds a test certify.my_kernel with the label assay, whose certificate and report lie
in the build folder.
)";
}

}  // namespace assay
