// History: matching pushes with pops, and checking each rule by sorting and one pass.

#include "fathom/testing/history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <ostream>

namespace fathom::testing {
namespace {

using Calls = std::vector<Call>;
using Findings = std::vector<Finding>;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// A value between its push and the call that took it.
struct Item {
  Call push;
  Call take{Did::pop, 0, kNever, kNever};  // kNever: nothing took it
  [[nodiscard]] bool taken() const { return take.end != kNever; }
};
using Items = std::vector<Item>;

bool takes(const Call& call) {
  return call.did == Did::pop || call.did == Did::steal;
}
bool found_nothing(const Call& call) {
  return call.did == Did::empty || call.did == Did::closed;
}

// Matches each push with the call that took its value; reports mismatches.
Items match(const Calls& calls, Findings& findings) {
  Items items;
  for (const Call& call : calls) {
    if (call.did == Did::push) items.push_back({.push = call});
  }
  const auto by_value = [](const Item& a, const Item& b) { return a.push.value < b.push.value; };
  std::sort(items.begin(), items.end(), by_value);
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].push.value == items[i - 1].push.value) {
      findings.push_back({Flaw::invented, items[i].push});
    }
  }
  for (const Call& call : calls) {
    if (!takes(call)) continue;
    const auto item = std::lower_bound(items.begin(), items.end(), Item{.push = call}, by_value);
    if (item == items.end() || item->push.value != call.value || call.end < item->push.begin) {
      findings.push_back({Flaw::invented, call});
    } else if (item->taken()) {
      findings.push_back({Flaw::doubled, call});
    } else {
      item->take = call;
    }
  }
  for (const Item& item : items) {
    if (!item.taken()) findings.push_back({Flaw::lost, item.push});
  }
  return items;
}

// The largest or smallest value over all keys below a bound, or from a bound on.
class Extremes {
 public:
  void add(std::uint64_t key, std::uint64_t value) { points_.push_back({key, value, value}); }
  // Call once, after the last add().
  void sort() {
    std::sort(points_.begin(), points_.end(),
              [](const Point& a, const Point& b) { return a.key < b.key; });
    for (std::size_t i = 1; i < points_.size(); ++i) {
      points_[i].most = std::max(points_[i].most, points_[i - 1].most);
    }
    for (std::size_t i = points_.size(); i-- > 1;) {
      points_[i - 1].least = std::min(points_[i - 1].least, points_[i].least);
    }
  }
  [[nodiscard]] std::size_t count_below(std::uint64_t key) const {
    const auto it = std::partition_point(points_.begin(), points_.end(),
                                         [&](const Point& point) { return point.key < key; });
    return static_cast<std::size_t>(it - points_.begin());
  }
  // 0 if there is none.
  [[nodiscard]] std::uint64_t most_below(std::uint64_t key) const {
    const std::size_t count = count_below(key);
    return count == 0 ? 0 : points_[count - 1].most;
  }
  // kNever if there is none.
  [[nodiscard]] std::uint64_t least_from(std::uint64_t key) const {
    const std::size_t count = count_below(key);
    return count == points_.size() ? kNever : points_[count].least;
  }

 private:
  struct Point {
    std::uint64_t key;
    std::uint64_t most;   // of the values up to here
    std::uint64_t least;  // of the values from here on
  };
  std::vector<Point> points_;
};

// The times at which the queue was certainly not empty, in any order of effects.
//
// An item is certainly present from the end of its push to the beginning of the call that takes it.
// If the next item was pushed before that, the queue was not empty in between either.
class Presence {
 public:
  explicit Presence(const Items& items) {
    std::vector<Span> spans;
    for (const Item& item : items) {
      if (item.push.end < item.take.begin) spans.push_back({item.push.end, item.take.begin});
    }
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.after < b.after; });
    for (const Span& span : spans) {
      if (!spans_.empty() && span.after < spans_.back().before) {
        spans_.back().before = std::max(spans_.back().before, span.before);
      } else {
        spans_.push_back(span);
      }
    }
  }
  // Whether the queue was not empty throughout the call.
  [[nodiscard]] bool covers(const Call& call) const {
    const auto next = std::partition_point(
        spans_.begin(), spans_.end(), [&](const Span& span) { return span.after < call.begin; });
    return next != spans_.begin() && call.end < std::prev(next)->before;
  }

 private:
  struct Span {
    std::uint64_t after;
    std::uint64_t before;
  };
  std::vector<Span> spans_;  // in order, disjoint
};

// An item whose push came first must not be taken certainly later.
void find_reordered(const Items& items, Findings& findings) {
  Extremes takes_by_push;
  for (const Item& item : items) {
    if (item.taken()) takes_by_push.add(item.push.end, item.take.begin);
  }
  takes_by_push.sort();
  for (const Item& item : items) {
    if (item.taken() && item.take.end < takes_by_push.most_below(item.push.begin)) {
      findings.push_back({Flaw::reordered, item.take});
    }
  }
}

void find_false_empty(const Calls& calls, const Items& items, bool exact, Findings& findings) {
  const Presence presence(items);
  Extremes pushes;
  Extremes takes_by_push;
  for (const Item& item : items) {
    pushes.add(item.push.end, item.push.begin);
    takes_by_push.add(item.push.end, item.take.begin);
  }
  pushes.sort();
  takes_by_push.sort();
  for (const Call& call : calls) {
    if (!found_nothing(call)) continue;
    bool wrong = false;
    if (exact || call.did == Did::closed) {
      wrong = presence.covers(call);
    } else {
      // The pushes that are certainly older than each push in progress during the call.
      const std::uint64_t oldest = std::min(call.begin, pushes.least_from(call.begin));
      wrong = call.end < takes_by_push.most_below(oldest);
    }
    if (wrong) findings.push_back({Flaw::false_empty, call});
  }
}

// Whether there was room: certainly not, or certainly.
void find_wrong_room(const Calls& calls, const Items& items, const QueueRules& rules,
                     Findings& findings) {
  Extremes pushes_by_begin;
  Extremes pushes_by_end;
  Extremes takes_by_begin;
  Extremes takes_by_end;
  for (const Item& item : items) {
    pushes_by_begin.add(item.push.begin, 0);
    pushes_by_end.add(item.push.end, 0);
    if (!item.taken()) continue;
    takes_by_begin.add(item.take.begin, 0);
    takes_by_end.add(item.take.end, item.take.begin);
  }
  for (Extremes* each : {&pushes_by_begin, &pushes_by_end, &takes_by_begin, &takes_by_end}) {
    each->sort();
  }
  for (const Call& call : calls) {
    if (call.did == Did::full) {
      // Of the taken items, those that are certainly older than each pop in progress.
      std::uint64_t oldest = call.begin;
      if (!rules.exact) oldest = std::min(oldest, takes_by_end.least_from(call.begin));
      const std::size_t at_most =
          pushes_by_begin.count_below(call.end + 1) - takes_by_end.count_below(oldest);
      if (at_most < rules.capacity) findings.push_back({Flaw::false_full, call});
    }
    if (call.did == Did::push) {
      const std::size_t in = pushes_by_end.count_below(call.end + 1);
      const std::size_t out = takes_by_begin.count_below(call.end + 1);
      if (in > out && in - out > rules.capacity) findings.push_back({Flaw::overfull, call});
    }
  }
}

// The owner pops the newest item: the items above it must have been taken, or be in the process.
void find_popped_too_early(const Items& items, Findings& findings) {
  struct Step {
    const Item* item;
    bool push;
    [[nodiscard]] std::uint64_t end() const { return push ? item->push.end : item->take.end; }
  };
  std::vector<Step> steps;  // of the owner
  for (const Item& item : items) {
    if (!item.taken()) continue;
    steps.push_back({&item, true});
    if (item.take.did == Did::pop) steps.push_back({&item, false});
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.end() < b.end(); });
  std::vector<const Item*> stack;
  for (const Step& step : steps) {
    if (step.push) {
      stack.push_back(step.item);
      continue;
    }
    bool wrong = false;
    while (!stack.empty() && stack.back() != step.item) {
      wrong = wrong || step.item->take.end < stack.back()->take.begin;
      stack.pop_back();
    }
    if (!stack.empty()) stack.pop_back();  // otherwise already reported
    if (wrong) findings.push_back({Flaw::reordered, step.item->take});
  }
}

// Thieves steal the oldest item: the items below it must have been taken, or be in the process.
void find_stolen_too_early(Items items, Findings& findings) {
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.push.end < b.push.end; });
  std::uint64_t last = 0;
  for (const Item& item : items) {
    if (!item.taken()) continue;
    if (item.take.did == Did::steal && item.take.end < last) {
      findings.push_back({Flaw::reordered, item.take});
    }
    last = std::max(last, item.take.begin);
  }
}

void find_false_race(const Calls& calls, Findings& findings) {
  Extremes wins;
  for (const Call& call : calls) {
    if (takes(call)) wins.add(call.begin, call.end);
  }
  wins.sort();
  for (const Call& call : calls) {
    if (call.did != Did::lost_race) continue;
    const bool won =
        wins.count_below(call.end + 1) > 0 && wins.most_below(call.end + 1) >= call.begin;
    if (!won) findings.push_back({Flaw::false_race, call});
  }
}

}  // namespace

History::History(std::size_t threads, std::size_t kept, std::size_t vain) : logs_(threads) {
  for (Log& log : logs_) {
    log.history_ = this;
    log.kept_.reserve(kept);
    log.vain_.reserve(vain);
  }
}

std::vector<Call> History::calls() const {
  Calls all;
  for (const Log& log : logs_) {
    all.insert(all.end(), log.kept_.begin(), log.kept_.end());
    all.insert(all.end(), log.vain_.begin(), log.vain_.end());
  }
  return all;
}

std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  static constexpr std::array kFlaws{"invented",    "doubled",    "lost",     "reordered",
                                     "false empty", "false full", "overfull", "false race"};
  static constexpr std::array kDid{"push", "pop", "steal", "full", "empty", "closed", "lost race"};
  const Call& call = finding.call;
  return out << kFlaws.at(static_cast<std::size_t>(finding.flaw)) << ": "
             << kDid.at(static_cast<std::size_t>(call.did)) << " of " << call.value << " at ["
             << call.begin << ", " << call.end << "]";
}

std::vector<Finding> queue_flaws(const std::vector<Call>& calls, const QueueRules& rules) {
  Findings findings;
  const Items items = match(calls, findings);
  find_reordered(items, findings);
  find_false_empty(calls, items, rules.exact, findings);
  find_wrong_room(calls, items, rules, findings);
  return findings;
}

std::vector<Finding> deque_flaws(const std::vector<Call>& calls) {
  Findings findings;
  const Items items = match(calls, findings);
  find_popped_too_early(items, findings);
  find_stolen_too_early(items, findings);
  find_false_empty(calls, items, true, findings);
  find_false_race(calls, findings);
  return findings;
}

}  // namespace fathom::testing
