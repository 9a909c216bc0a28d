// LastWords: prints why std::terminate() ended the program, then calls std::abort().
//
// It prints the exception with its message, where it was thrown and the stack, as error_text()
// does. If the exception has no trace, or there is no exception, it prints the stack of
// std::terminate(), which is also that of the throw if nothing has handled the exception. If
// something else ends the program while an exception is being handled (such as the destructor of a
// std::thread that was not joined), it says so and prints the stack.
//
// It can send the same lines to the system's log: priority crit, facility user, with the name and
// the id of the program; the log adds the time. It never waits for the log: if nobody listens, or
// the listener does not keep up, lines are missing there.
//
//   int main() {
//     report_uncaught();                           // or:
//     report_uncaught({.syslog = kSyslogSocket});
//   }

#pragma once

namespace fathom::base {

// Where the daemons of most systems listen.
inline constexpr const char* kSyslogSocket = "/dev/log";

// The texts are kept as pointers: use literals.
struct LastWordsOptions {
  bool color = false;
  int descriptor = 2;
  // The datagram socket of the system's log; null: do not log.
  const char* syslog = nullptr;
  // The program in the log, of which 32 bytes are used; null: the name of its file.
  const char* program = nullptr;
};

// Replaces the handler of std::set_terminate() for the whole program. The last call counts; other
// threads must not end the program meanwhile. Throws base::Error if no socket can have the path
// `syslog`, which may have at most 107 bytes; whether anybody listens there matters only later.
void report_uncaught(LastWordsOptions options = {});

}  // namespace fathom::base
