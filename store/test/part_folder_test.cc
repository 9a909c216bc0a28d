// The parts of a scan: joined, they are the snapshot of one scan, whatever happened meanwhile.

#include "fathom/store/part_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/killed.h"
#include "fathom/testing/temp_tree.h"
#include "os/file.h"
#include "tables_of.h"

namespace fathom::store {
namespace {

using testing::BeforeStep;
using testing::killed_at;
using testing::TempTree;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Parts : public ::testing::Test {
 protected:
  Parts() {
    testing::generate(tree_, {.seed = 9, .directories = 40, .hard_links = 40, .symlinks = 5});
    for (int i = 0; i < 50; ++i) tree_.file("huge/" + std::to_string(i), 1);
    tree_.hardlink("huge/7", "a link");
    tree_.hardlink("huge/7", "huge-/link");
    tree_.file("bytes \xff/file", 3);
  }

  fs::Scan scan_shard(const PartWork& work, std::uint64_t entries) {
    fs::ScanOptions options;
    options.roots = {tree_.path()};
    options.threads = 2;
    options.read_times = true;
    options.shard = {.most_entries = entries, .from = folder().entries_of(work)};
    return fs::scan(options);
  }

  SnapshotOptions facts() {
    SnapshotOptions options;
    options.meta.host = host_;
    options.meta.roots = {tree_.path()};
    options.meta.selection = selection_;
    options.group_rows = 100;
    return options;
  }

  PartFolder folder(const PartFolder::Listener& before = {}) {
    return PartFolder::open_or_create(place_.path("scan"), before);
  }

  // Returns what is still to be done.
  std::vector<PartWork> do_part(const PartWork& work, std::uint64_t entries,
                                std::size_t batches = 3, const BeforeStep& before = {}) {
    const fs::Scan found = scan_shard(work, entries);
    static_cast<void>(folder(before).add(work, found, batches, facts(), executor_));
    std::vector<PartWork> rest;
    for (std::size_t i = 0; i < std::min(batches, found.rest.size()); ++i) {
      rest.push_back({.parent = work.id(), .batch = i});
    }
    return rest;
  }

  void do_all(std::vector<PartWork> works, std::uint64_t entries) {
    while (!works.empty()) {
      const PartWork work = std::move(works.back());
      works.pop_back();
      for (PartWork& rest : do_part(work, entries)) works.push_back(std::move(rest));
    }
  }

  std::vector<std::string> files_of_one_scan() {
    fs::ScanOptions options;
    options.roots = {tree_.path()};
    options.read_times = true;
    place_.dir("one");
    const base::Fd at = open_folder(place_.path("one"));
    write_snapshot(fs::scan(options), facts(), executor_, at.get());
    return tables_of(place_.path("one"));
  }

  JoinedParts join(bool accept_missing = false) {
    std::filesystem::remove_all(place_.path("joined"));
    place_.dir("joined");
    const base::Fd at = open_folder(place_.path("joined"));
    return folder().join({.accept_missing = accept_missing, .group_rows = 100}, executor_,
                         at.get());
  }

  std::vector<std::string> files_of_parts() {
    static_cast<void>(join());
    return tables_of(place_.path("joined"));
  }

  // The message of an error, or nothing.
  template <class Function>
  static std::string error_of(Function function) {
    try {
      function();
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  }

  TempTree tree_;
  TempTree place_;
  rt::Executor executor_{{.threads = 2}};
  std::string host_ = "here";
  std::vector<std::string> selection_;
};

TEST_F(Parts, AreTogetherTheSnapshotOfOneScan) {
  const std::vector<std::string> expected = files_of_one_scan();
  for (const std::uint64_t entries : {1, 7, 60, 100'000}) {
    SCOPED_TRACE(entries);
    std::filesystem::remove_all(place_.path("scan"));
    do_all({PartWork()}, entries);
    EXPECT_TRUE(files_of_parts() == expected);
  }
}

TEST_F(Parts, AreAddedOnce) {
  const Part first = folder().add(PartWork(), scan_shard({}, 10), 3, facts(), executor_);
  const Part second = folder().add(PartWork(), scan_shard({}, 1), 5, facts(), executor_);
  EXPECT_EQ(first, second);
  EXPECT_EQ(folder().find(PartWork()), std::optional<Part>(first));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(place_.path("scan/parts"))) {
    names.push_back(entry.path().filename());
  }
  EXPECT_EQ(names, std::vector<std::string>{"root"});
}

TEST_F(Parts, SurviveAProcessThatIsKilledAtAnyStep) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not allow threads in a child of a process with threads";
#endif
  const std::vector<std::string> expected = files_of_one_scan();
  int step = 0;
  for (;; ++step) {
    SCOPED_TRACE(step);
    std::filesystem::remove_all(place_.path("scan"));
    const bool killed = killed_at(step, [&](const BeforeStep& before) {
      rt::Executor executor({.threads = 1});
      const fs::Scan found = scan_shard({}, 30);
      static_cast<void>(folder(before).add({}, found, 2, facts(), executor));
    });
    // Either the part is there as a whole, or its work is done again.
    std::vector<PartWork> works = {PartWork()};
    if (folder().find(PartWork())) {
      works = {{.parent = "root", .batch = 0}, {.parent = "root", .batch = 1}};
    }
    do_all(works, 100'000);
    ASSERT_TRUE(files_of_parts() == expected);
    if (!killed) break;
  }
  EXPECT_GT(step, 10);
}

TEST_F(Parts, ThatAreMissingAreNamed) {
  EXPECT_TRUE(error_of([&] {
                static_cast<void>(join());
              }).ends_with("is not finished: the part root is missing"));
  const std::vector<PartWork> rest = do_part({}, 5);
  ASSERT_EQ(rest.size(), 3U);
  do_all({rest[0], rest[2]}, 100'000);
  EXPECT_TRUE(
      error_of([&] {
        static_cast<void>(join());
      }).ends_with("the part " + rest[1].id() + ", which continues root/rest-1, is missing"));
}

TEST_F(Parts, ThatAreMissingCanCountAsUnreadable) {
  const std::vector<PartWork> rest = do_part({}, 5);
  do_all({rest[0], rest[2]}, 100'000);
  const JoinedParts joined = join(true);
  ASSERT_EQ(joined.missing.size(), 1U);
  EXPECT_EQ(joined.missing.front().text(), "root/rest-1");
  const std::vector<std::string> unread = folder().entries_of(rest[1]);
  ASSERT_EQ(joined.errors.size(), unread.size());
  EXPECT_EQ(joined.errors.front().code, ECANCELED);
  EXPECT_FALSE(joined.meta.complete());
  const fs::Scan scan = Snapshot::open(place_.path("joined")).load();
  const fs::Totals totals(scan.tree);
  bool lower_bound = false;
  scan.tree.for_each_directory([&](fs::DirId id) { lower_bound |= totals.lower_bound(id); });
  EXPECT_TRUE(lower_bound);
}

TEST_F(Parts, OfAnotherScanAreRefused) {
  const std::vector<PartWork> rest = do_part({}, 5, 2);
  selection_ = {"--exclude=*.o"};
  do_all(rest, 100'000);
  EXPECT_TRUE(error_of([&] {
                static_cast<void>(join());
              }).ends_with("is part of another scan: its paths or its selection differ"));
}

TEST_F(Parts, ThatAreDamagedAreRefused) {
  const std::vector<PartWork> rest = do_part({}, 5, 1);
  do_all(rest, 100'000);
  std::ofstream(place_.path("scan/parts/root/rest-0"), std::ios::app) << "no zero byte at the end";
  EXPECT_TRUE(
      error_of([&] { static_cast<void>(join()); }).ends_with("/parts/root/rest-0 is cut off"));
  std::filesystem::resize_file(place_.path("scan/parts/root/entries.parquet"), 100);
  EXPECT_NE(error_of([&] { static_cast<void>(join()); }), "");
}

TEST_F(Parts, WhoseBatchesAreNotThoseOfTheDescriptionAreRefused) {
  do_all(do_part({}, 5, 2), 100'000);
  const std::string rest = place_.path("scan/parts/root/rest-1");
  const std::string paths = content_of(rest);
  const auto why = [&] {
    const PartWork work{.parent = "root", .batch = 1};
    const std::string scanned = error_of([&] { static_cast<void>(folder().entries_of(work)); });
    EXPECT_EQ(scanned, error_of([&] { static_cast<void>(join()); }));
    return scanned;
  };
  std::filesystem::resize_file(rest, 0);
  EXPECT_TRUE(
      why().ends_with("rest-1 is damaged: it does not have the number of paths that "
                      "part.json says"));
  std::ofstream(rest) << paths.substr(0, paths.find('\0') + 1);
  EXPECT_TRUE(why().ends_with("that part.json says"));
  std::filesystem::remove(rest);
  EXPECT_NE(why(), "");
  std::ofstream(rest) << paths;
  EXPECT_EQ(why(), "");
  std::filesystem::remove(place_.path("scan/parts/root/part.json"));
  EXPECT_TRUE(why().ends_with("/parts/root is not a part: it has no part.json"));
}

TEST_F(Parts, WhoseDescriptionIsDamagedAreRefusedByName) {
  do_all({PartWork()}, 100'000);
  const std::string file = place_.path("scan/parts/root/part.json");
  const std::string text = content_of(file);
  const auto why = [&] { return error_of([&] { static_cast<void>(folder().find(PartWork())); }); };
  EXPECT_EQ(why(), "");
  for (const auto& [from, to] : {std::pair("part/1", "part/2"), std::pair("root", "toor"),
                                 std::pair("\"errors\"", "\"e\""), std::pair("{", "")}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), std::string_view(from).size(), to);
    std::ofstream(file) << damaged;
    EXPECT_TRUE(why().starts_with(file + " is damaged: ")) << why();
  }
  std::ofstream(file) << std::string(2 << 20, ' ');
  EXPECT_EQ(why(), file + " is too long");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_TRUE(why().starts_with(file + ' ')) << why();
}

TEST_F(Parts, TellWhetherTheyAreOfTheSameScan) {
  folder().check_same_scan({"/anything"}, {});
  do_all({PartWork()}, 100'000);
  folder().check_same_scan({tree_.path()}, {});
  EXPECT_TRUE(error_of([&] { folder().check_same_scan({"/elsewhere"}, {}); })
                  .ends_with("/parts/root is part of another scan: its paths or its selection "
                             "differ"));
  EXPECT_NE(error_of([&] { folder().check_same_scan({tree_.path()}, {"-x"}); }), "");
}

TEST_F(Parts, AreNotAddedWhereSomethingElseIs) {
  place_.dir("scan/parts/root");
  EXPECT_TRUE(error_of([&] {
                static_cast<void>(folder().add({}, scan_shard({}, 10), 3, facts(), executor_));
              }).ends_with("/parts/root is not a part: it has no part.json"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place_.path("scan/parts")),
                          std::filesystem::directory_iterator()),
            1);
}

// A part with these entries, each with the directories above it.
class HandMadeParts : public Parts {
 protected:
  static fs::Scan scan_of(const std::vector<std::string>& names) {
    fs::TreeBuilder builder(true);
    fs::NodeId node = fs::kNoNode;
    {
      fs::TreeBuilder::Appender rows(builder);
      const auto top = rows.add_directory(fs::kNoDir, 0, "/r", {.inode = 1, .mode = 0040755});
      const auto d = rows.add_directory(top.id, 1, "d", {.inode = 2, .mode = 0040755});
      node = top.node;
      std::uint64_t inode = 3;
      for (const std::string& name : names) {
        rows.add(d.id, name, {.inode = inode++, .links = 1, .mode = 0100644});
      }
    }
    fs::Scan scan;
    scan.roots = {"/r"};
    scan.tree = builder.finish({node});
    return scan;
  }

  // The error of joining a first part with "/r/d/a" and another one with these entries.
  std::string why_refused(const std::vector<std::string>& names) {
    std::filesystem::remove_all(place_.path("scan"));
    SnapshotOptions options = facts();
    options.meta.roots = {"/r"};
    fs::Scan first = scan_of({"a"});
    first.rest = {"/r/d/b"};
    static_cast<void>(folder().add({}, first, 1, options, executor_));
    static_cast<void>(
        folder().add({.parent = "root", .batch = 0}, scan_of(names), 1, options, executor_));
    return error_of([&] { static_cast<void>(join()); });
  }
};

TEST_F(HandMadeParts, WithTheSameEntryAreRefused) {
  EXPECT_EQ(why_refused({"b"}), "");
  EXPECT_EQ(why_refused({"a", "b"}), "two parts of the scan have /r/d/a");
}

TEST_F(HandMadeParts, DealDirectoriesAndCutNames) {
  SnapshotOptions options = facts();
  options.meta.roots = {"/r"};
  fs::Scan first = scan_of({});
  first.rest = {"/r/1", "/r/2", "/r/3", "/r/4", "/r/a/", "/r/b/", "/r/c/"};
  const Part part = folder().add({}, first, 2, options, executor_);
  EXPECT_EQ(part.batches, (std::vector<std::uint64_t>{4, 3}));
  EXPECT_EQ(folder().entries_of({.parent = "root", .batch = 0}),
            (std::vector<std::string>{"/r/a/", "/r/c/", "/r/1", "/r/2"}));
  EXPECT_EQ(folder().entries_of({.parent = "root", .batch = 1}),
            (std::vector<std::string>{"/r/b/", "/r/3", "/r/4"}));
}

TEST_F(HandMadeParts, HaveNoEmptyBatch) {
  SnapshotOptions options = facts();
  options.meta.roots = {"/r"};
  fs::Scan first = scan_of({});
  first.rest = {"/r/1", "/r/2", "/r/a/", "/r/b/"};
  EXPECT_EQ(folder().add({}, first, 100, options, executor_).batches,
            (std::vector<std::uint64_t>{1, 1, 1, 1}));
}

TEST_F(HandMadeParts, WhoseRootWasReplacedSinceAreJoined) {
  SnapshotOptions options = facts();
  options.meta.roots = {"/r"};
  fs::Scan first = scan_of({"a"});
  first.rest = {"/r/d/b"};
  static_cast<void>(folder().add({}, first, 1, options, executor_));
  fs::TreeBuilder builder(true);
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    root = rows.add(fs::kNoDir, "/r", {.inode = 9, .links = 1, .mode = 0100644});
  }
  fs::Scan second;
  second.roots = {"/r"};
  second.tree = builder.finish({root});
  static_cast<void>(folder().add({.parent = "root", .batch = 0}, second, 1, options, executor_));
  EXPECT_EQ(join().meta.totals.entries(), 3U);
}

TEST_F(HandMadeParts, WithNamesThatNoEntryHasAreRefused) {
  for (const char* name : {"x/y", "..", ".", ""}) {
    EXPECT_NE(why_refused({name}), "") << name;
  }
  EXPECT_NE(why_refused({std::string("b\0c", 3)}), "");
}

TEST_F(Parts, AreNotFoundThroughLinks) {
  do_all({PartWork()}, 100'000);
  std::filesystem::rename(place_.path("scan/parts/root"), place_.path("elsewhere"));
  std::filesystem::create_directory_symlink(place_.path("elsewhere"),
                                            place_.path("scan/parts/root"));
  EXPECT_FALSE(folder().find(PartWork()));
}

TEST(PartWork, IsWrittenAndRead) {
  const PartWork work{.parent = "0123456789abcdef", .batch = 12};
  EXPECT_EQ(work.text(), "0123456789abcdef/rest-12");
  EXPECT_EQ(PartWork::parse(work.text())->id(), work.id());
  EXPECT_EQ(PartWork().id(), "root");
  EXPECT_EQ(work.id().size(), 16U);
  for (const char* wrong :
       {"", "root", "root/", "root/rest-", "root/rest-1x", "root/rest--1", "../rest-1",
        "0123/rest-1", "root/rest-99999999999999999999999", "root/rest-1/", "/rest-1"}) {
    EXPECT_FALSE(PartWork::parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace fathom::store
