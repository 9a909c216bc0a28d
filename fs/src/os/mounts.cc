// Mounts: parses /proc/self/mountinfo.

#include "fathom/fs/mounts.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "fathom/base/fd.h"
#include "fathom/base/path.h"
#include "fathom/base/retry.h"

namespace fathom::fs {

namespace {

// Removes the text up to the separator and returns it.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

// Blanks, tabs, newlines and backslashes are written as three octal digits.
std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const std::string_view digits = text.substr(i).substr(0, 4);
    if (digits.size() == 4 && digits[0] == '\\') {
      const auto [stop, error] = std::from_chars(digits.data() + 1, digits.data() + 4, byte, 8);
      if (error == std::errc() && stop == digits.data() + 4 && byte < 256) {
        bytes += static_cast<char>(byte);
        i += 3;
        continue;
      }
    }
    bytes += text[i];
  }
  return bytes;
}

// Whether the list "rw,noatime" has the option.
bool has_option(std::string_view list, std::string_view option) {
  while (!list.empty()) {
    if (take(list, ',') == option) return true;
  }
  return false;
}

// "36 35 98:0 /top /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue": any number of
// optional fields comes before the hyphen.
std::optional<Mount> parse_line(std::string_view line) {
  Mount mount;
  unsigned major = 0;
  unsigned minor = 0;
  if (!read(take(line, ' '), mount.id) || !read(take(line, ' '), mount.parent)) return std::nullopt;
  if (!read(take(line, ':'), major) || !read(take(line, ' '), minor)) return std::nullopt;
  mount.device = makedev(major, minor);
  mount.top = unescaped(take(line, ' '));
  mount.point = unescaped(take(line, ' '));
  if (mount.point.empty() || mount.point.front() != '/') return std::nullopt;
  mount.maps_ids = has_option(take(line, ' '), "idmapped");
  while (!line.empty() && take(line, ' ') != "-") {
  }
  mount.type = unescaped(take(line, ' '));
  if (mount.type.empty()) return std::nullopt;
  take(line, ' ');  // the source
  if (has_option(line, "nouid32")) mount.maps_ids = true;
  return mount;
}

std::string text_of(const char* path) {
  std::string text;
  const base::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return text;
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t length =
        base::retry([&] { return ::read(file.get(), block.data(), block.size()); });
    if (length <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(length));
  }
}

}  // namespace

std::vector<Mount> own_mounts() {
  return parse_mounts(text_of("/proc/self/mountinfo"));
}

std::vector<Mount> parse_mounts(std::string_view text) {
  std::vector<Mount> mounts;
  while (!text.empty()) {
    if (auto mount = parse_line(take(text, '\n'))) mounts.push_back(*std::move(mount));
  }
  return mounts;
}

const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* nearest = nullptr;
  for (const Mount& mount : mounts) {
    if (!base::is_at_or_below(path, mount.point)) continue;
    if (nearest == nullptr || mount.point.size() >= nearest->point.size()) nearest = &mount;
  }
  return nearest;
}

}  // namespace fathom::fs
