// make_reports: makes each requested report, on several threads if the tree is large.

#include "fathom/fs/report.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/memory_tag.h"
#include "fathom/base/path.h"
#include "fathom/rt/concurrency.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace fathom::fs {

namespace {

// A smaller tree is finished before a thread has started.
constexpr std::uint64_t kWorthThreads = 20'000;  // entries

Counts sums_of(const Subtree& part, const Tree& tree, const Totals& totals) {
  if (part.is_whole()) return totals.whole();
  if (part.directory() != kNoDir) return totals.below(part.directory());
  Counts counts;
  counts.add(tree, part.top());
  return counts;
}

std::uint32_t depth_of(const Tree& tree, NodeId node) {
  const DirId parent = tree.parent(node);
  return parent == kNoDir ? 0 : tree.depth(parent) + 1;
}

}  // namespace

struct ReportInput::Derived {
  std::once_flag children_made;
  std::optional<Children> children;
  std::once_flag newest_made;
  std::optional<Newest> newest;
};

ReportInput::ReportInput(const Scan& scan, const Totals& totals, Measure measure, std::int64_t now)
    : ReportInput(scan, totals, measure, now, Subtree(scan.tree)) {}

ReportInput::ReportInput(const Scan& scan, const Totals& totals, Measure measure, std::int64_t now,
                         Subtree part)
    : scan_(scan),
      totals_(totals),
      measure_(measure),
      now_(now),
      part_(std::move(part)),
      sums_(sums_of(part_, scan.tree, totals)),
      top_depth_(part_.is_whole() ? 0 : depth_of(scan.tree, part_.top())),
      top_path_(part_.is_whole() ? "" : scan.tree.path(part_.top())),
      derived_(std::make_unique<Derived>()) {}

ReportInput::~ReportInput() = default;

std::uint32_t ReportInput::depth(NodeId node) const {
  return depth_of(tree(), node) - top_depth_;
}

bool ReportInput::contains(std::string_view path) const {
  return part_.is_whole() || base::is_at_or_below(path, top_path_);
}

const Children& ReportInput::children() const {
  std::call_once(derived_->children_made, [this] { derived_->children.emplace(tree()); });
  return *derived_->children;
}

const Newest& ReportInput::newest() const {
  std::call_once(derived_->newest_made,
                 [this] { derived_->newest.emplace(tree(), latest_usable(now_)); });
  return *derived_->newest;
}

Table make_report(const ReportInput& input, const ReportRequest& request) {
  return report_info(request.kind).make(input, request);
}

std::vector<Table> make_reports(const ReportInput& input,
                                const std::vector<ReportRequest>& requests) {
  std::vector<std::optional<Table>> made(requests.size());
  const auto make = [&](std::size_t i) {
    const base::MemoryTag tag("reports");
    made[i].emplace(make_report(input, requests[i]));
  };
  if (requests.size() < 2 || input.sums().entries() < kWorthThreads) {
    for (std::size_t i = 0; i < requests.size(); ++i) make(i);
  } else {
    const auto useful = static_cast<unsigned>(requests.size());
    rt::Executor executor({.threads = std::min(useful, rt::default_concurrency())});
    rt::TaskGroup group(executor);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      try {
        group.run([&make, i] { make(i); });
      } catch (const base::Error&) {
        make(i);  // because no thread could be started
      }
    }
    group.wait();
  }
  std::vector<Table> tables;
  tables.reserve(made.size());
  for (std::optional<Table>& table : made) tables.push_back(*std::move(table));
  return tables;
}

}  // namespace fathom::fs
