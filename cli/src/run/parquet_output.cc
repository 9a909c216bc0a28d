// ParquetOutput: absolute paths, and identities of filesystems.

#include "run/parquet_output.h"

#include <string>

#include "fathom/fs/filesystem_id.h"
#include "fathom/rt/executor.h"
#include "fathom/store/parquet.h"
#include "run/path.h"
#include "term/message.h"
#include "term/terminal.h"

namespace fathom::cli {

void check_parquet(const Output& output) {
  if (output.descriptor() < 0 || !is_terminal(output.descriptor())) return;
  throw UsageError("--format parquet writes bytes that a terminal cannot show: add -o FILE");
}

void write_parquet(const ScanRequest& request, const fs::Scan& scan, const fs::Sink& sink) {
  store::ParquetOptions options;
  if (!request.from) {
    options.filesystems = fs::filesystem_ids(scan.tree);
    for (const std::string& root : scan.roots) options.roots.push_back(path_of_root(root));
  }
  rt::Executor executor({.name = "fathom-write"});
  store::write_parquet(scan, options, executor, sink);
}

}  // namespace fathom::cli
