// Duplicates in real trees, checked against the contents of the files.

#include "fathom/fs/duplicates.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "colliding.h"
#include "fathom/base/atomic.h"
#include "fathom/fs/scan.h"
#include "fathom/testing/temp_tree.h"
#include "faulty_reads.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;
using Paths = std::vector<std::string>;

struct Found {
  Scan scan;
  Duplicates same;

  // The paths of each group, relative to the tree.
  [[nodiscard]] std::vector<Paths> groups(const TempTree& tree) const {
    std::vector<Paths> all;
    for (const DuplicateGroup& group : same.groups) {
      Paths& paths = all.emplace_back();
      for (const DuplicateFile& file : group.files) paths.push_back(name(tree, file.node));
    }
    return all;
  }
  [[nodiscard]] std::string name(const TempTree& tree, NodeId node) const {
    return scan.tree.path(node).substr(tree.path().size() + 1);
  }
};

Scan scan_of(std::vector<std::string> roots) {
  ScanOptions options;
  options.roots = std::move(roots);
  return scan(options);
}

Found find(const TempTree& tree, const DuplicateOptions& options = {}) {
  Found found;
  found.scan = scan_of({tree.path()});
  found.same = find_duplicates(found.scan.tree, options);
  return found;
}

// Pseudo-random bytes; the same for the same seed.
std::string content(std::size_t bytes, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// ---- What is a duplicate

TEST(Duplicates, AreFilesOfTheSameContent) {
  TempTree tree;
  tree.write("a", "hello");
  tree.write("sub/b", "hello");
  tree.write("c", "world");
  tree.write("d", "hello!");
  const Found found = find(tree);
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"a", "sub/b"}}));
  const DuplicateGroup& group = found.same.groups.front();
  EXPECT_EQ(group.size, 5U);
  EXPECT_EQ(group.wasted_bytes, found.scan.tree.blocks(group.files[1].node) * kBlockBytes);
  EXPECT_EQ(found.same.wasted_bytes, group.wasted_bytes);
  EXPECT_EQ(found.same.files, 2U);
  EXPECT_EQ(found.same.candidates, 3U);
  EXPECT_TRUE(found.same.complete());
}

TEST(Duplicates, RecordTheStateInWhichTheyWereRead) {
  TempTree tree;
  tree.write("a", "hello");
  tree.write("b", "hello");
  const Found found = find(tree);
  ASSERT_EQ(found.same.groups.size(), 1U);
  struct stat status = {};
  ASSERT_EQ(::stat(tree.path("a").c_str(), &status), 0);
  const FileIdentity expected{status.st_dev, status.st_ino, 5,
                              status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                              status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec};
  EXPECT_EQ(found.same.groups[0].files[0].identity, expected);
}

// The same size, and the same content almost everywhere.
TEST(Duplicates, AreNotFilesThatDifferInOneByteAnywhere) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  for (const std::size_t size : {std::size_t{1}, std::size_t{4095}, std::size_t{16'384},
                                 std::size_t{16'385}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB + 7}) {
    TempTree tree;
    const std::string text = content(size);
    tree.write("0 same", text);
    tree.write("9 same", text);
    // Both sides of every block border, whatever the block size.
    std::set<std::size_t> places{0, size / 2, size - 1};
    for (std::size_t block = 4096; block < size; block *= 2) places.insert({block - 1, block});
    for (const std::size_t at : places) {
      std::string other = text;
      other[at] = static_cast<char>(~other[at]);
      tree.write("differs at " + std::to_string(at), other);
    }
    const Found found = find(tree);
    ASSERT_EQ(found.groups(tree), (std::vector<Paths>{{"0 same", "9 same"}})) << size;
  }
}

// Names of one inode are one file.
TEST(Duplicates, HardLinksAreOneFile) {
  TempTree tree;
  tree.write("a", "hello");
  tree.hardlink("a", "b");
  EXPECT_TRUE(find(tree).same.groups.empty());
}

TEST(Duplicates, AGroupMayBePartlyLinked) {
  TempTree tree;
  tree.write("m", "hello");
  tree.hardlink("m", "z");
  tree.hardlink("m", "y");
  tree.write("b", "hello");
  const Found found = find(tree);
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"b", "m"}}));
  Paths links;
  for (const NodeId node : found.same.groups[0].files[1].links) {
    links.push_back(found.name(tree, node));
  }
  EXPECT_EQ(links, (Paths{"y", "z"}));
  EXPECT_TRUE(found.same.groups[0].files[0].links.empty());
}

TEST(Duplicates, ARootNamedTwiceMakesNone) {
  TempTree tree;
  tree.write("a", "hello");
  const Scan found = scan_of({tree.path(), tree.path(), tree.path() + "/."});
  EXPECT_TRUE(find_duplicates(found.tree).groups.empty());
}

// They are gone when a quarantine or a trash is emptied.
TEST(Duplicates, AreNotInAQuarantineOrATrash) {
  for (const char* aside : {".fathom-quarantine-0/run/", ".Trash-1000/files/", ".Trash/0/files/",
                            "ana/.local/share/Trash/files/", "ana/.local/state/fathom/"}) {
    TempTree tree;
    tree.write(aside + std::string("a"), "hello");
    tree.write("b", "hello");
    EXPECT_TRUE(find(tree).same.groups.empty()) << aside;
    tree.write("c", "hello");
    EXPECT_EQ(find(tree).groups(tree), (std::vector<Paths>{{"b", "c"}})) << aside;
    // Nor if the scan begins inside.
    const Scan inside = scan_of({tree.path(aside), tree.path("b")});
    EXPECT_TRUE(find_duplicates(inside.tree).groups.empty()) << aside;
  }
}

TEST(Duplicates, OfAnInodeWithANameInAQuarantineHaveTheirOtherNames) {
  TempTree tree;
  tree.write(".fathom-quarantine-0/a", "hello");
  for (const char* name : {"p", "n", ".Trash-0/files/o"}) {
    tree.hardlink(".fathom-quarantine-0/a", name);
  }
  tree.write("z", "hello");
  const Found found = find(tree);
  ASSERT_EQ(found.groups(tree), (std::vector<Paths>{{"n", "z"}}));
  const std::vector<NodeId>& links = found.same.groups[0].files[0].links;
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(found.name(tree, links[0]), "p");
}

TEST(Duplicates, EmptyFilesCountOnlyOnRequest) {
  TempTree tree;
  tree.file("a");
  tree.file("b");
  EXPECT_TRUE(find(tree).same.groups.empty());
  const Found found = find(tree, {.min_size = 0});
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"a", "b"}}));
  EXPECT_EQ(found.same.wasted_bytes, 0U);
}

// What a filesystem says about a file that is there, with other blocks.
Entry entry_with_blocks(const std::string& path, std::uint64_t blocks) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return {.size = static_cast<std::uint64_t>(status.st_size),
          .blocks = blocks,
          .inode = status.st_ino,
          .device = status.st_dev,
          .mtime = status.st_mtime};
}

TEST(Duplicates, SaturateTheWastedBytes) {
  TempTree tree;
  HandMadeTree made;
  const DirId top = made.root(tree.path());
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  for (const char* name : {"a", "b", "c"}) {
    tree.write(name, "hello");
    made.file(top, name, entry_with_blocks(tree.path(name), kHalf / kBlockBytes));
  }
  for (const char* name : {"x", "y"}) {
    tree.write(name, "other content");
    made.file(top, name, entry_with_blocks(tree.path(name), kMost));
  }
  const Duplicates same = find_duplicates(made.finish());
  ASSERT_EQ(same.groups.size(), 2U);
  for (const DuplicateGroup& group : same.groups) EXPECT_EQ(group.wasted_bytes, kMost);
  EXPECT_EQ(same.wasted_bytes, kMost);
}

// The last value of the counter of bytes.
class LastBytes final : public rt::Observer {
 public:
  void counts(const char* name, std::uint64_t value) const noexcept override {
    if (std::string_view(name) == "bytes compared") value_ = value;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  mutable base::atomic<std::uint64_t> value_{0};
};

TEST(Duplicates, SaturateTheBytesOfTheProgress) {
  TempTree tree;
  HandMadeTree made;
  const DirId top = made.root(tree.path());
  for (const char* name : {"a", "b", "c", "d"}) {
    tree.write(name, "short now");
    made.file(top, name, {.size = std::uint64_t{1} << 62});
  }
  const LastBytes bytes;
  const Duplicates same = find_duplicates(made.finish(), {.observer = &bytes});
  EXPECT_EQ(same.changed.size(), 4U);
  EXPECT_EQ(bytes.value(), kMost);
}

TEST(Duplicates, HolesAreEqualToZeros) {
  TempTree tree;
  constexpr std::size_t kBytes = 3'000'000;
  tree.sparse("hole", kBytes);
  tree.write("zeros", std::string(kBytes, '\0'));
  std::string one(kBytes, '\0');
  one.back() = 1;
  tree.write("one", one);
  const Found found = find(tree);
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"hole", "zeros"}}));
  // Keeping the one that takes most wastes what the other one takes.
  EXPECT_EQ(found.same.wasted_bytes, 0U);
}

// Each has data at its beginning, in the middle and at its end.
void write_sparse(const TempTree& tree, const std::string& name, std::uint64_t size, char middle) {
  const base::Fd file(::open(tree.path(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(size)), 0);
  for (const auto& [offset, byte] :
       {std::pair<std::uint64_t, char>{0, 'a'}, {size / 2, middle}, {size - 1, 'z'}}) {
    ASSERT_EQ(::pwrite(file.get(), &byte, 1, static_cast<off_t>(offset)), 1);
  }
}

// A terabyte cannot be read within a test. Two files are compared, and a hundred are hashed first.
TEST(Duplicates, WhatIsAHoleInAllFilesIsNotRead) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 40;
  for (const int count : {2, 100}) {
    TempTree tree;
    Paths equal;
    for (int i = 0; i < count; ++i) {
      equal.push_back("copy " + std::to_string(i));
      write_sparse(tree, equal.back(), kBytes, 'm');
    }
    write_sparse(tree, "other", kBytes, 'n');
    std::sort(equal.begin(), equal.end());
    const Found found = find(tree);
    EXPECT_EQ(found.groups(tree), std::vector<Paths>{equal});
    EXPECT_LT(found.same.bytes_read, static_cast<std::uint64_t>(count) * 16 * 1024 * 1024);
  }
}

// Pairs that differ early, after a hole: they are found by hashes of their first page.
TEST(Duplicates, AHoleNearTheBeginningCausesNoFurtherReads) {
  constexpr std::size_t kPage = 4096;
  constexpr off_t kBytes = 20 << 20;
  TempTree tree;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i);
    tree.write(name, content(kPage, i / 2));
    const base::Fd file(::open(tree.path(name).c_str(), O_WRONLY | O_CLOEXEC));
    const std::string other = content(kPage, 100 + i);
    ASSERT_EQ(::pwrite(file.get(), other.data(), kPage, 2 * kPage), static_cast<ssize_t>(kPage));
    ASSERT_EQ(::ftruncate(file.get(), kBytes), 0);
  }
  const Found found = find(tree);
  EXPECT_TRUE(found.groups(tree).empty());
  EXPECT_LE(found.same.bytes_read, 40U * 2 * 16'384);
}

TEST(Duplicates, AFileWithoutHolesIsComparedWithASparseOne) {
  constexpr std::size_t kBytes = 3'000'000;
  TempTree tree;
  write_sparse(tree, "sparse", kBytes, 'm');
  std::string whole(kBytes, '\0');
  whole.front() = 'a';
  whole[kBytes / 2] = 'm';
  whole.back() = 'z';
  tree.write("equal", whole);
  whole[kBytes / 3] = 'x';
  tree.write("not in a hole", whole);
  EXPECT_EQ(find(tree).groups(tree), (std::vector<Paths>{{"equal", "sparse"}}));
}

TEST(Duplicates, HaveAtLeastMinSize) {
  TempTree tree;
  for (const char* name : {"a", "b"}) {
    tree.write(std::string(name) + "9", content(9));
    tree.write(std::string(name) + "10", content(10));
  }
  EXPECT_EQ(find(tree, {.min_size = 10}).groups(tree), (std::vector<Paths>{{"a10", "b10"}}));
}

TEST(Duplicates, AreOrderedByWhatTheyWasteThenByPath) {
  TempTree tree;
  for (const char* name : {"1", "2"}) {
    tree.write(std::string("small z") + name, content(100, 1));
    tree.write(std::string("small a") + name, content(200, 2));
    tree.write(std::string("large") + name, content(100'000, 3));
  }
  EXPECT_EQ(find(tree).groups(tree),
            (std::vector<Paths>{
                {"large1", "large2"}, {"small a1", "small a2"}, {"small z1", "small z2"}}));
}

// '-' and '.' are smaller than the slash behind a directory name, '0' is greater.
TEST(Duplicates, OfAGroupAreInTheOrderOfTheirPaths) {
  TempTree tree;
  const Paths sorted = {"a-/z", "a.c", "a/b-/y", "a/b/c/d", "a/b/d", "a/b0", "a/c", "a0/b", "b"};
  for (const std::string& path : sorted) tree.write(path, "the same");
  EXPECT_EQ(find(tree).groups(tree), (std::vector<Paths>{sorted}));
}

TEST(Duplicates, HaveNamesOfAnyBytesAndLength) {
  TempTree tree;
  tree.write("new\nline", "hello");
  tree.write("\xff\xfe", "hello");
  const std::string deep = std::string(250, 'd');
  tree.deep_chain(".", 30, deep);
  std::string far;
  for (int i = 0; i < 30; ++i) far += deep + '/';
  tree.write(far + "far", "hello");
  const Found found = find(tree);
  ASSERT_TRUE(found.same.complete());
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{far + "far", "new\nline", "\xff\xfe"}}));
}

// ---- Many files of one size

// The number of groups and of files in them if file i has content `kind(i)`.
void expect_kinds(std::size_t files, std::size_t size, unsigned kinds) {
  TempTree tree;
  std::map<unsigned, std::size_t> counts;
  for (std::size_t i = 0; i < files; ++i) {
    const auto kind = static_cast<unsigned>(i * i % kinds);
    ++counts[kind];
    // The common part is at the beginning; the difference is at the end.
    std::string text(size, 'x');
    text.replace(size - 8, 8, std::to_string(10'000'000 + kind));
    tree.write("f" + std::to_string(i), text);
  }
  std::size_t groups = 0;
  std::size_t grouped = 0;
  for (const auto& [kind, count] : counts) {
    groups += count > 1 ? 1 : 0;
    grouped += count > 1 ? count : 0;
  }
  for (const unsigned threads : {1U, 3U}) {
    const Found found = find(tree, {.threads = threads});
    ASSERT_TRUE(found.same.complete());
    ASSERT_EQ(found.same.groups.size(), groups);
    ASSERT_EQ(found.same.files, grouped);
    ASSERT_EQ(found.same.candidates, files);
  }
}

TEST(Duplicates, OfManySmallFilesAreFound) {
  expect_kinds(3000, 20, 700);
}

// More than share a buffer: hashed first, then compared in parts.
TEST(Duplicates, OfMoreFilesThanAreComparedAtOnceAreFound) {
  expect_kinds(700, 9000, 1);
  expect_kinds(700, 9000, 5);
  expect_kinds(700, 9000, 661);
  expect_kinds(60, 300'000, 4);
}

// Opening a file for each page of it would take longer than reading it.
TEST(Duplicates, OfManyFilesAreReadInFewPieces) {
  constexpr int kFiles = 150;
  TempTree tree;
  const std::string text = content(110'000);
  for (int i = 0; i < kFiles; ++i) tree.write("f" + std::to_string(i), text);
  base::atomic<int> reads{0};
  const FaultyReads counted([&](std::uint64_t, std::uint64_t, std::size_t) {
    reads.fetch_add(1, base::memory_order_relaxed);
    return 0;
  });
  EXPECT_EQ(find(tree).same.files, static_cast<std::size_t>(kFiles));
  EXPECT_LE(reads.load(base::memory_order_relaxed), 5 * kFiles);
}

TEST(Duplicates, OfLargeFilesAreComparedInManyPieces) {
  expect_kinds(5, 30'000'000, 3);
}

// Checks that the groups in trees of files named name(i) match the contents.
void expect_what_files_hold(const std::function<std::string(int)>& name) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TempTree tree;
    std::mt19937_64 random(seed);
    std::map<std::string, Paths> expected;
    for (int i = 0; i < 200; ++i) {
      const std::size_t size = std::size_t{1} << random() % 16;
      const std::string text = content(size, static_cast<unsigned>(random() % 3));
      tree.write(name(i), text);
      expected[text].push_back(name(i));
    }
    std::set<Paths> groups;
    for (auto& [text, names] : expected) {
      std::sort(names.begin(), names.end());
      if (names.size() > 1) groups.insert(names);
    }
    std::vector<Paths> before;
    for (const unsigned threads : {1U, 2U, 8U}) {
      const Found found = find(tree, {.threads = threads});
      const std::vector<Paths> now = found.groups(tree);
      ASSERT_EQ(std::set<Paths>(now.begin(), now.end()), groups) << "seed " << seed;
      ASSERT_TRUE(before.empty() || now == before) << "seed " << seed;
      before = now;
    }
  }
}

TEST(Duplicates, EqualThoseOfAnOracleOnAnyTree) {
  expect_what_files_hold(
      [](int i) { return std::to_string(i * 7 % 10) + "/f" + std::to_string(i); });
}

// ---- The same names in many directories

TEST(Duplicates, EqualThoseOfAnOracleWhereNamesRecur) {
  expect_what_files_hold(
      [](int i) { return std::to_string(i / 3) + "/f" + std::to_string(i % 3); });
}

// Files of one size and many contents, as in copies of a directory.
void write_copies(TempTree& tree, const std::vector<std::string>& copies, unsigned files = 50) {
  for (const std::string& copy : copies) {
    for (unsigned i = 0; i < files; ++i) {
      std::string name = copy;
      name += '/' + std::to_string(i);
      tree.write(name, content(1000, i));
    }
  }
}

TEST(Duplicates, InCopiesOfADirectoryAreReadOnce) {
  TempTree tree;
  write_copies(tree, {"a", "b", "c"});
  const Found found = find(tree);
  EXPECT_EQ(found.same.groups.size(), 50U);
  EXPECT_EQ(found.same.files, 150U);
  // With a hash of two bits, as in test_duplicates_narrow, collisions cause files to be read again.
  if (!hash_is_narrow()) {
    EXPECT_EQ(found.same.bytes_read, 150U * 1000U);
  }
}

TEST(Duplicates, AmongFilesThatWereMadeToCollideAreFoundWithOneReadOfEach) {
  TempTree tree;
  constexpr std::uint32_t kFiles = 600;
  for (std::uint32_t i = 0; i < kFiles; ++i) tree.write(std::to_string(i), colliding_content(i));
  tree.write("same", colliding_content(7));
  const Found found = find(tree);
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"7", "same"}}));
  if (!hash_is_narrow()) {
    EXPECT_EQ(found.same.bytes_read, (kFiles + 3) * kCollidingBytes);
  }
}

TEST(Duplicates, OfAnotherNameAreInTheSameGroup) {
  TempTree tree;
  write_copies(tree, {"a", "b"});
  tree.write("c/other", content(1000, 7));
  const Found found = find(tree);
  EXPECT_EQ(found.same.groups.size(), 50U);
  const std::vector<Paths> groups = found.groups(tree);
  EXPECT_EQ(std::count(groups.begin(), groups.end(), Paths{"a/7", "b/7", "c/other"}), 1);
}

// The files of one name do not fit in a buffer when each block begins at a multiple of 64: then all
// files of the size must be compared together.
TEST(Duplicates, AmongVeryManyOfTheSameNameAreFound) {
  TempTree tree;
  for (int i = 0; i < 4200; ++i) tree.write(std::to_string(i) + "/same", content(65));
  for (const char* name : {"a/other", "b/other"}) tree.write(name, content(65, 2));
  const Found found = find(tree);
  EXPECT_EQ(found.same.groups.size(), 2U);
  EXPECT_EQ(found.same.files, 4202U);
}

TEST(Duplicates, OfTheSameNameAreFoundDespiteAnUnreadableOne) {
  TempTree tree;
  write_copies(tree, {"a", "b", "c"});
  tree.write("d/other", content(1000, 7));
  for (const int bad : {1, 2}) {  // it is read twice, because of the other name
    struct stat status = {};
    ASSERT_EQ(::stat(tree.path("a/7").c_str(), &status), 0);
    base::atomic<int> reads{0};
    const FaultyReads faults([&](std::uint64_t inode, std::uint64_t, std::size_t) {
      if (inode != status.st_ino) return 0;
      return reads.fetch_add(1, base::memory_order_relaxed) + 1 == bad ? EIO : 0;
    });
    const Found found = find(tree);
    const std::vector<Paths> groups = found.groups(tree);
    EXPECT_EQ(std::count(groups.begin(), groups.end(), Paths{"b/7", "c/7", "d/other"}), 1);
    EXPECT_EQ(found.same.errors.size(), 1U);
    EXPECT_EQ(groups.size(), 50U);
  }
}

// ---- Files that cannot be compared

TEST(Duplicates, AMissingFileIsReportedAndInNoGroup) {
  TempTree tree;
  for (const char* name : {"a", "b", "c"}) tree.write(name, "hello");
  const Scan before = scan_of({tree.path()});
  ASSERT_EQ(::unlink(tree.path("b").c_str()), 0);
  const Duplicates same = find_duplicates(before.tree);
  ASSERT_EQ(same.groups.size(), 1U);
  EXPECT_EQ(same.groups[0].files.size(), 2U);
  ASSERT_EQ(same.errors.size(), 1U);
  EXPECT_EQ(same.errors[0].path, tree.path("b"));
  EXPECT_STREQ(same.errors[0].operation, "open");
  EXPECT_EQ(same.errors[0].code, ENOENT);
  EXPECT_FALSE(same.complete());
}

TEST(Duplicates, ALinkInPlaceOfAFileIsNotFollowed) {
  TempTree tree;
  tree.write("a", "hello");
  tree.write("b", "hello");
  const Scan before = scan_of({tree.path()});
  ASSERT_EQ(::unlink(tree.path("b").c_str()), 0);
  tree.symlink("a", "b");
  const Duplicates same = find_duplicates(before.tree);
  EXPECT_TRUE(same.groups.empty());
  EXPECT_EQ(same.changed.size(), 1U);
  EXPECT_TRUE(same.errors.empty());
}

TEST(Duplicates, WhatHasBeenReplacedBySomethingElseHasChanged) {
  TempTree tree;
  for (const char* name : {"a", "b", "directory", "fifo", "inside/x", "link", "socket"}) {
    tree.write(name, "hello");
  }
  const Scan before = scan_of({tree.path()});
  for (const char* name : {"directory", "fifo", "inside/x", "link", "socket"}) {
    ASSERT_EQ(::unlink(tree.path(name).c_str()), 0);
  }
  ASSERT_EQ(::rmdir(tree.path("inside").c_str()), 0);
  tree.write("inside", "a file now");
  tree.fifo("fifo");
  tree.socket("socket");
  tree.dir("directory");
  tree.symlink("a", "link");
  for (const ScanAge age : {ScanAge::fresh, ScanAge::saved}) {
    const Duplicates same = find_duplicates(before.tree, {.age = age});
    ASSERT_EQ(same.groups.size(), 1U);
    EXPECT_EQ(same.groups[0].files.size(), 2U);
    EXPECT_EQ(same.changed.size(), 5U);
    EXPECT_TRUE(same.errors.empty());
  }
}

// As those of sysfs do.
TEST(Duplicates, AFileThatRefusesToBeReadIsAnError) {
  TempTree tree;
  for (const char* name : {"a", "b"}) tree.write(name, "hello");
  const Scan before = scan_of({tree.path()});
  const FaultyReads faults([](std::uint64_t, std::uint64_t, std::size_t) { return EINVAL; });
  for (const ScanAge age : {ScanAge::fresh, ScanAge::saved}) {
    const Duplicates same = find_duplicates(before.tree, {.age = age});
    EXPECT_TRUE(same.changed.empty());
    ASSERT_EQ(same.errors.size(), 2U);
    EXPECT_EQ(same.errors[0].code, EINVAL);
  }
}

TEST(Duplicates, AFifoInPlaceOfAFileDoesNotBlock) {
  TempTree tree;
  tree.write("a", "hello");
  tree.write("b", "hello");
  const Scan before = scan_of({tree.path()});
  ASSERT_EQ(::unlink(tree.path("b").c_str()), 0);
  tree.fifo("b");
  const Duplicates same = find_duplicates(before.tree);
  EXPECT_TRUE(same.groups.empty());
  EXPECT_FALSE(same.complete());
}

TEST(Duplicates, AFileThatChangedSinceTheScanIsInNoGroup) {
  for (const bool grows : {true, false}) {
    TempTree tree;
    for (const char* name : {"a", "b", "c"}) tree.write(name, "hello");
    tree.mtime("b", 1'000'000'000);
    const Scan before = scan_of({tree.path()});
    tree.write("b", grows ? "hello, world" : "hello");
    const Duplicates same = find_duplicates(before.tree);
    ASSERT_EQ(same.groups.size(), 1U);
    EXPECT_EQ(same.groups[0].files.size(), 2U);
    ASSERT_EQ(same.changed.size(), 1U);
    EXPECT_EQ(before.tree.name(same.changed[0]), "b");
    EXPECT_FALSE(same.complete());
  }
}

// ---- A scan that was saved

TEST(Duplicates, OfASavedScanWhatIsGoneHasChanged) {
  TempTree tree;
  for (const char* name : {"a", "b", "gone"}) tree.write(name, "hello");
  const Scan before = scan_of({tree.path()});
  ASSERT_EQ(::unlink(tree.path("gone").c_str()), 0);
  const Duplicates same = find_duplicates(before.tree, {.age = ScanAge::saved});
  ASSERT_EQ(same.groups.size(), 1U);
  EXPECT_EQ(same.groups[0].files.size(), 2U);
  EXPECT_EQ(same.changed.size(), 1U);
  EXPECT_TRUE(same.errors.empty());
}

TEST(Duplicates, OfASavedScanNamesThatAreGoneAreLeftOut) {
  TempTree tree;
  tree.write("a", "hello");
  tree.write("b", "hello");
  tree.hardlink("a", "gone");
  tree.hardlink("a", "other");
  tree.hardlink("a", "stays");
  const Scan before = scan_of({tree.path()});
  ASSERT_EQ(::unlink(tree.path("gone").c_str()), 0);
  ASSERT_EQ(::rename(tree.path("b").c_str(), tree.path("other").c_str()), 0);
  tree.hardlink("other", "b");
  const Duplicates same = find_duplicates(before.tree, {.age = ScanAge::saved});
  ASSERT_EQ(same.groups.size(), 1U);
  ASSERT_EQ(same.groups[0].files[0].links.size(), 1U);
  EXPECT_EQ(before.tree.name(same.groups[0].files[0].links[0]), "stays");
}

// As after a reboot.
TEST(Duplicates, OfASavedScanDevicesMayHaveOtherNumbersNow) {
  TempTree tree;
  tree.write("a", "hello");
  tree.write("b", "hello");
  const auto entry_now = [&tree](const char* name) {
    struct stat seen = {};
    EXPECT_EQ(::lstat(tree.path(name).c_str(), &seen), 0);
    return Entry{.size = static_cast<std::uint64_t>(seen.st_size),
                 .blocks = static_cast<std::uint64_t>(seen.st_blocks),
                 .inode = seen.st_ino,
                 .device = seen.st_dev + 1,
                 .mtime = seen.st_mtim.tv_sec,
                 .links = 1,
                 .mode = static_cast<std::uint16_t>(seen.st_mode)};
  };
  HandMadeTree made;
  const DirId top = made.root(tree.path(), entry_now("."));
  made.file(top, "a", entry_now("a"));
  made.file(top, "b", entry_now("b"));
  const Tree saved = made.finish();
  EXPECT_TRUE(find_duplicates(saved).groups.empty());
  const Duplicates same = find_duplicates(saved, {.age = ScanAge::saved});
  ASSERT_EQ(same.groups.size(), 1U);
  EXPECT_EQ(same.groups[0].files[0].identity.device + 1, entry_now("a").device);
}

// A file that reports the size 0.
TEST(Duplicates, FilesOfTheKernelAreNotEmpty) {
  const Scan found = scan_of({"/proc/self/attr", "/proc/sys/kernel/random"});
  const Duplicates same = find_duplicates(found.tree, {.min_size = 0});
  for (const DuplicateGroup& group : same.groups) {
    for (const DuplicateFile& file : group.files) {
      EXPECT_NE(found.tree.name(file.node), "uuid");
      EXPECT_NE(found.tree.name(file.node), "poolsize");
    }
  }
}

TEST(Duplicates, AreFoundWithFewDescriptors) {
  TempTree tree;
  for (unsigned i = 0; i < 200; ++i) tree.write("f" + std::to_string(i), content(5000, i % 10));
  struct rlimit limit = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  struct rlimit few = limit;
  few.rlim_cur = 24;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Found found = find(tree, {.threads = 64});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(found.same.complete());
  EXPECT_EQ(found.same.groups.size(), 10U);
}

// Another file has its name, with the same size, time and content.
TEST(Duplicates, AnotherFileOfTheSameNameIsInNoGroup) {
  TempTree tree;
  for (const char* name : {"a", "b", "spare"}) {
    tree.write(name, "hello");
    tree.mtime(name, 1'000'000'000);
  }
  const Scan before = scan_of({tree.path()});
  ASSERT_EQ(::rename(tree.path("spare").c_str(), tree.path("b").c_str()), 0);
  const Duplicates same = find_duplicates(before.tree);
  EXPECT_TRUE(same.groups.empty());
  EXPECT_EQ(same.changed.size(), 1U);
}

// ---- With a kernel that interferes

TEST(Duplicates, AFileThatCannotBeReadToTheEndIsInNoGroup) {
  for (const std::size_t size : {std::size_t{5}, std::size_t{3'000'000}}) {
    TempTree tree;
    const std::string text = content(size);
    for (const char* name : {"a", "b", "c"}) tree.write(name, text);
    struct stat bad = {};
    ASSERT_EQ(::stat(tree.path("b").c_str(), &bad), 0);
    const FaultyReads faults([&](std::uint64_t inode, std::uint64_t offset, std::size_t length) {
      return inode == bad.st_ino && offset + length >= size ? EIO : 0;
    });
    const Found found = find(tree);
    EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"a", "c"}}));
    ASSERT_EQ(found.same.errors.size(), 1U);
    EXPECT_STREQ(found.same.errors[0].operation, "read");
    EXPECT_EQ(found.same.errors[0].code, EIO);
  }
}

// A class with more files than share a buffer is compared with one of them, in parts. That file is
// read in each part, and here reading it fails in all parts but one.
TEST(Duplicates, OthersStayOneGroupIfTheirReferenceFileFails) {
  constexpr std::size_t kFiles = 700;
  TempTree tree;
  const std::string text = content(9000);
  std::uint64_t first = ~std::uint64_t{0};  // files are read in inode order
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::string name = "f" + std::to_string(i);
    tree.write(name, text);
    struct stat status = {};
    ASSERT_EQ(::stat(tree.path(name).c_str(), &status), 0);
    first = std::min<std::uint64_t>(first, status.st_ino);
  }
  for (const int bad : {3, 5, 8, 11}) {  // two reads of each to hash it, one of it in each part
    base::atomic<int> reads{0};
    const FaultyReads faults([&](std::uint64_t inode, std::uint64_t, std::size_t) {
      return inode == first && reads.fetch_add(1, base::memory_order_relaxed) + 1 == bad ? EIO : 0;
    });
    const Found found = find(tree, {.threads = 1});
    ASSERT_GE(reads.load(base::memory_order_relaxed), bad);
    ASSERT_EQ(found.same.errors.size(), 1U);
    ASSERT_EQ(found.same.groups.size(), 1U);
    ASSERT_EQ(found.same.files, kFiles - 1);
    for (const DuplicateFile& file : found.same.groups[0].files) {
      ASSERT_NE(file.identity.inode, first);
    }
  }
}

TEST(Duplicates, AFileThatChangesWhileItIsComparedIsInNoGroup) {
  for (const std::size_t size : {std::size_t{5}, std::size_t{3'000'000}}) {
    TempTree tree;
    const std::string text = content(size);
    for (const char* name : {"a", "b", "c"}) tree.write(name, text);
    struct stat changing = {};
    ASSERT_EQ(::stat(tree.path("b").c_str(), &changing), 0);
    const FaultyReads faults([&](std::uint64_t inode, std::uint64_t offset, std::size_t length) {
      // Writes the same bytes again at the same size, which cannot be distinguished from a change.
      if (inode == changing.st_ino && offset + length >= size) {
        const int file = ::open(tree.path("b").c_str(), O_WRONLY);
        EXPECT_EQ(::pwrite(file, text.data(), 1, 0), 1);
        ::close(file);
        tree.mtime("b", 2'000'000'000);  // a clock tick may take longer than the whole test
      }
      return 0;
    });
    const Found found = find(tree);
    EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"a", "c"}}));
    EXPECT_EQ(found.same.changed.size(), 1U);
  }
}

TEST(Duplicates, AFileThatChangesBetweenTwoPiecesIsInNoGroupEvenIfItsTimeIsRestored) {
  TempTree tree;
  const std::string text = content(3'000'000);
  for (const char* name : {"a", "b", "c"}) {
    tree.write(name, text);
    tree.mtime(name, 1'000'000'000);
  }
  struct stat other = {};
  ASSERT_EQ(::stat(tree.path("a").c_str(), &other), 0);
  struct stat before = {};
  ASSERT_EQ(::stat(tree.path("b").c_str(), &before), 0);
  const FaultyReads faults([&](std::uint64_t inode, std::uint64_t offset, std::size_t) {
    struct stat now = {};
    EXPECT_EQ(::stat(tree.path("b").c_str(), &now), 0);
    const bool untouched = now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
                           now.st_ctim.tv_nsec == before.st_ctim.tv_nsec;
    // While a later piece of another file is read, repeatedly until the clock ticks.
    while (inode == other.st_ino && offset > 0 && untouched &&
           now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == before.st_ctim.tv_nsec) {
      tree.mtime("b", 1'000'000'000);
      EXPECT_EQ(::stat(tree.path("b").c_str(), &now), 0);
    }
    return 0;
  });
  const Found found = find(tree, {.threads = 1});
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"a", "c"}}));
  EXPECT_EQ(found.same.changed.size(), 1U);
}

TEST(Duplicates, AreFoundDespiteInterruptedAndShortReads) {
  TempTree tree;
  const std::string text = content(100'000);
  for (const char* name : {"a", "b"}) tree.write(name, text);
  const FaultyReads faults({}, 7);
  const Found found = find(tree);
  EXPECT_TRUE(found.same.complete());
  EXPECT_EQ(found.groups(tree), (std::vector<Paths>{{"a", "b"}}));
}

// ---- Results

TEST(Duplicates, AreReadOnce) {
  TempTree tree;
  const std::string text = content(3'000'000);
  for (const char* name : {"a", "b", "c", "d"}) tree.write(name, text);
  EXPECT_EQ(find(tree).same.bytes_read, 4 * text.size());
}

TEST(Duplicates, ThatDifferEarlyAreNotReadToTheEnd) {
  TempTree tree;
  for (int i = 0; i < 8; ++i) tree.write(std::to_string(i), std::to_string(i) + content(2'000'000));
  EXPECT_LE(find(tree).same.bytes_read, 8U * 2U * 16'384U);
}

TEST(Duplicates, AreReportedOnceWhenConfirmed) {
  TempTree tree;
  for (unsigned i = 0; i < 100; ++i) {
    tree.write("a" + std::to_string(i), content(1000 + i, i));
    tree.write("b" + std::to_string(i), content(1000 + i, i));
  }
  std::multiset<std::uint64_t> reported;
  DuplicateOptions options;
  options.threads = 4;
  options.found = [&](const DuplicateGroup& group) { reported.insert(group.size); };
  const Found found = find(tree, options);
  std::multiset<std::uint64_t> expected;
  for (const DuplicateGroup& group : found.same.groups) expected.insert(group.size);
  EXPECT_EQ(reported, expected);
  EXPECT_EQ(reported.size(), 100U);
}

TEST(Duplicates, PassOnExceptionsOfACallback) {
  TempTree tree;
  for (const char* name : {"a", "b"}) tree.write(name, "hello");
  DuplicateOptions options;
  options.found = [](const DuplicateGroup&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(find(tree, options), std::runtime_error);
}

TEST(Duplicates, EndSoonWhenCancelled) {
  TempTree tree;
  for (unsigned i = 0; i < 100; ++i) {
    tree.write("a" + std::to_string(i), content(100'000 + i, i));
    tree.write("b" + std::to_string(i), content(100'000 + i, i));
  }
  const rt::CancelSource before;
  before.cancel();
  Found found = find(tree, {.cancel = before.token()});
  EXPECT_TRUE(found.same.cancelled);
  EXPECT_TRUE(found.same.groups.empty());
  EXPECT_EQ(found.same.bytes_read, 0U);

  const rt::CancelSource meanwhile;
  DuplicateOptions options;
  options.threads = 1;
  options.cancel = meanwhile.token();
  options.found = [&](const DuplicateGroup&) { meanwhile.cancel(); };
  found = find(tree, options);
  EXPECT_TRUE(found.same.cancelled);
  EXPECT_FALSE(found.same.groups.empty());
  EXPECT_LT(found.same.groups.size(), 100U);
}

// Of a size whose files are compared by name first, others are still waiting.
TEST(Duplicates, OfTheSameNameAreReportedAfterCancelling) {
  TempTree tree;
  write_copies(tree, {"a", "b"}, 1500);
  const rt::CancelSource source;
  base::atomic<int> reads{0};
  const FaultyReads watched([&](std::uint64_t, std::uint64_t, std::size_t) {
    if (reads.fetch_add(1, base::memory_order_relaxed) == 2000) source.cancel();
    return 0;
  });
  const Found found = find(tree, {.threads = 1, .cancel = source.token()});
  EXPECT_TRUE(found.same.cancelled);
  EXPECT_FALSE(found.same.groups.empty());
  EXPECT_LT(found.same.groups.size(), 1500U);
  for (const Paths& group : found.groups(tree)) {
    ASSERT_EQ(group.size(), 2U);
    EXPECT_EQ(group[0].substr(1), group[1].substr(1));
  }
}

TEST(Duplicates, ReportProgress) {
  TempTree tree;
  for (const char* name : {"a", "b"}) tree.write(name, std::string(50'000'000, 'x'));
  DuplicateOptions options;
  options.progress_interval = std::chrono::milliseconds(1);
  std::vector<DuplicateProgress> all;
  options.progress = [&](const DuplicateProgress& progress) { all.push_back(progress); };
  find(tree, options);
  std::uint64_t bytes = 0;
  for (const DuplicateProgress& progress : all) {
    EXPECT_EQ(progress.files_total, 2U);
    EXPECT_EQ(progress.bytes_total, 100'000'000U);
    EXPECT_LE(bytes, progress.bytes);
    bytes = progress.bytes;
    EXPECT_LE(bytes, progress.bytes_total);
  }
}

}  // namespace
}  // namespace fathom::fs
