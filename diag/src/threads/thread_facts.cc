// ThreadFacts: getrusage() and files of /proc.

#include "threads/thread_facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <memory>

#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace fathom::diag {

namespace {

using std::chrono::nanoseconds;

// The first 4 KiB of the file; empty if it cannot be read.
std::string contents(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 4096> buffer;
  const ssize_t length = ::read(file, buffer.data(), buffer.size());
  ::close(file);
  return {buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

// Removes the next word from the text and returns it; empty at the end.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return {};
  return value;
}

nanoseconds duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void read(const struct rusage& used, ThreadUsage& usage) {
  usage.user = duration(used.ru_utime);
  usage.system = duration(used.ru_stime);
  usage.processor = *usage.user + *usage.system;
  usage.voluntary_switches = static_cast<std::uint64_t>(used.ru_nvcsw);
  usage.involuntary_switches = static_cast<std::uint64_t>(used.ru_nivcsw);
  usage.minor_faults = static_cast<std::uint64_t>(used.ru_minflt);
  usage.major_faults = static_cast<std::uint64_t>(used.ru_majflt);
}

std::string name_of(const std::string& folder) {
  std::string name = contents(folder + "comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

ThreadUsage usage_of(long id) {
  const std::string folder = "/proc/self/task/" + std::to_string(id) + '/';
  ThreadUsage usage;
  usage.id = id;
  usage.name = name_of(folder);
  read_stat(contents(folder + "stat"), ::sysconf(_SC_CLK_TCK), usage);
  read_status(contents(folder + "status"), usage);
  read_schedstat(contents(folder + "schedstat"), usage);
  return usage;
}

long own_id() {
#ifdef __linux__
  return ::syscall(SYS_gettid);
#else
  return 0;
#endif
}

std::vector<long> running_threads() {
  std::vector<long> ids;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/task"), ::closedir);
  if (folder == nullptr) return ids;
  while (const dirent* const entry = ::readdir(folder.get())) {
    if (const auto id = number(entry->d_name)) ids.push_back(static_cast<long>(*id));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

void read_schedstat(std::string_view text, ThreadUsage& usage) {
  const auto ran = number(next_word(text));
  const auto waited = number(next_word(text));
  if (!ran || !waited) return;
  usage.processor = nanoseconds(*ran);
  usage.run_delay = nanoseconds(*waited);
}

void read_stat(std::string_view text, long ticks, ThreadUsage& usage) {
  // The name, in parentheses, may contain anything: fields are counted from its end.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || ticks <= 0) return;
  text.remove_prefix(name_end + 1);
  std::array<std::optional<std::uint64_t>, 20> fields;  // beginning with the third
  for (auto& field : fields) field = number(next_word(text));
  usage.minor_faults = fields[7];
  usage.major_faults = fields[9];
  const auto time = [ticks](std::optional<std::uint64_t> count) -> std::optional<nanoseconds> {
    if (!count) return {};
    return nanoseconds(static_cast<std::int64_t>(*count) * (1'000'000'000 / ticks));
  };
  usage.user = time(fields[11]);
  usage.system = time(fields[12]);
  usage.started = time(fields[19]);
  if (usage.user && usage.system) usage.processor = *usage.user + *usage.system;
}

void read_status(std::string_view text, ThreadUsage& usage) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view key = next_word(line);
    if (key == "voluntary_ctxt_switches:") usage.voluntary_switches = number(next_word(line));
    if (key == "nonvoluntary_ctxt_switches:") usage.involuntary_switches = number(next_word(line));
  }
}

ThreadUsage usage_of_this_thread() {
  const long id = own_id();
  ThreadUsage usage = usage_of(id);
#ifdef RUSAGE_THREAD
  struct rusage used = {};
  if (::getrusage(RUSAGE_THREAD, &used) == 0) read(used, usage);
#endif
  struct timespec time = {};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0) {
    usage.processor = std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
  }
  return usage;
}

std::vector<ThreadUsage> usage_of_running_threads() {
  std::vector<ThreadUsage> usages;
  for (const long id : running_threads()) {
    ThreadUsage usage = id == own_id() ? usage_of_this_thread() : usage_of(id);
    // The files of a thread that has ended meanwhile are incomplete.
    if (!usage.name.empty() && usage.started) usages.push_back(std::move(usage));
  }
  return usages;
}

ThreadUsage usage_of_process() {
  ThreadUsage usage;
  struct rusage used = {};
  if (::getrusage(RUSAGE_SELF, &used) == 0) read(used, usage);
  return usage;
}

}  // namespace fathom::diag
