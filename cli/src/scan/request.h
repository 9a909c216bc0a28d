// ScanRequest: what one `fathom scan` was asked to do.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "scan/order.h"
#include "scan/select_request.h"
#include "term/terminal.h"

namespace fathom::cli {

enum class Format { text, json, csv, ncdu };

enum class Help { none, brief, full };

struct ScanRequest {
  std::vector<std::string> paths;          // never empty: "." unless said
  std::vector<fs::ReportRequest> reports;  // in the order given; with no picture: the default view
  std::vector<std::size_t> pictures;       // of each, how many reports stand before it
  Format format = Format::text;
  std::optional<std::string> output;  // none: standard output
  fs::Measure measure = fs::Measure::disk;
  base::Units units = base::Units::iec;
  std::optional<Order> order;     // none: pictures by size, reports as they like
  std::optional<unsigned> depth;  // of pictures; none: as deep as there is room
  std::size_t top = 0;            // lines of each list and picture; 0: as they like
  bool plain = false;

  std::optional<std::string> from;  // what was scanned before, instead of a scan
  SelectRequest select;

  fs::Engine engine = fs::Engine::lockfree;
  unsigned threads = 0;  // 0: the engine decides
  bool one_file_system = false;
  bool nice = false;                 // others go first
  std::uint64_t max_operations = 0;  // a second; 0: no limit

  When progress = When::automatic;
  When color = When::automatic;
  Help help = Help::none;  // other than none: and nothing else
};

}  // namespace fathom::cli
