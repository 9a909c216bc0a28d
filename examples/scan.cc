// fs::scan(): what fills a directory, from a program.

#include <iostream>

#include "fathom/base/bytes.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"

int main(int argc, char** argv) {
  fathom::fs::ScanOptions options;
  options.roots = {argc > 1 ? argv[1] : "."};
  const fathom::fs::Scan found = fathom::fs::scan(options);
  const fathom::fs::Totals totals(found.tree);
  std::cout << options.roots.front() << ": " << totals.whole().entries() << " entries, "
            << fathom::base::format_bytes(totals.whole().disk_bytes) << '\n';
  return found.complete() && totals.whole().files > 0 ? 0 : 1;
}
