#include "src/core/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

// A device or a pipe: written to, never replaced by a file.
bool is_stream(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error) &&
         !std::filesystem::is_directory(path, error);
}

// `-`, or what stdout goes to by another name: in its place a file would hide the rest.
bool is_stdout(const std::string& path) {
  struct stat named {
  }, open{};
  return path == "-" || (::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &open) == 0 &&
                         named.st_dev == open.st_dev && named.st_ino == open.st_ino);
}

// The file itself: links to it stay.
std::string target_of(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

std::string temporary_of(const std::string& path) {
  return path + "." + std::to_string(::getpid()) + ".part";
}

}  // namespace

Status for_each_piece(const std::string& path, const std::function<void(std::string_view)>& take) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return make_error("cannot read '" + path + "': it is a folder");
  }
  if (std::filesystem::is_character_file(path, error)) {  // it may never end
    return make_error("cannot read '" + path + "': it is a device");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) { return make_error("cannot read '" + path + "': " + std::strerror(errno)); }
  std::string piece(kPiece, '\0');
  while (stream) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (stream.bad()) { return make_error("cannot read '" + path + "': " + std::strerror(errno)); }
    take(std::string_view(piece).substr(0, static_cast<std::size_t>(stream.gcount())));
  }
  return {};
}

Result<std::string> read_file(const std::string& path) {
  std::string text;
  const Status status = for_each_piece(path, [&](std::string_view piece) { text += piece; });
  ASSAY_TRY(status);
  return text;
}

Status write_file(const std::string& path, const std::string& text) {
  if (is_stdout(path)) {
    const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return whole && std::fflush(stdout) == 0 ? Status{} : make_error("cannot write to stdout");
  }
  const std::string target = target_of(path);
  const bool in_place = is_stream(path);
  const std::string temporary = in_place ? target : temporary_of(target);
  std::ofstream stream(temporary, std::ios::binary);
  stream << text;
  stream.close();
  if (stream && (in_place || std::rename(temporary.c_str(), target.c_str()) == 0)) { return {}; }
  const std::string reason = std::strerror(errno);
  if (!in_place) { std::remove(temporary.c_str()); }
  return make_error("cannot write '" + path + "': " + reason);
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && ::access(path.c_str(), W_OK) == 0) { return {}; }
  return make_error("cannot write into the folder '" + path +
                    "': " + (error ? error.message() : "no permission"));
}

Status can_write_file(const std::string& path) {
  if (is_stdout(path)) { return {}; }
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) {
    return make_error("cannot write '" + path + "': expected a file or -");
  }
  if (is_stream(path)) {
    if (::access(path.c_str(), W_OK) == 0) { return {}; }
    return make_error("cannot write '" + path + "': " + std::strerror(errno));
  }
  const std::string temporary = temporary_of(target_of(path));
  std::ofstream stream(temporary, std::ios::binary);
  const bool open = stream.is_open();
  const std::string reason = std::strerror(errno);
  stream.close();
  if (!open) { return make_error("cannot write '" + path + "': " + reason); }
  std::remove(temporary.c_str());
  return {};
}

}  // namespace assay
