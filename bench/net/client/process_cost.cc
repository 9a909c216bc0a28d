#include "net/client/process_cost.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <unordered_map>

namespace fathom::bench {

namespace {

namespace files = std::filesystem;

// The value behind "name:" and a tab. A thread may end while it is read: then it is 0 or empty.
ThreadSwitches read_switches(const files::path& folder) {
  ThreadSwitches switches;
  switches.thread = std::stoi(folder.filename().string());
  std::ifstream status(folder / "status");
  std::string line;
  while (std::getline(status, line)) {
    const std::size_t colon = line.find(":\t");
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, colon);
    const std::string value = line.substr(colon + 2);
    if (name == "Name") switches.name = value;
    if (name == "voluntary_ctxt_switches") switches.voluntary = std::stoull(value);
    if (name == "nonvoluntary_ctxt_switches") switches.involuntary = std::stoull(value);
  }
  return switches;
}

std::vector<ThreadSwitches> read_threads(pid_t process) {
  std::vector<ThreadSwitches> threads;
  std::error_code gone;
  const files::path folder = files::path("/proc") / std::to_string(process) / "task";
  for (const auto& entry : files::directory_iterator(folder, gone)) {
    threads.push_back(read_switches(entry.path()));
  }
  std::sort(threads.begin(), threads.end(),
            [](const auto& one, const auto& other) { return one.thread < other.thread; });
  return threads;
}

// Finer than the ticks of /proc/PID/stat.
std::chrono::nanoseconds read_processor_time(pid_t process) {
  clockid_t clock = 0;
  timespec time = {};
  if (::clock_getcpuclockid(process, &clock) == 0) ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

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
