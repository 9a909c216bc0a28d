// break_when: stops where a tag's memory, or a wait for a lock, exceeds its limit.
//
//   gdb --args break_when memory     then: run, backtrace
//   gdb --args break_when lock       then: run, thread apply all backtrace
//
// Without a debugger it prints why it stopped, and ends by SIGTRAP.

#include <fathom/base/crash_report.h>
#include <fathom/diag/break.h>
#include <fathom/diag/memory.h>
#include <fathom/diag/profiled_mutex.h>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

using namespace fathom;
using namespace std::chrono_literals;

namespace {

void grow() {
  const diag::MemoryScope scope("tree");
  std::vector<int> tree;
  for (int i = 0; i < 10'000'000; ++i) tree.push_back(i);
}

void hold_for_ever(diag::ProfiledMutex& mutex) {
  const std::lock_guard lock(mutex);
  std::thread([&] { const std::lock_guard waits(mutex); }).join();
}

}  // namespace

int main(int argc, char** argv) {
  base::report_crashes();  // adds the stack of the thread that stopped
  diag::count_memory();
  diag::ProfiledMutex queue("queue");
  const diag::Break on_tree = diag::break_when(diag::MemoryLimit{.tag = "tree", .bytes = 1 << 20});
  const diag::Break on_queue = diag::break_when(diag::WaitLimit{.lock = "queue", .time = 10ms});
  if (argc == 2 && std::string_view(argv[1]) == "memory") grow();
  if (argc == 2 && std::string_view(argv[1]) == "lock") hold_for_ever(queue);
}
