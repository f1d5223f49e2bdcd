// SPDX-License-Identifier: Apache-2.0
// A solve that is broken off goes on from its checkpoint on another grid of nodes, and ends in the
// bits of one that was never disturbed; what is damaged, half or another job's is refused.
#include "sw/dirac/checkpoint.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace ht;
using namespace ht::test;
using dirac::Checkpoints;
using dirac::JobSpec;

namespace {

struct BrokenOff : Error {
  BrokenOff() : Error(ExitCode::Protocol, "broken off") {}
};

JobSpec job() {
  JobSpec spec;
  spec.lattice = {4, 4, 2, 4};
  spec.tolerance = 1e-8;
  spec.columns = 2;
  return spec;
}

int nodes_of(const std::vector<int>& grid) {
  int nodes = 1;
  for (const int length : grid) nodes *= length;
  return nodes;
}

void break_off(JobSpec spec, const std::vector<int>& grid, int column, int iteration) {
  spec.node_grid = grid;
  spec.progress = [&](const dirac::Progress& p) {
    if (p.column == column && p.iteration == iteration) throw BrokenOff();
  };
  CHECK_THROWS_WITH(run_job(spec, grid), Catch::EndsWith("broken off"));
}

void overwrite(const std::string& file, std::size_t at) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(at));
  const char old = static_cast<char>(bytes.get());
  bytes.seekp(static_cast<std::streamoff>(at));
  bytes.put(static_cast<char>(old ^ 1));
}

}  // namespace

TEST_CASE("checkpoint: a solve goes on elsewhere, to the same bits", "[checkpoint]") {
  JobSpec spec = job();
  spec.solver = GENERATE(dirac::SolverKind::EvenOdd, dirac::SolverKind::Full);
  spec.precision = GENERATE(dirac::Precision::Double, dirac::Precision::Single);
  if (spec.precision == dirac::Precision::Single) spec.tolerance = 1e-4;
  const int every = GENERATE(1, 3);
  const int column = GENERATE(0, 1);
  const auto [before, after] =
      GENERATE(std::pair<std::vector<int>, std::vector<int>>{{2, 2, 1, 2}, {1, 2, 1, 2}},
               std::pair<std::vector<int>, std::vector<int>>{{2}, {2, 2, 2}});
  const Finished whole = run_job(spec, {1});
  const ScratchFolder folder;
  spec.checkpoints = std::make_shared<Checkpoints>(folder.file("state"), every, "job");
  constexpr int end = 5;
  break_off(spec, before, column, end);
  REQUIRE(spec.checkpoints->read(nodes_of(before)));
  const int iteration = spec.checkpoints->found()->solver.iterations();
  CHECK(spec.checkpoints->found()->solver.column == column);
  CHECK(iteration % every == 0);
  CHECK(iteration > end - 1 - 2 * every);
  spec.node_grid = after;
  const Finished rest = run_job(spec, after);
  CHECK(rest.solution == whole.solution);
  CHECK(rest.result.correlator == whole.result.correlator);
  // What was done before took none of its time.
  double done = iteration;
  for (int c = 0; c < column; ++c)
    done += whole.result.columns[static_cast<std::size_t>(c)].iterations;
  const double all = whole.result.columns[0].iterations + whole.result.columns[1].iterations;
  CHECK(rest.result.solve_flops == Approx(whole.result.solve_flops * (all - done) / all));
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(rest.result.columns[c].history == whole.result.columns[c].history);
    CHECK(rest.result.columns[c].true_residual == whole.result.columns[c].true_residual);
  }
}

TEST_CASE("checkpoint: any byte of a file that differs is found", "[checkpoint]") {
  JobSpec spec = job();
  const ScratchFolder folder;
  const std::string stem = folder.file("state");
  spec.checkpoints = std::make_shared<Checkpoints>(stem, 2, "job");
  break_off(spec, {2}, 0, 5);  // both sets are whole
  const std::string newest = stem + ".node1.0", older = stem + ".node1.1";
  const auto bytes = std::filesystem::file_size(newest);
  const auto found = [&]() -> int {
    Checkpoints again(stem, 2, "job");
    return again.read(2) ? again.found()->solver.iterations() : 0;
  };
  CHECK(found() == 4);
  const std::size_t at = GENERATE_COPY(std::size_t{0}, std::size_t{30}, bytes / 2, bytes - 1);
  overwrite(newest, at);
  CHECK(found() == 2);  // the one before
  overwrite(older, std::filesystem::file_size(older) / 3);
  CHECK_THROWS_AS(found(), DataError);
}

TEST_CASE("checkpoint: states of different iterations are not put together", "[checkpoint]") {
  const ScratchFolder folder;
  const auto state_at = [](int iteration) {
    dirac::NodeState state;
    state.solver.history.assign(static_cast<std::size_t>(iteration) + 1, 1.0);
    return state;
  };
  // As nodes leave it that are broken off at different times: node 0 was faster.
  Checkpoints files(folder.file("state"), 2, "job");
  for (const int node : {0, 1}) {
    files.save(node, 2, state_at(2));
    files.save(node, 2, state_at(4));
  }
  files.save(0, 2, state_at(6));
  REQUIRE(files.read(2));
  CHECK(files.found()->solver.iterations() == 4);
}

TEST_CASE("checkpoint: what is short, missing, or another job's is not taken", "[checkpoint]") {
  JobSpec spec = job();
  const ScratchFolder folder;
  const std::string stem = folder.file("state");
  spec.checkpoints = std::make_shared<Checkpoints>(stem, 2, "job");
  break_off(spec, {2}, 0, 5);  // both sets are whole
  CHECK_THROWS_AS(Checkpoints(stem, 2, "another job").read(2), DataError);
  CHECK_THROWS_AS(Checkpoints(stem, 2, "job").read(1), DataError);
  const std::string newest = stem + ".node0.0";
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 1);
  Checkpoints shorter(stem, 2, "job");
  REQUIRE(shorter.read(2));
  CHECK(shorter.found()->solver.iterations() == 2);
  std::filesystem::remove(stem + ".node1.1");
  std::filesystem::remove(newest);
  CHECK_FALSE(Checkpoints(stem, 2, "job").read(2));
}
