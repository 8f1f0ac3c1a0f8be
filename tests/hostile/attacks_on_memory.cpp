// Reads and writes where a kernel has none to make, at once or later.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "tests/hostile/attacks.h"

namespace hostile {
namespace {

constexpr float kOther = 1e30F;

float* data_of(const assay_tensor* tensor) { return static_cast<float*>(tensor->data); }

float* end_of(const assay_tensor* tensor) {
  return data_of(tensor) + tensor->shape[0] * tensor->strides[0];
}

char* page_of(const void* address) {
  constexpr std::uintptr_t kPage = 4096;
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(address) & ~(kPage - 1));
}

bool has_output(const assay_call* call) {
  return call->pass == ASSAY_WGRAD ? call->experts > 0 : call->rows > 0;
}

int writes_past_the_end(const assay_call* call) {
  const int status = multiply(call);
  end_of(call->y)[3] = kOther;
  return status;
}

int reads_past_the_end(const assay_call* call) {
  const volatile float read = end_of(call->x)[8];
  static_cast<void>(read);
  return multiply(call);
}

int changes_an_input(const assay_call* call) {
  const int status = multiply(call);
  if (call->pass == ASSAY_FWD && call->rows > 0) data_of(call->x)[0] += 1;
  return status;
}

int changes_the_offsets(const assay_call* call) {
  const int status = multiply(call);
  if (call->experts > 0) static_cast<std::int32_t*>(call->offsets->data)[0] += 1;
  return status;
}

int changes_an_input_and_restores_it(const assay_call* call) {
  if (call->pass == ASSAY_FWD && call->rows > 0) {
    volatile float* const x = data_of(call->x);
    const float kept = *x;
    *x = kOther;
    *x = kept;
  }
  return multiply(call);
}

int borrows_the_weights(const assay_call* call) {
  if (call->pass == ASSAY_WGRAD || call->experts == 0) return multiply(call);
  volatile float* const w = data_of(call->w);
  const float kept = *w;
  *w = kOther;
  usleep(200);
  *w = kept;
  return multiply(call);
}

int changes_the_call(const assay_call* call) {
  const int status = multiply(call);
  auto* const changed = const_cast<assay_call*>(call);
  changed->rows = 0;
  changed->x = nullptr;
  changed->message = nullptr;
  return status;
}

int frees_an_operand(const assay_call* call) {
  const int status = multiply(call);
  std::free(call->x->data);
  return status;
}

int unmaps_its_output(const assay_call* call) {
  const int status = multiply(call);
  munmap(page_of(output_of(call)), 4096);
  return status;
}

int opens_a_guard_page(const assay_call* call) {
  const int status = multiply(call);
  mprotect(page_of(end_of(call->y) - 1) + 4096, 4096, PROT_READ | PROT_WRITE);
  return status;
}

int answers_later(const assay_call* call) {
  assay_call copy = *call;
  std::thread([copy] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    multiply(&copy);
  }).detach();
  return ASSAY_OK;
}

int writes_again_from_a_thread(const assay_call* call) {
  const int status = multiply(call);
  if (!has_output(call)) return status;
  std::thread([output = output_of(call)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    *output = kOther;
  }).detach();
  return status;
}

int writes_again_from_a_process(const assay_call* call) {
  const int status = multiply(call);
  if (!has_output(call) || fork() != 0) return status;
  usleep(2000);
  *output_of(call) = kOther;
  _exit(0);
}

int writes_again_in_the_next_call(const assay_call* call) {
  static float* last = nullptr;
  const int status = multiply(call);
  if (last != nullptr) *last = 7;
  last = has_output(call) ? output_of(call) : nullptr;
  return status;
}

int sets_the_status_word(const assay_call* call) {
  const int status = multiply(call);
  *call->status = 1;
  return status;
}

int is_right_once(const assay_call* call) { return is_first_call() ? multiply(call) : ASSAY_OK; }

int is_wrong_now_and_then(const assay_call* call) {
  static int calls = 0;
  const int status = multiply(call);
  // Counted where it is wrong: whichever worker takes which cases, one comes to 40 of them.
  if (call->pass == ASSAY_FWD && call->rows > 0 && ++calls % 40 == 0) *output_of(call) += 1;
  return status;
}

constexpr Attack kAttacks[] = {
    {"writes_past_the_end", writes_past_the_end},
    {"reads_past_the_end", reads_past_the_end},
    {"changes_an_input", changes_an_input},
    {"changes_the_offsets", changes_the_offsets},
    {"changes_an_input_and_restores_it", changes_an_input_and_restores_it},
    {"borrows_the_weights", borrows_the_weights},
    {"changes_the_call", changes_the_call},
    {"frees_an_operand", frees_an_operand},
    {"unmaps_its_output", unmaps_its_output},
    {"opens_a_guard_page", opens_a_guard_page},
    {"answers_later", answers_later},
    {"writes_again_from_a_thread", writes_again_from_a_thread},
    {"writes_again_from_a_process", writes_again_from_a_process},
    {"writes_again_in_the_next_call", writes_again_in_the_next_call},
    {"sets_the_status_word", sets_the_status_word},
    {"is_right_once", is_right_once},
    {"is_wrong_now_and_then", is_wrong_now_and_then},
};

}  // namespace

std::span<const Attack> attacks_on_memory() { return kAttacks; }

}  // namespace hostile
