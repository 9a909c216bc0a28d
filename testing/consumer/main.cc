// Uses each installed part once: scans the directory it is given, and checks that the result makes
// sense.

#include <cstdint>
#include <iostream>

#include "fathom/base/atomic.h"
#include "fathom/base/bytes.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace {

// The sum of the numbers below n, each added by a task of its own.
std::uint64_t sum_below(std::uint64_t n) {
  fathom::base::atomic<std::uint64_t> sum{0};
  fathom::rt::Executor executor({.threads = 2});
  fathom::rt::TaskGroup group(executor);
  for (std::uint64_t i = 0; i < n; ++i) group.run([&sum, i] { sum += i; });
  group.wait();
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (sum_below(100) != 4950) return 3;

  fathom::fs::ScanOptions options;
  options.roots = {argv[1]};
  const fathom::fs::Scan found = fathom::fs::scan(options);
  const fathom::fs::Totals totals(found.tree);
  std::cout << argv[1] << ": " << totals.whole().entries() << " entries, "
            << fathom::base::format_bytes(totals.whole().disk_bytes) << '\n';
  return found.complete() && totals.whole().files > 0 ? 0 : 1;
}
