// find_deleted_files: reads the links in /proc/PID/fd.

#include "os/deleted_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "fathom/base/fd.h"
#include "os/os.h"

namespace fathom::fs {

namespace {

constexpr std::string_view kProc = "/proc";
constexpr std::string_view kDeleted = " (deleted)";  // the suffix that /proc adds to the last name

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using OpenDirectory = std::unique_ptr<DIR, CloseDirectory>;

// The names of a directory that are numbers, in no particular order.
std::vector<std::int64_t> numbers_in(DIR* directory) {
  std::vector<std::int64_t> numbers;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && stop == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

std::string command_of(const std::string& process) {
  const base::Fd file(::open((process + "/comm").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  char name[64];
  const ssize_t length = ::read(file.get(), name, sizeof name);
  std::string command(name, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  if (!command.empty() && command.back() == '\n') command.pop_back();
  return command;
}

// Reads the metadata of a link's target, but only what this machine has cached: a server that does
// not respond would block the search forever.
bool look_through(int at, const char* name, Entry& entry) {
#ifdef __linux__
  constexpr int kFlags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
  constexpr unsigned kMask = STATX_NLINK | STATX_INO | STATX_BLOCKS;
  struct statx buffer = {};
  if (::statx(at, name, kFlags, kMask, &buffer) == 0) {
    entry.device = makedev(buffer.stx_dev_major, buffer.stx_dev_minor);
    entry.inode = buffer.stx_ino;
    entry.links = buffer.stx_nlink;
    entry.blocks = buffer.stx_blocks;
    return true;
  }
  // A filter, or an old kernel, where glibc itself refuses the flags.
  if (errno != ENOSYS && errno != EPERM && errno != EINVAL) return false;
#endif
  struct stat buffer_of_old = {};
  if (::fstatat(at, name, &buffer_of_old, 0) != 0) return false;
  entry.device = buffer_of_old.st_dev;
  entry.inode = buffer_of_old.st_ino;
  entry.links = static_cast<decltype(entry.links)>(buffer_of_old.st_nlink);
  entry.blocks = static_cast<std::uint64_t>(buffer_of_old.st_blocks);
  return true;
}

// This process's number in /proc; -1 if it has none.
std::int64_t own_number() {
  std::string target;
  std::int64_t number = -1;
  if (os::read_link(os::kCurrentDirectory, "/proc/self", target) != 0) return number;
  std::from_chars(target.data(), target.data() + target.size(), number);
  return number;
}

class Search {
 public:
  void look_into(std::int64_t pid) {
    const std::string process = std::string(kProc) + '/' + std::to_string(pid);
    const OpenDirectory open(::opendir((process + "/fd").c_str()));
    if (!open) {
      // A process that has ended in the meantime has nothing open.
      if (errno != ENOENT && errno != ESRCH) ++unseen_;
      return;
    }
    for (const std::int64_t number : numbers_in(open.get()))
      look_at(pid, process, open.get(), number);
  }

  [[nodiscard]] DeletedFiles take() {
    DeletedFiles result;
    result.unseen_processes = unseen_;
    for (auto& [key, found] : found_) {
      result.by_device[key.first].push_back(std::move(found.file));
    }
    for (auto& [device, files] : result.by_device) {
      std::sort(files.begin(), files.end(), [](const DeletedFile& a, const DeletedFile& b) {
        return std::tie(a.pid, a.inode) < std::tie(b.pid, b.inode);
      });
    }
    return result;
  }

 private:
  void look_at(std::int64_t pid, const std::string& process, DIR* open, std::int64_t number) {
    const std::string name = std::to_string(number);
    if (os::read_link(::dirfd(open), name.c_str(), target_) != 0) return;
    if (!std::string_view(target_).ends_with(kDeleted)) return;
    Entry entry;
    if (!look_through(::dirfd(open), name.c_str(), entry)) return;
    if (entry.links != 0) return;  // it has another name, or its name ends with the suffix
    const auto [place, fresh] = found_.try_emplace({entry.device, entry.inode});
    auto& [file, last_pid] = place->second;
    if (fresh) {
      file.inode = entry.inode;
      file.disk_bytes = entry.disk_bytes();
      file.path = target_.substr(0, target_.size() - kDeleted.size());
    }
    if (std::exchange(last_pid, pid) == pid) return;  // open more than once
    ++file.processes;
    if (!fresh) return;  // processes are visited in ascending order: keep the first
    file.pid = pid;
    file.command = command_of(process);
  }

  struct OpenDeleted {
    DeletedFile file;
    std::int64_t last_pid = -1;  // the last process that was counted
  };

  std::map<std::pair<std::uint64_t, std::uint64_t>, OpenDeleted> found_;  // by device and inode
  std::uint64_t unseen_ = 0;
  std::string target_;
};

}  // namespace

DeletedFiles find_deleted_files() {
  Search search;
  const OpenDirectory processes(::opendir(std::string(kProc).c_str()));
  if (!processes) return {};
  std::vector<std::int64_t> pids = numbers_in(processes.get());
  std::sort(pids.begin(), pids.end());
  const std::int64_t own = own_number();
  for (const std::int64_t pid : pids) {
    if (pid != own) search.look_into(pid);
  }
  return search.take();
}

}  // namespace fathom::fs
