#include "src/harness/process/elf_file.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <optional>
#include <string_view>

namespace assay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of notes or dynamic entries
constexpr std::size_t kLongestName = 4096;

class ElfReader {
 public:
  explicit ElfReader(const std::string& path) : stream_(path, std::ios::binary) {}

  ElfFile read();

 private:
  template <class T>
  bool take(std::uint64_t at, T* to, std::size_t count) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(at));
    stream_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T)));
    return stream_.good();
  }
  template <class T>
  std::vector<T> table(std::uint64_t at, std::uint64_t bytes) {
    std::vector<T> rows(std::min<std::uint64_t>(bytes, kMostBytes) / sizeof(T));
    if (!take(at, rows.data(), rows.size())) { rows.clear(); }
    return rows;
  }
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::string text_at(std::uint64_t offset);
  void read_dynamic(const Elf64_Phdr& segment, ElfFile& file);

  std::ifstream stream_;
  std::vector<Elf64_Phdr> segments_;
};

std::optional<std::uint64_t> ElfReader::offset_of(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

// Up to its null byte, which the file may end before.
std::string ElfReader::text_at(std::uint64_t offset) {
  std::string text;
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  for (char letter; text.size() < kLongestName && stream_.get(letter) && letter != '\0';) {
    text += letter;
  }
  return text;
}

void add_folders(std::string_view list, std::vector<std::string>& folders) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) { folders.emplace_back(list.substr(0, end)); }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

void ElfReader::read_dynamic(const Elf64_Phdr& segment, ElfFile& file) {
  const auto entries = table<Elf64_Dyn>(segment.p_offset, segment.p_filesz);
  const auto names = std::ranges::find(entries, DT_STRTAB, &Elf64_Dyn::d_tag);
  if (names == entries.end()) { return; }
  const auto base = offset_of(names->d_un.d_ptr);
  if (!base) { return; }
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) { return; }
    const auto text = [&] { return text_at(*base + entry.d_un.d_val); };
    if (entry.d_tag == DT_SONAME) { file.soname = text(); }
    if (entry.d_tag == DT_NEEDED) { file.needed.push_back(text()); }
    if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) { add_folders(text(), file.folders); }
  }
}

ElfFile ElfReader::read() {
  ElfFile file;
  Elf64_Ehdr header{};
  constexpr unsigned char kOrder =
      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  const bool fits = take(0, &header, 1) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                    header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == kOrder &&
                    header.e_phentsize == sizeof(Elf64_Phdr);
  if (!fits) { return file; }
  segments_ = table<Elf64_Phdr>(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_NOTE && file.build_id.empty()) {
      file.build_id = build_id_in(table<std::byte>(segment.p_offset, segment.p_filesz));
    }
    if (segment.p_type == PT_DYNAMIC) { read_dynamic(segment, file); }
  }
  return file;
}

}  // namespace

ElfFile read_elf(const std::string& path) { return ElfReader(path).read(); }

std::string build_id_in(std::span<const std::byte> notes) {
  constexpr std::string_view kOwner{"GNU\0", 4};
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const std::size_t name = padded(note.n_namesz), content = padded(note.n_descsz);
    if (name > notes.size() || content > notes.size() - name) { return {}; }
    const bool ours = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == kOwner.size() &&
                      std::memcmp(notes.data(), kOwner.data(), kOwner.size()) == 0;
    if (ours) {
      constexpr std::string_view kHex = "0123456789abcdef";
      std::string text;
      for (const std::byte byte : notes.subspan(name, note.n_descsz)) {
        text += kHex[std::to_integer<std::size_t>(byte >> 4)];
        text += kHex[std::to_integer<std::size_t>(byte & std::byte{15})];
      }
      return text;
    }
    notes = notes.subspan(name + content);
  }
  return {};
}

}  // namespace assay
