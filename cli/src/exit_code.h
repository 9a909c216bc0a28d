// Exit codes of the commands. Scripts rely on them: `fathom scan --help` documents them.

#pragma once

namespace fathom::cli {

enum ExitCode : int {
  kComplete = 0,
  kIncomplete = 1,  // something could not be read, or the results could not be written
  kWrongUsage = 2,  // nothing has been done
  kInterrupted = 130,
};

}  // namespace fathom::cli
