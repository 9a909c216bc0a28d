// Serving: running one loop per listener.

#include "net/server/serving.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

namespace fathom::bench {

void name_thread(const std::string& name) {
  ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
}

void give_up(const std::exception& error) {
  std::fprintf(stderr, "fathom-echo-server: %s\n", error.what());
  std::_Exit(1);
}

void run_loops(Serving& serving, const std::string& name,
               const std::function<void(base::Fd listener)>& loop) {
  const bool alone = serving.listeners.size() == 1;
  const auto run = [&](std::size_t number) {
    try {
      name_thread(alone ? name : name + '-' + std::to_string(number));
      loop(std::move(serving.listeners[number]));
    } catch (const std::exception& error) {
      give_up(error);
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t number = 1; number < serving.listeners.size(); ++number) {
    others.emplace_back(run, number);
  }
  run(0);
}

}  // namespace fathom::bench
