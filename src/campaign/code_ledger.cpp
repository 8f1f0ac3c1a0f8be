#include "src/campaign/code_ledger.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/campaign/artifact.h"
#include "src/core/digest.h"
#include "src/core/text.h"
#include "src/harness/process/elf_file.h"

namespace assay {
namespace {

using FileKind = LoadedFile::Kind;
using RowKind = CodeRow::Kind;

constexpr std::size_t kQuotedDigits = 12;  // of a digest
constexpr std::time_t kCoarsestClock = 2;  // seconds, of the file systems there are

Status refuse_replaced(const std::string& path, const std::string& how) {
  return make_error(fmt::format(
      "file {} was replaced while it was tested: {}; this run says nothing about either, run it "
      "again",
      quote(path), how));
}

RowKind kind_of(const LoadedFile& file) {
  switch (file.kind) {
    case FileKind::kHarness:
      return RowKind::kHarness;
    case FileKind::kInterpreter:
      return RowKind::kInterpreter;
    case FileKind::kModule:
      return RowKind::kModule;
    case FileKind::kPackage:
      return RowKind::kPackage;
    case FileKind::kMapped:
      break;
  }
  return is_of_the_system(file.path) ? RowKind::kSystem : RowKind::kLibrary;
}

// The kernel's own file, and where other files are named from.
class Home {
 public:
  explicit Home(const std::string& kernel) : file_(artifact_file(kernel)) {
    if (file_.empty()) { return; }
    std::error_code error;
    for (const auto& path : {std::filesystem::absolute(file_, error).lexically_normal(),
                             std::filesystem::canonical(file_, error)}) {
      if (path.has_parent_path()) { folders_.push_back(path.parent_path().string() + "/"); }
    }
  }

  bool is_artifact(const std::string& path) const {
    std::error_code error;
    return !file_.empty() && std::filesystem::equivalent(path, file_, error);
  }
  // The path from the kernel's folder, or from the one that packages are installed in.
  std::string name_of(const std::string& path) const {
    std::string name = path;
    for (const std::string& folder : folders_) {
      if (path.starts_with(folder) && name == path) { name = path.substr(folder.size()); }
    }
    for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
      if (const std::size_t at = name.rfind(folder); at != std::string::npos) {
        name = name.substr(at + folder.size());
      }
    }
    return name.starts_with('/') ? std::filesystem::path(path).filename().string() : name;
  }

 private:
  std::string file_;
  std::vector<std::string> folders_;
};

}  // namespace

bool is_of_the_system(const std::string& path) {
  constexpr std::array<std::string_view, 4> kFolders = {"/lib/", "/lib64/", "/usr/lib/",
                                                        "/usr/lib64/"};
  return std::ranges::any_of(kFolders, [&](auto folder) { return path.starts_with(folder); });
}

CodeLedger::Stamp CodeLedger::stamp_of(const struct stat& found) {
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .modified = {found.st_mtim.tv_sec, found.st_mtim.tv_nsec},
          .changed = {found.st_ctim.tv_sec, found.st_ctim.tv_nsec},
          .settled = found.st_ctim.tv_sec + kCoarsestClock < std::time(nullptr)};
}

Result<CodeLedger::Entry> CodeLedger::digest(const LoadedFile& file) {
  Entry entry{.file = file, .row = {.kind = kind_of(file), .version = file.version}};
  struct stat found {};
  if (::stat(file.path.c_str(), &found) != 0) {
    return tl::unexpected(refuse_replaced(file.path, std::strerror(errno)).error());
  }
  entry.regular = S_ISREG(found.st_mode);
  if (!entry.regular) { return entry; }
  entry.stamp = stamp_of(found);
  // An interpreter's modules say nothing of themselves.
  const bool mapped = file.kind != FileKind::kModule && file.kind != FileKind::kPackage;
  const ElfFile elf = mapped ? read_elf(file.path) : ElfFile{};
  // The same build may have taken its own place, as caches of compiled kernels do.
  if (file.replaced && (file.build_id.empty() || file.build_id != elf.build_id)) {
    return tl::unexpected(
        refuse_replaced(file.path, "what a worker has loaded is no longer there").error());
  }
  if (entry.row.kind == RowKind::kSystem) {
    entry.row.name = elf.soname;
    entry.row.build_id = elf.build_id;
    if (!elf.build_id.empty()) { return entry; }
  }
  auto sha256 = sha256_of_file(file.path);
  ASSAY_TRY(sha256);
  entry.row.sha256 = std::move(*sha256);
  return entry;
}

// Whether the file is still the one of the entry.
Status CodeLedger::confirm(Entry& entry) {
  struct stat found {};
  const LoadedFile& file = entry.file;
  if (!file.replaced && entry.stamp.settled && ::stat(file.path.c_str(), &found) == 0 &&
      entry.stamp == stamp_of(found)) {
    return {};
  }
  auto now = digest(file);
  ASSAY_TRY(now);
  for (const auto& [what, before, after] :
       {std::tuple{"sha256", entry.row.sha256, now->row.sha256},
        std::tuple{"build id", entry.row.build_id, now->row.build_id}}) {
    if (before != after) {
      return refuse_replaced(
          file.path, fmt::format("its {} was {}..., now it is {}...", what,
                                 before.substr(0, kQuotedDigits), after.substr(0, kQuotedDigits)));
    }
  }
  entry.stamp = now->stamp;
  return {};
}

Result<bool> CodeLedger::note(const LoadedFile& file) {
  const auto known = entries_.find(file.path);
  if (known == entries_.end()) {
    auto entry = digest(file);
    ASSAY_TRY(entry);
    entries_.emplace(file.path, std::move(*entry));
    return true;
  }
  Entry& entry = known->second;
  entry.file.replaced = file.replaced;
  entry.file.build_id = file.build_id;
  ASSAY_TRY(confirm(entry));
  // An interpreter is mapped, and then says its version.
  if (file.version.empty() || file.version == entry.row.version) { return false; }
  entry.row.version = file.version;
  return true;
}

Status CodeLedger::note_all(const std::vector<LoadedFile>& files) {
  bool grew = false;
  for (const LoadedFile& file : files) {
    const auto added = note(file);
    ASSAY_TRY(added);
    grew = grew || *added;
  }
  return grew ? tell() : Status{};
}

Status CodeLedger::tell() const { return grown_ ? grown_(list()) : Status{}; }

CodeList CodeLedger::list() const {
  const Home home(kernel_);
  CodeList code{.not_asked = not_asked_};
  std::map<CodeRow, std::vector<std::string>> packages;  // without digest and files
  for (const auto& [path, entry] : entries_) {
    if (!entry.regular) { continue; }
    CodeRow row = entry.row;
    if (home.is_artifact(path)) {
      row.kind = RowKind::kArtifact;
    } else if (!entry.file.package.empty()) {
      packages[{.kind = row.kind, .name = entry.file.package, .version = row.version}].push_back(
          row.sha256);
      continue;
    }
    if (row.name.empty()) { row.name = home.name_of(path); }
    code.rows.push_back(std::move(row));
  }
  for (auto& [package, digests] : packages) {
    std::ranges::sort(digests);
    CodeRow& row = code.rows.emplace_back(package);
    row.sha256 = sha256_hex(fmt::format("{}\n", fmt::join(digests, "\n")));
    row.files = static_cast<Index>(digests.size());
  }
  std::ranges::sort(code.rows);
  code.rows.erase(std::unique(code.rows.begin(), code.rows.end()), code.rows.end());
  for (const auto& [who, other] : elsewhere_) { code = joined(code, other); }
  return code;
}

Status CodeLedger::ask(Session& session) {
  const auto files = session.loaded_code();
  ASSAY_TRY(files);
  const std::scoped_lock lock(mutex_);
  return *files ? note_all(**files) : Status{};
}

Status CodeLedger::take(const std::string& who, const CodeList& code) {
  const std::scoped_lock lock(mutex_);
  if (const auto why = contradiction(list(), code)) {
    return make_error(fmt::format("{} runs other code than rank 0: different {}", who, *why));
  }
  CodeList told{.rows = code.rows};
  for (const std::string& gap : code.not_asked) {
    told.not_asked.push_back(fmt::format("{}: {}", who, gap));
  }
  std::ranges::sort(told.not_asked);
  if (!(elsewhere_[who] == told)) {
    elsewhere_[who] = std::move(told);
    return tell();
  }
  return {};
}

Result<CodeList> CodeLedger::close(const std::vector<Session*>& sessions) {
  bool asked = false;
  for (Session* const session : sessions) {
    const auto files = session->loaded_code();
    ASSAY_TRY(files);
    asked = asked || *files;
    if (!*files) { continue; }
    ASSAY_TRY(note_all(**files));
  }
  for (auto& [path, entry] : entries_) { ASSAY_TRY(confirm(entry)); }
  if (asked) { return list(); }
  not_asked_.emplace_back("no worker could be asked at the end of the run");
  ASSAY_TRY(tell());
  return list();
}

}  // namespace assay
