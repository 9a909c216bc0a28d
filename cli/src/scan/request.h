// ScanRequest: what one `fathom scan` was asked to do.

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
  std::vector<fs::ReportRequest> reports;  // in the order given; with no picture: the default view
  std::vector<std::size_t> tree_views;     // of each, how many reports stand before it
  Format format = Format::text;
  fs::Measure measure = fs::Measure::disk;
  std::optional<Order> order;     // none: pictures by size, reports as they like
  std::optional<unsigned> depth;  // of the tree view; none: as deep as there is room

  std::optional<std::string> from;  // what was scanned before, instead of a scan

  fs::Engine engine = fs::Engine::lockfree;
  std::uint64_t max_operations = 0;  // a second; 0: no limit
};

}  // namespace fathom::cli
