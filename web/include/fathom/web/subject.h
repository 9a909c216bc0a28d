// Subject: what a server shows: a new scan, or a saved one.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/fs/ncdu_import.h"
#include "fathom/fs/scan.h"

namespace fathom::web {

struct Subject {
  // What to scan, possibly several times. The server sets cancel, progress, selection and
  // max_descriptors.
  fs::ScanOptions scan;
  // Makes the selection for a scan at a time, to which ages are relative. Null: everything.
  fs::SelectionAt selection;
  // The same in words, to compare it with those of snapshots: what store::SnapshotMeta has.
  std::vector<std::string> selection_words;
  // Whether to follow the filesystems, and to show what changes.
  bool live = false;
  // A saved scan to show instead, and its time in seconds since the epoch. Null: none.
  std::shared_ptr<fs::Scan> saved;
  std::int64_t taken = 0;
  // The directory of a store of snapshots, which need not exist; empty: none.
  std::string store;
  // The measure that the page shows at first.
  fs::Measure measure = fs::Measure::disk;
  // The version of Fathom, for the status.
  std::string version;
};

}  // namespace fathom::web
