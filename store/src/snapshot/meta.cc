// write_meta, parse_meta: meta.json of a snapshot, with rapidjson's DOM.

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/json.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/utf8.h"
#include "fathom/store/snapshot.h"
#include "parquet/damage.h"

namespace fathom::store {

namespace {

constexpr std::string_view kMetaSchema = "fathom.snapshot/1";
// A file of this size names about 300,000 owners. Reading one takes at most 30 times its size.
constexpr std::size_t kLongestMeta = std::size_t{16} << 20;
constexpr std::size_t kIdDigits = 16;
constexpr std::size_t kHashDigits = 32;

// ---- Writing

void write_filesystems(fs::JsonWriter& json, const std::vector<SnapshotFilesystem>& filesystems) {
  json.begin_array("filesystems");
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

bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The members of one object. `place` begins messages: "filesystems: ".
class MetaObject {
 public:
  MetaObject(const rapidjson::Value& value, std::string place)
      : value_(value), place_(std::move(place)) {
    if (!value.IsObject()) damaged(place_ + "an object is missing");
  }

  [[nodiscard]] std::uint64_t number(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsUint64()) wrong(key, "a whole number");
    return value.GetUint64();
  }

  [[nodiscard]] std::int64_t signed_number(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsInt64()) wrong(key, "a 64-bit whole number");
    return value.GetInt64();
  }

  [[nodiscard]] bool flag(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsBool()) wrong(key, "true or false");
    return value.GetBool();
  }

  // Bytes, as fs::JsonWriter::bytes() writes them.
  [[nodiscard]] std::string bytes(const char* key) const {
    std::string shown = text_of(key, member(key));
    const rapidjson::Value* const base64 = find(beside(key));
    return base64 == nullptr ? shown : bytes_of(key, shown, *base64);
  }

  // As fs::JsonWriter::bytes_of_each() writes them.
  [[nodiscard]] std::vector<std::string> bytes_of_each(const char* key) const {
    std::vector<std::string> all;
    for (const rapidjson::Value& each : array(key)) all.push_back(text_of(key, each));
    if (find(beside(key)) == nullptr) return all;
    const auto base64 = array(beside(key).c_str());
    if (base64.Size() != all.size()) wrong(key, "as long as its base64");
    for (rapidjson::SizeType i = 0; i < base64.Size(); ++i) {
      if (!base64[i].IsNull()) all[i] = bytes_of(key, all[i], base64[i]);
    }
    return all;
  }

  [[nodiscard]] std::string digits(const char* key, std::size_t count) const {
    std::string text = text_of(key, member(key));
    if (!is_hexadecimal(text, count)) {
      wrong(key, (std::to_string(count) + " hexadecimal digits").c_str());
    }
    return text;
  }

  [[nodiscard]] rapidjson::Value::ConstArray array(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsArray()) wrong(key, "a list");
    return value.GetArray();
  }

  [[nodiscard]] MetaObject object(const char* key) const {
    return {member(key), place_ + key + ": "};
  }

  // Calls take(object) for each object of a list.
  template <class Take>
  void each(const char* key, Take take) const {
    for (const rapidjson::Value& value : array(key)) take(MetaObject(value, place_ + key + ": "));
  }

  [[noreturn]] void wrong(const std::string& key, const char* should_be) const {
    damaged(place_ + "\"" + key + "\" is not " + should_be);
  }

 private:
  static std::string beside(const char* key) { return std::string(key) + "_b64"; }

  [[nodiscard]] const rapidjson::Value* find(const std::string& key) const {
    const auto has_key = [&](const auto& member) {
      return key == std::string_view(member.name.GetString(), member.name.GetStringLength());
    };
    const auto end = value_.MemberEnd();
    const auto found = std::find_if(value_.MemberBegin(), end, has_key);
    if (found == end) return nullptr;
    if (std::find_if(found + 1, end, has_key) != end) {
      damaged(place_ + "\"" + key + "\" occurs twice");
    }
    return &found->value;
  }

  [[nodiscard]] const rapidjson::Value& member(const char* key) const {
    const rapidjson::Value* const value = find(key);
    if (value == nullptr) damaged(place_ + "\"" + key + "\" is missing");
    return *value;
  }

  [[nodiscard]] std::string text_of(const char* key, const rapidjson::Value& value) const {
    if (!value.IsString()) wrong(key, "text");
    return {value.GetString(), value.GetStringLength()};
  }

  [[nodiscard]] std::string bytes_of(const char* key, const std::string& shown,
                                     const rapidjson::Value& base64) const {
    auto bytes = fs::from_base64(text_of(key, base64));
    if (!bytes || fs::to_utf8(*bytes) != shown) wrong(key, "the same as its base64");
    return std::move(*bytes);
  }

  const rapidjson::Value& value_;
  const std::string place_;
};

fs::Counts totals_of(const MetaObject& from) {
  return {.files = from.number("files"),
          .dirs = from.number("dirs"),
          .symlinks = from.number("symlinks"),
          .others = from.number("others"),
          .disk_bytes = from.number("disk_bytes"),
          .apparent_bytes = from.number("apparent_bytes")};
}

SnapshotFilesystem filesystem_of(const MetaObject& from, std::size_t roots) {
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

std::map<std::uint32_t, std::string> owners_of(const MetaObject& meta, const char* key) {
  std::map<std::uint32_t, std::string> owners;
  meta.each(key, [&](const MetaObject& owner) {
    const std::uint64_t id = owner.number("id");
    if (id > std::numeric_limits<std::uint32_t>::max()) owner.wrong("id", "an id of an owner");
    if (!owners.emplace(static_cast<std::uint32_t>(id), owner.bytes("name")).second) {
      owner.wrong("id", "different for each owner");
    }
  });
  return owners;
}

// A name is used to open a file of the snapshot's directory.
SnapshotFile file_of(const MetaObject& from) {
  SnapshotFile file = {.name = from.bytes("name"),
                       .bytes = from.number("bytes"),
                       .xxh128 = from.digits("xxh128", kHashDigits)};
  const bool outside = file.name.find_first_of(std::string_view("/\0", 2)) != std::string::npos;
  if (outside || file.name.empty() || file.name == "." || file.name == "..") {
    from.wrong("name", "the name of a file");
  }
  return file;
}

void check_schema(const MetaObject& meta) {
  const std::string schema = meta.bytes("schema");
  if (schema == kMetaSchema) return;
  if (schema.starts_with(kMetaSchema.substr(0, kMetaSchema.find('/') + 1))) {
    throw base::Error("is of a later version (" + schema + "): use a newer fathom");
  }
  throw base::Error("does not describe a snapshot: its schema is \"" + schema + "\"");
}

}  // namespace

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
  json.flag("imported", meta.imported);
  json.number("started_ns", meta.started_ns);
  json.number("ended_ns", meta.ended_ns);
  fs::write_totals(json, meta.totals);
  json.number("errors", meta.errors);
  json.number("changed", meta.changed);
  write_filesystems(json, meta.filesystems);
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
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  if (text.size() > kLongestMeta) damaged("it is longer than 16 MiB");
  // RapidJSON would stop there, as if it were the end.
  if (text.find('\0') != std::string_view::npos) damaged("it contains a zero byte");
  rapidjson::Document document;
  document.Parse<kFlags>(text.data(), text.size());
  if (document.HasParseError()) {
    std::string_view why = rapidjson::GetParseError_En(document.GetParseError());
    if (why.ends_with('.')) why.remove_suffix(1);
    damaged("it is not valid JSON: " + std::string(why));
  }
  const MetaObject from(document, "");
  check_schema(from);
  SnapshotMeta meta;
  meta.id = from.digits("id", kIdDigits);
  meta.tag = from.bytes("tag");
  meta.writer = from.bytes("writer");
  meta.host = from.bytes("host");
  meta.roots = from.bytes_of_each("roots");
  meta.selection = from.bytes_of_each("selection");
  meta.imported = from.flag("imported");
  meta.started_ns = from.signed_number("started_ns");
  meta.ended_ns = from.signed_number("ended_ns");
  meta.totals = totals_of(from.object("totals"));
  meta.errors = from.number("errors");
  meta.changed = from.number("changed");
  from.each("filesystems", [&](const MetaObject& each) {
    meta.filesystems.push_back(filesystem_of(each, meta.roots.size()));
  });
  meta.users = owners_of(from, "users");
  meta.groups = owners_of(from, "groups");
  from.each("files", [&](const MetaObject& each) { meta.files.push_back(file_of(each)); });
  return meta;
}

}  // namespace fathom::store
