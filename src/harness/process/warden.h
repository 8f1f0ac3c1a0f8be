// The warden: a process above the worker that outlives it for a moment, so that nothing the kernel
// started outlives either.
#pragma once

#include <optional>

namespace assay {

// Forks, and returns nothing in the process that is to be the worker. The other one, its parent,
// takes in whatever the worker's processes leave behind (as a child subreaper), also what has a
// session of its own. It waits until the worker has ended, the driver at the other end of `socket`
// is gone, or SIGTERM comes; then it ends all of them, stopped ones too, and ends as the worker
// did: by the same signal, or with the exit status that this returns. The worker dies with its
// warden. Requires: one thread in this process.
std::optional<int> leave_to_worker(int socket);

}  // namespace assay
