// Tests of status_json: the exact text before the first snapshot, during a scan, and after it.

#include "api/status.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api_made_tree.h"

namespace fathom::web {
namespace {

fs::FilesystemFacts filesystem_of(std::uint64_t size) {
  fs::FilesystemFacts facts;
  facts.mount_point = "/\xff";
  facts.size = size;
  facts.free = 40;
  facts.available = 30;
  return facts;
}

std::string status_on(std::vector<fs::FilesystemFacts> filesystems) {
  MadeTree made;
  made.root("/t");
  fs::Scan scan = made.scan();
  scan.filesystems = std::move(filesystems);
  const Snapshot snapshot(std::move(scan), 0, 1, false);
  return status_json({}, &snapshot);
}

TEST(Status, BeforeTheFirstSnapshotIsEmpty) {
  const Status status{.version = "0.1.0", .roots = {"/srv", "/a\xff"}, .taken = 7};
  EXPECT_EQ(status_json(status, nullptr),
            R"({"schema":"fathom.serve/1","version":"0.1.0","generation":0,"state":"scanning",)"
            R"("source":"scan","roots":[{"path":"/srv"},{"path":"/a)"
            "\xef\xbf\xbd"
            R"(","path_b64":"L2H/"}],"measure":"disk","progress":null,)"
            R"("totals":{"files":0,"dirs":0,"symlinks":0,"others":0,"entries":0,"disk_bytes":0,)"
            R"("apparent_bytes":0},"accuracy":{"complete":false,"unreadable":0,"changed":0},)"
            R"("taken":7,"message":"","live":null,"can_rescan":false,"can_find_duplicates":false,)"
            R"("can_apply":false})");
}

TEST(Status, OfALiveSessionSaysWhatIsNotFollowed) {
  Status status;
  status.live = LiveStatus{.not_followed = {"/srv/nfs"}};
  EXPECT_NE(status_json(status, nullptr)
                .find(R"("live":{"state":"following","not_followed":[{"path":"/srv/nfs"}]},)"),
            std::string::npos);
  status.live->rescanning = true;
  EXPECT_NE(status_json(status, nullptr).find(R"("live":{"state":"rescanning",)"),
            std::string::npos);
}

TEST(Status, OfARunningScanReportsItsProgress) {
  MadeTree made;
  made.file(made.root("/t", {.size = 10, .blocks = 8}), "f", {.size = 5, .blocks = 8});
  const Snapshot snapshot(made.scan(), 70, 3, true);
  Status status{.version = "1", .roots = {"/t"}, .measure = fs::Measure::apparent};
  fs::Progress& progress = status.progress.emplace();
  progress.entries = 8;
  progress.disk_bytes = 9;
  progress.seconds = 1.25;
  progress.directory = "/t/\xff";
  progress.stuck = {"/t/nfs"};
  status.can_rescan = true;
  EXPECT_EQ(status_json(status, &snapshot),
            R"({"schema":"fathom.serve/1","version":"1","generation":3,"state":"scanning",)"
            R"("source":"scan","roots":[{"path":"/t"}],"measure":"apparent",)"
            R"("progress":{"entries":8,"disk_bytes":9,"seconds":1.25,"directory":"/t/)"
            "\xef\xbf\xbd"
            R"(","directory_b64":"L3Qv/w==","stuck":[{"path":"/t/nfs"}]},)"
            R"("totals":{"files":1,"dirs":1,"symlinks":0,"others":0,"entries":2,"disk_bytes":8192,)"
            R"("apparent_bytes":15},"accuracy":{"complete":false,"unreadable":0,"changed":0},)"
            R"("taken":70,"message":"","live":null,"can_rescan":true,"can_find_duplicates":false,)"
            R"("can_apply":false})");
}

TEST(Status, OfACompleteScanReportsItsAccuracy) {
  MadeTree made;
  made.root("/t");
  const Snapshot whole(made.scan(), 0, 1, false);
  EXPECT_TRUE(parsed(status_json({.state = ScanState::complete}, &whole))["accuracy"]["complete"]
                  .GetBool());
  fs::Scan scan = made.scan();
  scan.errors.push_back({.path = "/t/a", .operation = "open", .code = EACCES});
  scan.excluded.resize(2);
  scan.filtered_out = 3;
  scan.changed = 4;
  scan.cancelled = true;
  const Snapshot snapshot(std::move(scan), 0, 1, false);
  const auto json =
      parsed(status_json({.state = ScanState::interrupted, .source = ScanSource::file}, &snapshot));
  const auto& accuracy = json["accuracy"];
  EXPECT_STREQ(json["state"].GetString(), "interrupted");
  EXPECT_STREQ(json["source"].GetString(), "file");
  EXPECT_FALSE(accuracy["complete"].GetBool());
  EXPECT_EQ(accuracy["unreadable"].GetUint64(), 1U);
  EXPECT_EQ(accuracy["left_out"].GetUint64(), 2U);
  EXPECT_EQ(accuracy["unwanted"].GetUint64(), 3U);
  EXPECT_EQ(accuracy["changed"].GetUint64(), 4U);
  EXPECT_TRUE(accuracy["interrupted"].GetBool());
}

TEST(Status, ReportsTheFilesystemOfAllRoots) {
  const auto json = parsed(status_on({filesystem_of(100)}));
  const auto& filesystem = json["filesystem"];
  EXPECT_STREQ(filesystem["mount_point_b64"].GetString(), "L/8=");
  EXPECT_EQ(filesystem["size"].GetUint64(), 100U);
  EXPECT_EQ(filesystem["free"].GetUint64(), 40U);
  EXPECT_EQ(filesystem["available"].GetUint64(), 30U);
}

TEST(Status, ReportsNoFilesystemIfThereAreSeveralOrItHasNoSize) {
  EXPECT_FALSE(parsed(status_on({filesystem_of(100), filesystem_of(200)})).HasMember("filesystem"));
  EXPECT_FALSE(parsed(status_on({filesystem_of(0)})).HasMember("filesystem"));
  EXPECT_FALSE(parsed(status_on({})).HasMember("filesystem"));
}

TEST(Status, IsAlwaysOneLine) {
  const Status status{.state = ScanState::failed,
                      .roots = {"/a\nb\r\n\nc"},
                      .message = "no threads\n\ndata: x\xff"};
  const std::string text = status_json(status, nullptr);
  EXPECT_EQ(text.find_first_of("\r\n"), std::string::npos);
  EXPECT_STREQ(parsed(text)["message"].GetString(), "no threads\n\ndata: x\xef\xbf\xbd");
}

}  // namespace
}  // namespace fathom::web
