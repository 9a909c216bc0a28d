// Source: reading a descriptor or a text.

#include "fathom/fs/source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"

namespace fathom::fs {

Source descriptor_source(int descriptor) {
  return [descriptor](std::span<char> room) {
    const ssize_t got = base::retry([&] { return ::read(descriptor, room.data(), room.size()); });
    if (got < 0) throw base::SystemError("read error", errno);
    return static_cast<std::size_t>(got);
  };
}

Source text_source(std::string_view text) {
  return [text](std::span<char> room) mutable {
    const std::size_t length = std::min(room.size(), text.size());
    std::copy_n(text.data(), length, room.data());
    text.remove_prefix(length);
    return length;
  };
}

}  // namespace fathom::fs
