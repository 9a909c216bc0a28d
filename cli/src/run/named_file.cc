// NamedFile: open(2), with what must not happen ruled out.

#include "run/named_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "fathom/base/retry.h"

namespace fathom::cli {

base::Fd open_any(const std::string& path, int flags) {
  return base::Fd(base::retry([&] { return ::open(path.c_str(), flags | O_NOCTTY | O_CLOEXEC); }));
}

base::Fd open_regular_file(const std::string& path, int flags) {
  base::Fd file = open_any(path, flags | O_NONBLOCK);
  // Without a reader, a pipe cannot be opened for writing without waiting; nor can some devices.
  if (!file && errno == ENXIO) errno = ENODEV;
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  if (S_ISREG(status.st_mode)) return file;
  file.reset();
  errno = S_ISDIR(status.st_mode) ? EISDIR : ENODEV;
  return {};
}

std::string why_not_opened(int code) {
  return code == ENODEV ? "it is not a regular file" : std::generic_category().message(code);
}

}  // namespace fathom::cli
