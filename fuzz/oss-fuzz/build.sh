#!/bin/bash -eu
# Builds every fuzz target the way OSS-Fuzz asks for it: with $CC, $CXX, $CFLAGS, $CXXFLAGS and
# $LIB_FUZZING_ENGINE, from $SRC/assay, in $WORK, into $OUT: NAME, NAME_seed_corpus.zip, NAME.dict,
# NAME.options, and the shared libraries that the machine which runs them may lack in $OUT/lib.
source=$SRC/assay
build=$WORK/assay

# fmt's own library may be built on another C++ library than $CXXFLAGS asks for.
flags="$CXXFLAGS -DFMT_HEADER_ONLY"
# The judges run on every case; what they cover says nothing about the kernel.
if [[ ${FUZZING_ENGINE:-libfuzzer} == libfuzzer && ${SANITIZER:-address} != coverage ]]; then
  flags+=" -fsanitize-coverage-ignorelist=$source/fuzz/coverage_ignore.txt"
fi

# Instrumentation and optimisation are those of $CXXFLAGS alone: this build type has none.
cmake -S "$source" -B "$build" -G Ninja \
  -DCMAKE_BUILD_TYPE=OssFuzz \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" \
  -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$flags" \
  -DCMAKE_EXE_LINKER_FLAGS="-Wl,--disable-new-dtags" \
  -DCMAKE_BUILD_RPATH="\$ORIGIN/lib" \
  -DASSAY_TESTS=OFF -DASSAY_FUZZ=ON -DASSAY_FUZZ_INSTRUMENT=OFF \
  -DASSAY_FUZZ_ENGINE="$LIB_FUZZING_ENGINE"
ninja -C "$build" fuzz_targets

mkdir -p "$OUT/lib"
for program in "$build"/fuzz/fuzz_*; do
  name=$(basename "$program")
  # Of the names there, those without an extension that are not replays are fuzzers.
  [[ -f $program && -x $program && $name != *_replay && $name != *.* ]] || continue
  cp "$program" "$OUT/$name"
  (cd "$source/corpus/$name" && zip -q -r - .) >"$OUT/${name}_seed_corpus.zip"
  for extra in dict options; do
    if [[ -e $source/fuzz/$name.$extra ]]; then cp "$source/fuzz/$name.$extra" "$OUT/"; fi
  done
  ldd "$program" |
    sed -n -E 's#.* => (/.*/lib(openblas|gfortran|quadmath|gomp|fmt)\..*) \(.*#\1#p' |
    while read -r library; do cp -L "$library" "$OUT/lib/"; done
done
