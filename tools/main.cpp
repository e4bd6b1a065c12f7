#include <signal.h>

#include <new>
#include <string>
#include <system_error>

#include "tools/command_line.h"
#include "tools/output.h"

int main(int argc, char** argv) {
  using namespace comback::tools;
  reserve_standard_descriptors();
  // A reader that goes away and a file that grows past its limit are failed writes, which have
  // their own exit code.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  try {
    StandardOutput out;
    const ExitCode code = run_command_line(argc, argv, out);
    if (!out.status()) {
      complain("comback: " + out.status().error().what + "\n");
      return static_cast<int>(ExitCode::kFailure);
    }
    return static_cast<int>(code);
  } catch (const std::bad_alloc&) {
    complain("comback: the machine has no memory left; a smaller --memory may help\n");
  } catch (const std::system_error& error) {  // a thread that cannot be made
    complain(std::string("comback: the machine refused: ") + error.what() +
             "; a smaller --threads or --memory may help\n");
  }
  return static_cast<int>(ExitCode::kFailure);
}
