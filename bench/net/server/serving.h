// Serving: the input of a server, and the rules that all kinds follow, so that they do equal work.
//
// Each kind accepts clients from sockets that listen on the loopback address, sends back every byte
// in order, and lets a client that does not read wait: it holds one buffer per client, or a few
// where it says so. Clients inherit TCP_NODELAY from the listening socket. SIGPIPE is ignored.
//
//   void serve_mine(Serving& serving) {
//     run_loops(serving, "mine", [&](base::Fd listener) { Loop(listener, serving.stop).run(); });
//   }

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "fathom/base/fd.h"

namespace fathom::bench {

// The most bytes of one receive.
inline constexpr std::size_t kBufferBytes = 64 * 1024;
// The length of the queue of waiting clients: the system's maximum.
inline constexpr int kBacklog = 4096;
// The most events of one wait.
inline constexpr int kEvents = 256;

struct Serving {
  // Non-blocking. One per thread, all on one port: the kernel distributes the clients.
  std::vector<base::Fd> listeners;
  // Becomes readable when the server is to end, and stays readable. Can be polled like any
  // descriptor. Must not be read.
  int stop = -1;
  unsigned threads = 1;
};

// Names the calling thread, as /proc and debuggers show it; truncated to 15 bytes.
void name_thread(const std::string& name);

// Prints the reason and exits with 1: a server cannot continue without one of its threads.
[[noreturn]] void give_up(const std::exception& error);

// Calls loop(listener) once per listener, each in a separate thread. The first runs in the calling
// thread, so that one loop is one thread. Threads are named name, or name-0, name-1, ...
void run_loops(Serving& serving, const std::string& name,
               const std::function<void(base::Fd listener)>& loop);

}  // namespace fathom::bench
