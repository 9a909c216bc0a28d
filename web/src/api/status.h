// Status: the state of a scan, as docs/HTTP.md documents it for /api/1/status and events.

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

// A server that follows its filesystems.
struct LiveStatus {
  // Reports were lost, or mounts have changed: everything is scanned again.
  bool rescanning = false;
  std::vector<std::string> not_followed = {};  // mount points in the scan; bytes
};

// Everything except generation, totals and accuracy, which come from a snapshot.
struct Status {
  std::string version = {};  // of Fathom
  ScanState state = ScanState::scanning;
  ScanSource source = ScanSource::scan;
  std::vector<std::string> roots = {};  // bytes
  fs::Measure measure = fs::Measure::disk;
  std::optional<fs::Progress> progress = {};  // only while a scan runs
  std::int64_t taken = 0;                     // used only if there is no snapshot yet
  std::string message = {};                   // why the scan failed
  std::optional<LiveStatus> live = {};
  bool can_rescan = false;
  bool can_find_duplicates = false;
};

// snapshot is null before the first one: then the generation and all counts are 0, and `complete`
// is false. The result is one line, as events require, without a newline.
[[nodiscard]] std::string status_json(const Status& status, const Snapshot* snapshot,
                                      bool can_apply = false);

}  // namespace fathom::web
