// LockReport: sorting, shares of holders, and text.

#include "fathom/diag/lock_report.h"

#include <algorithm>
#include <cmath>

#include "call_path.h"
#include "fathom/base/clock.h"
#include "lock/registry.h"
#include "text_table.h"

namespace fathom::diag {

namespace {

// Sorts the parts of the usage and computes each holder's share of the waits.
void settle(LockUsage& usage) {
  std::stable_sort(
      usage.holders.begin(), usage.holders.end(),
      [](const LockUsage::Holder& a, const LockUsage::Holder& b) { return a.blocked > b.blocked; });
  std::stable_sort(
      usage.waiters.begin(), usage.waiters.end(),
      [](const LockUsage::Waiter& a, const LockUsage::Waiter& b) { return a.waited > b.waited; });
  // The sum of waits does not include current waiters, although they have been blocked as well.
  std::chrono::nanoseconds blocked{0};
  for (const LockUsage::Holder& holder : usage.holders) blocked += holder.blocked;
  const std::chrono::nanoseconds all = std::max(usage.waited, blocked);
  usage.handing_over = all - blocked;
  for (LockUsage::Holder& holder : usage.holders) {
    holder.share = static_cast<double>(holder.blocked.count()) / static_cast<double>(all.count());
  }
}

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

// The first call that is not a guard.
std::string place_of(const base::Stack& site) {
  const std::vector<base::Frame> frames = base::frames_of(site);
  const auto at = std::find_if_not(frames.begin(), frames.end(), is_of_library);
  return at == frames.end() ? "an unknown place" : call_text(*at);
}

std::string holder_line(const LockUsage& usage, const LockUsage::Holder& holder) {
  std::string text = usage.name + ": " + percent(holder.share) + " of the wait was while ";
  text += holder.thread;
  if (!holder.site.frames().empty()) text += " at " + place_of(holder.site);
  return text + " held it, " + std::to_string(holder.holds) +
         (holder.holds == 1 ? " time\n" : " times\n");
}

std::string waiter_lines(const LockUsage::Waiter& waiter) {
  return "  " + grouped(waiter.waits) + (waiter.waits == 1 ? " wait" : " waits") + " of " +
         base::format_duration(LockProfile::kLongWait) + " or more, together " +
         base::format_duration(waiter.waited) + ", the longest " +
         base::format_duration(waiter.longest) + ":\n" + call_path(waiter.stack, 8, "      ");
}

// The numbers of waits below 2 us, below 4 us and so on, for the non-empty buckets.
std::string histogram_line(const LockProfile::Histogram& histogram) {
  std::string text;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;
    const std::chrono::nanoseconds end(std::int64_t{2} << i);
    text +=
        (text.empty() ? "" : ", ") + grouped(histogram[i]) + " below " + base::format_duration(end);
  }
  return text;
}

std::string details(const LockUsage& usage) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, usage.holders.size()); ++i) {
    text += holder_line(usage, usage.holders[i]);
  }
  const double unheld = static_cast<double>(usage.handing_over.count()) /
                        static_cast<double>(std::max<std::int64_t>(usage.waited.count(), 1));
  if (unheld >= 0.005) {
    text += usage.name + ": " + percent(unheld) +
            " of the wait was while nobody held it, before the next thread ran\n";
  }
  text += "  waits by length: " + histogram_line(usage.wait_histogram) + '\n';
  for (std::size_t i = 0; i < std::min(kMost, usage.waiters.size()); ++i) {
    text += waiter_lines(usage.waiters[i]);
  }
  return text;
}

}  // namespace

LockReport lock_report() {
  LockReport report;
  for (auto& [name, usage] : LockRegistry::all().usages()) {
    settle(usage);
    report.locks.push_back(std::move(usage));
  }
  std::stable_sort(
      report.locks.begin(), report.locks.end(), [](const LockUsage& a, const LockUsage& b) {
        return a.waited != b.waited ? a.waited > b.waited : a.acquisitions > b.acquisitions;
      });
  return report;
}

std::string LockReport::text(std::size_t most) const {
  TextTable table(
      {"lock", "locks", "acquired", "waits", "waited", "longest", "held about", "longest"});
  for (const LockUsage& lock : locks) {
    table.add({lock.name, grouped(lock.locks), grouped(lock.acquisitions), grouped(lock.waits),
               base::format_duration(lock.waited), base::format_duration(lock.longest_wait),
               lock.measured_holds == 0 ? "unknown" : base::format_duration(lock.held),
               lock.measured_holds == 0 ? "unknown" : base::format_duration(lock.longest_hold)});
  }
  std::string text = table.text();
  for (std::size_t i = 0; i < std::min(most, locks.size()); ++i) {
    if (locks[i].waits != 0) text += details(locks[i]);
  }
  return text;
}

}  // namespace fathom::diag
