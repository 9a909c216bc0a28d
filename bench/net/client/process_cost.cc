// ProcessCost: reading /proc/PID/task/*/status and the CPU clock of a process.

#include "net/client/process_cost.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_map>

namespace fathom::bench {

namespace {

namespace files = std::filesystem;

// The values after "name:" and a tab. Empty if the process or thread has ended.
std::map<std::string, std::string> read_status(const files::path& folder) {
  std::map<std::string, std::string> values;
  std::ifstream status(folder / "status");
  std::string line;
  while (std::getline(status, line)) {
    const std::size_t colon = line.find(":\t");
    if (colon != std::string::npos) values[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return values;
}

// 0 if the value is missing.
std::uint64_t number(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : std::stoull(found->second);
}

files::path folder_of(pid_t process) {
  return files::path("/proc") / std::to_string(process);
}

// If a thread ends while it is read, its counts are 0 and its name is empty.
ThreadSwitches read_switches(const files::path& folder) {
  auto status = read_status(folder);
  return {.thread = std::stoi(folder.filename().string()),
          .name = status["Name"],
          .voluntary = number(status, "voluntary_ctxt_switches"),
          .involuntary = number(status, "nonvoluntary_ctxt_switches")};
}

std::vector<ThreadSwitches> read_threads(pid_t process) {
  std::vector<ThreadSwitches> threads;
  std::error_code gone;
  for (const auto& entry : files::directory_iterator(folder_of(process) / "task", gone)) {
    threads.push_back(read_switches(entry.path()));
  }
  std::sort(threads.begin(), threads.end(),
            [](const auto& one, const auto& other) { return one.thread < other.thread; });
  return threads;
}

// More precise than the ticks of /proc/PID/stat.
std::chrono::nanoseconds read_processor_time(pid_t process) {
  clockid_t clock = 0;
  timespec time = {};
  if (::clock_getcpuclockid(process, &clock) == 0) ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

ProcessMemory memory_of(pid_t process) {
  constexpr std::size_t kKib = 1024;
  const auto status = read_status(folder_of(process));
  return {number(status, "VmRSS") * kKib, number(status, "VmHWM") * kKib};
}

ProcessCost ProcessCost::of(pid_t process) {
  return {read_processor_time(process), read_threads(process)};
}

ProcessCost ProcessCost::operator-(const ProcessCost& before) const {
  ProcessCost cost = *this;
  cost.processor_time -= before.processor_time;
  std::unordered_map<pid_t, const ThreadSwitches*> earlier;
  for (const ThreadSwitches& thread : before.threads) earlier[thread.thread] = &thread;
  for (ThreadSwitches& thread : cost.threads) {
    const auto found = earlier.find(thread.thread);
    if (found == earlier.end()) continue;
    thread.voluntary -= found->second->voluntary;
    thread.involuntary -= found->second->involuntary;
  }
  return cost;
}

std::uint64_t ProcessCost::voluntary() const {
  std::uint64_t sum = 0;
  for (const ThreadSwitches& thread : threads) sum += thread.voluntary;
  return sum;
}

std::uint64_t ProcessCost::involuntary() const {
  std::uint64_t sum = 0;
  for (const ThreadSwitches& thread : threads) sum += thread.involuntary;
  return sum;
}

}  // namespace fathom::bench
