// TwoLockQueue: an unbounded queue, for producers that must never wait for room.

#include <iostream>
#include <string>
#include <thread>

#include "fathom/rt.h"

int main() {
  fathom::rt::TwoLockQueue<std::string> lines;
  std::thread logger([&] {
    while (const auto line = lines.pop()) std::cout << *line;  // waits; nullopt: closed and empty
  });
  std::thread first([&] { lines.push("one thread says hello\n"); });
  std::thread second([&] { lines.push("another one, too\n"); });
  first.join();
  second.join();
  lines.close();
  logger.join();
  return lines.push("too late\n") ? 1 : 0;  // closed: false, and the line is lost
}
