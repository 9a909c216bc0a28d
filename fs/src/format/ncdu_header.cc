// read_ncdu_header: recognizes other formats by their first bytes.

#include "format/ncdu_header.h"

#include <array>
#include <string_view>

#include "format/json_members.h"

namespace fathom::fs {

namespace {

constexpr auto kHeaderMembers = std::to_array<JsonMember<NcduImport>>({
    {"progname", read_field<&NcduImport::program>},
    {"progver", read_field<&NcduImport::version>},
    {"timestamp", read_field<&NcduImport::taken>},
    {"unwanted", [](JsonInput& in, NcduImport& to) { read_value(in, to.scan.filtered_out); }},
    {"interrupted", [](JsonInput& in, NcduImport& to) { read_value(in, to.scan.cancelled); }},
});

void refuse_other_formats(JsonInput& input) {
  using namespace std::string_view_literals;
  const std::string_view head = input.head();
  if (head.empty()) input.fail("the input is empty");
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) {
    input.fail("the export is compressed: pass it through zstd -d");
  }
  if (head.starts_with("\x1f\x8b"sv)) {
    input.fail("the export is compressed: pass it through gzip -d");
  }
  if (head.starts_with("\xbfncduEX1"sv)) {
    input.fail("this is ncdu's binary export: convert it with ncdu -f FILE -o -");
  }
}

}  // namespace

void read_ncdu_header(JsonInput& input, NcduImport& into) {
  refuse_other_formats(input);
  if (!input.accept('[')) input.fail("this is not an ncdu export, which begins with '['");
  if (input.whole_number() != 1) input.fail("only version 1 of the format is supported");
  input.expect(',');
  input.whole_number();  // additions of a minor version can be skipped
  input.expect(',');
  input.expect('{');
  read_members(input, kHeaderMembers, into);
  input.expect(',');
}

}  // namespace fathom::fs
