// ScanRequest: what one `fathom scan` was asked to do.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "term/terminal.h"

namespace fathom::cli {

enum class Format { text, json, csv };

struct ScanRequest {
  std::vector<std::string> paths;          // never empty: "." unless said
  std::vector<fs::ReportRequest> reports;  // in the order given; with no picture: the default view
  std::vector<std::size_t> pictures;       // of each, how many reports stand before it
  Format format = Format::text;
  std::optional<std::string> output;  // none: standard output
  fs::Measure measure = fs::Measure::disk;
  base::Units units = base::Units::iec;

  fs::Engine engine = fs::Engine::lockfree;
  unsigned threads = 0;  // 0: the engine decides
  bool one_file_system = false;

  When progress = When::automatic;
  When color = When::automatic;
  bool help = false;  // and nothing else
};

}  // namespace fathom::cli
