// Status: how far a scan is, as docs/HTTP.md describes the object of /api/1/status and of events.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/snapshot.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/scan.h"

namespace fathom::web {

enum class ScanState : std::uint8_t { scanning, complete, interrupted, failed };
enum class ScanSource : std::uint8_t { scan, file };

// All of it but generation, totals and accuracy, which are a snapshot's.
struct Status {
  std::string version = {};  // Fathom's
  ScanState state = ScanState::scanning;
  ScanSource source = ScanSource::scan;
  std::vector<std::string> roots = {};  // bytes
  fs::Measure measure = fs::Measure::disk;
  std::optional<fs::Progress> progress = {};  // nothing where no scan runs
  std::int64_t taken = 0;                     // until there is a snapshot, which knows better
  std::string message = {};                   // why it failed
  bool can_rescan = false;
  bool can_find_duplicates = false;
};

// snapshot is null before the first: then the generation is 0, all counts are 0 and nothing is
// complete. One line, as an event needs it; no newline at its end.
[[nodiscard]] std::string status_json(const Status& status, const Snapshot* snapshot);

}  // namespace fathom::web
