// The entries of a tree come back from a Parquet file as they were, in preorder.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/engine.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/rt/executor.h"
#include "fathom/store/parquet.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"
#include "parquet/file_reader.h"
#include "snapshot/entry_columns.h"

namespace fathom::store {
namespace {

using testing::TempTree;

std::string written(const fs::Scan& scan, const ParquetOptions& options = {},
                    unsigned threads = 2) {
  rt::Executor executor({.threads = threads});
  std::string bytes;
  write_parquet(scan, options, executor, [&](std::string_view block) {
    bytes += block;
    return true;
  });
  return bytes;
}

// A row as a reader sees it.
struct ReadRow {
  std::map<std::string_view, std::int64_t> numbers;
  std::map<std::string_view, std::string> texts;

  [[nodiscard]] std::optional<std::int64_t> number(std::string_view column) const {
    const auto found = numbers.find(column);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<std::string> text(std::string_view column) const {
    const auto found = texts.find(column);
    return found == texts.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::string path() const {
    const auto dir = text("dir");
    if (!dir) return *text("name");
    return *dir + (dir->ends_with('/') ? "" : "/") + *text("name");
  }
};

void read_column(const ParquetReader& file, std::size_t group, std::size_t index,
                 std::span<ReadRow> rows) {
  ChunkDecoder decoder(file);
  Values values;
  decoder.read(group, index, 0, rows.size(), values);
  const Column& column = file.columns()[index];
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (column.optional && values.present[i] == 0) continue;
    if (is_text(column.type)) {
      rows[i].texts[column.name] = values.texts[next++];
    } else {
      rows[i].numbers[column.name] = values.numbers[next++];
    }
  }
}

std::vector<ReadRow> rows_of(const std::string& bytes) {
  const auto read = [&](std::uint64_t offset, std::span<char> buffer) {
    std::memcpy(buffer.data(), bytes.data() + offset, buffer.size());
  };
  const ParquetReader file({.size = bytes.size(), .read = read}, entries_schema());
  std::vector<ReadRow> rows(file.rows());
  for (std::size_t group = 0; group < file.groups(); ++group) {
    const auto part = std::span(rows).subspan(file.first_row(group), file.rows(group));
    for (std::size_t i = 0; i < file.columns().size(); ++i) read_column(file, group, i, part);
  }
  return rows;
}

fs::Scan scan_of(const std::string& root, fs::Engine engine = fs::Engine::lockfree,
                 unsigned threads = 2) {
  fs::ScanOptions options;
  options.roots = {root};
  options.engine = engine;
  options.threads = threads;
  options.read_times = true;
  return fs::scan(options);
}

fs::Entry file_entry(std::uint64_t size, std::uint64_t blocks) {
  return {
      .size = size, .blocks = blocks, .inode = 7, .device = 1, .links = 1, .mode = S_IFREG | 0644};
}

// A scan of one directory, "/t", with these files.
fs::Scan hand_made(const std::vector<std::pair<std::string, fs::Entry>>& files,
                   bool keeps_times = false) {
  fs::TreeBuilder builder(keeps_times);
  fs::Scan scan;
  scan.roots = {"/t"};
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto made = rows.add_directory(
        fs::kNoDir, 0, "/t",
        {.blocks = 8, .inode = 1, .device = 1, .links = 2, .mode = S_IFDIR | 0755});
    root = made.node;
    std::uint64_t inode = 1;
    for (const auto& [name, entry] : files) {
      fs::Entry own = entry;
      own.inode = ++inode;
      rows.add(made.id, name, own);
    }
  }
  scan.tree = builder.finish({root});
  return scan;
}

std::vector<std::string> paths_of(const std::vector<ReadRow>& rows) {
  std::vector<std::string> paths;
  for (const ReadRow& row : rows) paths.push_back(row.path());
  return paths;
}

// ---- The order

TEST(Entries, FollowTheirDirectoryInTheOrderOfTheirNames) {
  TempTree tree;
  for (const char* path : {"b/x", "b/a/deep", "a.txt", "a/z", "a-", "c"}) tree.file(path);
  std::vector<std::string> expected;
  for (const char* path :
       {"", "/a", "/a/z", "/a-", "/a.txt", "/b", "/b/a", "/b/a/deep", "/b/x", "/c"}) {
    expected.push_back(tree.path() + path);
  }
  EXPECT_EQ(paths_of(rows_of(written(scan_of(tree.path())))), expected);
}

TEST(Entries, BelowADirectoryAreOneIntervalOfNumbers) {
  TempTree tree;
  testing::generate(tree, {.seed = 3, .directories = 60});
  const auto rows = rows_of(written(scan_of(tree.path()), {.group_rows = 50}));
  ASSERT_GT(rows.size(), 300U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].number("id"), i);
    const auto end = static_cast<std::size_t>(*rows[i].number("subtree_end"));
    ASSERT_GT(end, i);
    const std::string inside = rows[i].path() + "/";
    for (std::size_t other = 0; other < rows.size(); ++other) {
      const bool below = rows[other].path().starts_with(inside);
      ASSERT_EQ(below, other > i && other < end) << inside << ' ' << rows[other].path();
    }
    const auto parent = rows[i].number("parent_id");
    ASSERT_EQ(parent.has_value(), i > 0);
    if (!parent) continue;
    ASSERT_EQ(rows[static_cast<std::size_t>(*parent)].path(), *rows[i].text("dir"));
  }
}

// ---- Values

TEST(Entries, HaveWhatTheKernelSays) {
  TempTree tree;
  testing::generate(tree, {.seed = 5, .directories = 20, .hard_links = 5, .symlinks = 5});
  for (const ReadRow& row : rows_of(written(scan_of(tree.path())))) {
    const std::string path =
        row.text("name_raw") ? *row.text("dir") + '/' + *row.text("name_raw") : row.path();
    if (path.find("\\x") != std::string::npos) continue;  // below a name that is not UTF-8
    struct stat seen = {};
    ASSERT_EQ(::lstat(path.c_str(), &seen), 0) << path;
    EXPECT_EQ(row.number("ino"), seen.st_ino);
    EXPECT_EQ(row.number("nlink"), seen.st_nlink);
    EXPECT_EQ(row.number("mode"), seen.st_mode);
    EXPECT_EQ(row.number("size"), seen.st_size);
    EXPECT_EQ(row.number("blocks"), seen.st_blocks);
    EXPECT_EQ(row.number("uid"), seen.st_uid);
    EXPECT_EQ(row.number("gid"), seen.st_gid);
    EXPECT_EQ(row.number("mtime_ns"),
              std::int64_t{seen.st_mtim.tv_sec} * 1'000'000'000 + seen.st_mtim.tv_nsec);
    EXPECT_EQ(row.number("ctime_ns"),
              std::int64_t{seen.st_ctim.tv_sec} * 1'000'000'000 + seen.st_ctim.tv_nsec);
  }
}

TEST(Entries, AreChargedAsMuchAsDuCounts) {
  TempTree tree;
  testing::generate(tree, {.seed = 9, .directories = 30, .hard_links = 40});
  const fs::Scan scan = scan_of(tree.path());
  std::uint64_t charged = 0;
  std::uint64_t all = 0;
  for (const ReadRow& row : rows_of(written(scan))) {
    charged += static_cast<std::uint64_t>(*row.number("charged_blocks"));
    all += static_cast<std::uint64_t>(*row.number("blocks"));
  }
  EXPECT_EQ(charged * fs::kBlockBytes, fs::Totals(scan.tree).whole().disk_bytes);
  EXPECT_GT(all, charged);
}

TEST(Entries, KeepNamesThatAreNotUtf8) {
  const auto rows = rows_of(written(hand_made({{"plain", file_entry(1, 1)},
                                               {"bad\xff.TXT", file_entry(1, 1)},
                                               {"\xc3\xa4", file_entry(1, 1)}})));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].text("name"), "bad\\xff.TXT");
  EXPECT_EQ(rows[1].text("name_raw"), "bad\xff.TXT");
  EXPECT_EQ(rows[1].text("ext"), "txt");
  EXPECT_EQ(rows[2].text("name"), "plain");
  EXPECT_EQ(rows[2].text("name_raw"), std::nullopt);
  EXPECT_EQ(rows[3].text("name"), "\xc3\xa4");
}

TEST(Entries, KeepTheLargestSizesThatAKernelReturns) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto rows = rows_of(written(hand_made(
      {{"a", file_entry(kLargest, kLargest)}, {"b", file_entry(kLargest + 1, kLargest + 1)}})));
  for (const std::size_t row : {1U, 2U}) {
    EXPECT_EQ(rows[row].number("size"), kLargest);
    EXPECT_EQ(rows[row].number("blocks"), kLargest);
  }
}

TEST(Entries, LeaveOutWhatIsUnknown) {
  fs::Entry unknown = file_entry(1, 1);
  unknown.uid = unknown.gid = fs::kUnknownOwner;
  unknown.mtime = fs::kUnknownTime;
  fs::Entry known = file_entry(1, 1);
  known.mtime = -5;
  known.times.btime = 12;
  const auto rows = rows_of(written(hand_made({{"a", unknown}, {"b", known}}, true)));
  for (const char* column : {"uid", "gid", "mtime_ns", "ctime_ns", "btime_ns", "fs_uuid"}) {
    EXPECT_EQ(rows[1].number(column), std::nullopt) << column;
  }
  EXPECT_EQ(rows[1].text("fs_uuid"), std::nullopt);
  EXPECT_EQ(rows[2].number("mtime_ns"), -5'000'000'000);
  EXPECT_EQ(rows[2].number("btime_ns"), 12);
  EXPECT_EQ(rows[2].number("uid"), 0);
}

TEST(Entries, NameTheirFilesystem) {
  ParquetOptions options;
  options.filesystems[1] = "0123-uuid";
  for (const ReadRow& row : rows_of(written(hand_made({{"a", file_entry(1, 1)}}), options))) {
    EXPECT_EQ(row.text("fs_uuid"), "0123-uuid");
  }
}

TEST(Entries, CanHaveOtherPathsThanTheScan) {
  TempTree tree;
  tree.file("a/b");
  fs::Scan scan = scan_of(tree.path() + "/");
  EXPECT_EQ(paths_of(rows_of(written(scan, {.roots = {"/data"}}))),
            (std::vector<std::string>{"/data", "/data/a", "/data/a/b"}));
  EXPECT_EQ(paths_of(rows_of(written(scan, {.roots = {"/"}}))),
            (std::vector<std::string>{"/", "/a", "/a/b"}));
}

TEST(Entries, HaveNoDirectoryPathIfThatOfTheRootIsTooLong) {
  TempTree tree;
  tree.file("a/b/c");
  const auto rows =
      rows_of(written(scan_of(tree.path()), {.roots = {"/" + std::string(4092, 'r')}}));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].text("dir")->size(), 4093U);
  EXPECT_EQ(rows[2].text("dir")->size(), 4095U);
  EXPECT_FALSE(rows[3].text("dir"));
}

TEST(Entries, OfSeveralRootsFollowEachOtherInTheOrderOfTheirPaths) {
  TempTree tree;
  tree.file("a/1");
  tree.file("b");
  tree.file("c/2");
  fs::ScanOptions options;
  options.roots = {tree.path("c"), tree.path("b"), tree.path("missing"), tree.path("a")};
  const fs::Scan scan = fs::scan(options);
  const auto rows = rows_of(written(scan));
  EXPECT_EQ(paths_of(rows),
            (std::vector<std::string>{tree.path("a"), tree.path("a/1"), tree.path("b"),
                                      tree.path("c"), tree.path("c/2")}));
  for (const std::size_t root : {0U, 2U, 3U}) EXPECT_EQ(rows[root].number("depth"), 0);
}

// ---- Very much of something

TEST(Entries, OfAVeryDeepTreeHaveNoDirectoryPath) {
  TempTree tree;
  std::string path(200, 'd');
  const std::string name = path;
  for (int level = 1; level < 200; ++level) path += '/' + name;
  tree.dir(path);
  const std::string bytes = written(scan_of(tree.path()));
  EXPECT_LT(bytes.size(), 100'000U);
  const auto rows = rows_of(bytes);
  ASSERT_EQ(rows.size(), 201U);
  EXPECT_TRUE(rows[10].text("dir"));
  EXPECT_FALSE(rows[200].text("dir"));
  EXPECT_EQ(rows[200].number("parent_id"), 199);
  EXPECT_EQ(rows[200].number("depth"), 200);
}

TEST(Entries, OfAnEmptyDirectoryAreOneRow) {
  TempTree tree;
  EXPECT_EQ(rows_of(written(scan_of(tree.path()))).size(), 1U);
}

TEST(Entries, OfNothingAreNoRows) {
  EXPECT_TRUE(rows_of(written(scan_of("/does/not/exist"))).empty());
}

// ---- Determinism

TEST(Entries, AreTheSameBytesForEveryEngineAndNumberOfThreads) {
  TempTree tree;
  testing::generate(tree, {.seed = 11, .directories = 80, .hard_links = 20, .symlinks = 10});
  const std::string first = written(scan_of(tree.path()));
  for (const fs::Engine engine :
       {fs::Engine::serial, fs::Engine::pool, fs::Engine::steal, fs::Engine::lockfree}) {
    for (const unsigned threads : {1U, 3U}) {
      EXPECT_EQ(written(scan_of(tree.path(), engine, threads), {}, threads), first)
          << fs::to_string(engine) << ' ' << threads;
    }
  }
}

TEST(Entries, StopWhenNobodyReadsThem) {
  TempTree tree;
  tree.file("a");
  const fs::Scan scan = scan_of(tree.path());
  rt::Executor executor({.threads = 1});
  int blocks = 0;
  write_parquet(scan, {}, executor, [&](std::string_view) { return ++blocks < 1; });
  EXPECT_EQ(blocks, 1);
}

}  // namespace
}  // namespace fathom::store
