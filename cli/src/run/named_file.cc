// NamedFile: open(2), with what must not happen ruled out.

#include "run/named_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/base/retry.h"
#include "fathom/base/sync.h"

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

void make_durable(const std::string& path) {
  const base::Fd file = open_regular_file(path, O_RDONLY);
  int code = file ? -base::sync_file(file.get()) : errno;
  // A directory that may not be read may still be searched.
  const base::Fd folder = open_any(base::folder_of(path) + '.', O_RDONLY | O_DIRECTORY);
  if (code == 0 && folder) code = -base::sync_file(folder.get());
  if (code != 0) throw base::SystemError("cannot write " + path + " to the disk", code);
}

std::string why_not_opened(int code) {
  return code == ENODEV ? "it is not a regular file" : std::generic_category().message(code);
}

}  // namespace fathom::cli
