#include "src/contract/tvm_ffi.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <vector>

#include <fmt/format.h>

#include "src/core/text.h"

namespace assay {
namespace {

constexpr std::string_view kPrefix = "tvmffi:";

// TVMFFIAny: a type index, four bytes of padding, and a value.
struct Any {
  std::int32_t type = 0;
  std::uint32_t padding = 0;
  union {
    std::int64_t number;
    const void* pointer;
  };
};
static_assert(sizeof(Any) == 16);
enum AnyType : std::int32_t { kNone = 0, kInt = 1, kPointer = 4, kTensor = 7 };

using Function = int (*)(void* handle, const Any* arguments, std::int32_t count, Any* result);
using SetStream = int (*)(std::int32_t device_type, std::int32_t device_id, void* stream,
                          void** before);

// TVMFFIErrorCell behind its TVMFFIObject, as far as it is read here.
struct Bytes {
  const char* data;
  std::size_t size;
};
struct RaisedError {
  std::uint64_t references;
  std::int32_t type;
  std::uint32_t padding;
  void (*deleter)(void* self, int flags);
  Bytes kind, message;
};
using TakeError = void (*)(RaisedError** error);
using Release = int (*)(RaisedError* error);

Any none() { return {kNone, 0, {0}}; }
Any number(std::int64_t value) { return {kInt, 0, {value}}; }
Any address(const void* pointer, AnyType type) {
  Any any{type, 0, {0}};
  any.pointer = pointer;
  return pointer == nullptr ? none() : any;
}

struct Argument {
  std::string_view name;
  Any (*value)(const assay_call& call);
};
constexpr Argument kArguments[] = {
    {"x", [](const assay_call& c) { return address(c.x, kTensor); }},
    {"w", [](const assay_call& c) { return address(c.w, kTensor); }},
    {"y", [](const assay_call& c) { return address(c.y, kTensor); }},
    {"offsets", [](const assay_call& c) { return address(c.offsets, kTensor); }},
    {"sizes", [](const assay_call& c) { return address(c.sizes, kTensor); }},
    {"x_scale", [](const assay_call& c) { return address(c.x_scale, kTensor); }},
    {"w_scale", [](const assay_call& c) { return address(c.w_scale, kTensor); }},
    {"y_scale", [](const assay_call& c) { return address(c.y_scale, kTensor); }},
    {"x_tensor_scale", [](const assay_call& c) { return address(c.x_tensor_scale, kTensor); }},
    {"w_tensor_scale", [](const assay_call& c) { return address(c.w_tensor_scale, kTensor); }},
    {"y_tensor_scale", [](const assay_call& c) { return address(c.y_tensor_scale, kTensor); }},
    {"bias", [](const assay_call& c) { return address(c.bias, kTensor); }},
    {"pass", [](const assay_call& c) { return number(c.pass); }},
    {"convention", [](const assay_call& c) { return number(c.convention); }},
    {"weights", [](const assay_call& c) { return number(c.weights); }},
    {"accumulate", [](const assay_call& c) { return number(c.accumulate); }},
    {"experts", [](const assay_call& c) { return number(c.experts); }},
    {"k", [](const assay_call& c) { return number(c.k); }},
    {"n", [](const assay_call& c) { return number(c.n); }},
    {"rows", [](const assay_call& c) { return number(c.rows); }},
    {"pad", [](const assay_call& c) { return number(c.pad); }},
    {"cap", [](const assay_call& c) { return number(c.cap); }},
    {"scale_layout", [](const assay_call& c) { return number(c.scale_layout); }},
    {"scale_starts", [](const assay_call& c) { return number(c.scale_starts); }},
    {"workspace", [](const assay_call& c) { return address(c.workspace, kPointer); }},
    {"stream", [](const assay_call& c) { return address(c.stream, kPointer); }},
};

// The process's one function; set once, before any call.
struct Adapted {
  Function function = nullptr;
  std::vector<const Argument*> arguments{};
  // Of libtvm_ffi, where the library depends on it.
  SetStream set_stream = nullptr;
  TakeError take_error = nullptr;
  Release release = nullptr;

  bool takes(std::string_view name) const {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const Argument* argument) { return argument->name == name; });
  }
};
Adapted adapted;

int answer(const assay_call& call, int code, const char* text) {
  std::snprintf(call.message, call.message_bytes, "%s", text);
  return code;
}

// What the function has raised, or how it returned.
std::string trouble(int status) {
  RaisedError* error = nullptr;
  if (adapted.take_error != nullptr && adapted.release != nullptr) { adapted.take_error(&error); }
  if (error == nullptr) { return fmt::format("the function returned {}", status); }
  const std::string text =
      fmt::format("{}: {}", std::string_view(error->kind.data, error->kind.size),
                  std::string_view(error->message.data, error->message.size));
  adapted.release(error);
  return text;
}

int run_adapted(const assay_call* call) {
  if (call->pass != ASSAY_FWD && !adapted.takes("pass")) {
    return answer(*call, ASSAY_UNSUPPORTED, "the function is not told the pass");
  }
  if (call->accumulate != 0 && !adapted.takes("accumulate")) {
    return answer(*call, ASSAY_UNSUPPORTED, "the function is not told to accumulate");
  }
  if (call->bias != nullptr && !adapted.takes("bias")) {
    return answer(*call, ASSAY_UNSUPPORTED, "the function is given no bias");
  }
  std::vector<Any> values;
  for (const Argument* argument : adapted.arguments) { values.push_back(argument->value(*call)); }
  const assay_device& device = call->x->device;
  if (adapted.set_stream != nullptr && device.device_type != 1) {
    adapted.set_stream(device.device_type, device.device_id, call->stream, nullptr);
  }
  Any result = none();
  const int status =
      adapted.function(nullptr, values.data(), static_cast<std::int32_t>(values.size()), &result);
  if (status == 0) { return ASSAY_OK; }
  return answer(*call, ASSAY_ERROR, trouble(status).c_str());
}

}  // namespace

bool is_tvm_ffi(std::string_view spec) { return spec.starts_with(kPrefix); }

Result<TvmFfiName> parse_tvm_ffi(const std::string& spec) {
  const auto parts = split_outside_parentheses(std::string_view(spec).substr(kPrefix.size()), ':');
  const bool named = parts.size() == 2 || parts.size() == 3;
  if (!named || parts[0].empty() || parts[1].empty()) {
    return make_error(fmt::format(
        "kernel '{}': a TVM-FFI function is written tvmffi:LIB.so:FUNCTION, or with the names of "
        "its arguments, tvmffi:LIB.so:FUNCTION:x,w,y,offsets",
        spec));
  }
  TvmFfiName name{std::string(parts[0]), std::string(parts[1])};
  if (parts.size() == 3) { name.arguments = parts[2]; }
  return name;
}

Result<assay_run_function> adapt_tvm_ffi(void* library, void* function,
                                         const std::string& arguments) {
  adapted = {.function = reinterpret_cast<Function>(function)};
  for (const std::string_view word : split_outside_parentheses(arguments, ',')) {
    const auto* const found =
        std::find_if(std::begin(kArguments), std::end(kArguments),
                     [&](const Argument& argument) { return argument.name == word; });
    if (found == std::end(kArguments)) {
      std::string allowed;
      for (const Argument& argument : kArguments) {
        allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", argument.name);
      }
      return make_error(fmt::format("argument '{}' is none of {}", word, allowed));
    }
    adapted.arguments.push_back(found);
  }
  // A handle finds what its library depends on, too.
  adapted.set_stream = reinterpret_cast<SetStream>(dlsym(library, "TVMFFIEnvSetStream"));
  adapted.take_error = reinterpret_cast<TakeError>(dlsym(library, "TVMFFIErrorMoveFromRaised"));
  adapted.release = reinterpret_cast<Release>(dlsym(library, "TVMFFIObjectDecRef"));
  return run_adapted;
}

}  // namespace assay
