// Selecting: reading files of rules, and making a fs::Selection.

#include "select/selecting.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "descriptor.h"
#include "message.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// More than anyone writes by hand. Stops at an endless file such as /dev/zero.
constexpr std::size_t kMostMebibytes = 64;
constexpr std::size_t kLongestLine = 64UL * 1024;

[[noreturn]] void cannot_read(const std::string& file, const std::string& why) {
  throw UsageError("cannot read the rules in " + escaped(file) + ": " + why);
}

[[noreturn]] void cannot_read(const std::string& file, int error) {
  cannot_read(file, std::generic_category().message(error));
}

// Rejects lines that are longer than any rule, while the file is still being read.
class LineLengths {
 public:
  explicit LineLengths(const std::string& file) : file_(file) {}

  void add(std::string_view block) {
    for (;;) {
      const std::size_t newline = block.find('\n');
      length_ += std::min(newline, block.size());
      if (length_ > kLongestLine) {
        cannot_read(file_, "line " + std::to_string(line_) + " has more than " +
                               grouped(kLongestLine) + " bytes");
      }
      if (newline == std::string_view::npos) return;
      block.remove_prefix(newline + 1);
      length_ = 0;
      ++line_;
    }
  }

 private:
  const std::string& file_;
  std::uint64_t line_ = 1;
  std::size_t length_ = 0;  // of the line so far
};

std::string content_of(const std::string& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) cannot_read(file, errno);
  LineLengths lines(file);
  std::string content;
  std::array<char, 16UL * 1024> block;
  for (;;) {
    const ssize_t got = ::read(descriptor.get(), block.data(), block.size());
    if (got == 0) return content;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(file, errno);
    const std::string_view read(block.data(), static_cast<std::size_t>(got));
    lines.add(read);
    content += read;
    if (content.size() > kMostMebibytes << 20) {
      cannot_read(file, "the file has more than " + std::to_string(kMostMebibytes) + " MiB");
    }
  }
}

}  // namespace

fs::SelectionAt selection_of(const CommonRequest& request, fs::Measure measure) {
  fs::Selection selection = request.select.selection;
  selection.measure = measure;
  selection.one_file_system = request.one_file_system;
  for (const RuleSource& source : request.select.rules) {
    if (source.is_file) {
      selection.excluded.add_text(content_of(source.text));
    } else {
      selection.excluded.add_line(source.text);
    }
  }
  const auto newer = request.select.newer;
  const auto older = request.select.older;
  return [=](std::int64_t now) {
    fs::Selection at = selection;
    if (newer) at.newer_than = newer->before(now);
    if (older) at.older_than = older->before(now);
    return at;
  };
}

}  // namespace fathom::cli
