// The formats of duplicates: the exact text of a small result.

#include "fathom/fs/dup_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/csv.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

DuplicateFile file(NodeId node, std::uint32_t storage, std::vector<NodeId> links = {}) {
  return {.node = node, .storage = storage, .identity = {}, .links = std::move(links)};
}

// Two groups: one of three files, one of which has two names and two of which share their blocks;
// and one of two files.
class Finding {
 public:
  Finding() {
    HandMadeTree made;
    const DirId top = made.root("/t");
    for (const char* name : {"a", "a again", "b", "c", "x\n\\y", "x\xff\xc3\xb6"}) {
      made.file(top, name, {.size = 5, .blocks = 8});
    }
    scan.tree = made.finish();
    scan.roots = {"/t"};
    scan.seconds = 1.5;
    same.groups.push_back({.size = 5,
                           .wasted_bytes = 4096,
                           .files = {file(at("/t/a"), 0, {at("/t/a again")}), file(at("/t/b"), 1),
                                     file(at("/t/c"), 0)}});
    same.groups.push_back({.size = 5,
                           .wasted_bytes = 0,
                           .files = {file(at("/t/x\n\\y"), 0), file(at("/t/x\xff\xc3\xb6"), 1)}});
    same.files = 5;
    same.wasted_bytes = 4096;
    same.candidates = 6;
    same.bytes_read = 30;
    same.threads = 2;
    same.seconds = 0.25;
    directories.explained = {false, false};
  }

  [[nodiscard]] DupReport report(std::size_t top = 0) const {
    return {.scan = scan, .same = same, .directories = directories, .top = top};
  }
  [[nodiscard]] NodeId at(std::string_view path) const { return find_node(scan.tree, path); }

  Scan scan;
  Duplicates same;
  DuplicateDirectories directories;
};

template <class Write>
std::string written(Write&& write) {
  std::string text;
  write([&text](std::string_view block) {
    text += block;
    return true;
  });
  return text;
}

std::string json_of(const DupReport& report) {
  return written([&](const Sink& sink) { write_dups_json(report, sink); });
}

TEST(DupsJson, MatchesItsSchema) {
  const Finding found;
  EXPECT_EQ(
      json_of(found.report()),
      R"({"schema":"fathom.dups/1","roots":[{"path":"/t"}],"groups":[)"
      R"({"size":5,"wasted_bytes":4096,"keep":0,"paths":["/t/a","/t/b","/t/c"],"storage":[0,1,0],)"
      R"("hardlinks":["/t/a again"],"hardlink_of":[0]},)"
      R"({"size":5,"wasted_bytes":0,"keep":0,"paths":["/t/x\n\\y","/t/x)"
      "\uFFFD\u00F6"
      R"("],"paths_b64":[null,"L3QveP/Dtg=="],"storage":[0,1],"hardlinks":[],"hardlink_of":[]}],)"
      R"("directories":[],"totals":{"groups":2,"files":5,"wasted_bytes":4096,"candidates":6,)"
      R"("bytes_read":30},"accuracy":{"complete":true,"unreadable":0,"changed":0},"errors":[],)"
      R"("changed":[],"timing":{"seconds":1.75,"scan_seconds":1.5,"compare_seconds":0.25,)"
      R"("threads":2}})"
      "\n");
}

TEST(DupsJson, ReportsWhatIsMissing) {
  Finding found;
  found.scan.errors.push_back({"/t/secret", "open", EACCES});
  found.same.errors.push_back({"/t/b\xff", "read", EIO});
  found.same.changed.push_back(found.at("/t/c"));
  found.same.cancelled = true;
  const std::string text = json_of(found.report());
  for (const char* part :
       {R"("accuracy":{"complete":false,"unreadable":2,"changed":1,"interrupted":true})",
        R"("errors":[{"path":"/t/secret","operation":"open","errno":13,"message":"Permission den)",
        "{\"path\":\"/t/b\uFFFD\",\"path_b64\":\"L3QvYv8=\",\"operation\":\"read\",\"errno\":5,",
        R"("changed":[{"path":"/t/c"}])"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(DupsJson, ContainsTheDirectories) {
  Finding found;
  found.directories.groups.push_back({.directories = {found.at("/t/a"), found.at("/t/b")},
                                      .files = 3,
                                      .bytes = 70,
                                      .wasted_bytes = 8192});
  EXPECT_NE(json_of(found.report())
                .find(R"("directories":[{"paths":["/t/a","/t/b"],"files":3,"bytes":70,)"
                      R"("wasted_bytes":8192}])"),
            std::string::npos);
}

TEST(DupsJson, WithTheFirstGroupsStillHasAllSums) {
  const std::string text = json_of(Finding().report(1));
  EXPECT_EQ(text.find("x\\n"), std::string::npos);
  EXPECT_NE(text.find(R"("totals":{"groups":2,"files":5,)"), std::string::npos);
}

TEST(DuplicateNames, AreARowEach) {
  const Finding found;
  const DupReport report = found.report();
  EXPECT_EQ(written([&](const Sink& sink) { write_csv(duplicate_names(report), sink); }),
            "group,size,wasted_bytes,keep,path,hardlink_of,storage_of\r\n"
            "1,5,4096,true,/t/a,,\r\n"
            "1,5,4096,true,/t/a again,/t/a,\r\n"
            "1,5,4096,false,/t/b,,\r\n"
            "1,5,4096,false,/t/c,,/t/a\r\n"
            "2,5,0,true,\"/t/x\n\\y\",,\r\n"
            "2,5,0,false,/t/x\xff\xc3\xb6,,\r\n");
}

// A search through the group for each row would not end.
TEST(DuplicateNames, OfALargeGroupTakeAStepEach) {
  Finding found;
  constexpr std::uint32_t kFiles = 1'000'000;
  DuplicateGroup& group = found.same.groups.front();
  const NodeId node = group.files.front().node;
  group.files.clear();
  for (std::uint32_t i = 0; i < kFiles; ++i) group.files.push_back(file(node, i));
  const DupReport report = found.report(1);
  std::size_t rows = 0;
  write_csv(duplicate_names(report), [&](std::string_view block) {
    rows += static_cast<std::size_t>(std::count(block.begin(), block.end(), '\n'));
    return true;
  });
  EXPECT_EQ(rows, kFiles + 1U) << "with the header";
}

TEST(DuplicateNames, MarkTheGivenKeptFile) {
  const Finding found;
  DupReport report = found.report(1);
  report.kept = {1, 0};
  EXPECT_EQ(written([&](const Sink& sink) { write_csv(duplicate_names(report), sink); }),
            "group,size,wasted_bytes,keep,path,hardlink_of,storage_of\r\n"
            "1,5,4096,false,/t/a,,\r\n"
            "1,5,4096,false,/t/a again,/t/a,\r\n"
            "1,5,4096,true,/t/b,,\r\n"
            "1,5,4096,false,/t/c,,/t/a\r\n");
}

TEST(Fclones, MatchesTheOutputOfFclones) {
  Finding found;
  found.scan.roots = {"--odd \x01"};
  const DupReport report = found.report();
  EXPECT_EQ(written([&](const Sink& sink) {
              write_fclones(report, {"2026-01-31T08:00:00.5Z", "/work dir"}, sink);
            }),
            R"({
  "header": {
    "version": "0.35.0",
    "timestamp": "2026-01-31T08:00:00.5Z",
    "command": [
      "fclones",
      "group",
      "--",
      "--odd \\x01"
    ],
    "base_dir": "/work dir",
    "stats": {
      "group_count": 2,
      "total_file_count": 6,
      "total_file_size": 30,
      "redundant_file_count": 4,
      "redundant_file_size": 20,
      "missing_file_count": 0,
      "missing_file_size": 0
    }
  },
  "groups": [
    {
      "file_len": 5,
      "file_hash": "00000000000000000000000000000001",
      "files": [
        "/t/a",
        "/t/a again",
        "/t/b",
        "/t/c"
      ]
    },
    {
      "file_len": 5,
      "file_hash": "00000000000000000000000000000002",
      "files": [
        "/t/x\\n\\\\y",
        "/t/x\\xFF)"
            "\u00F6"
            R"("
      ]
    }
  ]
}
)");
}

TEST(Fclones, HasTheKeptFileFirst) {
  const Finding found;
  DupReport report = found.report(1);
  report.kept = {1, 0};
  const std::string text = written([&](const Sink& sink) {
    write_fclones(report, {"", "/"}, sink);
  });
  EXPECT_LT(text.find("/t/b"), text.find("/t/a"));
}

TEST(Fclones, HasAbsolutePaths) {
  Finding found;
  HandMadeTree made;
  const DirId top = made.root(".");
  made.file(top, "a", {.size = 1});
  made.file(top, "b", {.size = 1});
  found.scan.tree = made.finish();
  found.same.groups = {{.size = 1,
                        .wasted_bytes = 0,
                        .files = {file(found.at("./a"), 0), file(found.at("./b"), 1)}}};
  const DupReport report = found.report();
  const std::string text = written([&](const Sink& sink) {
    write_fclones(report, {"", "/here"}, sink);
  });
  EXPECT_NE(text.find("\"/here/a\",\n        \"/here/b\""), std::string::npos) << text;
}

}  // namespace
}  // namespace fathom::fs
