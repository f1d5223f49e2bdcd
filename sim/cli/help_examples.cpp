// SPDX-License-Identifier: Apache-2.0
// Examples for --help. Every option of a command appears in at least one; tests/cli/help_test.cpp.
#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "sim/cli/help.hpp"

namespace ht::cli {
namespace {

struct Example {
  std::string_view command;    ///< the words after `hypertorus`
  std::string_view arguments;  ///< what follows them
  std::string_view what;
};

constexpr Example examples[] = {
    {"run", "", "the main job: eight nodes, 1e-6 errors a bit, a burst; compared bit for bit"},
    {"run", "--nodes 4x2x2 --lattice 8x8x8x8", "a larger machine, sites 2x4x4x8 on each node"},
    {"run", "--config field.lime --kappa 0.1575 --boundary 1,1,1,-1", "a gauge field from a file"},
    {"run", "--field hot --seed 7 --kappa 0.1 --tolerance 1e-4", "a random field, another seed"},
    {"run", "--operator clover --kappa 0.12 --csw 1.2 --field hot --tolerance 1e-6",
     "clover-improved Wilson fermions"},
    {"run", "--operator asqtad --mass 0.05 --u0 0.9 --lattice 6x6x6x8 --columns 3",
     "Asqtad: fat links, and hops of three sites"},
    {"run", "--operator dwf --mass 0.05 --Ls 8 --M5 1.8 --solver mixed",
     "domain walls; most of the work in single precision"},
    {"run", "--operator staggered --solver multishift --shifts 0,0.01,0.1",
     "three systems in the iterations of one"},
    {"run", "--source gaussian:0,0,0,0:2.0:5 --columns 12", "a smeared source, all its columns"},
    {"run", "--precision single --solver full --tolerance 1e-5 --max-iterations 500",
     "on all sites, in 32 bits; exit 6 if 500 iterations do not suffice"},
    {"run", "--ber 1e-5 --bursts 20 --burst-bits 100 --error-span 100us", "bad cables"},
    {"run", "--lost 20 --doubled 20 --stuck 5 --pulled 2 --exchanged 2", "worse ones"},
    {"run",
     "--machine 2x2x2 --random-phases --random-state --cable-spread 200ns --threads 2 --no-skip",
     "machine given explicitly; the same answer with random clock phases, every idle cycle "
     "evaluated"},
    {"run",
     "--phy lanes --lanes 2 --ppm 200 --lane-skew 20ns --lane-jitter 200ps --lane-drift 1ns "
     "--nodes 2x2 --lattice 4x4x4x4",
     "cables of two serial lanes, whose ends have clocks of their own: the same answer"},
    {"run", "--noise 100us,10us,50us",
     "operating systems take processors away, about every 100 us; the same bits, later"},
    {"run", "--network functional --sum fast", "the same program without hardware"},
    {"run", "--trace wave --trace-nodes 0,3-5 --trace-from 20us --trace-to 24us",
     "wave.node0.fst and so on, for GTKWave"},
    {"run", "--trace wave --trace-on retransmit --trace-last 500",
     "once more, with waves of the 500 link clocks before the first packet sent again"},
    {"run", "--trace wave --trace-links +x,-x --trace-depth 4", "smaller files: two links of each"},
    {"run", "--pcap packets --pcap-links 0:+x,3:-y", "packets of two cables, for Wireshark"},
    {"run", "--timeline timeline.json --timeline-events 200000",
     "what nodes and cables do, for Perfetto: its first 200000 events"},
    {"run", "--profile-calls --json calls.json",
     "where time goes by call of the network and by node, and who sends to whom"},
    {"run", "--window-report",
     "time that processes started by mpirun wait for one another, and what they send: "
     "docs/howto/clusters.md"},
    {"run", "--report run.html",
     "a page for the browser: curves, the torus with its traffic, all numbers"},
    {"run", "--quiet --json run.json --timeout 2ms --processor-timeout 600s",
     "for scripts: one line, and all numbers"},
    {"run", "--stop-at 60us --trace wave --trace-nodes 0 --report run.html",
     "what is going on after 60 us: states of all nodes, waves and page up to there: exit 130"},
    {"run", "--kill 3@200us", "a node stops permanently, and all others report it: exit 7"},
    {"run", "--cut 0:+x@200us --json run.json", "the same for a cable: exit 7"},
    {"run", "--kill 3@400us --checkpoint 4 --checkpoint-files state",
     "the solve resumes from iteration 4, 8, ... on the half without it, to the same bits"},
    {"run", "--network functional --save-solution functional.lime",
     "keep the solution, for solution compare"},
    {"evolve", "--trajectories 2 --steps 6 --beta 5.6 --ber 1e-5",
     "pure gauge theory from a hot start, over bad cables; compared bit for bit"},
    {"evolve",
     "--nodes 2x2x1 --lattice 4x4x2x2 --length 0.1 --steps 2 --seed 7 --threads 2 --no-skip "
     "--timeout 2ms --processor-timeout 600s",
     "four nodes; the same bits from any number of threads, every idle cycle evaluated"},
    {"evolve",
     "--bursts 20 --burst-bits 100 --lost 20 --doubled 20 --stuck 5 --pulled 2 --exchanged 2 "
     "--error-span 100us",
     "cables with every kind of fault"},
    {"evolve", "--nodes 1x1x2 --ber 0 --bursts 0 --forged 1",
     "a packet damaged so that no CRC sees it: exit 1"},
    {"evolve",
     "--flavours 2 --kappa 0.15 --mu 0.1 --boundary 1,1,1,-1 --tolerance 1e-9 --max-iterations 500 "
     "--network functional --nodes 2x2 --json evolve.json",
     "two flavours of Wilson fermions with a twisted mass, without hardware"},
    {"evolve",
     "--network functional --trajectories 10 --save-every 5 --save field.nersc --format nersc "
     "--integrator leapfrog --length 0.5 --steps 20 --lattice 8x8x8x8 --field weak",
     "fields kept after trajectories 4 and 9"},
    {"evolve", "--network functional --config field.nersc --first 10 --trajectories 5 --quiet",
     "five more: the bits of an evolution of fifteen"},
    {"compare", "--plot compare --json compare.json",
     "all machines side by side; draws compare.svg and .png. Some minutes"},
    {"compare", "--ber 1e-5 --seed 7 --threads 2 --quiet",
     "worse cables; the same numbers from any number of threads"},
    {"gauge info", "field.lime", "checksums, plaquette, link trace, unitarity"},
    {"gauge info", "field.lime --quiet --json field.json", "the same for scripts"},
    {"gauge convert", "field.lime field.nersc --format nersc --precision 32 --rows 2",
     "ILDG to NERSC's 4D_SU3_GAUGE in float32"},
    {"gauge convert", "lat.sample field.lime --quiet --json field.json", "MILC v5 to ILDG"},
    {"gauge generate", "weak.lime --field weak --lattice 4x4x4x8 --seed 3", "a field near 1"},
    {"gauge generate",
     "hot.nersc --field hot --format nersc --precision 64 --rows 3 --quiet --json hot.json",
     "a random field, all three rows in double"},
    {"gauge heatbath", "b60.lime --beta 6.0 --lattice 8x8x8x8 --thermalize 200 --sweeps 800",
     "a field of the Wilson action; prints the mean plaquette and its error"},
    {"gauge heatbath",
     "b60.nersc --beta 6.0 --start unit --seed 2 --overrelax 4 --threads 2 --format nersc "
     "--precision 32 --rows 2 --quiet --json b60.json",
     "from an ordered start, into float32"},
    {"report", "r1.json r2.json", "time, errors, links and messages of two runs side by side"},
    {"report", "r1.json r2.json --rows 20 --json both.json",
     "longer tables, and all of it as JSON"},
    {"solution compare", "rtl.lime functional.lime", "exit 0 if no bit differs, else 1"},
    {"solution compare", "double.lime single.lime --tolerance 1e-6 --json compare.json",
     "differences up to 1e-6 of the largest number are accepted"},
    {"exec", "--network functional -- ./hello", "without hardware"},
    {"exec",
     "--ber 1e-5 --bursts 20 --burst-bits 100 --exchanged 2 --error-span 100us --seed 7 -- ./hello",
     "bad cables"},
    {"exec",
     "--phy lanes --lanes 1 --ppm 200 --lane-skew 20ns --lane-jitter 200ps --lane-drift 1ns -- "
     "./hello",
     "over cables of one serial lane"},
    {"exec",
     "--machine 2x2x2 --random-phases --random-state --cable-spread 200ns --threads 2 --no-skip -- "
     "./hello",
     "machine given explicitly; the same output from any number of threads"},
    {"exec", "--noise 20us,5us,10us -- ./ping_pong", "programs that are interrupted now and then"},
    {"exec", "--quiet --json exec.json --timeout 2ms --processor-timeout 600s -- ./hello",
     "the programs' output alone; exit codes and counters into a file"},
    {"exec", "--stop-at 20us -- ./ping_pong", "where all nodes are after 20 us: exit 130"},
    {"exec", "--gdb 1 -- ./ping_pong", "the program of node 1 under gdb, from its main() on"},
    {"exec", "--timeline hello.json --timeline-events 50000 -- ./hello",
     "nodes' calls and cables' packets, for Perfetto"},
    {"exec", "--nodes 2x2 --profile-calls --report hello.html -- ./hello",
     "where time goes by call of the network and by node, and who sends to whom"},
    {"exec", "--nodes 2x2 --window-report -- ./hello",
     "what processes started by mpirun wait for one another"},
    {"exec", "--nodes 2x2 --any-lengths -- ./hello",
     "every receive may be longer than what is sent, also where links do not say lengths"},
    {"exec", "--clock machine --output files --output-dir lines -- ./hello",
     "clocks of the machine; lines/node0.out, node0.err and so on"},
    {"exec", "--alone -- ./hello", "one functional node: what ./hello does by itself"},
    {"bench dirac", "", "Gflop/s of the hopping term on one core"},
    {"bench dirac", "--lattice 16x16x16x16 --seconds 2 --json dirac.json",
     "a field larger than the cache"},
    {"bench sim", "--nodes 1,8 --threads 1,2 --seconds 1 --json sim.json",
     "node-cycles a second, for two sizes and one or two threads"},
    {"bench sim", "--nodes 64,512 --peer DIR --load 0.3 --rounds 3",
     "beside the routers of BookSim2, in turn: ratios"},
    {"sweep", "FILE.toml --list", "what would run"},
    {"sweep", "FILE.toml --jobs 2 --output slots --quiet",
     "two runs at a time; slots/table.csv, sweep.json and figures; the same again goes on after an "
     "interruption"},
};

void append(std::string& text, std::string_view command, std::string_view arguments,
            std::string_view what) {
  text += text.empty() ? "Examples:" : "";
  text += "\n  hypertorus " + std::string(command);
  if (!arguments.empty()) text += " " + std::string(arguments);
  text += "\n      " + std::string(what);
}

std::string footer_of(std::string_view command, const machine::MachineCatalog& catalog) {
  std::string text;
  for (const Example& e : examples) {
    if (e.command == command) append(text, command, e.arguments, e.what);
  }
  for (const machine::MachineDescription* machine : catalog.machines()) {
    for (const machine::Example& e : machine->examples()) {
      if (e.command == command) append(text, command, e.arguments, e.what);
    }
  }
  return text;
}

void add_to(CLI::App& app, const std::string& path, const machine::MachineCatalog& catalog) {
  const std::string footer = footer_of(path, catalog);
  if (!footer.empty()) app.footer(footer);
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    add_to(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), catalog);
}

}  // namespace

void add_examples(CLI::App& app, const machine::MachineCatalog& catalog) {
  add_to(app, "", catalog);
}

}  // namespace ht::cli
