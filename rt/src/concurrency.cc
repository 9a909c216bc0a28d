// Concurrency: reading control groups (cpu.max, cpu.cfs_quota_us) and the affinity mask.

#include "fathom/rt/concurrency.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fathom::rt {

namespace {

using Limit = std::optional<unsigned>;

Limit smaller(Limit a, Limit b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

// ---- Control groups

// The lines of a file, without their ends; none if it cannot be read. Not by std::ifstream: every
// program would make all locales of the library first.
std::vector<std::string> lines_of(const std::string& path) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "re"));
  std::vector<std::string> lines;
  if (file == nullptr) return lines;
  bool is_new = true;
  for (int byte = std::getc(file.get()); byte != EOF; byte = std::getc(file.get())) {
    if (is_new) lines.emplace_back();
    is_new = byte == '\n';
    if (!is_new) lines.back() += static_cast<char>(byte);
  }
  return lines;
}

// The first line of a file; nullopt if there is none.
std::optional<std::string> first_line(const std::string& path) {
  const std::vector<std::string> lines = lines_of(path);
  return lines.empty() ? std::nullopt : std::optional(lines.front());
}

// Parses a positive integer; nullopt otherwise, including for "max" and -1, which mean no limit.
std::optional<std::int64_t> parse_positive(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number <= 0) return std::nullopt;
  return number;
}

Limit processors(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period) return std::nullopt;
  const std::int64_t up = *quota / *period + (*quota % *period != 0 ? 1 : 0);
  return static_cast<unsigned>(std::min<std::int64_t>(up, std::numeric_limits<unsigned>::max()));
}

// cpu.max: "QUOTA PERIOD", in microseconds.
Limit limit_of_v2(const std::string& group) {
  const auto line = first_line(group + "/cpu.max");
  if (!line) return std::nullopt;
  const std::size_t space = line->find(' ');
  if (space == std::string::npos) return std::nullopt;
  const std::string_view text(*line);
  return processors(parse_positive(text.substr(0, space)), parse_positive(text.substr(space + 1)));
}

Limit limit_of_v1(const std::string& group) {
  const auto quota = first_line(group + "/cpu.cfs_quota_us");
  const auto period = first_line(group + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return processors(parse_positive(*quota), parse_positive(*period));
}

// The smallest limit of the group and its ancestors. If the path only exists on the host, as in
// some containers, the existing part of it still counts, including the mount itself.
Limit limit_on_path(const std::string& mount, std::string path,
                    Limit (*limit_of)(const std::string&)) {
  Limit least;
  if (path.find("/..") != std::string::npos) path.clear();  // outside the mount
  while (!path.empty() && path != "/") {
    least = smaller(least, limit_of(mount + path));
    path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
  return smaller(least, limit_of(mount));
}

bool names_cpu(const std::string& controllers) {
  return (',' + controllers + ',').find(",cpu,") != std::string::npos;
}

// A line of /proc/self/cgroup: "HIERARCHY:CONTROLLERS:PATH".
Limit limit_of_line(const std::string& line, const std::string& mounts) {
  const std::size_t first = line.find(':');
  if (first == std::string::npos) return std::nullopt;
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const std::string path = line.substr(second + 1);

  if (controllers.empty()) {
    // Next to version 1, version 2 is mounted in its own folder.
    return smaller(limit_on_path(mounts, path, limit_of_v2),
                   limit_on_path(mounts + "/unified", path, limit_of_v2));
  }
  if (!names_cpu(controllers)) return std::nullopt;
  // The folder is named after the controllers, and usually has a symbolic link "cpu".
  return smaller(limit_on_path(mounts + "/" + controllers, path, limit_of_v1),
                 limit_on_path(mounts + "/cpu", path, limit_of_v1));
}

// ---- The affinity mask

#ifdef __linux__

Limit affinity() {
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  // The kernel refuses a mask that is shorter than its own, and does not report the length of its
  // own.
  constexpr int kMostProcessors = 1 << 20;
  for (int processors = 1024; processors <= kMostProcessors; processors *= 2) {
    const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(static_cast<std::size_t>(processors)));
    if (set == nullptr) return std::nullopt;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(processors));
    if (sched_getaffinity(0, size, set.get()) == 0) {
      return static_cast<unsigned>(CPU_COUNT_S(size, set.get()));
    }
    if (errno != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

#else

Limit affinity() {
  return std::nullopt;
}

#endif

}  // namespace

std::optional<unsigned> cgroup_cpu_limit(const std::string& root) {
  Limit least;
  for (const std::string& line : lines_of(root + "/proc/self/cgroup")) {
    least = smaller(least, limit_of_line(line, root + "/sys/fs/cgroup"));
  }
  return least;
}

unsigned usable_processors() noexcept {
  Limit limit = affinity();
  if (!limit) limit = std::thread::hardware_concurrency();
  return std::max(*limit, 1U);
}

unsigned default_concurrency() noexcept {
  try {
    return smaller(usable_processors(), cgroup_cpu_limit()).value_or(1);
  } catch (...) {
    return 1;  // no memory for a path: one thread needs the least
  }
}

}  // namespace fathom::rt
