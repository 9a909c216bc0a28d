// ScanRequest: the parsed arguments of `fathom scan`.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/moment.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "flags/common_request.h"
#include "flags/order.h"
#include "flags/shard_request.h"

namespace fathom::cli {

enum class Format { text, json, csv, ncdu, parquet };

// Whether the format has the tree itself instead of reports.
[[nodiscard]] constexpr bool is_export(Format format) {
  return format == Format::ncdu || format == Format::parquet;
}

// A report, and the moment that stands for ReportRequest::within until the time of the scan is
// known.
struct AskedReport : fs::ReportRequest {
  std::optional<base::Moment> since;
};

struct ScanRequest : CommonRequest {
  // Without reports and tree views: the default view.
  std::vector<AskedReport> reports;     // in the order given
  std::vector<std::size_t> tree_views;  // for each, the number of reports before it; ascending
  Format format = Format::text;
  fs::Measure measure = fs::Measure::disk;
  std::optional<Order> order;     // none: tree views by size, reports in their own order
  std::optional<unsigned> depth;  // of the tree view; none: as many levels as fit
  bool all_levels = false;        // of --largest-dirs as text; other formats always have all
  bool verbose = false;           // every row of --explain as text, in exact bytes

  std::uint64_t max_operations = 0;  // per second; 0: no limit
  ShardRequest shard;
};

}  // namespace fathom::cli
