// Tests of keys: what each does, and what none of them does.

#include "model/press.h"
#include "model/prompts.h"
#include "model/sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/tree_builder.h"
#include "model/applying.h"
#include "model/click.h"
#include "model/graft.h"
#include "model/update.h"
#include "model/what_if.h"
#include "sample.h"
#include "screen/layout.h"
#include "screen/questions.h"
#include "screen/row_text.h"
#include "screen/screen.h"

namespace fathom::tui {
namespace {

std::string selected_name(const State& state) {
  return std::string(state.listing.name(state.cursor().at));
}

std::string listed_names(const State& state) {
  std::string names;
  for (std::size_t i = 0; i < list_size(state); ++i) {
    names += (names.empty() ? "" : " ") + std::string(state.listing.name(i));
  }
  return names;
}

// The screen without blanks and ends of lines.
std::string words_of(const State& state) {
  std::string words = text_of(draw(state));
  std::erase_if(words, [](char c) { return c == '\n' || c == ' '; });
  return words;
}

TEST(Press, OpensAndGoesUpToTheSameRow) {
  State state = sample_state();
  type(state, "jl");
  EXPECT_EQ(state.facts->path(state.place), "/home/ada/code/shop");
  type(state, "jh");
  EXPECT_EQ(selected_name(state), "shop");
  type(state, "l");
  EXPECT_EQ(state.cursor().at, 1U);
}

TEST(Press, NeverLeavesTheScan) {
  State state = sample_state();
  type(state, "h<Left><Backspace>");
  EXPECT_EQ(state.place, state.facts->top());
  EXPECT_EQ(state.message, "the scan begins here");
}

TEST(Press, ShowsAPlannedRootWithoutLeavingTheScan) {
  State state = sample_state();
  type(state, "7jdP<Enter>");
  EXPECT_EQ(state.place, state.facts->top());
  type(state, "h");
  EXPECT_EQ(state.place, state.facts->top());
}

TEST(Press, TheDirectoryOfAFoundRootIsTheRoot) {
  State state = sample_state();
  const std::string root = "/home/ada/code";
  type(state, "7j");
  EXPECT_EQ(state.facts->tree().path(row_at(state, state.cursor().at)->node), root);
  EXPECT_EQ(type(state, "b").text, root);
  EXPECT_EQ(type(state, "Q").text, root);
}

TEST(Press, SortingKeepsTheSelectedEntry) {
  State state = sample_state();
  type(state, "jjj");
  const std::string name = selected_name(state);
  for (const char* key : {"n", "n", "M", "C", "t", "a", "s"}) {
    type(state, key);
    EXPECT_EQ(selected_name(state), name) << key;
  }
}

TEST(Press, MarksSurviveChangingTheDirectory) {
  State state = sample_state();
  type(state, " l h");
  type(state, "jjjl h");
  EXPECT_EQ(state.marks.size(), 3U);
  type(state, "<Esc>");
  EXPECT_TRUE(state.marks.empty());
}

TEST(Press, ThePlanCountsLinksOnlyWhenAllNamesAreInIt) {
  State state = sample_state();
  type(state, "/backup<Enter>ld");
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  ASSERT_TRUE(state.planned_sums);
  EXPECT_LT(state.planned_sums->exclusive.disk_bytes, kGiB);
  type(state, "jd");
  EXPECT_GT(state.planned_sums->exclusive.disk_bytes, 3 * kGiB);
  EXPECT_LT(state.planned_sums->exclusive.disk_bytes, 4 * kGiB);
  EXPECT_GT(state.planned_sums->counted.disk_bytes, 5 * kGiB);
  type(state, "d");
  EXPECT_EQ(state.plan.size(), 1U);
}

TEST(Press, WhatIsBelowAnotherMarkOrItemOfThePlanDoesNotCount) {
  State state = sample_state();
  type(state, "jl hj");  // target/ in shop/
  type(state, "k ");
  EXPECT_EQ(state.marks.size(), 2U);
  EXPECT_NE(words_of(state).find("Marked:1item,124entries"), std::string::npos);
  type(state, "d");
  EXPECT_NE(words_of(state).find("Plan:1item,124entries"), std::string::npos);
  type(state, "P");
  EXPECT_NE(words_of(state).find("Plan:1item,1moreinside"), std::string::npos);
  EXPECT_EQ(apply_question(state, "U")[1], "1 item, 124 entries, 38 GiB");
  EXPECT_NE(quit_question(state)[1].find("1 item"), std::string::npos);
}

TEST(Press, WhatIsBelowAnotherItemSharesItsDestination) {
  State state = sample_state();
  type(state, "jlDhd");  // target/ to the trash, and shop/, which contains it, to the quarantine
  EXPECT_EQ(state.trashed_items, 0U);
  EXPECT_EQ(apply_question(state, "U")[0], "Move the plan to the quarantine?");
}

TEST(Press, ARangeMarksWhatIsBetween) {
  State state = sample_state();
  type(state, "jVjjV");
  EXPECT_EQ(state.marks.size(), 3U);
  type(state, "*");
  EXPECT_EQ(state.marks.size(), state.listing.size() - 3 - 2);  // without two excluded ones
}

TEST(Press, ARangeEndsWhereItsRowsAreOnTheScreenNoLonger) {
  State state = sample_state();
  type(state, "jjV6");
  EXPECT_FALSE(state.anchor);
  type(state, "jVgg<Enter>");  // closes a group
  EXPECT_FALSE(state.anchor);
  type(state, "V");
  take_findings(state, Search::duplicates, sample_equal(state.facts));
  EXPECT_TRUE(state.anchor);  // of another view
  take_findings(state, Search::clean, sample_clean(state.facts));
  EXPECT_FALSE(state.anchor);
}

TEST(Press, KeysThatDestroyElsewhereChangeNothing) {
  for (const char* key : {"<Backspace>", "e", "<C-r>", "<Enter>", "D", "<C-t>", "X", "A"}) {
    State state = sample_state();
    EXPECT_EQ(type(state, key).kind, Effect::Kind::none) << key;
    EXPECT_EQ(state.layer, Layer::none) << key;
  }
}

TEST(Press, AppliesOnlyAfterAYesInThePlan) {
  State state = sample_state();
  state.settings.can_apply = true;
  EXPECT_EQ(type(state, "dPA<Enter>").kind, Effect::Kind::none);
  EXPECT_EQ(type(state, "An").kind, Effect::Kind::none);
  EXPECT_EQ(type(state, "Ay").kind, Effect::Kind::apply);
  state.settings.read_only = true;
  EXPECT_EQ(type(state, "Ay").kind, Effect::Kind::none);
}

TEST(Press, QuittingAsksOnlyIfSomethingWouldBeLost) {
  State state = sample_state();
  EXPECT_EQ(type(state, "q").kind, Effect::Kind::quit);
  EXPECT_EQ(type(state, "dq<Enter>").kind, Effect::Kind::none);
  EXPECT_EQ(state.layer, Layer::none);
  EXPECT_EQ(type(state, "qn").kind, Effect::Kind::none);
  EXPECT_EQ(type(state, "<Esc><Esc><Esc><Esc>").kind, Effect::Kind::none);
  EXPECT_EQ(type(state, "qy").kind, Effect::Kind::quit);
  const Effect here = type(state, "lQQ");
  EXPECT_EQ(here.kind, Effect::Kind::quit_here);
  EXPECT_EQ(here.text, "/home/ada/code/vm");
}

TEST(Press, ATableOfSeveralRootsIsInTheDirectoryOfTheBrowser) {
  State state = initial_state({}, facts_of_two_roots(), fs::Measure::disk);
  for (const char* const keys : {"3Q", "3b", "3y", "4Q", "5b"}) {
    EXPECT_EQ(type(state, keys).text, ".") << keys;
  }
  EXPECT_EQ(type(state, "1jQ").text, "/two");
}

TEST(Press, ControlCEndsTheScanFirst) {
  State state = sample_state();
  state.progress.running = true;
  EXPECT_EQ(type(state, "<C-c>").kind, Effect::Kind::cancel);
  EXPECT_EQ(type(state, "<C-c>").kind, Effect::Kind::quit);
}

TEST(Press, SearchesTheWholeTreeAndGoesThere) {
  State state = sample_state();
  type(state, "//mail<Enter>");
  EXPECT_EQ(state.listing.size(), 2U);
  type(state, "j<Enter>");
  EXPECT_EQ(state.facts->path(state.place), "/home/ada/code/backup/tuesday");
  EXPECT_EQ(selected_name(state), "mail.mbox");
}

TEST(Press, ALongListFollowsTheFilterWhenThereIsNoKey) {
  State state = initial_state({}, flat_facts(120'000), fs::Measure::disk);
  const std::size_t all = state.listing.size();
  static_cast<void>(press(state, {Key::Kind::text, "/"}));
  static_cast<void>(press(state, {Key::Kind::text, "9"}));
  EXPECT_TRUE(state.filter_waits);
  EXPECT_EQ(state.listing.size(), all);
  finish_filter(state);
  EXPECT_LT(state.listing.size(), all);
  static_cast<void>(press(state, {Key::Kind::text, "9"}));
  const std::size_t nines = state.listing.size();
  static_cast<void>(press(state, {Key::Kind::enter, ""}));
  EXPECT_LT(state.listing.size(), nines);
  EXPECT_FALSE(state.filter_waits);
}

TEST(Press, ManyMarksAreAddedUpWhenThereIsNoKey) {
  State state = initial_state({}, flat_facts(120'000), fs::Measure::disk);
  static_cast<void>(press(state, {Key::Kind::text, " "}));
  static_cast<void>(press(state, {Key::Kind::text, "*"}));
  EXPECT_EQ(state.marks.size(), 119'999U);
  supply_extras(state);
  EXPECT_TRUE(state.sums_wait);
  EXPECT_FALSE(state.marked_sums);
  finish_sums(state);
  ASSERT_TRUE(state.marked_sums);
  EXPECT_EQ(state.marked_sums->entries, 119'999U);
  EXPECT_FALSE(state.sums_wait);
}

// As when a scan again has ended that found nothing new.
void renew(State& state) {
  Renumbering same;
  same.directories.resize(state.facts->tree().directory_limit());
  std::iota(same.directories.begin(), same.directories.end(), 0U);
  state.facts->tree().for_each_node([&](fs::NodeId node) {
    if (node >= same.nodes.size()) same.nodes.resize(node + 1, fs::kNoNode);
    same.nodes[node] = node;
  });
  take_renewed(state, sample_facts(), same);
}

TEST(Press, AFilterThatIsBeingTypedFollowsTheListThatAScanMadeAgain) {
  State state = sample_state();
  type(state, "/log");
  renew(state);
  EXPECT_EQ(listed_names(state), "from-the-future.log");
  type(state, "<Enter>*");
  EXPECT_EQ(state.marks.size(), 1U);
  type(state, "/<C-u>/mail");
  renew(state);
  EXPECT_EQ(listed_names(state), "mail.mbox mail.mbox");
  type(state, "<Esc>");
  EXPECT_EQ(state.view, View::tree);
  EXPECT_EQ(filter_text(state), "");
}

TEST(Press, EscapeInAFilterOfWhatWasFoundGoesToTheTreeAfterAScan) {
  State state = sample_state();
  type(state, "//mail<Enter>/");
  renew(state);
  type(state, "<Esc>");
  EXPECT_EQ(state.view, View::tree);
}

TEST(Press, EscapeGivesASearchUp) {
  State state = sample_state();
  type(state, "jj//mail<Esc>");
  EXPECT_EQ(state.view, View::tree);
  EXPECT_EQ(selected_name(state), "old");
}

std::string planned_names(const State& state) {
  std::string names;
  for (const fs::Chosen& entry : state.plan.entries()) {
    names += (names.empty() ? "" : " ") + std::string(state.facts->tree().name(entry.node));
  }
  return names;
}

TEST(Press, WhatARuleFoundCanBePlannedAndCarriesItsReason) {
  State state = sample_state();
  type(state, "6jd");
  EXPECT_EQ(planned_names(state), "target");
  const std::vector<act::Chosen> chosen = chosen_in(state, basket_to_write(state));
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].path, "/home/ada/code/shop/target");
  EXPECT_EQ(chosen[0].reason.rule, "cargo-target");
  EXPECT_EQ(chosen[0].reason.evidence.size(), 2U);
}

TEST(Press, AHeadingStandsForItsGroup) {
  State state = sample_state();
  type(state, "6jjd");
  EXPECT_EQ(planned_names(state), "node_modules empty");
  const std::size_t rows = list_size(state);
  type(state, "<Enter>");
  EXPECT_EQ(list_size(state), rows - 2);
}

TEST(Press, WhatOnlyItsToolRemovesOrMustNotBeTouchedIsNotPlanned) {
  for (const char* keys : {"6GGkd", "6GGk d", "6GGkkd", "6G<Enter>Gd", "6G<Enter>G*d", "6Gd"}) {
    State state = sample_state();
    type(state, keys);
    for (const fs::Chosen& entry : state.plan.entries()) {
      const std::string name(state.facts->tree().name(entry.node));
      EXPECT_TRUE(name != "monday" && name != "photos") << keys;
    }
  }
}

TEST(Press, XMarksWhatIsSafeHere) {
  State state = sample_state();
  type(state, "X");
  EXPECT_EQ(state.marks.size(), 1U);
  type(state, "d");
  EXPECT_EQ(planned_names(state), "target");
  type(state, "lX");  // nothing in vm/ is safe
  EXPECT_TRUE(state.marks.empty());
}

TEST(Press, XSaysWhyTheRulesCannotBeAsked) {
  State state = sample_state();
  static_cast<void>(press(state, {Key::Kind::text, "X"}));
  EXPECT_EQ(wanted_search(state), Search::clean);
  begin_search(state, Search::clean);
  fail_search(state, Search::clean, "rules need a whole scan");
  EXPECT_EQ(state.message, "rules need a whole scan");
  static_cast<void>(press(state, {Key::Kind::text, "j"}));
  static_cast<void>(press(state, {Key::Kind::text, "X"}));
  EXPECT_EQ(state.message, "rules need a whole scan");
}

TEST(Press, XDoesNotHoldUpOtherSearchesIfTheRulesCannotBeAsked) {
  State state = sample_state();
  fail_search(state, Search::clean, "rules need a whole scan");
  static_cast<void>(press(state, {Key::Kind::text, "X"}));
  static_cast<void>(press(state, {Key::Kind::text, "8"}));
  EXPECT_EQ(wanted_search(state), Search::duplicates);
}

TEST(Press, XStillMarksWhatIsSafeAfterAnotherSearchHasFailed) {
  State state = sample_state();
  static_cast<void>(press(state, {Key::Kind::text, "X"}));
  fail_search(state, Search::growth, "there are no snapshots");
  EXPECT_EQ(wanted_search(state), Search::clean);
}

TEST(Press, OneOfEqualFilesStays) {
  State state = sample_state();
  type(state, "8d");
  EXPECT_EQ(planned_names(state), "disk-1.qcow2 disk-2.qcow2");
}

// As when vm/ has been scanned again, in which that file has become larger or smaller.
void renew_vm(State& state, std::string_view name, std::uint64_t bytes) {
  const fs::Tree& tree = state.facts->tree();
  const Items items = state.facts->in(state.facts->top());
  const fs::DirId vm =
      *std::find_if(items.directories.begin(), items.directories.end(),
                    [&](fs::DirId directory) { return tree.name(tree.node(directory)) == "vm"; });
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto top = rows.add_directory(fs::kNoDir, 0, "vm", tree.entry(tree.node(vm)));
    root = top.node;
    for (const fs::NodeId node : state.facts->in(vm).others) {
      fs::Entry entry = tree.entry(node);
      if (tree.name(node) == name) {
        entry.blocks = bytes / fs::kBlockBytes;
        ++entry.mtime;
      }
      rows.add(top.id, tree.name(node), entry);
    }
  }
  fs::Scan fresh;
  fresh.tree = builder.finish({root});
  Grafted grafted = graft(state.facts->scan(), vm, fresh);
  const fs::OwnerNames names = grafted.scan.owner_names();
  take_renewed(state, std::make_shared<const Facts>(std::move(grafted.scan), kSampleNow, names),
               grafted.numbers);
}

TEST(Press, AFileThatHasChangedIsNoLongerEqualToOthersAfterAScan) {
  State state = sample_state();
  type(state, "8");
  EXPECT_EQ(findings_on_screen(state)->shown().groups[0].size(), 3U);
  renew_vm(state, "disk-0.qcow2", 4096);
  EXPECT_EQ(findings_on_screen(state)->shown().groups[0].size(), 2U);
  type(state, "d");
  EXPECT_EQ(planned_names(state), "disk-2.qcow2");
}

TEST(Press, WhatARuleFoundHasTheBytesOfTheLastScan) {
  State state = sample_state();
  type(state, "6");
  renew_vm(state, "disk-5.qcow2", 4096);
  const FindingGroup& yours = findings_on_screen(state)->shown().groups[2];
  EXPECT_EQ(yours.kind, FindingGroup::Kind::yours);
  EXPECT_EQ(yours.bytes, 4096U);
  EXPECT_EQ(findings_on_screen(state)->shown().items[yours.begin].bytes, 4096U);
}

TEST(Press, WhatRulesFoundIsOrderedBySizeAlsoAfterAScan) {
  const auto facts = sample_facts();
  Findings before = *sample_clean(facts);
  const FindingGroup& probably = before.groups[1];
  ASSERT_EQ(probably.end - probably.begin, 2U);
  std::swap(before.items[probably.begin], before.items[probably.begin + 1]);  // as if it had shrunk
  std::vector<fs::NodeId> nodes;
  facts->tree().for_each_node([&](fs::NodeId node) {
    nodes.resize(std::max<std::size_t>(nodes.size(), node + 1));
    nodes[node] = node;
  });
  std::vector<fs::DirId> directories(facts->tree().directory_limit());
  std::iota(directories.begin(), directories.end(), 0U);
  const Findings now = renumbered(before, facts, nodes, directories);
  const std::size_t begin = now.groups[1].begin;
  EXPECT_GT(now.items[begin].bytes, now.items[begin + 1].bytes);
}

TEST(Press, WhyThereIsNothingIsForgottenWithTheScan) {
  State state = sample_state();
  FindingList& clean = state.search(Search::clean);
  clean.clear();
  clean.why = "the scan was ended early";
  type(state, "6");
  EXPECT_EQ(wanted_search(state), std::nullopt);
  renew(state);
  EXPECT_EQ(wanted_search(state), Search::clean);
}

TEST(Press, AScanIsComparedAgainOnceItIsAnotherOne) {
  State state = sample_state();
  type(state, "7");
  EXPECT_EQ(wanted_search(state), std::nullopt);
  renew(state);
  EXPECT_EQ(wanted_search(state), Search::growth);
}

TEST(Press, AFileThatSharesItsBlocksWithAnEqualOneFreesNothing) {
  const auto facts = sample_facts();
  const auto before = sample_equal(facts);
  fs::Duplicates same;
  same.groups.emplace_back();
  for (std::uint32_t i = 0; i < 3; ++i) {
    same.groups[0].files.push_back({before->items[i].node, i / 2, {}, {}});
  }
  const Findings found = findings_of(facts, same);
  ASSERT_EQ(found.items.size(), 3U);
  EXPECT_GT(found.items[0].frees, 0U);
  EXPECT_EQ(found.items[1].frees, 0U);
  EXPECT_GT(found.items[2].frees, 0U);
}

TEST(Press, TheLastCopyIsPlannedOnlyAfterSayingSo) {
  State state = sample_state();
  type(state, "8<Enter>djd");
  EXPECT_EQ(state.plan.size(), 2U);
  EXPECT_NE(state.message.find("the last copy"), std::string::npos);
  type(state, "jkd");  // another key between: it is said again
  EXPECT_EQ(state.plan.size(), 2U);
  type(state, "d");
  EXPECT_EQ(state.plan.size(), 3U);
}

TEST(Press, ADirectoryWithAllCopiesIsPlannedOnlyAfterSayingSo) {
  State state = sample_state();
  type(state, "81d");
  EXPECT_TRUE(state.plan.empty());
  type(state, "d");
  EXPECT_EQ(planned_names(state), "vm");
}

TEST(Press, WhatIsGoneCannotBeMarkedAndWhatIsNewCan) {
  State state = sample_state();
  type(state, "7G d<Enter>");
  EXPECT_TRUE(state.marks.empty());
  EXPECT_TRUE(state.plan.empty());
  EXPECT_EQ(state.view, View::grew);
  type(state, "gd");
  EXPECT_EQ(planned_names(state), "target");
  type(state, "<Enter>");
  EXPECT_EQ(state.facts->path(state.place), "/home/ada/code/shop/target");
}

TEST(Press, ExtrasThatCannotBeMadeAreNotWaitedForUntilThereIsAnotherMeasureOrScan) {
  State state = sample_state();
  static_cast<void>(press(state, {Key::Kind::text, "3"}));
  state.message = "the words of something else";
  EXPECT_TRUE(lacks_extras(state));
  fail_extras(state, "out of memory");
  EXPECT_EQ(state.message, "out of memory");
  static_cast<void>(press(state, {Key::Kind::text, "j"}));
  EXPECT_FALSE(lacks_extras(state));
  static_cast<void>(press(state, {Key::Kind::text, "a"}));
  EXPECT_TRUE(lacks_extras(state));
  fail_extras(state, "out of memory");
  take_facts(state, sample_facts());
  EXPECT_TRUE(lacks_extras(state));
}

TEST(Press, AnotherMeasureComparesAgain) {
  State state = sample_state();
  type(state, "7");
  EXPECT_EQ(wanted_search(state), std::nullopt);
  static_cast<void>(press(state, {Key::Kind::text, "a"}));
  EXPECT_EQ(wanted_search(state), Search::growth);
}

TEST(Press, AConditionSelectsRows) {
  State state = sample_state();
  type(state, "n:kind = file and size >= 9KiB<Enter>");
  EXPECT_EQ(listed_names(state), "from-the-future.log notes.md");
  type(state, "/notes<Enter>");
  EXPECT_EQ(listed_names(state), "notes.md");
  type(state, "<Esc>");
  EXPECT_GT(list_size(state), 10U);
}

TEST(Press, AConditionSelectsFromTheWholeTree) {
  State state = sample_state();
  type(state, "::owner = root and kind = dir and name ~ 'node*'<Enter>");
  EXPECT_EQ(listed_names(state), "node_modules");
  EXPECT_EQ(state.view, View::found);
  type(state, "<Esc><Esc>");
  EXPECT_EQ(state.view, View::tree);
}

TEST(Press, AConditionStaysWhenTheListIsMadeAgain) {
  State state = sample_state();
  type(state, ":ext = log<Enter>");
  take_facts(state, sample_facts(true));
  EXPECT_EQ(listed_names(state), "from-the-future.log");
}

TEST(Press, TheConditionCanBeChangedOrBegunAnew) {
  State state = sample_state();
  type(state, ":ext = log<Enter>: or ext = md<Enter>");
  EXPECT_EQ(list_size(state), 2U);
  type(state, "::ext = mbox<Enter>");
  EXPECT_EQ(state.view, View::found);
}

TEST(Press, AMistakeInAConditionIsShownWhereItIs) {
  State state = sample_state();
  type(state, ":size > 1 and agee > 3<Enter>");
  EXPECT_EQ(state.layer, Layer::where);
  EXPECT_EQ(state.where_column, 13U);
  type(state, "x");
  EXPECT_EQ(state.where_error, "");
  type(state, "<Esc>");
  EXPECT_GT(list_size(state), 10U);
}

TEST(Press, AConditionOfWhatOnlyTheRulesKnowIsAMistake) {
  for (const char* keys :
       {":name ~ 'class*' and Class = safe<Enter>", "::rule = cargo-target<Enter>"}) {
    State state = sample_state();
    type(state, keys);
    EXPECT_EQ(state.layer, Layer::where) << keys;
    EXPECT_NE(state.where_error.find("belongs to `fathom clean`"), std::string::npos) << keys;
    EXPECT_EQ(state.where_column, keys[1] == ':' ? 1U : 20U) << keys;
  }
}

TEST(Press, ASlashNeverLetsTheTextActAsCommands) {
  for (const char view : std::string("345678")) {
    State state = sample_state();
    type(state, view + std::string("/dmail"));
    EXPECT_TRUE(state.plan.empty()) << view;
    EXPECT_EQ(state.layer, Layer::filter) << view;
    type(state, "<C-u>/mail<Enter>");
    EXPECT_EQ(state.view, View::found) << view;
    EXPECT_GT(list_size(state), 0U) << view;
    type(state, "<Esc>");
    type(state, view + std::string("/mail<Esc>"));
    EXPECT_EQ(state.view, static_cast<View>(view - '1'));
  }
}

// What the rows of a view other than the tree say, without sizes.
std::string shown_rows(const State& state) {
  std::string rows;
  for (std::size_t i = 0; i < list_size(state); ++i) {
    const std::string text = row_text(state, i);
    rows += (rows.empty() ? "" : "; ") + text.substr(text.find("  ") + 2);
  }
  return rows;
}

TEST(Press, ASlashFiltersTheRowsOfAViewOfSums) {
  State state = sample_state();
  type(state, "3/.rl");
  EXPECT_EQ(shown_rows(state), ".rlib, 60 entries");
  type(state, "<Enter><Enter>");
  EXPECT_EQ(state.view, View::found);
  EXPECT_EQ(list_size(state), 60U);
  type(state, "5/<C-u>group*<Enter>");
  for (std::size_t i = 0; i < list_size(state); ++i) {
    EXPECT_NE(row_text(state, i).find("group "), std::string::npos);
  }
  type(state, "<Esc>");
  EXPECT_NE(shown_rows(state).find("user "), std::string::npos);
}

TEST(Press, AFilterOfSumsKeepsRowsOfThoseThatComeLater) {
  State state = sample_state();
  for (const Key& key : keys_of("3/.rl<Enter>")) static_cast<void>(press(state, key));
  EXPECT_EQ(list_size(state), 0U);  // the sums are not known yet
  supply_extras(state);
  EXPECT_EQ(shown_rows(state), ".rlib, 60 entries");
  take_extras(state, std::make_shared<const Extras>(flat_facts(10), fs::Measure::disk));
  EXPECT_EQ(list_size(state), 0U);  // there, no name ends so
}

TEST(Press, ASlashFiltersWhatASearchFoundByPathOrRule) {
  State state = sample_state();
  type(state, "6/web/<Enter>");
  EXPECT_EQ(list_size(state), 2U);  // the heading, and
  EXPECT_NE(shown_rows(state).find("old/web/node_modules/"), std::string::npos);
  type(state, "/<C-u>cargo");
  EXPECT_NE(shown_rows(state).find("shop/target/"), std::string::npos);
  type(state, "zzz");
  EXPECT_EQ(list_size(state), 0U);
  type(state, "<Esc>");
  EXPECT_EQ(filter_text(state), "web/");
  type(state, "7/gone");
  EXPECT_EQ(list_size(state), 0U);
  type(state, "<C-u>dist");
  EXPECT_NE(shown_rows(state).find("old/web/dist"), std::string::npos);
}

TEST(Press, EscapeEndsTheFilterAndStaysOnTheEntry) {
  State state = sample_state();
  type(state, "6");
  const std::size_t all = list_size(state);
  type(state, "/disk<Enter>j<Esc>");
  EXPECT_EQ(list_size(state), all);
  EXPECT_NE(row_text(state, state.cursor().at).find("disk-5.qcow2"), std::string::npos);
  EXPECT_EQ(state.view, View::clean);
}

TEST(Press, AHeadingStandsForWhatTheFilterHasLeftOfItsGroup) {
  State state = sample_state();
  type(state, "6/node<Enter>d");
  EXPECT_EQ(planned_names(state), "node_modules");
  type(state, "d/<C-u>empty<Enter>X");
  EXPECT_TRUE(state.marks.empty());  // what is safe is not shown
}

TEST(Press, EqualFilesStayTogetherUnderAFilter) {
  State state = sample_state();
  type(state, "8/disk-2<Enter><Enter>");
  EXPECT_EQ(list_size(state), 4U);
  type(state, "gd");
  EXPECT_EQ(planned_names(state), "disk-1.qcow2 disk-2.qcow2");
}

TEST(Press, AReasonIsCutBetweenCharacters) {
  const std::string wide = "大";
  State state = sample_state();
  std::string why = "/";
  for (int i = 0; i < 100; ++i) why += wide;
  static_cast<void>(press(state, {Key::Kind::text, "7"}));
  fail_search(state, Search::growth, why);
  const std::string text = text_of(draw(state));
  int shown = 0;
  for (std::size_t at = 0; (at = text.find(wide, at)) != std::string::npos; ++at) ++shown;
  EXPECT_EQ(shown, 100);
}

TEST(Press, TheFilterStaysWhenASearchIsDoneAgainAndEndsInAnotherView) {
  State state = sample_state();
  type(state, "6/node<Enter>r");
  EXPECT_EQ(list_size(state), 2U);
  type(state, "76");
  EXPECT_EQ(filter_text(state), "");
  EXPECT_GT(list_size(state), 2U);
  type(state, "3/rl<Enter>");
  take_facts(state, sample_facts(true));
  supply_extras(state);
  EXPECT_EQ(list_size(state), 1U);
}

TEST(Press, AnEmptyPlanSaysWhyItIsNeitherAppliedNorMovedBack) {
  State state = sample_state();
  state.settings.can_apply = true;
  type(state, "PA");
  EXPECT_NE(state.message.find("the plan is empty"), std::string::npos);
  type(state, "U");
  EXPECT_NE(state.message.find("nothing to move back"), std::string::npos);
}

TEST(Press, AnEntryGoesToTheQuarantineOrToTheTrash) {
  State state = sample_state();
  type(state, "djD");
  ASSERT_EQ(chosen_in(state, basket_to_write(state)).size(), 2U);
  EXPECT_EQ(chosen_in(state, basket_to_write(state))[0].action, act::Action::quarantine);
  EXPECT_EQ(chosen_in(state, basket_to_write(state))[1].action, act::Action::trash);
  type(state, "d");  // another destination
  EXPECT_EQ(chosen_in(state, basket_to_write(state))[1].action, act::Action::quarantine);
  type(state, "DD");
  EXPECT_EQ(chosen_in(state, basket_to_write(state)).size(), 1U);
  EXPECT_TRUE(state.trash.empty());
}

TEST(Press, WhatWasNotMovedStaysInThePlanWithItsReason) {
  State state = sample_state();
  type(state, "djdjd");
  ApplyReport report{
      .moved = 2, .trashed = 0, .left = {{1, "it is busy"}}, .undoable = Undoable::last};
  take_applied(state, report);
  EXPECT_EQ(state.facts->path(take_outdated(state)), "/home/ada/code");
  EXPECT_EQ(planned_names(state), "shop");
  EXPECT_EQ(state.why_left.begin()->second, "it is busy");
  EXPECT_EQ(state.undoable, Undoable::last);
  EXPECT_EQ(applied_text(state, report, "U", "P"),
            "Moved 2 items; U moves them back. 1 was not: P shows why");
  type(state, "Px");
  EXPECT_TRUE(state.why_left.empty());
}

TEST(Press, OnlyTheWordDeleteDeletesThePlan) {
  State state = sample_state();
  state.settings.can_apply = true;
  type(state, "dPAD");
  EXPECT_EQ(state.layer, Layer::remove);
  for (const char* keys :
       {"<Enter>", "y<Enter>", "delet<Enter>", "deletee<Enter>", "Delete<Enter>"}) {
    EXPECT_EQ(type(state, keys).kind, Effect::Kind::none) << keys;
    EXPECT_EQ(state.layer, Layer::plan) << keys;
    EXPECT_EQ(state.message, "nothing was deleted: only the word delete agrees") << keys;
    type(state, "AD");
  }
  EXPECT_EQ(type(state, "delete<Esc><Enter>").kind, Effect::Kind::none);
  type(state, "P");
  EXPECT_EQ(type(state, "ADdelete<Enter>").kind, Effect::Kind::remove);
}

TEST(Press, APlanThatCannotBeAppliedCannotBeDeleted) {
  for (const bool read_only : {true, false}) {
    State state = sample_state();
    state.settings.read_only = read_only;
    EXPECT_EQ(type(state, "dPADdelete<Enter>").kind, Effect::Kind::none);
    EXPECT_NE(state.layer, Layer::remove);
  }
}

TEST(Press, AQuestionIsClosedIfItsPlanIsScannedAgainAndMarksAreNoPlan) {
  for (const char* question : {"A", "ADdelete"}) {
    State state = sample_state();
    state.settings.can_apply = true;
    type(state, "djj P");
    type(state, question);
    renew(state);
    EXPECT_EQ(state.message, "a scan has ended and may have changed the plan: press A again");
    EXPECT_EQ(state.layer, Layer::plan);
    EXPECT_EQ(type(state, "y").kind, Effect::Kind::none);
    EXPECT_EQ(type(state, "<Enter>").kind, Effect::Kind::none);
    state.plan = {};
    ASSERT_FALSE(state.marks.empty());
    EXPECT_TRUE(chosen_in(state, state.plan).empty());
    EXPECT_TRUE(chosen_to_delete(state).empty());
  }
}

TEST(Press, NothingIsDeletedOfWhichAPartIsNotShownOrThatIsBeingScanned) {
  State state = sample_state();
  state.settings.can_apply = true;
  type(state, "dPA");
  state.settings.sees_all = false;
  EXPECT_EQ(type(state, "Ddelete<Enter>").kind, Effect::Kind::none);
  state.settings.sees_all = true;
  state.layer = Layer::apply;
  state.progress.running = true;
  type(state, "D");
  EXPECT_EQ(state.message, "a scan is running: delete when it has ended");
  EXPECT_NE(state.layer, Layer::remove);
}

TEST(Press, TheQuestionBeforeADeletionSaysWhatItFreesAndThatItIsFinal) {
  State state = sample_state();
  type(state, "jdj");
  EXPECT_EQ(remove_question(state, "U"),
            (std::vector<std::string>{"Delete the plan for good?", "1 item, 124 entries",
                                      "This frees 38 GiB.", "This is final: U cannot undo it.",
                                      "Type delete, then Enter    Esc: no"}));
  state.planned_sums.reset();
  EXPECT_EQ(remove_question(state, "U")[2], "What this frees is not known yet.");
  type(state, "D");
  const std::vector<act::Chosen> chosen = chosen_to_delete(state);
  ASSERT_EQ(chosen.size(), 2U);
  for (const act::Chosen& one : chosen) EXPECT_EQ(one.action, act::Action::remove);
}

TEST(Press, WhatWasDeletedCannotBeMovedBackButWhatWasMovedBeforeCan) {
  State state = sample_state();
  type(state, "djd");
  ApplyReport report{.moved = 1, .left = {{1, "it is busy"}}};
  report.freed = {.now = 5 * kMiB, .later = kMiB};
  take_applied(state, report);
  EXPECT_EQ(applied_text(state, report, "U", "P"),
            "Deleted 1 item for good; freed 5.0 MiB, and 1.0 MiB once programs close these files. "
            "1 was not: P shows why");
  EXPECT_EQ(state.facts->path(take_outdated(state)), "/home/ada/code");
  type(state, "U");
  EXPECT_EQ(state.message, "there is nothing to move back: what was deleted is gone for good");
  EXPECT_EQ(applied_text(state,
                         {.moved = 0,
                          .left = {{0, "1 entry in it stays"}},
                          .freed = FreedBytes{.now = 5 * kMiB, .later = 0}},
                         "U", "P"),
            "Nothing was deleted completely, but 5.0 MiB were freed; P shows why: 1 entry in it "
            "stays");
  state.undoable = Undoable::earlier;
  type(state, "U");
  EXPECT_EQ(undo_question(state)[1], "What was deleted is gone for good.");
  EXPECT_EQ(type(state, "y").kind, Effect::Kind::undo);
}

TEST(Press, EachQuestionSaysWhatIsMovedBackNext) {
  State state = sample_state();
  const auto question = [&] {
    type(state, "U");
    const bool asks = state.layer == Layer::undo;
    const std::string said = asks ? undo_question(state).front() : state.message;
    type(state, "<Esc>");
    return said;
  };
  take_applied(state, {.moved = 1, .undoable = Undoable::last});
  EXPECT_EQ(question(), "Move back what was applied last?");
  const UndoReport first{"1 item moved back", Undoable::earlier};
  take_undone(state, first);
  EXPECT_EQ(undone_text(first, "U"), "1 item moved back; U moves back what was applied before");
  EXPECT_EQ(question(), "Move back what was applied before that?");
  const UndoReport second{"0 items moved back; 1 not: it is busy", Undoable::refused};
  take_undone(state, second);
  EXPECT_EQ(undone_text(second, "U"), "0 items moved back; 1 not: it is busy; U tries again");
  EXPECT_EQ(question(), "Try again to move back what stayed?");
  const UndoReport third{"1 item moved back", Undoable::nothing};
  take_undone(state, third);
  EXPECT_EQ(undone_text(third, "U"), "1 item moved back");
  EXPECT_EQ(question(), "there is nothing to move back");
}

TEST(Press, WhatWasMovedIsScannedAgainAfterTheScanThatRuns) {
  State state = sample_state();
  state.progress.running = true;
  type(state, "//disk-1<Enter>d");
  take_applied(state, {});
  EXPECT_EQ(take_outdated(state), fs::kNoDir);
  state.progress.running = false;
  renew(state);
  EXPECT_EQ(state.facts->path(take_outdated(state)), "/home/ada/code/vm");
  EXPECT_EQ(take_outdated(state), fs::kNoDir);
  take_undone(state, {});
  EXPECT_EQ(state.facts->path(take_outdated(state)), "/home/ada/code");
}

TEST(Press, InfoInThePlanHasTheWholeReasonAndAllOfItCanBeReached) {
  const std::string why = "the reason is long, " + std::string(600, 'x') + ", and ends here";
  State state = sample_state();
  take_size(state, 60, 10);
  type(state, "d");
  take_applied(state, {.left = {{0, why}}});
  type(state, "Pi");
  std::string seen;
  for (int page = 0; page < 20; ++page, type(state, "<PgDn>")) seen += words_of(state);
  EXPECT_NE(seen.find("thereasonislong"), std::string::npos);
  EXPECT_NE(seen.find("andendshere"), std::string::npos);
  EXPECT_NE(seen.find("Owner"), std::string::npos);
  type(state, "q");
  EXPECT_EQ(state.layer, Layer::plan);
}

TEST(Press, InfoScrollsToItsEndAndBackAtOnce) {
  State state = sample_state();
  take_size(state, 60, 10);
  type(state, "ji");
  type(state, "<PgDn><PgDn><PgDn><PgDn><PgDn><PgDn><PgDn><PgDn>");
  EXPECT_NE(words_of(state).find("Inode"), std::string::npos);
  EXPECT_EQ(words_of(state).find("Path"), std::string::npos);
  const std::string bottom = words_of(state);
  type(state, "<PgUp>");
  EXPECT_NE(words_of(state), bottom);
  type(state, "<PgDn>j");
  EXPECT_NE(words_of(state).find("Path/home/ada/code/old"), std::string::npos);
  EXPECT_EQ(state.scroll, 0U);
}

TEST(Press, AfterAFailureTheWholePlanStays) {
  State state = sample_state();
  type(state, "dj");
  take_applied(state, {.left = {{0, "the disk is full"}}});
  EXPECT_EQ(take_outdated(state), fs::kNoDir);
  EXPECT_EQ(planned_names(state), "vm");
  EXPECT_EQ(state.undoable, Undoable::nothing);
}

TEST(Press, ARowThatIsLeftOutDoesNotCountUntilItIsTakenBack) {
  State state = sample_state();
  const std::uint64_t most = state.listing.largest();
  type(state, "I");
  EXPECT_EQ(left_out_here(state).rows, 1U);
  EXPECT_EQ(left_out_here(state).bytes, most);
  EXPECT_LT(state.listing.largest(), most);
  type(state, "l");
  EXPECT_EQ(left_out_here(state).rows, 0U);  // it counts everywhere else
  type(state, "h");
  EXPECT_EQ(left_out_here(state).rows, 1U);
  type(state, "I");
  EXPECT_EQ(left_out_here(state).rows, 0U);
  EXPECT_EQ(state.listing.largest(), most);
}

TEST(Press, TheMapHasTheEntriesOfTheDirectory) {
  State state = sample_state();
  type(state, "T");
  ASSERT_GT(state.map.boxes.size(), 5U);
  EXPECT_EQ(state.facts->tree().name(state.map.boxes[0].node), "vm");
  type(state, "Il");  // left out of the sums, and of the map; then what is in it
  EXPECT_EQ(state.map.boxes.size(), 6U);
  type(state, "h");
  EXPECT_EQ(state.facts->tree().name(state.map.boxes[0].node), "shop");
  type(state, "T");
  EXPECT_TRUE(state.map.boxes.empty());
}

TEST(Press, ASearchIsEndedBeforeTheProgram) {
  State state = sample_state();
  static_cast<void>(press(state, {Key::Kind::text, "6"}));
  begin_search(state, Search::clean);
  EXPECT_EQ(press(state, {Key::Kind::control, "c"}).kind, Effect::Kind::cancel_searches);
  EXPECT_EQ(press(state, {Key::Kind::control, "c"}).kind, Effect::Kind::quit);
}

TEST(Press, FindingsOfAnEarlierScanAreForgotten) {
  State state = sample_state();
  type(state, "6");
  EXPECT_NE(state.search(Search::clean).findings(), nullptr);
  take_facts(state, sample_facts());
  EXPECT_EQ(state.search(Search::clean).findings(), nullptr);
  EXPECT_EQ(wanted_search(state), Search::clean);
  take_findings(state, Search::clean, sample_clean(sample_facts()));
  EXPECT_EQ(state.search(Search::clean).findings(), nullptr);
}

TEST(Press, ASavedScanIsNotSearched) {
  State state = sample_state();
  state.settings.saved = true;
  for (const char* key : {"6", "X", "7", "8"}) {
    static_cast<void>(press(state, {Key::Kind::text, key}));
    EXPECT_EQ(wanted_search(state), std::nullopt) << key;
  }
}

TEST(Press, ReadOnlyHasNoShell) {
  State state = sample_state();
  EXPECT_EQ(type(state, "b").kind, Effect::Kind::shell);
  state.settings.read_only = true;
  EXPECT_EQ(type(state, "b").kind, Effect::Kind::none);
}

TEST(Press, ANewSnapshotKeepsTheSelectedEntry) {
  State state = sample_state();
  type(state, "njj ");
  const std::string name = selected_name(state);
  take_facts(state, sample_facts(true));
  EXPECT_EQ(selected_name(state), name);
  EXPECT_EQ(state.marks.size(), 1U);
}

TEST(Press, WritesThePlanOrElseTheMarks) {
  State state = sample_state();
  EXPECT_EQ(type(state, "W").kind, Effect::Kind::none);
  const Effect effect = type(state, " W<C-u>list<Enter>");
  EXPECT_EQ(effect.kind, Effect::Kind::write);
  EXPECT_EQ(effect.text, "list");
  EXPECT_EQ(paths_to_write(state), std::vector<std::string>{"/home/ada/code/vm"});
  EXPECT_EQ(chosen_in(state, basket_to_write(state)).at(0).path, "/home/ada/code/vm");
}

TEST(Press, TheNameOfTheFileDecidesWhetherAPlanIsWritten) {
  State state = sample_state();
  const Effect effect = type(state, "dW<Enter>");
  EXPECT_EQ(effect.kind, Effect::Kind::write_plan);
  EXPECT_EQ(effect.text, "fathom.plan");
  EXPECT_EQ(type(state, "W<C-u>list<Enter>").kind, Effect::Kind::write);
  state.settings.can_plan = false;
  EXPECT_EQ(type(state, "W<C-u>my.plan<Enter>").kind, Effect::Kind::write);
}

TEST(Press, ThePlanSaysWhatIsNotInTheFile) {
  State state = sample_state();
  type(state, "djd");
  const WriteReport report = {.items = 1, .left = {{1, "it has changed"}}};
  EXPECT_EQ(written_text(report, "/x.plan"),
            "wrote 1 of 2 items to /x.plan; the other was left out: it has changed");
  take_written(state, report);
  type(state, "Pj");
  EXPECT_NE(text_of(draw(state)).find("left out: it has changed"), std::string::npos);
}

Key random_key(std::minstd_rand& random) {
  constexpr std::string_view kTexts =
      "jjjkkkllhhgG12345678snCMtaceumowxVv*dDXITUAPWiby r?/q</\\:!zZ019.";
  if (random() % 4 != 0) return {Key::Kind::text, std::string(1, kTexts[random() % kTexts.size()])};
  if (random() % 5 == 0) {
    return {Key::Kind::control, std::string(1, static_cast<char>('a' + random() % 26))};
  }
  const auto last = static_cast<unsigned>(Key::Kind::none);
  return {static_cast<Key::Kind>(random() % (last + 1)), ""};
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRandomKeys = 20'000;  // each takes twenty times as long
#else
constexpr int kRandomKeys = 100'000;
#endif

// Nothing that any key does may break the state, and nothing but the plan's questions may apply
// it.
TEST(Press, RandomKeysKeepTheStateInOrder) {
  std::minstd_rand random(11);
  State state = sample_state();
  state.settings.can_apply = true;
  for (int i = 0; i < kRandomKeys; ++i) {
    const Layer before = state.layer;
    const std::string prompt = state.prompt;
    const Key key = random_key(random);
    const Effect effect = press(state, key);
    if (effect.kind == Effect::Kind::apply) {
      ASSERT_EQ(before, Layer::apply);
      ASSERT_EQ(key.text, "y");
    }
    if (effect.kind == Effect::Kind::remove) {
      ASSERT_EQ(before, Layer::remove);
      ASSERT_EQ(prompt, "delete");
    }
    if (i % 5 == 0) {
      click(state, target_at(state, static_cast<unsigned>(random() % 200),
                             static_cast<unsigned>(random() % 60)));
    }
    if (i % 13 == 0) supply_extras(state);
    if (i % 17 == 0) supply_findings(state);
    if (i % 997 == 0) take_facts(state, sample_facts(random() % 2 == 0));
    if (i % 991 == 0) renew(state);
    if (i % 499 == 0) {
      take_size(state, static_cast<unsigned>(random() % 310),
                static_cast<unsigned>(random() % 105));
    }
    ASSERT_TRUE(list_size(state) == 0 || state.cursor().at < list_size(state)) << i;
    if (i % 7 == 0) (void)draw(state);
  }
}

}  // namespace
}  // namespace fathom::tui
