// Subject: what a server shows: a scan that it makes itself, or one that was saved.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fathom/fs/measure.h"
#include "fathom/fs/ncdu_import.h"
#include "fathom/fs/scan.h"

namespace fathom::web {

struct Subject {
  // What to scan, now and again. Its cancel, progress and selection are the server's to set.
  fs::ScanOptions scan;
  // What of it, when it is scanned at that moment; ages are counted from there. Null: all.
  fs::SelectionAt selection;
  // Instead: what was scanned before, and when, in seconds since the epoch. Null: nothing.
  std::shared_ptr<fs::Scan> saved;
  std::int64_t taken = 0;
  // Which bytes the page shows first.
  fs::Measure measure = fs::Measure::disk;
  // Fathom's, as the status tells it.
  std::string version;
};

}  // namespace fathom::web
