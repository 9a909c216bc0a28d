// SnapshotRequest: the parsed arguments of `fathom snapshot`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/store/retention.h"
#include "flags/common_request.h"

namespace fathom::cli {

struct SnapshotRequest : CommonRequest {
  std::string tag;                       // empty: none
  std::optional<store::KeepRules> keep;  // which snapshots stay; none: all
  bool dry_run = false;
  bool incremental = false;             // begin with the latest snapshot
  std::optional<std::string> textfile;  // for node_exporter
  std::optional<std::string> parts;     // the folder of the parts to join instead of scanning
  bool partial = false;                 // even if some are missing
  bool dies_with_parent = false;
  std::vector<std::string> selection;  // the flags that decide what counts, as given

  std::uint64_t max_operations = 0;  // per second; 0: no limit
};

}  // namespace fathom::cli
