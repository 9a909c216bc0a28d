// Tests of Session: the snapshots of a running scan, the actions allowed meanwhile, and that a
// session can end at any time.

#include "live/session.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/fs/watch.h"
#include "fathom/rt/net/reactor.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "held_scan.h"

namespace fathom::web {
namespace {

using testing::TempTree;

// Nested directories, so that a scan must read them one by one.
void make_chain(TempTree& tree, std::size_t levels) {
  tree.deep_chain("", levels);
}

Subject subject_of(const std::string& root, const rt::Observer* observer = nullptr) {
  Subject subject;
  subject.scan.roots = {root};
  subject.scan.threads = 2;
  subject.scan.observer = observer;
  subject.version = "1.2.3";
  return subject;
}

// A session with its own loop, and the changes that it has reported.
class Watched {
 public:
  explicit Watched(Subject subject)
      : session_(std::make_unique<Session>(loop_, std::move(subject), [this] { look(); })) {}

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const Snapshot>>& snapshots() const {
    return snapshots_;
  }
  [[nodiscard]] std::size_t changes() const { return changes_; }
  // Whether everything was scanned again, even if that began and ended in one turn of the loop.
  [[nodiscard]] bool was_rescanning() const { return was_rescanning_; }
  // How many scans of everything have begun since the first one, even if one ended in that turn.
  [[nodiscard]] std::size_t scans() const { return scans_; }

  void run_until(const std::function<bool()>& condition) {
    while (!condition()) loop_.run_once(rt::EventLoop::Wait::yes);
  }
  void poll_until(const std::function<bool()>& condition) {
    while (!condition()) {
      if (!loop_.run_once(rt::EventLoop::Wait::no)) std::this_thread::yield();
    }
  }
  void run_to_the_end() {
    run_until([this] { return !session_->busy(); });
  }
  void destroy() { session_.reset(); }
  void run_what_is_left() {
    while (loop_.run_once(rt::EventLoop::Wait::no)) {
    }
  }

 private:
  void look() {
    ++changes_;
    if (session_ == nullptr) return;  // still in its constructor
    const auto& live = session_->status().live;
    was_rescanning_ = was_rescanning_ || (live && live->rescanning);
    const bool was_scanning =
        std::exchange(is_scanning_, session_->status().state == ScanState::scanning);
    scans_ += is_scanning_ && !was_scanning ? 1 : 0;
    const auto& snapshot = session_->snapshot();
    if (snapshot != nullptr && (snapshots_.empty() || snapshots_.back() != snapshot)) {
      snapshots_.push_back(snapshot);
    }
  }

  rt::Reactor loop_;
  std::size_t changes_ = 0;
  bool was_rescanning_ = false;
  bool is_scanning_ = true;  // the first scan is not counted
  std::size_t scans_ = 0;
  std::vector<std::shared_ptr<const Snapshot>> snapshots_;
  std::unique_ptr<Session> session_;
};

void expect_growth(const std::vector<std::shared_ptr<const Snapshot>>& snapshots) {
  for (std::size_t i = 1; i < snapshots.size(); ++i) {
    EXPECT_GT(snapshots[i]->generation(), snapshots[i - 1]->generation());
    EXPECT_GE(snapshots[i]->totals().whole().entries(),
              snapshots[i - 1]->totals().whole().entries());
  }
}

TEST(Session, ShowsACompleteScan) {
  TempTree tree;
  tree.file("a/b", 5);
  Watched watched(subject_of(tree.path()));
  EXPECT_TRUE(watched.session().busy());
  EXPECT_EQ(watched.session().status().state, ScanState::scanning);
  watched.run_to_the_end();
  const Status& status = watched.session().status();
  EXPECT_EQ(status.state, ScanState::complete);
  EXPECT_EQ(status.source, ScanSource::scan);
  EXPECT_EQ(status.version, "1.2.3");
  EXPECT_EQ(status.roots, std::vector<std::string>{tree.path()});
  EXPECT_FALSE(status.progress);
  EXPECT_EQ(status.message, "");
  ASSERT_NE(watched.session().snapshot(), nullptr);
  EXPECT_FALSE(watched.session().snapshot()->of_running_scan());
  EXPECT_EQ(watched.session().snapshot()->totals().whole().entries(), 3U);
  EXPECT_EQ(status.taken, watched.session().snapshot()->taken());
}

TEST(Session, KnowsTheFilesystemOfACompleteScan) {
  TempTree tree;
  Watched watched(subject_of(tree.path()));
  watched.run_to_the_end();
  const auto& filesystems = watched.session().snapshot()->scan().filesystems;
  ASSERT_EQ(filesystems.size(), 1U);
  EXPECT_GT(filesystems.front().size, 0U);
}

TEST(Session, AllowsEveryActionWhenTheScanIsComplete) {
  TempTree tree;
  Watched watched(subject_of(tree.path()));
  EXPECT_FALSE(watched.session().status().can_rescan);
  EXPECT_FALSE(watched.session().status().can_find_duplicates);
  watched.run_to_the_end();
  EXPECT_TRUE(watched.session().status().can_rescan);
  EXPECT_TRUE(watched.session().status().can_find_duplicates);
}

TEST(Session, PublishesSnapshotsOfARunningScan) {
  constexpr std::size_t kLevels = 30;
  TempTree tree;
  make_chain(tree, kLevels);
  HeldScan held(0);
  Watched watched(subject_of(tree.path(), &held));
  for (std::size_t snapshots = 1; snapshots <= 3; ++snapshots) {
    held.let(5);
    watched.run_until([&] { return watched.snapshots().size() >= snapshots; });
    EXPECT_TRUE(watched.session().snapshot()->of_running_scan());
    EXPECT_EQ(watched.session().status().state, ScanState::scanning);
    EXPECT_TRUE(watched.session().status().progress);
  }
  held.release();
  watched.run_to_the_end();
  expect_growth(watched.snapshots());
  EXPECT_GT(watched.snapshots()[2]->totals().whole().entries(),
            watched.snapshots()[0]->totals().whole().entries());
  EXPECT_FALSE(watched.snapshots().back()->of_running_scan());
  EXPECT_EQ(watched.snapshots().back()->totals().whole().entries(), kLevels + 1);
}

TEST(Session, RefusesARescanWhileAScanRuns) {
  TempTree tree;
  HeldScan held(0);
  Watched watched(subject_of(tree.path(), &held));
  held.await();
  EXPECT_FALSE(watched.session().rescan());
  EXPECT_FALSE(watched.session().find_duplicates());
  held.release();
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().status().state, ScanState::complete);
}

TEST(Session, SeesChangesInARescan) {
  TempTree tree;
  HeldScan held(1000);
  Watched watched(subject_of(tree.path(), &held));
  watched.run_to_the_end();
  const auto before = watched.session().snapshot();
  tree.file("new", 5);
  held.hold(0);
  ASSERT_TRUE(watched.session().rescan());
  EXPECT_EQ(watched.session().status().state, ScanState::scanning);
  EXPECT_EQ(watched.session().snapshot(), before) << "it is shown until there is a new one";
  EXPECT_FALSE(watched.session().rescan());
  held.release();
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().status().state, ScanState::complete);
  EXPECT_GT(watched.session().snapshot()->generation(), before->generation());
  EXPECT_EQ(watched.session().snapshot()->totals().whole().entries(), 2U);
  EXPECT_EQ(before->totals().whole().entries(), 1U);
}

TEST(Session, IsInterruptedByACancellation) {
  TempTree tree;
  make_chain(tree, 50);
  HeldScan held(3);
  Watched watched(subject_of(tree.path(), &held));
  held.await();
  watched.session().cancel();
  held.release();
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().status().state, ScanState::interrupted);
  ASSERT_NE(watched.session().snapshot(), nullptr);
  EXPECT_FALSE(watched.session().rescan()) << "nothing else begins";
  EXPECT_FALSE(watched.session().find_duplicates());
}

TEST(Session, EndsDuringAScan) {
  TempTree tree;
  make_chain(tree, 50);
  HeldScan held(3);
  Watched watched(subject_of(tree.path(), &held));
  held.await();
  std::thread later([&] { held.release(); });
  watched.destroy();
  later.join();
  const std::size_t changes = watched.changes();
  watched.run_what_is_left();
  EXPECT_EQ(watched.changes(), changes) << "it has told something after its end";
}

TEST(Session, EndsImmediatelyAfterItsStart) {
  TempTree tree;
  make_chain(tree, 10);
  for (int i = 0; i < 30; ++i) {
    Watched watched(subject_of(tree.path()));
    watched.destroy();
    watched.run_what_is_left();
    EXPECT_EQ(watched.changes(), 0U);
  }
}

TEST(Session, ReportsReadErrors) {
  TempTree tree;
  Watched watched(subject_of(tree.path("missing")));
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().status().state, ScanState::complete);
  EXPECT_EQ(watched.session().snapshot()->scan().errors.size(), 1U);
}

TEST(Session, FailsIfTheScanCannotStart) {
  Subject subject;  // no roots
  Watched watched(std::move(subject));
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().status().state, ScanState::failed);
  EXPECT_NE(watched.session().status().message, "");
  EXPECT_EQ(watched.session().snapshot(), nullptr);
  EXPECT_FALSE(watched.session().find_duplicates());
}

Subject saved_subject(const std::string& root) {
  fs::ScanOptions options;
  options.roots = {root};
  Subject subject;
  subject.saved = std::make_shared<fs::Scan>(fs::scan(options));
  subject.taken = 1'000'000;
  return subject;
}

TEST(Session, ShowsASavedScanWithoutFurtherActions) {
  TempTree tree;
  tree.file("a", 5);
  Watched watched(saved_subject(tree.path()));
  watched.run_to_the_end();
  const Status& status = watched.session().status();
  EXPECT_EQ(status.state, ScanState::complete);
  EXPECT_EQ(status.source, ScanSource::file);
  EXPECT_EQ(status.taken, 1'000'000);
  EXPECT_EQ(status.roots, std::vector<std::string>{tree.path()});
  EXPECT_EQ(watched.session().snapshot()->totals().whole().entries(), 2U);
  EXPECT_FALSE(status.can_rescan);
  EXPECT_FALSE(status.can_find_duplicates);
  EXPECT_FALSE(watched.session().rescan());
  EXPECT_FALSE(watched.session().find_duplicates());
}

// ---- Live

// A live session, which needs root. Skips the test if nothing can be followed here.
class LiveSession : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      fs::Watch({tree_.path()});
    } catch (const base::Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static Subject live(Subject subject) {
    subject.live = true;
    subject.scan.read_links = true;
    return subject;
  }

  static std::vector<std::string> lines_of(const fs::Scan& scan) {
    std::vector<std::string> lines;
    scan.tree.for_each_node([&](fs::NodeId node) {
      const fs::Entry entry = scan.tree.entry(node);
      const auto target = scan.tree.link_target(node);
      lines.push_back(scan.tree.path(node) + ' ' + std::to_string(entry.inode) + ' ' +
                      std::to_string(entry.size) + ' ' + std::to_string(entry.blocks) + ' ' +
                      std::to_string(entry.mode) + ' ' + std::to_string(entry.links) + ' ' +
                      std::to_string(entry.uid) + ' ' + std::to_string(entry.mtime) + ' ' +
                      std::string(target ? target->path : ""));
    });
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  // Runs until the session shows what a scan finds now.
  void run_until_up_to_date(Watched& watched) {
    fs::ScanOptions options;
    options.roots = {tree_.path()};
    options.read_links = true;
    const auto now = lines_of(fs::scan(options));
    watched.run_until([&] { return lines_of(watched.session().snapshot()->scan()) == now; });
  }

  // Makes a file, and stops the update that follows.
  void hold_an_update(Watched& watched, HeldScan& held) {
    held.hold(0);
    tree_.file("new", 10);
    // An update of changes elsewhere may come first. No event of the loop tells that a task is
    // held.
    watched.poll_until([&] { return held.is_held(); });
  }

  TempTree tree_;
};

TEST_F(LiveSession, ShowsWhatChanges) {
  tree_.file("a/file", 10);
  tree_.file("b/file", 10);
  Watched watched(live(subject_of(tree_.path())));
  watched.run_to_the_end();
  ASSERT_TRUE(watched.session().status().live);
  tree_.file("a/new", 70'000);
  run_until_up_to_date(watched);
  std::filesystem::rename(tree_.path("a"), tree_.path("b/moved"));
  run_until_up_to_date(watched);
  std::filesystem::remove_all(tree_.path("b"));
  tree_.file("b/again", 10);
  tree_.symlink("b/link", "again");
  run_until_up_to_date(watched);
  EXPECT_EQ(watched.session().status().state, ScanState::complete);
  EXPECT_TRUE(watched.session().status().can_rescan);
  EXPECT_FALSE(watched.session().status().live->rescanning);
}

TEST_F(LiveSession, IsUpToDateAfterAnyChanges) {
  std::mt19937 random(3);
  std::vector<std::string> folders = {"."};
  for (int i = 0; i < 20; ++i) {
    folders.push_back(folders[random() % folders.size()] + "/" + std::to_string(i));
    tree_.file(folders.back() + "/file", random() % 9000);
  }
  Watched watched(live(subject_of(tree_.path())));
  watched.run_to_the_end();
  int name = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 30; ++i) {
      const auto some = [&] { return tree_.path(folders[random() % folders.size()]); };
      const std::string fresh = some() + "/n" + std::to_string(++name);
      std::error_code ignored;
      switch (random() % 6) {
        case 0:
          std::ofstream(fresh) << std::string(random() % 50'000, 'x');
          break;
        case 1:
          std::ofstream(some() + "/file", std::ios::app) << "more";
          break;
        case 2:
          std::filesystem::rename(some() + "/file", fresh, ignored);
          break;
        case 3:
          std::filesystem::create_hard_link(some() + "/file", fresh, ignored);
          break;
        case 4:
          std::filesystem::remove(some() + "/file", ignored);
          break;
        default:
          std::filesystem::rename(some(), fresh, ignored);
      }
    }
    run_until_up_to_date(watched);
  }
}

TEST_F(LiveSession, MakesNoSnapshotOfChangesElsewhere) {
  tree_.file("shown/file", 10);
  base::atomic<unsigned> scans{0};  // and updates, which may end in the turn in which they begin
  Subject subject = live(subject_of(tree_.path("shown")));
  subject.selection = [&](std::int64_t) {
    scans.fetch_add(1, base::memory_order_relaxed);
    return fs::Selection();
  };
  Watched watched(std::move(subject));
  watched.run_to_the_end();
  const auto before = watched.session().snapshot();
  const unsigned scans_before = scans.load(base::memory_order_relaxed);
  tree_.file("beside", 10);
  // It looks whether that matters.
  watched.run_until([&] { return scans.load(base::memory_order_relaxed) > scans_before; });
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().snapshot(), before);
}

TEST_F(LiveSession, ScansAgainWhatWasMissed) {
  tree_.dir("mounted");
  EXPECT_EQ(
      testing::in_mount_namespace([&] {
        Watched watched(live(subject_of(tree_.path())));
        watched.run_to_the_end();
        if (watched.was_rescanning()) throw base::Error("it scans again without a reason");
        if (::mount("none", tree_.path("mounted").c_str(), "tmpfs", 0, nullptr) != 0) return;
        watched.run_until([&] { return watched.was_rescanning() && !watched.session().busy(); });
        tree_.file("mounted/file", 100'000);
        run_until_up_to_date(watched);
      }),
      0);
}

TEST_F(LiveSession, ScansWhenAskedDuringAnUpdate) {
  tree_.file("file", 10);
  HeldScan held(1000);
  Watched watched(live(subject_of(tree_.path(), &held)));
  watched.run_to_the_end();
  const std::uint64_t generation = watched.session().snapshot()->generation();
  hold_an_update(watched, held);
  EXPECT_EQ(watched.session().status().state, ScanState::complete) << "it does not show an update";
  EXPECT_TRUE(watched.session().rescan());
  held.release();
  watched.run_until([&] { return watched.scans() == 1; });
  watched.run_to_the_end();
  EXPECT_GE(watched.session().snapshot()->generation(), generation + 2);
}

TEST_F(LiveSession, DoesNotSearchBeforeTheScanThatFollowsAnUpdate) {
  tree_.file("file", 10);
  HeldScan held(1000);
  Watched watched(live(subject_of(tree_.path(), &held)));
  watched.run_to_the_end();
  hold_an_update(watched, held);
  EXPECT_TRUE(watched.session().status().can_find_duplicates);
  EXPECT_TRUE(watched.session().rescan());
  EXPECT_FALSE(watched.session().status().can_find_duplicates);
  const bool searches = watched.session().find_duplicates() || watched.session().find_clean();
  held.release();
  ASSERT_FALSE(searches);
  watched.run_until([&] { return watched.scans() == 1; });
  watched.run_to_the_end();
  EXPECT_TRUE(watched.session().status().can_find_duplicates);
  tree_.file("later", 10);
  run_until_up_to_date(watched);
}

TEST_F(LiveSession, SearchesDuringAnUpdate) {
  tree_.write("a", "the same");
  tree_.write("b", "the same");
  HeldScan held(1000);
  Watched watched(live(subject_of(tree_.path(), &held)));
  watched.run_to_the_end();
  hold_an_update(watched, held);
  EXPECT_TRUE(watched.session().find_clean());
  held.release();
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().clean().phase, CleanState::Phase::done);
}

TEST_F(LiveSession, EndsDuringAnUpdate) {
  make_chain(tree_, 10);
  HeldScan held(1000);
  Watched watched(live(subject_of(tree_.path(), &held)));
  watched.run_to_the_end();
  hold_an_update(watched, held);
  std::thread later([&] { held.release(); });
  watched.destroy();
  later.join();
  watched.run_what_is_left();
}

TEST(Session, IsNotLiveWithoutThePermission) {
  if (!testing::is_root()) GTEST_SKIP() << "this user is not root";
  TempTree tree;
  EXPECT_EQ(testing::as_nobody([&] {
              try {
                Subject subject = subject_of("/");
                subject.live = true;
                const Watched watched(std::move(subject));
              } catch (const base::Error&) {
                return;
              }
              throw base::Error("it is live");
            }),
            0);
}

// ---- Duplicates

TEST(Session, FindsDuplicatesInItsSnapshot) {
  TempTree tree;
  tree.write("a", "the same");
  tree.write("b", "the same");
  tree.write("c", "another.");
  Watched watched(subject_of(tree.path()));
  watched.run_to_the_end();
  ASSERT_TRUE(watched.session().find_duplicates());
  EXPECT_EQ(watched.session().duplicates().state, DuplicatesState::running);
  EXPECT_FALSE(watched.session().find_duplicates());
  EXPECT_FALSE(watched.session().rescan());
  watched.run_to_the_end();
  const DuplicateState& found = watched.session().duplicates();
  ASSERT_EQ(found.state, DuplicatesState::complete);
  ASSERT_NE(found.found, nullptr);
  EXPECT_EQ(found.found->groups.size(), 1U);
  EXPECT_EQ(found.generation, watched.session().snapshot()->generation());
  EXPECT_EQ(watched.session().status().state, ScanState::complete);
}

TEST(Session, FindsWhatCanBeCleanedUp) {
  TempTree tree;
  tree.write("p/Cargo.toml", "[package]\n");
  tree.file("p/target/.rustc_info.json", 10);
  Watched watched(subject_of(tree.path()));
  EXPECT_FALSE(watched.session().find_clean()) << "the scan runs";
  watched.run_to_the_end();
  ASSERT_TRUE(watched.session().find_clean());
  EXPECT_EQ(watched.session().clean().phase, CleanState::Phase::running);
  EXPECT_FALSE(watched.session().status().can_find_duplicates);
  EXPECT_FALSE(watched.session().find_duplicates());
  EXPECT_FALSE(watched.session().find_clean());
  EXPECT_FALSE(watched.session().rescan());
  watched.run_to_the_end();
  const CleanState& clean = watched.session().clean();
  EXPECT_EQ(clean.phase, CleanState::Phase::done);
  EXPECT_EQ(clean.generation, watched.session().snapshot()->generation());
  ASSERT_EQ(clean.found->candidates.items.size(), 1U);
  EXPECT_EQ(clean.found->candidates.items[0].path, tree.path("p/target"));
  ASSERT_TRUE(watched.session().rescan());
  EXPECT_EQ(watched.session().clean().phase, CleanState::Phase::none);
  watched.run_to_the_end();
}

TEST(Session, InterruptsTheSearchForWhatCanBeCleanedUp) {
  TempTree tree;
  Watched watched(subject_of(tree.path()));
  watched.run_to_the_end();
  ASSERT_TRUE(watched.session().find_clean());
  watched.session().cancel();
  watched.run_to_the_end();
  const auto phase = watched.session().clean().phase;
  EXPECT_TRUE(phase == CleanState::Phase::interrupted || phase == CleanState::Phase::done);
  EXPECT_FALSE(watched.session().find_clean());
}

TEST(Session, CancelsASearchAndCanBeginAnother) {
  TempTree tree;
  tree.write("a", "the same");
  tree.write("b", "the same");
  HeldScan held(1000);
  Watched watched(subject_of(tree.path(), &held));
  watched.run_to_the_end();
  EXPECT_FALSE(watched.session().cancel_search()) << "none runs";
  held.hold(0);
  ASSERT_TRUE(watched.session().find_duplicates());
  held.await();
  EXPECT_TRUE(watched.session().cancel_search());
  held.release();
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().duplicates().state, DuplicatesState::interrupted);
  EXPECT_FALSE(watched.session().cancel_search());
  ASSERT_TRUE(watched.session().find_duplicates());
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().duplicates().state, DuplicatesState::complete);
}

TEST(Session, DoesNotCancelAScanAsASearch) {
  TempTree tree;
  HeldScan held(0);
  Watched watched(subject_of(tree.path(), &held));
  held.await();
  EXPECT_FALSE(watched.session().cancel_search());
  held.release();
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().status().state, ScanState::complete);
}

TEST(Session, ForgetsDuplicatesOnARescan) {
  TempTree tree;
  tree.write("a", "the same");
  tree.write("b", "the same");
  Watched watched(subject_of(tree.path()));
  watched.run_to_the_end();
  ASSERT_TRUE(watched.session().find_duplicates());
  watched.run_to_the_end();
  ASSERT_TRUE(watched.session().rescan());
  EXPECT_EQ(watched.session().duplicates().state, DuplicatesState::none);
  EXPECT_EQ(watched.session().duplicates().found, nullptr);
  watched.run_to_the_end();
  EXPECT_EQ(watched.session().duplicates().state, DuplicatesState::none);
}

TEST(Session, EndsDuringASearch) {
  TempTree tree;
  for (int i = 0; i < 20; ++i) tree.file("f" + std::to_string(i), 100'000);
  for (int i = 0; i < 10; ++i) {
    Watched watched(subject_of(tree.path()));
    watched.run_to_the_end();
    ASSERT_TRUE(watched.session().find_duplicates());
    watched.destroy();
    watched.run_what_is_left();
  }
}

}  // namespace
}  // namespace fathom::web
