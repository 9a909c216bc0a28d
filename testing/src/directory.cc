// Directory: reading directories by descriptor.

#include "directory.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>

namespace fathom::testing {

base::Fd open_directory(int parent, const std::string& name) {
  return base::Fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::optional<std::vector<std::string>> names_in(int directory) {
  // closedir() closes the stream's descriptor; the caller keeps its own.
  base::Fd copy(::fcntl(directory, F_DUPFD_CLOEXEC, 0));
  if (!copy) return std::nullopt;
  const auto close = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(copy.get()), close);
  if (!stream) return std::nullopt;
  static_cast<void>(copy.release());

  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  if (errno != 0) return std::nullopt;
  return names;
}

}  // namespace fathom::testing
