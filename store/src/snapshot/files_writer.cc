// FilesWriter: the tables one after the other, and meta.json at the end.

#include "snapshot/files_writer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/path.h"
#include "os/file.h"
#include "snapshot/error_columns.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

namespace {

std::string hexadecimal(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4) {
    *digit = kDigits[number & 15];
  }
  return text;
}

class FolderTarget final : public FileTarget {
 public:
  FolderTarget(int folder, std::string_view name) : file_(folder, std::string(name)) {}

  void write(std::string_view bytes) override { file_.write(bytes); }
  void finish() override { file_.finish(); }

 private:
  NewFile file_;
};

// The path of an error below the absolute path of its root: the scan has it below the root as the
// user named it, which may be relative.
std::string kept_path(const std::string& path, const std::vector<std::string>& named,
                      std::span<const std::string> roots) {
  std::size_t longest = 0;
  std::string kept = path;
  for (std::size_t i = 0; i < std::min(named.size(), roots.size()); ++i) {
    const std::string& root = named[i];
    if (root.size() < longest || !base::is_at_or_below(path, root)) continue;
    longest = root.size();
    const std::size_t below = path.find_first_not_of('/', root.size());
    kept = below == path.npos ? roots[i] : base::joined_path(roots[i], path.substr(below));
  }
  return kept;
}

}  // namespace

OpenTarget targets_in(int folder) {
  return [folder](std::string_view name) { return std::make_unique<FolderTarget>(folder, name); };
}

// ---- Checksums

struct FileHash::State {
  XXH3_state_t xxh3;
};

FileHash::FileHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh3);
}

FileHash::~FileHash() = default;

void FileHash::add(std::string_view bytes) {
  XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
  bytes_ += bytes.size();
}

std::string FileHash::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh3);
  return hexadecimal(hash.high64) + hexadecimal(hash.low64);
}

std::string id_of(std::string_view meta_without_id) {
  return hexadecimal(XXH3_64bits(meta_without_id.data(), meta_without_id.size()));
}

SnapshotFile FilesWriter::File::finish() {
  target_->finish();
  return {.name = name_, .bytes = hash_.bytes(), .xxh128 = hash_.text()};
}

// ---- Files

FilesWriter::FilesWriter(const SnapshotOptions& options, rt::Executor& executor, OpenTarget open)
    : options_(options),
      executor_(executor),
      open_(std::move(open)),
      meta_(options.meta),
      entries_file_(kEntriesName, open_),
      entries_(executor, options.group_rows, entries_file_.sink()) {
  meta_.totals = {};
  meta_.errors = 0;
  meta_.changed = 0;
  meta_.files.clear();
}

void FilesWriter::add(const fs::Scan& scan, std::span<const std::string> roots) {
  entries_.add({scan.tree, options_.filesystem_ids, roots}, &directories_);
  meta_.changed += scan.changed;
  for (const fs::ScanError& error : scan.errors) {
    errors_.push_back({kept_path(error.path, scan.roots, roots), error.operation, error.code});
  }
}

void FilesWriter::add(const std::function<std::optional<RowGroup>(std::size_t most)>& next,
                      const std::vector<fs::ScanError>& errors, std::uint64_t changed) {
  std::optional<RowGroup> group = next(options_.group_rows);
  while (group) {
    std::optional<RowGroup> following;
    entries_.add_group({group->tree, options_.filesystem_ids, {}}, group->rows, &directories_,
                       [&] { following = next(options_.group_rows); });
    group = std::move(following);
  }
  meta_.changed += changed;
  errors_.insert(errors_.end(), errors.begin(), errors.end());
}

void FilesWriter::add_roots(const std::vector<std::string>& roots) {
  meta_.roots.insert(meta_.roots.end(), roots.begin(), roots.end());
}

SnapshotMeta FilesWriter::finish() {
  entries_.finish();
  meta_.files.push_back(entries_file_.finish());
  add_table(kDirectoriesName, directories_schema(),
            [this](TableWriter& table) { directories_.write(table, options_.group_rows); });
  meta_.totals = directories_.whole();
  add_table(kErrorsName, errors_schema(),
            [this](TableWriter& table) { write_errors(errors_, options_.group_rows, table); });
  meta_.errors = errors_.size();
  meta_.id.clear();
  meta_.id = id_of(write_meta(meta_));
  const std::unique_ptr<FileTarget> target = open_(kMetaName);
  target->write(write_meta(meta_));
  target->finish();
  return std::move(meta_);
}

void FilesWriter::add_table(std::string_view name, const Schema& schema,
                            const std::function<void(TableWriter&)>& write) {
  File file(name, open_);
  TableWriter table(executor_, schema, file.sink());
  write(table);
  table.finish();
  meta_.files.push_back(file.finish());
}

// ---- The public interface

class SnapshotWriter::Files : public FilesWriter {
 public:
  Files(const SnapshotOptions& options, rt::Executor& executor, int folder)
      : FilesWriter(options, executor, targets_in(folder)) {}
};

SnapshotWriter::SnapshotWriter(const SnapshotOptions& options, rt::Executor& executor, int folder)
    : files_(std::make_unique<Files>(options, executor, folder)) {}

SnapshotWriter::~SnapshotWriter() = default;

void SnapshotWriter::add(const fs::Scan& scan, const std::vector<std::string>& roots) {
  files_->add_roots(roots);
  files_->add(scan, roots);
}

SnapshotMeta SnapshotWriter::finish() {
  return files_->finish();
}

SnapshotMeta write_snapshot(const fs::Scan& scan, const SnapshotOptions& options,
                            rt::Executor& executor, int folder) {
  FilesWriter files(options, executor, targets_in(folder));
  files.add(scan, options.meta.roots);
  return files.finish();
}

}  // namespace fathom::store
