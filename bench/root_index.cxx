/* SPDX-License-Identifier: Apache-2.0
 * ROOT's TTreeIndex over (run, event): time and memory to build it, and to look up ids in random order.
 * It has two axes at most, so the luminosity block is left out; in these files run and event are enough. */
#include "peer.hxx"
#include "random.hxx"

#include <TFile.h>
#include <TTree.h>
#include <TTreeIndex.h>

#include <exception>
#include <fstream>
#include <memory>
#include <unistd.h>

namespace
{
std::uint64_t rss_bytes()
{
    std::ifstream in("/proc/self/statm");
    std::uint64_t total = 0, resident = 0;
    in >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

struct Id {
    Long64_t run, event;
};

std::vector<Id> read_ids(TTree &tree)
{
    UInt_t run = 0;
    ULong64_t event = 0;
    tree.SetBranchAddress("run", &run);
    tree.SetBranchAddress("event", &event);
    std::vector<Id> ids(static_cast<std::size_t>(tree.GetEntries()));
    TBranch *run_branch = tree.GetBranch("run"), *event_branch = tree.GetBranch("event");
    for (std::size_t i = 0; i < ids.size(); i++) {
        run_branch->GetEntry(static_cast<Long64_t>(i));
        event_branch->GetEntry(static_cast<Long64_t>(i));
        ids[i] = {run, static_cast<Long64_t>(event)};
    }
    tree.ResetBranchAddresses();
    return ids;
}

void run(const peer::Options &options)
{
    const std::string path = options.word(0, "FILE");
    std::unique_ptr<TFile> file(TFile::Open(path.c_str()));
    auto *tree = file ? file->Get<TTree>("Events") : nullptr;
    if (!tree)
        throw std::runtime_error("no tree Events in " + path);
    std::vector<Id> ids = read_ids(*tree);

    const std::uint64_t before = rss_bytes();
    peer::Clock clock;
    TTreeIndex index(tree, "run", "event");
    const double build_seconds = clock.seconds();
    const std::uint64_t after = rss_bytes();

    Random random(7);
    for (std::size_t i = ids.size(); i > 1; i--)
        std::swap(ids[i - 1], ids[random.below(i)]);
    std::uint64_t found = 0;
    clock.lap();
    for (const Id &id : ids)
        found += index.GetEntryNumberWithIndex(id.run, id.event) >= 0;
    const double seconds = clock.seconds();
    peer::Line line;
    line.add("peer", std::string("ROOT TTreeIndex"))
        .add("file", path)
        .add("events", std::uint64_t{ids.size()});
    line.add("build_seconds", build_seconds).add("seconds", seconds).add("found", found);
    line.add("nanoseconds_each", 1e9 * seconds / static_cast<double>(ids.size()));
    line.add("memory_bytes", after > before ? after - before : 0).print();
}
} // namespace

int main(int argc, char **argv)
try {
    if (argc < 2)
        throw std::runtime_error("usage: root_index FILE");
    run(peer::Options(argc, argv));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "root_index: %s\n", error.what());
    return 2;
}
