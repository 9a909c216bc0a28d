// PathFile: writes a new file.

#include "os/path_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::tui {

namespace {

std::string cannot_write(int error) {
  return "cannot write the file: " + std::generic_category().message(error);
}

// Returns an error number, or 0.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = base::retry([&] { return ::write(file, text.data(), text.size()); });
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

std::string write_paths(const std::string& file, std::span<const std::string> paths) {
  base::Fd output(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!output) return cannot_write(errno);
  std::string text;
  for (const std::string& path : paths) text.append(path).push_back('\0');
  int error = write_all(output.get(), text);
  const int late = output.close();
  if (error == 0) error = late;
  if (error == 0) return "";
  ::unlink(file.c_str());  // the last path may be cut off, and name a directory above
  return cannot_write(error);
}

std::string whole_path(const std::string& file) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  return error ? file : whole.string();
}

}  // namespace fathom::tui
