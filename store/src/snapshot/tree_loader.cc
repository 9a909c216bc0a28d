// load_scan(), load_earlier_scan(): add row by row to a tree.

#include "snapshot/tree_loader.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/rt/executor.h"
#include "parquet/damage.h"
#include "snapshot/loaded_entries.h"

namespace fathom::store {

namespace {

class TreeLoader {
 public:
  explicit TreeLoader(const Snapshot::Files& files)
      : files_(files),
        roots_(files.meta.roots.size(), fs::kNoNode),
        appender_(std::in_place, builder_) {}

  void add(const LoadedEntry& loaded) {
    const fs::DirId parent = loaded.depth == 0 ? fs::kNoDir : above_[loaded.depth - 1];
    fs::NodeId node = fs::kNoNode;
    if (loaded.entry.kind() == fs::Kind::directory) {
      const auto added =
          appender_->add_directory(parent, loaded.depth, loaded.name, loaded.entry, loaded.flags);
      node = added.node;
      above_.resize(loaded.depth);
      above_.push_back(added.id);
    } else {
      node = appender_->add(parent, loaded.name, loaded.entry);
    }
    if (parent == fs::kNoDir) add_root(loaded.name, node);
  }

  fs::Tree finish() {
    appender_.reset();
    return builder_.finish(std::move(roots_));
  }

 private:
  void add_root(std::string_view name, fs::NodeId node) {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (roots_[i] != fs::kNoNode || files_.meta.roots[i] != name) continue;
      roots_[i] = node;
      return;
    }
    reading(files_.entries.label(),
            []() -> void { damaged("meta.json does not have one of its roots"); });
  }

  const Snapshot::Files& files_;
  fs::TreeBuilder builder_{true};
  std::vector<fs::NodeId> roots_;
  std::optional<fs::TreeBuilder::Appender> appender_;
  std::vector<fs::DirId> above_;  // the directories above the next entry, by depth
};

}  // namespace

fs::EarlierScan load_earlier_scan(const Snapshot::Files& files) {
  rt::Executor executor({.name = "fathom-read"});
  if (!files.id_matches) {
    reading(files.entries.label(), []() -> void {
      damaged("meta.json does not match its id, which is a checksum of it");
    });
  }
  // The clock of files may be a second behind.
  fs::EarlierScan earlier{.tree = nullptr,
                          .started = base::whole_seconds(files.meta.started_ns) - 1,
                          .transactions = files.meta.transactions};
  TreeLoader loader(files);
  EntryReader rows(files, Filesystems::read, executor);
  std::uint64_t device = 0;
  while (const LoadedEntry* row = rows.next()) {
    loader.add(*row);
    if (row->entry.device == device || row->filesystem.empty()) continue;
    device = row->entry.device;
    earlier.filesystems.try_emplace(device, row->filesystem);
  }
  earlier.tree = std::make_shared<const fs::Tree>(loader.finish());
  return earlier;
}

fs::Scan load_scan(const Snapshot::Files& files) {
  rt::Executor executor({.name = "fathom-read"});
  fs::Scan scan;
  TreeLoader loader(files);
  EntryReader rows(files, Filesystems::left_out, executor);
  while (const LoadedEntry* row = rows.next()) loader.add(*row);
  scan.tree = loader.finish();
  scan.errors = load_errors(files);
  scan.roots = files.meta.roots;
  scan.changed = files.meta.changed;
  scan.seconds = static_cast<double>(files.meta.ended_ns - files.meta.started_ns) / 1e9;
  return scan;
}

}  // namespace fathom::store
