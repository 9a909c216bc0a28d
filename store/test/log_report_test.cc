// The log lists snapshots with the change since the one before.

#include "fathom/store/log_report.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/store/series.h"
#include "stored.h"

namespace fathom::store {
namespace {

StoredSnapshot logged(std::int64_t ended_ns, const std::string& id, std::uint64_t bytes,
                      std::vector<std::string> roots = {"/srv"}) {
  StoredSnapshot snapshot{.name = "name-" + id, .meta = meta_at(ended_ns, id, std::move(roots))};
  snapshot.meta.totals.disk_bytes = bytes;
  return snapshot;
}

TEST(LogReport, HasTheLatestFirstWithTheOneBeforeInItsSeries) {
  const std::vector<StoredSnapshot> all = {logged(1, "aa", 5), logged(2, "bb", 1, {"/home"}),
                                           logged(3, "cc", 9)};
  const std::vector<LogRow> rows = log_rows(all);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].snapshot, &all[2]);
  EXPECT_EQ(rows[0].before, &all[0]);
  EXPECT_EQ(rows[0].change_of(&fs::Counts::disk_bytes), std::optional<std::int64_t>(4));
  EXPECT_EQ(rows[1].before, nullptr);
  EXPECT_EQ(rows[1].change_of_entries(), std::nullopt);
}

TEST(LogReport, OfAPathHasTheSnapshotsThatContainItWithTheChangeInTheSeriesOfEach) {
  std::vector<StoredSnapshot> all = {
      logged(1, "aa", 5, {"/home"}), logged(2, "bb", 1, {"/home/me"}), logged(3, "cc", 2),
      logged(4, "dd", 3, {"/home"}), logged(5, "ee", 9, {"/home"}),
  };
  all[3].meta.selection = {"--exclude", "*.o"};
  EXPECT_EQ(snapshots_with(all, "/home/me"), (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_EQ(snapshots_with(all, "/home"), (std::vector<std::size_t>{0, 3, 4}));
  EXPECT_TRUE(snapshots_with(all, "/elsewhere").empty());
  const std::vector<LogRow> rows = log_rows(all, snapshots_with(all, "/home/me"));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].snapshot, &all[4]);
  EXPECT_EQ(rows[0].before, &all[0]);
  EXPECT_EQ(rows[1].before, nullptr);  // other options
  EXPECT_EQ(rows[2].before, nullptr);  // another root
}

TEST(LogReport, SaturatesChanges) {
  const std::vector<StoredSnapshot> all = {
      logged(1, "aa", std::numeric_limits<std::uint64_t>::max()), logged(2, "bb", 0)};
  EXPECT_EQ(log_rows(all)[0].change_of(&fs::Counts::disk_bytes),
            std::optional<std::int64_t>(-std::numeric_limits<std::int64_t>::max()));
}

TEST(LogReport, SaysWhichPartOfTheListItHas) {
  const std::vector<StoredSnapshot> all = {logged(1, "aa", 5), logged(2, "bb", 6)};
  const std::vector<LogRow> rows = log_rows(all);
  const std::string store = "/store";
  std::string text;
  const fs::Sink sink = [&](std::string_view block) {
    text += block;
    return true;
  };
  write_log_json({.store = store,
                  .rows = std::span(rows).subspan(1),
                  .total = 2,
                  .unreadable = {{.name = "odd", .why = "it is damaged"}},
                  .offset = 1},
                 sink);
  EXPECT_TRUE(text.starts_with(
      R"({"schema":"fathom.log/1","store":"/store","total":2,"offset":1,"snapshots":[{"id":"aa",)"))
      << text;
  EXPECT_TRUE(text.ends_with("\"unreadable\":[{\"name\":\"odd\",\"why\":\"it is damaged\"}]}\n"))
      << text;
}

}  // namespace
}  // namespace fathom::store
