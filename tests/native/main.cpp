// Runs all tests, or those whose names contain the first argument.

#include <string_view>

#include "check.h"

int main(int count, char **arguments) {
  using namespace beeline::testing;
  const std::string_view wanted = count > 1 ? arguments[1] : "";
  int run = 0;
  for (const Test &test : tests()) {
    if (test.name.find(wanted) == std::string::npos)
      continue;
    const int before = failures();
    test.run();
    ++run;
    std::cout << (failures() == before ? "ok      " : "FAILED  ") << test.name << '\n';
  }
  std::cout << run << " tests, " << failures() << " failed checks\n";
  return run == 0 || failures() > 0 ? 1 : 0;
}
