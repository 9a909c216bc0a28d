// NcduOutput: checks for --format ncdu, and writing the export.

#include "scan/ncdu_output.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>

#include "fathom/fs/ncdu_export.h"
#include "message.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

void check_directory(const std::string& path) {
  struct stat found = {};
  // Does not follow links, like a scan.
  if (::lstat(path.c_str(), &found) != 0) {
    throw UsageError("cannot export " + escaped(path) + ": " +
                     std::generic_category().message(errno));
  }
  if (!S_ISDIR(found.st_mode)) {
    throw UsageError("--format ncdu exports a directory, but " + escaped(path) + " is not one");
  }
}

// The path itself if it cannot be resolved, for example because a directory cannot be searched.
std::string absolute(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> found(::realpath(path.c_str(), nullptr), std::free);
  return found == nullptr ? path : std::string(found.get());
}

}  // namespace

void check_ncdu(const ScanRequest& request) {
  if (!request.reports.empty() || !request.tree_views.empty()) {
    throw UsageError("--format ncdu exports the tree, not reports; remove the report option");
  }
  if (request.from) return;
  if (request.paths.size() > 1) {
    throw UsageError("--format ncdu can hold only one directory; scan each PATH separately");
  }
  check_directory(request.paths.front());
}

void write_ncdu(const ScanRequest& request, const fs::Scan& scan, std::int64_t taken,
                const fs::Sink& sink) {
  fs::NcduExport options;
  if (!request.from) options.root = absolute(request.paths.front());
  options.version = FATHOM_VERSION;
  options.taken = taken;
  fs::write_ncdu(scan, options, sink);
}

}  // namespace fathom::cli
