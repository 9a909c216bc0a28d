// meta.json: what write_meta() writes, parse_meta() reads, and nothing else.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {
namespace {

SnapshotMeta a_meta() {
  return {
      .id = "91ab3c0d00112233",
      .tag = "before the move",
      .writer = "fathom 1.2.3",
      .host = "backup",
      .roots = {"/srv", "/home"},
      .selection = {"--exclude=*.o"},
      .rules = std::numeric_limits<std::uint64_t>::max(),
      .started_ns = 1'763'877'600'000'000'001,
      .ended_ns = 1'763'877'612'500'000'000,
      .totals = {.files = 1, .dirs = 2, .symlinks = 3, .others = 4, .disk_bytes = 5},
      .errors = 1,
      .changed = 2,
      .filesystems = {{.fs_uuid = "f0",
                       .type = "ext4",
                       .mount_point = "/",
                       .roots = {0, 1},
                       .size = 100,
                       .free = 50,
                       .available = 40,
                       .inodes = 10,
                       .free_inodes = 5}},
      .other_filesystems = {{.fs_uuid = "f1", .type = "xfs", .mount_point = "/home", .size = 200}},
      .transactions = {{"f0/5", {.transaction = 77, .uuid = "u0"}}},
      .users = {{0, "root"}, {4'294'967'295, "nobody"}},
      .groups = {{100, "users"}},
      .files = {{.name = "entries.parquet",
                 .bytes = 7,
                 .xxh128 = "0123456789abcdef0123456789abcdef"}},
  };
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_meta(text));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

// Older versions did not write them, and the id is that of the text.
TEST(Meta, WithoutLaterMembersIsTheSameTextAsBefore) {
  SnapshotMeta meta = a_meta();
  meta.other_filesystems.clear();
  meta.transactions.clear();
  meta.rules = 0;
  const std::string text = write_meta(meta);
  EXPECT_EQ(text.find("transactions"), std::string::npos);
  EXPECT_EQ(text.find("rules"), std::string::npos);
  EXPECT_EQ(text.find("other_filesystems"), std::string::npos);
  EXPECT_EQ(write_meta(parse_meta(text)), text);
}

TEST(Meta, IsReadAsItWasWritten) {
  const std::string text = write_meta(a_meta());
  const SnapshotMeta meta = parse_meta(text);
  EXPECT_EQ(write_meta(meta), text);
  EXPECT_EQ(meta.id, "91ab3c0d00112233");
  EXPECT_EQ(meta.tag, "before the move");
  EXPECT_EQ(
      meta.transactions,
      (std::map<std::string, fs::SubvolumeState>{{"f0/5", {.transaction = 77, .uuid = "u0"}}}));
  EXPECT_EQ(meta.writer, "fathom 1.2.3");
  EXPECT_EQ(meta.host, "backup");
  EXPECT_EQ(meta.roots, (std::vector<std::string>{"/srv", "/home"}));
  EXPECT_EQ(meta.selection, std::vector<std::string>{"--exclude=*.o"});
  EXPECT_EQ(meta.rules, std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(meta.imported);
  EXPECT_EQ(meta.started_ns, 1'763'877'600'000'000'001);
  EXPECT_EQ(meta.ended_ns, 1'763'877'612'500'000'000);
  EXPECT_EQ(meta.totals.entries(), 10U);
  EXPECT_EQ(meta.totals.disk_bytes, 5U);
  EXPECT_EQ(meta.errors, 1U);
  EXPECT_EQ(meta.changed, 2U);
  ASSERT_EQ(meta.filesystems.size(), 1U);
  EXPECT_EQ(meta.filesystems[0].type, "ext4");
  EXPECT_EQ(meta.filesystems[0].roots, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(meta.filesystems[0].available, 40U);
  EXPECT_EQ(meta.filesystems[0].free_inodes, 5U);
  ASSERT_EQ(meta.other_filesystems.size(), 1U);
  EXPECT_EQ(meta.other_filesystems[0].mount_point, "/home");
  EXPECT_TRUE(meta.other_filesystems[0].roots.empty());
  EXPECT_EQ(meta.users.at(4'294'967'295), "nobody");
  EXPECT_EQ(meta.groups.at(100), "users");
  ASSERT_EQ(meta.files.size(), 1U);
  EXPECT_EQ(meta.files[0].bytes, 7U);
  EXPECT_EQ(meta.files[0].xxh128, "0123456789abcdef0123456789abcdef");
}

TEST(Meta, BeginsWithItsSchema) {
  EXPECT_EQ(write_meta(a_meta()).substr(0, 33), "{\n  \"schema\": \"fathom.snapshot/1\"");
}

TEST(Meta, KeepsBytesThatAreNotUtf8) {
  SnapshotMeta meta = a_meta();
  meta.host = "h\xff";
  meta.roots = {"/srv/\xfe", "/plain"};
  meta.users = {{7, "\x80"}};
  meta.filesystems[0].mount_point = "/\xc3";
  const SnapshotMeta read = parse_meta(write_meta(meta));
  EXPECT_EQ(read.host, "h\xff");
  EXPECT_EQ(read.roots, meta.roots);
  EXPECT_EQ(read.users.at(7), "\x80");
  EXPECT_EQ(read.filesystems[0].mount_point, "/\xc3");
}

TEST(Meta, KeepsTheLimitsOfNumbers) {
  SnapshotMeta meta = a_meta();
  meta.started_ns = std::numeric_limits<std::int64_t>::min();
  meta.ended_ns = std::numeric_limits<std::int64_t>::max();
  meta.totals.disk_bytes = std::numeric_limits<std::uint64_t>::max();
  const SnapshotMeta read = parse_meta(write_meta(meta));
  EXPECT_EQ(read.started_ns, meta.started_ns);
  EXPECT_EQ(read.ended_ns, meta.ended_ns);
  EXPECT_EQ(read.totals.disk_bytes, meta.totals.disk_bytes);
}

TEST(Meta, MayHaveMembersOfALaterVersion) {
  const std::string text =
      replaced(write_meta(a_meta()), "\"tag\"", "\"colour\": {\"a\": [1.5]}, \"tag\"");
  EXPECT_EQ(write_meta(parse_meta(text)), write_meta(a_meta()));
}

TEST(Meta, IsRefusedWithoutAnyOfItsMembers) {
  const std::string text = write_meta(a_meta());
  int members = 0;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
    const std::size_t end = text.find('"', at + 1);
    const std::string key = text.substr(at + 1, end - at - 1);
    at = end;
    // The sum of others, and what older versions do not have.
    const bool is_optional =
        key == "entries" || key == "transactions" || key == "rules" || key == "other_filesystems";
    if (text.compare(end + 1, 1, ":") != 0 || is_optional) continue;
    ++members;
    std::string other = text;
    other.insert(end, "x");
    EXPECT_EQ(refusal(other).substr(0, 11), "is damaged:") << key;
  }
  EXPECT_EQ(members, 53);
}

TEST(Meta, IsRefusedIfItIsCutOff) {
  const std::string text = write_meta(a_meta());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_NE(refusal(text.substr(0, length)), "accepted") << length;
  }
}

TEST(Meta, SaysWhatIsWrong) {
  const std::string text = write_meta(a_meta());
  const auto with = [&](std::string_view from, std::string_view to) {
    return refusal(replaced(text, from, to));
  };
  EXPECT_EQ(refusal("[]"), "is damaged: an object is missing");
  EXPECT_EQ(refusal("{"), "is damaged: it is not valid JSON: Missing a name for object member");
  EXPECT_EQ(refusal(text + '\0'), "is damaged: it contains a zero byte");
  EXPECT_EQ(refusal(text + std::string(16 << 20, ' ')), "is damaged: it is longer than 16 MiB");
  EXPECT_EQ(with("snapshot/1", "snapshot/2"),
            "is of a later version (fathom.snapshot/2): use a newer fathom");
  EXPECT_EQ(with("fathom.snapshot/1", "other/1"),
            "does not describe a snapshot: its schema is \"other/1\"");
  EXPECT_EQ(with("91ab", "91AB"), "is damaged: \"id\" is not 16 hexadecimal digits");
  EXPECT_EQ(with("\"tag\"", "\"id\": 1, \"tag\""), "is damaged: \"id\" occurs twice");
  EXPECT_EQ(with("\"before the move\"", "5"), "is damaged: \"tag\" is not text");
  EXPECT_EQ(with("\"errors\": 1", "\"errors\": -1"),
            "is damaged: \"errors\" is not a whole number");
  EXPECT_EQ(with("1763877600000000001", "1e300"),
            "is damaged: \"started_ns\" is not a 64-bit whole number");
  EXPECT_EQ(with("false", "0"), "is damaged: \"imported\" is not true or false");
  EXPECT_EQ(with("\"size\": 100", "\"size\": null"),
            "is damaged: filesystems: \"size\" is not a whole number");
  EXPECT_EQ(with("\"id\": 4294967295", "\"id\": 0"),
            "is damaged: users: \"id\" is not different for each owner");
  EXPECT_EQ(with("\"id\": 4294967295", "\"id\": 4294967296"),
            "is damaged: users: \"id\" is not an id of an owner");
  EXPECT_EQ(with("\"host\"", "\"host_b64\": \"eA==\", \"host\""),
            "is damaged: \"host\" is not the same as its base64");
}

TEST(Meta, NamesOnlyFilesOfItsDirectory) {
  const std::string text = write_meta(a_meta());
  for (const std::string_view name :
       {"../entries.parquet", "/etc/passwd", "", ".", "..", "a\\u0000"}) {
    EXPECT_EQ(refusal(replaced(text, "entries.parquet", name)),
              "is damaged: files: \"name\" is not the name of a file")
        << name;
  }
}

TEST(Meta, RefusesARootThatItDoesNotHave) {
  SnapshotMeta meta = a_meta();
  meta.filesystems[0].roots = {2};
  EXPECT_EQ(refusal(write_meta(meta)), "is damaged: filesystems: \"roots\" is not a list of roots");
}

TEST(Meta, IsNeverWrittenLongerThanItIsRead) {
  SnapshotMeta meta = a_meta();
  meta.roots.assign(4200, std::string(4095, 'a'));
  EXPECT_THROW(static_cast<void>(write_meta(meta)), base::Error);
}

TEST(Meta, MayBeNestedDeeplyWithoutHarm) {
  EXPECT_NE(refusal(std::string(1'000'000, '[')), "accepted");
  EXPECT_NE(refusal(std::string(1'000'000, '[') + std::string(1'000'000, ']')), "accepted");
}

}  // namespace
}  // namespace fathom::store
