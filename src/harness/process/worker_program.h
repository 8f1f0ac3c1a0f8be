// The worker's command line, for the program assay-worker and for one that stands in for it.
#pragma once

namespace assay {

// assay-worker KERNEL --fd N. Ends the process.
int worker_program(int count, char** arguments);

}  // namespace assay
