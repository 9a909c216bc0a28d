// fathom-compare-snapshots: compares two snapshots, and prints the balance and the seconds that it
// took.
//
//   fathom-compare-snapshots BEFORE AFTER

#include <chrono>
#include <cstdio>
#include <exception>

#include "fathom/base/clock.h"
#include "fathom/rt/executor.h"
#include "fathom/store/diff.h"

int main(int count, char** arguments) {
  using namespace fathom;
  if (count != 3) {
    std::fputs("usage: fathom-compare-snapshots BEFORE AFTER\n", stderr);
    return 2;
  }
  try {
    rt::Executor executor({.name = "compare"});
    const auto start = base::MonotonicClock::now();
    const store::Diff diff = store::compare(store::Snapshot::open(arguments[1]),
                                            store::Snapshot::open(arguments[2]), {}, executor);
    const std::chrono::duration<double> seconds = base::MonotonicClock::now() - start;
    std::printf("change %lld, changed %llu, directories %zu, seconds %.4f\n",
                static_cast<long long>(diff.balance.total()),
                static_cast<unsigned long long>(diff.changed.count), diff.directories.size(),
                seconds.count());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fathom-compare-snapshots: %s\n", error.what());
    return 2;
  }
}
