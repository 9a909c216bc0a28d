// Support for tests of damaged snapshots: tables with other values, which are Parquet files without
// a fault.

#pragma once

#include <cstddef>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compared.h"
#include "parquet/file_reader.h"
#include "parquet/table_writer.h"

namespace fathom::store {

// Writes a table of one row group again, after its values, by column, have been changed.
inline void rewrite(const std::string& path, const Schema& schema,
                    const std::function<void(std::vector<Values>& columns)>& change) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  const RandomInput input = {.size = bytes.size(),
                             .read = [&](std::uint64_t offset, std::span<char> buffer) {
                               std::memcpy(buffer.data(), bytes.data() + offset, buffer.size());
                             }};
  const ParquetReader file(input, schema);
  std::deque<ChunkDecoder> decoders;
  std::vector<Values> columns(schema.columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    decoders.emplace_back(file).read(0, i, 0, file.rows(0), columns[i]);
  }
  change(columns);
  std::string written;
  const fs::Sink sink = [&](std::string_view block) { return written += block, true; };
  TableWriter table(executor(), schema, sink);
  table.add(file.rows(0),
            [&](std::size_t column, std::size_t, Values& values) { values = columns[column]; });
  table.finish();
  std::ofstream(path, std::ios::binary) << written;
}

}  // namespace fathom::store
