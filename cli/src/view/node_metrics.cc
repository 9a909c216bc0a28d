// NodeMetrics: names and labels, as https://prometheus.io/docs/practices/naming asks for them.

#include "view/node_metrics.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/utf8.h"

namespace fathom::cli {

namespace {

struct RootFigures {
  fs::Counts counts;
  bool read = false;
};

// By the index of the root. One inside of another root, or the same directory, is counted there.
std::vector<RootFigures> figures_of(const fs::Scan& scan) {
  const fs::Tree& tree = scan.tree;
  const fs::Totals totals(tree);
  const auto identity_of = [&](fs::NodeId node) {
    return std::pair(tree.device(node), tree.inode(node));
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, fs::Counts> counted;  // of directories
  for (const fs::NodeId root : tree.roots()) {
    if (root != fs::kNoNode) counted[identity_of(root)] = {};
  }
  tree.for_each_directory([&](fs::DirId directory) {
    const fs::NodeId node = tree.node(directory);
    if ((tree.flags(node) & fs::kRepeated) != 0) return;
    const auto found = counted.find(identity_of(node));
    if (found != counted.end()) found->second = totals.below(directory);
  });
  std::vector<RootFigures> figures(tree.roots().size());
  for (std::size_t root = 0; root < figures.size(); ++root) {
    const fs::NodeId node = tree.roots()[root];
    if (node == fs::kNoNode) continue;
    figures[root].read = true;
    fs::Counts& counts = figures[root].counts;
    if (tree.kind(node) == fs::Kind::directory) {
      counts = counted[identity_of(node)];
      continue;
    }
    const fs::Entry entry = tree.entry(node);
    counts.files = 1;  // or another kind: only the number of entries is written
    counts.disk_bytes = entry.disk_bytes();
    counts.apparent_bytes = entry.apparent_bytes();
  }
  return figures;
}

// A value of a label, in quotes. It must be UTF-8.
std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : fs::to_escaped_utf8(value)) {
    if (c == '\\' || c == '"') text += '\\';
    c == '\n' ? text += "\\n" : text += c;
  }
  return text + '"';
}

class MetricsText {
 public:
  void gauge(std::string_view name, std::string_view help) {
    name_ = name;
    text_ += "# HELP " + name_ + ' ' + std::string(help) + "\n# TYPE " + name_ + " gauge\n";
  }
  void sample(const std::string& labels, std::uint64_t value) {
    text_ += name_ + '{' + labels + "} " + std::to_string(value) + '\n';
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
  std::string name_;  // of the current metric
};

void add_roots(const fs::Scan& scan, const store::SnapshotMeta& meta, MetricsText& text) {
  const std::vector<RootFigures> figures = figures_of(scan);
  const auto each = [&](std::string_view name, std::string_view help, const auto& value_of) {
    text.gauge(name, help);
    for (std::size_t root = 0; root < figures.size(); ++root) {
      if (!figures[root].read) continue;
      text.sample("root=" + in_quotes(meta.roots[root]), value_of(figures[root].counts));
    }
  };
  each("fathom_snapshot_timestamp_seconds", "When the scan of the latest snapshot ended.",
       [&](const fs::Counts&) {
         return static_cast<std::uint64_t>(base::whole_seconds(meta.ended_ns));
       });
  each("fathom_snapshot_entries", "Entries below the root, each name once.",
       [](const fs::Counts& counts) { return counts.entries(); });
  each("fathom_snapshot_disk_bytes", "Disk space of the entries below the root, each inode once.",
       [](const fs::Counts& counts) { return counts.disk_bytes; });
  each("fathom_snapshot_apparent_bytes", "Sizes of the entries below the root, each inode once.",
       [](const fs::Counts& counts) { return counts.apparent_bytes; });
  each("fathom_snapshot_complete", "1 if everything in the snapshot could be read, otherwise 0.",
       [&](const fs::Counts&) -> std::uint64_t { return meta.complete() ? 1 : 0; });
}

void add_filesystems(const store::SnapshotMeta& meta, MetricsText& text) {
  const auto each = [&](std::string_view name, std::string_view help,
                        std::uint64_t store::SnapshotFilesystem::*value) {
    text.gauge(name, help);
    for (const store::SnapshotFilesystem& filesystem : meta.filesystems) {
      text.sample("fstype=" + in_quotes(filesystem.type) +
                      ",mountpoint=" + in_quotes(filesystem.mount_point),
                  filesystem.*value);
    }
  };
  if (meta.filesystems.empty()) return;
  each("fathom_filesystem_size_bytes", "Size of a filesystem that a root is on.",
       &store::SnapshotFilesystem::size);
  each("fathom_filesystem_avail_bytes", "Space that is available to unprivileged users.",
       &store::SnapshotFilesystem::available);
}

}  // namespace

std::string node_metrics(const fs::Scan& scan, const store::SnapshotMeta& meta) {
  MetricsText text;
  add_roots(scan, meta, text);
  add_filesystems(meta, text);
  return std::move(text).take();
}

}  // namespace fathom::cli
