// Selection: reading files of rules, and making a fs::Selection.

#include "run/selection.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "fathom/base/moment.h"
#include "fathom/base/retry.h"
#include "fathom/fs/owner_names.h"
#include "run/named_file.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// More than anyone writes by hand. Stops at an endless file such as /dev/zero.
constexpr std::size_t kMostMebibytes = 64;
constexpr std::size_t kLongestLine = 64UL * 1024;

[[noreturn]] void cannot_read_rules(const std::string& file, const std::string& why) {
  throw UsageError("cannot read the rules in " + escaped(file) + ": " + why);
}

[[noreturn]] void cannot_read_rules(const std::string& file, int error) {
  cannot_read_rules(file, std::generic_category().message(error));
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
        cannot_read_rules(file_, "line " + std::to_string(line_) + " has more than " +
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
  const base::Fd descriptor = open_any(file, O_RDONLY);
  if (!descriptor) cannot_read_rules(file, errno);
  LineLengths lines(file);
  std::string content;
  std::array<char, 16UL * 1024> block;
  for (;;) {
    const ssize_t got =
        base::retry([&] { return ::read(descriptor.get(), block.data(), block.size()); });
    if (got == 0) return content;
    if (got < 0) cannot_read_rules(file, errno);
    const std::string_view read(block.data(), static_cast<std::size_t>(got));
    lines.add(read);
    content += read;
    if (content.size() > kMostMebibytes << 20) {
      cannot_read_rules(file, "the file has more than " + std::to_string(kMostMebibytes) + " MiB");
    }
  }
}

// Whether a moment depends on the time of the scan.
bool is_relative(const base::Moment& moment) {
  return moment.form == base::Moment::Form::age || moment.form == base::Moment::Form::day;
}

// Throws UsageError if no time can match. A relative moment and one of another form cannot be
// compared for a saved scan: the time of the scan is not known yet.
void check_moments(const CommonRequest& request) {
  const auto& newer = request.select.newer;
  const auto& older = request.select.older;
  if (!newer || !older) return;
  const bool comparable =
      newer->form == older->form || !(is_relative(*newer) || is_relative(*older));
  if (request.from && !comparable) return;
  const std::int64_t now = base::wall_now();
  if (newer->before(now) < older->before(now)) return;
  throw UsageError(
      "options '--newer' and '--older' exclude each other: no time is at or after the one and "
      "before the other");
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
  for (const std::string& rule : request.select.only) selection.only.add_line(rule);
  check_moments(request);
  const auto newer = request.select.newer;
  const auto older = request.select.older;
  const auto where = request.select.entry_where;
  return [=](std::int64_t now) {
    fs::Selection at = selection;
    if (newer) at.newer_than = newer->before(now);
    if (older) at.older_than = older->before(now);
    if (where) {
      const fs::OwnerNames names = fs::system_owner_names();
      at.where = std::make_shared<const fs::EntryCondition>(*where, names.user, names.group, now);
    }
    return at;
  };
}

}  // namespace fathom::cli
