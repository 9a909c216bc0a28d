// Usage: walks through the entry, flock, and stat calls that follow links.

#include "os/usage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

#include "fathom/base/path.h"
#include "fathom/base/retry.h"
#include "os/entry_facts.h"
#include "os/listing.h"

namespace fathom::act {

namespace {

std::int64_t youngest_of(const EntryFacts& facts) {
  const std::int64_t changed = std::max(facts.mtime, facts.ctime);
  return facts.kind == fs::Kind::directory ? changed : std::max(changed, facts.atime);
}

// Visits everything in a directory, each subdirectory by its path below it.
class UseSearch {
 public:
  UseSearch(int top, std::uint64_t device) : top_(top), device_(device) {}

  bool visit(const std::string& path) {
    base::Fd folder;
    std::vector<ListedEntry> entries;
    if (open_folder(top_, path, folder) < 0 || list_folder(folder.get(), entries) < 0) return false;
    Location at{std::move(folder), {}};
    for (ListedEntry& entry : entries) {
      at.name = std::move(entry.name);
      EntryFacts facts;
      if (facts_at(at, facts) < 0 || facts.device != device_) return false;
      youngest_ = std::max(youngest_, youngest_of(facts));
      if (facts.kind != fs::Kind::directory) continue;
      waiting_.push_back(path.empty() ? at.name : path + '/' + at.name);
    }
    return true;
  }

  std::optional<std::int64_t> run() {
    waiting_.emplace_back();
    while (!waiting_.empty()) {
      const std::string path = std::move(waiting_.back());
      waiting_.pop_back();
      if (!visit(path)) return std::nullopt;
    }
    return youngest_;
  }

 private:
  const int top_;
  const std::uint64_t device_;
  std::int64_t youngest_ = INT64_MIN;
  std::vector<std::string> waiting_;
};

}  // namespace

std::optional<std::int64_t> last_use(const Location& location) {
  EntryFacts facts;
  if (facts_at(location, facts) < 0) return std::nullopt;
  const std::int64_t own = youngest_of(facts);
  if (facts.kind != fs::Kind::directory) return own;
  base::Fd folder;
  if (open_folder(location.folder.get(), location.name, folder) < 0) return std::nullopt;
  const auto below = UseSearch(folder.get(), facts.device).run();
  if (!below) return std::nullopt;
  return std::max(own, *below);
}

bool is_locked(const Location& location) {
  EntryFacts facts;
  if (facts_at(location, facts) < 0) return true;
  if ((facts.mode & S_ISVTX) != 0) return true;
  if (facts.kind != fs::Kind::directory && facts.kind != fs::Kind::file) return false;
  const base::Fd file(base::retry([&] {
    return ::openat(location.folder.get(), location.name.c_str(),
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }));
  if (!file) return true;
  return base::retry([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) != 0;
}

bool is_dangling(const Location& location) {
  struct stat seen = {};
  return ::fstatat(location.folder.get(), location.name.c_str(), &seen, AT_NO_AUTOMOUNT) != 0 &&
         (errno == ENOENT || errno == ENOTDIR);
}

bool is_directory(const std::string& path) {
  struct stat seen = {};
  return path.starts_with('/') && ::stat(path.c_str(), &seen) == 0 && S_ISDIR(seen.st_mode);
}

bool same_or_below(const std::string& path, const std::string& folder) {
  const auto real = base::real_path(path);
  return !real || base::is_at_or_below(*real, folder);
}

}  // namespace fathom::act
