// A run that is killed at any moment loses nothing, and the next run finishes it.
//
// A child process carries out a plan and kills itself right before one of its steps, for every
// step. The same tests run against a kernel without openat2 and renameat2.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string_view>

#include "dup_acts.h"
#include "fathom/testing/killed.h"

namespace fathom::act {
namespace {

class Killed : public Acts {
 protected:
  // One group whose acts are all refused, and two more, including names of one file.
  DupPlan fresh_plan(DupAction action) {
    start_over();
    write("a", "first");
    write("sub/b", "first");
    write("c", "first");
    hardlink("c", "sub/c2");
    write("large", std::string(5000, 'x'));
    write("sub/large too", std::string(5000, 'x'));
    write("kept", "third");
    write("changed", "third");
    const DupPlan planned = plan(
        action, {{"kept", "changed"}, {"sub/large too", "large"}, {"a", "sub/b", "c", "sub/c2"}});
    tree_.mtime("data/changed", 1);
    return planned;
  }

  // Whether the run was killed; `at` counts steps from 0.
  bool killed_at(int at, const DupPlan& plan) {
    int steps = 0;
    return killed_before([&](std::string_view) { return steps++ == at; }, plan);
  }

  // The same, counting only steps that sync or write the journal.
  bool killed_before_wait(int at, const DupPlan& plan) {
    int waits = 0;
    const auto is_it = [&](std::string_view step) {
      return (step == "journal" || step.starts_with("sync")) && waits++ == at;
    };
    return killed_before(is_it, plan);
  }

  bool killed_before(const std::function<bool(std::string_view)>& is_it, const DupPlan& plan) {
    return testing::killed_before(is_it, [&](const testing::BeforeStep& before) {
      ApplyOptions deadly = options();
      deadly.before_step = before;
      (void)apply_plan(plan, deadly);
    });
  }

  // Holds after any number of killed runs.
  void expect_nothing_lost() const {
    EXPECT_EQ(all_contents(), (std::set<std::string>{"first", std::string(5000, 'x'), "third"}));
    for (const char* kept : {"a", "sub/large too", "kept", "changed"}) {
      EXPECT_TRUE(std::filesystem::exists(at(kept))) << kept;
    }
  }

  // Holds after a run that was not killed.
  void expect_finished(DupAction action) const {
    const auto files = files_of(folder());
    EXPECT_TRUE(temp_names_in(folder()).empty());
    EXPECT_FALSE(is_same_inode(at("kept"), at("changed")));
    if (action == DupAction::hardlink) {
      EXPECT_EQ(files.size(), 8U);
      for (const char* name : {"sub/b", "c", "sub/c2"}) {
        EXPECT_TRUE(is_same_inode(at("a"), at(name))) << name;
      }
      EXPECT_TRUE(is_same_inode(at("sub/large too"), at("large")));
    } else {
      EXPECT_EQ(files.size(), 4U);
    }
    if (action != DupAction::quarantine) return;
    const auto away = files_of(tree_.path("away") + folder());
    EXPECT_EQ(away.size(), 4U);
    for (const char* name : {"sub/b", "c", "sub/c2"}) EXPECT_EQ(away.at(name), "first");
  }

  // Finishes, and checks that every act was reported as done by some run.
  void finish(const DupPlan& plan, DupAction action) {
    const std::vector<ActResult> result = apply(plan);
    ASSERT_EQ(result.size(), 5U);
    for (const ActResult& one : result) {
      const bool is_done = one.outcome == Outcome::done || one.outcome == Outcome::done_before;
      const bool is_refused = one.outcome == Outcome::refused && one.path == "changed";
      EXPECT_TRUE(is_done || is_refused) << one;
    }
    expect_nothing_lost();
    expect_finished(action);
  }
};

TEST_F(Killed, AtAnyStepNothingIsLostAndTheNextRunFinishes) {
  for (const std::size_t at_once : kAtOnce) {
    acts_at_once_ = at_once;
    for (const DupAction action : kActionsAnywhere) {
      int step = 0;
      for (;; ++step) {
        SCOPED_TRACE(std::string(to_string(action)) + ", killed at step " + std::to_string(step));
        const DupPlan planned = fresh_plan(action);
        const bool killed = killed_at(step, planned);
        expect_nothing_lost();
        finish(planned, action);
        if (!killed || HasFailure()) break;
      }
      EXPECT_GT(step, 16) << to_string(action);
    }
  }
}

// The run continues with other batch sizes than it began with.
TEST_F(Killed, InOneBatchTheNextRunFinishesWithOtherBatchSizes) {
  for (const DupAction action : kActionsAnywhere) {
    int step = 0;
    for (;; ++step) {
      SCOPED_TRACE(std::string(to_string(action)) + ", killed at step " + std::to_string(step));
      const DupPlan planned = fresh_plan(action);
      acts_at_once_ = 3;
      const bool killed = killed_at(step, planned);
      acts_at_once_ = 2;
      if (killed) (void)killed_at(step / 2, planned);
      expect_nothing_lost();
      acts_at_once_ = 64;
      finish(planned, action);
      if (!killed || HasFailure()) break;
    }
    EXPECT_GT(step, 16) << to_string(action);
  }
}

// Enough groups for a batch to be synced as a whole filesystem.
TEST_F(Killed, AtABatchBorderNothingIsLost) {
  constexpr int kPairs = 10;
  acts_at_once_ = 9;
  for (const DupAction action : kActionsAnywhere) {
    int waits = 0;
    for (int step = 0;; ++step) {
      SCOPED_TRACE(std::string(to_string(action)) + ", killed at step " + std::to_string(step));
      start_over();
      std::vector<std::vector<std::string>> pairs;
      std::set<std::string> contents;
      for (int i = 0; i < kPairs; ++i) {
        contents.insert("pair " + std::to_string(i));
        pairs.push_back({std::to_string(i) + "/kept", std::to_string(i) + "/copy"});
        for (const std::string& name : pairs.back()) write(name, "pair " + std::to_string(i));
      }
      const DupPlan planned = plan(action, pairs);
      const bool killed = killed_before_wait(step, planned);
      EXPECT_EQ(all_contents(), contents);
      for (const ActResult& result : apply(planned)) {
        EXPECT_TRUE(result.outcome == Outcome::done || result.outcome == Outcome::done_before)
            << result;
      }
      EXPECT_EQ(all_contents(), contents);
      EXPECT_TRUE(temp_names_in(folder()).empty());
      EXPECT_EQ(files_of(folder()).size(),
                static_cast<std::size_t>(action == DupAction::hardlink ? 2 * kPairs : kPairs));
      if (!killed || HasFailure()) break;
      ++waits;
    }
    EXPECT_GT(waits, 10) << to_string(action);  // four or more in each batch
  }
}

TEST_F(Killed, RepeatedlyNothingIsLost) {
  for (const DupAction action : kActionsAnywhere) {
    int kills = 0;
    // Each run gets some steps further than the one before, or repeats the same steps.
    for (int stride = 1; stride <= 12; ++stride) {
      SCOPED_TRACE(std::string(to_string(action)) + ", killed every " + std::to_string(stride));
      const DupPlan planned = fresh_plan(action);
      for (int run = 0; run < 12; ++run) {
        if (!killed_at(stride + run % 3, planned)) break;
        ++kills;
        expect_nothing_lost();
      }
      finish(planned, action);
      if (HasFailure()) return;
    }
    EXPECT_GT(kills, 50) << to_string(action);
  }
}

// The lines for completed acts are written afterwards, and may be cut off at any byte or be zeros;
// the lines for acts that begin are on the disk before.
TEST_F(Killed, WithATruncatedJournalNothingIsLost) {
  for (const std::size_t at_once : kAtOnce) {
    acts_at_once_ = at_once;
    for (std::size_t cut = 0;; ++cut) {
      const DupAction action = kActionsAnywhere[cut % std::size(kActionsAnywhere)];
      SCOPED_TRACE(std::string(to_string(action)) + ", cut by " + std::to_string(cut));
      const DupPlan planned = fresh_plan(action);
      (void)apply(planned);
      const std::string journal = read_whole(tree_.path("journal"));
      const std::size_t last_begun = journal.rfind("{\"begin\"");
      const std::size_t whole = journal.find('\n', last_begun) + 1;
      if (journal.size() - cut < whole) {
        EXPECT_GT(cut, at_once == 64 ? 40U : 10U);  // four lines, or one
        break;
      }
      std::filesystem::resize_file(tree_.path("journal"), journal.size() - cut);
      if (cut % 2 == 1) std::filesystem::resize_file(tree_.path("journal"), journal.size());
      finish(planned, action);
      finish(planned, action);  // and the journal can still be read
      if (HasFailure()) return;
    }
  }
}

// No act begins before the disk has its line.
TEST_F(Killed, WithoutTheJournalsLastBatchNothingIsLost) {
  // Right before the flush of the batch, when its lines have been written.
  const auto killed_in_batch = [&](int batch, const DupPlan& planned) {
    int batches = 0;
    std::size_t seen = 0;
    const auto is_it = [&](std::string_view step) {
      if (step != "sync") return false;
      const std::size_t last = read_whole(tree_.path("journal")).rfind("{\"begin\"");
      if (last == std::string::npos || last == seen) return false;
      seen = last;
      return batches++ == batch;
    };
    return killed_before(is_it, planned);
  };
  for (const std::size_t at_once : kAtOnce) {
    acts_at_once_ = at_once;
    int batch = 0;
    for (; killed_in_batch(batch, fresh_plan(DupAction::remove)); ++batch) {
      const std::string journal = read_whole(tree_.path("journal"));
      const std::size_t last_line = journal.size() - journal.rfind("{\"begin\"");
      for (std::size_t cut = 0; cut <= last_line; cut += 5) {
        const DupAction action = kActionsAnywhere[cut % std::size(kActionsAnywhere)];
        SCOPED_TRACE(std::string(to_string(action)) + ", cut by " + std::to_string(cut));
        const DupPlan planned = fresh_plan(action);
        ASSERT_TRUE(killed_in_batch(batch, planned));
        const auto size = std::filesystem::file_size(tree_.path("journal"));
        std::filesystem::resize_file(tree_.path("journal"), size - cut);
        if (cut % 2 == 1) std::filesystem::resize_file(tree_.path("journal"), size);
        expect_nothing_lost();
        finish(planned, action);
        if (HasFailure()) return;
      }
    }
    EXPECT_EQ(batch, at_once == 1 ? 5 : at_once == 2 ? 3 : 1);
  }
}

TEST_F(Killed, ChangesBeforeTheNextRunAreNotLost) {
  for (const DupAction action : kActionsAnywhere) {
    int step = 0;
    for (;; ++step) {
      SCOPED_TRACE(std::string(to_string(action)) + ", killed at step " + std::to_string(step));
      const DupPlan planned = fresh_plan(action);
      const bool killed = killed_at(step, planned);
      // Another program writes to everything at the original names and restores the times, so that
      // only the contents differ.
      std::set<std::string> written;
      for (const char* name : {"sub/b", "c"}) {
        if (!std::filesystem::exists(at(name))) continue;
        if (is_same_inode(at(name), at("a"))) continue;
        const auto time = std::filesystem::last_write_time(at(name));
        const std::string content = std::string("new ") + name[0];
        std::ofstream(at(name), std::ios::binary) << content;
        std::filesystem::last_write_time(at(name), time);
        written.insert(content);
      }
      // A program that has a file open writes to it, whatever its name is now.
      bool is_left = false;
      for (const std::string& name : temp_names_in(folder())) {
        if (is_same_inode(at(name), at("a")) || read_whole(at(name)) != "first") continue;
        const auto time = std::filesystem::last_write_time(at(name));
        std::ofstream(at(name), std::ios::binary) << "lasts";
        std::filesystem::last_write_time(at(name), time);
        written.insert("lasts");
        is_left = true;
      }
      (void)apply(planned);
      const auto contents = all_contents();
      EXPECT_TRUE(contents.count("first") == 1 || !written.empty());
      for (const std::string& content : written) EXPECT_EQ(contents.count(content), 1U) << content;
      EXPECT_TRUE(is_left || temp_names_in(folder()).empty());
      if (!killed || HasFailure()) break;
    }
    EXPECT_GT(step, 16) << to_string(action);
  }
}

TEST_F(Killed, IfTheKeptFileHasChangedTheNextRunMovesEverythingBack) {
  const std::function<void()> changes[] = {
      [&] { std::ofstream(at("a"), std::ios::binary) << "longer than it was"; },
      [&] { std::filesystem::remove(at("a")); },
      [&] {
        write("new", "another");
        std::filesystem::rename(at("new"), at("a"));
      },
      [&] {  // with its mtime restored
        const auto time = std::filesystem::last_write_time(at("a"));
        std::ofstream(at("a"), std::ios::binary) << "other";
        std::filesystem::last_write_time(at("a"), time);
      },
  };
  for (const DupAction action : kActionsAnywhere) {
    int put_back = 0;
    int step = 0;
    for (;; ++step) {
      bool killed = true;
      for (const auto& change : changes) {
        SCOPED_TRACE(std::string(to_string(action)) + ", killed at step " + std::to_string(step));
        const DupPlan planned = fresh_plan(action);
        killed = killed_at(step, planned);
        std::vector<const PlanFile*> moved;
        for (const PlanFile& file : planned.groups[2].acts) {
          for (const std::string& name : temp_names_in(folder())) {
            const bool is_beside = std::filesystem::path(name).parent_path() ==
                                   std::filesystem::path(file.path).parent_path();
            const bool is_it = identity_of(at(name)).inode == file.identity.inode;
            if (is_beside && is_it) moved.push_back(&file);
          }
        }
        change();
        const auto before = files_of(folder());
        ApplyOptions dry = options();
        dry.dry_run = true;
        dry.before_step = [](std::string_view name) {
          FAIL() << "a dry run made the step " << name;
        };
        (void)apply(planned, dry);
        EXPECT_EQ(files_of(folder()), before);
        (void)apply(planned);
        EXPECT_TRUE(temp_names_in(folder()).empty());
        for (const PlanFile* file : moved) {
          EXPECT_EQ(read_whole(at(file->path)), "first") << file->path;
          EXPECT_EQ(identity_of(at(file->path)).inode, file->identity.inode) << file->path;
          ++put_back;
        }
        // A file that was moved without a record in the journal is back at its name, too.
        if (action != DupAction::quarantine || !std::filesystem::exists(tree_.path("away"))) {
          continue;
        }
        const std::string journal = read_whole(tree_.path("journal"));
        std::size_t done = 0;
        for (std::size_t i = journal.find("{\"done\""); i != std::string::npos;
             i = journal.find("{\"done\"", i + 1)) {
          ++done;
        }
        EXPECT_EQ(files_of(tree_.path("away")).size(), done);
        ++put_back;
      }
      if (!killed || HasFailure()) break;
    }
    EXPECT_GT(step, 16) << to_string(action);
    EXPECT_GT(put_back, 0) << to_string(action);
  }
}

TEST_F(Killed, ADryRunReportsWhatTheNextRunWillDo) {
  int step = 0;
  for (;; ++step) {
    const DupPlan planned = fresh_plan(DupAction::hardlink);
    const bool killed = killed_at(step, planned);
    const auto before = files_of(folder());
    ApplyOptions dry = options();
    dry.dry_run = true;
    dry.before_step = [](std::string_view name) { FAIL() << "a dry run made the step " << name; };
    for (const ActResult& result : apply(planned, dry)) {
      const bool is_right = result.path == "changed" ? result.outcome == Outcome::refused
                                                     : result.outcome == Outcome::would_be_done ||
                                                           result.outcome == Outcome::done_before;
      EXPECT_TRUE(is_right) << result << " after step " << step;
    }
    EXPECT_EQ(files_of(folder()), before);
    if (!killed || HasFailure()) break;
  }
  EXPECT_GT(step, 16);
}

}  // namespace
}  // namespace fathom::act
