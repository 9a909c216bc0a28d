// fathom-read-floor: the minimum cost of finding duplicates. lab/experiments/duplicates.toml
// compares fathom and other programs with it.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "read_floor.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    return std::puts("fathom-read-floor " FATHOM_VERSION) < 0;
  }
  if (argc != 2 && argc != 3) {
    std::fputs("usage: fathom-read-floor DIR [THREADS]\n", stderr);
    return 2;
  }
  try {
    const int threads = argc == 3 ? std::atoi(argv[2]) : 2;
    const auto sums =
        fathom::bench::read_floor(argv[1], static_cast<unsigned>(std::clamp(threads, 1, 1024)));
    std::printf("%ju files\n%ju bytes\n%.3f s read\n%jx hash\n", std::uintmax_t{sums.files},
                std::uintmax_t{sums.bytes}, sums.seconds, std::uintmax_t{sums.hash});
    if (sums.failed == 0) return 0;
    std::fprintf(stderr, "fathom-read-floor: could not read: %ju\n", std::uintmax_t{sums.failed});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fathom-read-floor: %s\n", error.what());
  }
  return 1;
}
