// Kinds: the table of kinds.

#include "net/server/kinds.h"

namespace fathom::bench {

namespace {

constexpr Kind kKinds[] = {
    {.name = "raw",
     .summary = "the floor: a minimal level-triggered epoll loop",
     .serve = serve_raw},
    {.name = "epoll-et", .summary = "edge-triggered epoll", .serve = serve_epoll_et},
    {.name = "reactor", .summary = "rt::Reactor, level-triggered", .serve = serve_reactor},
    {.name = "reactor-et", .summary = "rt::Reactor, edge-triggered", .serve = serve_reactor_et},
    {.name = "tcp-server", .summary = "rt::TcpServer on an rt::Reactor", .serve = serve_tcp_server},
    {.name = "proactor", .summary = "rt::TcpServer on an rt::Proactor", .serve = serve_proactor},
    {.name = "poll", .summary = "poll()", .serve = serve_poll},
    {.name = "select",
     .summary = "select()",
     .serve = serve_select,
     .most_clients = kMostSelectClients},
    {.name = "thread-per-client",
     .summary = "one blocking thread per client",
     .serve = serve_thread_per_client,
     .listens_in_each_thread = false},
    {.name = "thread-pool",
     .summary = "one thread waits with epoll, others receive and send",
     .serve = serve_thread_pool,
     .listens_in_each_thread = false,
     .threads = 2},
#ifdef FATHOM_BENCH_URING
    {.name = "io_uring", .summary = "liburing: completions", .serve = serve_io_uring},
#endif
#ifdef FATHOM_BENCH_ASIO
    {.name = "asio", .summary = "Boost.Asio", .serve = serve_asio},
#endif
#ifdef FATHOM_BENCH_LIBUV
    {.name = "libuv", .summary = "libuv", .serve = serve_libuv},
#endif
};

}  // namespace

std::span<const Kind> kinds() {
  return kKinds;
}

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace fathom::bench
