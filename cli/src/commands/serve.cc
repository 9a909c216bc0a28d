// `fathom serve`: starts the server, and runs it until a signal stops it.

#include "commands/serve.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/net/reactor.h"
#include "fathom/web/server.h"
#include "flags/help.h"
#include "flags/serve_flags.h"
#include "run/act_notice.h"
#include "run/browser.h"
#include "run/freed_memory.h"
#include "run/interrupt.h"
#include "run/kept_plan.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/path.h"
#include "run/saved_scan.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/store_place.h"
#include "run/system_config.h"
#include "run/trace.h"
#include "run/version.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// When stopping: the time for open connections, and the time for a scan to notice the cancellation.
constexpr seconds kGrace{1};
constexpr seconds kShutdownGrace{3};

// Prints a message for each missing path, which the page lists among the errors. Throws if all are
// missing.
void check_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> messages;
  for (const std::string& path : paths) {
    const int error = why_missing(path);
    if (error == 0) continue;
    messages.push_back("cannot serve " + escaped(path) + ": " +
                       std::generic_category().message(error));
  }
  if (messages.size() == paths.size()) throw UsageError(messages.front());
  for (const std::string& message : messages) print_message(message);
}

// Without a home directory, there is no default.
std::string store_of(const ServeRequest& request) {
  try {
    return store_path(request);
  } catch (const UsageError&) {
    return "";
  }
}

web::Subject subject_of(const ServeRequest& request, const rt::Observer* observer) {
  const fs::SelectionAt selection = selection_of(request, request.measure);
  web::Subject subject;
  subject.measure = request.measure;
  subject.version = kVersion;
  subject.store = store_of(request);
  subject.selection_words = request.selection;
  if (request.from) {
    SavedScan saved = read_saved(request, selection);
    subject.saved = std::make_shared<fs::Scan>(std::move(saved.scan));
    subject.taken = saved.taken;
    return subject;
  }
  check_paths(request.paths);
  for (const std::string& path : request.paths) subject.scan.roots.push_back(absolute_path(path));
  subject.scan.threads = request.threads;
  subject.selection = selection;
  subject.scan.max_operations_per_second = request.max_operations;
  subject.scan.read_links = true;  // for the report of symbolic links
  // To tell what was moved since a snapshot from what is new.
  subject.scan.read_times = leads_to_directory(subject.store);
  subject.scan.observer = observer;
  subject.live = request.live;
  return subject;
}

void check_acting(const ServeRequest& request) {
  if (!request.allow_apply) return;
  if (system_config().read_only) {
    throw UsageError("/etc/fathom.conf has `read_only = true`, so '--allow-apply' is not possible");
  }
  const bool is_local = !request.unix_socket.empty() || web::Server::is_loopback(request.address);
  if (!is_local) {
    throw UsageError(
        "option '--allow-apply' needs a loopback address such as 127.0.0.1, or '--unix'; "
        "other machines can connect to " +
        request.address);
  }
}

void check_limits() {
  try {
    web::Server::check_limits();
  } catch (const base::Error& error) {
    throw UsageError(error.what());  // nothing has been done
  }
}

web::Acting acting_of(const ServeRequest& request) {
  web::Acting acting;
  acting.host = host_name();
  acting.real_root = path_of_root;
  acting.allowed = request.allow_apply;
  acting.keep = keep_plan;
  acting.tell = [units = request.units](const web::ActNotice& notice) {
    print_message(about_act(notice, units));
  };
  return acting;
}

std::unique_ptr<web::Server> server_of(rt::Reactor& loop, const ServeRequest& request,
                                       web::Subject subject) {
  web::ServerOptions options;
  options.address = request.address;
  options.port = request.port;
  options.unix_socket = request.unix_socket;
  options.subject = std::move(subject);
  options.acting = acting_of(request);
  try {
    return std::make_unique<web::Server>(loop, options);
  } catch (const base::Error& error) {
    throw UsageError(with_escaped(error.what(), request.unix_socket));  // nothing has been done
  }
}

// Prints the address, which is the result, on standard output, and everything else on standard
// error.
void tell_address(const ServeRequest& request, const web::Server& server, Browser& browser) {
  Output output(std::nullopt);
  output.write(server.address() + '\n');
  output.finish();
  if (request.unix_socket.empty() && !web::Server::is_loopback(request.address)) {
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
    if (!is_ignored(number)) numbers.push_back(number);
  }
  loop.on_signals(numbers, [stop](int) { stop(); });
}

// Runs until the server is stopped.
void run(rt::Reactor& loop, const web::Server& server) {
  loop.run();
  // A cancelled scan ends soon, unless it hangs in the kernel.
  const auto deadline = base::deadline_after(base::monotonic_now(), kShutdownGrace);
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
  if (request.help != Help::none) return print(help_text(serve_manual(), request.help));
  check_acting(request);
  allow_more_descriptors();
  return_freed_memory();
  check_limits();
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
