// SavedScan: reads a saved scan instead of scanning (--from).

#pragma once

#include <cstdint>
#include <string>

#include "fathom/fs/ncdu_import.h"
#include "fathom/fs/scan.h"
#include "flags/common_request.h"

namespace fathom::cli {

// What it says about the machine and the time of the scan.
struct SavedOrigin {
  std::string host;           // empty: unknown
  bool knows_inodes = false;  // the inode numbers are those of the files
  std::int64_t began_ns = 0;  // nanoseconds since the epoch; 0: unknown
};

struct SavedScan {
  fs::Scan scan;
  std::int64_t taken = 0;  // when it was made, in seconds since the epoch; now, if that is unknown
  SavedOrigin origin;
};

// Whether --from names a snapshot, not an export.
[[nodiscard]] bool names_snapshot(const std::string& from);

// Reads what --from names: a snapshot of the store ("@latest") or the directory of one, an export,
// or standard input for "-". The selection is that at the time of the saved scan. Throws UsageError
// if it cannot be read, or if it is a snapshot, of which nothing can be left out; nothing has been
// done then.
[[nodiscard]] SavedScan read_saved(const CommonRequest& request, const fs::SelectionAt& selection);

// The same for a scan whose files are read afterwards: throws UsageError also for an export, which
// does not say which inode a file is, and for a snapshot of another host.
[[nodiscard]] SavedScan read_saved_here(const CommonRequest& request,
                                        const fs::SelectionAt& selection);

}  // namespace fathom::cli
