// Reference quantisers: real numbers as codes and the scales of their blocks, as the kernels before
// a product make them.
//
//   scale   fp32: amax / largest code. e8m0: 2^(floor(log2 amax) - exponent of the largest code)
//           (OCP MX v1.0, section 6.3). e4m3: amax / largest code, rounded to nearest, no zero.
//           1 for a block of zeros.
//   tensor  of nv: amax of all of x or y, or of an expert's w, / (448 * largest code), in fp32; a
//           block's scale is then that of numbers divided by it
//   code    number / scale, rounded to nearest even once, beyond the largest code to that
#pragma once

#include "src/problem/problem.h"

namespace assay {

// Of a block whose largest magnitude is amax, finite.
std::uint32_t quantising_scale(ScaleFormat format, Format codes, double amax);
// Beside blocks' scales in e4m3, of a tensor whose largest magnitude is amax.
float quantising_tensor_scale(Format codes, double amax);
std::uint32_t quantised_code(Format format, double number, double scale);

// Whether the case has the codes and scales of real numbers there: fill=normal with scales.
bool is_quantised(const CaseSpec& spec, Role role);
// Codes and scales of `real`, which has the operand's layout and needs no scales. Requires:
// is_quantised(spec, role).
void quantise(const CaseSpec& spec, Role role, const DenseOperand& real, Problem& problem);

}  // namespace assay
