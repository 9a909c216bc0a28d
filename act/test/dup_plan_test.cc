// Plans: which files are kept and acted on, and that the text says exactly this.

#include "fathom/act/dup_plan.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::act {
namespace {

using testing::TempTree;

// A scan, and groups of its files that a test puts together.
class Planned : public ::testing::Test {
 protected:
  // A file with that mtime.
  void file(const std::string& path, std::int64_t mtime = 1'000'000) {
    tree_.write(path, "12345");
    tree_.mtime(path, mtime);
  }

  void scan_roots(const std::vector<std::string>& roots) {
    fs::ScanOptions options;
    for (const std::string& root : roots) {
      options.roots.push_back(root == "." ? tree_.path() : tree_.path(root));
    }
    scan_ = fs::scan(options);
    nodes_.clear();
    scan_.tree.for_each_node([&](fs::NodeId node) { nodes_[scan_.tree.path(node)] = node; });
  }

  // A group of inodes, each with its names; the inodes of each storage share their blocks.
  void group(const std::vector<std::vector<std::string>>& files,
             const std::vector<std::uint32_t>& storages = {}) {
    fs::DuplicateGroup group;
    group.size = 5;
    for (std::size_t i = 0; i < files.size(); ++i) {
      fs::DuplicateFile file;
      file.node = nodes_.at(tree_.path(files[i].front()));
      const fs::Entry entry = scan_.tree.entry(file.node);
      file.identity = {entry.device, entry.inode, entry.size, entry.mtime * 1'000'000'000,
                       entry.mtime * 1'000'000'000};
      file.storage = storages.empty() ? static_cast<std::uint32_t>(i) : storages[i];
      for (std::size_t link = 1; link < files[i].size(); ++link) {
        file.links.push_back(nodes_.at(tree_.path(files[i][link])));
      }
      group.files.push_back(std::move(file));
    }
    same_.groups.push_back(std::move(group));
  }

  DupPlan make(DupAction action, std::string_view rule) const {
    PlanOptions options;
    options.action = action;
    options.keep = parse_keep_rule(rule).value();
    options.roots = scan_.roots;
    options.looked_ns = 1'234'567'890'123'456'789;
    return make_plan(scan_.tree, same_, options);
  }

  // "kept < one two", for each group.
  std::vector<std::string> decisions(DupAction action, std::string_view rule) const {
    std::vector<std::string> lines;
    for (const PlanGroup& group : make(action, rule).groups) {
      std::string line = group.kept.path + " <";
      for (const PlanFile& file : group.acts) line += ' ' + file.path;
      lines.push_back(line);
    }
    return lines;
  }

  TempTree tree_;
  fs::Scan scan_;
  std::map<std::string, fs::NodeId> nodes_;
  fs::Duplicates same_;
};

using Lines = std::vector<std::string>;

std::string text_of(const DupPlan& plan) {
  std::string text;
  write_plan(plan, [&](std::string_view block) {
    text += block;
    return true;
  });
  return text;
}

DupPlan read(const std::string& text) {
  return read_dup_plan(fs::text_source(text));
}

TEST_F(Planned, ARuleDecidesWhichFileIsKept) {
  file("b/long name", 300);
  file("a/old", 100);
  file("c/x", 200);
  scan_roots({"."});
  group({{"a/old"}, {"b/long name"}, {"c/x"}});
  const auto kept = [&](std::string_view rule) {
    return make(DupAction::remove, rule).groups[0].kept.path;
  };
  EXPECT_EQ(kept("first"), "a/old");
  EXPECT_EQ(kept("oldest"), "a/old");
  EXPECT_EQ(kept("newest"), "b/long name");
  EXPECT_EQ(kept("shortest"), "c/x");
  EXPECT_EQ(kept("glob:c/**"), "c/x");
  EXPECT_EQ(decisions(DupAction::remove, "newest"), Lines{"b/long name < a/old c/x"});
}

TEST_F(Planned, AmongEquallyGoodFilesTheSmallestPathIsKept) {
  file("b");
  file("a");
  file("c");
  scan_roots({"."});
  group({{"a"}, {"b"}, {"c"}});
  for (const char* rule : {"first", "oldest", "newest", "shortest", "order", "glob:*"}) {
    EXPECT_EQ(make(DupAction::remove, rule).groups.empty()
                  ? "a"
                  : make(DupAction::remove, rule).groups[0].kept.path,
              "a")
        << rule;
  }
}

TEST_F(Planned, TheOrderOfTheArgumentsDecides) {
  file("one/z");
  file("two/a");
  for (const bool reversed : {false, true}) {
    same_ = {};
    scan_roots(reversed ? Lines{"two", "one"} : Lines{"one", "two"});
    group({{"one/z"}, {"two/a"}});
    const DupPlan plan = make(DupAction::hardlink, "order");
    ASSERT_EQ(plan.groups.size(), 1U);
    EXPECT_EQ(plan.groups[0].kept.path, reversed ? "a" : "z");
    EXPECT_EQ(plan.groups[0].kept.root, 0U);
    EXPECT_EQ(plan.groups[0].acts[0].root, 1U);
  }
}

TEST_F(Planned, EveryGlobMatchIsKept) {
  file("keep/a");
  file("keep/b");
  file("c");
  file("d");
  file("e");
  scan_roots({"."});
  group({{"keep/a"}, {"keep/b"}, {"c"}});
  group({{"d"}, {"e"}});  // no rule applies
  EXPECT_EQ(decisions(DupAction::remove, "glob:keep/**"), Lines{"keep/a < c"});
  EXPECT_EQ(decisions(DupAction::remove, "glob:nothing"), Lines{});
}

TEST_F(Planned, AGlobThatMatchesADirectoryKeepsEverythingInIt) {
  file("a/keep/below/x");
  file("b/y");
  scan_roots({"."});
  group({{"a/keep/below/x"}, {"b/y"}});
  for (const char* glob : {"glob:keep", "glob:keep/", "glob:/a/keep/", "glob:a/*"}) {
    EXPECT_EQ(decisions(DupAction::remove, glob), Lines{"a/keep/below/x < b/y"}) << glob;
  }
}

TEST_F(Planned, RemainsOfAKilledRunAreNeitherKeptNorActedOn) {
  const std::string left = ".fathom-dups-0123456789abcdef-12";
  for (const char* name : {"a", "b", "c", ".fathom-dups-notes.old"}) file(name);
  file(left + ".old");
  file("sub/" + left + ".new");
  tree_.hardlink("b", "sub/" + left + ".old");
  scan_roots({"."});
  group({{left + ".old"}, {"a"}, {"b", "sub/" + left + ".old"}});
  group({{"sub/" + left + ".new"}, {"c"}});    // only one is left
  group({{".fathom-dups-notes.old"}, {"c"}});  // not a name that a run creates
  for (const char* rule : {"first", "newest", "glob:*"}) {
    for (const PlanGroup& group : make(DupAction::remove, rule).groups) {
      EXPECT_EQ(group.kept.path.find(left), std::string::npos) << rule;
      for (const PlanFile& file : group.acts) {
        EXPECT_EQ(file.path.find(left), std::string::npos) << rule;
      }
    }
  }
  EXPECT_EQ(decisions(DupAction::remove, "first"), (Lines{"a < b", ".fathom-dups-notes.old < c"}));
  PlanOptions options;
  options.roots = scan_.roots;
  EXPECT_EQ(kept_files(scan_.tree, same_, options),
            (std::vector<std::uint32_t>{1, fs::kNoneKept, 0}));
}

TEST_F(Planned, AGroupWithoutAGlobMatchIsLeftAlone) {
  for (const char* name : {"a", "b", "c", "d"}) file(name);
  scan_roots({"."});
  group({{"a"}, {"b"}});
  group({{"c"}, {"d"}});
  PlanOptions options;
  options.roots = scan_.roots;
  options.keep = parse_keep_rule("glob:d").value();
  EXPECT_EQ(kept_files(scan_.tree, same_, options), (std::vector<std::uint32_t>{fs::kNoneKept, 1}));
}

// The reader accepts lines up to 1 MiB: a longer one is not written.
TEST_F(Planned, NamesTooLongForALineAreSkipped) {
  const auto entry = [](unsigned mode) {
    return fs::Entry{
        .size = 5, .inode = 1, .device = 1, .links = 1, .mode = static_cast<std::uint16_t>(mode)};
  };
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  fs::DuplicateGroup same;
  same.size = 5;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto add = [&](fs::DirId folder, const char* name) {
      fs::DuplicateFile file;
      file.node = rows.add(folder, name, entry(S_IFREG | 0644));
      file.identity = {1, same.files.size() + 1, 5, 0, 0};
      file.storage = static_cast<std::uint32_t>(same.files.size());
      same.files.push_back(std::move(file));
    };
    auto folder = rows.add_directory(fs::kNoDir, 0, "/t", entry(S_IFDIR | 0755));
    root = folder.node;
    add(folder.id, "a");
    add(folder.id, "b");
    // Each of these bytes takes 6 in JSON.
    for (std::uint32_t depth = 1; depth <= 690; ++depth) {
      folder = rows.add_directory(folder.id, depth, std::string(255, '\1'), entry(S_IFDIR | 0755));
      if (depth == 680) add(folder.id, "long");
    }
    add(folder.id, "too long");
  }
  same_.groups.push_back(std::move(same));
  const fs::Tree tree = builder.finish({root});
  PlanOptions options;
  options.roots = {"/t"};
  const DupPlan plan = make_plan(tree, same_, options);
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].acts.size(), 2U);
  EXPECT_EQ(plan.too_long, 1U);
  EXPECT_EQ(read(text_of(plan)).groups, plan.groups);
}

TEST_F(Planned, EveryNameOfAFileIsActedOn) {
  file("a");
  tree_.hardlink("a", "a2");
  file("b");
  tree_.hardlink("b", "b2");
  scan_roots({"."});
  group({{"a", "a2"}, {"b", "b2"}});
  EXPECT_EQ(decisions(DupAction::hardlink, "first"), Lines{"a < b b2"});
  EXPECT_EQ(decisions(DupAction::remove, "first"), Lines{"a < b b2"});
  // It has one set of blocks, whatever its names.
  EXPECT_EQ(decisions(DupAction::reflink, "first"), Lines{"a < b"});
}

TEST_F(Planned, SharedBlocksAreNotSharedAgain) {
  file("a");
  file("b");
  file("c");
  scan_roots({"."});
  group({{"a"}, {"b"}, {"c"}}, {0, 0, 1});
  EXPECT_EQ(decisions(DupAction::reflink, "first"), Lines{"a < c"});
  EXPECT_EQ(decisions(DupAction::hardlink, "first"), Lines{"a < b c"});
}

TEST_F(Planned, FilesystemsAreNotJoined) {
  for (const char* name : {"a", "b", "c", "d", "e"}) file(name);
  scan_roots({"."});
  group({{"a"}, {"b"}, {"c"}, {"d"}, {"e"}});
  same_.groups[0].files[1].identity.device += 1;
  same_.groups[0].files[3].identity.device += 1;
  same_.groups[0].files[4].identity.device += 2;
  EXPECT_EQ(decisions(DupAction::hardlink, "first"), (Lines{"a < c", "b < d"}));
  EXPECT_EQ(decisions(DupAction::reflink, "first"), (Lines{"a < c", "b < d"}));
  EXPECT_EQ(decisions(DupAction::remove, "first"), Lines{"a < b c d e"});
}

// It may be deleted at any time.
TEST_F(Planned, FilesBelowTheQuarantineAreNeitherKeptNorActedOn) {
  for (const char* name : {"a", "away/b", "c", "away too/d"}) file(name);
  scan_roots({"."});
  group({{"away/b"}, {"a"}, {"c"}, {"away too/d"}});
  PlanOptions options;
  options.action = DupAction::quarantine;
  options.roots = scan_.roots;
  options.quarantine = tree_.path("away");
  const DupPlan plan = make_plan(scan_.tree, same_, options);
  EXPECT_EQ(plan.quarantine, options.quarantine);
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].kept.path, "a");
  ASSERT_EQ(plan.groups[0].acts.size(), 2U);
  EXPECT_EQ(kept_files(scan_.tree, same_, options), std::vector<std::uint32_t>{1});
}

TEST_F(Planned, ARootThatIsAFileIsInItsDirectory) {
  file("dir/a");
  file("b");
  scan_roots({"dir/a", "b"});
  group({{"dir/a"}, {"b"}});
  const DupPlan plan = make(DupAction::hardlink, "order");
  EXPECT_EQ(plan.roots, (Lines{tree_.path("dir"), tree_.path()}));
  EXPECT_EQ(decisions(DupAction::hardlink, "order"), Lines{"a < b"});
  EXPECT_FALSE(flaw_of(plan));
}

TEST_F(Planned, AllRootsAreNamed) {
  file("a");
  scan_roots({"."});
  EXPECT_THROW((void)make_plan(scan_.tree, same_, {}), base::Error);
}

// ---- The text ----

PlanFile some_file(const std::string& path, std::uint64_t inode) {
  return {0, path, {7, inode, 5, -1, 1'234'567'890'123'456'789}};
}

DupPlan some_plan() {
  DupPlan plan;
  plan.action = DupAction::quarantine;
  plan.keep = {KeepRule::By::glob, "*.\xff"};
  plan.roots = {"/srv", "/home/\xfe"};
  plan.looked_ns = -5;
  plan.groups = {
      {some_file("a \"quoted\"\n", 1), {some_file("not \xc3 UTF-8", 2), some_file("c", 3)}},
      {some_file("d", std::uint64_t{1} << 63), {some_file("\xe2\x82\xac", 5)}},
  };
  plan.groups[1].acts[0].root = 1;
  return plan;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::string complaint_about(const std::string& text) {
  try {
    (void)read(text);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(PlanText, IsReadBackAsItWasWritten) {
  const DupPlan plan = some_plan();
  const DupPlan again = read(text_of(plan));
  EXPECT_EQ(again.action, plan.action);
  EXPECT_EQ(to_string(again.keep), to_string(plan.keep));
  EXPECT_EQ(again.roots, plan.roots);
  EXPECT_EQ(again.looked_ns, plan.looked_ns);
  EXPECT_EQ(again.groups, plan.groups);
  EXPECT_EQ(text_of(again), text_of(plan));
  EXPECT_EQ(plan.acts(), 3U);
}

// With everything that a check adds.
DupPlan checked_plan() {
  DupPlan plan = some_plan();
  plan.quarantine = "/away/\xfd";
  plan.sums = PlanSums{3, 4096, 8192};
  plan.groups[1].skipped = {{some_file("e", 6), "the owner differs"},
                            {some_file("f", 7), "the extended attribute user.\xfe differs"}};
  return plan;
}

TEST(PlanText, HasTheResultsOfACheck) {
  const DupPlan plan = checked_plan();
  const Lines lines = lines_of(text_of(plan));
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_NE(lines[0].find("\"quarantine\":\"/away/\xef\xbf\xbd\",\"quarantine_b64\":"),
            lines[0].npos);
  EXPECT_NE(lines[0].find("\"files\":3,\"freed_bytes\":4096,\"held_bytes\":8192}"), lines[0].npos);
  EXPECT_EQ(lines[6],
            "{\"group\":2,\"do\":\"skip\",\"root\":0,\"path\":\"e\",\"size\":5,\"device\":7,"
            "\"inode\":6,\"mtime_ns\":-1,\"ctime_ns\":1234567890123456789,"
            "\"reason\":\"the owner differs\"}");
  EXPECT_EQ(lines[8], "{\"end\":3}");
  const DupPlan again = read(text_of(plan));
  EXPECT_EQ(again.quarantine, plan.quarantine);
  EXPECT_EQ(again.sums, plan.sums);
  EXPECT_EQ(again.groups, plan.groups);
  EXPECT_EQ(text_of(again), text_of(plan));
}

// Its journal has a digest of this text.
TEST(PlanText, OfAnEarlierVersionIsReadAndStaysTheSame) {
  const std::string text =
      "{\"schema\":\"fathom.dups.plan/1\",\"action\":\"quarantine\",\"keep\":\"first\","
      "\"looked_ns\":5,\"roots\":[{\"path\":\"/srv\"}]}\n"
      "{\"group\":1,\"do\":\"keep\",\"root\":0,\"path\":\"a\",\"size\":5,\"device\":7,\"inode\":1,"
      "\"mtime_ns\":-1,\"ctime_ns\":9}\n"
      "{\"group\":1,\"do\":\"quarantine\",\"root\":0,\"path\":\"b\",\"size\":5,\"device\":7,"
      "\"inode\":2,"
      "\"mtime_ns\":-1,\"ctime_ns\":9}\n"
      "{\"end\":1}\n";
  const DupPlan plan = read(text);
  EXPECT_EQ(plan.quarantine, "");
  EXPECT_FALSE(plan.sums);
  EXPECT_EQ(plan.acts(), 1U);
  EXPECT_EQ(text_of(plan), text);
}

TEST(PlanText, MayLackLinesOfSkippedFilesAndTheirGroup) {
  Lines lines = lines_of(text_of(checked_plan()));
  lines.erase(lines.begin() + 6);
  EXPECT_EQ(read(joined(lines)).groups[1].skipped.size(), 1U);
  lines.erase(lines.begin() + 4, lines.begin() + 6);  // the kept file, and the act
  EXPECT_EQ(read(joined(lines)).groups.size(), 1U);
}

TEST(PlanText, OfACheckedPlanIsRefusedIfItContradictsItself) {
  const Lines good = lines_of(text_of(checked_plan()));
  const auto with = [&](std::size_t line, const std::string& from, const std::string& to) {
    Lines lines = good;
    const std::size_t at = lines[line].find(from);
    EXPECT_NE(at, std::string::npos) << from;
    lines[line].replace(at, from.size(), to);
    return complaint_about(joined(lines));
  };
  EXPECT_EQ(with(6, ",\"reason\":\"the owner differs\"", ""), "line 7: \"reason\" is missing");
  EXPECT_EQ(with(3, "\"mtime_ns\":-1", "\"mtime_ns\":-1,\"reason\":\"none\""),
            "line 4: \"reason\" is not expected here");
  EXPECT_EQ(with(6, "\"e\"", "\"d\""), "the plan is invalid: 'd' occurs twice");
  EXPECT_EQ(with(6, "\"e\"", "\"../e\""), "the plan is invalid: '../e' is not a path below a root");
  EXPECT_EQ(with(0, "\"held_bytes\":8192", "\"held_bytes\":\"many\""),
            "line 1: \"held_bytes\" is not a whole number");
  EXPECT_EQ(with(0, "\"files\":3,", ""), "line 1: \"freed_bytes\" is not expected here");
  EXPECT_EQ(with(0, "\"action\":\"quarantine\"", "\"action\":\"remove\""),
            "line 1: \"quarantine\" is not expected here");
  for (const char* path : {"", "away", "/", "/a/../b", "/a/"}) {
    DupPlan plan = checked_plan();
    plan.quarantine = path;
    EXPECT_EQ(flaw_of(plan).has_value(), *path != '\0') << path;
  }
}

TEST(PlanText, ThatIsNotJsonIsNotAPlan) {
  EXPECT_EQ(complaint_about("hello\n"), "line 1 is not valid JSON; this is not a Fathom plan");
  EXPECT_EQ(complaint_about(std::string("\x7f"
                                        "ELF\0\n",
                                        6)),
            "line 1 is not valid JSON; this is not a Fathom plan");
}

TEST(PlanText, IsReadable) {
  const Lines lines = lines_of(text_of(some_plan()));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[3],
            "{\"group\":1,\"do\":\"quarantine\",\"root\":0,\"path\":\"c\",\"size\":5,\"device\":7,"
            "\"inode\":3,\"mtime_ns\":-1,\"ctime_ns\":1234567890123456789}");
  EXPECT_EQ(lines[6], "{\"end\":3}");
}

TEST(PlanText, MayLackLinesOfFilesToLeaveAlone) {
  Lines lines = lines_of(text_of(some_plan()));
  lines.erase(lines.begin() + 2);
  const DupPlan fewer = read(joined(lines));
  ASSERT_EQ(fewer.groups.size(), 2U);
  ASSERT_EQ(fewer.groups[0].acts.size(), 1U);
  EXPECT_EQ(fewer.groups[0].acts[0].path, "c");

  lines.erase(lines.begin() + 1, lines.begin() + 3);  // the rest of the first group
  ASSERT_EQ(read(joined(lines)).groups.size(), 1U);
  EXPECT_EQ(read(joined(lines)).groups[0].kept.path, "d");
}

// Otherwise its files would belong to another group, or to none.
TEST(PlanText, MustHaveTheKeptFile) {
  Lines lines = lines_of(text_of(some_plan()));
  lines.erase(lines.begin() + 4);
  EXPECT_EQ(complaint_about(joined(lines)), "line 5: the kept file of this group is missing");
  lines = lines_of(text_of(some_plan()));
  lines.erase(lines.begin() + 1);
  EXPECT_EQ(complaint_about(joined(lines)), "line 2: the kept file of this group is missing");
}

TEST(PlanText, TruncatedAnywhereIsRefused) {
  const std::string text = text_of(some_plan());
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    EXPECT_NE(complaint_about(text.substr(0, length)), "none") << "cut to " << length;
  }
  EXPECT_EQ(complaint_about(""), "the plan is empty");
  const std::string last = "{\"end\":3}\n";
  EXPECT_EQ(complaint_about(text.substr(0, text.size() - last.size())),
            "the plan is truncated: its last line is missing");
}

TEST(PlanText, ThatIsNotAPlanIsRefusedInOneSentence) {
  const Lines good = lines_of(text_of(some_plan()));
  const auto with = [&](std::size_t line, const std::string& from, const std::string& to) {
    Lines lines = good;
    const std::size_t at = lines[line].find(from);
    EXPECT_NE(at, std::string::npos) << from;
    lines[line].replace(at, from.size(), to);
    return complaint_about(joined(lines));
  };
  EXPECT_EQ(with(0, "fathom.dups.plan/1", "fathom.dups.plan/2"),
            "line 1: the plan was made by a later version (fathom.dups.plan/2)");
  EXPECT_EQ(with(0, "fathom.dups.plan/1", "fathom.scan/1"), "line 1: this is not a Fathom plan");
  EXPECT_EQ(with(0, "\"quarantine\"", "\"shred\""), "line 1: unknown action");
  EXPECT_EQ(with(3, "\"do\":\"quarantine\"", "\"do\":\"remove\""),
            "line 4: the plan's action is not 'remove'");
  EXPECT_EQ(with(3, "\"do\":\"quarantine\"", "\"do\":\"keep\""),
            "line 4: the group keeps two files");
  EXPECT_EQ(with(3, "\"inode\":3", "\"inode\":3.5"), "line 4: \"inode\" has the wrong type");
  EXPECT_EQ(with(3, "\"inode\":3", "\"inode\":-3"), "line 4: \"inode\" is not a whole number");
  EXPECT_EQ(with(3, "\"inode\":3,", ""), "line 4: \"inode\" is missing");
  EXPECT_EQ(with(3, "\"inode\":3", "\"inode\":3,\"inode\":4"), "line 4: \"inode\" occurs twice");
  EXPECT_EQ(with(3, "\"inode\":3", "\"inode\":3,\"force\":1"),
            "line 4: \"force\" is not expected here");
  EXPECT_EQ(with(3, "\"root\":0", "\"root\":2"), "the plan is invalid: unknown root 2");
  EXPECT_EQ(with(3, "\"root\":0", "\"root\":4294967296"), "line 4: unknown root");
  EXPECT_EQ(with(3, "}", ""),
            "line 4 is not valid JSON: Missing a comma or '}' after an object member");
  EXPECT_EQ(with(6, "3", "2"), "the plan has more acts than were written");
  EXPECT_EQ(with(4, "\"group\":2", "\"group\":0"), "line 5: the groups are out of order");
  EXPECT_EQ(with(6, "{\"end\":3}", "{\"end\":3}\n{\"end\":3}"),
            "line 8: unexpected text after the end");
  // The readable form and the bytes must agree.
  EXPECT_NE(with(2, "not \xef\xbf\xbd UTF-8", "not the same"), "none");
  EXPECT_NE(with(2, "_b64\":\"", "_b64\":\"!"), "none");
  EXPECT_NE(complaint_about("[1]\n"), "none");
  EXPECT_NE(complaint_about(std::string(2 << 20, ' ') + '\n'), "none");
  EXPECT_NE(complaint_about(std::string(500'000, '[') + '\n'), "none");
}

TEST(PlanText, WithAnyByteChangedIsRefusedOrSaysSomethingElse) {
  const std::string text = text_of(some_plan());
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'0', '"', '\0', '\xff', '\n', '}', 'z'}) {
      std::string other = text;
      if (other[at] == byte) continue;
      other[at] = byte;
      try {
        EXPECT_NE(text_of(read(other)), text) << at;
      } catch (const base::Error&) {
      }
    }
  }
}

TEST(PlanFlaw, PathsStayBelowTheirRoot) {
  for (const char* path : {"", "/etc/passwd", "../b", "a/../../b", "a/./b", "a//b", "a/", "."}) {
    DupPlan plan = some_plan();
    plan.groups[0].acts[0].path = path;
    EXPECT_TRUE(flaw_of(plan)) << path;
    plan = some_plan();
    plan.groups[0].kept.path = path;
    EXPECT_TRUE(flaw_of(plan)) << path;
  }
  DupPlan plan = some_plan();
  plan.groups[0].acts[0].path = std::string("a\0b", 3);
  EXPECT_TRUE(flaw_of(plan));
  for (const char* root : {"", "srv", "./srv", "/srv/", "/srv/..", "/srv//b"}) {
    plan = some_plan();
    plan.roots[0] = root;
    EXPECT_TRUE(flaw_of(plan)) << root;
  }
  plan.roots[0] = "/";
  EXPECT_FALSE(flaw_of(plan));
}

TEST(PlanFlaw, AFileOccursOnlyOnce) {
  DupPlan plan = some_plan();
  plan.groups[0].acts[1].path = plan.groups[0].acts[0].path;
  EXPECT_TRUE(flaw_of(plan));  // acted on twice
  plan = some_plan();
  plan.groups[0].acts[1] = plan.groups[0].kept;
  EXPECT_TRUE(flaw_of(plan));  // kept, and acted on
  plan = some_plan();
  plan.groups[1].acts[0].identity.inode = plan.groups[0].kept.identity.inode;
  EXPECT_TRUE(flaw_of(plan));  // kept in one group, and acted on in another
  plan = some_plan();
  plan.groups[0].acts[1].identity.inode = plan.groups[0].acts[0].identity.inode;
  EXPECT_FALSE(flaw_of(plan));  // two names of one file
  plan = some_plan();
  plan.groups[0].acts[0].identity.size = 6;
  EXPECT_TRUE(flaw_of(plan));
}

TEST(KeepRules, HaveNames) {
  for (const char* rule : {"first", "oldest", "newest", "shortest", "order", "glob:*.bak"}) {
    EXPECT_EQ(to_string(parse_keep_rule(rule).value()), rule);
  }
  for (const char* rule : {"", "glob", "glob:", "Oldest", "oldest "}) {
    EXPECT_FALSE(parse_keep_rule(rule)) << rule;
  }
  for (const char* action : {"hardlink", "reflink", "remove", "quarantine"}) {
    EXPECT_EQ(to_string(parse_dup_action(action).value()), action);
  }
  EXPECT_FALSE(parse_dup_action("delete"));
}

}  // namespace
}  // namespace fathom::act
