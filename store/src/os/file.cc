// NewFile and OldFile: plain system calls.

#include "os/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "fathom/base/sync.h"

namespace fathom::store {

NewFile::NewFile(int folder, std::string name)
    : name_(std::move(name)), file_(base::retry([&] {
        return ::openat(folder, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        0600);
      })) {
  if (!file_) fail(errno);
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        base::retry([&] { return ::write(file_.get(), bytes.data(), bytes.size()); });
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void NewFile::finish() {
  if (const int result = base::sync_file(file_.get()); result != 0) fail(-result);
  if (const int code = file_.close(); code != 0) fail(code);
}

void NewFile::fail(int code) const {
  throw base::SystemError("cannot write " + name_, code);
}

OldFile::OldFile(int folder, const std::string& name)
    : file_(base::retry([&] {
        return ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
      })) {
  if (!file_) throw base::SystemError("cannot open " + name, errno);
  struct stat facts = {};
  if (::fstat(file_.get(), &facts) != 0) throw base::SystemError("cannot open " + name, errno);
  if (!S_ISREG(facts.st_mode)) throw base::Error(name + " is not a regular file");
  size_ = static_cast<std::uint64_t>(facts.st_size);
}

void OldFile::read(std::uint64_t offset, std::span<char> buffer) const {
  while (!buffer.empty()) {
    const ssize_t length = base::retry([&] {
      return ::pread(file_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    });
    if (length < 0) throw base::SystemError("cannot be read", errno);
    if (length == 0) throw base::Error("is damaged: it has become shorter");
    buffer = buffer.subspan(static_cast<std::size_t>(length));
    offset += static_cast<std::uint64_t>(length);
  }
}

base::Fd open_folder(const std::string& path) {
  base::Fd folder(
      base::retry([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!folder) throw base::SystemError("cannot open " + path, errno);
  return folder;
}

}  // namespace fathom::store
