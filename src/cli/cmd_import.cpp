// assay import: case lines from files that people have of their routings and shapes.
#include <fmt/format.h>

#include "src/cli/command.h"
#include "src/core/counted.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/import/import.h"
#include "src/problem/case_text.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

struct ImportWords {
  std::vector<std::string> files;
  std::string passes, in, out, offsets, weights, fill;
  ImportOptions import;
};

void define(CLI::App& app, ImportWords& options) {
  std::vector<std::string> forms;
  for (const ImportFormName& form : import_form_names()) { forms.emplace_back(form.name); }
  app.add_option("FILE", options.files, "files of routings or shapes, or - for stdin")->required();
  app.add_option("--as", options.import.as, "the files' form; default: the content tells")
      ->check(one_of(forms));
  app.add_option("--k", options.import.k, "K, of a file that does not say it")
      ->check(whole_number(1, kMaxWidth));
  app.add_option("--n", options.import.n, "N, of a file that does not say it")
      ->check(whole_number(1, kMaxWidth));
  app.add_option("--experts", options.import.experts, "experts, of a file that does not say it")
      ->check(whole_number(1, kMaxExperts));
  app.add_option("--top-k", options.import.top_k, "experts of a token, where a file counts tokens")
      ->check(whole_number(1, kMaxExperts))
      ->capture_default_str();
  app.add_option("--pass", options.passes, "passes with commas: fwd,dgrad,wgrad; default: fwd");
  app.add_option("--in", options.in,
                 "formats of the inputs, as e4m3/block128; default: the file's, or bf16");
  app.add_option("--out", options.out, "format of the output; default: the file's, or the inputs'");
  app.add_option("--offsets", options.offsets, "convention, as ends or indptr:i64");
  app.add_option("--weights", options.weights, "enk or ekn");
  app.add_option("--fill", options.fill, "values of the operands: integers, normal, ...");
}

// The words that a case has too, read as a case reads them.
Status read_case_words(const ImportWords& options, ImportOptions& import) {
  std::string text = "k=2 n=2 rows=1";  // codes of 4 bits are pairs
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) { text += fmt::format(" {}={}", key, value); }
  };
  add("in", options.in);
  add("offsets", options.offsets);
  add("weights", options.weights);
  add("fill", options.fill);
  if (!options.out.empty()) {
    add("out", options.out);
  } else if (!options.in.empty()) {
    add("out", "fp32");  // any input may have it
  }
  std::vector<std::string_view> passes = split_outside_parentheses(options.passes, ',');
  for (const std::string_view pass : passes) {
    const auto spec = parse_case(fmt::format("pass={} {}", pass.empty() ? "fwd" : pass, text));
    ASSAY_TRY(spec);
    if (!pass.empty()) { import.passes.push_back(spec->pass); }
    if (!options.in.empty()) { import.in = spec->in; }
    if (!options.out.empty()) { import.out = spec->out; }
    if (!options.offsets.empty()) { import.offsets = spec->offsets; }
    if (!options.weights.empty()) { import.weights = spec->weights; }
    import.fill = spec->fill;
  }
  return {};
}

}  // namespace

int run_import(const Words& words) {
  CLI::App app("Makes case lines of recorded routings and lists of shapes.", "import");
  ImportWords options;
  define(app, options);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  ASSAY_TRY_INPUT(app, read_case_words(options, options.import));
  std::string lines;
  for (const std::string& file : options.files) {
    const std::string name = file == "-" ? "stdin" : file;
    const auto text = read_file(file == "-" ? "/dev/stdin" : file);
    ASSAY_TRY_INPUT(app, text);
    const auto imported = import_cases(*text, one_line(name), options.import);
    ASSAY_TRY_INPUT(app, imported);
    lines += case_lines(*imported);
    fmt::print(stderr, "assay import: {}: {} of form {}\n", one_line(name),
               counted(static_cast<Index>(imported->cases.size()), "case"), imported->form);
    for (const std::string& note : imported->notes) { fmt::print(stderr, "  {}\n", note); }
  }
  fmt::print("{}", lines);
  return kExitPassed;
}

}  // namespace assay
