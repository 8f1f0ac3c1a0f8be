#include "src/harness/process/loaded_code.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <optional>
#include <span>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "src/core/text.h"
#include "src/harness/process/elf_file.h"

namespace assay {
namespace {

constexpr std::string_view kDeletedMark = " (deleted)";
constexpr std::array<std::string_view, 5> kKindWords = {"mapped", "harness", "interpreter",
                                                        "module", "package"};
constexpr std::string_view kUnnamed = "unnamed";

// The text up to the next separator, which goes, too.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// A path as the system lists it, with \012 for the end of a line.
std::string with_line_ends(std::string_view listed) {
  constexpr std::string_view kEscaped = "\\012";
  std::string path(listed);
  for (std::size_t at = 0; (at = path.find(kEscaped, at)) != std::string::npos; ++at) {
    path.replace(at, kEscaped.size(), "\n");
  }
  return path;
}

std::uint64_t number(std::string_view text, int base) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

// Memory that only looks like a file.
bool lies_in_no_file(std::string_view path) {
  if (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) { return true; }
  return !path.starts_with('/') || path.starts_with("/memfd:") || path.starts_with("/SYSV") ||
         path.starts_with("/anon_hugepage");
}

std::optional<CodeMapping> code_mapping(std::string_view line) {
  CodeMapping mapping;
  mapping.begin = number(take_until(line, '-'), 16);
  mapping.end = number(take_until(line, ' '), 16);
  const std::string_view rights = take_until(line, ' ');
  mapping.offset = number(take_until(line, ' '), 16);
  take_until(line, ' ');  // device
  mapping.inode = number(take_until(line, ' '), 10);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (rights.find('x') == std::string_view::npos || mapping.inode == 0 || lies_in_no_file(line)) {
    return std::nullopt;
  }
  mapping.deleted = line.ends_with(kDeletedMark);
  if (mapping.deleted) { line.remove_suffix(kDeletedMark.size()); }
  mapping.path = line;
  return mapping;
}

// A file may really be called so.
void undo_false_mark(CodeMapping& mapping) {
  const std::string whole = mapping.path + std::string(kDeletedMark);
  struct stat found {};
  if (!mapping.deleted || ::stat(whole.c_str(), &found) != 0 || found.st_ino != mapping.inode) {
    return;
  }
  mapping.path = whole;
  mapping.deleted = false;
}

// Whether the file that took the place of a deleted one has the same bytes to execute, as caches of
// compiled kernels do it when two processes compile one kernel at once.
bool lies_there_again(const CodeMapping& mapping) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::ifstream file(mapping.path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(mapping.offset));
  std::vector<char> piece(kPiece);
  std::uint64_t compared = 0;
  for (std::uint64_t at = mapping.begin; at < mapping.end && file; at += kPiece) {
    file.read(piece.data(),
              static_cast<std::streamsize>(std::min<std::uint64_t>(kPiece, mapping.end - at)));
    const auto bytes = static_cast<std::size_t>(file.gcount());
    if (std::memcmp(piece.data(), reinterpret_cast<const void*>(at), bytes) != 0) { return false; }
    compared += bytes;
  }
  // The last page of a mapping may reach past the end of its file.
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return compared > 0 && compared + page > mapping.end - mapping.begin;
}

struct BuildIdSearch {
  std::uint64_t address = 0;
  std::string found{};
};

int search_build_id(dl_phdr_info* object, std::size_t, void* data) {
  BuildIdSearch& search = *static_cast<BuildIdSearch*>(data);
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  const bool holds = std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
    const std::uint64_t begin = object->dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && search.address >= begin &&
           search.address - begin < segment.p_memsz;
  });
  if (!holds) { return 0; }
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type == PT_NOTE && search.found.empty()) {
      search.found =
          build_id_in({reinterpret_cast<const std::byte*>(object->dlpi_addr + segment.p_vaddr),
                       segment.p_memsz});
    }
  }
  return 1;
}

std::string build_id_at(std::uint64_t address) {
  BuildIdSearch search{.address = address};
  dl_iterate_phdr(search_build_id, &search);
  return search.found;
}

int take_count(dl_phdr_info* object, std::size_t, void* data) {
  *static_cast<std::uint64_t*>(data) = object->dlpi_adds;
  return 1;
}

}  // namespace

std::string loaded_text(const std::vector<LoadedFile>& files) {
  std::string text;
  for (const LoadedFile& file : files) {
    text += kKindWords[static_cast<std::size_t>(file.kind)];
    for (const std::string& word :
         {file.package, file.version, std::string(file.replaced ? "replaced" : ""), file.build_id,
          file.path}) {
      text += "\t" + word;
    }
    text += "\n";
  }
  return text;
}

std::string unnamed_text(const std::string& why) {
  return std::string(kUnnamed) + "\t\t\t\t\t" + one_line(why) + "\n";
}

Result<std::vector<LoadedFile>> parse_loaded(std::string_view text) {
  std::vector<LoadedFile> files;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const std::string_view all = line;
    const std::string_view kind = take_until(line, '\t');
    const auto word = std::ranges::find(kKindWords, kind);
    LoadedFile& file = files.emplace_back();
    file.package = take_until(line, '\t');
    file.version = take_until(line, '\t');
    file.replaced = take_until(line, '\t') == "replaced";
    file.build_id = take_until(line, '\t');
    file.path = with_line_ends(line);
    if (kind == kUnnamed) {
      return make_error("a worker cannot name the code that it ran: " + file.path);
    }
    if (word == kKindWords.end() || !line.starts_with('/')) {
      return make_error("a worker names its code in a line that is not understood: " + quote(all));
    }
    file.kind = static_cast<LoadedFile::Kind>(word - kKindWords.begin());
  }
  return files;
}

std::vector<CodeMapping> code_mappings(std::string_view maps) {
  std::vector<CodeMapping> mappings;
  while (!maps.empty()) {
    if (auto mapping = code_mapping(take_until(maps, '\n'))) {
      mappings.push_back(std::move(*mapping));
    }
  }
  return mappings;
}

std::vector<LoadedFile> mapped_code() {
  std::ostringstream maps;
  maps << std::ifstream("/proc/self/maps").rdbuf();
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  const auto here = reinterpret_cast<std::uint64_t>(&mapped_code);
  std::vector<CodeMapping> mappings = code_mappings(maps.str());
  const auto own = std::ranges::find_if(mappings, [&](const CodeMapping& mapping) {
    return here >= mapping.begin && here < mapping.end;
  });
  std::vector<LoadedFile> files;
  for (CodeMapping& mapping : mappings) {
    undo_false_mark(mapping);
    const bool replaced = mapping.deleted && !lies_there_again(mapping);
    LoadedFile file{.replaced = replaced, .path = mapping.path};
    if (file.replaced) { file.build_id = build_id_at(mapping.begin); }
    if (file.path == program) { file.kind = LoadedFile::Kind::kInterpreter; }
    if (own != mappings.end() && file.path == own->path) { file.kind = LoadedFile::Kind::kHarness; }
    // One file may be mapped in several pieces, and an old one beside its successor.
    const auto same = std::ranges::find(files, file.path, &LoadedFile::path);
    if (same == files.end()) {
      files.push_back(std::move(file));
    } else if (file.replaced) {
      *same = std::move(file);
    }
  }
  return files;
}

std::uint64_t libraries_loaded() {
  std::uint64_t count = 0;
  dl_iterate_phdr(take_count, &count);
  return count;
}

}  // namespace assay
