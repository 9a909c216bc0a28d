// make_reports: makes each requested report, on several threads if the tree is large.

#include "fathom/fs/report.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/memory_tag.h"
#include "fathom/rt/concurrency.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace fathom::fs {

namespace {

// A smaller tree is finished before a thread has started.
constexpr std::uint64_t kWorthThreads = 20'000;  // entries

}  // namespace

struct ReportInput::Derived {
  std::once_flag children_made;
  std::optional<Children> children;
  std::once_flag newest_made;
  std::optional<Newest> newest;
};

ReportInput::ReportInput(const Scan& scan, const Totals& totals, Measure measure, std::int64_t now)
    : scan_(scan),
      totals_(totals),
      measure_(measure),
      now_(now),
      derived_(std::make_unique<Derived>()) {}

ReportInput::~ReportInput() = default;

const Children& ReportInput::children() const {
  std::call_once(derived_->children_made, [this] { derived_->children.emplace(tree()); });
  return *derived_->children;
}

const Newest& ReportInput::newest() const {
  constexpr std::int64_t kDay = 24 * 60 * 60;
  std::call_once(derived_->newest_made, [this] {
    std::int64_t latest = std::numeric_limits<std::int64_t>::max();
    if (__builtin_add_overflow(now_, kDay, &latest)) latest = now_;
    derived_->newest.emplace(tree(), latest);
  });
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
  if (requests.size() < 2 || input.totals().whole().entries() < kWorthThreads) {
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
