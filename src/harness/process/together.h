// Runs work in several threads that begin at the same time.
#pragma once

#include <cstddef>
#include <functional>

#include "src/core/error.h"

namespace assay {

// Calls body(i) for i in [0, count), each in a thread of its own, once all threads are there; each
// calls thread_started first (may be null). Errors (a shortage): the system gives no more threads;
// then no body was called.
Status call_together(std::size_t count, void (*thread_started)(),
                     const std::function<void(std::size_t)>& body);

// What is said where the system gives no thread to the harness itself.
Error no_thread();

}  // namespace assay
