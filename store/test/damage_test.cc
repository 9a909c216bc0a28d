// Files whose values contradict each other are refused, whatever their checksums.

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "damaged.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/scan.h"
#include "fathom/store/diff.h"
#include "fathom/store/snapshot.h"
#include "fathom/testing/temp_tree.h"
#include "snapshot/directory_columns.h"
#include "snapshot/directory_table.h"
#include "snapshot/files_writer.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {
namespace {

using testing::TempTree;

void write_tree(const TempTree& tree, const std::string& folder) {
  fs::ScanOptions scan_options;
  scan_options.roots = {tree.path()};
  scan_options.read_times = true;
  SnapshotOptions options;
  options.meta.roots = scan_options.roots;
  const base::Fd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  write_snapshot(fs::scan(scan_options), options, executor(), open.get());
}

std::string message_of_comparing(const Snapshot& before, const Snapshot& after) {
  try {
    static_cast<void>(compare(before, after, {}, executor()));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

// Gives the second directory other rows, and compares in both directions.
void expect_overlap(std::int64_t begin, std::int64_t end) {
  TempTree tree;
  tree.file("a/x", 1);
  tree.file("b/x", 1);
  tree.file("c", 1);
  TempTree before;
  write_tree(tree, before.path());
  tree.file("a/x", 5000);
  tree.file("b/y", 5000);
  tree.file("c", 5000);
  TempTree after;
  write_tree(tree, after.path());
  const std::string damaged = after.path("dirs.parquet");
  rewrite(damaged, directories_schema(), [&](std::vector<Values>& columns) {
    columns[static_cast<std::size_t>(DirectoryColumn::id)].numbers[1] = begin;
    columns[static_cast<std::size_t>(DirectoryColumn::subtree_end)].numbers[1] = end;
  });
  const Snapshot one = Snapshot::open(before.path());
  const Snapshot other = Snapshot::open(after.path());
  for (const std::string& message :
       {message_of_comparing(one, other), message_of_comparing(other, one)}) {
    EXPECT_NE(message.find("is damaged: its directories overlap"), std::string::npos) << message;
  }
}

// There are six rows before and seven after: the root, a, a/x, b, b/x, (b/y,) c.
TEST(DamagedDirectories, ThatClaimTheRowsOfTheirParentAreRefused) {
  expect_overlap(0, 7);
}

TEST(DamagedDirectories, ThatBeginWithTheirParentAreRefused) {
  expect_overlap(0, 3);
}

TEST(DamagedDirectories, ThatEndBehindTheirParentAreRefused) {
  expect_overlap(1, 8);
}

TEST(DamagedDirectories, ThatClaimTheRowsOfTheirNeighbourAreRefused) {
  expect_overlap(1, 5);
}

// A text of a dictionary is kept once: a small file may give it to every row.
TEST(DamagedDirectories, CannotMultiplyATextByTheirRows) {
  TempTree tree;
  tree.dir("a");
  tree.dir("b");
  TempTree store;
  write_tree(tree, store.path());
  const std::string longest(kLongestWord, 'x');
  const std::string path = store.path("dirs.parquet");
  rewrite(path, directories_schema(), [&](std::vector<Values>& columns) {
    Values& filesystems = columns[static_cast<std::size_t>(DirectoryColumn::fs_uuid)];
    filesystems.present.assign(3, 1);
    filesystems.texts = {longest, "other", longest};
  });
  const Snapshot kept = Snapshot::open(store.path());
  DirectoryTable table(kept.files().directories);
  EXPECT_EQ(table.text(DirectoryColumn::fs_uuid, 0), longest);
  EXPECT_EQ(table.text(DirectoryColumn::fs_uuid, 1), "other");
  EXPECT_EQ(table.text(DirectoryColumn::fs_uuid, 2), longest);
  EXPECT_EQ(table.text(DirectoryColumn::fs_uuid, 0).data(),
            table.text(DirectoryColumn::fs_uuid, 2).data());
}

// ---- Verification

// Replaces meta.json, of which the id is made right.
void write_signed(SnapshotMeta meta, const std::string& folder) {
  meta.id.clear();
  meta.id = id_of(write_meta(meta));
  std::ofstream(folder + "/meta.json", std::ios::binary) << write_meta(meta);
}

std::string fault_of_snapshot(const std::string& folder) {
  return Snapshot::open(folder).verify().value_or("");
}

TEST(Verification, DetectsAnyChangeOfTheMetadata) {
  TempTree tree;
  tree.file("a", 1);
  TempTree store;
  write_tree(tree, store.path());
  ASSERT_EQ(fault_of_snapshot(store.path()), "");
  std::ifstream in(store.path("meta.json"), std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::ofstream(store.path("meta.json"), std::ios::binary) << changed;
    try {
      EXPECT_NE(fault_of_snapshot(store.path()), "") << at;
    } catch (const base::Error&) {
    }
  }
}

TEST(Verification, RequiresTheChecksumOfEachFile) {
  TempTree tree;
  tree.file("a", 1);
  TempTree store;
  write_tree(tree, store.path());
  const SnapshotMeta whole = Snapshot::open(store.path()).meta();
  write_signed(whole, store.path());
  EXPECT_EQ(fault_of_snapshot(store.path()), "");
  const std::string expected =
      store.path("meta.json") + " does not list exactly the three other files of a snapshot";
  for (std::size_t i = 0; i < whole.files.size(); ++i) {
    SnapshotMeta meta = whole;
    meta.files.erase(meta.files.begin() + static_cast<std::ptrdiff_t>(i));
    write_signed(meta, store.path());
    EXPECT_EQ(fault_of_snapshot(store.path()), expected);
    meta.files.push_back(meta.files.front());
    write_signed(meta, store.path());
    EXPECT_EQ(fault_of_snapshot(store.path()), expected);
  }
}

// In the first pages of these files are columns that a scan does not need. What was damaged before
// its checksum was made is found as well.
TEST(Verification, DecodesEveryColumn) {
  TempTree tree;
  tree.file("a/b", 1);
  TempTree store;
  write_tree(tree, store.path());
  const SnapshotMeta whole = Snapshot::open(store.path()).meta();
  for (const std::string name : {"entries.parquet", "dirs.parquet"}) {
    std::ifstream in(store.path(name), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    std::string changed = bytes;
    changed[40] = static_cast<char>(changed[40] ^ 1);
    std::ofstream(store.path(name), std::ios::binary) << changed;
    FileHash hash;
    hash.add(changed);
    SnapshotMeta meta = whole;
    for (SnapshotFile& file : meta.files) {
      if (file.name == name) file.xxh128 = hash.text();
    }
    write_signed(meta, store.path());
    EXPECT_EQ(fault_of_snapshot(store.path()),
              store.path(name) + " is damaged: a page does not match its checksum");
    std::ofstream(store.path(name), std::ios::binary) << bytes;
  }
}

}  // namespace
}  // namespace fathom::store
