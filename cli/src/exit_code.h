// What the exit code of a command says. A promise to scripts: see docs and `fathom scan --help`.

#pragma once

namespace fathom::cli {

enum ExitCode : int {
  kComplete = 0,
  kIncomplete = 1,  // something could not be read, or the results could not be written
  kWrongUsage = 2,  // nothing was done
  kInterrupted = 130,
};

}  // namespace fathom::cli
