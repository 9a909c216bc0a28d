// A snapshot is read back as the scan that was written.

#include "fathom/store/snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/utf8.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"
#include "snapshot/directory_columns.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {
namespace {

using testing::TempTree;

fs::Scan scan_exactly(const std::vector<std::string>& roots,
                      fs::Engine engine = fs::Engine::lockfree, unsigned threads = 2) {
  fs::ScanOptions options;
  options.roots = roots;
  options.engine = engine;
  options.threads = threads;
  options.read_times = true;
  return fs::scan(options);
}

SnapshotOptions options_for(const fs::Scan& scan) {
  SnapshotOptions options;
  options.meta.roots = scan.roots;
  options.meta.started_ns = 1'000'000'000;
  options.meta.ended_ns = 3'500'000'000;
  options.filesystem_ids = fs::filesystem_ids(scan.tree);
  return options;
}

// Everything about each entry, by path.
using Facts = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t,
                         std::uint32_t, std::uint32_t, std::uint16_t, std::uint8_t, std::int64_t,
                         std::int64_t, std::int64_t, std::int64_t>;

std::multimap<std::string, Facts> facts_of(const fs::Tree& tree) {
  std::multimap<std::string, Facts> facts;
  tree.for_each_node([&](fs::NodeId node) {
    const fs::Entry entry = tree.entry(node);
    facts.emplace(tree.path(node),
                  Facts{entry.size, entry.blocks, entry.inode, entry.device, entry.uid, entry.gid,
                        entry.links, entry.mode, tree.flags(node), entry.mtime, entry.times.mtime,
                        entry.times.ctime, entry.times.btime});
  });
  return facts;
}

void expect_same(const fs::Scan& read, const fs::Scan& written) {
  EXPECT_EQ(facts_of(read.tree), facts_of(written.tree));
  EXPECT_EQ(read.roots, written.roots);
  ASSERT_EQ(read.errors.size(), written.errors.size());
  for (std::size_t i = 0; i < read.errors.size(); ++i) {
    EXPECT_EQ(read.errors[i].path, written.errors[i].path);
    EXPECT_STREQ(read.errors[i].operation, written.errors[i].operation);
    EXPECT_EQ(read.errors[i].code, written.errors[i].code);
  }
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

SnapshotMeta write_to(const std::string& folder, const fs::Scan& scan, unsigned threads = 2) {
  rt::Executor executor({.threads = threads});
  const base::Fd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  return write_snapshot(scan, options_for(scan), executor, open.get());
}

// A column of numbers, by path.
std::map<std::string, std::int64_t> numbers_of(const Snapshot& kept, DirectoryColumn column) {
  const ParquetReader& file = kept.files().directories.get();
  std::map<std::string, std::int64_t> numbers;
  ChunkDecoder dirs(file);
  ChunkDecoder names(file);
  ChunkDecoder decoder(file);
  for (std::size_t group = 0; group < file.groups(); ++group) {
    Values dir;
    Values name;
    Values values;
    dirs.read(group, static_cast<std::size_t>(DirectoryColumn::dir), 0, file.rows(group), dir);
    names.read(group, static_cast<std::size_t>(DirectoryColumn::name), 0, file.rows(group), name);
    decoder.read(group, static_cast<std::size_t>(column), 0, file.rows(group), values);
    std::size_t next = 0;
    for (std::size_t i = 0; i < file.rows(group); ++i) {
      const std::string above =
          dir.present[i] != 0 ? std::string(dir.texts[next++]) + "/" : std::string();
      numbers[above + std::string(name.texts[i])] = values.numbers[i];
    }
  }
  return numbers;
}

// A tree with everything that a tree can have.
void make_everything(TempTree& tree) {
  tree.file("a/file", 5000);
  tree.file("a/b/c/deep", 1);
  tree.dir("a/empty");
  tree.hardlink("a/file", "a/other-name");
  tree.symlink("nowhere", "a/link");
  tree.file("a/\xff not UTF-8/x\xfe", 12);
  tree.file("z", 0);
}

TEST(Snapshot, ReturnsTheScanThatWasWritten) {
  TempTree tree;
  make_everything(tree);
  const fs::Scan scan = scan_exactly({tree.path()});
  TempTree store;
  write_to(store.path(), scan);
  const Snapshot kept = Snapshot::open(store.path());
  expect_same(kept.load(), scan);
  EXPECT_EQ(kept.verify(), std::nullopt);
}

TEST(Snapshot, ReturnsAScanOfSeveralRootsInTheirOrder) {
  TempTree tree;
  make_everything(tree);
  const fs::Scan scan =
      scan_exactly({tree.path("z"), tree.path("a/b"), tree.path("a/empty"), tree.path("a/link")});
  rt::Executor executor({.threads = 2});
  expect_same(Snapshot::of(scan, options_for(scan), executor).load(), scan);
}

TEST(Snapshot, InMemoryEndsWhenItIsCancelled) {
  TempTree tree;
  make_everything(tree);
  const fs::Scan scan = scan_exactly({tree.path()});
  rt::Executor executor({.threads = 2});
  rt::CancelSource cancel;
  cancel.cancel();
  EXPECT_THROW((void)Snapshot::of(scan, options_for(scan), executor, cancel.token()), base::Error);
}

TEST(Snapshot, ReturnsTheErrorsOfTheScan) {
  TempTree tree;
  tree.file("a/file", 1);
  fs::Scan scan = scan_exactly({tree.path()});
  scan.errors = {{"/x", "open", EACCES}, {"/x/\xff", "list", 0}, {"/y", "stat", EIO}};
  rt::Executor executor({.threads = 2});
  const Snapshot kept = Snapshot::of(scan, options_for(scan), executor);
  EXPECT_EQ(kept.meta().errors, 3U);
  expect_same(kept.load(), scan);
}

TEST(Snapshot, SaysInItsMetadataWhatTheScanFound) {
  TempTree tree;
  make_everything(tree);
  const fs::Scan scan = scan_exactly({tree.path()});
  TempTree store;
  const SnapshotMeta written = write_to(store.path(), scan);
  const SnapshotMeta read = Snapshot::open(store.path()).meta();
  const fs::Counts whole = fs::Totals(scan.tree).whole();
  EXPECT_EQ(read.totals.files, whole.files);
  EXPECT_EQ(read.totals.disk_bytes, whole.disk_bytes);
  EXPECT_EQ(read.roots, scan.roots);
  EXPECT_EQ(read.id, written.id);
  EXPECT_EQ(read.id.size(), 16U);
  ASSERT_EQ(read.files.size(), 3U);
  for (const SnapshotFile& file : read.files) {
    EXPECT_EQ(file.bytes, std::filesystem::file_size(store.path(file.name)));
  }
}

TEST(Snapshot, OfAQuietTreeHasTheSameBytesForAllEnginesAndThreads) {
  TempTree tree;
  testing::generate(tree, {.seed = 5, .directories = 300, .hard_links = 20, .symlinks = 20});
  TempTree first;
  write_to(first.path(), scan_exactly({tree.path()}, fs::Engine::serial, 1), 1);
  for (const auto engine : {fs::Engine::pool, fs::Engine::steal, fs::Engine::lockfree}) {
    TempTree other;
    write_to(other.path(), scan_exactly({tree.path()}, engine, 3), 3);
    for (const char* name : {"entries.parquet", "dirs.parquet", "errors.parquet", "meta.json"}) {
      EXPECT_EQ(content_of(other.path(name)), content_of(first.path(name))) << name;
    }
  }
}

TEST(SnapshotWriter, JoinsScansToTheSnapshotOfAll) {
  TempTree tree;
  make_everything(tree);
  tree.file("b/x", 7);
  const std::vector<std::string> roots = {tree.path("a/b"), tree.path("b"), tree.path("z")};
  TempTree store;
  const base::Fd folder(::open(store.path().c_str(), O_RDONLY | O_DIRECTORY));
  rt::Executor executor({.threads = 2});
  SnapshotOptions options = options_for(scan_exactly(roots));
  options.meta.roots.clear();
  SnapshotWriter writer(options, executor, folder.get());
  for (const std::string& root : roots) writer.add(scan_exactly({root}), {root});
  writer.finish();
  const Snapshot joined = Snapshot::open(store.path());
  const fs::Scan all = scan_exactly(roots);
  expect_same(joined.load(), all);
  EXPECT_EQ(joined.meta().totals.disk_bytes, fs::Totals(all.tree).whole().disk_bytes);
  EXPECT_EQ(numbers_of(joined, DirectoryColumn::disk_bytes),
            numbers_of(Snapshot::of(all, options_for(all), executor), DirectoryColumn::disk_bytes));
}

TEST(Snapshot, IsPrivateToItsOwner) {
  TempTree tree;
  TempTree store;
  write_to(store.path(), scan_exactly({tree.path()}));
  struct stat facts = {};
  ASSERT_EQ(::stat(store.path("entries.parquet").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
}

// ---- Damage

std::string message_of_opening(const std::string& path) {
  try {
    static_cast<void>(Snapshot::open(path).load());
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Snapshot, WithoutAFileIsRefusedWithItsName) {
  TempTree tree;
  const fs::Scan scan = scan_exactly({tree.path()});
  for (const char* name : {"entries.parquet", "dirs.parquet", "errors.parquet", "meta.json"}) {
    TempTree store;
    write_to(store.path(), scan);
    std::filesystem::remove(store.path(name));
    EXPECT_EQ(message_of_opening(store.path()), store.path() + " is not a snapshot: cannot open " +
                                                    name + ": No such file or directory");
    std::filesystem::create_directory(store.path(name));
    EXPECT_EQ(message_of_opening(store.path()),
              store.path() + " is not a snapshot: " + name + " is not a regular file");
  }
}

TEST(Snapshot, WhoseFilesAreCutOffIsRefusedWithItsName) {
  TempTree tree;
  make_everything(tree);
  const fs::Scan scan = scan_exactly({tree.path()});
  TempTree store;
  write_to(store.path(), scan);
  const std::string whole = content_of(store.path("entries.parquet"));
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    std::ofstream(store.path("entries.parquet"), std::ios::binary) << whole.substr(0, size);
    const std::string message = message_of_opening(store.path());
    EXPECT_NE(message.find(store.path("entries.parquet")), std::string::npos) << size << message;
  }
}

TEST(Snapshot, WithAnyChangedByteFailsItsVerification) {
  TempTree tree;
  make_everything(tree);
  TempTree store;
  write_to(store.path(), scan_exactly({tree.path()}));
  for (const char* name : {"entries.parquet", "dirs.parquet", "errors.parquet"}) {
    const std::string whole = content_of(store.path(name));
    for (std::size_t at = 0; at < whole.size(); at += 101) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x10);
      std::ofstream(store.path(name), std::ios::binary) << changed;
      const auto fault = Snapshot::open(store.path()).verify();
      ASSERT_TRUE(fault) << name << ' ' << at;
      EXPECT_EQ(*fault, store.path(name) + " does not match its checksum in meta.json");
    }
    std::ofstream(store.path(name), std::ios::binary) << whole;
  }
}

// ---- dirs.parquet

TEST(SnapshotDirectories, HaveTheTotalsOfTheScan) {
  TempTree tree;
  testing::generate(tree, {.seed = 7, .directories = 250, .hard_links = 20, .symlinks = 20});
  const fs::Scan scan = scan_exactly({tree.path()});
  const fs::Totals totals(scan.tree);
  std::map<std::string, std::int64_t> disk;
  std::map<std::string, std::int64_t> files;
  scan.tree.for_each_directory([&](fs::DirId id) {
    const std::string path = fs::to_escaped_utf8(scan.tree.path(scan.tree.node(id)));
    disk[path] = static_cast<std::int64_t>(totals.below(id).disk_bytes);
    files[path] = static_cast<std::int64_t>(totals.below(id).files);
  });
  rt::Executor executor({.threads = 2});
  SnapshotOptions options = options_for(scan);
  options.group_rows = 100;
  const Snapshot kept = Snapshot::of(scan, options, executor);
  EXPECT_EQ(numbers_of(kept, DirectoryColumn::disk_bytes), disk);
  EXPECT_EQ(numbers_of(kept, DirectoryColumn::files), files);
}

TEST(SnapshotDirectories, AreBreadthFirstWithTheIntervalOfTheirSubdirectories) {
  TempTree tree;
  tree.dir("b/y/deep");
  tree.dir("b/x");
  tree.dir("a/z");
  tree.dir("c");
  const fs::Scan scan = scan_exactly({tree.path()});
  rt::Executor executor({.threads = 2});
  const Snapshot kept = Snapshot::of(scan, options_for(scan), executor);
  const auto first = numbers_of(kept, DirectoryColumn::first_subdir);
  const auto count = numbers_of(kept, DirectoryColumn::subdirs);
  // Rows: 0 the root; 1 a, 2 b, 3 c; 4 a/z, 5 b/x, 6 b/y; 7 b/y/deep.
  EXPECT_EQ(first.at(tree.path()), 1);
  EXPECT_EQ(count.at(tree.path()), 3);
  EXPECT_EQ(first.at(tree.path("a")), 4);
  EXPECT_EQ(first.at(tree.path("b")), 5);
  EXPECT_EQ(count.at(tree.path("b")), 2);
  EXPECT_EQ(first.at(tree.path("b/y")), 7);
  EXPECT_EQ(count.at(tree.path("c")), 0);
}

}  // namespace
}  // namespace fathom::store
