// The experiments of a probe, one function each: it adds its rows and settles fields of the probed
// manifest.
#pragma once

#include <optional>
#include <string>

#include "src/probe/probe_session.h"

namespace assay {

// What the experiments share. `base` is a case that the kernel answers rightly.
struct Probing {
  ProbeSession& lab;
  ProbeReport& report;
  CaseSpec base{};
  bool small = true;  // the base case has odd row counts and a small k and n

  void row(std::string topic, std::string value, std::string evidence) {
    report.rows.push_back({std::move(topic), std::move(value), std::move(evidence)});
  }
  void note(const CaseSpec& spec, const Attempt& attempt) {
    const bool declared = !exclusion(lab.own(), spec);
    if (attempt.answer == Answer::kWrong && declared && !report.wrong) { report.wrong = spec; }
  }
  void settle(const char* field) { report.probed.declared_fields.emplace_back(field); }
};

// A first right call, then every pass, format, layout and convention that works. False: there is
// none.
bool probe_domain(Probing& probing);
// Base addresses, multiples of k and n, strides, multiples of rows.
void probe_operands(Probing& probing);
// Tail and padding rows, strictness of the last end, empty experts, accumulation.
void probe_rows(Probing& probing);
// The same bits again, and in another batch.
void probe_repeatability(Probing& probing);
// Stream, waiting of the host, graph: of a kernel on a device.
void probe_execution(Probing& probing);
// Which formats' subnormals become zero.
void probe_subnormals(Probing& probing);
// Accumulator, step, order, split, partial sums.
void probe_arithmetic(Probing& probing);

// As a manifest spells it, in one line.
std::string arithmetic_text(const DeclaredArithmetic& arithmetic);

// Sentences where `declared` promises what the probe has seen broken.
std::vector<std::string> disagreements(const Manifest& declared, const ProbeReport& report);

}  // namespace assay
