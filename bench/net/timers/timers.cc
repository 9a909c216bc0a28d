// Timers: rt::Timers, a multimap, and the cases.

#include "net/timers/timers.h"

#include <functional>
#include <map>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/rt/net/timers.h"

namespace fathom::bench {

namespace {

using Time = base::MonotonicClock::time_point;

class Fathom {
 public:
  explicit Fathom(std::size_t count) : ids_(count) {}
  void set(std::size_t place, std::chrono::milliseconds delay) {
    ids_[place] = timers_.set(now_ + delay, [this] { called_ = true; });
  }
  void cancel(std::size_t place) { timers_.cancel(ids_[place]); }
  bool is_right() {
    return timers_.size() == ids_.size() && timers_.run_due(now_) == 0 && !called_;
  }

 private:
  const Time now_ = base::monotonic_now();
  rt::Timers timers_;
  std::vector<rt::Timers::Id> ids_;
  bool called_ = false;
};

// The simple implementation: a map sorted by deadlines.
class Multimap {
 public:
  explicit Multimap(std::size_t count) : places_(count) {}
  void set(std::size_t place, std::chrono::milliseconds delay) {
    places_[place] = timers_.emplace(now_ + delay, [this] { called_ = true; });
  }
  void cancel(std::size_t place) { timers_.erase(places_[place]); }
  bool is_right() {
    return timers_.size() == places_.size() && timers_.begin()->first > now_ && !called_;
  }

 private:
  using Timers = std::multimap<Time, std::function<void()>>;
  const Time now_ = base::monotonic_now();
  Timers timers_;
  std::vector<Timers::iterator> places_;
  bool called_ = false;
};

}  // namespace

void add_timers() {
  add_timer_contender<Fathom>("fathom");
  add_timer_contender<Multimap>("multimap");
}

}  // namespace fathom::bench
