// A test is a function that registers itself; a check that fails is counted, shown and survived.

#pragma once

#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace beeline::testing {

struct Test {
  std::string name;
  std::function<void()> run;
};

inline std::vector<Test> &tests() {
  static std::vector<Test> all;
  return all;
}

inline int &failures() {
  static int count = 0;
  return count;
}

struct Registration {
  Registration(const char *name, void (*run)()) { tests().push_back({name, run}); }
};

template <class Left, class Right>
void check_equal(const Left &left, const Right &right, const char *what, const char *file,
                 int line) {
  if (left == right)
    return;
  ++failures();
  std::cerr << file << ':' << line << ": " << what << ": " << left << " and " << right << '\n';
}

inline void check(bool holds, const char *what, const char *file, int line) {
  check_equal(holds, true, what, file, line);
}

} // namespace beeline::testing

#define TEST(name)                                                                                 \
  static void name();                                                                              \
  static const beeline::testing::Registration name##_registration(#name, &name);                   \
  static void name()
#define CHECK(condition) beeline::testing::check((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(left, right)                                                                   \
  beeline::testing::check_equal((left), (right), #left " == " #right, __FILE__, __LINE__)
