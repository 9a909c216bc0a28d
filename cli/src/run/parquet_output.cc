// ParquetOutput: absolute paths, and identities of filesystems.

#include "run/parquet_output.h"

#include <string>
#include <vector>

#include "fathom/base/path.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/rt/executor.h"
#include "fathom/store/parquet.h"
#include "term/message.h"
#include "term/terminal.h"

namespace fathom::cli {

namespace {

// The absolute path of a root without symbolic links above it. A root that is a symbolic link
// itself was not followed. The path as given, if a directory above may not be searched.
std::string absolute(const std::string& root) {
  const std::size_t slash = root.rfind('/');
  const std::string name = root.substr(slash + 1);  // npos + 1 is 0
  if (name.empty() || name == "." || name == "..") return base::real_path(root).value_or(root);
  const std::string above = slash == std::string::npos ? "." : root.substr(0, slash + 1);
  const auto resolved = base::real_path(above);
  if (!resolved) return root;
  return *resolved + (resolved->ends_with('/') ? "" : "/") + name;
}

}  // namespace

void check_parquet(const Output& output) {
  if (output.descriptor() < 0 || !is_terminal(output.descriptor())) return;
  throw UsageError("--format parquet writes bytes that a terminal cannot show: add -o FILE");
}

void write_parquet(const ScanRequest& request, const fs::Scan& scan, const fs::Sink& sink) {
  store::ParquetOptions options;
  if (!request.from) {
    options.filesystems = fs::filesystem_ids(scan.tree);
    for (const std::string& root : scan.roots) options.roots.push_back(absolute(root));
  }
  rt::Executor executor({.name = "fathom-write"});
  store::write_parquet(scan, options, executor, sink);
}

}  // namespace fathom::cli
