// Processes: reads /proc/PID/{comm,fd,cwd,root,exe,maps}.

#include "os/processes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include <cerrno>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "os/listing.h"
#include "os/small_file.h"

namespace fathom::act {

namespace {

using InodeKey = std::pair<std::uint64_t, std::uint64_t>;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The inode to which a link in /proc leads, without asking a server.
std::optional<InodeKey> inode_behind(int folder, const char* name) {
#ifdef __linux__
  struct statx seen = {};
  constexpr int kFlags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
  if (::statx(folder, name, kFlags, STATX_INO, &seen) == 0) {
    return InodeKey(makedev(seen.stx_dev_major, seen.stx_dev_minor), seen.stx_ino);
  }
  // A filter, or an old kernel, where glibc itself refuses the flags.
  if (errno != ENOSYS && errno != EPERM && errno != EINVAL) return std::nullopt;
#endif
  struct stat seen_by_old = {};
  if (::fstatat(folder, name, &seen_by_old, 0) != 0) return std::nullopt;
  return InodeKey(seen_by_old.st_dev, seen_by_old.st_ino);
}

// The name of a process, from its directory in /proc.
std::string command_of(const std::string& folder) {
  std::string command = read_small_file(folder + "/comm", 64).value_or("");
  while (command.ends_with('\n')) command.pop_back();
  return command;
}

class ProcessReader {
 public:
  void read(const std::string& pid, std::int64_t number) {
    const std::string folder = "/proc/" + pid;
    process_ = {number, command_of(folder)};
    base::Fd open;
    if (open_root(folder, open) < 0) return;  // it has ended
    for (const char* link : {"cwd", "root", "exe"}) add(inode_behind(open.get(), link));
    read_descriptors(folder + "/fd");
    read_maps(folder + "/maps");
  }

  Processes take() { return std::move(found_); }

 private:
  void add(const std::optional<InodeKey>& key) {
    if (key) found_.open.try_emplace(*key, process_);
  }

  void read_descriptors(const std::string& folder) {
    base::Fd open;
    const int error = open_root(folder, open);
    std::vector<ListedEntry> entries;
    if (error < 0 || list_folder(open.get(), entries) < 0) {
      if (error != -ENOENT && error != -ESRCH) ++found_.unseen;
      return;
    }
    for (const ListedEntry& entry : entries) add(inode_behind(open.get(), entry.name.c_str()));
  }

  // "7f.. r-xp 00000000 08:01 1234   /usr/lib/x.so"; an inode of 0 stands for memory without a
  // file.
  void read_maps([[maybe_unused]] const std::string& file) {
#ifdef __linux__
    std::istringstream lines(read_small_file(file).value_or(""));
    std::string range;
    std::string rest;
    std::string device;
    std::uint64_t inode = 0;
    while (lines >> range >> rest >> rest >> device >> inode && std::getline(lines, rest)) {
      unsigned major = 0;
      unsigned minor = 0;
      const char* const end = device.data() + device.size();
      const auto [colon, error] = std::from_chars(device.data(), end, major, 16);
      if (inode == 0 || error != std::errc() || colon == end) continue;
      std::from_chars(colon + 1, end, minor, 16);
      add(InodeKey(makedev(major, minor), inode));
    }
#endif
  }

  Processes found_;
  OpenIn process_;
};

}  // namespace

namespace {

// Calls function(name, number) for each process.
template <class Function>
void for_each_process(Function&& function) {
  base::Fd proc;
  std::vector<ListedEntry> entries;
  if (open_root("/proc", proc) < 0 || list_folder(proc.get(), entries) < 0) return;
  for (const ListedEntry& entry : entries) {
    if (const auto number = number_of(entry.name)) function(entry.name, *number);
  }
}

}  // namespace

Processes read_processes() {
  ProcessReader reader;
  for_each_process([&](const std::string& pid, std::int64_t number) { reader.read(pid, number); });
  return reader.take();
}

std::set<std::string, std::less<>> running_programs() {
  std::set<std::string, std::less<>> names;
  for_each_process([&](const std::string& pid, std::int64_t /*number*/) {
    names.insert(command_of("/proc/" + pid));
  });
  return names;
}

std::string kernel_release() {
  struct utsname name = {};
  return ::uname(&name) == 0 ? name.release : "";
}

}  // namespace fathom::act
