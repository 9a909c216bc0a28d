// `fathom serve`: starts the server, and runs it until a signal stops it.

#include "serve/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "exit_code.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/net/reactor.h"
#include "fathom/web/server.h"
#include "flag/help.h"
#include "message.h"
#include "nice.h"
#include "output.h"
#include "scan/from.h"
#include "scan/scan_session.h"
#include "select/selecting.h"
#include "serve/browser.h"
#include "serve/flags.h"
#include "serve/help.h"
#include "term/label.h"
#include "trace.h"

namespace fathom::cli {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// When stopping: the time for open connections, and the time for a scan to notice the cancellation.
constexpr seconds kGrace{1};
constexpr seconds kShutdownGrace{3};

// The absolute path, without a trailing slash, as the page and its links show it. A slash after a
// symbolic link stays, because it means the target of the link.
std::string whole_path(std::string path) {
  while (path.starts_with("./")) path.erase(0, path.find_first_not_of('/', 1));
  if (!path.starts_with('/')) {
    std::error_code error;
    const std::string here = std::filesystem::current_path(error).string();
    if (error) return path;
    path = path.empty() || path == "." ? here : (here == "/" ? "" : here) + '/' + path;
  }
  std::string without = path;
  while (without.size() > 1 && without.ends_with('/')) without.pop_back();
  struct stat there {};
  const bool is_link = ::lstat(without.c_str(), &there) == 0 && S_ISLNK(there.st_mode);
  return is_link ? path : without;
}

// Prints a message for each missing path, which the page lists among the errors. Throws if all are
// missing.
void check_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> messages;
  for (const std::string& path : paths) {
    struct stat there {};
    if (::lstat(path.c_str(), &there) == 0) continue;
    const int error = errno;
    messages.push_back("cannot serve " + escaped(path) + ": " +
                       std::generic_category().message(error));
  }
  if (messages.size() == paths.size()) throw UsageError(messages.front());
  for (const std::string& message : messages) print_message(message);
}

web::Subject subject_of(const ServeRequest& request, const rt::Observer* observer) {
  const fs::SelectionAt selection = selection_of(request, request.measure);
  web::Subject subject;
  subject.measure = request.measure;
  subject.version = FATHOM_VERSION;
  if (request.from) {
    const std::int64_t now = base::wall_now();
    fs::NcduImport read = read_from(
        *request.from, [&](std::int64_t taken) { return selection(taken == 0 ? now : taken); });
    subject.saved = std::make_shared<fs::Scan>(std::move(read.scan));
    subject.taken = read.taken == 0 ? now : read.taken;
    return subject;
  }
  check_paths(request.paths);
  for (const std::string& path : request.paths) subject.scan.roots.push_back(whole_path(path));
  subject.scan.threads = request.threads;
  subject.selection = selection;
  subject.scan.max_operations_per_second = request.max_operations;
  subject.scan.read_links = true;  // for the report of symbolic links
  subject.scan.observer = observer;
  return subject;
}

// Escapes the path in a sentence that may contain it.
std::string with_escaped(std::string sentence, const std::string& path) {
  const std::size_t at = path.empty() ? std::string::npos : sentence.find(path);
  if (at != std::string::npos) sentence.replace(at, path.size(), escaped(path));
  return sentence;
}

std::unique_ptr<web::Server> server_of(rt::Reactor& loop, const ServeRequest& request,
                                       web::Subject subject) {
  web::ServerOptions options;
  options.address = request.address;
  options.port = request.port;
  options.unix_socket = request.unix_socket;
  options.subject = std::move(subject);
  try {
    return std::make_unique<web::Server>(loop, options);
  } catch (const base::Error& error) {
    throw UsageError(with_escaped(error.what(), request.unix_socket));  // nothing has been done
  }
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

// Prints the address, which is the result, on standard output, and everything else on standard
// error.
void tell_address(const ServeRequest& request, const web::Server& server, Browser& browser) {
  Output output(std::nullopt);
  output.write(server.address() + '\n');
  output.finish();
  const bool is_local = !request.unix_socket.empty() || is_loopback(request.address);
  if (!is_local) {
    print_message("other machines can connect to " + request.address +
                  ", and traffic is unencrypted: anyone who intercepts the token has access");
  }
  if (!web::Server::has_page()) {
    print_message(
        "this program was built without Node and therefore has no page; it serves only the HTTP "
        "interface that docs/HTTP.md describes");
  }
  if (!request.unix_socket.empty()) {
    print_message("listening on " + escaped(request.unix_socket) + "; press Ctrl-C to stop");
    return;
  }
  const bool opens = request.open && has_desktop() && web::Server::has_page();
  const bool opened = opens && browser.open(server.address());
  print_message(opened ? "opening a browser; if none appears, open that address in one; press "
                         "Ctrl-C to stop"
                       : "open that address in a browser; press Ctrl-C to stop");
}

// Excludes signals that were ignored at program start (nohup): a loop would receive them anyway.
void on_signals(rt::Reactor& loop, const std::function<void()>& stop) {
  std::vector<int> numbers;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) numbers.push_back(number);
  }
  loop.on_signals(numbers, [stop](int) { stop(); });
}

// Runs until the server is stopped.
void run(rt::Reactor& loop, const web::Server& server) {
  loop.run();
  // A cancelled scan ends soon, unless it hangs in the kernel.
  const auto deadline = rt::EventLoop::add(base::monotonic_now(), kShutdownGrace);
  while (server.busy() && base::monotonic_now() < deadline) {
    loop.after(milliseconds(20), [] {});
    loop.run_once(rt::EventLoop::Wait::yes);
  }
  if (!server.busy()) return;
  print_message(
      "work in progress does not end (the filesystem may be hung); stopping without waiting");
  ::_exit(kIncomplete);
}

}  // namespace

int serve_command(const std::vector<std::string>& arguments) {
  const ServeRequest request = parse_serve(arguments);
  if (request.help != Help::none) {
    const Manual& manual = serve_manual();
    Output(std::nullopt).write(request.help == Help::full ? full_help(manual) : brief_help(manual));
    return kComplete;
  }
  allow_more_descriptors();
  Trace trace(request);
  if (request.nice && !be_nice()) print_message(kNotFullyNice);

  // May read a saved scan. The handlers are not installed yet, so a signal ends the program.
  web::Subject subject = subject_of(request, trace.observer());
  rt::Reactor loop;
  std::unique_ptr<web::Server> server;
  bool stopping = false;
  on_signals(loop, [&] {
    if (std::exchange(stopping, true)) ::_exit(kInterrupted);
    server->shut_down(kGrace, [&loop] { loop.stop(); });
  });
  server = server_of(loop, request, std::move(subject));
  Browser browser;
  tell_address(request, *server, browser);
  run(loop, *server);
  server.reset();
  return trace.finish() ? kComplete : kIncomplete;
}

}  // namespace fathom::cli
