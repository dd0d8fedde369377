/* SPDX-License-Identifier: Apache-2.0
 * ROOT reading a TTree in its own ways: whole events in a loop or by a list, and columns branch by branch. */
#include "digest.h"
#include "peer.hxx"

#include <TBranch.h>
#include <TFile.h>
#include <TLeaf.h>
#include <TTree.h>
#include <TTreeReader.h>
#include <TTreeReaderArray.h>
#include <TTreeReaderValue.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>

namespace
{
using peer::Clock;
using peer::Line;
using peer::Options;

const char usage[] =
    "usage: root_read events  FILE [--limit N] [--cache default|off|BYTES] [--virtual BYTES]\n"
    "       root_read list    FILE --list ENTRIES.txt [--limit N] [--order asked|sorted] [--cache ...] "
    "[--virtual ...]\n"
    "       root_read digest  FILE --list ENTRIES.txt --limit N            digest of all values, not timed\n"
    "       root_read columns FILE --columns A,B [--cache ...]     TBranch::GetEntry\n"
    "       root_read reader  FILE --columns A,B [--runs N]        TTreeReader, a line a run\n"
    "       root_read names   FILE                                 names, types, titles and sizes of all "
    "branches\n"
    "seconds: the work, open_seconds: opening before it. Trees are named Events, or --tree NAME.\n";

/** A file and its tree. The time that took is told apart. */
struct Tree {
    explicit Tree(const Options &options) : path(options.word(1, "FILE"))
    {
        Clock clock;
        const double cpu_start = peer::cpu_seconds();
        file.reset(TFile::Open(path.c_str()));
        tree = file ? file->Get<TTree>(options.get("tree", "Events").c_str()) : nullptr;
        if (!tree)
            throw std::runtime_error("no tree in " + path);
        const std::string cache = options.get("cache", "default");
        if (cache != "default")
            tree->SetCacheSize(cache == "off" ? 0 : std::stoll(cache));
        if (options.number("virtual", 0))
            tree->SetMaxVirtualSize(static_cast<Long64_t>(options.number("virtual", 0)));
        open_seconds = clock.seconds();
        cpu_opened = peer::cpu_seconds();
        open_cpu_seconds = cpu_opened - cpu_start;
        requests_before = static_cast<std::uint64_t>(file->GetReadCalls());
        bytes_before = static_cast<std::uint64_t>(file->GetBytesRead());
    }

    /** Requests and bytes are those since the tree was open. */
    Line line(const char *mode, std::uint64_t events, double seconds) const
    {
        Line line;
        line.add("peer", std::string("ROOT ") + mode).add("file", path).add("events", events);
        line.add("seconds", seconds).add("open_seconds", open_seconds);
        line.add("cpu_seconds", peer::cpu_seconds() - cpu_opened).add("open_cpu_seconds", open_cpu_seconds);
        line.add("requests", static_cast<std::uint64_t>(file->GetReadCalls()) - requests_before);
        line.add("bytes", static_cast<std::uint64_t>(file->GetBytesRead()) - bytes_before);
        return line;
    }

    std::string path;
    std::unique_ptr<TFile> file;
    TTree *tree = nullptr;
    double open_seconds = 0, open_cpu_seconds = 0, cpu_opened = 0;
    std::uint64_t requests_before = 0, bytes_before = 0;
};

void get_entries(Tree &tree, const std::vector<std::uint64_t> &entries, const char *mode)
{
    Clock clock;
    std::uint64_t sum = 0;
    for (std::uint64_t entry : entries) {
        const Int_t bytes = tree.tree->GetEntry(static_cast<Long64_t>(entry));
        if (bytes <= 0)
            throw std::runtime_error("GetEntry failed at " + std::to_string(entry));
        sum += static_cast<std::uint64_t>(bytes);
    }
    tree.line(mode, entries.size(), clock.seconds()).add("value_bytes", sum).print();
}

void events(const Options &options)
{
    Tree tree(options);
    const auto all = static_cast<std::uint64_t>(tree.tree->GetEntries());
    std::vector<std::uint64_t> entries(std::min(all, options.number("limit", all)));
    for (std::size_t i = 0; i < entries.size(); i++)
        entries[i] = i;
    get_entries(tree, entries, "GetEntry loop");
}

void list(const Options &options)
{
    Tree tree(options);
    std::vector<std::uint64_t> entries = peer::read_numbers(options.get("list", ""));
    entries.resize(std::min<std::size_t>(entries.size(), options.number("limit", entries.size())));
    const bool sorted = options.get("order", "asked") == "sorted";
    if (sorted)
        std::sort(entries.begin(), entries.end());
    get_entries(tree, entries, sorted ? "GetEntry, sorted list" : "GetEntry, list order");
}

/** What every reader of these events must deliver, in bytes and as one number. */
void digest(const Options &options)
{
    Tree tree(options);
    std::vector<std::uint64_t> entries = peer::read_numbers(options.get("list", ""));
    entries.resize(std::min<std::size_t>(entries.size(), options.number("limit", entries.size())));
    std::uint64_t sum = 0, bytes = 0;
    Clock clock;
    for (std::uint64_t entry : entries) {
        if (tree.tree->GetEntry(static_cast<Long64_t>(entry)) <= 0)
            throw std::runtime_error("GetEntry failed at " + std::to_string(entry));
        for (TObject *object : *tree.tree->GetListOfLeaves()) {
            const auto *leaf = static_cast<TLeaf *>(object);
            const auto n = static_cast<std::uint64_t>(leaf->GetLen());
            const auto width = static_cast<std::size_t>(leaf->GetLenType());
            sum += digest_of_values(leaf->GetValuePointer(), n, width);
            bytes += n * width;
        }
    }
    tree.line("digest", entries.size(), clock.seconds())
        .add("digest", digest_text(sum))
        .add("check_value_bytes", bytes)
        .print();
}

template <typename T> double sum_of(const void *buffer, Int_t n)
{
    const auto *values = static_cast<const T *>(buffer);
    double sum = 0;
    for (Int_t i = 0; i < n; i++)
        sum += static_cast<double>(values[i]);
    return sum;
}

using Summer = double (*)(const void *, Int_t);

Summer summer_of(const std::string &type)
{
    static const std::map<std::string, Summer> table = {
        {"Float_t", sum_of<Float_t>},     {"Double_t", sum_of<Double_t>}, {"Bool_t", sum_of<Bool_t>},
        {"Int_t", sum_of<Int_t>},         {"UInt_t", sum_of<UInt_t>},     {"Long64_t", sum_of<Long64_t>},
        {"ULong64_t", sum_of<ULong64_t>}, {"UChar_t", sum_of<UChar_t>},   {"Char_t", sum_of<Char_t>},
        {"Short_t", sum_of<Short_t>},     {"UShort_t", sum_of<UShort_t>}};
    const auto it = table.find(type);
    if (it == table.end())
        throw std::runtime_error("no sum for " + type);
    return it->second;
}

/** The plainest loop there is: own buffers, no LoadTree (it costs more here). The sum keeps the compiler honest. */
void columns(const Options &options)
{
    Tree tree(options);
    struct Reading {
        TBranch *branch;
        TLeaf *list; /* nullptr for a scalar */
        Summer sum;
        std::vector<double> buffer;
    };
    std::vector<Reading> readings;
    for (const std::string &name : peer::split(options.get("columns", ""), ',')) {
        TBranch *branch = tree.tree->GetBranch(name.c_str());
        if (!branch)
            throw std::runtime_error("no branch " + name);
        auto *leaf = static_cast<TLeaf *>(branch->GetListOfLeaves()->At(0));
        TLeaf *count = leaf->GetLeafCount();
        const std::size_t most = count ? static_cast<std::size_t>(count->GetMaximum()) : 1;
        readings.push_back(
            {branch, count ? leaf : nullptr, summer_of(leaf->GetTypeName()), std::vector<double>(most + 1)});
        branch->SetAddress(readings.back().buffer.data());
    }
    const Long64_t n = tree.tree->GetEntries();
    double sum = 0;
    Clock clock;
    for (Long64_t entry = 0; entry < n; entry++) {
        for (const Reading &reading : readings) {
            reading.branch->GetEntry(entry);
            sum += reading.sum(reading.buffer.data(), reading.list ? reading.list->GetLen() : 1);
        }
    }
    tree.line("TBranch::GetEntry", static_cast<std::uint64_t>(n), clock.seconds()).add("sum", sum).print();
}

template <typename T>
std::function<double()> value_of(TTreeReader &reader, const std::string &name, bool is_list)
{
    if (!is_list) {
        auto value = std::make_shared<TTreeReaderValue<T>>(reader, name.c_str());
        return [value] { return static_cast<double>(**value); };
    }
    auto list = std::make_shared<TTreeReaderArray<T>>(reader, name.c_str());
    return [list] {
        double sum = 0;
        for (const T &item : *list)
            sum += static_cast<double>(item);
        return sum;
    };
}

std::function<double()> reader_column(TTreeReader &reader, TTree &tree, const std::string &name)
{
    const TLeaf *leaf = tree.GetLeaf(name.c_str());
    if (!leaf)
        throw std::runtime_error("no leaf " + name);
    const std::string type = leaf->GetTypeName();
    const bool is_list = leaf->GetLeafCount() != nullptr;
    if (type == "Float_t")
        return value_of<Float_t>(reader, name, is_list);
    if (type == "UInt_t")
        return value_of<UInt_t>(reader, name, is_list);
    if (type == "Int_t")
        return value_of<Int_t>(reader, name, is_list);
    if (type == "Bool_t")
        return value_of<Bool_t>(reader, name, is_list);
    throw std::runtime_error("no TTreeReader column for " + type);
}

void reader(const Options &options)
{
    Tree tree(options);
    TTreeReader reader(tree.tree);
    std::vector<std::function<double()>> values;
    for (const std::string &name : peer::split(options.get("columns", ""), ','))
        values.push_back(reader_column(reader, *tree.tree, name));
    for (std::uint64_t run = 0; run < options.number("runs", 1); run++) {
        double sum = 0;
        std::uint64_t n = 0;
        Clock clock;
        for (reader.Restart(); reader.Next(); n++)
            for (const auto &value : values)
                sum += value();
        tree.line("TTreeReader", n, clock.seconds()).add("sum", sum).print();
    }
}

/** What `ls -l` tells, from compiled C++: the least that ROOT can take for it. */
void names(const Options &options)
{
    Clock clock;
    Tree tree(options);
    std::size_t characters = 0, n = 0;
    for (TObject *object : *tree.tree->GetListOfBranches()) {
        auto *branch = static_cast<TBranch *>(object);
        auto *leaf = static_cast<TLeaf *>(branch->GetListOfLeaves()->At(0));
        std::ostringstream row;
        row << branch->GetName() << ' ' << (leaf ? leaf->GetTypeName() : branch->GetClassName()) << ' '
            << branch->GetTitle() << ' ' << branch->GetWriteBasket() << ' ' << branch->GetTotalSize() << ' '
            << branch->GetZipBytes();
        characters += row.str().size();
        n++;
    }
    tree.line("branch list", n, clock.seconds()).add("characters", std::uint64_t{characters}).print();
}
} // namespace

int main(int argc, char **argv)
try {
    const Options options(argc, argv);
    const std::map<std::string, void (*)(const Options &)> modes = {{"events", events}, {"list", list},
                                                                    {"digest", digest}, {"columns", columns},
                                                                    {"reader", reader}, {"names", names}};
    const auto mode = argc > 2 ? modes.find(argv[1]) : modes.end();
    if (mode == modes.end())
        throw std::runtime_error(usage);
    mode->second(options);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "root_read: %s\n", error.what());
    return 2;
}
