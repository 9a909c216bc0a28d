// Fuzzes ParquetReader with whole files: any bytes are read or refused with a base::Error.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "fathom/base/error.h"
#include "parquet/file_reader.h"
#include "snapshot/entry_columns.h"

namespace store = fathom::store;

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = [bytes](std::uint64_t offset, std::span<char> buffer) {
    std::memcpy(buffer.data(), bytes.data() + offset, buffer.size());
  };
  try {
    const store::ParquetReader file({.size = size, .read = read}, store::entries_schema());
    store::ChunkDecoder decoder(file);
    store::Values values;
    for (std::size_t group = 0; group < file.groups(); ++group) {
      for (std::size_t column = 0; column < file.columns().size(); ++column) {
        decoder.read(group, column, 0, file.rows(group), values);
        decoder.read(group, column, file.rows(group) / 2, 1, values);
      }
    }
  } catch (const fathom::base::Error&) {
  }
  return 0;
}
