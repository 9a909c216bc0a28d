// Tests of reports: the rows of a response are those that `fathom scan --format json` writes.

#include "fathom/fs/report.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api_made_tree.h"
#include "fathom/fs/json.h"

namespace fathom::web {
namespace {

constexpr std::int64_t kTaken = 45;

fs::Scan scan_with_errors() {
  fs::Scan scan = many_kinds_of_entries().scan();
  for (int i = 0; i < 250; ++i) {
    scan.errors.push_back(
        {.path = "/t/\xff" + std::to_string(i), .operation = "open", .code = EACCES});
  }
  return scan;
}

// Every report that the server offers, with the defaults of its parameters.
std::vector<std::pair<std::string, fs::ReportRequest>> all_reports() {
  std::vector<std::pair<std::string, fs::ReportRequest>> reports;
  for (const fs::ReportInfo& report : fs::kReports) {
    if (report.needs_facts) continue;
    reports.emplace_back(report.head.key, fs::ReportRequest{.kind = report.kind,
                                                            .count = 100,
                                                            .within = std::chrono::seconds(86400)});
  }
  return reports;
}

// One report as `fathom scan` would write it: an array, or an object.
rapidjson::Document written(const Snapshot& snapshot, const fs::ReportRequest& request,
                            fs::Measure measure) {
  const fs::ReportInput input(snapshot.scan(), snapshot.totals(), measure, kTaken);
  std::string text;
  fs::write_json(snapshot.scan(), snapshot.totals(), {make_report(input, request)},
                 [&](std::string_view block) {
                   text += block;
                   return true;
                 });
  rapidjson::Document json = parsed(text.substr(0, text.size() - 1));
  rapidjson::Document report;
  report.CopyFrom(json["reports"].MemberBegin()->value, report.GetAllocator());
  return report;
}

TEST(Report, MatchesTheOutputOfAScan) {
  const Snapshot snapshot(scan_with_errors(), kTaken, 3, false);
  for (const auto& [name, request] : all_reports()) {
    for (const bool apparent : {false, true}) {
      const std::string query = apparent ? "measure=apparent" : "measure=disk";
      const auto measure = apparent ? fs::Measure::apparent : fs::Measure::disk;
      const auto expected = written(snapshot, request, measure);
      std::size_t rows = 0;
      for (std::size_t total = 1; rows < total;) {
        const auto json =
            ask(snapshot, "reports/" + name, query + "&limit=70&offset=" + std::to_string(rows));
        EXPECT_EQ(json["generation"].GetUint64(), 3U);
        EXPECT_EQ(json["key"].GetString(), name);
        EXPECT_STRNE(json["title"].GetString(), "");
        EXPECT_EQ(json["offset"].GetUint64(), rows);
        total = json["total"].GetUint64();
        EXPECT_EQ(total, expected.IsArray() ? expected.Size() : 1) << name;
        EXPECT_EQ(json["shape"].GetString(), std::string(expected.IsArray() ? "list" : "record"));
        ASSERT_TRUE(total == 0 || json["rows"].Size() > 0) << name;
        for (const auto& row : json["rows"].GetArray()) {
          const auto at = static_cast<rapidjson::SizeType>(rows++);
          EXPECT_TRUE(row == (expected.IsArray() ? expected[at] : expected)) << name << at;
        }
      }
    }
  }
}

TEST(Report, NamesItsColumnsLikeTheKeysOfItsRows) {
  const Snapshot snapshot(scan_with_errors(), kTaken, 3, false);
  for (const auto& [name, request] : all_reports()) {
    const auto json = ask(snapshot, "reports/" + name);
    ASSERT_GT(json["rows"].Size(), 0U) << name;
    for (const auto& column : json["columns"].GetArray()) {
      EXPECT_TRUE(json["rows"][0].HasMember(column["key"].GetString())) << name;
      EXPECT_STRNE(column["heading"].GetString(), "");
      EXPECT_STRNE(column["type"].GetString(), "");
    }
  }
}

TEST(Report, AppliesTheRequestedCountAndAge) {
  const Snapshot snapshot(scan_with_errors(), kTaken, 3, false);
  EXPECT_EQ(ask(snapshot, "reports/largest_files")["total"].GetUint64(), 100U);
  EXPECT_EQ(ask(snapshot, "reports/largest_files", "count=3")["total"].GetUint64(), 3U);
  EXPECT_EQ(ask(snapshot, "reports/largest_dirs", "count=1")["total"].GetUint64(), 1U);
  for (const std::uint64_t within : {0U, 6U, 4294967295U}) {
    std::uint64_t expected = 0;
    const fs::Tree& tree = snapshot.tree();
    tree.for_each_node([&](fs::NodeId node) {
      if (tree.kind(node) == fs::Kind::directory || (tree.flags(node) & fs::kExtraLink) != 0)
        return;
      if (tree.mtime(node) >= kTaken - static_cast<std::int64_t>(within)) ++expected;
    });
    EXPECT_EQ(
        ask(snapshot, "reports/recent", "within=" + std::to_string(within))["total"].GetUint64(),
        expected);
  }
}

TEST(Report, IsAboutTheDirectoryOfThePath) {
  MadeTree made;
  const auto top = made.root("/t", {.blocks = 8});
  const auto inside = made.directory(top, "in\xff", {.blocks = 8});
  made.file(inside, "a.c", {.size = 10, .blocks = 16});
  made.file(top, "b.h", {.size = 20, .blocks = 32});
  const Snapshot snapshot(made.scan(), kTaken, 3, false);
  const auto below = ask(snapshot, "reports/extensions", "path=/t/in%FF");
  EXPECT_STREQ(below["path"].GetString(), "/t/in\xef\xbf\xbd");
  EXPECT_STREQ(below["path_b64"].GetString(), "L3QvaW7/");
  ASSERT_EQ(below["rows"].Size(), 1U);
  EXPECT_STREQ(below["rows"][0]["extension"].GetString(), "c");
  EXPECT_EQ(below["rows"][0]["share"].GetDouble(), 1);
  EXPECT_EQ(ask(snapshot, "reports/extensions")["rows"].Size(), 2U);
  EXPECT_STREQ(ask(snapshot, "reports/extensions")["path"].GetString(), "/t");
  EXPECT_EQ(refused(&snapshot, "reports/extensions", "path=/u"), "404 not_found");
}

TEST(Report, HasFewerRowsOnAPageIfTheirPathsAreLong) {
  MadeTree made;
  const auto directory = far_below(made, made.root("/t"), 400);
  for (int i = 0; i < 100; ++i) made.file(directory, std::to_string(i), {.size = 1});
  const Snapshot snapshot(made.scan(), kTaken, 3, false);
  expect_each_file_once(snapshot, 100, "rows", [&](const std::string& part) {
    return answer({"reports/largest_files", part, &snapshot});
  });
}

TEST(Report, SaysHowManyDirectoriesMetricsLeaveOut) {
  MadeTree made;
  far_below(made, made.root("/t"), 20);
  const Snapshot snapshot(made.scan(), kTaken, 3, false);
  const auto json = ask(snapshot, "reports/metrics");
  EXPECT_EQ(json["total"].GetUint64(), 17U);
  EXPECT_EQ(json["too_long"].GetUint64(), 4U);
  EXPECT_FALSE(ask(snapshot, "reports/largest_dirs").HasMember("too_long"));
}

TEST(Report, IsRefusedForInvalidRequests) {
  const Snapshot snapshot(scan_with_errors(), kTaken, 3, false);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"largest_files", "count=0"},
      {"largest_files", "count=10001"},
      {"largest_dirs", "count=x"},
      {"recent", "within=-1"},
      {"recent", "within=4294967296"},
      {"recent", "count=5"},
      {"ages", "count=5"},
      {"ages", "within=5"},
      {"ages", "measure=exclusive"},
      {"ages", "limit=1001"},
      {"ages", "path=/t&path=/t"},
  };
  for (const auto& [name, query] : wrong) {
    EXPECT_EQ(refused(&snapshot, "reports/" + name, query), "400 bad_request") << name << query;
  }
}

}  // namespace
}  // namespace fathom::web
