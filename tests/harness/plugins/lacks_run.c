#include "tests/harness/plugins/naive.h"

NAIVE_MANIFEST("")
