// Exit codes of the commands. Scripts rely on them: `fathom scan --help` documents them.

#pragma once

namespace fathom::cli {

enum ExitCode : int {
  kComplete = 0,
  kIncomplete = 1,  // something could not be read, or the results could not be written
  kWrongUsage = 2,  // nothing has been done
  // As shells: the command to run cannot be run; was not found; and, plus the number of a signal,
  // was ended by it.
  kCannotRun = 126,
  kNotFound = 127,
  kEndedBySignal = 128,
  kInterrupted = 130,
};

}  // namespace fathom::cli
