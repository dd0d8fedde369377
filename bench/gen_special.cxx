/* SPDX-License-Identifier: Apache-2.0
 * Write the ROOT files that are large, many-clustered, written several times or cut off by a kill, with real ROOT.
 * Every value follows from its entry by the formulas of closed_form.h, so a reader can be checked without ROOT. */
#include "closed_form.h"

#include <TFile.h>
#include <TTree.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace
{
std::unique_ptr<TFile> create(const std::string &path, int codec)
{
    const std::string url = path + "?reproducible=" + path.substr(path.rfind('/') + 1);
    std::unique_ptr<TFile> file(TFile::Open(url.c_str(), "RECREATE", "", codec));
    if (!file || file->IsZombie())
        throw std::runtime_error("cannot write " + path);
    return file;
}

/** The branches of every special file: ids, a double, a fixed array and a counted one. */
struct Event {
    UInt_t run, lumi;
    ULong64_t number;
    Double_t d;
    Float_t x[16];
    Int_t n;
    Float_t a[CLOSED_FORM_MOST_ITEMS];

    void bind(TTree &tree, int basket_bytes)
    {
        tree.Branch("run", &run, "run/i", basket_bytes);
        tree.Branch("luminosityBlock", &lumi, "luminosityBlock/i", basket_bytes);
        tree.Branch("event", &number, "event/l", basket_bytes);
        tree.Branch("d", &d, "d/D", basket_bytes);
        tree.Branch("x", x, "x[16]/F", basket_bytes);
        tree.Branch("n", &n, "n/I", basket_bytes);
        tree.Branch("a", a, "a[n]/F", basket_bytes);
    }

    void set(std::uint64_t entry)
    {
        run = closed_form_run(entry);
        lumi = closed_form_lumi(entry);
        number = closed_form_event(entry);
        d = closed_form_d(entry);
        for (unsigned i = 0; i < 16; i++)
            x[i] = closed_form_x(entry, i);
        n = static_cast<Int_t>(closed_form_n(entry));
        for (int i = 0; i < n; i++)
            a[i] = closed_form_a(entry, static_cast<unsigned>(i));
    }
};

struct Writer {
    Writer(const std::string &path, int codec, Long64_t auto_flush, int basket_bytes)
        : file(create(path, codec)), tree(new TTree("Events", "entries by formula", 99, file.get()))
    {
        tree->SetAutoFlush(auto_flush);
        tree->SetAutoSave(0);
        event.bind(*tree, basket_bytes);
    }

    void fill(std::uint64_t n)
    {
        for (std::uint64_t i = 0; i < n; i++) {
            event.set(static_cast<std::uint64_t>(tree->GetEntries()));
            if (tree->Fill() < 0)
                throw std::runtime_error("write error");
        }
    }

    void close()
    {
        file->Write("", TObject::kOverwrite);
        file->Close();
    }

    std::unique_ptr<TFile> file;
    TTree *tree; /* the file's */
    Event event;
};

/** Past 2 GiB, where ROOT changes to 64-bit offsets on the way. */
void write_big(const std::string &path, std::uint64_t n_events)
{
    Writer writer(path, 0, 100000, 1 << 20);
    writer.fill(n_events);
    writer.close();
}

/** One basket a branch: at 325,000 entries that of x[16] unpacks to 20.8 MB, more than one compression frame holds. */
void write_big_basket(const std::string &path, std::uint64_t n_events, int codec)
{
    Writer writer(path, codec, 0, 1 << 30);
    writer.fill(n_events);
    writer.close();
}

/** Clusters of two entries. */
void write_clusters(const std::string &path, std::uint64_t n_clusters)
{
    Writer writer(path, 101, 2, 512);
    writer.fill(2 * n_clusters);
    writer.close();
}

/** Clusters of 1, 2, 3, 1, 2, 3 ... entries, flushed by hand: each is a range of its own in the tree's record. */
void write_uneven_clusters(const std::string &path, std::uint64_t n_clusters)
{
    Writer writer(path, 101, 0, 512);
    for (std::uint64_t i = 0; i < n_clusters; i++) {
        writer.fill(i % 3 + 1);
        writer.tree->FlushBaskets();
    }
    writer.close();
}

/** Events;1, ;2 and ;3 with n, 2 n and 3 n entries, all kept; and another tree with two. */
void write_cycles(const std::string &path, std::uint64_t n_events)
{
    Writer writer(path, 101, 500, 4000);
    for (int i = 0; i < 3; i++) {
        writer.fill(n_events);
        writer.tree->Write();
    }
    auto *other = new TTree("other", "two cycles", 99, writer.file.get());
    Event event;
    event.bind(*other, 4000);
    for (std::uint64_t entry = 0; entry < 20; entry++) {
        event.set(entry);
        other->Fill();
        if (entry % 10 == 9)
            other->Write();
    }
    writer.tree->SetDirectory(nullptr);
    other->SetDirectory(nullptr);
    writer.file->Close();
    delete writer.tree;
    delete other;
}

[[noreturn]] void die()
{
    kill(getpid(), SIGKILL);
    std::abort();
}

/** Half is autosaved with this option, the rest filled and flushed, then the process is killed. */
void write_killed(const std::string &path, std::uint64_t n_events, const char *autosave)
{
    Writer writer(path, 101, 500, 4000);
    writer.fill(n_events / 2);
    if (autosave)
        writer.tree->AutoSave(autosave);
    writer.fill(n_events - n_events / 2);
    die();
}
} // namespace

int main(int argc, char **argv)
try {
    using Recipe = std::function<void(const std::string &, std::uint64_t)>;
    const std::map<std::string, Recipe> recipes = {
        {"big", write_big},
        {"big-basket-raw", [](auto &path, auto n) { write_big_basket(path, n, 0); }},
        {"big-basket-zlib", [](auto &path, auto n) { write_big_basket(path, n, 101); }},
        {"big-basket-lzma", [](auto &path, auto n) { write_big_basket(path, n, 209); }},
        {"big-basket-lz4", [](auto &path, auto n) { write_big_basket(path, n, 404); }},
        {"big-basket-zstd", [](auto &path, auto n) { write_big_basket(path, n, 505); }},
        {"clusters", write_clusters},
        {"uneven-clusters", write_uneven_clusters},
        {"cycles", write_cycles},
        {"killed-saveself", [](auto &path, auto n) { write_killed(path, n, "SaveSelf;FlushBaskets"); }},
        {"killed-autosave", [](auto &path, auto n) { write_killed(path, n, ""); }},
        {"killed-early", [](auto &path, auto n) { write_killed(path, n, nullptr); }},
    };
    const auto recipe = argc == 4 ? recipes.find(argv[1]) : recipes.end();
    if (recipe == recipes.end()) {
        std::fprintf(stderr, "usage: gen_special KIND N PATH\nKIND:");
        for (const auto &[name, unused] : recipes)
            std::fprintf(stderr, " %s", name.c_str());
        std::fprintf(stderr, "\n");
        return 2;
    }
    recipe->second(argv[3], std::stoull(argv[2]));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "gen_special: %s\n", error.what());
    return 2;
}
