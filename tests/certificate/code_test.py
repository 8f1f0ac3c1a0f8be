"""A certificate names all code that ran, and holds for no other."""
import os
import shutil
import subprocess
import unittest

import support

SHIM = """#include "src/contract/assay/abi.h"
const char* real_manifest(void);
int real_run(const assay_call* call);
const char* assay_manifest_v1(void) { return real_manifest(); }
int assay_run_v1(const assay_call* call) { return real_run(call); }
"""

# Opens libreal.so, which lies beside it, in its first call, with -DEARLY as it is loaded; each rank
# of a run opens another one.
LATE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/contract/assay/abi.h"
static int (*run)(const assay_call*);
#ifdef EARLY
__attribute__((constructor))
#endif
static void open_real(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  Dl_info own;
  char path[4096];
  dladdr((void*)open_real, &own);
  const char* end = strrchr(own.dli_fname, '/');
  snprintf(path, sizeof path, "%.*s/libreal%s.so", (int)(end - own.dli_fname), own.dli_fname,
           rank ? rank : "");
  void* library = dlopen(path, RTLD_NOW);
  run = library ? (int (*)(const assay_call*))dlsym(library, "real_run") : 0;
}
const char* assay_manifest_v1(void) {
  return "{\\"name\\": \\"late\\", \\"passes\\": [\\"fwd\\"],"
         "\\"formats\\": [{\\"in\\": \\"fp32\\", \\"out\\": \\"fp32\\"}],"
         "\\"weights\\": [\\"enk\\"], \\"offsets\\": [\\"ends\\"],"
         "\\"arithmetic\\": {\\"kind\\": \\"fma\\"}}";
}
int assay_run_v1(const assay_call* call) {
  if (!run) open_real();
  return run ? run(call) : ASSAY_ERROR;
}
"""


class Code(support.FolderTest):
    def compile(self, name, text, *words):
        source = self.write(name + ".c", text)
        library = self.folder / (name + ".so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-ffp-contract=off",
                        f"-I{support.SOURCE}", "-o", library, source, *words], check=True)
        return str(library)

    def real(self, right="", wrong=""):
        """The library that does the work, as a kernel's own is not one."""
        text = (support.SOURCE / "src/examples/plain_loops.c").read_text()
        for old, new in (("assay/abi.h", "src/contract/assay/abi.h"), ("assay_run_v1", "real_run"),
                         ("assay_manifest_v1", "real_manifest"), (right, wrong)):
            text = text.replace(old, new) if old else text
        return self.compile("libreal", text)

    def wrong_real(self):
        return self.real("k < call->k", "k + 1 < call->k")

    def shim(self):
        self.real()
        return self.compile("shim", SHIM, f"-L{self.folder}", "-lreal", "-Wl,-rpath,$ORIGIN")

    def verify(self, out, name, *words, code=0):
        text, _ = support.assay("verify", out / f"{name}.intoto.jsonl", "--profile", self.profile,
                                *words, code=code)
        return text

    def rows(self, certificate):
        return support.statements(certificate)[0]["predicate"]["code"]

    def test_of_a_shim_holds_for_the_library_behind_it(self):
        kernel = self.shim()
        out = self.certify(kernel=kernel)
        self.assertNotIn("rests on", self.verify(out, "shim.so", "--artifact", kernel))
        self.wrong_real()
        text = self.verify(out, "shim.so", "--artifact", kernel, code=1)
        self.assertRegex(text, r"rejected: .*libreal\.so' has the SHA-256 [0-9a-f]{64}, the "
                               r"'libreal\.so' that was tested")
        self.real()
        self.verify(out, "shim.so", "--artifact", kernel)

    def test_names_a_library_that_only_a_call_opens(self):
        self.real()
        kernel = self.compile("late", LATE)
        out = self.certify(kernel=kernel)
        names = {row["name"]: row for row in self.rows(out / "late.so.intoto.jsonl")}
        self.assertEqual(names["libreal.so"]["kind"], "library")
        self.verify(out, "late.so", "--artifact", kernel)
        self.wrong_real()
        self.assertIn("libreal.so", self.verify(out, "late.so", "--artifact", kernel, code=1))

    def test_names_the_systems_libraries_by_build_id(self):
        out = self.certify()
        rows = self.rows(out / "cpu.intoto.jsonl")
        libc = next(row for row in rows if row["name"] == "libc.so.6")
        self.assertEqual(set(libc), {"name", "kind", "buildId"})
        self.assertEqual(libc["kind"], "system")
        self.assertEqual([row["name"] for row in rows if row["kind"] == "harness"],
                         ["assay-worker"])
        self.assertEqual([row for row in rows if "/" in row["name"]], [], "a path of this machine")
        self.assertNotIn("another build", self.verify(out, "cpu"))
        said, _ = support.assay("report", out, "--markdown", "-")
        self.assertIn("Code that ran: 1 file by SHA-256, ", said)
        said, _ = support.assay("report", out, "--html", "-")
        self.assertIn(f"build id <code>{libc['buildId']}</code>", said)

    def test_compares_what_depends_names(self):
        kernel = self.shim()
        out = self.certify(kernel=kernel)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        library = shutil.move(self.folder / "libreal.so", elsewhere)
        text = self.verify(out, "shim.so", "--artifact", kernel)
        self.assertRegex(text, r"also rests on libreal\.so \(sha256 [0-9a-f]{12}\.\.\.\): --dep")
        text = self.verify(out, "shim.so", "--artifact", kernel, "--depends", library)
        self.assertNotIn("rests on", text)
        self.verify(out, "shim.so", "--depends", library, "--depends", kernel)
        other = shutil.move(self.wrong_real(), elsewhere / "libreal.so")
        self.assertIn("that was tested", self.verify(out, "shim.so", "--depends", other, code=1))
        text = self.verify(out, "shim.so", "--depends", self.profile, code=1)
        self.assertIn("no file called 'small.profile' is among the code that was tested", text)

    def test_of_shards_has_to_be_the_same(self):
        kernel = self.shim()
        out = self.certify("--shard", "1/2", kernel=kernel)
        self.compile("libreal", (self.folder / "libreal.c").read_text(), "-O2")
        self.certify("--shard", "2/2", kernel=kernel)
        _, said = support.assay("merge", "--profile", self.profile,
                                *sorted(out.glob("*.results.jsonl")), "--out", out, code=2)
        self.assertRegex(said, r"not one run: different digests of 'libreal\.so' '[0-9a-f]{64}'")
        self.assertEqual(said.count("\n"), 1)

    def test_is_the_same_when_a_run_goes_on(self):
        kernel = self.shim()
        out = self.certify("--budget", "0.0001", kernel=kernel, code=3)
        self.compile("libreal", (self.folder / "libreal.c").read_text(), "-O2")
        _, said = support.assay("certify", kernel, "--profile", self.profile, "--out", out,
                                "--quiet", "--resume", code=2)
        self.assertIn("is another run's: different digests of 'libreal.so'", said)

    def test_that_is_replaced_meanwhile_ends_the_run(self):
        kernel = self.shim()
        self.write("small.profile", support.SMALL.format(count=4000))
        run = subprocess.Popen([support.ASSAY, "certify", kernel, "--profile", self.profile,
                                "--out", self.folder / "out", "--quiet"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        results = self.folder / "out/shim.so.results.jsonl"
        while run.poll() is None and not (results.exists() and b'{"job":' in results.read_bytes()):
            pass
        self.compile("libreal", (self.folder / "libreal.c").read_text(), "-O2")
        _, said = run.communicate()
        self.assertEqual(run.returncode, 2, said)
        self.assertIn("libreal.so' was replaced while it was tested", said)

    @unittest.skipUnless(shutil.which("mpirun") and os.environ.get("ASSAY_MPI") == "ON",
                         "built without MPI, or no mpirun")
    def test_of_all_ranks_is_named(self):
        for rank in range(2):
            shutil.copy(self.real(), self.folder / f"libreal{rank}.so")
        kernel = self.compile("late", LATE, "-DEARLY")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        subprocess.run(["mpirun", "--oversubscribe", "-n", "2", support.ASSAY, "certify", kernel,
                        "--profile", self.profile, "--quiet", "--out", self.folder / "out"],
                       check=True, env=environment, capture_output=True)
        libraries = [row["name"] for row in self.rows(self.folder / "out/late.so.intoto.jsonl")
                     if row["kind"] == "library"]
        self.assertEqual(libraries, ["libreal0.so", "libreal1.so"])


if __name__ == "__main__":
    unittest.main()
