// Operations on filesystems that tests mount; each throws base::Error on failure.

#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "fathom/base/error.h"
#include "require.h"

namespace fathom::fs {

inline void mount_tmpfs(const std::string& on) {
  if (::mount("tmpfs", on.c_str(), "tmpfs", 0, "size=16m") != 0) {
    throw base::SystemError("cannot mount a tmpfs on " + on, errno);
  }
}

inline void bind_mount(const std::string& what, const std::string& on) {
  if (::mount(what.c_str(), on.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    throw base::SystemError("cannot bind " + what + " to " + on, errno);
  }
}

inline void make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0) throw base::SystemError("cannot make " + path, errno);
}

// Returns an open new file of that many bytes.
inline int open_file(const std::string& path, std::size_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) throw base::SystemError("cannot make " + path, errno);
  const std::string content(bytes, 'x');
  if (::write(file, content.data(), bytes) != static_cast<ssize_t>(bytes)) {
    throw base::Error("cannot fill " + path);
  }
  return file;
}

inline void write_file(const std::string& path, std::size_t bytes) {
  ::close(open_file(path, bytes));
}

}  // namespace fathom::fs
