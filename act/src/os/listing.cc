// Listing: readdir, and a stat call where the filesystem does not say what an entry is.

#include "os/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"

namespace fathom::act {

namespace {

struct CloseListing {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

fs::Kind kind_of(int folder, const dirent& entry) {
  switch (entry.d_type) {
    case DT_DIR:
      return fs::Kind::directory;
    case DT_REG:
      return fs::Kind::file;
    case DT_LNK:
      return fs::Kind::symlink;
    case DT_UNKNOWN:
      break;
    default:
      return fs::Kind::other;
  }
  struct stat seen = {};
  if (::fstatat(folder, entry.d_name, &seen, AT_SYMLINK_NOFOLLOW) != 0) return fs::Kind::other;
  return fs::kind_of(static_cast<std::uint16_t>(seen.st_mode));
}

// Calls take(entry, name) with each entry except . and ..; returns 0 or -errno.
template <class Take>
int for_each_entry(int folder, const Take& take) {
  // A descriptor of its own: its position is not that of the caller's.
  const int own =
      base::retry_errno([&] { return ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (own < 0) return own;
  const std::unique_ptr<DIR, CloseListing> open(::fdopendir(own));
  if (!open) return -errno;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) return -errno;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") take(*entry, name);
  }
}

}  // namespace

int list_folder(int folder, std::vector<ListedEntry>& entries) {
  return for_each_entry(folder, [&](const dirent& entry, std::string_view name) {
    entries.push_back({std::string(name), kind_of(folder, entry)});
  });
}

int list_names(int folder, std::string& names) {
  return for_each_entry(folder, [&](const dirent&, std::string_view name) {
    names += name;
    names += '\0';
  });
}

std::vector<std::string> names_in(const std::string& path) {
  base::Fd folder;
  int result = open_root(path, folder);
  std::vector<ListedEntry> entries;
  if (result == 0) result = list_folder(folder.get(), entries);
  if (result < 0) throw base::SystemError("cannot read the directory " + path, -result);
  std::vector<std::string> names;
  for (ListedEntry& entry : entries) names.push_back(std::move(entry.name));
  return names;
}

}  // namespace fathom::act
