// ExplainRows: the rows of fs::explain() in words, without those that explain nothing.
//
// A row explains nothing if its size is 0 or less than 0.1% of the used space, or if it is unknown
// while less than 1% of the used space, which it could explain, is the rest. The size, the free and
// used space, and what was found are always there. Small deleted files have a row in common, and so
// have all mounts that may hide something.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/table.h"

namespace fathom::cli {

// A part of the text of a row: words, or a name, which is not broken but may be shortened.
struct ExplainPart {
  std::string bytes;
  bool is_name = false;
};

struct ExplainRow {
  std::optional<std::int64_t> bytes;  // nothing: unknown
  unsigned depth;                     // 0: the size; 1: a part of it; 2: a part of the used space
  std::vector<ExplainPart> words;
};

// The rows of one filesystem.
struct ExplainLedger {
  std::string filesystem;  // where it is mounted
  std::string type;        // empty: unknown
  std::vector<ExplainRow> rows;
  std::vector<std::string> notes;  // sentences
  std::size_t left_out = 0;        // rows
};

enum class ExplainDetail { notable, all };

// The absolute value, also of the smallest number.
[[nodiscard]] std::uint64_t magnitude(std::int64_t number);

// A size: "1.0 MiB", or "1,048,576" if everything is shown.
[[nodiscard]] std::string explain_size(std::uint64_t bytes, base::Units units,
                                       ExplainDetail detail);

// Requires: the table was made by fs::explain().
[[nodiscard]] std::vector<ExplainLedger> explain_ledgers(const fs::Table& table, base::Units units,
                                                         ExplainDetail detail);

}  // namespace fathom::cli
