// ScanRequest: the parsed arguments of `fathom scan`.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "flag/common_request.h"
#include "scan/order.h"

namespace fathom::cli {

enum class Format { text, json, csv, ncdu };

struct ScanRequest : CommonRequest {
  // Without reports and tree views: the default view.
  std::vector<fs::ReportRequest> reports;  // in the order given
  std::vector<std::size_t> tree_views;     // for each, the number of reports before it; ascending
  Format format = Format::text;
  fs::Measure measure = fs::Measure::disk;
  std::optional<Order> order;     // none: tree views by size, reports in their own order
  std::optional<unsigned> depth;  // of the tree view; none: as many levels as fit

  std::optional<std::string> from;  // the file of a saved scan to read instead of scanning

  fs::Engine engine = fs::Engine::lockfree;
  std::uint64_t max_operations = 0;  // per second; 0: no limit
};

}  // namespace fathom::cli
