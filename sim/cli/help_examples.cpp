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
    {"run", "--source gaussian:0,0,0,0:2.0:5 --columns 12", "a smeared source, all its columns"},
    {"run", "--precision single --solver full --tolerance 1e-5 --max-iterations 500",
     "on all sites, in 32 bits; exit 6 if 500 iterations do not do"},
    {"run", "--ber 1e-5 --bursts 20 --burst-bits 100 --error-span 100us", "bad cables"},
    {"run", "--lost 20 --doubled 20 --stuck 5 --pulled 2", "worse ones"},
    {"run", "--ber 0 --bursts 0 --cable-delay 40ns --core-clock 166", "good, short cables"},
    {"run", "--machine 2x2x2 --random-phases --threads 2 --no-skip",
     "spelt out; the same answer from clocks out of step, every idle cycle evaluated"},
    {"run", "--noise 100us,10us,50us",
     "operating systems take processors away, about every 100 us; the same bits, later"},
    {"run", "--nodes 1x1x8 --partition z:4+4 --barrier torus",
     "one machine, two jobs at once, on rings of four made by redundant cables"},
    {"run", "qcdoc --nodes 2x2x2x2 --lattice 4x4x4x4",
     "the same program on 16 nodes of QCDOC, the same bits"},
    {"run", "qcdoc --machine 2x2x2x1x2x1 --nodes 4x2x2 --fold xy,z,u --lattice 4x4x4x2",
     "a six-dimensional machine, folded into three"},
    {"run", "qcdoc --boot --machine 2x2x2 --partition z:1+1 --lattice 4x4x4x4",
     "nodes find out where they are; then two jobs side by side, each on a slice of the machine"},
    {"run", "qcdoc --nodes 2x2 --lattice 4x4x4x4 --ber 0 --bursts 0 --forged 1",
     "two errors that parity cannot see: exit 1, and the link's name"},
    {"run", "tofu --lattice 4x4x4x4",
     "eight nodes of Tofu: messages by put, sums by barrier gates"},
    {"run", "tofu --machine 1x1x1x2x3x2 --failed 0,0,0,1,1,0 --lattice 4x4x4x4",
     "a group of twelve nodes, one of them lost: a torus of 2x2x2 round it"},
    {"run", "tofu --machine 4x1x3x1x1x1 --io-nodes --nodes 4x2 --lattice 4x4x4x4",
     "nodes with Z = 0 are for input and output"},
    {"run", "--network functional --sum fast", "the same program without hardware"},
    {"run", "--trace wave --trace-nodes 0,3-5 --trace-from 20us --trace-to 24us",
     "wave.node0.fst and so on, for GTKWave"},
    {"run", "--trace wave --trace-on retransmit --trace-last 500",
     "once more, with waves of the 500 link clocks before the first packet sent again"},
    {"run", "--trace wave --trace-links +x,-x --trace-depth 4", "smaller files: two links of each"},
    {"run", "--pcap packets --pcap-links 0:+x,3:-y", "packets of two cables, for Wireshark"},
    {"run", "--forged 1 --trace wave --trace-on mismatch",
     "an error no CRC sees: exit 1, and waves"},
    {"run", "--report run.html",
     "a page to look at: curves, the torus with its traffic, all numbers"},
    {"run", "--load ethernet --ethernet-ber 1e-7 --ethernet-pcap boot.pcapng --console",
     "nodes boot and read their field over Ethernet, and say so on their serial lines"},
    {"run", "--quiet --json run.json --timeout 2ms", "for scripts: one line, and all numbers"},

    {"run", "--network functional --save-solution functional.lime",
     "keep the solution, for solution compare"},

    {"compare", "--plot compare --json compare.json",
     "QPACE, QCDOC and Tofu side by side; draws compare.svg and .png. Some minutes"},
    {"compare", "qpace qcdoc --nodes 2x2 --lattice 4x4x4x4 --tolerance 1e-3 --largest 1024",
     "two of them, four nodes, a quick solve, short messages: seconds"},
    {"compare", "--ber 1e-5 --seed 7 --threads 2 --quiet",
     "worse cables; the same numbers from any number of threads"},

    {"bench cell", "--json cell.json", "table 1, the text's figures and equation 6.1 of seed 001"},

    {"gauge info", "field.lime", "checksums, plaquette, link trace, unitarity"},
    {"gauge info", "field.lime --quiet --json field.json", "the same for scripts"},
    {"gauge convert", "field.lime field.nersc --format nersc --precision 32 --rows 2",
     "ILDG to NERSC's 4D_SU3_GAUGE in float32"},
    {"gauge convert", "lat.sample field.lime --quiet --json field.json", "MILC v5 to ILDG"},
    {"gauge generate", "weak.lime --field weak --lattice 4x4x4x8 --seed 3", "a field near 1"},
    {"gauge generate",
     "hot.nersc --field hot --format nersc --precision 64 --rows 3 --quiet --json hot.json",
     "a random field, all three rows in double"},
    {"gauge heatbath", "b57.lime --beta 5.7 --lattice 8x8x8x8 --thermalize 200 --sweeps 800",
     "a field of the Wilson action; prints the mean plaquette and its error"},
    {"gauge heatbath",
     "b60.nersc --beta 6.0 --start unit --seed 2 --overrelax 4 --threads 2 --format nersc "
     "--precision 32 --rows 2 --quiet --json b60.json",
     "from an ordered start, into float32"},

    {"solution compare", "rtl.lime functional.lime", "exit 0 if no bit differs, else 1"},
    {"solution compare", "double.lime single.lime --tolerance 1e-6 --json compare.json",
     "differences up to 1e-6 of the largest number are accepted"},
    {"exec", "qcdoc --boot --machine 2x2x2 --nodes 4x2 --fold xy,z -- ./hello",
     "the same program on QCDOC, folded into two dimensions"},
    {"exec", "tofu --machine 2x1x2x2x3x1 --io-nodes --failed 1,0,1,0,2,0 -- ./hello",
     "on Tofu, without the nodes for input and output, round a lost one"},
    {"exec", "qpace --nodes 1x1x4 --partition z:2+2 --barrier torus -- ./hello",
     "on both halves of a machine, each a job of its own"},
    {"exec", "qpace --nodes 2x2x2 -- ./hello -v", "a program of hypertorus-cc, and its arguments"},
    {"exec", "--network functional -- ./hello", "without hardware"},
    {"exec", "--console -- ./hello", "what it prints goes over the nodes' serial lines"},
    {"exec", "--ber 1e-5 --bursts 20 --burst-bits 100 --error-span 100us --seed 7 -- ./hello",
     "bad cables"},
    {"exec", "--lost 20 --doubled 20 --stuck 5 --pulled 2 --forged 1 -- ./hello", "worse ones"},
    {"exec", "--ber 0 --bursts 0 --cable-delay 40ns --core-clock 166 -- ./ping_pong 65536",
     "good, short cables"},
    {"exec", "--machine 2x2x2 --random-phases --threads 2 --no-skip -- ./hello",
     "spelt out; the same output from any number of threads"},
    {"exec", "--noise 20us,5us,10us -- ./ping_pong", "programs that are interrupted now and then"},
    {"exec", "--quiet --json exec.json --timeout 2ms -- ./hello",
     "the programs' output alone; exit codes and counters into a file"},

    {"inject qpace", "--runs 10000", "ten thousand random runs; exit 1 if anything went wrong"},
    {"inject qpace", "--runs 1000 --seed 7 --nodes 2x2x1 --threads 2 --json campaign.json",
     "a larger machine; the same numbers from any number of threads"},
    {"inject qpace", "--runs 200 --kinds commands,hellos --forged-every 0 --quiet",
     "two kinds of trouble only"},
    {"inject qpace", "--residual --json residual.json",
     "the residual risk of CRC and line code, computed"},
    {"inject qpace", "--runs 2 --kinds hellos --forged-every 1 --no-checksums",
     "forged packets, and nobody compares checksums: exit 1"},
    {"inject qpace", "--seed 7 --replay 350 --trace wave",
     "run 350 of seed 7 again: what was drawn, what became of each error, and waves"},

    {"inject qcdoc", "--runs 10000", "ten thousand random runs; exit 1 if anything went unnoticed"},
    {"inject qcdoc", "--runs 1000 --seed 7 --nodes 2x2 --threads 2 --json campaign.json",
     "a larger machine; the same numbers from any number of threads"},
    {"inject qcdoc", "--runs 200 --kinds pulled --forged-every 0 --quiet",
     "cables pulled and put back only"},
    {"inject qcdoc", "--runs 2 --kinds idle --forged-every 1 --no-checksums",
     "forged words, and nobody compares checksums: exit 1"},
    {"inject qcdoc", "--seed 7 --replay 350 --trace wave",
     "run 350 of seed 7 again: what was drawn, what became of each error, and waves"},

    {"inject tofu", "--runs 1000", "a thousand random runs; exit 1 if anything went wrong"},
    {"inject tofu", "--runs 100 --seed 7 --nodes 2x1x1x2x1x2 --threads 2 --json campaign.json",
     "a larger machine; the same numbers from any number of threads"},
    {"inject tofu", "--runs 200 --kinds commands,hellos --forged-every 0 --quiet",
     "two kinds of trouble only"},
    {"inject tofu", "--runs 2 --kinds hellos --forged-every 1 --no-checksums",
     "forged packets, and nobody compares checksums: exit 1"},
    {"inject tofu", "--seed 7 --replay 350 --trace wave",
     "run 350 of seed 7 again: what was drawn, what became of each error, and waves"},

    {"bench dirac", "", "Gflop/s of the hopping term on one core"},
    {"bench dirac", "--lattice 16x16x16x16 --seconds 2 --json dirac.json",
     "a field larger than the cache"},

    {"bench qpace", "--plot qpace --json qpace.json",
     "section 6 of the paper; draws qpace.figure6.svg, qpace.goodput.png and so on"},
    {"bench qpace", "--quick --cells cells.json",
     "the same numbers from shorter runs, and those that fpga/common/cells.py wrote"},

    {"bench qcdoc", "--plot qcdoc --json qcdoc.json",
     "section 2.2 of the paper, and its 40 % of peak; draws qcdoc.transfer.svg and .png"},
    {"bench qcdoc", "--quick --cells cells.json",
     "the same numbers from fewer points, and those that fpga/common/cells.py wrote"},

    {"bench tofu", "--plot tofu --json tofu.json",
     "hop, link, gates, routers under load, collectives, noise; draws tofu.barrier and tofu.noise, "
     ".svg and .png"},
    {"bench tofu", "--quick --cells cells.json",
     "fewer points, and the numbers that fpga/common/cells.py wrote"},
    {"bench tofu", "--quick --noise 10ms,20us,2ms",
     "rare but long interruptions, as the paper has them"},

    {"bench sim", "--nodes 1,8 --threads 1,2 --seconds 1 --json sim.json",
     "node-cycles a second, for two sizes and one or two threads"},
    {"bench sim", "qcdoc --nodes 64 --threads 1", "QCDOC's, all 24 connections of a node busy"},
};

std::string footer_of(std::string_view command) {
  std::string text;
  for (const Example& e : examples) {
    if (e.command != command) continue;
    text += text.empty() ? "Examples:" : "";
    text += "\n  hypertorus " + std::string(command);
    if (!e.arguments.empty()) text += " " + std::string(e.arguments);
    text += "\n      " + std::string(e.what);
  }
  return text;
}

void add_to(CLI::App& app, const std::string& path) {
  const std::string footer = footer_of(path);
  if (!footer.empty()) app.footer(footer);
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    add_to(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name());
}

}  // namespace

void add_examples(CLI::App& app) {
  add_to(app, "");
}

}  // namespace ht::cli
