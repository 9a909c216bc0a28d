// ProcFolder: reading the files. Each is read by one call, so its values are of one moment.

#include "threads/proc_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "threads/proc_files.h"

namespace fathom::diag {

namespace {

constexpr std::size_t kMostBytes = 4096;  // what the kernel writes at once

// The first bytes of the file; empty if it cannot be read.
std::string text_of(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  std::string text(kMostBytes, '\0');
  const ssize_t length = base::retry([&] { return ::read(file.get(), text.data(), text.size()); });
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

// The whole file.
std::string long_text_of(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, kMostBytes> part;
  while (file) {
    const ssize_t length =
        base::retry([&] { return ::read(file.get(), part.data(), part.size()); });
    if (length <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(length));
  }
  return text;
}

std::vector<long> numbers_in(const std::string& path) {
  std::vector<long> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return numbers;
  while (const dirent* const entry = ::readdir(folder.get())) {
    if (const auto number = read_number(entry->d_name)) {
      numbers.push_back(static_cast<long>(*number));
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

ProcFolder::ProcFolder(std::string path)
    : path_(std::move(path)),
      ticks_(::sysconf(_SC_CLK_TCK)),
      knows_disk_wait_(text_of(path_ + "/sys/kernel/task_delayacct").starts_with('1')) {}

std::string ProcFolder::folder(long process) const {
  return path_ + '/' + std::to_string(process) + '/';
}

ThreadUsage ProcFolder::usage(long process, long thread) const {
  ThreadUsage usage = usage_in(folder(process) + "task/" + std::to_string(thread) + '/');
  usage.id = thread;
  return usage;
}

ThreadUsage ProcFolder::usage(long thread) const {
  ThreadUsage usage = usage_in(path_ + "/self/task/" + std::to_string(thread) + '/');
  usage.id = thread;
  return usage;
}

ThreadUsage ProcFolder::usage_in(const std::string& folder) const {
  ThreadUsage usage;
  read_stat(text_of(folder + "stat"), ticks_, usage);
  if (!usage.started) return usage;
  if (!knows_disk_wait_) usage.disk_wait.reset();
  read_schedstat(text_of(folder + "schedstat"), usage);
  if (has_sched_) read_sched(text_of(folder + "sched"), usage);
  if (usage.voluntary_switches) return usage;
  read_status(text_of(folder + "status"), usage);
  // A thread with a status had a moment ago, if the kernel has it, the other file as well.
  if (usage.voluntary_switches) has_sched_ = false;
  return usage;
}

ThreadUsage ProcFolder::usage_of_process(long process) const {
  ThreadUsage usage;
  read_stat(text_of(folder(process) + "stat"), ticks_, usage);
  usage.disk_wait.reset();
  return usage;
}

std::vector<long> ProcFolder::threads(long process) const {
  return numbers_in(folder(process) + "task");
}

std::vector<long> ProcFolder::threads() const {
  return numbers_in(path_ + "/self/task");
}

std::vector<long> ProcFolder::children(long process, long thread) const {
  const std::string text =
      long_text_of(folder(process) + "task/" + std::to_string(thread) + "/children");
  std::vector<long> ids;
  std::string_view rest = text;
  while (const auto id = read_number(next_word(rest))) ids.push_back(static_cast<long>(*id));
  return ids;
}

bool ProcFolder::lists_children() const {
  const std::vector<long> own = threads();
  if (own.empty()) return false;
  const std::string path = path_ + "/self/task/" + std::to_string(own.front()) + "/children";
  return ::access(path.c_str(), R_OK) == 0;
}

}  // namespace fathom::diag
