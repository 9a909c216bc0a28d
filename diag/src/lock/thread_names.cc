// ThreadNames: a table of names that only grows.

#include "lock/thread_names.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <vector>

namespace fathom::diag {

namespace {

struct Names {
  std::mutex mutex;
  std::vector<std::string> names;  // guarded by it; number n is at n - 1

  static Names& all() {
    static Names* const names = new Names;
    return *names;
  }
};

constinit thread_local std::uint32_t own_number = 0;

std::uint32_t number_of(const std::string& name) {
  Names& all = Names::all();
  const std::lock_guard lock(all.mutex);
  const auto at = std::find(all.names.begin(), all.names.end(), name);
  const auto number = static_cast<std::uint32_t>(at - all.names.begin()) + 1;
  if (at == all.names.end()) all.names.push_back(name);
  return number;
}

}  // namespace

std::uint32_t own_thread_name() noexcept {
  if (own_number != 0) return own_number;
  std::array<char, 64> name{};
  if (::pthread_getname_np(::pthread_self(), name.data(), name.size()) != 0) name = {"thread"};
  try {
    own_number = number_of(name.data());
  } catch (const std::exception&) {
    return 0;
  }
  return own_number;
}

std::string thread_name(std::uint32_t number) {
  Names& all = Names::all();
  const std::lock_guard lock(all.mutex);
  return number == 0 || number > all.names.size() ? "others" : all.names[number - 1];
}

void lock_thread_names() {
  Names::all().mutex.lock();
}

void unlock_thread_names() {
  Names::all().mutex.unlock();
}

}  // namespace fathom::diag
