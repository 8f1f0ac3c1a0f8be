#!/usr/bin/env bash
# gpu_kernels_changed.sh RUN: when `run test` compiles the GPU kernels and their defects.
set -euo pipefail
unset ASSAY_BASE
# shellcheck source=/dev/null
source "$1"
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

commit() {  # HOUR FILE [TEXT]
  mkdir -p "$folder/full/$(dirname "$2")"
  printf '%s\n' "${3:-$1}" >"$folder/full/$2"
  git -C "$folder/full" add .
  GIT_COMMITTER_DATE="$((1700000000 + 3600 * $1)) +0000" git -C "$folder/full" commit -qm "$2"
}

expect() {  # yes|no WHAT
  local changed=no
  if gpu_kernels_changed; then changed=yes; fi
  [[ $changed == "$1" ]] || { printf '%s: changed is %s\n' "$2" "$changed" >&2; exit 1; }
}

git init -q "$folder/full"
root=$folder/full
commit 0 src/core/index.h
expect yes "nothing older"
commit 30 README.md
expect no "another file"
commit 31 src/core/error.h
expect no "a header that no CUDA source includes"
commit 31 src/kernels/cuda/kernel.cu '#include "src/core/error.h"'
commit 32 README.md
expect yes "not the last of several commits"
ASSAY_BASE=HEAD~1 expect no "the named commit has it"
ASSAY_BASE=HEAD~2 expect yes "the named commit is before it"
git clone -q --depth 1 "file://$root" "$folder/shallow"
root=$folder/shallow expect yes "what is older is not in the clone"
git clone -q --depth 2 "file://$root" "$folder/deeper"
root=$folder/deeper expect yes "what is older is not in the clone either"
commit 60 README.md
expect no "it is more than a day old"
commit 90 src/core/error.h
expect yes "a header that one includes"
commit 120 README.md
expect no "that is more than a day old, too"
printf 'x' >"$root/src/kernels/cuda/kernel.cu"
expect yes "not committed yet"
root=/ expect yes "no repository"
