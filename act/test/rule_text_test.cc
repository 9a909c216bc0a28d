// Rules as text: what a file of rules may say, and the messages about what it may not.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fathom/act/rules.h"
#include "fathom/base/error.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::act {
namespace {

constexpr const char* kOwnRule = R"([[rule]]
id = "scratch"
title = "scratch directories"
class = "safe"
names = ["scratch-*"]
evidence = [{ file = "RECIPE", contains = "make" }]
rebuild = "make scratch"
)";

std::string refusal(const std::string& text) {
  RuleSet rules;
  try {
    rules.add(text, "own.toml");
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal_with(const std::string& line) {
  return refusal(kOwnRule + line + "\n");
}

TEST(RuleText, ARuleIsRead) {
  RuleSet rules;
  rules.add(kOwnRule, "own.toml");
  const Rule* const rule = rules.named("scratch");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->cls, RuleClass::safe);
  EXPECT_EQ(rule->sentences(), std::vector<std::string>{R"(RECIPE contains "make")"});
}

TEST(RuleText, UnknownKeysAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal_with("colour = \"red\""), "own.toml:8: the key 'colour' is unknown");
}

TEST(RuleText, WrongValuesAreRefused) {
  EXPECT_EQ(refusal_with("min_age = \"soon\""), "own.toml:1: 'min_age' must be an age such as 30d");
  EXPECT_EQ(refusal_with("own = 1"), "own.toml:8: 'own' must be true or false");
  EXPECT_EQ(refusal_with("except = [\"[a\"]"), "own.toml:1: the pattern '[a' is incomplete");
  EXPECT_EQ(refusal_with("kind = \"socket\""),
            "own.toml:1: 'kind' must be directory, file, link or any");
  EXPECT_TRUE(refusal("[[rule]").starts_with("own.toml:1: "));
}

TEST(RuleText, NothingIsSafeByItsNameAlone) {
  EXPECT_EQ(refusal("[[rule]]\nid = \"x\"\ntitle = \"x\"\nclass = \"safe\"\nnames = [\"x\"]\n"
                    "rebuild = \"x\"\n"),
            "own.toml:1: a rule of class safe needs evidence: nothing is safe by its name alone");
}

TEST(RuleText, ASafeRuleNamesWhatRebuildsAndATheToolItsCommand) {
  EXPECT_EQ(refusal("[[rule]]\nid = \"x\"\ntitle = \"x\"\nclass = \"tool\"\nnames = [\"x\"]\n"),
            "own.toml:1: a rule of class tool needs 'command'");
  EXPECT_EQ(refusal("[[rule]]\nid = \"x\"\ntitle = \"x\"\nclass = \"safe\"\nnames = [\"x\"]\n"
                    "evidence = [{ file = \"x\" }]\n"),
            "own.toml:1: a rule of class safe needs 'rebuild', the command that makes it again");
}

TEST(RuleText, ConditionsCheckOneThing) {
  EXPECT_EQ(refusal_with("demote = [{ to = \"yours\", if = [{}], why = \"x\" }]"),
            "own.toml:8: the condition checks nothing");
  EXPECT_EQ(refusal_with("demote = [{ to = \"yours\", if = [{ empty = false }], why = \"x\" }]"),
            "own.toml:8: 'empty' can only be true");
  EXPECT_EQ(refusal_with("demote = [{ to = \"yours\", why = \"x\" }]"),
            "own.toml:8: a demotion has either 'if' or 'unless'");
}

TEST(RuleText, AnIdExistsOnce) {
  RuleSet rules = RuleSet::built_in();
  try {
    rules.add(
        "[[rule]]\nid = \"cargo-target\"\ntitle = \"x\"\nclass = \"yours\"\n"
        "names = [\"x\"]\n",
        "own.toml");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "own.toml: the rule 'cargo-target' exists already, in cargo.toml");
  }
}

TEST(RuleText, ADirectoryOfRulesIsReadInTheOrderOfNames) {
  testing::TempTree tree;
  tree.write("b.toml", kOwnRule);
  tree.write("a.toml",
             "[[rule]]\nid = \"first\"\ntitle = \"x\"\nclass = \"yours\"\nnames = [\"x\"]\n");
  tree.write("notes.txt", "no rules");
  RuleSet rules;
  rules.add_directory(tree.path());
  ASSERT_EQ(rules.rules().size(), 2U);
  EXPECT_EQ(rules.rules().front()->id, "first");
  EXPECT_THROW(rules.add_directory(tree.path("missing")), base::Error);
}

TEST(RuleText, TheBuiltInRulesAreValid) {
  const RuleSet rules = RuleSet::built_in();
  EXPECT_GT(rules.rules().size(), 50U);
  for (const auto& rule : rules.rules()) EXPECT_FALSE(rule->title.empty()) << rule->id;
}

}  // namespace
}  // namespace fathom::act
