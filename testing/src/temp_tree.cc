// TempTree: creating and removing trees with the *at() system calls.

#include "fathom/testing/temp_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "directory.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::testing {
namespace {

constexpr mode_t kDirectoryMode = 0755;
constexpr mode_t kFileMode = 0644;

[[noreturn]] void fail(const char* doing, std::string_view what) {
  const int code = errno;
  throw base::SystemError("cannot " + std::string(doing) + ' ' + std::string(what), code);
}

// ---- Creation

// O_PATH, because searching a directory requires less permission than reading it.
base::Fd enter(int parent, const std::string& name) {
  return base::Fd(::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

base::Fd enter_or_make(int parent, const std::string& name) {
  base::Fd directory = enter(parent, name);
  if (directory || errno != ENOENT) return directory;
  if (::mkdirat(parent, name.c_str(), kDirectoryMode) != 0) return base::Fd();
  return enter(parent, name);
}

// Removes the first component from the path: "a//b/c" becomes "b/c".
std::string take_component(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  std::string component(path.substr(0, end));
  path.remove_prefix(std::min(path.find_first_not_of('/', end), path.size()));
  return component;
}

// Opens the directory rel below root, creating it and its parents if they are missing.
//
// It starts from the path of root, not from a descriptor that was opened when the tree was created:
// that would bypass later mounts of a test, and refer to the namespace that it left.
base::Fd make_directories(const std::string& root, std::string_view rel) {
  base::Fd current = enter(AT_FDCWD, root);
  for (std::string_view rest = rel; current && !rest.empty();) {
    current = enter_or_make(current.get(), take_component(rest));
  }
  if (!current) fail("create directory", rel);
  return current;
}

// The location of an existing or new entry: a name in an existing directory.
struct Place {
  base::Fd parent;
  std::string name;
};

Place place(const std::string& root, std::string_view rel) {
  while (rel.ends_with('/')) rel.remove_suffix(1);
  const std::size_t slash = rel.rfind('/');
  if (slash == std::string_view::npos) return {make_directories(root, ""), std::string(rel)};
  return {make_directories(root, rel.substr(0, slash)), std::string(rel.substr(slash + 1))};
}

base::Fd create_file(const std::string& root, std::string_view rel) {
  const Place at = place(root, rel);
  base::Fd file(::openat(at.parent.get(), at.name.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file) fail("create file", rel);
  return file;
}

void write_all(int fd, std::string_view rel, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written =
        base::retry([&] { return ::write(fd, content.data(), content.size()); });
    if (written < 0) fail("write to", rel);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void make_node(const std::string& root, std::string_view rel, mode_t type, const char* doing) {
  const Place at = place(root, rel);
  if (::mknodat(at.parent.get(), at.name.c_str(), type | kFileMode, 0) != 0) fail(doing, rel);
}

// ---- Removal

void complain(const std::string& name) {
  std::fprintf(stderr, "TempTree: cannot remove %s: %s\n", name.c_str(),
               std::generic_category().message(errno).c_str());
}

// Removes everything in the directory except subdirectories, whose names it returns.
std::vector<std::string> remove_all_but_directories(int directory) {
  auto names = names_in(directory);
  if (!names) {
    complain("the contents of a directory");
    return {};
  }
  std::erase_if(*names, [directory](const std::string& name) {
    if (::unlinkat(directory, name.c_str(), 0) == 0) return true;
    if (errno == EISDIR) return false;
    complain(name);
    return true;
  });
  return std::move(*names);
}

// Removes the directory `name` of `top` and everything in it.
//
// Only the current directory is open: the way back is "..". For each level a list contains the
// names still to be removed; the last one is the directory that was entered.
void remove_tree(const std::string& name, base::Fd top) {
  base::Fd current = std::move(top);
  std::vector<std::vector<std::string>> levels = {{name}};
  for (;;) {
    auto& todo = levels.back();
    if (todo.empty()) {
      levels.pop_back();
      if (levels.empty()) return;
      current = base::Fd(::openat(current.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!current) return complain("the parent directories");
    } else {
      ::fchmodat(current.get(), todo.back().c_str(), 0700, 0);  // if this fails, opening fails
      if (base::Fd inner = open_directory(current.get(), todo.back())) {
        if (auto directories = remove_all_but_directories(inner.get()); !directories.empty()) {
          current = std::move(inner);
          levels.push_back(std::move(directories));
          continue;
        }
      }
    }
    // The last entry of the list is now empty, or could not be entered.
    auto& done = levels.back();
    if (::unlinkat(current.get(), done.back().c_str(), AT_REMOVEDIR) != 0) complain(done.back());
    done.pop_back();
  }
}

// Without symbolic links, as the roots of plans and snapshots are.
std::string parent_of_trees() {
  const char* const configured = std::getenv("TMPDIR");
  const bool is_absolute = configured != nullptr && configured[0] == '/';
  return std::filesystem::canonical(is_absolute ? configured : "/tmp").string();
}

}  // namespace

TempTree::TempTree() : path_(parent_of_trees() + "/fathom-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) fail("create a directory like", path_);
  // mkdtemp() creates it with mode 0700, but some tests run as another user.
  if (::chmod(path_.c_str(), kDirectoryMode) != 0) fail("open up", path_);
}

TempTree::~TempTree() {
  const std::size_t slash = path_.rfind('/');
  remove_tree(path_.substr(slash + 1), enter(AT_FDCWD, path_.substr(0, slash + 1)));
}

std::string TempTree::path(std::string_view rel) const {
  return path_ + '/' + std::string(rel);
}

void TempTree::dir(std::string_view rel) {
  make_directories(path_, rel);
}

void TempTree::file(std::string_view rel, std::size_t bytes) {
  const base::Fd file = create_file(path_, rel);
  const std::string block(std::min<std::size_t>(bytes, 1 << 20), 'x');
  for (std::size_t left = bytes; left > 0; left -= std::min(left, block.size())) {
    write_all(file.get(), rel, std::string_view(block).substr(0, left));
  }
}

void TempTree::write(std::string_view rel, std::string_view content) {
  const base::Fd file = create_file(path_, rel);
  write_all(file.get(), rel, content);
}

void TempTree::sparse(std::string_view rel, std::uint64_t size) {
  const base::Fd file = create_file(path_, rel);
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) fail("set the size of", rel);
}

void TempTree::symlink(std::string_view target, std::string_view rel) {
  const Place at = place(path_, rel);
  if (::symlinkat(std::string(target).c_str(), at.parent.get(), at.name.c_str()) != 0) {
    fail("create symbolic link", rel);
  }
}

void TempTree::hardlink(std::string_view existing, std::string_view rel) {
  const Place from = place(path_, existing);
  const Place to = place(path_, rel);
  if (::linkat(from.parent.get(), from.name.c_str(), to.parent.get(), to.name.c_str(), 0) != 0) {
    fail("create hard link", rel);
  }
}

void TempTree::fifo(std::string_view rel) {
  make_node(path_, rel, S_IFIFO, "create fifo");
}

// bind() would limit the path to 107 bytes; on Linux any user may create the node directly.
void TempTree::socket(std::string_view rel) {
  make_node(path_, rel, S_IFSOCK, "create socket");
}

void TempTree::chmod(std::string_view rel, mode_t mode) {
  const Place at = place(path_, rel);
  if (::fchmodat(at.parent.get(), at.name.c_str(), mode, 0) != 0) fail("set the mode of", rel);
}

void TempTree::mtime(std::string_view rel, std::int64_t seconds) {
  const Place at = place(path_, rel);
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                             {.tv_sec = static_cast<time_t>(seconds), .tv_nsec = 0}};
  if (::utimensat(at.parent.get(), at.name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) {
    fail("set the time of", rel);
  }
}

void TempTree::deep_chain(std::string_view rel, std::size_t levels, std::string_view name) {
  base::Fd current = make_directories(path_, rel);
  for (std::size_t level = 0; level < levels; ++level) {
    current = enter_or_make(current.get(), std::string(name));
    if (!current) fail("create a deep chain in", rel);
  }
}

}  // namespace fathom::testing
