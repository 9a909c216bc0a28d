// Plans for files and directories: what they do, what they refuse, and how they are undone.

#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/source.h"
#include "fathom/testing/privileges.h"
#include "item_acts.h"

namespace fathom::act {
namespace {

TEST_F(ItemActs, RemovesADirectoryWithEverythingInIt) {
  write("old/a", "1");
  write("old/deep/er/b", "22");
  tree_.symlink("../keep", "data/old/link");
  tree_.fifo("data/old/pipe");
  write("keep", "333");
  const Draft made = draft({{"old", Action::remove}});
  ASSERT_TRUE(made.refused.empty());
  EXPECT_EQ(made.plan.items.at(0).entries, 7U);
  EXPECT_EQ(apply_one(made.plan).outcome, Outcome::done);
  EXPECT_EQ(listing_of(data()), (std::map<std::string, std::string>{{"keep", "333"}}));
}

TEST_F(ItemActs, CarriesOutAnEmptyPlan) {
  write("keep", "1");
  EXPECT_TRUE(apply(draft({}).plan).empty());
  EXPECT_TRUE(undo().empty());
  EXPECT_EQ(listing_of(data()), (std::map<std::string, std::string>{{"keep", "1"}}));
}

TEST_F(ItemActs, FreesExactlyWhatTheDraftPromises) {
  write("old/a", std::string(100'000, 'x'));
  write("old/b", std::string(5'000, 'y'));
  write("single", std::string(20'000, 'z'));
  write("outside", std::string(70'000, 'o'));
  tree_.hardlink("data/outside", "data/old/also outside");
  write("old/twice", std::string(30'000, 't'));
  tree_.hardlink("data/old/twice", "data/other name");
  const Draft made =
      draft({{"old", Action::remove}, {"single", Action::remove}, {"other name", Action::remove}});
  apply(made.plan);
  EXPECT_EQ(applied_.done, 3U);
  EXPECT_EQ(applied_.freed, made.plan.totals->freed);
  EXPECT_GE(applied_.freed, 155'000U);
  EXPECT_LT(applied_.freed, 200'000U);
}

TEST_F(ItemActs, MovesToTheQuarantineAndBack) {
  write("old/a", "1");
  write("file", "2");
  const auto before = listing_of(data());
  const Draft made = draft({{"old", Action::quarantine}, {"file", Action::quarantine}});
  apply(made.plan);
  EXPECT_EQ(applied_.done, 2U);
  EXPECT_EQ(applied_.freed, 0U);
  EXPECT_EQ(applied_.held, made.plan.totals->held);
  EXPECT_TRUE(listing_of(data()).empty());
  EXPECT_EQ(undo().size(), 2U);
  EXPECT_EQ(undone_.done, 2U);
  EXPECT_EQ(listing_of(data()), before);
  EXPECT_TRUE(std::filesystem::is_empty(tree_.path("away")));
}

TEST_F(ItemActs, MovesToTheTrashWithADescriptionAndBack) {
  ::setenv("XDG_DATA_HOME", tree_.path("home").c_str(), 1);
  write("a b%", "1");
  write("more/a b%", "2");
  const auto before = listing_of(data());
  const Draft made = draft({{"a b%", Action::trash}, {"more/a b%", Action::trash}});
  apply(made.plan);
  EXPECT_EQ(applied_.done, 2U);
  const auto trash = listing_of(tree_.path("home/Trash"));
  EXPECT_EQ(trash.at("files/a b%"), "1");
  EXPECT_EQ(trash.at("files/a b%.2"), "2");
  EXPECT_NE(trash.at("info/a b%.trashinfo").find("[Trash Info]\nPath=" + data() + "/a%20b%25\n"),
            std::string::npos);
  undo();
  EXPECT_EQ(listing_of(data()), before);
  EXPECT_TRUE(std::filesystem::is_empty(tree_.path("home/Trash/info")));
}

// As the specification of the trash wants it, for file managers.
TEST_F(ItemActs, TheTrashKnowsTheSizesOfDirectoriesInItUntilTheyAreMovedBack) {
  ::setenv("XDG_DATA_HOME", tree_.path("home").c_str(), 1);
  const std::string of_others = "8192 15803582 Another_Folder\n7 8 a%20b\n";
  write("a b/c", std::string(50'000, 'x'));
  write("file", "1");
  std::filesystem::create_directories(tree_.path("home/Trash"));
  std::filesystem::permissions(tree_.path("home/Trash"), std::filesystem::perms::owner_all);
  tree_.write("home/Trash/directorysizes", of_others);
  const Draft made = draft({{"a b", Action::trash}, {"file", Action::trash}});
  apply(made.plan);
  EXPECT_EQ(applied_.done, 2U);
  struct stat described {};
  ASSERT_EQ(::stat(tree_.path("home/Trash/info/a b.trashinfo").c_str(), &described), 0);
  const auto trash = listing_of(tree_.path("home/Trash"));
  EXPECT_EQ(trash.at("directorysizes"), "8192 15803582 Another_Folder\n" +
                                            std::to_string(made.plan.items.at(0).bytes) + ' ' +
                                            std::to_string(described.st_mtime) + " a%20b\n");
  EXPECT_EQ(trash.size(), 8U) << "nothing else is left there";
  undo();
  EXPECT_EQ(listing_of(tree_.path("home/Trash")).at("directorysizes"),
            "8192 15803582 Another_Folder\n");
}

// What is moved to the trash is done even if its size cannot be noted.
TEST_F(ItemActs, ALinkInThePlaceOfTheSizesInTheTrashIsNotFollowed) {
  ::setenv("XDG_DATA_HOME", tree_.path("home").c_str(), 1);
  write("old/a", "1");
  tree_.write("precious", "kept");
  std::filesystem::create_directories(tree_.path("home/Trash"));
  std::filesystem::permissions(tree_.path("home/Trash"), std::filesystem::perms::owner_all);
  tree_.symlink("../../precious", "home/Trash/directorysizes");
  EXPECT_EQ(apply_one(draft({{"old", Action::trash}}).plan).outcome, Outcome::done);
  const auto listing = listing_of(tree_.path());
  EXPECT_EQ(listing.at("precious"), "kept");
  EXPECT_EQ(listing.at("home/Trash/directorysizes"), "-> ../../precious");
  undo();
  EXPECT_EQ(listing_of(tree_.path()).at("home/Trash/directorysizes"), "-> ../../precious");
}

TEST_F(ItemActs, UndoMakesTheRootAgainIfItIsGone) {
  write("sub/item", "content");
  const auto before = listing_of(data());
  apply(draft({{"sub/item", Action::quarantine}}).plan);
  std::filesystem::remove_all(data());
  undo();
  EXPECT_EQ(undone_.done, 1U);
  EXPECT_EQ(listing_of(data()), before);
}

// As /home often is.
TEST_F(ItemActs, UndoMakesDirectoriesAgainBelowOnesThatTheUserMayNotRead) {
  if (!testing::is_root()) GTEST_SKIP() << "only root may give files to another user";
  write("sub/item", "content");
  std::filesystem::permissions(data(), std::filesystem::perms::all);
  std::filesystem::permissions(at("sub"), std::filesystem::perms::all);
  std::filesystem::permissions(tree_.path(), std::filesystem::perms{0711});
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "$TMPDIR is private to a user";
  EXPECT_EQ(testing::as_nobody([&] {
              RunOptions own = options();
              own.journal = at("journal");
              own.quarantine = at("away");
              apply(draft({{"sub/item", Action::quarantine}}).plan, own);
              std::filesystem::remove(at("sub"));
              const RunUndone undone = undo_run({.dry_run = false, .journal = at("journal")});
              if (undone.done != 1) throw base::Error("it was not moved back");
            }),
            0);
}

// The description in info/ adds to the name.
TEST_F(ItemActs, TheLongestNamesFitIntoTheTrash) {
  ::setenv("XDG_DATA_HOME", tree_.path("home").c_str(), 1);
  const std::string name(255, 'n');
  write(name, "1");
  write("more/" + name, "2");
  const auto before = listing_of(data());
  const std::string other = "more/" + name;
  apply(draft({{name.c_str(), Action::trash}, {other.c_str(), Action::trash}}).plan);
  EXPECT_EQ(applied_.done, 2U);
  undo();
  EXPECT_EQ(listing_of(data()), before);
}

// The plan as its text says it.
Plan read_back(const Plan& plan) {
  std::string text;
  write_plan(plan, [&](std::string_view block) {
    text += block;
    return true;
  });
  return read_plan(fs::text_source(text));
}

Seen seen_of(const PlanItem& item) {
  return {item.identity.device, item.identity.inode, Seen::Sums{item.entries, item.bytes}};
}

// A mount shows one of the roots at a second path.
TEST_F(ItemActs, ARootIsNotPlannedByAnyPathIfRootsAreKept) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  write("e/m/file", "1");
  tree_.dir("mounted");
  const std::string mounted = tree_.path("mounted");
  const auto expect = [&](bool keep_roots, const std::string& path, const std::string& why) {
    const Draft made = draft_plan({{path, Action::quarantine, {}}},
                                  {.roots = {data(), mounted}, .keep_roots = keep_roots});
    const std::string said = made.refused.empty() ? "" : made.refused.front().why;
    if (said != why) throw base::Error(path + ": " + said);
  };
  EXPECT_EQ(testing::in_mount_namespace([&] {
              if (::mount(at("e/m").c_str(), mounted.c_str(), "", MS_BIND, nullptr) != 0) {
                throw base::SystemError("cannot bind", errno);
              }
              expect(true, mounted, "it is a root of the scan");
              expect(true, at("e/m"), "it is a root of the scan");
              expect(true, at("e"), "it contains a root of the scan");
              expect(true, at("e/m/file"), "");
              expect(false, at("e"), "");
            }),
            0);
}

TEST_F(ItemActs, RootsThatAreFilesOrLinksAreKeptToo) {
  write("d/sub/file", "1");
  write("d/other", "1");
  tree_.symlink("nowhere", "data/l/link");
  tree_.hardlink("data/d/sub/file", "data/second");
  const auto draft_of = [&](const std::vector<std::string>& paths) {
    std::vector<Chosen> choices;
    for (const std::string& path : paths) choices.push_back({at(path), Action::quarantine, {}});
    return draft_plan(std::move(choices),
                      {.roots = {at("d/sub/file"), at("l/link"), data()}, .keep_roots = true});
  };
  for (const auto& [path, why] :
       std::map<std::string, std::string>{{"d/sub/file", "it is a root of the scan"},
                                          {"second", "it is a root of the scan"},
                                          {"l/link", "it is a root of the scan"},
                                          {"d/sub", "it contains a root of the scan"},
                                          {"l", "it contains a root of the scan"}}) {
    const Draft made = draft_of({path});
    ASSERT_EQ(made.refused.size(), 1U) << path;
    EXPECT_EQ(made.refused[0].why, why) << path;
  }
  EXPECT_EQ(draft_of({"second", "second"}).refused.size(), 1U);
  const Draft made = draft_of({"d", "d/other"});
  EXPECT_EQ(made.refused.size(), 1U);
  ASSERT_EQ(made.plan.items.size(), 1U) << "what is beside the root is planned by itself";
  EXPECT_EQ(made.plan.path_of(made.plan.items[0]), at("d/other"));
}

TEST_F(ItemActs, WhatIsNotAsItWasSeenIsNotPlanned) {
  write("old/a", "1");
  write("file", "22");
  tree_.hardlink("data/file", "data/old/same file");
  const Draft made = draft({{"file", Action::remove}, {"old", Action::remove}});
  const auto again = [&](std::size_t index, bool with_sums) {
    Chosen choice{at(made.plan.items.at(index).path), Action::remove, {}};
    choice.seen = seen_of(made.plan.items.at(index));
    if (!with_sums) choice.seen->sums.reset();
    return draft_plan({choice}, {.roots = {data()}});
  };
  EXPECT_EQ(again(0, true).plan.items.size(), 1U);
  EXPECT_EQ(again(1, true).plan.items.size(), 1U);
  write("old/b", "333");
  ASSERT_EQ(again(1, true).refused.size(), 1U);
  EXPECT_EQ(again(1, true).refused[0].why, "it has changed since the scan: scan it again");
  EXPECT_EQ(again(1, false).plan.items.size(), 1U);  // not all of it had been seen
  std::filesystem::rename(at("old"), at("older"));
  write("old/a", "1");
  EXPECT_EQ(again(1, false).refused.size(), 1U);
}

// Somebody may have written into it after the scan, which chose it for its age.
TEST_F(ItemActs, WhatHasChangedSinceTheScanIsNotPlanned) {
  write("d/sub/file", "1");
  write("file", "1");
  const auto changed_ns = [&](const char* path) {
    struct stat state {};
    if (::lstat(at(path).c_str(), &state) != 0) throw base::SystemError("lstat", errno);
    return state.st_ctim.tv_sec * std::int64_t{1'000'000'000} + state.st_ctim.tv_nsec;
  };
  // A directory counts, too. The clock of a filesystem ticks slowly.
  while (changed_ns("d/sub") <= changed_ns("d/sub/file")) {
    std::filesystem::permissions(at("d/sub"), std::filesystem::perms::owner_all);
  }
  const auto refused = [&](const char* path, std::int64_t scanned_ns) {
    return draft_plan({{at(path), Action::remove}}, {.roots = {data()}, .scanned_ns = scanned_ns})
        .refused.size();
  };
  for (const auto& [item, changed] : std::initializer_list<std::pair<const char*, const char*>>{
           {"file", "file"}, {"d/sub/file", "d/sub/file"}, {"d", "d/sub"}}) {
    EXPECT_EQ(refused(item, changed_ns(changed)), 1U) << item;
    EXPECT_EQ(refused(item, changed_ns(changed) + 1), 0U) << item;
  }
  EXPECT_TRUE(draft({{"d", Action::remove}}).refused.empty());
}

// All roots are in the first line of a plan and of a journal.
TEST_F(ItemActs, ThousandsOfRootsDoNotKeepAPlanFromBeingUndone) {
  write("file", "1");
  const auto before = listing_of(data());
  std::vector<std::string> roots{data()};
  for (std::size_t i = 0; i < 3000; ++i) {
    roots.push_back('/' + std::string(250, 'n') + '/' + std::string(250, 'n') + std::to_string(i));
  }
  const Draft made = draft_plan({{at("file"), Action::quarantine}}, {.roots = roots});
  const Plan plan = read_back(made.plan);
  EXPECT_EQ(plan.roots, roots);
  apply(plan);
  EXPECT_TRUE(listing_of(data()).empty());
  EXPECT_EQ(undo().size(), 1U);
  EXPECT_EQ(listing_of(data()), before);
}

TEST_F(ItemActs, NothingIsMovedIfTheJournalCouldNotBeReadAgain) {
  write("file", "1");
  Draft made = draft({{"file", Action::quarantine}});
  made.plan.roots.push_back('/' + std::string(std::size_t{65} << 20, 'n'));
  EXPECT_THROW(apply(made.plan), base::Error);
  EXPECT_TRUE(std::filesystem::exists(at("file")));
}

TEST_F(ItemActs, ADryRunChangesNothing) {
  write("old/a", "1");
  write("file", "2");
  const auto before = listing_of(tree_.path());
  const Draft made = draft({{"old", Action::remove}, {"file", Action::quarantine}});
  for (const Result& result : apply(made.plan, dry_options())) {
    EXPECT_EQ(result.outcome, Outcome::would_be_done) << result.why;
  }
  EXPECT_EQ(applied_.freed, made.plan.totals->freed);
  EXPECT_EQ(applied_.held, made.plan.totals->held);
  EXPECT_EQ(listing_of(tree_.path()), before);
}

// The names of an inode are in two items: its bytes are freed, and counted, with the second one.
TEST_F(ItemActs, ADryRunCountsAnInodeWithNamesInTwoItemsOnce) {
  write("old/a", std::string(100'000, 'x'));
  tree_.hardlink("data/old/a", "data/other/a");
  const Draft made = draft({{"old", Action::remove}, {"other", Action::remove}});
  apply(made.plan, dry_options());
  const std::uint64_t announced = applied_.freed;
  EXPECT_EQ(announced, made.plan.totals->freed);
  apply(made.plan);
  EXPECT_EQ(applied_.freed, announced);
  EXPECT_LT(announced, 150'000U);
}

// Sets the permissions of a directory, repeatedly until the clock of the filesystem has advanced.
void close_to_others(const std::string& folder) {
  struct stat before = {};
  struct stat now = {};
  ASSERT_EQ(::stat(folder.c_str(), &before), 0);
  do {
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
    ASSERT_EQ(::stat(folder.c_str(), &now), 0);
  } while (now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

TEST_F(ItemActs, RefusesADirectoryOfWhichAnythingHasChanged) {
  const auto changes = std::vector<std::function<void()>>{
      [&] { write("old/new", ""); },
      [&] { write("old/sub/a", "other"); },
      [&] { std::filesystem::remove(at("old/sub/a")); },
      [&] { std::filesystem::rename(at("old/sub/a"), at("old/sub/b")); },
      [&] { tree_.chmod("data/old/sub/a", 0600); },
      [&] { tree_.dir("data/old/sub/deeper"); },
      [&] { std::filesystem::last_write_time(at("old"), {}); },
      [&] { close_to_others(at("old")); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SCOPED_TRACE("change " + std::to_string(i));
    std::filesystem::remove_all(data());
    std::filesystem::remove(tree_.path("journal"));
    write("old/sub/a", "1");
    const Draft made = draft({{"old", Action::remove}});
    changes[i]();
    const auto before = listing_of(data());
    const Result result = apply_one(made.plan);
    EXPECT_EQ(result.outcome, Outcome::refused);
    EXPECT_EQ(result.why, "it has changed since the plan was made");
    EXPECT_EQ(listing_of(data()), before);
  }
}

TEST_F(ItemActs, RefusesWhatHasBeenReplaced) {
  write("old/a", "1");
  write("file", "2");
  write("gone", "3");
  const Draft made =
      draft({{"old", Action::remove}, {"file", Action::quarantine}, {"gone", Action::quarantine}});
  std::filesystem::rename(at("old"), at("moved"));
  tree_.symlink("moved", "data/old");
  std::filesystem::remove(at("file"));
  write("file", "2");
  std::filesystem::remove(at("gone"));
  const std::vector<Result> results = apply(made.plan);
  EXPECT_EQ(applied_.refused, 3U);
  EXPECT_EQ(results.at(1).why, "it is gone");
  EXPECT_EQ(listing_of(data()).at("moved/a"), "1");
}

TEST_F(ItemActs, GoesOnWithTheOthersAfterARefusal) {
  write("a", "1");
  write("b", "2");
  const Draft made = draft({{"a", Action::remove}, {"b", Action::remove}});
  write("a", "changed");
  apply(made.plan);
  EXPECT_EQ(applied_.refused, 1U);
  EXPECT_EQ(applied_.done, 1U);
  EXPECT_EQ(listing_of(data()).size(), 1U);
}

TEST_F(ItemActs, LeavesWhatAppearsWhileADirectoryIsRemoved) {
  write("old/sub/a", "1");
  write("old/z/b", "2");
  const Draft made = draft({{"old", Action::remove}});
  RunOptions racing = options();
  bool is_first = true;
  racing.before_step = [&](std::string_view step) {
    if (step != "unlink" || !is_first) return;
    is_first = false;
    for (const auto& entry : std::filesystem::directory_iterator(data())) {
      std::ofstream(entry.path() / "sub" / "late") << "late";
    }
  };
  const Result result = apply(made.plan, racing).at(0);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_NE(result.why.find("'sub"), std::string::npos) << result.why;
  EXPECT_EQ(listing_of(data()).at("old/sub/late"), "late");
}

TEST_F(ItemActs, PutsBackWhatChangesWhileItIsMoved) {
  write("old/a", "1");
  const Draft made = draft({{"old", Action::quarantine}});
  RunOptions racing = options();
  racing.before_step = [&](std::string_view step) {
    if (step == "move aside") std::ofstream(at("old/late")) << "late";
  };
  const Result result = apply(made.plan, racing).at(0);
  EXPECT_EQ(result.outcome, Outcome::refused);
  EXPECT_EQ(listing_of(data()).at("old/late"), "late");
}

TEST_F(ItemActs, UndoOverwritesNothingAndMakesMissingDirectories) {
  write("sub/dir/a", "1");
  write("b", "2");
  const Draft made = draft({{"sub/dir/a", Action::quarantine}, {"b", Action::quarantine}});
  apply(made.plan);
  std::filesystem::remove_all(at("sub"));
  write("b", "new");
  undo();
  EXPECT_EQ(undone_.done, 1U);
  EXPECT_EQ(undone_.refused, 1U);
  EXPECT_EQ(listing_of(data()).at("sub/dir/a"), "1");
  EXPECT_EQ(listing_of(data()).at("b"), "new");
}

// st_dev depends on the order in which disks are found, for example.
TEST_F(ItemActs, UndoFindsItsItemsAfterTheirFilesystemHasGotAnotherNumber) {
  write("a", "1");
  write("old/b", "2");
  const auto before = listing_of(data());
  const Plan planned = draft({{"a", Action::quarantine}, {"old", Action::quarantine}}).plan;
  apply(planned);
  std::string journal = listing_of(tree_.path()).at("journal");
  const std::string number = "\"device\":" + std::to_string(planned.items[0].identity.device);
  for (std::size_t at = 0; (at = journal.find(number, at)) != std::string::npos;) {
    journal.replace(at, number.size(), "\"device\":1");
  }
  std::ofstream(tree_.path("journal")) << journal;
  undo();
  EXPECT_EQ(undone_.done, 2U);
  EXPECT_EQ(listing_of(data()), before);
}

TEST_F(ItemActs, UndoSaysHowManyItemsAreGoneForGood) {
  write("a", "1");
  write("b", "2");
  const Draft made = draft({{"a", Action::remove}, {"b", Action::quarantine}});
  apply(made.plan);
  undo();
  EXPECT_EQ(undone_.removed_for_good, 1U);
  EXPECT_EQ(undone_.done, 1U);
}

TEST_F(ItemActs, ASecondUndoHasNothingToDo) {
  write("a", "1");
  const Draft made = draft({{"a", Action::quarantine}});
  apply(made.plan);
  undo();
  EXPECT_TRUE(undo().empty());
}

TEST_F(ItemActs, ASecondRunSaysThatItemsWereDoneBefore) {
  write("a", "1");
  write("b", "2");
  const Draft made = draft({{"a", Action::remove}, {"b", Action::quarantine}});
  apply(made.plan);
  apply(made.plan);
  EXPECT_EQ(applied_.done_before, 2U);
}

// Room for every line is reserved while a run lasts.
TEST_F(ItemActs, AJournalTakesNoMoreRoomThanItsLinesAfterTheRun) {
  constexpr int kItems = 300;
  std::vector<Chosen> chosen;
  for (int i = 0; i < kItems; ++i) {
    write(std::to_string(i), "");
    chosen.push_back({at(std::to_string(i)), Action::remove, {}});
  }
  apply(draft_plan(std::move(chosen), {.roots = {data()}}).plan);
  struct stat journal = {};
  ASSERT_EQ(::stat(tree_.path("journal").c_str(), &journal), 0);
  constexpr std::int64_t kOneBlock = 65'536;  // the largest of any machine
  EXPECT_LT(journal.st_blocks * 512, journal.st_size + kOneBlock);
}

TEST_F(ItemActs, TheJournalOfAnotherPlanIsRefused) {
  write("a", "1");
  write("b", "2");
  apply(draft({{"a", Action::quarantine}}).plan);
  EXPECT_THROW(apply(draft({{"b", Action::quarantine}}).plan), base::Error);
}

TEST_F(ItemActs, TheEvidenceMustStayAsItWas) {
  write("shop/Cargo.toml", "[package]");
  write("shop/target/CACHEDIR.TAG", "Signature");
  const auto make = [&] {
    Chosen choice{at("shop/target"), Action::remove, {}};
    choice.reason.evidence = {"CACHEDIR.TAG", "../Cargo.toml"};
    return draft_plan({choice}, {.roots = {data()}}).plan;
  };
  const Plan plan = make();
  tree_.mtime("data/shop/Cargo.toml", 5);
  EXPECT_EQ(apply_one(plan).why, "its evidence has changed");
  std::filesystem::remove(at("shop/Cargo.toml"));
  std::filesystem::remove(tree_.path("journal"));
  EXPECT_EQ(apply_one(plan).why, "its evidence '../Cargo.toml' is missing");
  write("shop/Cargo.toml", "[package]");
  std::filesystem::remove(tree_.path("journal"));
  EXPECT_EQ(apply_one(make()).outcome, Outcome::done);
}

TEST_F(ItemActs, ChoicesInsideOtherChoicesAreLeftOut) {
  write("old/a", "1");
  write("old too", "2");
  const Draft made = draft({{"old/a", Action::remove},
                            {"old", Action::remove},
                            {"old too", Action::remove},
                            {"old", Action::remove}});
  ASSERT_EQ(made.plan.items.size(), 2U);
  EXPECT_EQ(made.plan.items[0].path, "old");
  EXPECT_EQ(made.plan.items[1].path, "old too");
}

TEST_F(ItemActs, DeepTreesAreRemovedWithFewDescriptors) {
  tree_.deep_chain("data/old", 3000);
  const Draft made = draft({{"old", Action::remove}});
  ASSERT_TRUE(made.refused.empty()) << made.refused.at(0).why;
  EXPECT_EQ(made.plan.items.at(0).entries, 3001U);
  EXPECT_EQ(apply_one(made.plan).outcome, Outcome::done);
  EXPECT_TRUE(std::filesystem::is_empty(data()));
}

TEST_F(ItemActs, NamesOfAnyBytesSurviveThePlansText) {
  write("new\nline \xff", "1");
  const Draft made = draft({{"new\nline \xff", Action::quarantine}});
  const Plan again = read_back(made.plan);
  EXPECT_EQ(again.items, made.plan.items);
  EXPECT_EQ(apply_one(again).outcome, Outcome::done);
  undo();
  EXPECT_EQ(listing_of(data()).size(), 1U);
}

TEST_F(ItemActs, ADryRunKnowsThatADirectoryOnlyForReadingCannotBeMoved) {
  open_to_all();
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "$TMPDIR is private to a user";
  EXPECT_EQ(testing::as_nobody([&] {
              std::filesystem::create_directory(at("item"));
              std::filesystem::permissions(at("item"), std::filesystem::perms{0555});
              const Result result =
                  apply(draft({{"item", Action::quarantine}}).plan, dry_options()).at(0);
              if (result.outcome != Outcome::failed) throw base::Error("it can be moved");
            }),
            0);
}

TEST_F(ItemActs, ADryRunKnowsThatADirectoryInAnotherKeepsItsEntries) {
  open_to_all();
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "$TMPDIR is private to a user";
  EXPECT_EQ(testing::as_nobody([&] {
              write("item/a", "1");
              write("item/u/x", "2");
              tree_.dir("data/item/empty");
              for (const char* folder : {"item/u", "item/empty"}) {
                std::filesystem::permissions(at(folder), std::filesystem::perms{0555});
              }
              const Plan plan = draft({{"item", Action::remove}}).plan;
              for (const RunOptions& run : {dry_options(), options()}) {
                const Result result = apply(plan, run).at(0);
                if (result.outcome != Outcome::failed ||
                    result.why != "'u/x' in it cannot be removed: Permission denied") {
                  throw base::Error(result.why);
                }
                if (listing_of(data()).size() != 5) throw base::Error("something was removed");
              }
            }),
            0);
}

TEST_F(ItemActs, ADryRunKnowsWhatAStickyDirectoryKeeps) {
  if (!testing::is_root()) GTEST_SKIP() << "only root may give files to another user";
  write("item/tmp/x", "1");
  open_to_all();
  std::filesystem::permissions(at("item"), std::filesystem::perms::all);
  std::filesystem::permissions(at("item/tmp"), std::filesystem::perms{01777});
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "$TMPDIR is private to a user";
  EXPECT_EQ(
      testing::as_nobody([&] {
        const Result result = apply(draft({{"item", Action::remove}}).plan, dry_options()).at(0);
        if (result.why != "'tmp/x' in it cannot be removed: Operation not permitted") {
          throw base::Error(result.why);
        }
      }),
      0);
}

// It is not refused: that would mean that nothing was changed.
TEST_F(ItemActs, ADeletionThatTheSystemStopsHalfwayHasFailed) {
  open_to_all();
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "$TMPDIR is private to a user";
  EXPECT_EQ(testing::as_nobody([&] {
              write("item/a", "1");
              write("item/sub/b", "2");
              const Plan plan = draft({{"item", Action::remove}}).plan;
              RunOptions stopped = options();
              stopped.before_step = [&](std::string_view step) {
                if (step != "move aside") return;
                std::filesystem::permissions(at("item"), std::filesystem::perms{0555});
              };
              const Result result = apply(plan, stopped).at(0);
              if (result.outcome != Outcome::failed) throw base::Error(result.why);
              if (applied_.freed == 0) throw base::Error("nothing was freed");
              const auto left = listing_of(data());
              if (left.count("item/a") == 0 || left.count("item/sub/b") != 0) {
                throw base::Error("it did not stop halfway");
              }
              if (listing_of(tree_.path()).at("journal").find("refused") != std::string::npos) {
                throw base::Error("the journal says that nothing was changed");
              }
              std::filesystem::permissions(at("item"), std::filesystem::perms{0755});
              const Result again = apply(plan).at(0);
              if (again.why != "it has changed since the plan was made") {
                throw base::Error(again.why);
              }
              if (!undo().empty() || listing_of(data()) != left) {
                throw base::Error("there was something to undo");
              }
            }),
            0);
}

TEST_F(ItemActs, TheHomeOfTheUserIsNotPlanned) {
  tree_.dir("data/home");
  ::setenv("HOME", at("home").c_str(), 1);
  const Draft made = draft({{"home", Action::quarantine}});
  ASSERT_EQ(made.refused.size(), 1U);
  EXPECT_EQ(made.refused[0].why, "it is your home directory");
}

// A plan may have been edited, or written by hand.
TEST_F(ItemActs, RefusesADirectoryThatContainsWhatIsNeverTouched) {
  write("projects/notes", "1");
  const Plan planned = draft({{"projects", Action::remove}}).plan;
  write("projects/a/shop/.git", "gitdir: elsewhere");
  write("projects/b/.ssh/id_rsa", "key");
  const Draft made = draft({{"projects", Action::quarantine}});
  ASSERT_EQ(made.refused.size(), 1U);
  EXPECT_EQ(made.refused[0].why, "it contains a git directory: 'a/shop/.git'");
  EXPECT_EQ(apply_one(planned).outcome, Outcome::refused);
  EXPECT_EQ(listing_of(data()).at("projects/b/.ssh/id_rsa"), "key");
  write("backups/shop.git/HEAD", "ref: refs/heads/main");
  write("backups/shop.git/objects/pack", "");
  write("backups/shop.git/refs/heads/main", "");
  EXPECT_EQ(draft({{"backups", Action::remove}}).refused.at(0).why,
            "it contains a git repository: 'shop.git/HEAD'");
}

TEST_F(ItemActs, RefusesADirectoryThatContainsAPlaceOrFilesThatAreNeverTouched) {
  struct Case {
    std::vector<const char*> files;
    std::string why;  // empty: it may go
  };
  const Case cases[] = {
      {{".local/share/evolution/mail"}, "a mailbox: '.local/share/evolution'"},
      {{"var/spool/mail/ana"}, "a mailbox: 'var/spool/mail'"},
      {{".local/share/keyrings/login.keyring"}, "a store of passwords: '.local/share/keyrings'"},
      {{".local/share/containers/storage"}, "a store of containers: '.local/share/containers'"},
      {{".config/google-chrome/Default/Login Data"},
       "a directory of browser profiles: '.config/google-chrome'"},
      {{".mozilla/firefox/x.default/key4.db"},
       "a directory of browser profiles: '.mozilla/firefox'"},
      {{"a/x.db", "a/x.db-journal"}, "a SQLite database in use: 'a/x.db-journal'"},
      {{"a/aquota.user"}, "a quota file: 'a/aquota.user'"},
      {{"a/x.db-journal", "keyrings/x", "b/evolution/x", "log/system.journal"}, ""},
      {{"parser/x", "parser-journal/x"}, ""},
  };
  for (const Case& one : cases) {
    std::filesystem::remove_all(at("d"));
    for (const char* file : one.files) write(std::string("d/") + file, "text");
    const Draft made = draft({{"d", Action::remove}});
    const std::string why = made.refused.empty() ? "" : made.refused[0].why;
    EXPECT_EQ(why, one.why.empty() ? "" : "it contains " + one.why);
  }
}

TEST_F(ItemActs, RefusesADirectoryThatContainsAJournal) {
  write("old/file", "content");
  apply(draft({{"old/file", Action::quarantine}}).plan);
  std::filesystem::rename(tree_.path("journal"), at("old/plan.journal"));
  EXPECT_EQ(draft({{"old", Action::remove}}).refused.at(0).why,
            "it contains a journal of Fathom: 'plan.journal'");
}

TEST_F(ItemActs, AnEmptyPlaceInTheTreeOfASystemMayGo) {
  tree_.dir("data/chroot/var/mail");
  tree_.dir("data/chroot/etc/skel/.mozilla/plugins");
  tree_.symlink("../mail", "data/chroot/var/spool/mail");
  EXPECT_TRUE(draft({{"chroot", Action::remove}}).refused.empty());
}

// The directories above the item are a part of the name of the place.
TEST_F(ItemActs, RefusesADirectoryThatHasAPartOfAGuardedPath) {
  write(".local/share/notes", "1");
  const auto drafted = [&] {
    return draft_plan({{at(".local/share"), Action::remove, {}}}, {.roots = {at(".local")}});
  };
  const Plan planned = drafted().plan;
  write(".local/share/evolution/mail", "precious");
  EXPECT_EQ(apply_one(planned).why, "it contains a mailbox: 'evolution'");
  EXPECT_EQ(drafted().refused.at(0).why, "it contains a mailbox: 'evolution'");
}

TEST_F(ItemActs, NamesTheProcessThatHasAFileOpen) {
  write("log", std::string(5000, 'x'));
  const pid_t child = ::fork();
  if (child == 0) {
    const std::ifstream open(at("log"));
    ::raise(SIGSTOP);
    ::_exit(open ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  const Draft made = draft({{"log", Action::remove}});
  ::kill(child, SIGCONT);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(made.open.size(), 1U);
  EXPECT_EQ(made.open[0].process, static_cast<std::uint64_t>(child));
  EXPECT_EQ(made.plan.totals->open, made.open[0].bytes);
}

TEST_F(ItemActs, WhatAProcessHasOpenIsNamedAndIsNotFreedYet) {
  write("old/deep/log", std::string(50'000, 'x'));
  write("old/other", std::string(20'000, 'x'));
  write("old/stays", std::string(30'000, 'x'));
  tree_.hardlink("data/old/stays", "data/another name");
  write("single", std::string(40'000, 'x'));
  const Draft made = draft({{"old", Action::remove}, {"single", Action::remove}});
  const pid_t child = ::fork();  // it opens them after they were planned
  if (child == 0) {
    const std::ifstream log(at("old/deep/log"));
    const std::ifstream stays(at("old/stays"));
    const std::ifstream single(at("single"));
    ::raise(SIGSTOP);
    ::_exit(log && stays && single ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  for (const RunOptions& run : {dry_options(), options()}) {
    SCOPED_TRACE(run.dry_run);
    apply(made.plan, run);
    EXPECT_EQ(applied_.done, 2U);
    EXPECT_GE(applied_.freed, 20'000U);
    EXPECT_EQ(applied_.freed + bytes_of(applied_.open), made.plan.totals->freed);
    std::map<std::string, std::uint64_t> open;
    for (const OpenFile& file : applied_.open) open[file.path] = file.process;
    const auto process = static_cast<std::uint64_t>(child);
    EXPECT_EQ(open, (std::map<std::string, std::uint64_t>{{at("old/deep/log"), process},
                                                          {at("single"), process}}));
  }
  ::kill(child, SIGCONT);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
}

}  // namespace
}  // namespace fathom::act
