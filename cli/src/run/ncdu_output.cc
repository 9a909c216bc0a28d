// NcduOutput: checks the directory to export, and writes the export.

#include "run/ncdu_output.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "fathom/base/path.h"
#include "fathom/fs/ncdu_export.h"
#include "run/version.h"
#include "term/label.h"
#include "term/message.h"

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

}  // namespace

void check_ncdu(const ScanRequest& request) {
  if (!request.from) check_directory(request.paths.front());
}

void write_ncdu(const ScanRequest& request, const fs::Scan& scan, std::int64_t taken,
                const fs::Sink& sink) {
  fs::NcduExport options;
  if (!request.from) {
    const std::string& path = request.paths.front();
    options.root = base::real_path(path).value_or(path);  // a directory above may be unsearchable
  }
  options.version = kVersion;
  options.taken = taken;
  fs::write_ncdu(scan, options, sink);
}

}  // namespace fathom::cli
