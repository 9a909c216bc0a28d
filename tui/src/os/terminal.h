// Terminal: the terminal of the user in raw mode, with keys, signals and wake-ups as one stream.
//
// It is restored whenever the object ends, and also when a fatal signal or an uncaught exception
// ends the program. At most one object at a time, because signals belong to the process.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/base/fd.h"
#include "grid/frame.h"

namespace fathom::tui {

class Terminal {
 public:
  // Opens /dev/tty: standard input and output may be pipes. Throws base::Error if there is none,
  // or if it cannot do what is necessary.
  // With mouse, clicks come as keys; the terminal then keeps its own selection of text to itself.
  Terminal(bool color, bool mouse);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] const Capabilities& capabilities() const { return capabilities_; }

  struct Size {
    unsigned width = 80;
    unsigned height = 24;
  };
  [[nodiscard]] Size size() const;

  // Writes everything, in one call if the terminal takes it.
  void write(std::string_view bytes);

  struct Events {
    std::string bytes;       // of keys
    bool timed_out = false;  // nothing happened
    bool resized = false;
    bool continued = false;  // the screen may show something else now
    bool suspend = false;    // somebody asked the program to stop for a while
    int ended_by = 0;        // a signal that ends the program, or SIGHUP if the terminal is gone
  };
  // Waits for an event, a wake-up, or the time to pass.
  [[nodiscard]] Events wait(std::optional<std::chrono::milliseconds> most);

  // Makes wait() return. Any thread may call it.
  void wake();

  // Gives the terminal back while the object lives, and takes it again.
  void release();
  void take();

  // Forgets the bytes of keys that wait() has not returned.
  void forget_keys();

  // Whether the signals of keys, Ctrl-C and Ctrl-Z, are events. They are not meant for this program
  // while another one has the terminal.
  void heed_keys(bool heed);

  // Restores the terminal and the signals as the destructor does, but wake() may still be called. A
  // scan that hangs in the kernel cannot be waited for; a signal ends the program then.
  void end();

  // Stops the job as Ctrl-Z does, until it is continued. Does nothing if no shell would continue
  // it, or if one may wait for the output, as in `cd "$(fathom browse)"`.
  void suspend();

 private:
  void install_handlers();
  void ask_for_updates();
  void read_keys(Events& events);
  void read_signals(Events& events);

  base::Fd tty_;
  base::Fd wake_read_;
  base::Fd wake_write_;
  Capabilities capabilities_;
  std::string enter_;
  std::string leave_;
  bool taken_ = false;
  bool ended_ = false;
};

}  // namespace fathom::tui
