// Streams of the Arrow C interface, as a reader in another language calls them. python/test
// compares every value.

#include "fathom/store/arrow.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "damaged.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/testing/temp_tree.h"
#include "snapshot/entry_columns.h"

namespace fathom::store {
namespace {

// Reads a stream as a library does, and releases everything.
class Reader {
 public:
  explicit Reader(ArrowArrayStream& stream) : stream_(stream) {
    EXPECT_EQ(stream_.get_schema(&stream_, &schema_), 0);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    release_batch();
    schema_.release(&schema_);
    stream_.release(&stream_);
  }

  [[nodiscard]] std::vector<std::string> columns() const {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < schema_.n_children; ++i) {
      names.push_back(std::string(schema_.children[i]->name) + ':' + schema_.children[i]->format);
    }
    return names;
  }

  // Whether there is another batch. Ends at an error.
  bool next() {
    release_batch();
    error_ = stream_.get_next(&stream_, &batch_);
    return error_ == 0 && batch_.release != nullptr;
  }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::string message() const { return stream_.get_last_error(&stream_); }
  [[nodiscard]] std::int64_t rows() const { return batch_.length; }
  [[nodiscard]] const ArrowArray& column(std::size_t index) const {
    return *batch_.children[index];
  }

  [[nodiscard]] std::string text(std::size_t index, std::size_t row) const {
    const ArrowArray& array = column(index);
    const char* const view = static_cast<const char*>(array.buffers[1]) + row * 16;
    std::int32_t length = 0;
    std::memcpy(&length, view, sizeof length);
    if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
    std::int32_t place[2];
    std::memcpy(place, view + 8, sizeof place);
    const auto* const block = static_cast<const char*>(array.buffers[2 + place[0]]);
    EXPECT_EQ(std::memcmp(view + 4, block + place[1], 4), 0);
    return {block + place[1], static_cast<std::size_t>(length)};
  }

 private:
  void release_batch() {
    if (batch_.release != nullptr) batch_.release(&batch_);
  }

  ArrowArrayStream& stream_;
  ArrowSchema schema_{};
  ArrowArray batch_{};
  int error_ = 0;
};

class Arrow : public ::testing::Test {
 protected:
  Arrow() {
    tree_.file("a", 5);
    tree_.file("a longer name of a file", 70'000);
    tree_.file("folder/b", 0);
  }

  [[nodiscard]] std::shared_ptr<const fs::Scan> scanned() const {
    fs::ScanOptions options;
    options.roots = {tree_.path()};
    options.read_times = true;
    return std::make_shared<const fs::Scan>(fs::scan(options));
  }

  [[nodiscard]] std::shared_ptr<const EntryTable> table() {
    return std::make_shared<const EntryTable>(scanned(), EntryTableOptions(), executor_);
  }

  testing::TempTree tree_;
  rt::Executor executor_{{.threads = 2}};
};

TEST_F(Arrow, EntriesComeInPreorderWithLongAndShortNames) {
  ArrowArrayStream stream;
  stream_entries(table(), {"name", "id", "uid", "name_raw"}, stream);
  Reader reader(stream);
  EXPECT_EQ(reader.columns(),
            (std::vector<std::string>{"name:vu", "id:L", "uid:I", "name_raw:vz"}));
  ASSERT_TRUE(reader.next());
  ASSERT_EQ(reader.rows(), 5);
  EXPECT_EQ(reader.text(0, 0), tree_.path());
  EXPECT_EQ(reader.text(0, 1), "a");
  EXPECT_EQ(reader.text(0, 2), "a longer name of a file");
  EXPECT_EQ(reader.text(0, 4), "b");
  EXPECT_EQ(static_cast<const std::uint64_t*>(reader.column(1).buffers[1])[4], 4U);
  EXPECT_EQ(reader.column(2).null_count, 0);
  EXPECT_EQ(reader.column(2).buffers[0], nullptr);
  EXPECT_EQ(reader.column(3).null_count, 5);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.error(), 0);
}

TEST_F(Arrow, AStreamKeepsWhatItReads) {
  ArrowArrayStream stream;
  stream_entries(table(), {}, stream);  // nobody else has the table
  Reader reader(stream);
  EXPECT_EQ(reader.columns().size(), EntryTable::columns().size());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.rows(), 5);
}

TEST_F(Arrow, AReaderMayTakeAColumnAndReleaseTheBatch) {
  ArrowArrayStream stream;
  stream_entries(table(), {"name", "size"}, stream);
  ArrowArray batch;
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  ArrowArray taken = *batch.children[1];
  batch.children[1]->release = nullptr;
  batch.release(&batch);
  stream.release(&stream);
  EXPECT_EQ(static_cast<const std::int64_t*>(taken.buffers[1])[2], 70'000);
  taken.release(&taken);
}

TEST_F(Arrow, AnUnknownColumnIsRefused) {
  ArrowArrayStream stream;
  EXPECT_THROW(stream_entries(table(), {"nam"}, stream), base::Error);
}

TEST_F(Arrow, SnapshotsAreStreamedAsTheyWereScanned) {
  const std::shared_ptr<const fs::Scan> scan = scanned();
  SnapshotOptions options;
  options.meta.roots = {tree_.path()};
  options.group_rows = 2;
  const auto snapshot = std::make_shared<const Snapshot>(Snapshot::of(*scan, options, executor_));
  ArrowArrayStream stream;
  stream_entries(snapshot, {"name", "size"}, stream);
  Reader reader(stream);
  std::vector<std::string> names;
  while (reader.next()) {
    for (std::int64_t i = 0; i < reader.rows(); ++i) {
      names.push_back(reader.text(0, static_cast<std::size_t>(i)));
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{tree_.path(), "a", "a longer name of a file", "folder",
                                             "b"}));
}

TEST_F(Arrow, TextsOfASnapshotThatAreNotUtf8AreRefused) {
  const std::shared_ptr<const fs::Scan> scan = scanned();
  SnapshotOptions options;
  options.meta.roots = {tree_.path()};
  const testing::TempTree kept;
  const base::Fd folder(::open(kept.path().c_str(), O_RDONLY | O_DIRECTORY));
  write_snapshot(*scan, options, executor_, folder.get());
  rewrite(kept.path("entries.parquet"), entries_schema(), [](std::vector<Values>& columns) {
    columns[static_cast<std::size_t>(EntryColumn::name)].texts[1] = "\xff and more bytes";
  });
  ArrowArrayStream stream;
  stream_entries(std::make_shared<const Snapshot>(Snapshot::open(kept.path())), {"name"}, stream);
  Reader reader(stream);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.error(), EIO);
  EXPECT_NE(reader.message().find("is damaged: a text is not UTF-8"), std::string::npos);
}

TEST_F(Arrow, TablesHaveTheOriginalBytesBesideEscapedPaths) {
  tree_.file("\xff.bin", 9'000'000);
  const std::shared_ptr<const fs::Scan> scan = scanned();
  const fs::Totals totals(scan->tree);
  const fs::ReportInput input(*scan, totals, fs::Measure::apparent, 0);
  ArrowArrayStream stream;
  stream_table(scan, fs::largest_files(input, 2), stream);
  Reader reader(stream);
  EXPECT_EQ(reader.columns(),
            (std::vector<std::string>{"path:vu", "disk_bytes:L", "apparent_bytes:L",
                                      "mtime:tss:UTC", "path_raw:vz"}));
  ASSERT_TRUE(reader.next());
  ASSERT_EQ(reader.rows(), 2);
  EXPECT_EQ(reader.text(0, 0), tree_.path() + "/\\xff.bin");
  EXPECT_EQ(reader.text(4, 0), tree_.path() + "/\xff.bin");
  EXPECT_EQ(reader.column(4).null_count, 1);
  EXPECT_FALSE(reader.next());
}

TEST_F(Arrow, AnErrorIsThatOfTheLastCallAndSkipsNoRows) {
  bool fails = true;
  const fs::Table table({.key = "broken", .title = "Broken"},
                        {{"count", "Count", fs::CellType::count}}, 2,
                        [&](std::size_t row, std::vector<fs::Cell>& cells) {
                          if (fails && row == 1) throw base::Error("gone");
                          fs::add_cells(cells, std::uint64_t{1});
                        });
  ArrowArrayStream stream;
  stream_table(nullptr, table, stream);
  Reader reader(stream);
  EXPECT_FALSE(reader.next());
  EXPECT_NE(stream.get_last_error(&stream), nullptr);
  fails = false;
  EXPECT_TRUE(reader.next());
  EXPECT_EQ(reader.rows(), 2);
  EXPECT_EQ(stream.get_last_error(&stream), nullptr);
}

TEST_F(Arrow, AFailureOfTheSourceIsAnErrorOfTheStream) {
  const fs::Table table({.key = "broken", .title = "Broken"},
                        {{"count", "Count", fs::CellType::count}}, 1,
                        [](std::size_t, std::vector<fs::Cell>&) { throw base::Error("gone"); });
  ArrowArrayStream stream;
  stream_table(nullptr, table, stream);
  Reader reader(stream);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.error(), EIO);
  EXPECT_EQ(reader.message(), "gone");
}

}  // namespace
}  // namespace fathom::store
