// Kinds: the kinds of servers.
//
// A kind is a file with a function serve_KIND(), a declaration here and a line in kinds.cc.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "net/server/serving.h"

namespace fathom::bench {

struct Kind {
  std::string_view name;
  std::string_view summary;
  // Returns when serving.stop is readable. Throws if it cannot start.
  void (*serve)(Serving& serving) = nullptr;
  // The guaranteed number of clients at a time, if the kind sets a limit.
  std::size_t most_clients = 0;
  // Whether each thread has its own listener. Otherwise all threads share one.
  bool listens_in_each_thread = true;
  // The default of --threads.
  unsigned threads = 1;
};

std::span<const Kind> kinds();
// Null if there is no kind with that name.
const Kind* find_kind(std::string_view name);

void serve_raw(Serving& serving);
void serve_epoll_et(Serving& serving);
void serve_reactor(Serving& serving);
void serve_reactor_et(Serving& serving);
void serve_tcp_server(Serving& serving);
void serve_proactor(Serving& serving);
void serve_poll(Serving& serving);
void serve_select(Serving& serving);
void serve_thread_per_client(Serving& serving);
void serve_thread_pool(Serving& serving);

// Defined if the library is installed.
void serve_io_uring(Serving& serving);
void serve_asio(Serving& serving);
void serve_libuv(Serving& serving);

// The first descriptor that select() cannot handle. Some descriptors are not clients.
inline constexpr std::size_t kMostSelectClients = 1000;

}  // namespace fathom::bench
