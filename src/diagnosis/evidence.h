// Evidence: one wrong run of a kernel with everything that hypotheses ask about it, element by
// element.
#pragma once

#include <optional>
#include <vector>

#include "oracle/product.h"
#include "src/harness/call/session.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/problem.h"

namespace assay {

// Elements are numbered as the judge's wrong_map does: products one after another, row-major in
// each. Product g is expert g's: rows and columns of fwd Y_g [M_g, n], dgrad dX_g [M_g, k], wgrad
// dW_g [k, n].
struct Evidence {
  Problem problem;
  Manifest manifest;
  std::vector<std::byte> got;
  std::vector<oracle::Product> products;  // over problem and got
  std::vector<Index> first_element;       // of each product, and the total
  std::vector<std::uint32_t> exact_bits;  // of each element, rounded once
  std::vector<std::uint8_t> wrong;
  std::vector<std::uint8_t> unwritten;  // holds two runs' poisons; accumulating: C, and wrong
  std::vector<std::uint8_t> unsteady;   // another run with the same poison gave other bits
  std::vector<std::uint8_t> tainted;  // not finite where the exact result is, or follows the poison
  // Twice the same under one poison, and something else under another.
  std::vector<std::uint8_t> follows_poison;
  // Wrong, and right where before the call the output, or the workspace, held zeros. Empty where no
  // element is tainted.
  std::vector<std::uint8_t> cleared_by_output, cleared_by_workspace;
  Index wrong_count = 0;
  Placement placement = Placement::kLow;  // of the runs
  // The same shape is right with plain values in it: no mistake of addresses or extents.
  bool needs_its_values = false;
  // Wrong is what has not the bits of the declared arithmetic, within the bound or not.
  bool by_bits = false;

  Evidence() = default;
  Evidence(Evidence&&) = default;  // vectors keep their storage: products stay valid
  Evidence& operator=(Evidence&&) = default;
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;

  Index elements() const { return first_element.back(); }
  Index experts() const { return problem.spec.experts(); }
  const oracle::Product& product(Index expert) const { return products[expert]; }
  Index element(Index expert, Index row, Index col) const {
    return first_element[expert] + row * product(expert).got.cols + col;
  }
  bool is_exact_fill() const;
};

// Runs the case plainly; nothing where the run did not end well or no element is wrong.
std::optional<Evidence> gather_evidence(Session& kernel, const CaseSpec& spec,
                                        Placement placement = Placement::kLow);

// The same, where all elements are within the bound and some have not the bits that the manifest's
// arithmetic foretells. Nothing where it foretells none.
std::optional<Evidence> gather_evidence_of_bits(Session& kernel, const CaseSpec& spec);

// Which elements are wrong, in words: `64 of 8192 elements, expert 3 rows 0-0 columns 0-63`.
std::string where_wrong(const Evidence& evidence);

}  // namespace assay
