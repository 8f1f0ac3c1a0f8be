// Source: config.json of each model on huggingface.co (num_local_experts, n_routed_experts or
// num_experts; num_experts_per_tok; hidden_size; moe_intermediate_size or intermediate_size).
#include "properties/generators/model_table.h"

#include <set>

namespace assay {
namespace {

constexpr ModelShape kModels[] = {
    {"Mixtral-8x7B-v0.1", 8, 2, 4096, 14336},
    {"DeepSeek-V3", 256, 8, 7168, 2048},
    {"Qwen3-30B-A3B", 128, 8, 2048, 768},
    {"gpt-oss-20b", 32, 4, 2880, 2880},
    {"OLMoE-1B-7B", 64, 8, 2048, 1024},
    {"GLM-4.5", 160, 8, 5120, 1536},
    {"Llama-4-Scout-17B-16E", 16, 1, 5120, 8192},
    {"Qwen2-57B-A14B", 64, 8, 3584, 2560},
    {"Kimi-K2", 384, 8, 7168, 2048},
    {"Phi-3.5-MoE", 16, 2, 4096, 6400},
    {"DBRX", 16, 4, 6144, 10752},
    {"Qwen3-235B-A22B", 128, 8, 4096, 1536},
    {"DeepSeek-V2", 160, 6, 5120, 1536},
    {"Qwen1.5-MoE-A2.7B", 60, 4, 2048, 1408},
    {"gpt-oss-120b", 128, 4, 2880, 2880},
    {"Mixtral-8x22B-v0.1", 8, 2, 6144, 16384},
    {"Llama-4-Maverick-17B-128E", 128, 1, 5120, 8192},
    {"GLM-4.5-Air", 128, 8, 4096, 1408},
    {"Qwen3-Next-80B-A3B", 512, 10, 2048, 512},
};

}  // namespace

std::span<const ModelShape> all_model_shapes() { return kModels; }

std::vector<Index> all_model_widths() {
  std::set<Index> widths;
  for (const ModelShape& model : kModels) {
    widths.insert({model.hidden, model.ffn, 2 * model.ffn});
  }
  return {widths.begin(), widths.end()};
}

}  // namespace assay
