// fathom-echo: clients that talk to an echo server, and the cost of that.

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <system_error>
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
    "Measures an echo server on the loopback address once. The server is a separate process;\n"
    "clients send messages in lock-step and compare every byte that comes back. Exits with 1 if a\n"
    "client lost its connection or a byte was wrong. fathom-lab compares servers: scripts/lab run\n"
    "echo-servers, with a thread for each client and 100 messages from each, as --client threads.";

constexpr const char* kFooter =
    "Each line of output is a name and a value. Times and counts are per message:\n"
    "  per_op                the time until the last answer, divided by the number of messages\n"
    "  round_trip            how long a client waits for an answer: mean, _p50, _p99, _max\n"
    "  client_cpu, server_cpu\n"
    "                        CPU time\n"
    "  voluntary_switches    how often a thread of the server gave up its CPU to wait\n"
    "  involuntary_switches  how often it was preempted\n"
    "  server_memory_per_client\n"
    "                        growth of the resident memory per connection, in bytes\n"
    "  threads NAME N        switches of the server's N threads of this name, in total and of\n"
    "                        the median thread\n"
    "Disconnections are listed by reason: closed by the server, reset, timed_out, or other, with "
    "a\n"
    "line for each errno, such as disconnections_EHOSTUNREACH. With --socket-buffer, lines such "
    "as\n"
    "client_send_buffer say what the kernel made of the size. JSON has the same names; times are "
    "in\n"
    "seconds.";

// A request that is impossible, here or in general.
class WrongUsage : public Error {
  using Error::Error;
};

struct Request {
  Conditions conditions;
  std::uint16_t port = 0;
  double patience = 60;  // in seconds
  Format format = Format::text;
};

// The library would list the values in the help as characters; the options describe them.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& names) {
  return CLI::CheckedTransformer(names).description("");
}

void add_options(CLI::App& app, Request& request) {
  Conditions& conditions = request.conditions;
  auto* const kind = app.add_option("KIND", conditions.kind,
                                    "the kind of server; fathom-echo-server --list lists them");
  app.add_option("--connect", request.port, "measure a running server on this port instead")
      ->check(CLI::Range(1, 65535))
      ->excludes(kind);
  app.add_option("--clients", conditions.clients, "number of concurrent clients")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--messages", conditions.messages, "messages per client")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--size", conditions.size, "bytes per message")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--seconds", conditions.seconds, "repeat the messages for at least this long")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option("--client", conditions.crowd,
                 "threads (one per client) or epoll (one loop for all)")
      ->transform(
          one_of<Crowd::Kind>({{"threads", Crowd::Kind::threads}, {"epoll", Crowd::Kind::epoll}}))
      ->type_name("WORD")
      ->default_str("epoll");
  app.add_option("--socket-buffer", conditions.client.socket_buffer,
                 "bytes to request for the kernel's buffers of each connection, of the clients and "
                 "of a server started here (default: the kernel chooses)")
      ->check(CLI::Range(1, kMostSocketBuffer));
  app.add_option("--patience", request.patience,
                 "seconds without an answer after which a client gives up as timed out")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  app.add_option("--threads", conditions.threads,
                 "threads of the server (default: depends on its kind)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--syscalls", conditions.count_syscalls,
               "count the server's system calls with strace, and print no times");
  app.add_option("--format", request.format, "text or json")
      ->transform(one_of<Format>({{"text", Format::text}, {"json", Format::json}}))
      ->type_name("WORD")
      ->default_str("text");
  app.add_flag("--pin", conditions.pin, "run the clients on one CPU and the server on the others");
}

void check_kind(const Conditions& conditions) {
  if (conditions.kind.empty()) {
    throw WrongUsage("KIND is missing; fathom-echo-server --list lists the kinds");
  }
  const std::vector<ServerKind> all = list_server_kinds();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const ServerKind& one) { return one.name == conditions.kind; });
  if (found == all.end()) {
    throw WrongUsage("unknown server '" + conditions.kind +
                     "'; fathom-echo-server --list lists the kinds");
  }
  if (found->most_clients != 0 && conditions.clients > found->most_clients) {
    throw WrongUsage(fmt::format("the server '{}' supports at most {} clients", found->name,
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
    throw WrongUsage(fmt::format("{} clients with {} messages would record more than {} times",
                                 conditions.clients, conditions.messages, kMostTimes));
  }
}

void check_syscalls(const Conditions& conditions) {
  if (!conditions.count_syscalls) return;
  if (conditions.port) throw WrongUsage("--syscalls cannot be used with --connect");
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
  conditions.client.patience = std::chrono::milliseconds(std::lround(request.patience * 1000));
  if (request.port != 0) {
    conditions.port = request.port;
  } else {
    check_kind(conditions);
  }
  check_limits(conditions, allow_many_descriptors());
  check_syscalls(conditions);
  std::signal(SIGPIPE, SIG_IGN);
  const Measurement measured = measure(conditions);
  fmt::print("{}", report(measured, request.format));
  if (std::fflush(stdout) != 0) {
    throw Error("cannot write to standard output: " + std::generic_category().message(errno));
  }
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
