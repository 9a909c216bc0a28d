// What a kind of server is given, and what all kinds have in common, so that none has less to do.
//
// Each takes its clients from sockets that listen on the loopback address, sends back every byte in
// order, and lets a client that does not read wait: of what a client sent, it holds one buffer, or
// a few where it says so. Clients inherit TCP_NODELAY from the listening socket. SIGPIPE is
// ignored.
//
//   void serve_mine(Serving& serving) {
//     run_loops(serving, "mine", [&](Fd listener) { Loop(listener, serving.stop).run(); });
//   }

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "net/fd.h"

namespace fathom::bench {

// What one receive may bring.
inline constexpr std::size_t kBufferBytes = 64 * 1024;
// As many as the system lets wait.
inline constexpr int kBacklog = 4096;
// How many events one wait may bring.
inline constexpr int kEvents = 256;

struct Serving {
  // Non-blocking. One for each thread, all of one port: the kernel spreads the clients over them.
  std::vector<Fd> listeners;
  // Readable, for everybody and from then on, when the server is to end. It can be waited for as
  // any descriptor can. Not to be read.
  int stop = -1;
  unsigned threads = 1;
};

// Names the calling thread, for /proc and for people: at most 15 bytes of it.
void name_thread(const std::string& name);

// Prints why, and ends the process with 1: no kind can go on without one of its threads.
[[noreturn]] void give_up(const std::exception& error);

// Calls loop(listener) once for each listener, each in a thread of its own. The first is the
// calling thread, so that one loop is one thread. Threads are named name, or name-0, name-1, ...
void run_loops(Serving& serving, const std::string& name,
               const std::function<void(Fd listener)>& loop);

}  // namespace fathom::bench
