// TemporaryFile: a new file beside another, whose place it takes when it is whole.
//
// It is gone with the object, or with the process if a signal ends it, unless it has replaced the
// other. At most one at a time.

#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "interrupt.h"

namespace fathom::cli {

class TemporaryFile {
 public:
  enum class Access { as_any_new, own };  // by the umask; nobody else's until permissions are taken

  // Empty, in the folder of the path. code() says whether there is one.
  TemporaryFile(const std::string& beside, Access access);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] int code() const { return code_; }  // errno of creating it, or 0

  // As far as the user may: the owner is root's to give.
  void take_permissions(const struct stat& from) const;

  // Each returns an errno, or 0. After a failure to close or to replace only copy_to() may follow.
  [[nodiscard]] int write(std::string_view text) const;
  [[nodiscard]] int replace(const std::string& target);

  // Writes all that it holds to the descriptor.
  [[nodiscard]] int copy_to(int descriptor) const;

 private:
  int create(Access access);

  std::string path_;
  std::optional<RemovedOnSignal> removed_;
  int descriptor_ = -1;
  int code_ = 0;
  bool replaced_ = false;
};

// What the system has put off telling about what was written, as network filesystems do until a
// file is closed: an errno, or 0. The descriptor stays open.
[[nodiscard]] int late_error(int descriptor);

// The part of a path up to the last slash, with it; empty when there is none.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace fathom::cli
