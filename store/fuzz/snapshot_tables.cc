// Fuzzes what reads the tables of a snapshot: files that are valid Parquet with any values, as a
// damaged or malicious snapshot may have them. They are read, listed, measured, compared with
// themselves and with each other, or refused with a base::Error. Checksums would keep a fuzzer of
// bytes out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diff/compare_files.h"
#include "fathom/base/error.h"
#include "fathom/rt/executor.h"
#include "fathom/store/growth.h"
#include "fathom/store/snapshot.h"
#include "parquet/table_writer.h"
#include "snapshot/directory_columns.h"
#include "snapshot/directory_table.h"
#include "snapshot/entry_columns.h"
#include "snapshot/error_columns.h"
#include "snapshot/list_files.h"
#include "snapshot/snapshot_files.h"
#include "snapshot/tree_loader.h"

namespace store = fathom::store;

namespace {

// The values of the tables, one byte each; zeros at the end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  std::uint8_t next() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// Mostly small numbers, because those can be rows; the modes of a directory and a file; sometimes
// very large or negative ones.
std::int64_t number_of(std::uint8_t byte) {
  if (byte == 0xee) return 0040755;
  if (byte == 0xef) return 0100644;
  if (byte < 0xf0) return byte;
  return byte % 2 == 0 ? -std::int64_t{byte} : std::int64_t{1} << (byte & 0x3f);
}

// A table with these columns, of up to 16 rows.
std::string table_of(const store::Schema& schema, Bytes& bytes, fathom::rt::Executor& executor) {
  constexpr std::string_view kTexts[] = {
      "/a", "a", "b", "", "\xff", "0123456789abcdef", "open", "fedcba9876543210"};
  const std::size_t rows = bytes.next() % 17;
  std::vector<store::Values> columns(schema.columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const store::Column& column = schema.columns[i];
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint8_t byte = bytes.next();
      const bool present = !column.optional || byte % 4 != 3;
      if (column.optional) columns[i].present.push_back(present ? 1 : 0);
      if (!present) continue;
      if (store::is_text(column.type)) {
        columns[i].texts.push_back(kTexts[byte % std::size(kTexts)]);
      } else {
        columns[i].numbers.push_back(number_of(byte));
      }
    }
  }
  std::string file;
  const fathom::fs::Sink sink = [&file](std::string_view block) { return file += block, true; };
  store::TableWriter table(executor, schema, sink);
  if (rows > 0) {
    table.add(rows, [&](std::size_t column, std::size_t, store::Values& values) {
      values = columns[column];
    });
  }
  table.finish();
  return file;
}

store::LazyTable open_table(const std::string& file, const store::Schema& schema) {
  const auto read = [&file](std::uint64_t offset, std::span<char> buffer) {
    std::memcpy(buffer.data(), file.data() + offset, buffer.size());
  };
  return {{.size = file.size(), .read = read}, schema, "table"};
}

// The files of a snapshot with the root "/a".
class Made {
 public:
  Made(Bytes& bytes, fathom::rt::Executor& executor)
      : entries_(table_of(store::entries_schema(), bytes, executor)),
        directories_(table_of(store::directories_schema(), bytes, executor)),
        errors_(table_of(store::errors_schema(), bytes, executor)) {}

  // Valid as long as this object.
  [[nodiscard]] store::Snapshot open() const {
    std::unique_ptr<store::Snapshot::Files> files(new store::Snapshot::Files{
        .meta = {},
        .name = "snapshot",
        .entries = open_table(entries_, store::entries_schema()),
        .directories = open_table(directories_, store::directories_schema()),
        .errors = open_table(errors_, store::errors_schema())});
    files->meta.roots = {"/a"};
    files->meta.errors = 1;  // so that they are read
    return store::Snapshot(std::move(files));
  }

 private:
  const std::string entries_;
  const std::string directories_;
  const std::string errors_;
};

template <class Function>
void try_to(const Function& function) {
  try {
    function();
  } catch (const fathom::base::Error&) {
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fathom::rt::Executor executor({.threads = 1});
  Bytes bytes(data, size);
  const Made one_made(bytes, executor);
  const Made other_made(bytes, executor);
  const store::Snapshot one_opened = one_made.open();
  const store::Snapshot other_opened = other_made.open();
  const store::Snapshot::Files& one = one_opened.files();
  const store::Snapshot::Files& other = other_opened.files();
  try_to([&] { static_cast<void>(store::load_scan(one)); });
  try_to([&] { static_cast<void>(store::DirectoryTable(one.directories).find("/a/b")); });
  for (const char* path : {"", "/a", "/a/b"}) {
    for (const auto order : {store::ListingOrder::size, store::ListingOrder::owner}) {
      try_to([&] { static_cast<void>(store::list_files(one, {.path = path, .order = order})); });
    }
    try_to([&] {
      const auto open = [&](std::size_t i) { return (i == 0 ? one_made : other_made).open(); };
      static_cast<void>(store::measure_growth(2, open, {.path = path, .depth = 3}, executor));
    });
  }
  try_to([&] { static_cast<void>(store::compare_files(one, one, {}, executor)); });
  try_to([&] {
    static_cast<void>(store::compare_files(
        one, other, {.path = "/a/b", .by_owner = true, .by_extension = true}, executor));
  });
  try_to([&] { static_cast<void>(store::compare_files(one, other, {}, executor)); });
  return 0;
}
