// assay-worker KERNEL --fd N: runs one kernel for a driver that listens on socket N. Prints nothing
// of its own.
#include "src/harness/process/worker_program.h"

int main(int count, char** arguments) { return assay::worker_program(count, arguments); }
