// Graft: a scan in which one directory is replaced by a newer scan of it.

#pragma once

#include "fathom/fs/scan.h"
#include "model/update.h"

namespace fathom::tui {

struct Grafted {
  fs::Scan scan;
  Renumbering numbers;  // from those of the old scan
};

// `fresh` is a scan of the directory alone. If it found nothing, the directory is gone. Entries in
// the directory keep their identity by name.
[[nodiscard]] Grafted graft(const fs::Scan& old, fs::DirId at, const fs::Scan& fresh);

}  // namespace fathom::tui
