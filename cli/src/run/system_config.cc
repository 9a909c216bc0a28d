// SystemConfig: reads lines of "name = value".

#include "run/system_config.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "run/named_file.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

constexpr const char* kConfigFile = "/etc/fathom.conf";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void apply_line(std::string_view line, SystemConfig& config) {
  const std::size_t equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  const std::string_view value =
      equals == std::string_view::npos ? "" : trimmed(line.substr(equals + 1));
  if (name != "read_only" || (value != "true" && value != "false")) {
    throw UsageError(std::string(kConfigFile) + ": '" + escaped(line) +
                     "' is not `read_only = true` or `read_only = false`");
  }
  config.read_only = value == "true";
}

}  // namespace

SystemConfig parse_system_config(std::string_view text) {
  SystemConfig config;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const std::string_view words = trimmed(line.substr(0, line.find('#')));
    if (!words.empty()) apply_line(words, config);
  }
  return config;
}

SystemConfig system_config() {
  const base::Fd file = open_regular_file(kConfigFile, O_RDONLY);
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    throw UsageError(std::string("cannot read ") + kConfigFile + ": " + why_not_opened(errno));
  }
  std::array<char, 64 * 1024> room{};
  std::size_t length = 0;
  while (length < room.size()) {
    const ssize_t more =
        base::retry([&] { return ::read(file.get(), room.data() + length, room.size() - length); });
    if (more < 0) throw UsageError(std::string("cannot read ") + kConfigFile);
    if (more == 0) return parse_system_config({room.data(), length});
    length += static_cast<std::size_t>(more);
  }
  throw UsageError(std::string(kConfigFile) + " has 64 KiB or more");
}

}  // namespace fathom::cli
