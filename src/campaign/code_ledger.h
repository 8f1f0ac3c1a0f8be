// CodeLedger: every file of code that the workers of a run have loaded, with its digest when it was
// loaded; at the end each must still be that file.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/campaign/code_list.h"
#include "src/core/error.h"
#include "src/harness/call/session.h"

struct stat;

namespace assay {

class CodeLedger {
 public:
  // `kernel` is as the command line names it; `grown` sees the list each time that it has grown.
  CodeLedger(std::string kernel, std::function<Status(const CodeList&)> grown)
      : kernel_(std::move(kernel)), grown_(std::move(grown)) {}

  // Asks a worker what it has loaded by now; several threads may. Errors: one line: a file that is
  // gone, or not the one that was loaded; what `grown` says.
  Status ask(Session& session);
  // What workers elsewhere have loaded. Errors also: other code than here.
  Status take(const std::string& who, const CodeList& code);
  // Asks all workers for the last time and digests all files again. Errors as `ask`.
  Result<CodeList> close(const std::vector<Session*>& sessions);

 private:
  // By which a file that nobody touched is known again.
  struct Stamp {
    std::uint64_t device = 0, inode = 0;
    std::int64_t size = 0;
    std::pair<std::int64_t, std::int64_t> modified{}, changed{};  // seconds and nanoseconds
    bool settled = false;                                         // a later change would show

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Entry {
    LoadedFile file{};
    CodeRow row{};  // its name, where it has a soname, and digest or build id
    Stamp stamp{};
    bool regular = true;
  };

  static Stamp stamp_of(const struct stat& found);
  static Result<Entry> digest(const LoadedFile& file);
  static Status confirm(Entry& entry);
  Result<bool> note(const LoadedFile& file);  // whether the list has grown
  Status note_all(const std::vector<LoadedFile>& files);
  Status tell() const;
  CodeList list() const;

  std::string kernel_;
  std::function<Status(const CodeList&)> grown_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by path
  std::map<std::string, CodeList> elsewhere_;
  std::vector<std::string> not_asked_;
};

// Whether the distribution owns what lies there.
bool is_of_the_system(const std::string& path);

}  // namespace assay
