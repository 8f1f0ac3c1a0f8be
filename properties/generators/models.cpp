// The generators whose cases have the shapes of public models.
#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "properties/generators/draw.h"
#include "properties/generators/generator.h"
#include "properties/generators/model_table.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

// What a case may cost. A naive kernel on one core makes some 10^9 multiply-adds a second and runs
// each case twice: 40 ms.
constexpr Index kMostProducts = 20'000'000;
// Of all weights: they are made, placed and compared several times over.
constexpr Index kMostWeightBytes = Index{32} << 20;
// Of one side of a matrix cut by tensor parallelism; models are hardly cut further.
constexpr Index kLeastSide = 1024;
constexpr Index kElementBytes = 4;  // at most

struct Product {
  Index k, n;
};

Product product_of(const ModelShape& model, bool up) {
  return up ? Product{model.hidden, 2 * model.ffn} : Product{model.ffn, model.hidden};
}

void set_shape(CaseSpec& spec, const Manifest& manifest, const Product& product) {
  spec.k = to_multiple(product.k, manifest.k_multiple);
  spec.n = to_multiple(product.n, manifest.n_multiple);
}

// `rows` rows dealt out to `experts`, some of which take far more than others.
std::vector<Index> deal(Rng& rng, Index rows, Index experts) {
  std::vector<Index> counts(experts, 0);
  for (Index row = 0; row < rows; ++row) {
    const Index favoured = rng.below(experts);
    ++counts[rng.chance(1, 3) ? favoured : rng.below(favoured + 1)];
  }
  rng.shuffle(counts);
  return counts;
}

// As many rows of a few experts as a case may have at these k and n.
void deal_few_rows(CaseSpec& spec, Rng& rng) {
  const Index elements = spec.k * spec.n;
  const Index most_experts = std::clamp<Index>(kMostWeightBytes / (elements * kElementBytes), 1, 4);
  const Index most_rows = std::clamp<Index>(kMostProducts / elements, 1, 16);
  spec.rows = deal(rng, rng.between(1, most_rows), rng.between(1, most_experts));
}

// K and N of the model, its feed-forward side cut, as among GPUs, until that is affordable.
void draw_whole_matrices(CaseSpec& spec, Rng& rng, const Manifest& manifest,
                         const ModelShape& model, bool up) {
  Product product = product_of(model, up);
  Index& cut = up ? product.n : product.k;
  while (product.k * product.n * kElementBytes > kMostWeightBytes && cut >= 2 * kLeastSide) {
    cut /= 2;
  }
  set_shape(spec, manifest, product);
  deal_few_rows(spec, rng);
}

// The same with powers of two and their neighbours.
void draw_powers(CaseSpec& spec, Rng& rng, const Manifest& manifest, const ModelShape&, bool up) {
  const Index larger = Index{1} << rng.between(10, 13);
  const Index most = kMostWeightBytes / kElementBytes / larger;
  const Index other = std::min(most, Index{1} << rng.between(9, 12));
  const Product product{(up ? larger : other) + rng.between(-1, 1),
                        (up ? other : larger) + rng.between(-1, 1)};
  set_shape(spec, manifest, product);
  deal_few_rows(spec, rng);
}

// All experts of the model, its K and N divided by a power of two until that is affordable.
void draw_whole_routing(CaseSpec& spec, Rng& rng, const Manifest& manifest, const ModelShape& model,
                        bool up, Index rows, Index most_bytes) {
  const Index experts =
      manifest.max_experts > 0 ? std::min(manifest.max_experts, model.experts) : model.experts;
  spec.rows = deal(rng, rows, experts);
  Product product = product_of(model, up);
  while (product.k * product.n * std::max(rows, Index{1}) > kMostProducts ||
         product.k * product.n * experts * kElementBytes > most_bytes) {
    product.k = std::max<Index>(1, product.k / 2);
    product.n = std::max<Index>(1, product.n / 2);
  }
  set_shape(spec, manifest, product);
}

void draw_few_tokens(CaseSpec& spec, Rng& rng, const Manifest& manifest, const ModelShape& model,
                     bool up) {
  const Index rows = model.top_k * rng.between(1, 4);
  draw_whole_routing(spec, rng, manifest, model, up, rows, kMostWeightBytes / 8);
}

void draw_many_tokens(CaseSpec& spec, Rng& rng, const Manifest& manifest, const ModelShape& model,
                      bool up) {
  constexpr Index kTokens = 8192;
  draw_whole_routing(spec, rng, manifest, model, up, kTokens, kMostWeightBytes / 8);
}

using DrawKind = void (*)(CaseSpec& spec, Rng& rng, const Manifest& manifest,
                          const ModelShape& model, bool up);
constexpr DrawKind kKinds[] = {draw_whole_matrices, draw_few_tokens, draw_powers, draw_many_tokens};

}  // namespace

// Each width comes once before any comes again, then as another pass's or the other side's.
CaseSpec nth_of_model_widths(Rng& rng, const Manifest& manifest, Index index) {
  static const std::vector<Index> kWidths = all_model_widths();
  const Index number = index % std::ssize(kWidths), round = index / std::ssize(kWidths);
  CaseSpec spec = draw_frame(rng, manifest);
  set_nth_pass(spec, manifest, number + round);
  spec.k = draw_size(rng, 1, 24, manifest.k_multiple);
  spec.n = draw_size(rng, 1, 24, manifest.n_multiple);
  const bool is_k = (number + round / std::ssize(manifest.passes)) % 2 == 0;
  Index& wide = is_k ? spec.k : spec.n;
  wide = to_multiple(kWidths[number], is_k ? manifest.k_multiple : manifest.n_multiple);
  spec.rows = deal(rng, rng.between(1, 6), rng.between(1, 3));
  settle_layout(spec, rng, manifest);
  return spec;
}

// Each model comes once before any comes again, then as another kind; once it has come as every
// kind, in another pass; and once in every pass, on the other side of the experts.
CaseSpec nth_of_model_shapes(Rng& rng, const Manifest& manifest, Index index) {
  const std::span<const ModelShape> models = all_model_shapes();
  const Index model = index % std::ssize(models), round = index / std::ssize(models);
  constexpr Index kKindCount = std::ssize(kKinds);
  const Index block = model / kKindCount, turn = round / kKindCount;
  CaseSpec spec = draw_frame(rng, manifest);
  set_nth_pass(spec, manifest, block + turn);
  const bool up = (block + turn / std::ssize(manifest.passes)) % 2 == 0;
  kKinds[(model + round) % kKindCount](spec, rng, manifest, models[model], up);
  settle_layout(spec, rng, manifest);
  return spec;
}

}  // namespace assay
