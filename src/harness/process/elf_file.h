// ElfFile: what an ELF file says of itself and of the libraries that it asks for, read without
// loading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace assay {

struct ElfFile {
  std::string build_id{};              // GNU's, in hexadecimal; empty where there is none
  std::string soname{};                // as the loader looks it up; empty where there is none
  std::vector<std::string> needed{};   // sonames
  std::vector<std::string> folders{};  // of DT_RUNPATH and DT_RPATH, $ORIGIN not yet replaced
};

// All empty where the file is not 64-bit ELF of this machine's byte order, damaged or unreadable.
ElfFile read_elf(const std::string& path);

// GNU's build id in a segment of notes; empty where it holds none.
std::string build_id_in(std::span<const std::byte> notes);

}  // namespace assay
