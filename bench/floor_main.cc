// fathom-floor: the minimum cost of scanning a directory. lab/experiments/scan.toml compares the
// scanners with it.

#include <sys/resource.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "floor.h"

namespace {

constexpr int kUnreadable = 1;
constexpr int kWrongUsage = 2;

constexpr char kHelp[] =
    "usage: fathom-floor DIR [-j N]\n"
    "\n"
    "Lists DIR with getdents64, examines each entry once, and keeps only the sums.\n"
    "-j N: number of threads (default: 2). Prints the number of entries, the bytes that they\n"
    "use on disk (a file with two names counts twice), and their apparent size in bytes.\n";

struct Arguments {
  std::string root;
  unsigned threads = 2;
};

std::optional<unsigned> parse_threads(std::string_view text) {
  constexpr unsigned kMost = 1024;
  unsigned threads = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, threads);
  if (error != std::errc() || stop != end || threads < 1 || threads > kMost) return std::nullopt;
  return threads;
}

std::optional<Arguments> parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string_view value = values[i];
    if (value == "-j" && i + 1 < count) {
      const auto threads = parse_threads(values[++i]);
      if (!threads) return std::nullopt;
      arguments.threads = *threads;
    } else if (value.starts_with('-') || !arguments.root.empty()) {
      return std::nullopt;
    } else {
      arguments.root = value;
    }
  }
  if (arguments.root.empty()) return std::nullopt;
  return arguments;
}

void allow_many_descriptors() {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int run(const Arguments& arguments) {
  allow_many_descriptors();
  const auto sums = fathom::bench::scan_floor(arguments.root, arguments.threads);
  std::printf("%ju entries\n%ju bytes\n%ju apparent bytes\n", std::uintmax_t{sums.entries},
              std::uintmax_t{sums.disk_bytes}, std::uintmax_t{sums.apparent_bytes});
  if (sums.unreadable == 0) return 0;
  std::fprintf(stderr, "fathom-floor: could not read: %ju\n", std::uintmax_t{sums.unreadable});
  return kUnreadable;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(kHelp, stdout) < 0;
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    return std::puts("fathom-floor " FATHOM_VERSION) < 0;
  }
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    std::fputs(kHelp, stderr);
    return kWrongUsage;
  }
  try {
    return run(*arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fathom-floor: %s\n", error.what());
    return kWrongUsage;
  }
}
