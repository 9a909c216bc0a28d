// fathom-echo: clients that talk to echo servers, and what that costs.

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "net/client/experiment.h"
#include "net/client/json_report.h"
#include "net/client/syscall_count.h"
#include "net/client/text_report.h"
#include "net/limits.h"

namespace {

using namespace fathom::bench;
using fathom::base::Error;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

constexpr const char* kAbout =
    "Measures echo servers on the loopback address, each as a process of its own: clients send\n"
    "messages in lock-step and compare every byte that comes back. Servers take turns in an order\n"
    "that is drawn anew for each round. Exits with 1 if a client lost its connection or a byte "
    "was\n"
    "wrong.";

// What was asked for cannot be done, here or at all.
class WrongUsage : public Error {
  using Error::Error;
};

struct Request {
  Plan plan;
  std::vector<std::string> servers = {"all"};
  std::uint16_t port = 0;
  bool json = false;
  bool tables = false;
};

void add_options(CLI::App& app, Request& request) {
  Plan& plan = request.plan;
  app.add_option("--clients", plan.clients, "so many at a time; several: one after the other")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--messages", plan.messages, "from each client")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--size", plan.size, "bytes of a message")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--servers", request.servers,
                 "kinds of fathom-echo-server, or all; one that is named twice tells the noise")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--rounds", plan.rounds, "6 or more give an interval")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--client", plan.crowd,
                 "threads (one for each client) or epoll (one loop for all)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Crowd::Kind>{
          {"threads", Crowd::Kind::threads}, {"epoll", Crowd::Kind::epoll}}))
      ->default_str("epoll");
  app.add_option("--threads", plan.threads, "of each server (default: what is usual for its kind)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--connect", request.port, "measure what listens on this port, and start nothing")
      ->check(CLI::Range(1, 65535));
  app.add_option("--format", request.json, "text or json")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, bool>{{"text", false}, {"json", true}}))
      ->default_str("text");
  app.add_flag("--syscalls", plan.count_syscalls, "count the servers' system calls by strace, too");
  app.add_flag("--pin", plan.pin, "clients on one processor, servers on the others");
  app.add_flag("--tables", request.tables,
               "the two tables of the article: 4, 128 and 1024 clients, and the context switches "
               "of each thread with 32; --clients is ignored");
}

std::vector<ServerKind> chosen_servers(const std::vector<std::string>& names) {
  const std::vector<ServerKind> all = list_server_kinds();
  std::vector<ServerKind> chosen;
  for (const std::string& name : names) {
    if (name == "all") {
      chosen.insert(chosen.end(), all.begin(), all.end());
      continue;
    }
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ServerKind& kind) { return kind.name == name; });
    if (found == all.end()) {
      throw WrongUsage("there is no server '" + name +
                       "'; fathom-echo-server --list says which are");
    }
    chosen.push_back(*found);
  }
  return chosen;
}

// Before anything is measured, rather than after ten minutes.
void check_limits(const Plan& plan, std::size_t descriptors) {
  constexpr std::size_t kOthers = 32;  // descriptors that are no clients
  constexpr std::size_t kMostTimes = 100'000'000;
  const std::size_t most = *std::max_element(plan.clients.begin(), plan.clients.end());
  if (most + kOthers > descriptors) {
    throw WrongUsage(
        fmt::format("{} clients need more descriptors than the {} that are allowed (ulimit -n)",
                    most, descriptors));
  }
  if (plan.messages > kMostTimes / most) {
    throw WrongUsage(fmt::format("{} clients with {} messages are more than {} times to keep", most,
                                 plan.messages, kMostTimes));
  }
  if (plan.count_syscalls && plan.port)
    throw WrongUsage("--syscalls needs a server that is started");
  if (plan.count_syscalls && !SyscallCount::available()) {
    throw WrongUsage("--syscalls: not available, as strace is not installed");
  }
}

// On a terminal, on one line that is gone in the end.
void show_progress(const std::string& what) {
  if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K{}\r", what.substr(0, 79));
}

bool all_right(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    for (const Row& row : block.rows) {
      if (row.disconnections() > 0 || row.wrong_bytes() > 0) return false;
    }
  }
  return true;
}

void print(const std::string& text) {
  show_progress("");
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("cannot print");
  }
}

int measure(Request& request) {
  constexpr std::size_t kSwitchesClients = 32;
  Plan& plan = request.plan;
  if (request.tables) plan.clients = {4, 128, 1024, kSwitchesClients};
  if (request.port != 0) {
    plan.port = request.port;
    plan.servers = {{fmt::format("port {}", request.port), 0, ""}};
  } else {
    plan.servers = chosen_servers(request.servers);
  }
  check_limits(plan, allow_many_descriptors());
  const std::vector<Block> blocks = run_experiment(plan, show_progress);
  if (request.json) {
    print(json_report(plan, blocks));
  } else if (request.tables) {
    print(seed_tables(plan, {blocks.begin(), std::prev(blocks.end())}, blocks.back()));
  } else {
    print(text_report(plan, blocks));
  }
  return all_right(blocks) ? 0 : kFailed;
}

int run(int argc, char** argv) {
  Request request;
  CLI::App app{kAbout, "fathom-echo"};
  add_options(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);
  return measure(request);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const WrongUsage& error) {
    fmt::print(stderr, "fathom-echo: {}\n", error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    show_progress("");
    fmt::print(stderr, "fathom-echo: {}\n", error.what());
    return kFailed;
  }
}
