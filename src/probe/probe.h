// Probe: what a kernel really does, found by experiments on it as on a black box: which calls it
// answers rightly, what it asks of its operands, what it does to rows that no expert owns, and how
// it adds up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/harness/call/session.h"

namespace assay {

struct ProbeRow {
  std::string topic;
  std::string value;
  std::string evidence;
};

struct ProbeReport {
  bool found = false;  // some call came back right: else the rows say what was tried
  std::vector<ProbeRow> rows{};
  // What was found: its `declared_fields` names the fields that the experiments settled.
  Manifest probed{};
  // Where the kernel's own manifest says otherwise, a sentence each.
  std::vector<std::string> disagreements{};
  // The first declared case that came back with wrong elements, if one did.
  std::optional<CaseSpec> wrong{};
  std::string not_run{};  // why the machine could not make all calls, if so: nothing is told then
  Index runs = 0;         // kernel calls
  double seconds = 0;
};

struct ProbeOptions {
  bool arithmetic = true;  // how it adds up, too
};

// Runs the experiments. Only what the session's manifest declares is tried where it declares
// something; the session is left with that manifest.
ProbeReport probe(Session& kernel, const ProbeOptions& options = {});

// Table of the rows, and the disagreements below it.
std::string probe_table(const ProbeReport& report);
// The settled fields as a manifest, ready to paste.
std::string manifest_json(const Manifest& probed);

// The declared manifest with the fields that it leaves out taken from the probe: what the kernel
// computes, what it asks and leaves, and the bound of its arithmetic; never a promise that it did
// not make (determinism, batch invariance, order of summation).
Result<Manifest> completed(const Manifest& declared, const Manifest& probed);
// A manifest's JSON with the fields that `additions` declares added.
std::string with_fields(const std::string& json, const Manifest& additions);

// A kernel whose manifest is completed by a probe where it is incomplete.
struct CompletedKernel {
  OpenSession open;
  std::optional<ProbeReport> report{};  // where there was something to complete
};
// Errors: as `open`; no call of an incomplete kernel came back right, or the machine ran short.
Result<CompletedKernel> complete(const OpenSession& open);

}  // namespace assay
