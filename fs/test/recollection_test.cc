// Searches that remember earlier ones have the same results, and read only what has changed.

#include "dups/recollection.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "colliding.h"
#include "fathom/base/atomic.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/testing/temp_tree.h"
#include "faulty_reads.h"

namespace fathom::fs {
namespace {

constexpr std::uint16_t kDay = 20'000;

using Groups = std::vector<std::vector<std::string>>;

class Recalled : public ::testing::Test {
 protected:
  struct Search {
    Groups groups;
    Duplicates same;
  };

  // Searches with what earlier searches have learned, and adds to it.
  Search search(const std::vector<std::string>& folders = {""}) {
    const Scan found = scan_of(folders);
    const DuplicateMemory memory = memory_of(found);
    Search result = search_in(found, &memory);
    known_.take(result.same.learned, kDay);
    return result;
  }

  // The groups of a search that remembers nothing.
  Groups groups_now(const std::vector<std::string>& folders = {""}) {
    return search_in(scan_of(folders), nullptr).groups;
  }

  void write(const std::string& name, const std::string& content) { tree_.write(name, content); }

  // Writes another content of the same size and restores the mtime, until the clock has advanced.
  void rewrite_in_secret(const std::string& name, const std::string& content) {
    const struct stat before = status_of(name);
    struct stat now = before;
    while (now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == before.st_ctim.tv_nsec) {
      std::ofstream(tree_.path(name), std::ios::binary) << content;
      const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
      ASSERT_EQ(::utimensat(AT_FDCWD, tree_.path(name).c_str(), times.data(), 0), 0);
      now = status_of(name);
    }
  }

  [[nodiscard]] struct stat status_of(const std::string& name) const {
    struct stat status = {};
    EXPECT_EQ(::stat(tree_.path(name).c_str(), &status), 0);
    return status;
  }

  // Lets all that was remembered say something else.
  void forge(const std::function<void(ComparedFile&)>& change) {
    for (ComparedFile& file : known_.files) change(file);
  }

  testing::TempTree tree_;
  ComparedFiles known_;
  std::int64_t settled_before_ns_ = std::numeric_limits<std::int64_t>::max();

 private:
  [[nodiscard]] Scan scan_of(const std::vector<std::string>& folders) const {
    ScanOptions options;
    for (const std::string& folder : folders) options.roots.push_back(tree_.path(folder));
    options.read_times = true;
    return scan(options);
  }

  [[nodiscard]] DuplicateMemory memory_of(const Scan& found) const {
    const std::uint64_t device = found.tree.device(found.tree.roots().front());
    return {.known = known_,
            .filesystems = {{device, "here"}},
            .settled_before_ns = settled_before_ns_,
            .today = kDay};
  }

  Search search_in(const Scan& found, const DuplicateMemory* memory) const {
    Search result;
    result.same = find_duplicates(found.tree, {.min_size = 0, .memory = memory});
    for (const DuplicateGroup& group : result.same.groups) {
      auto& paths = result.groups.emplace_back();
      for (const DuplicateFile& file : group.files) {
        paths.push_back(found.tree.path(file.node).substr(tree_.path().size() + 1));
      }
    }
    return result;
  }
};

std::string bytes_of(std::size_t bytes, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

constexpr std::size_t kLarge = 3'000'000;

TEST_F(Recalled, FilesThatHaveNotChangedAreNotRead) {
  for (const char* name : {"a", "b", "sub/c"}) write(name, "small");
  write("d", "other");
  write("large 1", bytes_of(kLarge, 1));
  write("large 2", bytes_of(kLarge, 1));
  write("large 3", bytes_of(kLarge, 2));
  write("empty 1", "");
  write("empty 2", "");
  const Search first = search();
  EXPECT_GT(first.same.bytes_read, 2 * kLarge);
  EXPECT_EQ(first.same.recalled, 0U);
  const Search second = search();
  EXPECT_EQ(second.same.bytes_read, 0U);
  EXPECT_EQ(second.same.recalled, 7U);
  EXPECT_EQ(second.groups, first.groups);
  EXPECT_EQ(second.groups.size(), 3U);
  EXPECT_EQ(second.same.candidates, first.same.candidates);
  EXPECT_EQ(second.same.files, first.same.files);
  EXPECT_EQ(second.same.wasted_bytes, first.same.wasted_bytes);
  EXPECT_EQ(second.same.groups[0].files[0].identity, first.same.groups[0].files[0].identity);
  EXPECT_TRUE(second.same.complete());
}

TEST_F(Recalled, AFileThatIsNewIsReadWithThoseThatItMayEqual) {
  for (unsigned i = 0; i < 200; ++i) write("old/" + std::to_string(i), bytes_of(10'000, i));
  search();
  write("new", bytes_of(10'000, 7));
  write("other", bytes_of(10'000, 1000));
  const Search found = search();
  EXPECT_EQ(found.groups, (Groups{{"new", "old/7"}}));
  // With a hash of two bits, many may be equal.
  const bool may_collide = std::all_of(known_.files.begin(), known_.files.end(),
                                       [](const auto& file) { return file.begin_hash < 4; });
  if (!may_collide) {
    EXPECT_EQ(found.same.bytes_read, 2U * 4096U + 2U * 10'000U);
  }
  EXPECT_EQ(search().same.bytes_read, 0U);
}

TEST_F(Recalled, NewFilesThatWereMadeToCollideWithKnownOnesAreNotReadInPairs) {
  constexpr std::uint32_t kKnown = 2;
  constexpr std::uint32_t kFiles = 600;
  for (std::uint32_t i = 0; i < kKnown; ++i) write(std::to_string(i), colliding_content(i));
  search();
  for (std::uint32_t i = kKnown; i < kFiles; ++i) write(std::to_string(i), colliding_content(i));
  write("same", colliding_content(7));
  const Search found = search();
  EXPECT_EQ(found.groups, (Groups{{"7", "same"}}));
  if (!hash_is_narrow()) {
    EXPECT_EQ(found.same.bytes_read, (2 * (kFiles + 1) - kKnown + 2) * kCollidingBytes);
  }
}

TEST_F(Recalled, ANewFileThatDiffersSoonAfterItsBeginningIsNotReadToTheEnd) {
  const std::string beginning = bytes_of(5000, 1);
  for (unsigned i = 0; i < 3; ++i) write(std::to_string(i), beginning + bytes_of(kLarge, i));
  search();
  write("new", beginning + bytes_of(kLarge, 3));
  const Search found = search();
  EXPECT_TRUE(found.groups.empty());
  EXPECT_LE(found.same.bytes_read, 4096U + 4U * 16'384U);
}

TEST_F(Recalled, AFileOfManyEqualOnesIsComparedWithOneOfThem) {
  for (unsigned i = 0; i < 300; ++i) write("old/" + std::to_string(i), bytes_of(100'000, 1));
  EXPECT_EQ(search().groups.front().size(), 300U);
  write("new", bytes_of(100'000, 1));
  const Search found = search();
  EXPECT_EQ(found.groups.front().size(), 301U);
  EXPECT_LE(found.same.bytes_read, 250'000U);
  EXPECT_EQ(found.groups, groups_now());
}

TEST_F(Recalled, AFileThatChangedInSecretIsRead) {
  write("a", "same content");
  write("b", "same content");
  EXPECT_EQ(search().groups, (Groups{{"a", "b"}}));
  rewrite_in_secret("b", "SAME content");
  const Search found = search();
  EXPECT_TRUE(found.groups.empty());
  EXPECT_GT(found.same.bytes_read, 0U);
  rewrite_in_secret("b", "same content");
  EXPECT_EQ(search().groups, (Groups{{"a", "b"}}));
}

TEST_F(Recalled, AFileThatWasReplacedIsRead) {
  write("a", "same content");
  write("b", "same content");
  search();
  write("c", "SAME content");
  ASSERT_EQ(::rename(tree_.path("c").c_str(), tree_.path("b").c_str()), 0);
  EXPECT_TRUE(search().groups.empty());
}

TEST_F(Recalled, AFileThatWasMovedIsKnown) {
  write("a", "same content");
  write("b", "same content");
  search();
  // Renaming changes the ctime of a file on most filesystems; its directory's name does not.
  tree_.write("folder/c", "same content");
  search();
  ASSERT_EQ(::rename(tree_.path("folder").c_str(), tree_.path("moved").c_str()), 0);
  const Search found = search();
  EXPECT_EQ(found.groups, (Groups{{"a", "b", "moved/c"}}));
  EXPECT_EQ(found.same.bytes_read, 0U);
}

TEST_F(Recalled, AFileThatMayChangeWithoutANewCtimeIsReadAgain) {
  write("a", "same content");
  write("b", "same content");
  const struct stat status = status_of("b");
  settled_before_ns_ = std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec;
  const Search first = search();
  for (const ComparedFile& file : first.same.learned.files) {
    EXPECT_LT(file.ctime_ns, settled_before_ns_);
  }
  EXPECT_LT(first.same.learned.files.size(), 2U);
  EXPECT_GT(search().same.bytes_read, 0U);
}

TEST_F(Recalled, FilesOfTwoSearchesAreComparedOnce) {
  for (const char* folder : {"one", "two"}) {
    write(std::string(folder) + "/a", bytes_of(20'000, 1));
    write(std::string(folder) + "/b", bytes_of(20'000, 1));
    write(std::string(folder) + "/c", bytes_of(20'000, 2));
  }
  search({"one"});
  search({"two"});
  EXPECT_EQ(search({"one"}).same.bytes_read, 0U);
  const Search both = search();
  EXPECT_EQ(both.groups, groups_now());
  EXPECT_EQ(both.same.bytes_read, 4U * 20'000U) << "one file of each content";
  EXPECT_EQ(search().same.bytes_read, 0U);
}

// With a hash of two bits, so many that they are compared in parts.
TEST_F(Recalled, ManyFilesOfTwoSearchesAreCompared) {
  for (unsigned i = 0; i < 300; ++i) {
    write("one/" + std::to_string(i), bytes_of(100, i));
    write("two/" + std::to_string(i), bytes_of(100, i % 2 == 0 ? i : 1000 + i));
  }
  search({"one"});
  search({"two"});
  const Search both = search();
  EXPECT_EQ(both.groups.size(), 150U);
  EXPECT_EQ(both.groups, groups_now());
  EXPECT_EQ(search().same.bytes_read, 0U);
}

TEST_F(Recalled, FilesOfOtherPlacesAreStillKnown) {
  write("one/a", bytes_of(20'000, 1));
  write("one/b", bytes_of(20'000, 1));
  write("two/a", bytes_of(20'000, 2));
  write("two/b", bytes_of(20'000, 2));
  search({"one", "two"});
  write("one/c", bytes_of(20'000, 1));
  search({"one"});
  EXPECT_EQ(search({"two"}).same.bytes_read, 0U);
  EXPECT_EQ(search().groups, groups_now());
}

TEST_F(Recalled, AnotherFileIsReadForOneThatCannotBe) {
  for (const char* name : {"a", "b", "c"}) write(name, bytes_of(kLarge, 1));
  search();
  write("new", bytes_of(kLarge, 1));
  std::map<std::uint64_t, std::string> names;
  for (const char* name : {"a", "b", "c"}) names[status_of(name).st_ino] = name;
  base::atomic<std::uint64_t> bad{0};  // the first that is read
  Search found;
  {
    const FaultyReads faults([&](std::uint64_t inode, std::uint64_t offset, std::size_t) {
      std::uint64_t none = 0;
      if (offset > 0 && names.contains(inode)) bad.compare_exchange_strong(none, inode);
      return inode == bad.load() && offset > 0 ? EIO : 0;
    });
    found = search();
  }
  ASSERT_NE(bad.load(), 0U);
  EXPECT_EQ(found.same.errors.size(), 1U);
  const Groups all = {{"a", "b", "c", "new"}};
  Groups expected = all;
  std::erase(expected.front(), names[bad.load()]);
  EXPECT_EQ(found.groups, expected);
  EXPECT_EQ(search().groups, all) << "nothing is remembered of what could not be read";
}

TEST_F(Recalled, AFileThatChangesWhileItIsReadIsInNoGroup) {
  for (const char* name : {"a", "b", "c"}) write(name, bytes_of(kLarge, 1));
  search();
  write("new", bytes_of(kLarge, 1));
  std::map<std::uint64_t, std::string> names;
  for (const char* name : {"a", "b", "c"}) names[status_of(name).st_ino] = name;
  std::mutex mutex;
  std::string changed;
  Search found;
  {
    const FaultyReads faults([&](std::uint64_t inode, std::uint64_t offset, std::size_t) {
      const std::lock_guard lock(mutex);
      if (offset == 0 || !changed.empty() || !names.contains(inode)) return 0;
      changed = names[inode];
      rewrite_in_secret(changed, bytes_of(kLarge, 2));
      return 0;
    });
    found = search();
  }
  ASSERT_FALSE(changed.empty());
  EXPECT_EQ(found.same.changed.size(), 1U);
  Groups expected = {{"a", "b", "c", "new"}};
  std::erase(expected.front(), changed);
  EXPECT_EQ(found.groups, expected);
  EXPECT_EQ(search().groups, expected);
}

TEST_F(Recalled, ACancelledSearchTeachesNothing) {
  write("a", "same content");
  write("b", "same content");
  const rt::CancelSource source;
  source.cancel();
  ScanOptions options;
  options.roots = {tree_.path()};
  options.read_times = true;
  const Scan found = scan(options);
  const DuplicateMemory memory{
      .known = {}, .filesystems = {}, .settled_before_ns = settled_before_ns_};
  const Duplicates same =
      find_duplicates(found.tree, {.memory = &memory, .cancel = source.token()});
  EXPECT_TRUE(same.cancelled);
  EXPECT_EQ(same.learned, ComparedFiles());
}

// Copies of a disk have the same identity and the same inode numbers.
TEST_F(Recalled, FilesystemsWithTheSameIdentityAreNotKnown) {
  write("a", "same content");
  write("b", "same content");
  ScanOptions options;
  options.roots = {tree_.path()};
  options.read_times = true;
  const Scan found = scan(options);
  const std::uint64_t device = found.tree.device(found.tree.roots().front());
  const DuplicateMemory memory{.known = {},
                               .filesystems = {{device, "disk"}, {device + 1, "disk"}},
                               .settled_before_ns = settled_before_ns_};
  EXPECT_TRUE(find_duplicates(found.tree, {.memory = &memory}).learned.files.empty());
}

// Random trees of few contents, with random changes: the result is always that of a search without
// a memory, and a repetition reads nothing.
TEST_F(Recalled, AnyChangesAreFound) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t most) { return static_cast<unsigned>(random() % most); };
  // Sizes that are compared in one piece, in several, and by name; contents that differ at the end.
  const std::vector<std::size_t> sizes = {1, 100, 5000, 70'000, 600'000};
  const auto text = [&](std::size_t size, unsigned number) {
    std::string bytes = bytes_of(size, number % 2);
    bytes.back() = static_cast<char>(number);
    return bytes;
  };
  const std::vector<std::vector<std::string>> places = {{""}, {"0"}, {"1"}, {"0", "2"}};
  for (unsigned i = 0; i < 3; ++i) write(std::to_string(i) + "/first", "x");
  for (int round = 0; round < 40; ++round) {
    const unsigned changes = below(12);
    for (unsigned change = 0; change < changes; ++change) {
      const std::string name = std::to_string(below(3)) + "/" + std::to_string(below(30));
      ::unlink(tree_.path(name).c_str());
      if (below(5) > 0) write(name, text(sizes[below(sizes.size())], below(5)));
    }
    const auto& place = places[below(places.size())];
    SCOPED_TRACE(round);
    ASSERT_EQ(search(place).groups, groups_now(place));
    const Search again = search(place);
    ASSERT_EQ(again.groups, groups_now(place));
    ASSERT_EQ(again.same.bytes_read, 0U);
  }
}

// What is wrong must not stop the search, whatever it says.
TEST_F(Recalled, AnythingMayBeForged) {
  std::mt19937 generator(1);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  for (unsigned i = 0; i < 60; ++i) {
    write(std::to_string(i), bytes_of(i % 2 == 0 ? 5000 : 600'000, i % 7));
  }
  for (int round = 0; round < 30; ++round) {
    known_ = {};
    search();
    forge([&](ComparedFile& file) {
      if (random() % 2 == 0) file.content = random() % 3;
      if (random() % 4 == 0) file.search = 1 + random() % 3;
      if (random() % 4 == 0) file.begin_hash = random() % 2;
      if (random() % 4 == 0) file.ctime_ns = 0;
    });
    const Search found = search();
    std::set<std::string> seen;
    for (const auto& group : found.groups) {
      EXPECT_GE(group.size(), 2U);
      for (const std::string& path : group) EXPECT_TRUE(seen.insert(path).second) << path;
    }
  }
}

}  // namespace
}  // namespace fathom::fs
