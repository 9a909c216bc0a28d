// NodeMetrics: the totals of a snapshot for the textfile collector of node_exporter.

#pragma once

#include <string>

#include "fathom/fs/scan.h"
#include "fathom/store/snapshot.h"

namespace fathom::cli {

// In the text format of Prometheus: a gauge for each root, and one for each filesystem that a root
// is on. `meta` is of the snapshot of that scan.
[[nodiscard]] std::string node_metrics(const fs::Scan& scan, const store::SnapshotMeta& meta);

}  // namespace fathom::cli
