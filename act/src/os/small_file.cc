// Small files: reads until the end, or until enough is read.

#include "os/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "fathom/base/retry.h"

namespace fathom::act {

std::optional<std::string> read_small_file(int file, std::size_t most) {
  constexpr std::size_t kReadAtOnce = 65536;
  std::string text;
  while (text.size() < most) {
    const std::size_t before = text.size();
    const std::size_t room = std::min(kReadAtOnce, most - before);
    text.resize(before + room);
    const ssize_t length = base::retry(
        [&] { return ::pread(file, text.data() + before, room, static_cast<off_t>(before)); });
    if (length < 0) return std::nullopt;
    text.resize(before + static_cast<std::size_t>(length));
    if (length == 0) break;
  }
  return text;
}

std::optional<std::string> read_small_file(const std::string& path, std::size_t most) {
  const base::Fd file(base::retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return std::nullopt;
  return read_small_file(file.get(), most);
}

std::optional<std::string> read_small_file(const Location& location, std::size_t most) {
  base::Fd file;
  if (open_regular(location, file) < 0) return std::nullopt;
  return read_small_file(file.get(), most);
}

}  // namespace fathom::act
