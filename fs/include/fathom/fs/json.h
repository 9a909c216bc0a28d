// The JSON form of a scan and of its reports: schema fathom.scan/1, as docs/JSON.md describes it.
//
// Sizes are integers in bytes, times are seconds since the epoch, keys stand in a fixed order. A
// path that is not UTF-8 is written with U+FFFD for what is not, and beside it path_b64 has its
// bytes.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"

namespace fathom::fs {

enum class ReportKind : std::uint8_t { summary, largest_files, largest_dirs, errors };

struct ReportRequest {
  ReportKind kind = ReportKind::summary;
  std::size_t count = 0;  // of the largest_ reports
};

// One JSON object and a newline. The reports stand in it in the order of the requests; of two
// of one kind the first.
[[nodiscard]] std::string to_json(const Scan& scan, const Totals& totals,
                                  const std::vector<ReportRequest>& reports, Measure measure);

}  // namespace fathom::fs
