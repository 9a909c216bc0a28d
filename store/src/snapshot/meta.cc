// write_meta, parse_meta: meta.json of a snapshot, with rapidjson's DOM.

#include <algorithm>
#include <limits>

#include "fathom/base/error.h"
#include "fathom/fs/json.h"
#include "fathom/fs/json_writer.h"
#include "fathom/store/snapshot.h"
#include "parquet/damage.h"
#include "snapshot/json_object.h"

namespace fathom::store {

namespace {

constexpr std::string_view kMetaSchema = "fathom.snapshot/1";
// A file of this size names about 300,000 owners. Reading one takes at most 30 times its size.
constexpr std::size_t kLongestMeta = std::size_t{16} << 20;
constexpr std::size_t kIdDigits = 16;
constexpr std::size_t kHashDigits = 32;

// ---- Writing

void write_filesystems(fs::JsonWriter& json, std::string_view key,
                       const std::vector<SnapshotFilesystem>& filesystems) {
  json.begin_array(key);
  for (const SnapshotFilesystem& filesystem : filesystems) {
    json.begin_object();
    json.bytes("fs_uuid", filesystem.fs_uuid);
    json.bytes("type", filesystem.type);
    json.bytes("mount_point", filesystem.mount_point);
    json.begin_array("roots");
    for (const std::size_t root : filesystem.roots) json.number(root);
    json.end_array();
    json.number("size", filesystem.size);
    json.number("free", filesystem.free);
    json.number("available", filesystem.available);
    json.number("inodes", filesystem.inodes);
    json.number("free_inodes", filesystem.free_inodes);
    json.end_object();
  }
  json.end_array();
}

void write_transactions(fs::JsonWriter& json,
                        const std::map<std::string, fs::SubvolumeState>& transactions) {
  if (transactions.empty()) return;
  json.begin_array("transactions");
  for (const auto& [fs_uuid, state] : transactions) {
    json.begin_object();
    json.bytes("fs_uuid", fs_uuid);
    json.bytes("subvolume", state.uuid);
    json.number("transaction", state.transaction);
    json.end_object();
  }
  json.end_array();
}

void write_owners(fs::JsonWriter& json, std::string_view key,
                  const std::map<std::uint32_t, std::string>& owners) {
  json.begin_array(key);
  for (const auto& [id, name] : owners) {
    json.begin_object();
    json.number("id", id);
    json.bytes("name", name);
    json.end_object();
  }
  json.end_array();
}

void write_files(fs::JsonWriter& json, const std::vector<SnapshotFile>& files) {
  json.begin_array("files");
  for (const SnapshotFile& file : files) {
    json.begin_object();
    json.bytes("name", file.name);
    json.number("bytes", file.bytes);
    json.string("xxh128", file.xxh128);
    json.end_object();
  }
  json.end_array();
}

// ---- Reading

fs::Counts totals_of(const JsonObject& from) {
  return {.files = from.number("files"),
          .dirs = from.number("dirs"),
          .symlinks = from.number("symlinks"),
          .others = from.number("others"),
          .disk_bytes = from.number("disk_bytes"),
          .apparent_bytes = from.number("apparent_bytes")};
}

SnapshotFilesystem filesystem_of(const JsonObject& from, std::size_t roots) {
  SnapshotFilesystem filesystem = {.fs_uuid = from.bytes("fs_uuid"),
                                   .type = from.bytes("type"),
                                   .mount_point = from.bytes("mount_point"),
                                   .size = from.number("size"),
                                   .free = from.number("free"),
                                   .available = from.number("available"),
                                   .inodes = from.number("inodes"),
                                   .free_inodes = from.number("free_inodes")};
  for (const rapidjson::Value& root : from.array("roots")) {
    if (!root.IsUint64() || root.GetUint64() >= roots) from.wrong("roots", "a list of roots");
    filesystem.roots.push_back(root.GetUint64());
  }
  return filesystem;
}

std::map<std::uint32_t, std::string> owners_of(const JsonObject& meta, const char* key) {
  std::map<std::uint32_t, std::string> owners;
  meta.each(key, [&](const JsonObject& owner) {
    const std::uint64_t id = owner.number("id");
    if (id > std::numeric_limits<std::uint32_t>::max()) owner.wrong("id", "an id of an owner");
    if (!owners.emplace(static_cast<std::uint32_t>(id), owner.bytes("name")).second) {
      owner.wrong("id", "different for each owner");
    }
  });
  return owners;
}

// A name is used to open a file of the snapshot's directory.
SnapshotFile file_of(const JsonObject& from) {
  SnapshotFile file = {.name = from.bytes("name"),
                       .bytes = from.number("bytes"),
                       .xxh128 = from.digits("xxh128", kHashDigits)};
  const bool outside = file.name.find_first_of(std::string_view("/\0", 2)) != std::string::npos;
  if (outside || file.name.empty() || file.name == "." || file.name == "..") {
    from.wrong("name", "the name of a file");
  }
  return file;
}

void check_schema(const JsonObject& meta) {
  const std::string schema = meta.bytes("schema");
  if (schema == kMetaSchema) return;
  if (schema.starts_with(kMetaSchema.substr(0, kMetaSchema.find('/') + 1))) {
    throw base::Error("is of a later version (" + schema + "): use a newer fathom");
  }
  throw base::Error("does not describe a snapshot: its schema is \"" + schema + "\"");
}

}  // namespace

bool same_selection(const SnapshotMeta& a, const SnapshotMeta& b) {
  const auto by_option = [](std::vector<std::string> selection) {
    const auto option = [](std::string_view word) {
      const std::string_view name = word.substr(0, word.find('='));
      return name == "--exclude-from" ? "--exclude" : name;  // they are one list of rules
    };
    std::ranges::stable_sort(selection, {}, option);
    return selection;
  };
  return by_option(a.selection) == by_option(b.selection);
}

std::string write_meta(const SnapshotMeta& meta) {
  std::string text;
  const fs::Sink sink = [&](std::string_view block) {
    text += block;
    return true;
  };
  fs::JsonWriter json(sink, fs::JsonWriter::Layout::indented);
  json.begin_object();
  json.string("schema", kMetaSchema);
  json.string("id", meta.id);
  json.bytes("tag", meta.tag);
  json.bytes("writer", meta.writer);
  json.bytes("host", meta.host);
  json.bytes_of_each("roots", meta.roots);
  json.bytes_of_each("selection", meta.selection);
  if (meta.rules != 0) json.number("rules", meta.rules);
  json.flag("imported", meta.imported);
  json.number("started_ns", meta.started_ns);
  json.number("ended_ns", meta.ended_ns);
  fs::write_totals(json, meta.totals);
  json.number("errors", meta.errors);
  json.number("changed", meta.changed);
  write_filesystems(json, "filesystems", meta.filesystems);
  if (!meta.other_filesystems.empty()) {
    write_filesystems(json, "other_filesystems", meta.other_filesystems);
  }
  write_transactions(json, meta.transactions);
  write_owners(json, "users", meta.users);
  write_owners(json, "groups", meta.groups);
  write_files(json, meta.files);
  json.end_object();
  json.end_line();
  json.flush();
  if (text.size() > kLongestMeta) {
    throw base::Error("the roots and owners of the snapshot need more than 16 MiB of meta.json");
  }
  return text;
}

SnapshotMeta parse_meta(std::string_view text) {
  if (text.size() > kLongestMeta) damaged("it is longer than 16 MiB");
  const rapidjson::Document document = parsed_json(text);
  const JsonObject from(document, "");
  check_schema(from);
  SnapshotMeta meta;
  meta.id = from.digits("id", kIdDigits);
  meta.tag = from.bytes("tag");
  meta.writer = from.bytes("writer");
  meta.host = from.bytes("host");
  meta.roots = from.bytes_of_each("roots");
  meta.selection = from.bytes_of_each("selection");
  if (from.has("rules")) meta.rules = from.number("rules");
  meta.imported = from.flag("imported");
  meta.started_ns = from.signed_number("started_ns");
  meta.ended_ns = from.signed_number("ended_ns");
  meta.totals = totals_of(from.object("totals"));
  meta.errors = from.number("errors");
  meta.changed = from.number("changed");
  from.each("filesystems", [&](const JsonObject& each) {
    meta.filesystems.push_back(filesystem_of(each, meta.roots.size()));
  });
  if (from.has("other_filesystems")) {
    from.each("other_filesystems", [&](const JsonObject& each) {
      meta.other_filesystems.push_back(filesystem_of(each, meta.roots.size()));
    });
  }
  if (from.has("transactions")) {
    from.each("transactions", [&](const JsonObject& each) {
      meta.transactions[each.bytes("fs_uuid")] = {.transaction = each.number("transaction"),
                                                  .uuid = each.bytes("subvolume")};
    });
  }
  meta.users = owners_of(from, "users");
  meta.groups = owners_of(from, "groups");
  from.each("files", [&](const JsonObject& each) { meta.files.push_back(file_of(each)); });
  return meta;
}

}  // namespace fathom::store
