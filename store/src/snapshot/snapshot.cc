// Snapshot: its files, in a directory or in memory.

#include "fathom/store/snapshot.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "fathom/base/error.h"
#include "os/file.h"
#include "snapshot/error_columns.h"
#include "snapshot/files_writer.h"
#include "snapshot/loaded_entries.h"
#include "snapshot/snapshot_files.h"
#include "snapshot/tree_loader.h"

namespace fathom::store {

namespace {

// A larger meta.json was not written by Fathom.
constexpr std::uint64_t kMostMeta = std::uint64_t{64} << 20;

// Bytes of the name of an owner. Results have that for each entry, so a longer one is not used.
constexpr std::size_t kLongestOwner = 255;

fs::OwnerNames::NameOf look_up_in(std::map<std::uint32_t, std::string> names) {
  std::erase_if(names, [](const auto& owner) { return owner.second.size() > kLongestOwner; });
  return [names = std::move(names)](std::uint32_t id) -> std::optional<std::string> {
    const auto found = names.find(id);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  };
}

class MemoryTarget final : public FileTarget {
 public:
  MemoryTarget(std::string& bytes, const rt::CancelToken& cancel)
      : bytes_(bytes), cancel_(cancel) {}

  // Of each row group, each column is written by itself.
  void write(std::string_view bytes) override {
    if (cancel_.cancelled()) throw base::Error("the snapshot was cancelled");
    bytes_ += bytes;
  }
  void finish() override {}

 private:
  std::string& bytes_;
  const rt::CancelToken cancel_;
};

RandomInput input_of(std::shared_ptr<const std::string> bytes) {
  const std::uint64_t size = bytes->size();
  return {.size = size,
          .read = [bytes = std::move(bytes)](std::uint64_t offset, std::span<char> buffer) {
            std::memcpy(buffer.data(), bytes->data() + offset, buffer.size());
          }};
}

RandomInput input_of(std::shared_ptr<const OldFile> file) {
  const std::uint64_t size = file->size();
  return {.size = size,
          .read = [file = std::move(file)](std::uint64_t offset, std::span<char> buffer) {
            file->read(offset, buffer);
          }};
}

template <class InputOf>
std::unique_ptr<Snapshot::Files> files_of(const SnapshotMeta& meta, const std::string& name,
                                          const InputOf& input) {
  const auto table = [&](std::string_view file, const Schema& schema) {
    return LazyTable(input(file), schema, name + "/" + std::string(file));
  };
  return std::unique_ptr<Snapshot::Files>(
      new Snapshot::Files{.meta = meta,
                          .name = name,
                          .entries = table(kEntriesName, entries_schema()),
                          .directories = table(kDirectoriesName, directories_schema()),
                          .errors = table(kErrorsName, errors_schema())});
}

std::string content_of(const OldFile& file) {
  if (file.size() > kMostMeta) throw base::Error("is larger than any that fathom writes");
  std::string text(file.size(), '\0');
  file.read(0, text);
  return text;
}

// Of the text itself: it may have members that this version does not know.
bool id_matches(std::string text, const std::string& id) {
  const std::string member = "\"id\": \"" + id;
  const std::size_t at = text.find(member);
  if (at == std::string::npos) return false;
  text.erase(at + member.size() - id.size(), id.size());
  return id_of(text) == id;
}

// What is wrong with the list of files in meta.json; empty: nothing.
std::string fault_of_list(const std::vector<SnapshotFile>& files) {
  std::vector<std::string_view> names;
  for (const SnapshotFile& file : files) names.push_back(file.name);
  std::sort(names.begin(), names.end());
  const std::array wanted = {kDirectoriesName, kEntriesName, kErrorsName};
  if (std::equal(names.begin(), names.end(), wanted.begin(), wanted.end())) return "";
  return "does not list exactly the three other files of a snapshot";
}

std::string hash_of_input(const RandomInput& input) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  FileHash hash;
  std::string block;
  for (std::uint64_t at = 0; at < input.size; at += block.size()) {
    block.resize(std::min(kBlock, input.size - at));
    input.read(at, block);
    hash.add(block);
  }
  return hash.text();
}

}  // namespace

const ParquetReader& LazyTable::get() const {
  const std::lock_guard lock(mutex_);
  if (!reader_) reading(label_, [this] { reader_.emplace(input_, schema_); });
  return *reader_;
}

Snapshot Snapshot::of(const fs::Scan& scan, const SnapshotOptions& options, rt::Executor& executor,
                      const rt::CancelToken& cancel) {
  std::map<std::string, std::shared_ptr<std::string>, std::less<>> written;
  FilesWriter files(options, executor, [&](std::string_view name) {
    auto& bytes = written[std::string(name)] = std::make_shared<std::string>();
    return std::make_unique<MemoryTarget>(*bytes, cancel);
  });
  files.add(scan, options.meta.roots);
  const SnapshotMeta meta = files.finish();
  return Snapshot(files_of(meta, "the scan", [&](std::string_view name) {
    return input_of(std::shared_ptr<const std::string>(written.find(name)->second));
  }));
}

// ---- Reading

Snapshot::Snapshot(std::unique_ptr<Files> files) : files_(std::move(files)) {}
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

Snapshot Snapshot::open(const std::string& path) {
  const base::Fd folder = open_folder(path);
  return open(folder.get(), path);
}

Snapshot Snapshot::open(int folder, const std::string& name) {
  const auto file_called = [&](std::string_view file) {
    try {
      return std::make_shared<const OldFile>(folder, std::string(file));
    } catch (const base::Error& error) {
      throw base::Error(name + " is not a snapshot: " + error.what());
    }
  };
  const std::string label = name + "/" + std::string(kMetaName);
  const auto meta_file = file_called(kMetaName);
  const std::string text = reading(label, [&] { return content_of(*meta_file); });
  const SnapshotMeta meta = reading(label, [&] { return parse_meta(text); });
  auto files =
      files_of(meta, name, [&](std::string_view file) { return input_of(file_called(file)); });
  files->id_matches = id_matches(text, meta.id);
  return Snapshot(std::move(files));
}

const SnapshotMeta& Snapshot::meta() const {
  return files_->meta;
}

std::uint64_t Snapshot::rows() const {
  return files_->entries.get().rows();
}

const Snapshot::Files& Snapshot::files() const {
  return *files_;
}

fs::Scan Snapshot::load() const {
  fs::Scan scan = load_scan(*files_);
  if (!meta().imported) scan.saved_names = {look_up_in(meta().users), look_up_in(meta().groups)};
  return scan;
}

fs::EarlierScan Snapshot::load_earlier() const {
  return load_earlier_scan(*files_);
}

std::optional<std::string> Snapshot::verify() const {
  const std::string meta = files_->name + "/" + std::string(kMetaName);
  if (!files_->id_matches) return meta + " does not match its id, which is a checksum of it";
  if (const std::string fault = fault_of_list(files_->meta.files); !fault.empty()) {
    return meta + " " + fault;
  }
  try {
    for (const LazyTable* table : {&files_->entries, &files_->directories, &files_->errors}) {
      const std::string_view name =
          std::string_view(table->label()).substr(table->label().rfind('/') + 1);
      for (const SnapshotFile& file : files_->meta.files) {
        if (file.name != name) continue;
        if (file.bytes != table->input().size || file.xxh128 != hash_of_input(table->input())) {
          return table->label() + " does not match its checksum in meta.json";
        }
      }
    }
    static_cast<void>(load());
    decode_values(*files_);
  } catch (const base::Error& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace fathom::store
