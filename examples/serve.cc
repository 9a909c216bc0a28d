// serve: shows what fills a directory in a browser, from a program.
//
//   serve [DIRECTORY]     runs until it is interrupted

#include <fathom/rt/net/reactor.h>
#include <fathom/web/server.h>

#include <chrono>
#include <csignal>
#include <iostream>

using namespace fathom;

int main(int argc, char** argv) {
  rt::Reactor loop;
  web::ServerOptions options;
  options.subject.scan.roots = {argc > 1 ? argv[1] : "."};
  web::Server server(loop, options);
  loop.on_signals({SIGINT, SIGTERM},
                  [&](int) { server.shut_down(std::chrono::seconds(1), [&] { loop.stop(); }); });
  std::cout << server.address() << std::endl;
  loop.run();
}
