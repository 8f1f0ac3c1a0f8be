#!/bin/sh
# Runs a compiler and fails where ptxas reports spills, a stack frame, or products that wait for one
# another (C7508 to C7520): a kernel that is right and slow. Hides ptxas' other remarks.
log=$("$@" 2>&1)
status=$?
bad='\(C75(0[89]|1[0-9]|20)\)|[1-9][0-9]* bytes (stack frame|spill)'
printf '%s\n' "$log" | grep -v '^ptxas info  *: \(Used\|Compil\|Function\|[0-9]* bytes gmem\)' |
  grep -v '^ *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads$' | grep -v '^$' >&2
if [ $status -eq 0 ] && printf '%s\n' "$log" | grep -Eq "$bad"; then
  echo 'checked_nvcc: ptxas reports spills or serialized products' >&2
  exit 1
fi
exit $status
