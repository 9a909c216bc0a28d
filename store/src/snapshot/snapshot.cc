// Snapshot: its files, written to a directory or to memory, and opened again.

#include "fathom/store/snapshot.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "fathom/base/error.h"
#include "os/file.h"
#include "parquet/table_writer.h"
#include "snapshot/directories.h"
#include "snapshot/entries_writer.h"
#include "snapshot/error_columns.h"
#include "snapshot/snapshot_files.h"
#include "snapshot/tree_loader.h"

namespace fathom::store {

namespace {

// A larger meta.json was not written by Fathom.
constexpr std::uint64_t kMostMeta = std::uint64_t{64} << 20;

std::string hexadecimal(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4) {
    *digit = kDigits[number & 15];
  }
  return text;
}

// The checksum of a file, block by block.
class FileHash {
 public:
  FileHash() : state_(XXH3_createState(), XXH3_freeState) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }

  void add(std::string_view bytes) {
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
    bytes_ += bytes.size();
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::string text() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return hexadecimal(hash.high64) + hexadecimal(hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
  std::uint64_t bytes_ = 0;
};

// Where a file of a snapshot goes.
class Target {
 public:
  virtual ~Target() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};
using OpenTarget = std::function<std::unique_ptr<Target>(std::string_view name)>;

// Writes one file, and says what it became.
template <class Write>
SnapshotFile write_file(std::string_view name, const OpenTarget& open, const Write& write) {
  const std::unique_ptr<Target> target = open(name);
  FileHash hash;
  write([&](std::string_view block) {
    hash.add(block);
    target->write(block);
    return true;
  });
  target->finish();
  return {.name = std::string(name), .bytes = hash.bytes(), .xxh128 = hash.text()};
}

SnapshotMeta write_files(const fs::Scan& scan, const SnapshotOptions& options,
                         rt::Executor& executor, const OpenTarget& open) {
  SnapshotMeta meta = options.meta;
  const fs::Totals totals(scan.tree);
  const EntrySource source{scan.tree, options.filesystem_ids, options.meta.roots};
  Directories directories;
  meta.totals = totals.whole();
  meta.errors = scan.errors.size();
  meta.changed = scan.changed;
  meta.files.clear();
  meta.files.push_back(write_file(kEntriesName, open, [&](const fs::Sink& sink) {
    EntriesWriter entries(executor, options.group_rows, sink);
    entries.add(source, totals, directories);
    entries.finish();
  }));
  meta.files.push_back(write_file(kDirectoriesName, open, [&](const fs::Sink& sink) {
    TableWriter table(executor, directories_schema(), sink);
    directories.write(table, options.group_rows);
    table.finish();
  }));
  meta.files.push_back(write_file(kErrorsName, open, [&](const fs::Sink& sink) {
    TableWriter table(executor, errors_schema(), sink);
    write_errors(scan.errors, options.group_rows, table);
    table.finish();
  }));
  meta.id.clear();
  const std::string text = write_meta(meta);
  meta.id = hexadecimal(XXH3_64bits(text.data(), text.size()));
  write_file(kMetaName, open, [&](const fs::Sink& sink) { sink(write_meta(meta)); });
  return meta;
}

// ---- Targets

class FolderTarget final : public Target {
 public:
  FolderTarget(int folder, std::string_view name) : file_(folder, std::string(name)) {}

  void write(std::string_view bytes) override { file_.write(bytes); }
  void finish() override { file_.finish(); }

 private:
  NewFile file_;
};

class MemoryTarget final : public Target {
 public:
  explicit MemoryTarget(std::string& bytes) : bytes_(bytes) {}

  void write(std::string_view bytes) override { bytes_ += bytes; }
  void finish() override {}

 private:
  std::string& bytes_;
};

// ---- Inputs

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
std::unique_ptr<Snapshot::Files> files_of(SnapshotMeta meta, const std::string& name,
                                          const InputOf& input) {
  const auto table = [&](std::string_view file, const Schema& schema) {
    return LazyTable(input(file), schema, name + "/" + std::string(file));
  };
  return std::unique_ptr<Snapshot::Files>(
      new Snapshot::Files{.meta = std::move(meta),
                          .name = name,
                          .entries = table(kEntriesName, entries_schema()),
                          .directories = table(kDirectoriesName, directories_schema()),
                          .errors = table(kErrorsName, errors_schema())});
}

SnapshotMeta read_meta(int folder, const std::string& name) {
  const OldFile file(folder, std::string(kMetaName));
  return reading(name + "/" + std::string(kMetaName), [&] {
    if (file.size() > kMostMeta) throw base::Error("is larger than any that fathom writes");
    std::string text(file.size(), '\0');
    file.read(0, text);
    return parse_meta(text);
  });
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
  std::call_once(once_, [this] { reading(label_, [this] { reader_.emplace(input_, schema_); }); });
  return *reader_;
}

// ---- Writing

SnapshotMeta write_snapshot(const fs::Scan& scan, const SnapshotOptions& options,
                            rt::Executor& executor, int folder) {
  return write_files(scan, options, executor, [folder](std::string_view name) {
    return std::make_unique<FolderTarget>(folder, name);
  });
}

Snapshot Snapshot::of(const fs::Scan& scan, const SnapshotOptions& options,
                      rt::Executor& executor) {
  std::map<std::string, std::shared_ptr<std::string>, std::less<>> written;
  SnapshotMeta meta = write_files(scan, options, executor, [&written](std::string_view name) {
    auto& bytes = written[std::string(name)] = std::make_shared<std::string>();
    return std::make_unique<MemoryTarget>(*bytes);
  });
  return Snapshot(files_of(std::move(meta), "the scan", [&](std::string_view name) {
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
  try {
    return Snapshot(files_of(read_meta(folder, name), name, [folder](std::string_view file) {
      return input_of(std::make_shared<const OldFile>(folder, std::string(file)));
    }));
  } catch (const base::SystemError& error) {
    throw base::Error(name + " is not a snapshot: " + error.what());
  }
}

const SnapshotMeta& Snapshot::meta() const {
  return files_->meta;
}

const Snapshot::Files& Snapshot::files() const {
  return *files_;
}

fs::Scan Snapshot::load() const {
  return load_scan(*files_);
}

std::optional<std::string> Snapshot::verify() const {
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
  } catch (const base::Error& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace fathom::store
