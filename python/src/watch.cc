// Watch: what end_work() has to know.

#include "watch.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

namespace fathom::python {

namespace {

// Nobody waits for Python's lock with this mutex.
struct Works {
  std::mutex mutex;  // of what follows
  std::condition_variable over;
  std::size_t unlocked = 0;
  std::set<Watch*> watches;
};

// Never destroyed: a thread may outlast the end of Python.
Works& works() {
  static Works& all = *new Works;
  return all;
}

}  // namespace

void end_work() {
  const nb::gil_scoped_release released;
  std::unique_lock lock(works().mutex);
  for (Watch* const watch : works().watches) watch->source_.cancel();
  works().over.wait_for(lock, std::chrono::seconds(2), [] { return works().unlocked == 0; });
}

Unlocked::Unlocked() {
  const std::lock_guard lock(works().mutex);
  ++works().unlocked;
}

Unlocked::~Unlocked() {
  const std::lock_guard lock(works().mutex);
  --works().unlocked;
  works().over.notify_all();
}

Watch::Watch(nb::object callback) : callback_(std::move(callback)) {
  const std::lock_guard lock(works().mutex);
  works().watches.insert(this);
}

Watch::~Watch() {
  const std::lock_guard lock(works().mutex);
  works().watches.erase(this);
}

}  // namespace fathom::python
