// Tree and TreeBuilder: rows are read back as they were added, wherever chunks end and whichever
// thread wrote them.

#include "fathom/fs/tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/fs/tree_builder.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

Entry entry_with_mode(unsigned mode, std::uint64_t inode = 1) {
  return {.inode = inode, .mode = static_cast<std::uint16_t>(mode)};
}

// An entry in which every column depends on its number.
Entry numbered(std::uint32_t i) {
  return {.size = 7ULL * i + 1,
          .blocks = 3ULL * i + 2,
          .inode = (1ULL << 60) + i,
          .device = (1ULL << 40) + i % 5,
          .mtime = -5000 + static_cast<std::int64_t>(i),
          .uid = i ^ 0xffffU,
          .gid = 4000000000U + i % 1000,
          .links = 1,
          .mode = static_cast<std::uint16_t>(S_IFREG | (i % 512))};
}

void expect_same(const Entry& got, const Entry& wanted) {
  EXPECT_EQ(got.size, wanted.size);
  EXPECT_EQ(got.blocks, wanted.blocks);
  EXPECT_EQ(got.inode, wanted.inode);
  EXPECT_EQ(got.device, wanted.device);
  EXPECT_EQ(got.mtime, wanted.mtime);
  EXPECT_EQ(got.uid, wanted.uid);
  EXPECT_EQ(got.gid, wanted.gid);
  EXPECT_EQ(got.links, wanted.links);
  EXPECT_EQ(got.mode, wanted.mode);
}

TEST(Entry, KnowsItsKindByItsMode) {
  EXPECT_EQ(entry_with_mode(S_IFDIR | 0755).kind(), Kind::directory);
  EXPECT_EQ(entry_with_mode(S_IFREG | 0777).kind(), Kind::file);
  EXPECT_EQ(entry_with_mode(S_IFLNK | 0777).kind(), Kind::symlink);
  EXPECT_EQ(entry_with_mode(S_IFIFO).kind(), Kind::other);
  EXPECT_EQ(entry_with_mode(S_IFSOCK).kind(), Kind::other);
  EXPECT_EQ(entry_with_mode(S_IFBLK).kind(), Kind::other);
  EXPECT_EQ(entry_with_mode(S_IFCHR).kind(), Kind::other);
}

TEST(Entry, CountsBlocksOf512BytesAndNeverWraps) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Entry{.blocks = 8}.disk_bytes(), 4096U);
  EXPECT_EQ(Entry{.blocks = most / 512}.disk_bytes(), most / 512 * 512);
  EXPECT_EQ(Entry{.blocks = most / 512 + 1}.disk_bytes(), most);
  EXPECT_EQ(Entry{.blocks = most}.disk_bytes(), most);
  EXPECT_EQ(Entry{.size = most}.apparent_bytes(), most);
}

TEST(Tree, WithoutRootsIsEmpty) {
  TreeBuilder builder;
  const Tree tree = builder.finish({});
  EXPECT_TRUE(tree.roots().empty());
  EXPECT_EQ(tree.directory_limit(), 0U);
  tree.for_each_node([](NodeId) { ADD_FAILURE() << "a node in an empty tree"; });
  tree.for_each_directory([](DirId) { ADD_FAILURE() << "a directory in an empty tree"; });
}

TEST(Tree, WithAnUnusedAppenderIsEmpty) {
  TreeBuilder builder;
  { const TreeBuilder::Appender rows(builder); }
  const Tree tree = builder.finish({});
  tree.for_each_node([](NodeId) { ADD_FAILURE() << "a node in an empty tree"; });
}

class RowsAtAChunkBorder : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RowsAtAChunkBorder, PreserveEveryColumn) {
  const std::uint32_t rows = GetParam();
  HandMadeTree made;
  const DirId top = made.root("/t");
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 1; i < rows; ++i) {
    nodes.push_back(made.file(top, "name" + std::to_string(i), numbered(i)));
  }
  const Tree tree = made.finish();

  std::set<NodeId> seen;
  tree.for_each_node([&](NodeId node) { EXPECT_TRUE(seen.insert(node).second); });
  EXPECT_EQ(seen.size(), rows);
  EXPECT_FALSE(seen.contains(kNoNode));
  for (std::uint32_t i = 1; i < rows; ++i) {
    const NodeId node = nodes[i - 1];
    ASSERT_TRUE(seen.contains(node));
    ASSERT_EQ(tree.name(node), "name" + std::to_string(i));
    ASSERT_EQ(tree.parent(node), top);
    ASSERT_EQ(tree.flags(node), 0);
    ASSERT_EQ(tree.kind(node), Kind::file);
    expect_same(tree.entry(node), numbered(i));
    if (HasFailure()) FAIL() << "row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, RowsAtAChunkBorder,
                         ::testing::Values(1, 2, 4095, 4096, 4097, 8191, 8192, 8193));

class DirectoriesAtAChunkBorder : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(DirectoriesAtAChunkBorder, HaveTheirParentDepthAndNode) {
  const std::uint32_t count = GetParam();
  HandMadeTree made;
  std::vector<DirId> ids{made.root("/t")};
  std::vector<std::string> paths{"/t"};
  // A binary tree: the parent of directory i is (i - 1) / 2.
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::string name = std::to_string(i);
    ids.push_back(made.directory(ids[(i - 1) / 2], name, {.size = i}));
    paths.push_back(paths[(i - 1) / 2] + "/" + name);
  }
  const Tree tree = made.finish();

  std::set<DirId> seen;
  tree.for_each_directory([&](DirId id) {
    EXPECT_TRUE(seen.insert(id).second);
    EXPECT_LT(id, tree.directory_limit());
  });
  EXPECT_EQ(seen.size(), count);
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_TRUE(seen.contains(ids[i]));
    const NodeId node = tree.node(ids[i]);
    ASSERT_EQ(tree.path(node), paths[i]);
    ASSERT_EQ(tree.kind(node), Kind::directory);
    ASSERT_EQ(tree.entry(node).size, i);
    ASSERT_EQ(tree.parent_of(ids[i]), i == 0 ? kNoDir : ids[(i - 1) / 2]);
    ASSERT_EQ(tree.parent(node), tree.parent_of(ids[i]));
    const auto slashes = std::count(paths[i].begin(), paths[i].end(), '/');
    ASSERT_EQ(tree.depth(ids[i]), static_cast<std::uint32_t>(slashes - 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Directories, DirectoriesAtAChunkBorder,
                         ::testing::Values(1, 2, 511, 512, 513, 1023, 1024, 1025));

TEST(Tree, IsTheSameIfSeveralThreadsWriteIt) {
  constexpr int kThreads = 4;
  constexpr int kDirectoriesEach = 700;
  constexpr int kFilesEach = 8;  // in each directory

  TreeBuilder builder;
  TreeBuilder::Appender::Directory root{};
  {
    TreeBuilder::Appender rows(builder);
    root = rows.add_directory(kNoDir, 0, "/t", entry_with_mode(S_IFDIR));
  }
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&builder, root, thread] {
      TreeBuilder::Appender rows(builder);
      for (int d = 0; d < kDirectoriesEach; ++d) {
        const std::string name = "d" + std::to_string(thread) + "." + std::to_string(d);
        const auto inode = static_cast<std::uint64_t>(thread * kDirectoriesEach + d + 2);
        const auto in = rows.add_directory(root.id, 1, name, entry_with_mode(S_IFDIR, inode));
        for (int f = 0; f < kFilesEach; ++f) {
          rows.add(in.id, "f" + std::to_string(f),
                   numbered(static_cast<std::uint32_t>((thread * kDirectoriesEach + d) * 10 + f)));
        }
        if (d == thread) rows.mark_incomplete(in.id);
        if (d == 0) rows.mark_incomplete(root.id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Tree tree = builder.finish({root.node});

  std::map<std::string, NodeId> nodes;
  tree.for_each_node([&](NodeId node) { nodes.emplace(tree.path(node), node); });
  EXPECT_EQ(nodes.size(), 1U + kThreads * kDirectoriesEach * (1 + kFilesEach));
  EXPECT_EQ(tree.flags(root.node), kIncomplete);
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int d = 0; d < kDirectoriesEach; ++d) {
      const std::string path = "/t/d" + std::to_string(thread) + "." + std::to_string(d);
      ASSERT_TRUE(nodes.contains(path)) << path;
      ASSERT_EQ(tree.flags(nodes[path]), d == thread ? kIncomplete : 0) << path;
      for (int f = 0; f < kFilesEach; ++f) {
        const std::string file = path + "/f" + std::to_string(f);
        ASSERT_TRUE(nodes.contains(file)) << file;
        expect_same(tree.entry(nodes[file]),
                    numbered(static_cast<std::uint32_t>((thread * kDirectoriesEach + d) * 10 + f)));
      }
    }
  }
  EXPECT_FALSE(HasFailure());
}

TEST(Tree, MarksADirectoryIncompleteWhicheverAppenderAddedIt) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  const DirId in = made.directory(top, "in");
  made.change_appender();
  made.file(in, "file");
  made.mark_incomplete(in);
  made.mark_incomplete(in);
  const Tree tree = made.finish();
  EXPECT_EQ(tree.flags(made.node_of(in)), kIncomplete);
  EXPECT_EQ(tree.flags(made.node_of(top)), 0);
}

TEST(Tree, JoinsPathsWithOneSlashWhateverTheRootIsCalled) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"/t", "/t/d/f"}, {"/", "/d/f"}, {"t/", "t/d/f"}, {".", "./d/f"}, {"../x", "../x/d/f"}};
  for (const auto& [root, path] : expected) {
    HandMadeTree made;
    const DirId top = made.root(root);
    const NodeId file = made.file(made.directory(top, "d"), "f");
    const Tree tree = made.finish();
    EXPECT_EQ(tree.path(made.node_of(top)), root);
    EXPECT_EQ(tree.path(file), path);
  }
}

TEST(Tree, KeepsNamesOfAnyBytes) {
  std::vector<std::string> names;
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != '/') names.emplace_back(1, static_cast<char>(byte));
  }
  names.emplace_back(255, '\xff');
  names.emplace_back("\xed\xa0\x80 lone surrogate");
  names.emplace_back("line\nbreak\ttab\x1b[31m");

  HandMadeTree made;
  const DirId top = made.root("\xfe/root");
  std::vector<NodeId> nodes;
  for (const std::string& name : names) nodes.push_back(made.file(top, name));
  const Tree tree = made.finish();
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(tree.name(nodes[i]), names[i]);
    EXPECT_EQ(tree.path(nodes[i]), "\xfe/root/" + names[i]);
  }
}

TEST(Tree, KeepsManyLongNames) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  std::vector<NodeId> nodes;
  const auto name_of = [](int i) {
    const std::string number = std::to_string(i);
    return number + std::string(255 - number.size(), 'x');
  };
  for (int i = 0; i < 5000; ++i) nodes.push_back(made.file(top, name_of(i)));
  const Tree tree = made.finish();
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(tree.name(nodes[static_cast<std::size_t>(i)]), name_of(i));
  }
}

TEST(Tree, GivesThePathOfAnEntryAHundredThousandLevelsDeep) {
  constexpr int kLevels = 100'000;
  HandMadeTree made;
  DirId at = made.root("r");
  std::string expected = "r";
  for (int level = 0; level < kLevels; ++level) {
    at = made.directory(at, "d");
    expected += "/d";
  }
  const Tree tree = made.finish();
  EXPECT_EQ(tree.depth(at), static_cast<std::uint32_t>(kLevels));
  EXPECT_EQ(tree.path(made.node_of(at)), expected);
}

TEST(Tree, OrdersPathsByteByByte) {
  // '.' and '-' are smaller than '/', '0' is larger: the contents of a directory are not next to
  // it.
  HandMadeTree made;
  const DirId top = made.root("r");
  const DirId a = made.directory(top, "a");
  made.file(a, "b");
  made.file(a, "a");
  const DirId deep = made.directory(a, "deep");
  made.file(deep, "x");
  made.file(deep, "a");
  made.file(top, "a.b");
  made.file(top, "a-b");
  made.file(top, "a0");
  made.file(top, "ab");
  made.file(top, "A");
  made.file(top, "\x01");
  made.file(top, "a\x01");
  made.file(top, "\x7f");
  made.file(top, "\x80");
  made.file(top, "\xff");
  made.file(top, "\xff\xff");
  const DirId last = made.directory(top, "\xfe");
  made.file(last, "a");
  const Tree tree = made.finish();

  std::vector<NodeId> nodes;
  tree.for_each_node([&](NodeId node) { nodes.push_back(node); });
  ASSERT_EQ(nodes.size(), 20U);
  for (const NodeId a_node : nodes) {
    for (const NodeId b_node : nodes) {
      const std::string a_path = tree.path(a_node);
      const std::string b_path = tree.path(b_node);
      // std::string compares bytes as unsigned.
      EXPECT_EQ(tree.path_less(a_node, b_node), a_path < b_path) << a_path << " " << b_path;
    }
  }
}

TEST(Tree, OrdersEqualPathsByTheOrderOfTheirRoots) {
  HandMadeTree made;
  const DirId first = made.root("r");
  const DirId second = made.root("r");
  const NodeId in_second = made.file(made.directory(second, "d"), "f");
  const NodeId in_first = made.file(made.directory(first, "d"), "f");
  const NodeId beside = made.file(second, "a");
  const Tree tree = made.finish();
  EXPECT_TRUE(tree.path_less(in_first, in_second));
  EXPECT_FALSE(tree.path_less(in_second, in_first));
  EXPECT_FALSE(tree.path_less(in_first, in_first));
  EXPECT_TRUE(tree.path_less(made.node_of(first), made.node_of(second)));
  EXPECT_TRUE(tree.path_less(beside, in_first));  // paths are compared before roots
}

TEST(Tree, OrdersPathsOfRootsThatEndWithASlash) {
  HandMadeTree made;
  const DirId slash = made.root("r/");
  const DirId plain = made.root("r");
  const NodeId under_slash = made.file(slash, "b");
  const NodeId under_plain = made.file(plain, "a");
  const Tree tree = made.finish();
  EXPECT_TRUE(tree.path_less(under_plain, under_slash));
  EXPECT_FALSE(tree.path_less(under_slash, under_plain));
  EXPECT_TRUE(tree.path_less(made.node_of(plain), made.node_of(slash)));
}

TEST(Tree, CanBeMoved) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  const NodeId file = made.file(top, "file", {.size = 5});
  Tree tree = made.finish();
  Tree moved = std::move(tree);
  EXPECT_EQ(moved.path(file), "/t/file");
  tree = std::move(moved);
  EXPECT_EQ(tree.path(file), "/t/file");
  EXPECT_EQ(tree.roots(), std::vector<NodeId>{made.node_of(top)});
}

TEST(TreeBuilder, MakesASecondTreeThatIsIndependentOfTheFirst) {
  TreeBuilder builder;
  NodeId root = kNoNode;
  {
    TreeBuilder::Appender rows(builder);
    const auto [node, id] = rows.add_directory(kNoDir, 0, "/first", entry_with_mode(S_IFDIR));
    rows.mark_incomplete(id);
    root = node;
  }
  const Tree first = builder.finish({root});
  {
    TreeBuilder::Appender rows(builder);
    root = rows.add_directory(kNoDir, 0, "/second", entry_with_mode(S_IFDIR)).node;
  }
  const Tree second = builder.finish({root});
  EXPECT_EQ(all_paths(first), std::vector<std::string>{"/first"});
  EXPECT_EQ(all_paths(second), std::vector<std::string>{"/second"});
  EXPECT_EQ(first.flags(first.roots()[0]), kIncomplete);
  EXPECT_EQ(second.flags(second.roots()[0]), 0);
}

}  // namespace
}  // namespace fathom::fs
