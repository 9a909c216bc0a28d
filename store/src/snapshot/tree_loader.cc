// load_scan(): row groups are decoded column by column, in parallel, and then added row by row.

#include "snapshot/tree_loader.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "parquet/damage.h"
#include "snapshot/entry_columns.h"
#include "snapshot/error_columns.h"

namespace fathom::store {

namespace {

// What a tree consists of. The others can be derived.
constexpr std::array kLoaded = {
    EntryColumn::name,     EntryColumn::name_raw, EntryColumn::subtree_end, EntryColumn::mode,
    EntryColumn::flags,    EntryColumn::size,     EntryColumn::blocks,      EntryColumn::dev,
    EntryColumn::ino,      EntryColumn::nlink,    EntryColumn::uid,         EntryColumn::gid,
    EntryColumn::mtime_ns, EntryColumn::ctime_ns, EntryColumn::btime_ns,
};

// The values of a column, row by row.
class Cursor {
 public:
  explicit Cursor(const Values& values, bool optional) : values_(values), optional_(optional) {}

  // Goes on to the next row, and says whether it has a value. Call once per row.
  bool next() { return !optional_ || values_.present[row_++] != 0; }
  [[nodiscard]] std::int64_t number() { return values_.numbers[value_++]; }
  [[nodiscard]] std::string_view text() { return values_.texts[value_++]; }

  [[nodiscard]] std::int64_t number_or(std::int64_t otherwise) {
    return next() ? number() : otherwise;
  }

 private:
  const Values& values_;
  const bool optional_;
  std::size_t row_ = 0;
  std::size_t value_ = 0;
};

std::uint64_t not_negative(std::int64_t number) {
  if (number < 0) damaged("a size is negative");
  return static_cast<std::uint64_t>(number);
}

std::int64_t seconds_of(std::int64_t nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (nanoseconds == fs::kUnknownTime) return nanoseconds;
  return nanoseconds / kSecond - (nanoseconds % kSecond < 0 ? 1 : 0);
}

// Adds the rows of entries.parquet to a tree.
class Loader {
 public:
  explicit Loader(const SnapshotMeta& meta)
      : meta_(meta), roots_(meta.roots.size(), fs::kNoNode), appender_(std::in_place, builder_) {}

  // The rows of a group, of which the first one has the number `first`.
  void add(const std::array<Values, kLoaded.size()>& values, std::uint64_t first,
           std::size_t rows) {
    std::vector<Cursor> cursors;
    for (std::size_t i = 0; i < kLoaded.size(); ++i) {
      cursors.emplace_back(values[i],
                           entries_schema().columns[static_cast<std::size_t>(kLoaded[i])].optional);
    }
    for (std::size_t i = 0; i < rows; ++i) add_row(cursors, first + i);
  }

  fs::Tree finish(std::uint64_t rows) {
    if (!open_.empty() && open_.back().end > rows) damaged("its last directory does not end");
    appender_.reset();
    return builder_.finish(std::move(roots_));
  }

 private:
  struct Open {
    fs::DirId id;
    std::uint64_t end;
  };

  void add_row(std::vector<Cursor>& cursors, std::uint64_t row) {
    while (!open_.empty() && open_.back().end <= row) open_.pop_back();
    std::size_t column = 0;
    const auto next = [&]() -> Cursor& { return cursors[column++]; };
    std::string_view name = next().text();
    if (Cursor& raw = next(); raw.next()) name = raw.text();
    const auto end = static_cast<std::uint64_t>(next().number());
    fs::Entry entry;
    entry.mode = static_cast<std::uint16_t>(next().number());
    const auto flags = static_cast<std::uint8_t>(next().number());
    entry.size = not_negative(next().number());
    entry.blocks = not_negative(next().number());
    entry.device = static_cast<std::uint64_t>(next().number());
    entry.inode = static_cast<std::uint64_t>(next().number());
    entry.links = static_cast<std::uint32_t>(next().number());
    entry.uid = static_cast<std::uint32_t>(next().number_or(fs::kUnknownOwner));
    entry.gid = static_cast<std::uint32_t>(next().number_or(fs::kUnknownOwner));
    entry.times.mtime = next().number_or(fs::kUnknownTime);
    entry.times.ctime = next().number_or(fs::kUnknownTime);
    entry.times.btime = next().number_or(fs::kUnknownTime);
    entry.mtime = seconds_of(entry.times.mtime);
    add_entry(name, entry, flags, row, end);
  }

  void add_entry(std::string_view name, const fs::Entry& entry, std::uint8_t flags,
                 std::uint64_t row, std::uint64_t end) {
    constexpr std::uint8_t kOfDirectories =
        fs::kIncomplete | fs::kFilteredOut | fs::kHasOmittedChildren;
    const bool directory = entry.kind() == fs::Kind::directory;
    if (end <= row || (!directory && end != row + 1) ||
        (!open_.empty() && end > open_.back().end)) {
      damaged("its directories overlap");
    }
    const fs::DirId parent = open_.empty() ? fs::kNoDir : open_.back().id;
    fs::NodeId node = fs::kNoNode;
    if (directory) {
      const auto added =
          appender_->add_directory(parent, static_cast<std::uint32_t>(open_.size()), name, entry,
                                   static_cast<std::uint8_t>(flags & kOfDirectories));
      node = added.node;
      open_.push_back({.id = added.id, .end = end});
    } else {
      node = appender_->add(parent, name, entry);
    }
    if (parent == fs::kNoDir) add_root(name, node);
  }

  void add_root(std::string_view name, fs::NodeId node) {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (roots_[i] != fs::kNoNode || meta_.roots[i] != name) continue;
      roots_[i] = node;
      return;
    }
    damaged("meta.json does not have one of its roots");
  }

  const SnapshotMeta& meta_;
  fs::TreeBuilder builder_{true};
  std::vector<fs::NodeId> roots_;
  std::optional<fs::TreeBuilder::Appender> appender_;
  std::vector<Open> open_;  // the directories above the next row
};

// Calls read(group, first row in it, rows) for all rows of a file, a page at a time.
template <class Read>
void for_each_part(const ParquetReader& file, const Read& read) {
  const std::size_t page_rows = file.page_rows();
  for (std::size_t group = 0; group < file.groups(); ++group) {
    for (std::size_t row = 0; row < file.rows(group); row += page_rows) {
      read(group, row, std::min(page_rows, file.rows(group) - row));
    }
  }
}

fs::Tree load_tree(const SnapshotMeta& meta, const ParquetReader& file, rt::Executor& executor) {
  Loader loader(meta);
  std::deque<ChunkDecoder> decoders;  // by column: its texts are valid until it reads again
  for (std::size_t i = 0; i < kLoaded.size(); ++i) decoders.emplace_back(file);
  std::array<Values, kLoaded.size()> values;
  for_each_part(file, [&](std::size_t group, std::size_t first, std::size_t rows) {
    rt::parallel_for(executor, std::size_t{0}, kLoaded.size(), [&](std::size_t i) {
      decoders[i].read(group, static_cast<std::size_t>(kLoaded[i]), first, rows, values[i]);
    });
    loader.add(values, file.first_row(group) + first, rows);
  });
  return loader.finish(file.rows());
}

const char* operation_of(std::string_view name) {
  for (const char* known : {"open", "list", "stat"}) {
    if (name == known) return known;
  }
  damaged("it has an unknown operation");
}

std::vector<fs::ScanError> load_errors(const ParquetReader& file) {
  std::vector<fs::ScanError> errors;
  std::deque<ChunkDecoder> decoders;
  for (std::size_t i = 0; i < errors_schema().columns.size(); ++i) decoders.emplace_back(file);
  std::vector<Values> values(decoders.size());
  for_each_part(file, [&](std::size_t group, std::size_t first, std::size_t rows) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      decoders[i].read(group, i, first, rows, values[i]);
    }
    std::size_t raw = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_raw = values[1].present[row] != 0;
      errors.push_back({.path = std::string(is_raw ? values[1].texts[raw++] : values[0].texts[row]),
                        .operation = operation_of(values[2].texts[row]),
                        .code = static_cast<int>(values[3].numbers[row])});
    }
  });
  return errors;
}

}  // namespace

fs::Scan load_scan(const Snapshot::Files& files) {
  rt::Executor executor({.name = "fathom-read"});
  fs::Scan scan;
  const ParquetReader& entries = files.entries.get();
  scan.tree =
      reading(files.entries.label(), [&] { return load_tree(files.meta, entries, executor); });
  const ParquetReader& errors = files.errors.get();
  scan.errors = reading(files.errors.label(), [&] { return load_errors(errors); });
  scan.roots = files.meta.roots;
  scan.changed = files.meta.changed;
  scan.seconds = static_cast<double>(files.meta.ended_ns - files.meta.started_ns) / 1e9;
  return scan;
}

void decode_values(const Snapshot::Files& files) {
  rt::Executor executor({.name = "fathom-read"});
  for (const LazyTable* table : {&files.entries, &files.directories}) {
    const ParquetReader& file = table->get();
    const auto decode_column = [&](std::size_t column) {
      ChunkDecoder decoder(file);
      Values values;
      for_each_part(file, [&](std::size_t group, std::size_t first, std::size_t rows) {
        decoder.read(group, column, first, rows, values);
      });
    };
    reading(table->label(), [&] {
      rt::parallel_for(executor, std::size_t{0}, file.columns().size(), decode_column);
    });
  }
}

}  // namespace fathom::store
