// A process that is killed at any moment leaves a complete snapshot or none, and nothing that the
// next one does not remove.
//
// A child process kills itself right before one of its steps, for every step. The tests fail if
// add() renames before it has written the files, if remove() removes files before it has renamed
// their directory, or if collect() skips .gone-*: each was tried.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/store/retention.h"
#include "fathom/store/store.h"
#include "fathom/testing/killed.h"
#include "fathom/testing/temp_tree.h"
#include "stored.h"

namespace fathom::store {
namespace {

using testing::killed_at;

class StoreKilled : public ::testing::Test {
 protected:
  // As writes(), with each file as a step.
  static Store::Write writes_stepwise(const Store::Listener& before, SnapshotMeta meta) {
    return [before, meta = std::move(meta)](int folder) {
      for (const std::string name : {"entries.parquet", "dirs.parquet", "meta.json"}) {
        before("create");
        NewFile file(folder, name);
        before("write");
        file.write(name == "meta.json" ? write_meta(meta) : std::string(10'000, 'x'));
        before("sync");
        file.finish();
      }
      return meta;
    };
  }

  // What the next process finds: so many complete snapshots, and nothing else after its work.
  void expect_whole(std::size_t fewest, std::size_t most) {
    const StoreContents seen = Store::open_or_create(path_).list();
    EXPECT_TRUE(seen.unreadable.empty());
    EXPECT_GE(seen.snapshots.size(), fewest);
    EXPECT_LE(seen.snapshots.size(), most);
    Store store = Store::open_or_create(path_);
    store.collect();
    std::size_t others = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (entry.path().filename().string().front() == '.') ++others;
    }
    EXPECT_EQ(others, 0U);
    const StoreContents after = store.list();
    EXPECT_EQ(after.snapshots.size(), seen.snapshots.size());
    for (const StoredSnapshot& snapshot : after.snapshots) {
      const std::string files = store.path_of(snapshot.name);
      EXPECT_EQ(std::filesystem::file_size(files + "/entries.parquet"), 10'000U);
      EXPECT_EQ(std::filesystem::file_size(files + "/dirs.parquet"), 10'000U);
    }
  }

  void start_again() { std::filesystem::remove_all(path_); }

  static void ignore(std::string_view /*step*/) {}

  void add(unsigned day, const Store::Listener& before = ignore) {
    Store store = Store::open_or_create(path_, before);
    store.add(writes_stepwise(before, meta_at(utc(2026, 11, day))));
  }

  // Kills the work at each of its steps in turn; there are more than `fewest`. Each time, prepare()
  // comes before it, and expect(killed) after it.
  void kill_at_every_step(int fewest, const std::function<void()>& prepare,
                          const std::function<void(const Store::Listener& before)>& work,
                          const std::function<void(bool killed)>& expect) {
    int step = 0;
    for (;; ++step) {
      SCOPED_TRACE(step);
      start_again();
      prepare();
      const bool killed = killed_at(step, work);
      expect(killed);
      if (!killed || HasFailure()) break;
    }
    EXPECT_GT(step, fewest);
  }

  testing::TempTree tree_;
  const std::string path_ = tree_.path("above/store");
};

TEST_F(StoreKilled, WhileItAddsTheFirstSnapshot) {
  kill_at_every_step(
      20, [] {}, [&](const Store::Listener& before) { add(23, before); },
      [&](bool killed) { expect_whole(killed ? 0 : 1, 1); });
}

TEST_F(StoreKilled, WhileItAddsAnotherOne) {
  kill_at_every_step(
      20, [&] { add(22); }, [&](const Store::Listener& before) { add(23, before); },
      [&](bool killed) { expect_whole(killed ? 1 : 2, 2); });
}

TEST_F(StoreKilled, WhileItRemovesOne) {
  const auto remove = [&](const Store::Listener& before) {
    Store store = Store::open(path_, before);
    store.remove(store.list().snapshots.front().name);
  };
  kill_at_every_step(
      5, [&] { add(22); }, remove, [&](bool killed) { expect_whole(0, killed ? 1 : 0); });
}

// As `fathom snapshot --keep` does. The older ones are removed only when the new one is complete.
TEST_F(StoreKilled, WhileItKeepsOneAndRemovesOlderOnes) {
  const auto keep = [&](const Store::Listener& before, unsigned day) {
    Store store = Store::open_or_create(path_, before);
    store.add(writes_stepwise(before, meta_at(utc(2026, 11, day))));
    const std::vector<StoredSnapshot> all = store.list().snapshots;
    for (const std::size_t index : expired(all, {.days = 2})) store.remove(all[index].name);
  };
  std::optional<Store> opened_before;  // sees what other processes change, too
  const auto fill = [&] {
    for (const unsigned day : {10, 11, 12}) add(day);
    opened_before.emplace(Store::open(path_));
  };
  kill_at_every_step(
      20, fill, [&](const Store::Listener& before) { keep(before, 13); },
      [&](bool killed) {
        const std::vector<StoredSnapshot> left = opened_before->list().snapshots;
        const bool is_kept = left.back().meta.ended_ns == utc(2026, 11, 13);
        expect_whole(is_kept ? 2 : 3, killed ? 4 : 2);
        keep(ignore, 14);
        expect_whole(2, 2);
      });
}

TEST_F(StoreKilled, WhileItCollectsWhatAKilledOneLeft) {
  const auto leave = [&] {
    add(22);
    tree_.write("above/store/.tmp-0123/entries.parquet", "x");
    tree_.write("above/store/.gone-4567/entries.parquet", "x");
  };
  kill_at_every_step(
      4, leave, [&](const Store::Listener& before) { Store::open(path_, before).collect(); },
      [&](bool) { expect_whole(1, 1); });
}

TEST_F(StoreKilled, RepeatedlyItStillAddsInTheEnd) {
  int kills = 0;
  for (int stride = 1; stride <= 20; ++stride) {
    SCOPED_TRACE(stride);
    start_again();
    const auto add = [&](const Store::Listener& before) {
      Store store = Store::open_or_create(path_, before);
      const std::size_t have = store.list().snapshots.size();
      store.add(writes_stepwise(before, meta_at(utc(2026, 11, 1 + static_cast<unsigned>(have)))));
    };
    for (int run = 0; run < 6; ++run) kills += killed_at(stride + 3 * run, add) ? 1 : 0;
    add(ignore);
    expect_whole(1, 7);
  }
  EXPECT_GT(kills, 60);
}

}  // namespace
}  // namespace fathom::store
