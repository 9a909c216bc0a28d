// Oracle: counting with a set of inodes, and running du.

#include "fathom/testing/oracle.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "directory.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/testing/subprocess.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::testing {
namespace {

class Counter {
 public:
  explicit Counter(const OracleOptions& options) : options_(options) {}

  // Counts the root and everything below it. Only the current directory is open: the way back is
  // "..", and a list per level contains the directories still to enter.
  void count_root(const std::string& root) {
    struct stat info;
    if (::fstatat(AT_FDCWD, root.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      throw base::SystemError("cannot examine " + root, errno);
    }
    root_device_ = info.st_dev;
    if (!add(info) || !S_ISDIR(info.st_mode)) return;

    base::Fd current;
    std::vector<std::vector<std::string>> levels;
    const auto descend = [&](int parent, const std::string& name) {
      base::Fd directory = open_directory(parent, name);
      auto inner = list(directory.get());
      if (inner.empty()) return;
      current = std::move(directory);
      levels.push_back(std::move(inner));
    };

    descend(AT_FDCWD, root);
    while (!levels.empty()) {
      if (levels.back().empty()) {
        levels.pop_back();
        if (!levels.empty()) go_up(current);
        continue;
      }
      const std::string name = std::move(levels.back().back());
      levels.back().pop_back();
      descend(current.get(), name);
    }
  }

  const OracleTotals& totals() const { return totals_; }

 private:
  // Counts the inode if it is new; returns whether it was.
  bool add(const struct stat& info) {
    ++totals_.entries;
    if (!seen_.emplace(info.st_dev, info.st_ino).second) return false;
    ++(S_ISREG(info.st_mode)   ? totals_.files
       : S_ISDIR(info.st_mode) ? totals_.dirs
       : S_ISLNK(info.st_mode) ? totals_.symlinks
                               : totals_.others);
    totals_.disk_bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
    if (options_.apparent == ApparentRule::every_kind || S_ISREG(info.st_mode) ||
        S_ISLNK(info.st_mode)) {
      totals_.apparent_bytes += static_cast<std::uint64_t>(info.st_size);
    }
    return true;
  }

  // Counts the contents of the directory; returns the subdirectories to enter.
  std::vector<std::string> list(int directory) {
    const auto names = names_in(directory);
    if (!names) {
      ++totals_.unreadable;
      return {};
    }
    std::vector<std::string> directories;
    for (const std::string& name : *names) {
      struct stat info;
      if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        ++totals_.unreadable;
        continue;
      }
      if (options_.one_file_system && info.st_dev != root_device_) continue;
      if (add(info) && S_ISDIR(info.st_mode)) directories.push_back(name);
    }
    return directories;
  }

  static void go_up(base::Fd& current) {
    current = base::Fd(::openat(current.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!current) throw base::SystemError("cannot return to a parent directory", errno);
  }

  const OracleOptions options_;
  dev_t root_device_ = 0;  // of the current root
  std::set<std::pair<dev_t, ino_t>> seen_;
  OracleTotals totals_;
};

// The number at the beginning of the last line.
std::uint64_t last_total(const RunResult& result) {
  std::string_view out = result.out;
  while (out.ends_with('\n')) out.remove_suffix(1);
  const std::string_view line = out.substr(out.rfind('\n') + 1);  // npos + 1 is 0
  std::uint64_t total = 0;
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), total);
  if (parsed.ec != std::errc()) throw base::Error("du printed no total: " + result.err);
  return total;
}

}  // namespace

OracleTotals count(const std::vector<std::string>& roots, const OracleOptions& options) {
  Counter counter(options);
  for (const std::string& root : roots) counter.count_root(root);
  return counter.totals();
}

std::uint64_t du(const std::vector<std::string>& roots, bool apparent, bool one_file_system) {
  std::vector<std::string> command = {"du", "-s", "-c", "--block-size=1"};
  if (apparent) command.push_back("--apparent-size");
  if (one_file_system) command.push_back("-x");
  command.push_back("--");
  command.insert(command.end(), roots.begin(), roots.end());
  return last_total(run(command, {"LC_ALL=C"}));
}

std::uint64_t du(const std::string& root, bool apparent) {
  return du(std::vector<std::string>{root}, apparent);
}

ApparentRule installed_du_rule() {
  TempTree tree;
  tree.file("empty");  // on some filesystems only a directory with contents has a size
  return du(tree.path(), true) > 0 ? ApparentRule::every_kind : ApparentRule::files_and_symlinks;
}

}  // namespace fathom::testing
