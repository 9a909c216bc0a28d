// TemporaryFile: a new file in the directory of another one, which it replaces when it is complete,
// or whose name it takes if that is free.
//
// Unless it has replaced the other file, it is removed with the object, or when a signal ends the
// process. At most one object at a time.

#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "fathom/base/fd.h"
#include "run/interrupt.h"

namespace fathom::cli {

class TemporaryFile {
 public:
  enum class Access { as_any_new, own };  // by the umask; private until take_permissions()

  // Creates an empty file in the directory of the path. code() reports errors.
  TemporaryFile(const std::string& beside, Access access);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] int code() const { return code_; }  // errno of creating it, or 0

  // Copies the owner, the group and the mode, as far as the user is permitted to. Another group
  // gets no permissions.
  void take_permissions(const struct stat& from) const;

  // Each returns an errno, or 0. After replace() or take_name() has failed, only copy_to() may be
  // called.
  [[nodiscard]] int write(std::string_view text) const;
  [[nodiscard]] int replace(const std::string& target);
  // EEXIST: something has the name, and stays.
  [[nodiscard]] int take_name(const std::string& target) const;

  // Writes its contents to the descriptor.
  [[nodiscard]] int copy_to(int descriptor) const;

 private:
  int create(Access access);
  [[nodiscard]] int copy_to_new(const std::string& target) const;

  std::string path_;
  std::optional<RemovedOnSignal> removed_;
  base::Fd file_;
  int code_ = 0;
  bool replaced_ = false;
};

// A write error that the system reports only at close, as network filesystems do: an errno, or 0.
// The descriptor stays open.
[[nodiscard]] int late_error(int descriptor);

}  // namespace fathom::cli
