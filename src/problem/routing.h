// Routing generators: rows per expert, as pure functions of their parameters and a seed.
// Integer and fixed-point arithmetic only, so that every machine draws the same counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

// Expands one generator call, as `zipf(1.1,total=4096,experts=64)`:
//   balanced(total=,experts=)        equal shares, the first experts take the remainder
//   zipf(s,total=,experts=)          shares ~ rank^-s, ranks shuffled by the seed
//   dirichlet(alpha,total=,experts=) shares from a Dirichlet distribution
//   one_hot(total=,experts=[,expert=]) one expert takes all
//   mostly_empty(total=,experts=,busy=) `busy` random experts share all
//   single_rows(experts=[,busy=])    one row each (or in `busy` of them)
//   around(height,experts=)          counts drawn from height*{1,2,3} + {-1,0,1}
//   recorded(file,step,layer)        one line of a recording (recorded.h)
// Errors: unknown generator, missing, repeated or impossible parameter; the word is quoted.
Result<std::vector<Index>> expand_generator(std::string_view text, std::uint64_t seed);

}  // namespace assay
