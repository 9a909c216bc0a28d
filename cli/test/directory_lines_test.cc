// Tests of directory_lines(): which of several equal directories is kept.

#include "view/group_lines.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/tree_builder.h"

namespace fathom::cli {
namespace {

// Two equal directories, a and b, each with the files 0 and 1; and a copy of 0 outside.
class Finding {
 public:
  Finding() {
    fs::TreeBuilder builder;
    {
      fs::TreeBuilder::Appender rows(builder);
      const auto root = rows.add_directory(fs::kNoDir, 0, "/t", entry(S_IFDIR | 0755));
      root_ = root.node;
      for (const char* name : {"a", "b"}) {
        const auto directory = rows.add_directory(root.id, 1, name, entry(S_IFDIR | 0755));
        directories_.push_back(directory.node);
        for (const char* file : {"0", "1"}) {
          files_.push_back(rows.add(directory.id, file, entry(S_IFREG | 0644)));
        }
      }
      files_.push_back(rows.add(root.id, "outside", entry(S_IFREG | 0644)));
    }
    found.scan.tree = builder.finish({root_});
    found.same.groups.push_back(group({files_[0], files_[2], files_[4]}));
    found.same.groups.push_back(group({files_[1], files_[3]}));
    found.directories.groups.push_back(
        {.directories = directories_, .files = 2, .bytes = 2, .wasted_bytes = 0});
    found.directories.explained = {false, true};
  }

  // "keep /t/a, copy /t/b"
  [[nodiscard]] std::string said(std::vector<std::uint32_t> kept) {
    found.kept = std::move(kept);
    const std::vector<std::vector<GroupLine>> lines = directory_lines(found);
    std::string text;
    for (const GroupLine& line : lines.at(0)) {
      text += (text.empty() ? "" : ", ") + std::string(mark_of(line.role)) + ' ' +
              found.scan.tree.path(line.node);
    }
    return text;
  }

  DupsFinding found;

 private:
  fs::Entry entry(unsigned mode) {
    return {.size = 1,
            .blocks = 8,
            .inode = ++last_inode_,
            .device = 1,
            .links = 1,
            .mode = static_cast<std::uint16_t>(mode)};
  }
  static fs::DuplicateGroup group(const std::vector<fs::NodeId>& nodes) {
    fs::DuplicateGroup group;
    for (const fs::NodeId node : nodes) {
      group.files.push_back({.node = node, .storage = node, .identity = {}, .links = {}});
    }
    return group;
  }

  std::uint64_t last_inode_ = 0;
  fs::NodeId root_ = fs::kNoNode;
  std::vector<fs::NodeId> directories_;
  std::vector<fs::NodeId> files_;
};

TEST(DirectoryLines, KeepTheOnlyDirectoryThatContainsTheKeptFiles) {
  Finding found;
  EXPECT_EQ(found.said({}), "keep /t/a, copy /t/b");
  EXPECT_EQ(found.said({1, 1}), "keep /t/b, copy /t/a");
  EXPECT_EQ(found.said({2, 1}), "keep /t/b, copy /t/a");
}

TEST(DirectoryLines, KeepPartsIfSeveralContainKeptFiles) {
  EXPECT_EQ(Finding().said({0, 1}), "part /t/a, part /t/b");
}

TEST(DirectoryLines, KeepNoneIfEveryKeptFileIsElsewhere) {
  Finding found;
  found.found.same.groups.pop_back();
  EXPECT_EQ(found.said({2}), "copy /t/a, copy /t/b");
}

TEST(DirectoryLines, RecognizeAKeptFileByAnyOfItsNames) {
  Finding found;
  found.found.same.groups[1].files[0].links = {found.found.same.groups[1].files[1].node};
  EXPECT_EQ(found.said({0, 0}), "part /t/a, part /t/b");
}

}  // namespace
}  // namespace fathom::cli
