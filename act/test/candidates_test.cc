// Candidates: demotions, what is skipped, nested candidates, hostile names, explanations.

#include "fathom/act/candidates.h"

#include <fcntl.h>

#include <algorithm>
#include <string>

#include "fathom/act/choice.h"
#include "fathom/base/fd.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/cancel.h"
#include "ruled_tree.h"

namespace fathom::act {
namespace {

using CandidatesTest = RuledTree;

// An index of git, version 2, with these paths, which must be in ascending order.
std::string git_index(const std::vector<std::string>& paths) {
  const auto number = [](std::size_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
  };
  std::string index = "DIRC" + number(2, 4) + number(paths.size(), 4);
  for (const std::string& path : paths) {
    std::string entry = std::string(60, '\0') + number(path.size(), 2) + path;
    entry.resize(entry.size() + 8 - entry.size() % 8);
    index += entry;
  }
  return index + std::string(20, '\0');
}

// ---- Demotions

TEST_F(CandidatesTest, WhatWasChangedInTheLastWeekIsNotSafe) {
  options_.now -= 97 * kDaySeconds;
  cargo_target("p");
  EXPECT_EQ(found(), Lines{"probably cargo-target p/target"});
  EXPECT_EQ(found_.items.front().demotions, Lines{"its newest file is 3 days old"});
}

TEST_F(CandidatesTest, WhatGitTracksIsNotSafe) {
  cargo_target("p");
  files({"p/.git/HEAD"});
  tree_.write("p/.git/index", git_index({"Cargo.toml", "target/kept"}));
  EXPECT_EQ(found(), Lines{"probably cargo-target p/target"});
  EXPECT_EQ(found_.items.front().demotions, Lines{"git tracks something in it"});
}

TEST_F(CandidatesTest, WhatGitDoesNotTrackStaysSafe) {
  cargo_target("p");
  files({"p/.git/HEAD"});
  tree_.write("p/.git/index", git_index({"Cargo.toml", "target.txt", "targets/x"}));
  EXPECT_EQ(found(), Lines{"safe cargo-target p/target"});
}

TEST_F(CandidatesTest, AnIndexThatCannotBeReadMakesNothingSafe) {
  cargo_target("p");
  files({"p/.git/HEAD", "p/.git/index"});
  EXPECT_EQ(found(), Lines{"probably cargo-target p/target"});
}

TEST_F(CandidatesTest, PreciousFilesAreYours) {
  cargo_target("p");
  cargo_target("q");
  cargo_target("r");
  cargo_target("s");
  for (const std::string top : {"p", "q", "s"}) files({top + "/.git/HEAD"});
  tree_.write("p/.gitignore", "target/\n$target/\n");
  tree_.write("q/.gitignore", "target/\n$/target/debug/a.o\n");
  tree_.write("r/target/debug/.gitignore", "*\n$a.o\n");
  tree_.write("s/.gitignore", "target/\n$other\n");
  EXPECT_EQ(found(), (Lines{"yours cargo-target p/target", "yours cargo-target q/target",
                            "yours cargo-target r/target", "safe cargo-target s/target"}));
}

TEST_F(CandidatesTest, WhatBelongsToAnotherUserIsYours) {
  options_.around.uid += 1;
  cargo_target("p");
  EXPECT_EQ(found(), Lines{"yours cargo-target p/target"});
}

TEST_F(CandidatesTest, TimesInTheFutureAreNotTrusted) {
  cargo_target("p");
  for (const char* name : {"p/target/.rustc_info.json", "p/target/CACHEDIR.TAG",
                           "p/target/debug/a.o", "p/target/debug", "p/target"}) {
    tree_.mtime(name, options_.now + 1000 * kDaySeconds);
  }
  EXPECT_EQ(found(), Lines{"probably cargo-target p/target"});
}

// ---- Cancelling

TEST_F(CandidatesTest, ASearchThatIsCancelledBeforehandHasNoCandidates) {
  cargo_target("p");
  EXPECT_FALSE(find().cancelled);
  const rt::CancelSource cancel;
  options_.cancel = cancel.token();
  cancel.cancel();
  EXPECT_EQ(found(), Lines{});
  EXPECT_TRUE(found_.cancelled);
}

// ---- Skipping

TEST_F(CandidatesTest, WhatIsOpenIsSkippedAndTheProcessNamed) {
  cargo_target("p");
  const base::Fd open(::open(tree_.path("p/target/debug/a.o").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(open);
  EXPECT_EQ(found(), Lines{});
  ASSERT_EQ(found_.skipped.size(), 1U);
  EXPECT_TRUE(found_.skipped.front().why.starts_with("is open in process " +
                                                     std::to_string(::getpid()) + " ("))
      << found_.skipped.front().why;
}

TEST_F(CandidatesTest, DatabasesInUseAreSkipped) {
  tree_.write("c/CACHEDIR.TAG", kCacheTag);
  files({"c/deep/x.db", "c/deep/x.db-wal"});
  EXPECT_EQ(skipped(), Lines{"c contains a SQLite database in use (deep/x.db-wal)"});
}

TEST_F(CandidatesTest, WhatContainsAGuardedPlaceIsSkipped) {
  tree_.write("c/CACHEDIR.TAG", kCacheTag);
  tree_.write("d/CACHEDIR.TAG", kCacheTag);
  files({"c/.local/share/evolution/mail", "d/share/evolution/x"});
  tree_.dir("d/var/mail");
  EXPECT_EQ(skipped(), Lines{"c contains a mailbox (.local/share/evolution)"});
}

TEST_F(CandidatesTest, WhatWasExcludedFromTheScanIsKept) {
  cargo_target("p");
  fs::ScanOptions options;
  options.roots = {tree_.path()};
  options.selection.excluded.add_line("debug/");
  scan_ = fs::scan(options);
  const Candidates found = find_candidates(scan_, rules_, options_);
  EXPECT_TRUE(found.items.empty());
  EXPECT_EQ(found.skipped.size(), 1U);
}

TEST_F(CandidatesTest, ARootIsNeverACandidate) {
  cargo_target("p");
  fs::ScanOptions options;
  options.roots = {tree_.path("p/target")};
  scan_ = fs::scan(options);
  EXPECT_TRUE(find_candidates(scan_, rules_, options_).items.empty());
}

TEST_F(CandidatesTest, EvidenceOutsideOfTheRootsDoesNotCount) {
  files({"p/angular.json", "p/.angular/cache/x"});
  fs::ScanOptions options;
  options.roots = {tree_.path("p/.angular")};
  scan_ = fs::scan(options);
  EXPECT_TRUE(find_candidates(scan_, rules_, options_).items.empty());
}

TEST_F(CandidatesTest, WhatChangedSinceTheScanIsNotACandidate) {
  cargo_target("p");
  fs::ScanOptions options;
  options.roots = {tree_.path()};
  scan_ = fs::scan(options);
  ASSERT_EQ(::unlink(tree_.path("p/Cargo.toml").c_str()), 0);
  tree_.symlink("/etc/passwd", "p/Cargo.toml");
  const Candidates found = find_candidates(scan_, rules_, options_);
  ASSERT_EQ(found.items.size(), 1U);
  EXPECT_EQ(found.items.front().rule->id, "cachedir-tag");  // the tag is still there
}

// ---- Sizes and nesting

TEST_F(CandidatesTest, NestedCandidatesArePartOfTheOutermost) {
  cargo_target("p");
  cargo_target("p/target/package");
  EXPECT_EQ(found(), Lines{"safe cargo-target p/target"});
}

TEST_F(CandidatesTest, HardLinksWithNamesOutsideFreeNothing) {
  cargo_target("p");
  tree_.hardlink("p/target/debug/a.o", "z-kept");
  found_ = find();
  ASSERT_EQ(found_.items.size(), 1U);
  EXPECT_LT(found_.items.front().frees, found_.items.front().disk_bytes);
  EXPECT_EQ(found_.items.front().entries, 5U);
}

TEST_F(CandidatesTest, AnyBytesInNamesAreFine) {
  for (const std::string name : {"a\nb", "\xff\xfe", "-rf", "*", "$HOME", "a b", "[x]", "\\"}) {
    cargo_target(name);
  }
  EXPECT_EQ(found().size(), 8U);
}

TEST_F(CandidatesTest, ManyLevelsAreFine) {
  tree_.deep_chain("deep", 3000, "node_modules");
  EXPECT_EQ(found(), Lines{});
}

// ---- Explanations

TEST_F(CandidatesTest, AnExplanationSaysWhichConditionsHold) {
  files({"p/Cargo.toml", "p/target/x"});
  found();
  const Explanation why = explain_candidate(scan_, rules_, options_, tree_.path("p/target/"));
  const auto cargo =
      std::find_if(why.verdicts.begin(), why.verdicts.end(),
                   [](const RuleVerdict& verdict) { return verdict.rule->id == "cargo-target"; });
  ASSERT_NE(cargo, why.verdicts.end());
  ASSERT_EQ(cargo->conditions.size(), 2U);
  EXPECT_EQ(cargo->conditions[0].sentence, ".rustc_info.json is a regular file");
  EXPECT_FALSE(cargo->conditions[0].held);
  EXPECT_TRUE(cargo->conditions[1].held);
  EXPECT_FALSE(cargo->chosen);
}

TEST_F(CandidatesTest, AnExplanationNamesTheCandidateAround) {
  cargo_target("p");
  found();
  const Explanation why = explain_candidate(scan_, rules_, options_, tree_.path("p/target/debug"));
  EXPECT_EQ(why.part_of, tree_.path("p/target"));
  EXPECT_TRUE(why.verdicts.empty());
}

TEST_F(CandidatesTest, AnExplanationOfWhatIsNotThereHasNoEntry) {
  found();
  EXPECT_EQ(explain_candidate(scan_, rules_, options_, tree_.path("x")).node, fs::kNoNode);
}

// ---- Choices

TEST_F(CandidatesTest, TheOldestIsChosenFirstEvenWithTheFirstTimeThatANumberHolds) {
  cargo_target("a");
  cargo_target("b");
  EXPECT_EQ(found(), (Lines{"safe cargo-target a/target", "safe cargo-target b/target"}));
  Candidate& oldest = *std::find_if(found_.items.begin(), found_.items.end(),
                                    [](const auto& one) { return one.path.ends_with("b/target"); });
  oldest.newest = fs::kUnknownTime + 1;
  const Choice choice = choose(scan_, found_, {.need = 1}, options_.now);
  EXPECT_EQ(choice.items, std::vector<const Candidate*>{&oldest});
}

}  // namespace
}  // namespace fathom::act
