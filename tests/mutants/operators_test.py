"""The operators make the slips that they are named for, in code alone, and each once."""
import unittest

import mutants
from operators import code_mask, mutants_of


def changes(line, operator=None):
    return [one.after.strip() for one in mutants_of("f.cpp", line)
            if operator in (None, one.operator)]


class Operators(unittest.TestCase):
    def test_change_one_thing_of_a_line(self):
        self.assertEqual(changes("  if (a < b) { return; }", "relational"),
                         ["if (a <= b) { return; }", "if (a > b) { return; }"])
        self.assertEqual(changes("  if (a < b) { return; }", "negated condition"),
                         ["if (!(a < b)) { return; }"])
        self.assertEqual(changes("x = y - z;", "arithmetic"), ["x = y + z;"])
        self.assertEqual(changes("x = y - z;", "swapped operands"), ["x = z - y;"])
        self.assertEqual(changes("store(a, b);", "swapped operands"), ["store(b, a);"])
        self.assertEqual(changes("store(a, b);", "removed statement"), [";"])
        self.assertEqual(changes("return v[i];", "off by one"), ["return v[i + 1];"])
        self.assertEqual(changes("if (a) { break; }", "break removed"), ["if (a) { ; }"])
        self.assertEqual(sorted(changes("n = 16;", "constant")), ["n = 0;", "n = 15;", "n = 17;"])
        self.assertEqual(changes("if (auto r = f(); r > 1) {", "negated condition"),
                         ["if (auto r = f(); !(r > 1)) {"])

    def test_leave_templates_declarations_text_and_comments_alone(self):
        for line in ("std::vector<Index> rows;", "// a < b", 'say("a < b");', "#include <a>",
                     "const float* from;", "template <class T, int kCount>"):
            self.assertEqual(changes(line, "relational") + changes(line, "arithmetic"), [], line)
        self.assertEqual(changes("const Index n = f(x);", "removed statement"), [])
        self.assertEqual(code_mask('a /* < */ "x"').replace(" ", ""), "a")

    def test_make_each_mutant_of_a_line_once(self):
        all_of_it = changes("for (Index i = 0; i < rows.count - 1; ++i) { s += v[i] * 2; }")
        self.assertEqual(len(all_of_it), len(set(all_of_it)))
        self.assertGreater(len(all_of_it), 8)

    def test_find_the_lines_of_the_list_of_equivalents(self):
        known, drawn = mutants.known_equivalents(), mutants.all_mutants("")
        self.assertEqual(mutants.stale_entries(known, drawn), [])
        self.assertGreater(len(drawn), 1000)


if __name__ == "__main__":
    unittest.main()
