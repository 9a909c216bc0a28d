// FakeProc: a folder like /proc, with threads as a test describes them.

#pragma once

#include <cstdint>
#include <string>

#include "fathom/testing/temp_tree.h"

namespace fathom::diag {

struct FakeThread {
  std::string name = "program";
  char state = 'S';
  std::uint64_t user_ticks = 0;  // of 10 ms, as are the others
  std::uint64_t system_ticks = 0;
  std::uint64_t started_ticks = 0;  // since the start of the system
  std::uint64_t disk_ticks = 0;
  std::uint64_t ran = 0;     // nanoseconds
  std::uint64_t waited = 0;  // nanoseconds
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;
  std::uint64_t migrations = 0;
};

class FakeProc {
 public:
  FakeProc();

  [[nodiscard]] const std::string& path() const { return tree_.path(); }

  // Adds or replaces a thread. Without a process, its id is that of its process.
  void thread(long process, long id, const FakeThread& thread);
  // Removes all but the folder of the thread, as if it had ended while /proc was read.
  void clear(long process, long id);
  void remove(long process, long id);
  // Adds or replaces the figures of the process as a whole.
  void process(long process, const FakeThread& all);
  // The processes that the thread has created: "12 13".
  void children(long process, long id, const std::string& ids);
  void disk_wait_is_measured() { tree_.write("sys/kernel/task_delayacct", "1\n"); }
  void without_children() const;
  void without_sched(long process, long id) const;

 private:
  testing::TempTree tree_;
};

}  // namespace fathom::diag
