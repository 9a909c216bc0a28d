// Prints the routes of the server, one per line: the method, the path and the parameters.
// cli/test/test_http_contract.py compares them with the documents.

#include <cstdio>
#include <string>

#include "routes.h"

int main() {
  for (const fathom::web::Route& route : fathom::web::routes()) {
    std::string line = route.method == fathom::web::Method::get ? "GET " : "POST ";
    line += fathom::web::kApi;
    line += route.path;
    for (const std::string_view name : route.parameters.all()) {
      line += ' ';
      line += name;
    }
    std::puts(line.c_str());
  }
}
