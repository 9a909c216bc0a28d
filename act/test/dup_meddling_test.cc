// Other programs change the same directories right before each step in turn: their files stay, and
// no content is lost.
//
// The same tests run against a kernel without openat2 and renameat2.

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string_view>

#include "dup_acts.h"

namespace fathom::act {
namespace {

TEST_F(Acts, ASymbolicLinkInPlaceOfAFileIsRefused) {
  for (const DupAction action : kActions) {
    write("a", "same");
    write("b", "same");
    tree_.write("outside", "same");
    const DupPlan planned = plan(action, {{"a", "b"}});
    std::filesystem::remove(at("b"));
    tree_.symlink("../outside", "data/b");
    const ActResult result = apply_one(planned);
    EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ' ' << result;
    EXPECT_EQ(read_whole(tree_.path("outside")), "same");
    EXPECT_TRUE(std::filesystem::is_symlink(at("b")));
    std::filesystem::remove(at("b"));
    std::filesystem::remove(tree_.path("journal"));
  }
}

TEST_F(Acts, ASymbolicLinkInPlaceOfADirectoryIsRefused) {
  for (const DupAction action : kActions) {
    for (const char* target : {"../outside", "elsewhere"}) {  // out of the root, and inside it
      std::filesystem::remove_all(folder());
      write("a", "same");
      write("sub/deep/b", "same");
      const DupPlan planned = plan(action, {{"a", "sub/deep/b"}});
      // The very same file, by another path.
      std::filesystem::remove_all(tree_.path("outside"));
      const std::string moved = at(target);
      std::filesystem::rename(at("sub"), moved);
      tree_.symlink(target, "data/sub");
      const ActResult result = apply_one(planned);
      EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ' ' << result;
      EXPECT_EQ(read_whole(moved + "/deep/b"), "same");
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

// Another program interferes right before each step in turn. None of its files may be lost, and a
// file that the plan does not name stays.
TEST_F(Acts, AFileThatReplacesTheVictimAtAnyStepStays) {
  const std::function<void()> meddlings[] = {
      [&] {  // an editor saves by renaming
        write("new", "precious");
        std::filesystem::rename(at("new"), at("b"));
      },
      [&] {
        std::filesystem::remove(at("b"));
        tree_.symlink("../outside", "data/b");
      },
      [&] {
        std::filesystem::remove(at("b"));
        tree_.dir("data/b");
      },
  };
  for (const DupAction action : kActionsAnywhere) {
    for (std::size_t which = 0; which < std::size(meddlings); ++which) {
      for (int step = 0;; ++step) {
        start_over();
        tree_.write("outside", "not mine");
        write("a", "same");
        write("b", "same");
        const DupPlan planned = plan(action, {{"a", "b"}});
        int steps = 0;
        ApplyOptions meddled = options();
        meddled.before_step = [&](std::string_view) {
          if (steps++ == step) meddlings[which]();
        };
        const ActResult result = apply_one(planned, meddled);
        if (steps <= step) break;
        const auto where = ::testing::Message() << to_string(action) << " " << which << " at step "
                                                << step << ": " << result;
        EXPECT_EQ(read_whole(at("a")), "same") << where;
        EXPECT_EQ(read_whole(tree_.path("outside")), "not mine") << where;
        if (which == 0) {
          EXPECT_EQ(read_whole(at("b")), "precious") << where;
        }
        if (which == 1) {
          EXPECT_TRUE(std::filesystem::is_symlink(at("b"))) << where;
        }
        if (which == 2) {
          EXPECT_TRUE(std::filesystem::is_directory(at("b"))) << where;
        }
        EXPECT_TRUE(temp_names_in(folder()).empty()) << where;
      }
    }
  }
}

// The same for writes to the file itself: openly, or with the mtime restored.
TEST_F(Acts, DataWrittenToTheVictimAtAnyStepStays) {
  for (const bool in_secret : {false, true}) {
    for (const DupAction action : kActionsAnywhere) {
      int refused = 0;
      for (int step = 0;; ++step) {
        start_over();
        write("a", "same");
        write("b", "same");
        const DupPlan planned = plan(action, {{"a", "b"}});
        const fs::FileIdentity victim = planned.groups[0].acts[0].identity;
        int steps = 0;
        bool is_written = false;
        ApplyOptions meddled = options();
        meddled.before_step = [&](std::string_view name) {
          if (steps++ != step) return;
          // Between the last check and the call, a change cannot be noticed.
          const bool moves = name == "move aside" || name == "rename aside" ||
                             (name == "exchange" && has_renameat2());
          if (name == "unlink" || (in_secret && moves)) return;
          for (const auto& [path, content] : files_of(folder())) {  // it may have another name
            if (identity_of(at(path)).inode != victim.inode) continue;
            is_written = !in_secret || path == "b";
            if (is_written && in_secret) rewrite_in_secret(at(path), "else");
            if (is_written && !in_secret) std::ofstream(at(path)) << "longer than it was";
            return;
          }
        };
        const ActResult result = apply_one(planned, meddled);
        if (steps <= step) break;
        if (!is_written) continue;
        ++refused;
        const auto where = ::testing::Message()
                           << to_string(action) << " at step " << step << ": " << result;
        EXPECT_EQ(result.outcome, Outcome::refused) << where;
        EXPECT_EQ(read_whole(at("b")), in_secret ? "else" : "longer than it was") << where;
        EXPECT_EQ(read_whole(at("a")), "same") << where;
        EXPECT_TRUE(temp_names_in(folder()).empty()) << where;
      }
      EXPECT_GT(refused, 5) << to_string(action);
    }
  }
}

// The same for the kept file: while its content exists nowhere else, the victim stays. A link to
// the kept file is its content.
TEST_F(Acts, WithoutTheKeptFileNothingIsRemoved) {
  for (const DupAction action : kActionsAnywhere) {
    for (int step = 0;; ++step) {
      start_over();
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      int steps = 0;
      bool too_late = false;  // right before a removal, when a change cannot be noticed
      ApplyOptions meddled = options();
      meddled.before_step = [&](std::string_view name) {
        if (steps++ != step) return;
        const bool is_over = files_of(folder()).size() == 1;
        too_late = action == DupAction::remove && (name == "unlink" || is_over);
        std::filesystem::remove(at("a"));
      };
      const ActResult result = apply_one(planned, meddled);
      if (steps <= step) break;
      if (too_late) continue;
      EXPECT_EQ(all_contents(), (std::set<std::string>{"same"}))
          << to_string(action) << " at step " << step << ": " << result;
    }
  }
}

// Another file in its place is neither linked to nor mistaken for it.
TEST_F(Acts, AFileThatReplacesTheKeptFileAtAnyStepStays) {
  for (const DupAction action : kActionsAnywhere) {
    for (int step = 0;; ++step) {
      start_over();
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      int steps = 0;
      bool too_late = false;  // as above
      ApplyOptions meddled = options();
      meddled.before_step = [&](std::string_view name) {
        if (steps++ != step) return;
        const bool is_over = files_of(folder()).size() == 1;
        too_late = action == DupAction::remove && (name == "unlink" || is_over);
        write("new", "precious");
        std::filesystem::rename(at("new"), at("a"));
      };
      const ActResult result = apply_one(planned, meddled);
      if (steps <= step) break;
      const auto where = ::testing::Message()
                         << to_string(action) << " at step " << step << ": " << result;
      EXPECT_EQ(all_contents().count("same"), too_late ? 0U : 1U) << where;
      EXPECT_EQ(read_whole(at("a")), "precious") << where;
      EXPECT_TRUE(temp_names_in(folder()).empty()) << where;
    }
  }
}

// When an act is undone, another file is at the name that it returns.
TEST_F(Acts, AFileThatReplacesAnUndoneLinkStays) {
  if (!has_renameat2()) GTEST_SKIP() << "names cannot be exchanged here";
  write("a", "same");
  write("b", "same");
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
  int exchanges = 0;
  ApplyOptions meddled = options();
  meddled.before_step = [&](std::string_view step) {
    if (step != "exchange") return;
    if (++exchanges == 1) std::ofstream(at("a")) << "longer than it was";
    if (exchanges != 2) return;
    write("new", "precious");
    std::filesystem::rename(at("new"), at("b"));
  };
  const ActResult result = apply_one(planned, meddled);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(exchanges, 3);
  EXPECT_EQ(contents_of(folder()),
            (std::set<std::string>{"same", "longer than it was", "precious"}));
  EXPECT_EQ(read_whole(at("b")), "precious");
  expect_left_names_in(result.why);
}

// Two other programs, or one that saves twice: the file that was put there last has the name, the
// other one exists, and no name is left without a word.
TEST_F(Acts, AFileThatReplacesTheVictimTwiceHasItsName) {
  if (!has_renameat2()) GTEST_SKIP() << "names cannot be exchanged here";
  write("a", "same");
  write("b", "same");
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
  int exchanges = 0;
  ApplyOptions meddled = options();
  meddled.before_step = [&](std::string_view step) {
    if (step != "exchange" || ++exchanges > 2) return;
    write("new", exchanges == 1 ? "first" : "second");
    std::filesystem::rename(at("new"), at("b"));
  };
  const ActResult result = apply_one(planned, meddled);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(read_whole(at("b")), "second");
  EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "first", "second"}));
  const std::vector<std::string> left = temp_names_in(folder());
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(result.why,
            "another file was put in its place; then a further file was put at 'b', "
            "and the one before it is at '" +
                left.front() + "' beside it");
}

// One that never stops.
TEST_F(Acts, AFileThatIsReplacedAgainAndAgainIsNotLost) {
  if (!has_renameat2()) GTEST_SKIP() << "names cannot be exchanged here";
  write("a", "same");
  write("b", "same");
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
  int exchanges = 0;
  ApplyOptions meddled = options();
  meddled.before_step = [&](std::string_view step) {
    if (step != "exchange") return;
    ++exchanges;
    write("new", "version " + std::to_string(exchanges));
    std::filesystem::rename(at("new"), at("b"));
  };
  const ActResult result = apply_one(planned, meddled);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_LT(exchanges, 100);
  EXPECT_EQ(contents_of(folder()).count("version " + std::to_string(exchanges)), 1U);
  EXPECT_EQ(contents_of(folder()).count("same"), 1U);
  expect_left_names_in(result.why);
}

// At any two steps: see above.
TEST_F(Acts, EachNameThatIsLeftIsReported) {
  for (const DupAction action : kActionsAnywhere) {
    for (int first = 0;; ++first) {
      int steps = 0;
      for (int second = first; second <= first || steps > second; ++second) {
        start_over();
        write("a", "same");
        write("b", "same");
        const DupPlan planned = plan(action, {{"a", "b"}});
        steps = 0;
        ApplyOptions meddled = options();
        meddled.before_step = [&](std::string_view) {
          const int step = steps++;
          if (step != first && step != second) return;
          write("new", step == first ? "first" : "second");
          std::filesystem::rename(at("new"), at("b"));
        };
        const ActResult result = apply_one(planned, meddled);
        SCOPED_TRACE(::testing::Message() << to_string(action) << " at steps " << first << " and "
                                          << second << ": " << result);
        expect_left_names_in(result.why);
        EXPECT_EQ(read_whole(at("a")), "same");
        if (steps > second) {
          EXPECT_EQ(read_whole(at("b")), first == second ? "first" : "second");
        }
        if (HasFailure()) return;
      }
      if (steps <= first) break;
    }
  }
}

// A file that the quarantine received by mistake, and whose name was taken meanwhile.
TEST_F(Acts, AFileThatStaysInTheQuarantineIsReported) {
  write("a", "same");
  write("b", "same");
  const DupPlan planned = plan(DupAction::quarantine, {{"a", "b"}});
  ApplyOptions meddled = options();
  meddled.before_step = [&](std::string_view step) {
    const bool moves = step == "move aside" || step == "rename aside";
    if (!moves && step != "move back") return;
    write("new", moves ? "first" : "second");
    std::filesystem::rename(at("new"), at("b"));
  };
  const ActResult result = apply_one(planned, meddled);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(read_whole(at("b")), "second");
  EXPECT_EQ(read_whole(tree_.path("away") + at("b")), "first");
  EXPECT_NE(result.why.find("its content is at '" + at("b").substr(1) + "' in the quarantine"),
            std::string::npos)
      << result.why;
}

// The same for the content of the kept file: another program may write to it at any time.
TEST_F(Acts, IfTheKeptFileIsWrittenNothingIsRemoved) {
  for (const DupAction action : kActionsAnywhere) {
    for (int step = 0;; ++step) {
      start_over();
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      int steps = 0;
      bool too_late = false;  // as above
      ApplyOptions meddled = options();
      meddled.before_step = [&](std::string_view name) {
        if (steps++ != step) return;
        const auto files = files_of(folder());
        const bool is_joined = files.count("b") == 1 && is_same_inode(at("a"), at("b"));
        const bool is_over = files.size() == (action == DupAction::hardlink && is_joined ? 2 : 1);
        too_late = action != DupAction::quarantine && (name == "unlink" || is_over);
        std::ofstream(at("a"), std::ios::binary) << "longer than it was";
      };
      const ActResult result = apply_one(planned, meddled);
      if (steps <= step) break;
      if (too_late) continue;
      EXPECT_EQ(all_contents(), (std::set<std::string>{"same", "longer than it was"}))
          << to_string(action) << " at step " << step << ": " << result;
      EXPECT_TRUE(temp_names_in(folder()).empty());
    }
  }
}

// Two runs, each of which would remove the file that the other keeps.
TEST_F(Acts, ContradictoryRunsLeaveOneFile) {
  for (const DupAction action : kActionsAnywhere) {
    for (int step = 0;; ++step) {
      start_over();
      std::filesystem::remove(tree_.path("other"));
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      const DupPlan reversed = plan(action, {{"b", "a"}});
      int steps = 0;
      ApplyOptions first = options();
      first.before_step = [&](std::string_view) {
        if (steps++ != step) return;
        ApplyOptions second = options();
        second.journal = tree_.path("other");
        (void)apply_plan(reversed, second);
      };
      // Right before the first run removes a file, the second run finds its own kept file gone.
      (void)apply_plan(planned, first);
      if (steps <= step) break;
      EXPECT_EQ(contents_of(folder()), std::set<std::string>{"same"})
          << to_string(action) << " at step " << step;
    }
  }
}

}  // namespace
}  // namespace fathom::act
