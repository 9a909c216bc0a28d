// fathom-echo: clients that talk to an echo server, and the cost of that.

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "net/client/measurement.h"
#include "net/client/report.h"
#include "net/client/server_process.h"
#include "net/client/syscall_count.h"
#include "net/limits.h"

namespace {

using namespace fathom::bench;
using fathom::base::Error;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

constexpr const char* kAbout =
    "Measures an echo server on the loopback address once. The server is a process of its own;\n"
    "clients send messages in lock-step and compare every byte that comes back. Exits with 1 if a\n"
    "client lost its connection or a byte was wrong. fathom-lab compares servers: scripts/lab run\n"
    "echo-servers.";

constexpr const char* kFooter =
    "Each line that it prints is a name and a value; times and counts are those of one message:\n"
    "  per_op                the time until the last answer, divided by the number of messages\n"
    "  round_trip            what a client waits for an answer: the mean, and _p50, _p99, _max\n"
    "  client_cpu, server_cpu\n"
    "                        processor time\n"
    "  voluntary_switches    how often a thread of the server gave up its processor to wait\n"
    "  involuntary_switches  or for another thread\n"
    "  server_memory_per_client\n"
    "                        by how many bytes the resident memory grew for each connection\n"
    "  threads NAME N        switches of the server's N threads of this name, in all and of the\n"
    "                        thread in the middle\n"
    "disconnections are told by reason: the server closed the connection, reset it, or another.";

// A request that is impossible, here or in general.
class WrongUsage : public Error {
  using Error::Error;
};

struct Request {
  Conditions conditions;
  std::uint16_t port = 0;
};

void add_options(CLI::App& app, Request& request) {
  Conditions& conditions = request.conditions;
  auto* const kind = app.add_option("KIND", conditions.kind,
                                    "the server; fathom-echo-server --list says which there are");
  app.add_option("--connect", request.port, "measure the server that listens on this port instead")
      ->check(CLI::Range(1, 65535))
      ->excludes(kind);
  app.add_option("--clients", conditions.clients, "so many at a time")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--messages", conditions.messages, "from each client")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--size", conditions.size, "bytes of a message")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--seconds", conditions.seconds, "send as many again until so long was measured")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option("--client", conditions.crowd,
                 "threads (one for each client) or epoll (one loop for all)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Crowd::Kind>{
          {"threads", Crowd::Kind::threads}, {"epoll", Crowd::Kind::epoll}}))
      ->default_str("epoll");
  app.add_option("--threads", conditions.threads,
                 "of the server (default: what is usual for its kind)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--syscalls", conditions.count_syscalls,
               "count the server's system calls by strace, and print no times");
  app.add_flag("--pin", conditions.pin, "clients on one processor, the server on the others");
}

void check_kind(const Conditions& conditions) {
  if (conditions.kind.empty()) {
    throw WrongUsage("which server? fathom-echo-server --list says which there are");
  }
  const std::vector<ServerKind> all = list_server_kinds();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const ServerKind& one) { return one.name == conditions.kind; });
  if (found == all.end()) {
    throw WrongUsage("there is no server '" + conditions.kind +
                     "'; fathom-echo-server --list says which there are");
  }
  if (found->most_clients != 0 && conditions.clients > found->most_clients) {
    throw WrongUsage(fmt::format("the server '{}' can have at most {} clients", found->name,
                                 found->most_clients));
  }
}

void check_limits(const Conditions& conditions, std::size_t descriptors) {
  constexpr std::size_t kOthers = 32;  // descriptors that are not clients
  constexpr std::size_t kMostTimes = 100'000'000;
  if (conditions.clients + kOthers > descriptors) {
    throw WrongUsage(
        fmt::format("{} clients need more descriptors than the {} that are allowed (ulimit -n)",
                    conditions.clients, descriptors));
  }
  if (conditions.messages > kMostTimes / conditions.clients) {
    throw WrongUsage(fmt::format("{} clients with {} messages are more than {} times to keep",
                                 conditions.clients, conditions.messages, kMostTimes));
  }
}

void check_syscalls(const Conditions& conditions) {
  if (!conditions.count_syscalls) return;
  if (conditions.port) throw WrongUsage("--syscalls needs a server that is started");
  if (!SyscallCount::available()) {
    throw WrongUsage("--syscalls needs strace, which is not installed");
  }
}

int run(int argc, char** argv) {
  Request request;
  CLI::App app{kAbout, "fathom-echo"};
  app.footer(kFooter);
  add_options(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  Conditions& conditions = request.conditions;
  if (request.port != 0) {
    conditions.port = request.port;
  } else {
    check_kind(conditions);
  }
  check_limits(conditions, allow_many_descriptors());
  check_syscalls(conditions);
  std::signal(SIGPIPE, SIG_IGN);
  const Measurement measured = measure(conditions);
  fmt::print("{}", report(measured));
  if (std::fflush(stdout) != 0) throw Error("cannot print");
  return measured.faultless() ? 0 : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const WrongUsage& error) {
    fmt::print(stderr, "fathom-echo: {}\n", error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fathom-echo: {}\n", error.what());
    return kFailed;
  }
}
