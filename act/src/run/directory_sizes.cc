// directorysizes: reads the lines, and writes the others and the new one.

#include "run/directory_sizes.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "fathom/base/fd.h"
#include "os/file_state.h"
#include "os/places.h"
#include "os/safe_open.h"
#include "os/small_file.h"
#include "os/trash_info.h"

namespace fathom::act {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
// Of a file that is still kept: all of it is written for each directory, some thousand at most.
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

// "16384 1795515746 Documents"
std::string_view name_in(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == line.npos ? first : line.find(' ', first + 1);
  return second == line.npos ? std::string_view() : line.substr(second + 1);
}

std::string without_line_of(std::string_view lines, std::string_view name) {
  std::string others;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    if (name_in(line) != name) others.append(line) += '\n';
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
  return others;
}

// Nothing if there is something else, or too much.
std::optional<std::string> read_lines(const Location& file) {
  FileState state;
  if (state_at(file, state) == -ENOENT) return std::string();
  auto lines = read_small_file(file, kMostBytes);
  if (lines && lines->size() == kMostBytes) return std::nullopt;
  return lines;
}

class DirectorySizes {
 public:
  DirectorySizes(const std::string& trash, const std::string& temporary, const MutatingOps& ops)
      : ops_(ops) {
    base::Fd folder;
    if (open_root(trash, folder) < 0 || !is_own_alone(folder.get())) return;
    if (duplicate(folder.get(), new_.folder) < 0) return;
    new_.name = temporary;
    file_ = {std::move(folder), "directorysizes"};
  }

  // `line`: empty, or a new one without the name.
  void replace(const std::string& name, const std::string& line) const {
    if (!file_.folder) return;
    static_cast<void>(ops_.unlink(new_));
    const auto before = read_lines(file_);
    if (!before) return;
    const std::string encoded = percent_encoded(name);
    std::string after = without_line_of(*before, encoded);
    if (!line.empty()) after += line + ' ' + encoded + '\n';
    if (after == *before) return;
    if (after.empty()) {
      static_cast<void>(ops_.unlink(file_));
    } else if (ops_.make_file(new_, after) == 0 && ops_.replace(new_, file_) < 0) {
      static_cast<void>(ops_.unlink(new_));
    }
  }

  [[nodiscard]] std::optional<std::int64_t> time_of_description(const std::string& name) const {
    Location info;
    FileState state;
    if (!file_.folder ||
        find_location(file_.folder.get(), "info/" + trash_info_name(name), info) < 0 ||
        state_at(info, state) < 0) {
      return std::nullopt;
    }
    return state.identity.mtime_ns / kNsPerSecond;
  }

 private:
  const MutatingOps& ops_;
  Location file_;  // in no directory if this is not a trash of this user alone
  Location new_;
};

}  // namespace

void add_directory_size(const std::string& trash, const std::string& name, std::uint64_t bytes,
                        const std::string& temporary, const MutatingOps& ops) {
  const DirectorySizes sizes(trash, temporary, ops);
  const auto time = sizes.time_of_description(name);
  if (time) sizes.replace(name, std::to_string(bytes) + ' ' + std::to_string(*time));
}

void forget_directory_size(const std::string& trash, const std::string& name,
                           const std::string& temporary, const MutatingOps& ops) {
  DirectorySizes(trash, temporary, ops).replace(name, "");
}

}  // namespace fathom::act
