// MadeTree: a tree defined by a test, which can be rebuilt with other node numbers; and helpers
// that parse responses about it as another program would.
//
//   MadeTree made;
//   const auto top = made.root("/t");
//   made.file(top, "file", {.size = 5, .blocks = 8});
//   const Snapshot snapshot(made.scan(), 0, 1, false);
//   const auto json = ask(snapshot, "children", "path=%2Ft");

#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/answer.h"
#include "api/snapshot.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/tree_builder.h"
#include "routes.h"

namespace fathom::web {

class MadeTree {
 public:
  using Handle = std::size_t;  // identifies an entry

  // Missing fields of an entry (mode, inode, links, device) are filled in. Each entry is a separate
  // inode.
  Handle root(std::string_view path, fs::Entry entry = {}) {
    return add(kNone, path, entry, S_IFDIR | 0755);
  }
  Handle file_root(std::string_view path, fs::Entry entry = {}) {
    return add(kNone, path, entry, S_IFREG | 0644);
  }
  void missing_root(std::string_view path) {
    roots_.push_back(kNone);
    paths_.emplace_back(path);
  }
  Handle directory(Handle parent, std::string_view name, fs::Entry entry = {}) {
    return add(parent, name, entry, S_IFDIR | 0755);
  }
  Handle file(Handle parent, std::string_view name, fs::Entry entry = {}) {
    return add(parent, name, entry, S_IFREG | 0644);
  }
  Handle symlink(Handle parent, std::string_view name, fs::Entry entry = {}) {
    return add(parent, name, entry, S_IFLNK | 0777);
  }
  void mark(Handle directory, fs::NodeFlag flag) { marks_.emplace_back(directory, flag); }

  // Each seed gives the same entries in another order, with directories before their entries.
  [[nodiscard]] fs::Scan scan(unsigned seed = 0) const {
    std::vector<Handle> order(rows_.size());
    std::iota(order.begin(), order.end(), Handle{0});
    if (seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    fs::TreeBuilder builder;
    std::optional<fs::TreeBuilder::Appender> pen(std::in_place, builder);
    std::vector<Built> built(rows_.size());
    for (const Handle handle : order) build(handle, *pen, built);
    for (const auto& [directory, flag] : marks_) pen->mark(built[directory].id, flag);
    pen.reset();
    std::vector<fs::NodeId> roots;
    for (const Handle root : roots_) {
      roots.push_back(root == kNone ? fs::kNoNode : built[root].node);
    }
    fs::Scan scan;
    scan.tree = builder.finish(roots);
    scan.roots = paths_;
    return scan;
  }

 private:
  static constexpr Handle kNone = static_cast<Handle>(-1);

  struct Row {
    Handle parent;
    std::string name;
    fs::Entry entry;
  };
  struct Built {
    fs::NodeId node = fs::kNoNode;
    fs::DirId id = fs::kNoDir;
    std::uint32_t depth = 0;
  };

  Handle add(Handle parent, std::string_view name, fs::Entry entry, unsigned mode) {
    if (entry.mode == 0) entry.mode = static_cast<std::uint16_t>(mode);
    if (entry.inode == 0) entry.inode = next_inode_++;
    if (entry.links == 0) entry.links = 1;
    if (entry.device == 0) entry.device = 1;
    rows_.push_back({parent, std::string(name), entry});
    if (parent == kNone) {
      roots_.push_back(rows_.size() - 1);
      paths_.emplace_back(name);
    }
    return rows_.size() - 1;
  }

  // The entry and its parents, the outermost first.
  void build(Handle handle, fs::TreeBuilder::Appender& pen, std::vector<Built>& built) const {
    std::vector<Handle> missing;
    for (; handle != kNone && built[handle].node == fs::kNoNode; handle = rows_[handle].parent) {
      missing.push_back(handle);
    }
    for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
      const Row& row = rows_[*it];
      const bool top = row.parent == kNone;
      const fs::DirId in = top ? fs::kNoDir : built[row.parent].id;
      Built& made = built[*it];
      made.depth = top ? 0 : built[row.parent].depth + 1;
      if (S_ISDIR(row.entry.mode)) {
        const auto added = pen.add_directory(in, made.depth, row.name, row.entry);
        made.node = added.node;
        made.id = added.id;
      } else {
        made.node = pen.add(in, row.name, row.entry);
      }
    }
  }

  std::vector<Row> rows_;
  std::vector<Handle> roots_;
  std::vector<std::string> paths_;
  std::vector<std::pair<Handle, fs::NodeFlag>> marks_;
  std::uint64_t next_inode_ = 1000;
};

// Some hundred varied entries: hard links below one directory and below two, equal sizes and times,
// many owners, names that are not UTF-8 or contain unusual bytes, a partially read directory.
inline MadeTree many_kinds_of_entries() {
  std::mt19937 random(4711);
  const auto up_to = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(random() % (most + 1));
  };
  const std::vector<std::string> odd = {"<script>alert(1)",
                                        "a\"b\\c",
                                        "tab\there\nline",
                                        "\xff\xfe",
                                        "caf\xc3\xa9",
                                        "u\xe2\x80\xa8line",
                                        "e\xcc\x81",
                                        "half\xc3",
                                        " ",
                                        "-rf",
                                        "...",
                                        "UPPER.TXT"};
  MadeTree made;
  std::vector<MadeTree::Handle> directories = {made.root("/t", {.size = 4096, .blocks = 8})};
  for (unsigned i = 0; i < 900; ++i) {
    const auto in = directories[up_to(static_cast<std::uint32_t>(directories.size()) - 1)];
    fs::Entry entry{.size = up_to(20) * 1000,
                    .blocks = up_to(20) * 8,
                    .mtime = static_cast<std::int64_t>(up_to(50)) - 10,
                    .uid = up_to(5),
                    .gid = up_to(3)};
    std::string name = "n" + std::to_string(i);
    if (i % 9 == 0) name = odd[i / 9 % odd.size()] + std::to_string(i);
    if (i % 7 == 0) {
      directories.push_back(made.directory(in, name, entry));
      if (i % 5 == 0) made.mark(directories.back(), fs::kHasOmittedChildren);
    } else if (i % 13 == 0) {
      made.symlink(in, name, entry);
    } else {
      if (i % 6 == 0) {  // one of forty inodes
        const std::uint64_t inode = i % 40;
        entry = {.size = inode * 10, .blocks = inode, .inode = 10 + inode, .links = 3};
      }
      made.file(in, name, entry);
    }
  }
  made.mark(directories[directories.size() / 2], fs::kIncomplete);
  return made;
}

// A directory whose path is longer by 250 bytes for each level.
inline MadeTree::Handle far_below(MadeTree& made, MadeTree::Handle directory, int levels) {
  const std::string name(249, 'd');
  for (int level = 0; level < levels; ++level) directory = made.directory(directory, name);
  return directory;
}

inline std::string percent_encoded(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    char piece[4];
    std::snprintf(piece, sizeof piece, "%%%02X", static_cast<unsigned char>(byte));
    text += piece;
  }
  return text;
}

// Parses strictly: validates encodings, and rejects trailing text.
inline rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag>(
      text.data(), text.size());
  if (json.HasParseError() || !json.IsObject()) throw std::runtime_error("bad JSON: " + text);
  return json;
}

// The response to a valid request.
inline rapidjson::Document ask(const Snapshot& snapshot, std::string_view name,
                               const std::string& query = "") {
  const Answer said = answer({name, query, &snapshot});
  if (said.status != 200) throw std::runtime_error(query + ": " + said.body);
  return parsed(said.body);
}

// The bytes of a field, from its base64 form if there is one.
inline std::string bytes_in(const rapidjson::Value& object, const std::string& key) {
  const auto bytes = object.FindMember((key + "_b64").c_str());
  if (bytes == object.MemberEnd()) {
    return {object[key.c_str()].GetString(), object[key.c_str()].GetStringLength()};
  }
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : std::string_view(bytes->value.GetString())) {
    if (digit == '=') break;
    bits = (bits << 6 | static_cast<std::uint32_t>(kDigits.find(digit))) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text += static_cast<char>(bits >> count & 0xff);
  }
  return text;
}

// The pages that a client gets when it reads a list to its end, of as many rows as possible each.
// ask: the response to a query.
template <class Ask>
std::vector<rapidjson::Document> pages_of(std::size_t rows, const char* list, const Ask& ask) {
  constexpr std::size_t kLongestRow = std::size_t{1} << 20;
  std::vector<rapidjson::Document> pages;
  for (std::size_t at = 0; at < rows; at += pages.back()[list].Size()) {
    const Answer said = ask("limit=1000&offset=" + std::to_string(at));
    EXPECT_LT(said.body.size(), kEnoughJson + kLongestRow);
    pages.push_back(parsed(said.body));
    if (pages.back()[list].Empty()) throw std::runtime_error("a page without rows");
  }
  return pages;
}

// Expects that a client that reads a list to its end needs several pages and gets each file once.
template <class Ask>
void expect_each_file_once(const Snapshot& snapshot, std::size_t rows, const char* list,
                           const Ask& ask) {
  std::vector<std::string> files;
  snapshot.tree().for_each_node([&](fs::NodeId node) {
    if (snapshot.tree().kind(node) == fs::Kind::file) files.push_back(snapshot.tree().path(node));
  });
  std::vector<std::string> received;
  const auto receive = [&](const rapidjson::Value& row) {
    if (row.HasMember("path")) return received.push_back(bytes_in(row, "path"));
    for (const auto& file : row["files"].GetArray()) received.push_back(bytes_in(file, "path"));
  };
  const auto pages = pages_of(rows, list, ask);
  EXPECT_GT(pages.size(), 1U);
  for (const auto& page : pages) {
    for (const auto& row : page[list].GetArray()) receive(row);
  }
  std::sort(files.begin(), files.end());
  std::sort(received.begin(), received.end());
  EXPECT_EQ(received.size(), files.size());
  EXPECT_TRUE(received == files);  // too long to be shown
}

// The status and code of an error response.
inline std::string refused(const Snapshot* snapshot, std::string_view name,
                           const std::string& query) {
  const Answer said = answer({name, query, snapshot});
  const rapidjson::Document json = parsed(said.body);
  if (!json.HasMember("error")) return std::to_string(said.status);
  EXPECT_STRNE(json["error"]["message"].GetString(), "");
  return std::to_string(said.status) + ' ' + json["error"]["code"].GetString();
}

inline std::string text_of(const rapidjson::Value& value) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  value.Accept(writer);
  return text.GetString();
}

// The names of the children, in order.
inline std::vector<std::string> names_in(const rapidjson::Value& json) {
  std::vector<std::string> names;
  for (const auto& child : json["children"].GetArray()) names.push_back(bytes_in(child, "name"));
  return names;
}

}  // namespace fathom::web
