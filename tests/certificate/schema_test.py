"""Certificates follow the published schema, and the statements of others their field lists."""
import hashlib
import json
import unittest

import jsonschema

import support

SCHEMA = json.loads(
    (support.SOURCE / "corpus/certificates/kernel-certificate.schema.json").read_text())


class Schema(support.FolderTest):
    def check(self, certificate, count):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        validator = jsonschema.Draft202012Validator(SCHEMA)
        statements = support.statements(certificate)
        self.assertEqual(len(statements), count)
        errors = [error.message for error in validator.iter_errors(statements[0])]
        self.assertEqual(errors, [])
        for statement in statements:
            self.assertEqual(set(statement), {"_type", "subject", "predicateType", "predicate"})
            self.assertEqual(statement["_type"], "https://in-toto.io/Statement/v1")
            self.assertEqual(statement["subject"], statements[0]["subject"])
        return statements

    def check_test_result(self, statement, result):
        self.assertEqual(statement["predicateType"],
                         "https://in-toto.io/attestation/test-result/v0.1")
        predicate = statement["predicate"]
        self.assertLessEqual({"result", "configuration"}, set(predicate))
        self.assertLessEqual(set(predicate), {"result", "configuration", "url", "passedTests",
                                              "warnedTests", "failedTests"})
        self.assertEqual(predicate["result"], result)
        for descriptor in predicate["configuration"]:
            self.assertEqual(set(descriptor), {"name", "digest"})
        for tests in ("passedTests", "warnedTests", "failedTests"):
            self.assertTrue(all(isinstance(name, str) for name in predicate[tests]))
        return predicate

    def test_of_a_kernel_that_passes(self):
        out = self.certify()
        statements = self.check(out / "cpu.intoto.jsonl", 3)
        predicate = self.check_test_result(statements[1], "PASSED")
        self.assertEqual(len(predicate["passedTests"]), 5)
        self.assertEqual(predicate["failedTests"], [])
        checks = {check["check"]: check for check in statements[0]["predicate"]["checks"]}
        measured = checks["useful_row_fraction"]
        self.assertEqual(measured["status"], "MEASURED")
        self.assertEqual(measured["measured"]["cases"], measured["drawn"] - measured["unsupported"])
        self.assertNotIn("measured", checks["exact_integers_match_bitwise"])
        self.assertTrue(all("USEFUL_ROW" not in name
                            for name in statements[2]["predicate"]["properties"]))
        svr = statements[2]
        self.assertEqual(svr["predicateType"], "https://in-toto.io/attestation/svr/v0.2")
        self.assertEqual(set(svr["predicate"]), {"verifier", "timeCreated", "properties"})
        self.assertEqual(set(svr["predicate"]["verifier"]), {"id", "policies"})
        self.assertRegex(svr["predicate"]["timeCreated"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for name in svr["predicate"]["properties"]:
            self.assertRegex(name, r"^ASSAY_[A-Z0-9_]+$")
        self.assertIn("ASSAY_EXACT_INTEGERS_MATCH_BITWISE", svr["predicate"]["properties"])
        self.assertNotIn("ASSAY_GRAPH_REPLAY_FOLLOWS_NEW_OFFSETS", svr["predicate"]["properties"])

    def test_of_a_profile_that_was_itself_tested(self):
        digest = hashlib.sha256(self.profile.read_bytes()).hexdigest()
        count = {"profileSha256": digest, "planted": 71, "caught": 71}
        out = self.certify("--selftest", self.write("count.json", json.dumps(count)))
        statements = self.check(out / "cpu.intoto.jsonl", 3)
        self.assertEqual(statements[0]["predicate"]["defects"],
                         {"profile": {"sha256": digest}, "planted": 71, "caught": 71})
        count["profileSha256"] = "0" * 64
        other = self.write("other.json", json.dumps(count))
        _, said = support.assay("certify", "cpu", "--profile", self.profile, "--out", out,
                                "--selftest", other, code=2)
        self.assertIn("other.json: the selftest of a profile with SHA-256 0000", said)

    def test_of_a_kernel_that_fails_waived_and_not(self):
        kernel = self.loses_nan()
        out = self.certify(kernel=kernel, code=1)
        statements = self.check(out / "loses_nan.so.intoto.jsonl", 2)
        self.assertEqual(statements[0]["predicate"]["verdict"], "FAILED")
        failed = self.check_test_result(statements[1], "FAILED")["failedTests"]
        self.assertEqual(failed, ["special_values_propagate"])
        name = statements[0]["predicate"]["kernel"]["name"]
        waivers = [{"check": check, "kernel": name, "reason": "known", "link": "none",
                    "until": "2099-01-01"} for check in failed]
        file = self.write("waivers.json", json.dumps({"waivers": waivers}))
        out = self.certify("--waive", file, kernel=kernel)
        statements = self.check(out / "loses_nan.so.intoto.jsonl", 2)
        self.assertEqual(statements[0]["predicate"]["verdict"], "WAIVED")
        self.assertEqual(statements[0]["predicate"]["waivers"], waivers)
        self.assertEqual(self.check_test_result(statements[1], "WARNED")["warnedTests"], failed)
        verify = ["verify", out / "loses_nan.so.intoto.jsonl", "--artifact", kernel, "--profile",
                  self.profile]
        support.assay(*verify, code=1)
        policy = self.write("policy.json", '{"waivers": "any"}')
        support.assay(*verify, "--policy", policy)


if __name__ == "__main__":
    unittest.main()
