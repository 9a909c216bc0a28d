// Terminal: termios, signals, and a pipe that signals and other threads write to. Only
// async-signal-safe calls are made in handlers.

#include "os/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "os/terminfo.h"

namespace fathom::tui {

namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kOther[] = {SIGWINCH, SIGTSTP, SIGCONT};
constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr char kWake = 0;  // in the pipe, among numbers of signals

// What handlers use. Written only while none of them is installed, except armed.
base::atomic<bool> armed{false};  // the terminal is in raw mode
int restored_tty = -1;
int signal_pipe = -1;
termios cooked{};
std::array<char, 256> leave_bytes{};
std::size_t leave_size = 0;
std::array<struct sigaction, std::size(kFatal)> fatal_before{};
std::terminate_handler terminate_before = nullptr;

void restore_at_once() {
  if (!armed.exchange(false, base::memory_order_relaxed)) return;
  static_cast<void>(!::write(restored_tty, leave_bytes.data(), leave_size));
  ::tcsetattr(restored_tty, TCSANOW, &cooked);
}

// Restores the terminal, and lets the handler of before report the crash: the fault happens again
// after the return, and other signals are sent again.
void handle_fatal(int number, siginfo_t* info, void*) {
  restore_at_once();
  for (std::size_t i = 0; i < std::size(kFatal); ++i) {
    if (kFatal[i] == number) ::sigaction(number, &fatal_before[i], nullptr);
  }
  const bool happens_again = number != SIGABRT && info != nullptr && info->si_code > 0;
  if (!happens_again) ::raise(number);
}

void handle_signal(int number) {
  const int before = errno;
  const char byte = static_cast<char>(number);
  static_cast<void>(!::write(signal_pipe, &byte, 1));
  errno = before;
}

// Unlike SIG_IGN, programs that are started do not inherit it.
void do_nothing(int) {}

[[noreturn]] void restore_and_terminate() {
  restore_at_once();
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

bool was_ignored(int number) {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void set_handler(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

Terminal::Terminal(bool color, bool mouse)
    : tty_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {
  if (!tty_) throw base::Error("fathom browse needs a terminal, except with --plain");
  if (::tcgetattr(tty_.get(), &cooked) != 0) throw base::SystemError("/dev/tty", errno);
  TerminalAbilities abilities = terminal_abilities(tty_.get(), color);
  capabilities_ = std::move(abilities.capabilities);
  enter_ = std::move(abilities.enter);
  leave_ = capabilities_.reset + capabilities_.show_cursor + abilities.leave;
  // Pasted text comes between two sequences.
  enter_ += "\x1b[?2004h";
  leave_.insert(0, "\x1b[?2004l");
  if (mouse) {
    enter_ += "\x1b[?1000h\x1b[?1006h";
    leave_.insert(0, "\x1b[?1006l\x1b[?1000l");
  }
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw base::SystemError("pipe", errno);
  wake_read_.reset(ends[0]);
  wake_write_.reset(ends[1]);
  restored_tty = tty_.get();
  signal_pipe = ends[1];
  leave_size = std::min(leave_.size(), leave_bytes.size());
  std::memcpy(leave_bytes.data(), leave_.data(), leave_size);
  install_handlers();
  take();
  ask_for_updates();
}

Terminal::~Terminal() {
  end();
}

void Terminal::end() {
  release();
  if (std::exchange(ended_, true)) return;
  for (const int number : kEnding) {
    if (!was_ignored(number)) ::signal(number, SIG_DFL);
  }
  for (const int number : kOther) ::signal(number, SIG_DFL);
  for (std::size_t i = 0; i < std::size(kFatal); ++i) {
    ::sigaction(kFatal[i], &fatal_before[i], nullptr);
  }
  std::set_terminate(terminate_before);
}

void Terminal::install_handlers() {
  // A signal that was ignored at program start (nohup) stays ignored.
  for (const int number : kEnding) {
    if (!was_ignored(number)) set_handler(number, handle_signal);
  }
  for (const int number : kOther) set_handler(number, handle_signal);
  struct sigaction action {};
  action.sa_sigaction = handle_fatal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < std::size(kFatal); ++i) {
    ::sigaction(kFatal[i], &action, &fatal_before[i]);
  }
  terminate_before = std::set_terminate(restore_and_terminate);
}

// A terminal that can show a frame at once answers; read_keys() sees it. Old terminals, which might
// show the question, are not asked.
void Terminal::ask_for_updates() {
  const char* const term = std::getenv("TERM");
  const std::string_view name = term == nullptr ? "" : term;
  if (name.starts_with("linux") || name.starts_with("vt")) return;
  write("\x1b[?2026$p");
}

Terminal::Size Terminal::size() const {
  winsize found{};
  if (::ioctl(tty_.get(), TIOCGWINSZ, &found) != 0 || found.ws_col == 0) return {};
  return {found.ws_col, found.ws_row};
}

void Terminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        base::retry([&] { return ::write(tty_.get(), bytes.data(), bytes.size()); });
    if (written <= 0) return;  // the terminal is gone: wait() will say so
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Terminal::take() {
  if (taken_) return;
  taken_ = true;
  termios raw = cooked;
  raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
  raw.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  armed.store(true, base::memory_order_relaxed);
  ::tcsetattr(tty_.get(), TCSAFLUSH, &raw);
  write(enter_);
}

void Terminal::release() {
  if (!taken_) return;
  taken_ = false;
  restore_at_once();
}

void Terminal::forget_keys() {
  ::tcflush(tty_.get(), TCIFLUSH);
}

void Terminal::heed_keys(bool heed) {
  for (const int number : {SIGINT, SIGTSTP}) {
    if (!was_ignored(number)) set_handler(number, heed ? handle_signal : do_nothing);
  }
}

void Terminal::suspend() {
  if (::isatty(STDOUT_FILENO) == 0) return;
  release();
  // Where no shell would continue the job, the kernel ignores this, but not SIGSTOP.
  ::signal(SIGTSTP, SIG_DFL);
  ::kill(0, SIGTSTP);
  set_handler(SIGTSTP, handle_signal);
  take();
}

void Terminal::wake() {
  static_cast<void>(!::write(wake_write_.get(), &kWake, 1));
}

void Terminal::read_keys(Events& events) {
  std::array<char, 4096> room{};
  const ssize_t length = base::retry([&] { return ::read(tty_.get(), room.data(), room.size()); });
  if (length <= 0) {
    events.ended_by = SIGHUP;
    return;
  }
  std::string_view bytes(room.data(), static_cast<std::size_t>(length));
  if (bytes.find("\x1b[?2026;1$y") != std::string_view::npos ||
      bytes.find("\x1b[?2026;2$y") != std::string_view::npos) {
    capabilities_.begin_update = "\x1b[?2026h";
    capabilities_.end_update = "\x1b[?2026l";
  }
  events.bytes = bytes;
}

void Terminal::read_signals(Events& events) {
  std::array<char, 256> room{};
  const ssize_t length =
      base::retry([&] { return ::read(wake_read_.get(), room.data(), room.size()); });
  for (ssize_t i = 0; i < length; ++i) {
    const int number = static_cast<unsigned char>(room[static_cast<std::size_t>(i)]);
    if (std::find(std::begin(kEnding), std::end(kEnding), number) != std::end(kEnding)) {
      events.ended_by = number;
    }
    events.resized = events.resized || number == SIGWINCH;
    events.suspend = events.suspend || number == SIGTSTP;
    events.continued = events.continued || number == SIGCONT;
  }
}

Terminal::Events Terminal::wait(std::optional<std::chrono::milliseconds> most) {
  std::array<pollfd, 2> sources = {pollfd{tty_.get(), POLLIN, 0},
                                   pollfd{wake_read_.get(), POLLIN, 0}};
  const int timeout = most ? static_cast<int>(most->count()) : -1;
  Events events;
  const int ready = ::poll(sources.data(), sources.size(), timeout);
  events.timed_out = ready == 0;
  if (ready <= 0) return events;
  if (sources[0].revents != 0) read_keys(events);
  if (sources[1].revents != 0) read_signals(events);
  return events;
}

}  // namespace fathom::tui
