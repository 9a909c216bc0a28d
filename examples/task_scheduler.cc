// TaskScheduler: a task that runs after two others, on any threads.

#include <array>
#include <iostream>
#include <thread>

#include "fathom/sched/task_scheduler.h"

using fathom::sched::TaskScheduler;

TaskScheduler::Outcome square(TaskScheduler& /*scheduler*/, TaskScheduler::Handle /*task*/,
                              void* context) noexcept {
  int& number = *static_cast<int*>(context);
  number *= number;
  return TaskScheduler::Outcome::done;
}

TaskScheduler::Outcome add(TaskScheduler& /*scheduler*/, TaskScheduler::Handle /*task*/,
                           void* context) noexcept {
  auto& numbers = *static_cast<std::array<int, 3>*>(context);
  numbers[2] = numbers[0] + numbers[1];
  return TaskScheduler::Outcome::done;
}

int main() {
  std::array<int, 3> numbers = {3, 4, 0};
  TaskScheduler scheduler({.tasks = 3, .dependencies = 2});
  std::array<TaskScheduler::Handle, 3> tasks;
  scheduler.create({{&square, &numbers[0]}, {&square, &numbers[1]}, {&add, &numbers}}, tasks);
  scheduler.add_dependencies(tasks[2], {tasks.data(), 2});
  scheduler.ready({tasks.data(), 2});

  const auto run = [&scheduler] {
    while (scheduler.execute_one(0)) {
    }
  };
  std::thread other(run);
  run();
  other.join();
  std::cout << "3 * 3 + 4 * 4 = " << numbers[2] << '\n';
  return numbers[2] == 25 ? 0 : 1;
}
