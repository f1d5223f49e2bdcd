// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/fold.hpp"

#include <algorithm>
#include <numeric>

#include "sw/host/errors.hpp"
#include "tests/qcdoc/sw/torus_check.hpp"

using namespace ht::qcdoc;
using ht::test::check_torus;
using Shape = std::vector<int>;

namespace {

Fold fold(const Shape& machine, const Shape& application, const std::string& spec = "") {
  return Fold(machine, application, spec);
}

// Every way to put the machine's axes on `axes` axes of the application, in every order.
void check_every_grouping(const std::vector<Axis>& machine) {
  std::vector<std::size_t> order(machine.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::string names = "xyztuv";
  do {
    // Commas between them: 2^(n - 1) ways.
    for (unsigned commas = 0; commas < 1U << (machine.size() - 1); ++commas) {
      std::string spec;
      std::vector<std::vector<Axis>> groups(1);
      for (std::size_t i = 0; i < order.size(); ++i) {
        spec += names[order[i]];
        groups.back().push_back(machine[order[i]]);
        if (commas >> i & 1U) {
          spec += ',';
          groups.emplace_back();
        }
      }
      const bool closes = std::all_of(groups.begin(), groups.end(),
                                      [](const auto& g) { return !why_not_closed(g); });
      if (!closes) {
        CHECK_THROWS_AS(Fold(machine, {}, spec), ht::UsageError);
        continue;
      }
      const Fold f(machine, {}, spec);
      Shape expected;
      for (const auto& g : groups) {
        expected.push_back(1);
        for (const Axis& a : g) expected.back() *= a.length;
      }
      CHECK(f.shape() == expected);
      check_torus(f);
    }
  } while (machine.size() <= 4 && std::next_permutation(order.begin(), order.end()));
}

std::vector<Axis> axes(const Shape& lengths, unsigned lines = 0) {
  std::vector<Axis> result;
  for (const int n : lengths) result.push_back({n, (lines >> result.size() & 1U) == 0});
  return result;
}

std::string refusal(const Shape& machine, const Shape& application, const std::string& spec = "") {
  try {
    fold(machine, application, spec);
  } catch (const ht::UsageError& e) {
    return e.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("2x2x2x2x2x2 is a torus of one to six axes") {
  for (const Shape& shape :
       {Shape{64}, Shape{8, 8}, Shape{4, 4, 4}, Shape{4, 4, 2, 2}, Shape{4, 2, 2, 2, 2},
        Shape{2, 2, 2, 2, 2, 2}, Shape{2, 4, 8}, Shape{2, 32}, Shape{16, 2, 2}, Shape{1, 64, 1},
        Shape{4, 1, 4, 1, 4, 1}}) {
    const Fold f = fold(Shape(6, 2), shape);
    CHECK(f.shape() == shape);
    check_torus(f);
  }
}

TEST_CASE("4x2x2x1x1x1 is a torus of one to three axes") {
  for (const Shape& shape : {Shape{16}, Shape{8, 2}, Shape{2, 8}, Shape{4, 4}, Shape{4, 2, 2},
                             Shape{2, 4, 2}, Shape{2, 2, 4}, Shape{4, 2, 2, 1, 1, 1}})
    check_torus(fold({4, 2, 2, 1, 1, 1}, shape));
}

TEST_CASE("every grouping of every small machine") {
  for (const Shape& lengths : {Shape{1},
                               Shape{2},
                               Shape{7},
                               Shape{2, 2},
                               Shape{3, 2},
                               Shape{2, 5},
                               Shape{3, 3},
                               Shape{3, 5},
                               Shape{5, 3},
                               Shape{4, 4},
                               Shape{4, 6},
                               Shape{1, 3, 1},
                               Shape{2, 2, 2},
                               Shape{3, 3, 3},
                               Shape{3, 5, 7},
                               Shape{4, 3, 2},
                               Shape{3, 1, 4, 2},
                               Shape{2, 2, 2, 2},
                               Shape{8, 4, 4, 2},
                               Shape{3, 3, 3, 2, 2, 1},
                               Shape{2, 2, 2, 2, 2, 2}})
    check_every_grouping(axes(lengths));
}

TEST_CASE("every grouping of boxes with lines") {
  for (const Shape& lengths : {Shape{2}, Shape{3}, Shape{2, 2}, Shape{2, 3}, Shape{3, 3},
                               Shape{3, 5}, Shape{4, 2, 3}, Shape{3, 3, 5}, Shape{2, 2, 2, 1}})
    for (unsigned lines = 1; lines < 1U << lengths.size(); ++lines)
      check_every_grouping(axes(lengths, lines));
}

TEST_CASE("what closes and what does not") {
  const Axis line2{2, false}, line3{3, false}, line5{5, false}, ring3{3, true}, ring2{2, true},
      one{1, false};
  CHECK(!why_not_closed({}));
  CHECK(!why_not_closed({one}));
  CHECK(!why_not_closed({ring2}));
  CHECK(!why_not_closed({ring3}));
  CHECK(!why_not_closed({ring3, ring3}));
  CHECK(!why_not_closed({line2, line2}));
  CHECK(!why_not_closed({line2, line5}));
  CHECK(!why_not_closed({ring3, line5}));
  CHECK(why_not_closed({line2}));
  CHECK(why_not_closed({line2, one}));
  CHECK(why_not_closed({line3}));
  CHECK(why_not_closed({line3, line5}));
  CHECK_THROWS_AS(closed_walk({line3, line5}), std::logic_error);
}

TEST_CASE("lengths of two give Gray's code") {
  const std::vector<Shape> gray = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 1, 1}, {1, 1, 1}, {1, 0, 1}, {0, 0, 1}};
  CHECK(closed_walk(axes({2, 2, 2})) == gray);
}

TEST_CASE("the machine's own shape is taken as it is") {
  for (const Shape& shape : {Shape{8, 4, 4, 2, 2, 2}, Shape{2, 2}, Shape{1, 3, 1, 5}}) {
    const Fold f(shape, {});
    for (int rank = 0; rank < f.size(); ++rank) REQUIRE(f.physical_node(rank) == rank);
    for (int d = 0; d < 2 * static_cast<int>(shape.size()); ++d)
      CHECK(f.link(0, d) == (shape[static_cast<std::size_t>(d / 2)] > 1 ? d : -1));
    check_torus(f);
  }
}

TEST_CASE("axes go to the first place that lets the rest fit") {
  using Groups = Fold::Groups;
  CHECK(fold({2, 2, 2, 2}, {4, 4}).groups() == Groups{{0, 1}, {2, 3}});
  CHECK(fold({2, 2, 2, 2}, {2, 8}).groups() == Groups{{0}, {1, 2, 3}});
  CHECK(fold({2, 4, 2}, {4, 4}).groups() == Groups{{0, 2}, {1}});
  CHECK(fold({4, 2, 2}, {2, 8}).groups() == Groups{{1}, {0, 2}});
  CHECK(fold({2, 2, 2, 2}, {4, 4}, "xz,ty").groups() == Groups{{0, 2}, {3, 1}});
  CHECK(fold({2, 2, 2, 2}, {}, "x,-,tyz").shape() == Shape{2, 1, 8});
  CHECK(fold({2, 1, 2}, {4, 1, 1}, "xz").shape() == Shape{4, 1, 1});
  CHECK(fold({4, 2, 2, 1}, {8, 2}).description() == "4x2x2x1 as 8x2 (xy,z)");
}

TEST_CASE("a shape that does not fit is refused with those that do") {
  CHECK(refusal({4, 4}, {2, 8}) ==
        "machine 4x4 cannot present itself as 2x8: an axis is a closed walk over whole axes of the "
        "machine; it folds into 16, 4x4, in any order of the axes");
  CHECK_THAT(refusal({2, 2, 2}, {3, 3}), Catch::Contains("2x2x2 cannot present itself as 3x3"));
  CHECK_THAT(refusal({2, 2, 2}, {3, 3}), Catch::Contains("into 8, 4x2, 2x2x2,"));
  CHECK_THAT(refusal({2, 2}, {2, 2, 2}), Catch::Contains("into 4, 2x2,"));
  CHECK_THAT(refusal({8, 4, 4, 2, 2, 2}, {5}), Catch::Contains("and others"));
  CHECK_THAT(refusal({2, 2, 2}, {4, 2}, "xy"), Catch::Contains("axis z is missing"));
  CHECK_THAT(refusal({2, 2, 2}, {4, 2}, "xy,zx"), Catch::Contains("axis x is named twice"));
  CHECK_THAT(refusal({2, 2, 2}, {4, 2}, "xy,zt"), Catch::Contains("no axis t"));
  CHECK_THAT(refusal({2, 2, 2}, {4, 2}, "xy,q"), Catch::Contains("no axis q"));
  CHECK_THAT(refusal({2, 2, 2}, {4, 2}, "x,yz"), Catch::Contains("is 2x4, not 4x2"));
  CHECK_THAT(refusal({2, 2, 2}, {}, "x,y,z,-,-,-,-"), Catch::Contains("at most six"));
  CHECK_THAT(refusal({2, 0}, {2}), Catch::Contains("at least one node"));
  CHECK_THAT(refusal({}, {2}), Catch::Contains("one to six axes"));
  CHECK_THAT(refusal({1, 1, 1, 1, 1, 1, 2}, {2}), Catch::Contains("one to six axes"));
  CHECK_THAT(refusal({2}, {1, 1, 1, 1, 1, 1, 2}), Catch::Contains("at most six"));
  CHECK_THAT(refusal({4096, 4096}, {}), Catch::Contains("more than a million"));
}

TEST_CASE("the paper's machines fold") {
  check_torus(fold({8, 4, 4, 2, 2, 2}, {8, 8, 4, 4}));
  check_torus(fold({8, 4, 4, 2, 2, 2}, {1024}));
  check_torus(fold({16, 8, 8, 3, 2, 2}, {32, 16, 24}));  // 12,288 nodes, our shape
}
