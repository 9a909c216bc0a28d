// EntryRows: which pages are needed, and their values.

#include "snapshot/entry_rows.h"

#include <cstdint>

namespace fathom::store {

std::size_t EntryRows::Part::rows() const {
  std::size_t rows = 0;
  for (const RowInterval& interval : wanted) rows += interval.size();
  return rows;
}

EntryRows::EntryRows(const LazyTable& file)
    : file_(file), decoders_(entries_schema().columns.size()) {}

EntryRows::~EntryRows() = default;

std::vector<EntryRows::Part> EntryRows::parts(std::span<const RowInterval> rows) const {
  const ParquetReader& reader = file_.get();
  const std::size_t page_rows = entries_schema().page_rows;
  std::vector<Part> parts;
  for (RowInterval left : rows) {
    while (left.begin < left.end) {
      const std::size_t group = reader.group_of(left.begin);
      const std::uint64_t first = reader.first_row(group);
      const std::uint64_t limit = reader.rows(group);
      const RowInterval in_group = {.begin = left.begin - first,
                                    .end = std::min(left.end - first, limit)};
      const RowInterval pages = {
          .begin = in_group.begin / page_rows * page_rows,
          .end = std::min((in_group.end + page_rows - 1) / page_rows * page_rows, limit)};
      // A page between two parts is not decoded.
      if (parts.empty() || group != parts.back().group || pages.begin > parts.back().pages.end) {
        parts.push_back({.group = group, .pages = pages, .wanted = {}});
      }
      Part& part = parts.back();
      part.pages.end = std::max(part.pages.end, pages.end);
      part.wanted.push_back(
          {.begin = in_group.begin - part.pages.begin, .end = in_group.end - part.pages.begin});
      left.begin = first + in_group.end;
    }
  }
  return parts;
}

const Values& EntryRows::decode(EntryColumn column, const Part& part) {
  auto& decoder = decoders_[static_cast<std::size_t>(column)];
  if (decoder == nullptr) decoder = std::make_unique<ChunkDecoder>(file_.get());
  reading(file_.label(), [&] {
    decoder->read(part.group, static_cast<std::size_t>(column),
                  static_cast<std::size_t>(part.pages.begin),
                  static_cast<std::size_t>(part.pages.size()), values_);
  });
  return values_;
}

}  // namespace fathom::store
