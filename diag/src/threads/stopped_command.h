// StoppedCommand: a child process that is ready to become a program, and waits for permission.
//
//   StoppedCommand command({"make", "-j4"}, mask);
//   observe(command.process());
//   command.start();

#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "fathom/base/fd.h"

namespace fathom::diag {

class StoppedCommand {
 public:
  // The program will have that signal mask. Throws base::SystemError if no process can be created,
  // and std::invalid_argument if the command is empty.
  StoppedCommand(const std::vector<std::string>& command, const sigset_t& mask);
  // A command that has not been started ends.
  ~StoppedCommand();
  StoppedCommand(const StoppedCommand&) = delete;
  StoppedCommand& operator=(const StoppedCommand&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }

  // Returns when the child has become the program, for whose end the caller must wait. Throws
  // base::SystemError if it cannot.
  void start();

 private:
  const std::string name_;
  pid_t process_ = -1;
  bool started_ = false;
  base::Fd permission_;  // written by start()
  base::Fd failure_;     // from which an errno can be read if exec() has failed
};

}  // namespace fathom::diag
