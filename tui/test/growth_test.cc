// Tests of which changes get a row, and where they are found.

#include "model/growth.h"

#include <gtest/gtest.h>

#include <string>

#include "sample.h"

namespace fathom::tui {
namespace {

std::string shown(const store::Diff& diff) {
  std::string text;
  for (const Change& change : changes_of(diff)) {
    text += change.path + ' ' + std::to_string(change.bytes() / static_cast<std::int64_t>(kMiB));
    text += '\n';
  }
  return text;
}

TEST(Growth, ADirectoryThatOneThingExplainsHasNoRow) {
  store::Diff diff;
  diff.directories = {{.name = "/top", .after = 100 * kMiB},
                      {.name = "a", .parent = 0, .after = 100 * kMiB},
                      {.name = "b", .parent = 1, .after = 95 * kMiB}};
  EXPECT_EQ(shown(diff), "/top/a/b 95\n");
  diff.created.items = {{.path = "/top/a/b/new", .after = 94 * kMiB}};
  EXPECT_EQ(shown(diff), "/top/a/b/new 94\n");
}

TEST(Growth, ADirectoryOfManySmallChangesHasARow) {
  store::Diff diff;
  diff.directories = {{.name = "/top", .after = 100 * kMiB},
                      {.name = "log", .parent = 0, .after = 99 * kMiB}};
  diff.created.items = {{.path = "/top/log/1", .after = 40 * kMiB},
                        {.path = "/top/log/2", .after = 30 * kMiB}};
  EXPECT_EQ(shown(diff), "/top/log 99\n/top/log/1 40\n/top/log/2 30\n");
}

TEST(Growth, WhatShrankComesLast) {
  store::Diff diff;
  diff.directories = {{.name = "/", .before = 5 * kMiB}};
  diff.removed.items = {{.path = "/gone", .before = 9 * kMiB}};
  diff.changed.items = {{.path = "/less", .before = 3 * kMiB, .after = 1 * kMiB},
                        {.path = "/more", .before = 1 * kMiB, .after = 7 * kMiB}};
  EXPECT_EQ(shown(diff), "/more 6\n/less -2\n/gone -9\n");
}

TEST(Growth, EntriesAreFoundByTheirPaths) {
  const auto facts = sample_facts();
  ScannedEntries entries(*facts, {"/real/code"});
  EXPECT_EQ(facts->path(entries.at("/real/code").directory), "/home/ada/code");
  EXPECT_EQ(facts->path(entries.at("/real/code/shop/target").directory),
            "/home/ada/code/shop/target");
  EXPECT_EQ(facts->tree().name(entries.at("/real/code/shop/main.rs").node), "main.rs");
  EXPECT_EQ(entries.at("/real/code/shop/none").node, fs::kNoNode);
  EXPECT_EQ(entries.at("/real/code/notes.md/none").node, fs::kNoNode);
  EXPECT_EQ(entries.at("/real/codex").node, fs::kNoNode);
  EXPECT_EQ(entries.below_root("/real/code/shop"), "shop");
}

}  // namespace
}  // namespace fathom::tui
