// DiffRequest: the parsed arguments of `fathom diff`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/store/diff_report.h"
#include "flags/common_request.h"

namespace fathom::cli {

enum class DiffFormat : std::uint8_t { text, json, csv };

struct DiffRequest : CommonRequest {
  std::vector<std::string> words;  // A, B and PATH, as far as they are given
  std::vector<store::DiffBy> by;   // never empty: by directory by default
  DiffFormat format = DiffFormat::text;
  fs::Measure measure = fs::Measure::disk;
  std::optional<unsigned> depth;  // none: as many levels as fit
};

}  // namespace fathom::cli
