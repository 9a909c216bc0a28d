// last_words: an exception that nothing handles, on standard error and in the system's log.
//
//   last_words          logs to /dev/log: see `journalctl -t last_words` or /var/log/syslog
//   last_words PATH     logs to the datagram socket at PATH

#include <fathom/base/last_words.h>
#include <fathom/base/throw.h>

#include <stdexcept>

namespace {

void load() {
  FATHOM_THROW(std::runtime_error, "cannot load the map");
}

}  // namespace

int main(int argc, char** argv) {
  fathom::base::report_uncaught({.syslog = argc > 1 ? argv[1] : fathom::base::kSyslogSocket});
  load();
}
