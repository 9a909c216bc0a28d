// Repeatability: for every engine and number of threads, every report is identical byte for byte,
// even if names are shared, roots overlap, and some directories are unreadable.

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "every_way.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"
#include "faulty_kernel.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

const int kRounds = kSmall ? 10 : 50;

// 1 to 64, in an order that is unrelated to their size.
unsigned threads_of(int round) {
  return 1 + static_cast<unsigned>(round) * 13 % 64;
}

std::vector<ReportRequest> all_reports() {
  std::vector<ReportRequest> requests;
  for (const ReportInfo& report : kReports) {
    requests.push_back(
        {.kind = report.kind, .count = 1'000'000, .within = std::chrono::hours(24 * 365)});
  }
  return requests;
}

// Facts of the filesystem change while others use it, so every scan gets the same ones.
std::vector<FilesystemFacts> facts_of(std::uint64_t device) {
  FilesystemFacts facts;
  facts.roots = {0};
  facts.mount_point = "/";
  facts.type = "ext4";
  facts.device = device;
  facts.size = 1ULL << 40;
  facts.free = 1ULL << 30;
  facts.available = 1ULL << 29;
  return {facts};
}

// The first difference, as a message.
std::string difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t from = at < 200 ? 0 : at - 200;
  return a.substr(from, 400) + "\n---\n" + b.substr(from, 400);
}

void make(TempTree& tree) {
  testing::generate(tree, {.directories = 60, .hard_links = 60, .symlinks = 20});
  for (const char* where : {"over", "over/lap", "beside"}) {
    const std::string in = where;
    tree.file(in + "/file", 3000);
    tree.file(in + "/closed/file", 10);
    tree.file(in + "/not listed/file", 10);
    tree.file(in + "/not looked at", 10);
    tree.file(in + "/gone", 10);
    tree.dir(in + "/empty");
    tree.symlink("nowhere", in + "/dangling");
  }
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    tree.hardlink("over/file", "beside/" + number + ".link");
    tree.hardlink("over/lap/file", "over/lap/" + number + "/again");
    tree.file("over/lap/same size/" + number, 10);
  }
}

TEST(EveryReport, IsTheSameToTheByteOnEveryRun) {
  TempTree tree;
  make(tree);
  const std::vector<std::string> roots = {tree.path("over/lap"),    tree.path(),
                                          tree.path("over") + "/",  tree.path("over/lap"),
                                          tree.path("beside/file"), tree.path("missing")};
  std::set<std::uint64_t> not_listed;
  {
    const Scan all = scan(options_for({}, {tree.path()}));
    all.tree.for_each_node([&](NodeId node) {
      if (all.tree.name(node) == "not listed") not_listed.insert(all.tree.inode(node));
    });
  }
  ASSERT_EQ(not_listed.size(), 3U);
  const Faults faults(
      {.open = [](std::string_view name) { return name == "closed" ? EACCES : 0; },
       .stat =
           [](std::string_view name) {
             if (name == "gone") return ENOENT;
             return name == "not looked at" ? EIO : 0;
           },
       .list = [&](std::uint64_t inode, int) { return not_listed.contains(inode) ? EIO : 0; }});
  std::string expected;
  for (int round = 0; round < kRounds; ++round) {
    for (const Way& way : ways_with({threads_of(round)})) {
      SCOPED_TRACE(::testing::Message() << way);
      ScanOptions options = options_for(way, roots);
      options.read_links = true;
      Scan found = scan(options);
      ASSERT_EQ(found.errors.size(), 10U) << describe(found.errors);
      ASSERT_GT(found.changed, 0U);
      found.filesystems = facts_of(found.tree.device(found.tree.roots().front()));
      const std::string json = without_timing(json_of(found, all_reports()));
      if (expected.empty()) expected = json;
      ASSERT_TRUE(json == expected) << difference(expected, json);
    }
  }
  // It contains an example of everything.
  for (const char* part : {"dangling", "not looked at", "same size", "\"lower_bound\":true"}) {
    EXPECT_NE(expected.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace fathom::fs
