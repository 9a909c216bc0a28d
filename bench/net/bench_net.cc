// How fast echo servers answer: each is a process of its own, and one epoll loop is all clients.
// And what timers cost: timers/timers.h.
//
// Names are net/echo/SERVER/CLIENTS. An iteration is one talk of all clients in lock-step. A server
// that loses a client or sends another byte than it got is an error and no time. fathom-echo
// measures the same with rounds, medians and what the messages cost; docs/BENCHMARKING.md says how
// to read it.

#include <benchmark/benchmark.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>

#include "net/client/crowd.h"
#include "net/client/process_cost.h"
#include "net/client/server_process.h"
#include "net/limits.h"
#include "net/timers/timers.h"
#include "rt/suite.h"

namespace {

using namespace fathom::bench;

constexpr std::size_t kMessages = 20;  // from each client in an iteration
constexpr std::size_t kSize = 64;      // bytes

void talk(benchmark::State& state, const std::string& kind, std::size_t clients) {
  const ServerProcess server(kind, 0, {});
  const Pattern pattern(kSize);
  const auto crowd = make_crowd(Crowd::Kind::epoll, server.port(), clients, pattern);
  crowd->talk(1);
  const ProcessCost before = ProcessCost::of(server.pid());
  std::chrono::nanoseconds waited(0);  // of all clients, for all their messages
  for (auto _ : state) {
    const Talk talk = crowd->talk(kMessages);
    state.SetIterationTime(std::chrono::duration<double>(talk.elapsed).count());
    if (talk.disconnections > 0 || talk.wrong_bytes > 0 ||
        talk.round_trips.size() != clients * kMessages) {
      fail(state, std::to_string(talk.disconnections) + " clients lost, " +
                      std::to_string(talk.wrong_bytes) + " bytes wrong");
      return;
    }
    waited = std::accumulate(talk.round_trips.begin(), talk.round_trips.end(), waited);
  }
  const ProcessCost cost = ProcessCost::of(server.pid()) - before;
  count_operations(state, clients * kMessages);
  const double messages = static_cast<double>(state.iterations()) * static_cast<double>(clients) *
                          static_cast<double>(kMessages);
  state.counters["round_trip"] = std::chrono::duration<double>(waited).count() / messages;
  state.counters["server_cpu"] =
      std::chrono::duration<double>(cost.processor_time).count() / messages;
  state.counters["wakes"] = static_cast<double>(cost.voluntary()) / messages;
}

void add_kind(const ServerKind& kind) {
  for (const std::size_t clients : {4U, 128U, 1024U}) {
    if (kind.most_clients != 0 && clients > kind.most_clients) continue;
    add("net/echo/" + kind.name + '/' + std::to_string(clients),
        [name = kind.name, clients](benchmark::State& state) {
          try {
            talk(state, name, clients);
          } catch (const std::exception& error) {
            fail(state, error.what());
          }
        })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_descriptors();
  for (const ServerKind& kind : list_server_kinds()) add_kind(kind);
  add_timers();
#ifdef FATHOM_BENCH_ASIO
  add_asio_timers();
#endif
#ifdef FATHOM_BENCH_LIBUV
  add_libuv_timers();
#endif
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_net: %s\n", error.what());
    return 1;
  }
}
