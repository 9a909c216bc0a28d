// Tests of tree: the nodes for a treemap add up, and are the largest entries.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api_made_tree.h"

namespace fathom::web {
namespace {

struct Shown {
  std::string path;
  std::uint64_t bytes;
  std::uint64_t depth;
};

// Every node of a response, directories before their entries.
std::vector<Shown> nodes_in(const rapidjson::Value& json) {
  std::vector<Shown> nodes;
  std::vector<std::pair<const rapidjson::Value*, Shown>> waiting;
  waiting.push_back(
      {&json["root"], {bytes_in(json, "path"), json["root"]["bytes"].GetUint64(), 0}});
  while (!waiting.empty()) {
    const auto [node, shown] = waiting.back();
    waiting.pop_back();
    nodes.push_back(shown);
    if (!node->HasMember("children")) continue;
    for (const auto& child : (*node)["children"].GetArray()) {
      const std::string path = shown.path + '/' + bytes_in(child, "name");
      waiting.push_back({&child, {path, child["bytes"].GetUint64(), shown.depth + 1}});
    }
  }
  return nodes;
}

void for_each_node_in(const rapidjson::Value& node,
                      const std::function<void(const rapidjson::Value&)>& function) {
  std::vector<const rapidjson::Value*> waiting = {&node};
  while (!waiting.empty()) {
    const rapidjson::Value& next = *waiting.back();
    waiting.pop_back();
    function(next);
    if (!next.HasMember("children")) continue;
    for (const auto& child : next["children"].GetArray()) waiting.push_back(&child);
  }
}

// The sizes of all entries down to a depth, largest first, computed without the interface.
std::vector<std::uint64_t> all_sizes(const Snapshot& snapshot, std::uint64_t depth) {
  const fs::Tree& tree = snapshot.tree();
  std::vector<std::uint64_t> sizes;
  tree.for_each_directory([&](fs::DirId id) {
    if (tree.depth(id) <= depth) sizes.push_back(snapshot.totals().below(id).disk_bytes);
  });
  tree.for_each_node([&](fs::NodeId node) {
    if (tree.kind(node) == fs::Kind::directory || tree.depth(tree.parent(node)) + 1 > depth) return;
    const bool extra = (tree.flags(node) & fs::kExtraLink) != 0;
    sizes.push_back(extra ? 0 : tree.blocks(node) * 512);
  });
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  return sizes;
}

TEST(Treemap, OfASmallTreeHasExactlyThisText) {
  MadeTree made;
  const auto top = made.root("/t", {.blocks = 1, .mtime = 5, .uid = 1});
  const auto sub = made.directory(top, "sub", {.blocks = 2});
  made.file(sub, "large", {.blocks = 50, .mtime = fs::kUnknownTime});
  made.file(sub, "small", {.blocks = 3});
  made.file(made.directory(top, "tiny"), "f", {.blocks = 4});
  made.directory(top, "empty", {.blocks = 20});
  const auto owners = std::make_shared<Owners>(fs::OwnerNames{
      [](std::uint32_t id) { return id == 1 ? Owners::Name("one") : Owners::Name(); }, {}});
  const Snapshot snapshot(made.scan(), 0, 2, false, owners);
  EXPECT_EQ(
      answer({"tree", "min_share=0.125", &snapshot}).body,
      R"({"generation":2,"path":"/t","measure":"disk","root":{"name":"/t","kind":"directory",)"
      R"("bytes":40960,"modified":5,"newest":5,"uid":1,"owner":"one","mode":16877,"flags":[],)"
      R"("children":[)"
      R"({"name":"sub","kind":"directory","bytes":28160,"modified":0,"newest":0,"uid":0,)"
      R"("owner":null,)"
      R"("mode":16877,"flags":[],)"
      R"("children":[{"name":"large","kind":"file","bytes":25600,"modified":null,)"
      R"("newest":null,"uid":0,"owner":null,)"
      R"("mode":33188,"flags":[]}],"rest":{"entries":1,"bytes":2560}},)"
      R"({"name":"empty","kind":"directory","bytes":10240,"modified":0,"newest":0,"uid":0,)"
      R"("owner":null,)"
      R"("mode":16877,"flags":[],)"
      R"("children":[],"rest":{"entries":0,"bytes":10240}}],)"
      R"("rest":{"entries":1,"bytes":2560}}})");
}

TEST(Treemap, HasTheNewestTimeBelowEachNode) {
  constexpr std::int64_t kScanned = 1000;
  constexpr std::int64_t kOneDay = 86400;
  MadeTree made;
  const auto top = made.root("/t", {.blocks = 1, .mtime = 5});
  const auto sub = made.directory(top, "sub", {.blocks = 2, .mtime = 7});
  made.file(sub, "new", {.blocks = 50, .mtime = 900});
  made.file(top, "future", {.blocks = 60, .mtime = kScanned + kOneDay + 1});
  const Snapshot snapshot(made.scan(), kScanned, 2, false);
  const auto json = ask(snapshot, "tree", "min_share=0");
  EXPECT_EQ(json["root"]["newest"].GetInt64(), 900);
  const auto& future = json["root"]["children"][0];
  EXPECT_EQ(future["modified"].GetInt64(), kScanned + kOneDay + 1);
  EXPECT_TRUE(future["newest"].IsNull());
  EXPECT_EQ(json["root"]["children"][1]["newest"].GetInt64(), 900);
}

TEST(Treemap, NamesTheLargestFileOfADirectoryWithoutVisibleEntries) {
  MadeTree made;
  const auto top = made.root("/t", {.blocks = 1});
  const auto sub = made.directory(top, "sub", {.blocks = 2});
  made.file(made.directory(sub, "inner"), "large", {.blocks = 50, .mode = 0100755});
  made.file(sub, "small", {.blocks = 3});
  made.directory(top, "empty");
  const Snapshot snapshot(made.scan(), 0, 2, false);
  const auto json = ask(snapshot, "tree", "depth=1&min_share=0");
  EXPECT_FALSE(json["root"].HasMember("largest_file"));
  const auto& closed = json["root"]["children"][0];
  EXPECT_STREQ(closed["largest_file"]["name"].GetString(), "large");
  EXPECT_EQ(closed["largest_file"]["mode"].GetUint(), 0100755U);
  EXPECT_FALSE(json["root"]["children"][1].HasMember("largest_file"));
  const auto small = ask(snapshot, "tree", "depth=1&min_share=1");
  EXPECT_STREQ(small["root"]["largest_file"]["name"].GetString(), "large");
}

// Only exports have names of more than 255 bytes.
TEST(Treemap, HasFewerNodesIfTheirNamesAreLong) {
  MadeTree made;
  const auto top = made.root("/t");
  for (unsigned i = 0; i < 400; ++i) {
    const std::string name = std::to_string(i) + std::string(30'000, '\xff');
    made.file(made.directory(top, name), name, {.blocks = 1000 - i});
  }
  const Snapshot snapshot(made.scan(), 0, 2, false);
  const Answer said = answer({"tree", "depth=1&nodes=10000&min_share=0", &snapshot});
  EXPECT_LT(said.body.size(), 5 * kEnoughJson);
  const auto json = parsed(said.body);
  const auto& children = json["root"]["children"];
  EXPECT_GT(children.Size(), 100U);
  EXPECT_FALSE(children[0].HasMember("largest_file"));
  EXPECT_EQ(json["root"]["rest"]["entries"].GetUint(), 400 - children.Size());
}

TEST(Treemap, AddsUpInEachDirectory) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  for (const char* query : {"min_share=0&depth=32&nodes=10000", "", "min_share=0.01",
                            "nodes=50&min_share=0", "measure=apparent&depth=2&min_share=0",
                            "measure=exclusive&min_share=0&depth=5", "nodes=1"}) {
    const auto json = ask(snapshot, "tree", query);
    for_each_node_in(json["root"], [&](const rapidjson::Value& node) {
      const bool directory = std::string_view(node["kind"].GetString()) == "directory";
      EXPECT_EQ(node.HasMember("rest"), directory);
      if (!directory) {
        EXPECT_FALSE(node.HasMember("children"));
        return;
      }
      std::uint64_t bytes = node["rest"]["bytes"].GetUint64();
      if (node.HasMember("children")) {
        for (const auto& child : node["children"].GetArray()) bytes += child["bytes"].GetUint64();
      }
      EXPECT_EQ(bytes, node["bytes"].GetUint64()) << query;
    });
  }
}

TEST(Treemap, CountsHiddenEntriesOfADirectoryInItsRest) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  const auto json = ask(snapshot, "tree", "nodes=100&min_share=0&depth=32");
  for (const Shown& shown : nodes_in(json)) {
    const rapidjson::Value* node = &json["root"];
    const auto children = ask(snapshot, "children", "path=" + percent_encoded(shown.path));
    // Finds the node of this path by its names.
    for (std::string_view path = std::string_view(shown.path).substr(2); !path.empty();) {
      path.remove_prefix(1);
      const std::string_view name = path.substr(0, path.find('/'));
      path.remove_prefix(name.size());
      const auto& in = (*node)["children"].GetArray();
      node = std::find_if(in.begin(), in.end(),
                          [&](const auto& child) { return bytes_in(child, "name") == name; });
    }
    if (!node->HasMember("rest")) continue;
    const std::uint64_t there = node->HasMember("children") ? (*node)["children"].Size() : 0;
    EXPECT_EQ((*node)["rest"]["entries"].GetUint64() + there, children["total"].GetUint64());
  }
}

TEST(Treemap, ShowsTheLargestEntries) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  for (const std::uint64_t depth : {1U, 2U, 3U, 32U}) {
    const std::vector<std::uint64_t> all = all_sizes(snapshot, depth);
    for (const std::uint64_t nodes : {1U, 2U, 3U, 10U, 77U, 500U, 899U, 900U, 901U, 902U, 10000U}) {
      const auto json =
          ask(snapshot, "tree",
              "min_share=0&depth=" + std::to_string(depth) + "&nodes=" + std::to_string(nodes));
      std::vector<std::uint64_t> sizes;
      for (const Shown& shown : nodes_in(json)) {
        sizes.push_back(shown.bytes);
        EXPECT_LE(shown.depth, depth);
      }
      std::sort(sizes.begin(), sizes.end(), std::greater<>());
      const std::size_t expected = std::min<std::size_t>(nodes, all.size());
      EXPECT_EQ(sizes,
                std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(expected)))
          << nodes << " nodes, depth " << depth;
    }
  }
}

TEST(Treemap, OmitsEntriesBelowTheMinimumShare) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  const std::vector<std::uint64_t> all = all_sizes(snapshot, 32);
  for (const char* share : {"0.001", "0.01", "0.1", "0.5", "1"}) {
    const auto json = ask(snapshot, "tree", std::string("depth=32&nodes=10000&min_share=") + share);
    const double least = std::stod(share) * static_cast<double>(all.front());
    const auto large = std::count_if(all.begin(), all.end(), [&](std::uint64_t bytes) {
      return static_cast<double>(bytes) >= least;
    });
    EXPECT_EQ(nodes_in(json).size(), static_cast<std::size_t>(large)) << share;
  }
}

TEST(Treemap, OrdersChildrenBySizeAndThenByName) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  const auto json = ask(snapshot, "tree", "depth=32&nodes=10000&min_share=0");
  for_each_node_in(json["root"], [&](const rapidjson::Value& node) {
    if (!node.HasMember("children")) return;
    std::vector<std::pair<std::uint64_t, std::string>> children;
    for (const auto& child : node["children"].GetArray()) {
      children.emplace_back(~child["bytes"].GetUint64(), bytes_in(child, "name"));
    }
    EXPECT_TRUE(std::is_sorted(children.begin(), children.end()));
  });
}

TEST(Treemap, DistinguishesUnexpandedFromEmptyDirectories) {
  MadeTree made;
  const auto top = made.root("/t");
  const auto deep = made.directory(made.directory(top, "a"), "b", {.blocks = 1});
  made.file(deep, "f", {.blocks = 9});
  made.file(made.directory(top, "z", {.blocks = 5}), "f", {.blocks = 1});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  // Limited by the depth.
  const auto flat = ask(snapshot, "tree", "depth=1&min_share=0");
  EXPECT_EQ(flat["root"]["children"].Size(), 2U);
  EXPECT_FALSE(flat["root"]["children"][0].HasMember("children"));
  EXPECT_EQ(flat["root"]["children"][0]["rest"]["entries"].GetUint64(), 1U);
  // Limited by the number of nodes.
  const auto few = ask(snapshot, "tree", "nodes=3&depth=9&min_share=0");
  EXPECT_EQ(nodes_in(few).size(), 3U);
  EXPECT_FALSE(few["root"]["children"][0]["children"][0].HasMember("children"));
  // Limited by the number of nodes, because larger entries were found elsewhere in the meantime.
  MadeTree other;
  const auto above = other.root("/t");
  other.file(other.directory(above, "a", {.blocks = 6}), "f", {.blocks = 4});
  other.file(above, "z", {.blocks = 5});
  const Snapshot crowded(other.scan(), 0, 1, false);
  const auto three = ask(crowded, "tree", "nodes=3&min_share=0");
  EXPECT_EQ(three["root"]["children"].Size(), 2U);
  EXPECT_FALSE(three["root"]["children"][0].HasMember("children"));
  EXPECT_EQ(three["root"]["children"][0]["rest"]["bytes"].GetUint64(), 10U * 512);
  // Not limited: it read the directory and found no entry that is large enough.
  const auto large = ask(snapshot, "tree", "depth=9&min_share=0.2");
  EXPECT_EQ(large["root"]["children"][1]["children"].Size(), 0U);
}

TEST(Treemap, DoesNotDependOnNodeNumbers) {
  const MadeTree made = many_kinds_of_entries();
  const Snapshot one(made.scan(), 0, 1, false);
  for (const unsigned seed : {5U, 6U, 7U}) {
    const Snapshot other(made.scan(seed), 0, 1, false);
    for (const char* query : {"", "min_share=0&nodes=100", "min_share=0&nodes=333&depth=32",
                              "measure=exclusive&min_share=0&nodes=50"}) {
      EXPECT_EQ(answer({"tree", query, &one}).body, answer({"tree", query, &other}).body) << query;
    }
  }
}

TEST(Treemap, ShowsTheFirstByNameOfEqualEntries) {
  MadeTree made;
  const auto top = made.root("/t");
  for (int i = 5000; i > 0; --i) made.file(top, std::to_string(10000 + i), {.blocks = 1});
  const Snapshot snapshot(made.scan(3), 0, 1, false);
  const auto json = ask(snapshot, "tree", "min_share=0&nodes=11");
  ASSERT_EQ(json["root"]["children"].Size(), 10U);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(bytes_in(json["root"]["children"][static_cast<rapidjson::SizeType>(i)], "name"),
              std::to_string(10001 + i));
  }
}

TEST(Treemap, HasAPlaceAboveSeveralRoots) {
  MadeTree made;
  made.file(made.root("/a", {.blocks = 1}), "f", {.blocks = 3, .links = 2});
  made.root("/b", {.blocks = 2});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "tree", "min_share=0");
  EXPECT_STREQ(json["path"].GetString(), "");
  EXPECT_EQ(json["root"]["bytes"].GetUint64(), 6U * 512);
  EXPECT_EQ(bytes_in(json["root"]["children"][0], "name"), "/a");
  EXPECT_EQ(json["root"]["rest"]["bytes"].GetUint64(), 0U);
  EXPECT_TRUE(json["root"]["modified"].IsNull());
  EXPECT_EQ(ask(snapshot, "tree", "measure=exclusive")["root"]["bytes"].GetUint64(), 3U * 512);
}

TEST(Treemap, OfAFileIsOneNode) {
  MadeTree made;
  made.file_root("/f", {.blocks = 3});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "tree", "");
  EXPECT_EQ(json["root"]["bytes"].GetUint64(), 3U * 512);
  EXPECT_FALSE(json["root"].HasMember("children"));
  EXPECT_FALSE(json["root"].HasMember("rest"));
}

TEST(Treemap, OfNothingIsOneNode) {
  MadeTree made;
  made.missing_root("/gone");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(answer({"tree", "", &snapshot}).body,
            R"({"generation":1,"path":"","measure":"disk","root":{"name":"","kind":"directory",)"
            R"("bytes":0,"modified":null,"newest":null,"uid":null,"owner":null,"mode":null,)"
            R"("flags":["incomplete"],"children":[],)"
            R"("rest":{"entries":0,"bytes":0}}})");
}

TEST(Treemap, SaturatesLikeItsDirectories) {
  MadeTree made;
  const auto top = made.root("/t");
  for (const char* name : {"a", "b", "c"}) made.file(top, name, {.size = UINT64_MAX / 2});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "tree", "measure=apparent");
  EXPECT_EQ(json["root"]["bytes"].GetUint64(), UINT64_MAX);
  EXPECT_EQ(json["root"]["rest"]["bytes"].GetUint64(), 0U);
}

TEST(Treemap, IsRefusedForInvalidRequests) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  for (const char* query : {"depth=0", "depth=33", "nodes=0", "nodes=10001", "min_share=-0.1",
                            "min_share=1.1", "min_share=nan", "measure=x", "limit=5", "offset=0"}) {
    EXPECT_EQ(refused(&snapshot, "tree", query), "400 bad_request") << query;
  }
  for (const char* query : {"depth=1", "depth=32", "nodes=1", "nodes=10000", "min_share=1"}) {
    EXPECT_EQ(refused(&snapshot, "tree", query), "200") << query;
  }
  EXPECT_EQ(refused(&snapshot, "tree", "path=/t/../t"), "404 not_found");
}

}  // namespace
}  // namespace fathom::web
