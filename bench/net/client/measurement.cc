// Measurement: starting the server, the warm-up talk, and the timed talks.

#include "net/client/measurement.h"

#include <sched.h>

#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "net/client/server_process.h"
#include "net/client/syscall_count.h"

namespace fathom::bench {

namespace {

// Moves this process to the first CPU that it may use. Returns the others.
cpu_set_t leave_other_processors() {
  cpu_set_t all;
  ::sched_getaffinity(0, sizeof all, &all);
  if (CPU_COUNT(&all) < 2) throw base::Error("--pin needs two CPUs");
  cpu_set_t first;
  CPU_ZERO(&first);
  std::size_t number = 0;
  while (!CPU_ISSET(number, &all)) ++number;
  CPU_SET(number, &first);
  CPU_CLR(number, &all);
  ::sched_setaffinity(0, sizeof first, &first);
  return all;
}

// One measurement of a running server: one that was started for it, or another one at a port.
class Run {
 public:
  Run(const Conditions& conditions, ServerProcess* server)
      : conditions_(conditions),
        server_(server),
        port_(server == nullptr ? *conditions.port : server->port()),
        pattern_(conditions.size) {}

  Measurement measure() {
    if (server_ != nullptr) measured_.server.emplace();
    note_buffers();
    const auto crowd = connect();
    std::optional<SyscallCount> calls;
    if (conditions_.count_syscalls) calls.emplace(server_->pid());
    // Nothing starts or ends between these two readings, so the costs are those of the messages.
    const ProcessCost before = server_cost();
    const auto client_before = base::processor_time();
    talk(*crowd);
    const auto client_after = base::processor_time();
    if (server_ != nullptr) measured_.server->work = server_cost() - before;
    if (calls) measured_.server->calls = calls->finish();
    if (server_ != nullptr) measured_.server->peak_memory = memory_of(server_->pid()).peak;
    measured_.client_seconds = seconds(client_after - client_before);
    return std::move(measured_);
  }

 private:
  void note_buffers() {
    measured_.socket_buffer = conditions_.client.socket_buffer;
    if (measured_.socket_buffer == 0) return;
    measured_.client_buffers = buffers_of_clients(conditions_.client);
    if (server_ != nullptr) measured_.server->buffers = server_->buffers();
  }

  // Connects all clients, and waits for one answer each: the server has then accepted them. After
  // the first client, which stays, the server has allocated what it needs for itself.
  std::unique_ptr<Crowd> connect() {
    const std::size_t first = server_ == nullptr ? conditions_.clients : 1;
    const std::size_t more = conditions_.clients - first;
    auto crowd = make_crowd(conditions_.crowd, port_, first, pattern_, conditions_.client);
    measured_.wrong_bytes += crowd->talk(1).wrong_bytes;
    if (more == 0) return crowd;
    const auto memory = [&] { return static_cast<double>(memory_of(server_->pid()).resident); };
    const double before = memory();
    crowd->add(more);
    measured_.wrong_bytes += crowd->talk(1).wrong_bytes;
    measured_.server->memory_per_client = (memory() - before) / static_cast<double>(more);
    return crowd;
  }

  void talk(Crowd& crowd) {
    std::vector<std::chrono::nanoseconds> round_trips;
    std::chrono::nanoseconds elapsed(0);
    do {
      const Talk talk = crowd.talk(conditions_.messages);
      round_trips.insert(round_trips.end(), talk.round_trips.begin(), talk.round_trips.end());
      elapsed += talk.elapsed;
      measured_.wrong_bytes += talk.wrong_bytes;
      measured_.disconnections = talk.disconnections;  // including earlier losses
    } while (seconds(elapsed) < conditions_.seconds && measured_.disconnections.total() == 0);
    measured_.messages = round_trips.size();
    measured_.seconds = seconds(elapsed);
    measured_.round_trips = summarize(std::move(round_trips));
  }

  ProcessCost server_cost() const {
    return server_ == nullptr ? ProcessCost() : ProcessCost::of(server_->pid());
  }

  const Conditions& conditions_;
  ServerProcess* const server_;
  const std::uint16_t port_;
  const Pattern pattern_;
  Measurement measured_;
};

}  // namespace

double Measurement::per_message(double amount) const {
  return messages > 0 ? amount / static_cast<double>(messages) : 0;
}

Measurement measure(const Conditions& conditions) {
  std::optional<cpu_set_t> processors;
  if (conditions.pin) processors = leave_other_processors();
  if (conditions.port) return Run(conditions, nullptr).measure();
  ServerProcess server(conditions.kind, conditions.threads, processors,
                       conditions.client.socket_buffer);
  Measurement measured = Run(conditions, &server).measure();
  if (const int code = server.stop(); code != 0) {
    throw base::Error("the server ended with " + std::to_string(code));
  }
  return measured;
}

}  // namespace fathom::bench
