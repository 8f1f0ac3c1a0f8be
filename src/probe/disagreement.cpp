// Where a manifest promises what the probe has seen broken. A stricter demand, or a weaker promise,
// than what was seen is no disagreement.
#include <algorithm>

#include <fmt/format.h>

#include "src/probe/experiments.h"

namespace assay {
namespace {

class Comparison {
 public:
  Comparison(const Manifest& declared, const ProbeReport& report)
      : declared_(declared), probed_(report.probed), report_(report) {}

  std::vector<std::string> all() {
    compare_domain();
    compare_multiples();
    compare_rows();
    compare_subnormals();
    compare_repeatability();
    compare_arithmetic();
    return sentences_;
  }

 private:
  bool both(std::string_view field) const {
    return declared_.declares(field) && probed_.declares(field);
  }
  std::string evidence_of(std::string_view topic) const {
    for (const ProbeRow& row : report_.rows) {
      if (row.topic == topic && !row.evidence.empty()) { return " (" + row.evidence + ")"; }
    }
    return {};
  }
  void disagree(std::string_view field, const std::string& promised, const std::string& found) {
    sentences_.push_back(fmt::format("the manifest declares {} {}, the probe finds {}{}", field,
                                     promised, found, evidence_of(field)));
  }

  void compare_domain() {
    for (const Pass pass : declared_.passes) {
      if (both("passes") && std::ranges::count(probed_.passes, pass) == 0) {
        disagree("passes", std::string(name(pass)), "that it is not answered rightly");
      }
    }
    for (const Combination& format : declared_.formats) {
      if (both("formats") && std::ranges::count(probed_.formats, format) == 0) {
        disagree("formats", fmt::format("{} -> {}", input_name(format), name(format.out)),
                 "that it is not answered rightly");
      }
    }
    for (const WeightsLayout layout : declared_.weights) {
      if (both("weights") && std::ranges::count(probed_.weights, layout) == 0) {
        disagree("weights", std::string(name(layout)), "that it is not answered rightly");
      }
    }
    for (const OffsetsKind& kind : declared_.offsets) {
      if (both("offsets") && std::ranges::count(probed_.offsets, kind) == 0) {
        disagree("offsets", name(kind), "that it is not answered rightly");
      }
    }
  }

  void compare_multiple(std::string_view field, Index promised, Index found) {
    if (!probed_.declares(field) || found <= promised) { return; }
    disagree(field, fmt::format("{}", promised), fmt::format("{}", found));
  }
  void compare_multiples() {
    if (declared_.declares("base_bytes")) {
      compare_multiple("base_bytes", declared_.base_bytes, probed_.base_bytes);
    }
    for (const auto& [field, promised, found] :
         {std::tuple{"k_multiple", declared_.k_multiple, probed_.k_multiple},
          std::tuple{"n_multiple", declared_.n_multiple, probed_.n_multiple},
          std::tuple{"row_multiple", declared_.row_multiple, probed_.row_multiple},
          std::tuple{"ld_multiple", declared_.ld_multiple, probed_.ld_multiple}}) {
      if (declared_.declares(field)) { compare_multiple(field, promised, found); }
    }
  }

  void compare_rows() {
    constexpr std::string_view kContracts[] = {"untouched", "zeroed", "undefined"};
    const auto compare = [&](std::string_view field, UnownedRows promised, UnownedRows found) {
      if (!both(field) || promised == UnownedRows::kUndefined || promised == found) { return; }
      disagree(field, std::string(kContracts[static_cast<int>(promised)]),
               std::string(kContracts[static_cast<int>(found)]));
    };
    compare("tail_rows", declared_.tail_rows, probed_.tail_rows);
    compare("padding_rows", declared_.padding_rows, probed_.padding_rows);
    if (both("padding_input") && declared_.padding_input == PaddingInput::kAnything &&
        probed_.padding_input == PaddingInput::kZeros) {
      disagree("padding_input", "anything", "zeros");
    }
    if (both("accumulate") && declared_.accumulate && !probed_.accumulate) {
      disagree("accumulate", "true", "that it does not add");
    }
  }

  void compare_subnormals() {
    if (!both("subnormals")) { return; }
    const auto compare = [&](const char* what, const std::vector<Format>& promised,
                             const std::vector<Format>& found) {
      for (const Format format : found) {
        if (std::ranges::count(promised, format) > 0) { continue; }
        disagree("subnormals", fmt::format("of {} {} kept", name(format), what),
                 "that they become zero");
      }
    };
    compare("inputs", declared_.subnormals.flushed_inputs, probed_.subnormals.flushed_inputs);
    compare("outputs", declared_.subnormals.flushed_outputs, probed_.subnormals.flushed_outputs);
  }

  void compare_repeatability() {
    const auto compare = [&](std::string_view field, bool promised, bool found) {
      if (both(field) && promised && !found) { disagree(field, "true", "false"); }
    };
    compare("stream_ordered", declared_.stream_ordered, probed_.stream_ordered);
    compare("graph_capturable", declared_.graph_capturable, probed_.graph_capturable);
    compare("deterministic", declared_.deterministic, probed_.deterministic);
    compare("batch_invariant", declared_.batch_invariant, probed_.batch_invariant);
  }

  static int width(const DeclaredArithmetic& arithmetic) {
    if (arithmetic.kind == DeclaredArithmetic::Kind::kTensorCore) { return arithmetic.out_bits; }
    if (arithmetic.partials == "bf16") { return 7; }
    return arithmetic.partials == "fp16" ? 10 : 23;
  }
  static std::string text_of(const DeclaredArithmetic& arithmetic) {
    std::string text = arithmetic.kind == DeclaredArithmetic::Kind::kFma ? "fp32 multiply-add"
                       : arithmetic.is_int32()
                           ? "int32 sums"
                           : fmt::format("steps of {} products, {} fraction bits, {} kept",
                                         arithmetic.products_per_step, arithmetic.fraction_bits,
                                         arithmetic.out_bits);
    if (arithmetic.splits > 1) { text += fmt::format(", {} partial sums", arithmetic.splits); }
    if (arithmetic.partials != "fp32") { text += " in " + arithmetic.partials; }
    if (arithmetic.ascending) { text += ", k ascending"; }
    if (arithmetic.int32_sums && !arithmetic.is_int32()) { text += ", int32 of integers"; }
    return text;
  }
  void compare_arithmetic() {
    const DeclaredArithmetic& promised = declared_.arithmetic;
    const DeclaredArithmetic& found = probed_.arithmetic;
    if (!both("arithmetic") || promised.kind == DeclaredArithmetic::Kind::kUndeclared) { return; }
    const bool narrower = width(found) < width(promised);
    // A single chain is promised bit for bit.
    const bool other_chain =
        promised.ascending && (!found.ascending || promised.kind != found.kind ||
                               (found.kind == DeclaredArithmetic::Kind::kTensorCore &&
                                (promised.products_per_step != found.products_per_step ||
                                 promised.fraction_bits != found.fraction_bits)));
    if (narrower || other_chain || (promised.int32_sums && !found.int32_sums)) {
      disagree("arithmetic", text_of(promised), text_of(found));
    }
  }

  const Manifest& declared_;
  const Manifest& probed_;
  const ProbeReport& report_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> disagreements(const Manifest& declared, const ProbeReport& report) {
  return Comparison(declared, report).all();
}

}  // namespace assay
