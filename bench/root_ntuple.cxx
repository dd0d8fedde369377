/* SPDX-License-Identifier: Apache-2.0
 * RNTuple: made from a TTree by ROOT's own importer, then read whole, by a list, and by column in its three ways. */
#include "peer.hxx"

#include <ROOT/RNTupleImporter.hxx>
#include <ROOT/RNTupleReader.hxx>
#include <ROOT/RVec.hxx>
#include <TFile.h>
#include <TLeaf.h>
#include <TSystem.h>
#include <TTree.h>

#include <algorithm>
#include <exception>
#include <memory>

namespace
{
using peer::Clock;
using peer::Line;
using peer::Options;
using Reader = ROOT::RNTupleReader;

const char usage[] =
    "usage: root_ntuple convert IN.root OUT.root [--codec 505] [--cluster-bytes N]   zipped bytes of a "
    "cluster\n"
    "       root_ntuple events  FILE [--limit N]                                     LoadEntry, all fields\n"
    "       root_ntuple list    FILE --list ENTRIES.txt [--limit N] [--order asked|sorted]\n"
    "       root_ntuple columns FILE --columns A,B [--way views|direct|bulk]         f32, i32, u32, bool and "
    "lists of f32\n";

struct Opened {
    explicit Opened(const Options &options) : path(options.word(1, "FILE"))
    {
        Clock clock;
        reader = Reader::Open("Events", path);
        open_seconds = clock.seconds();
        reader->EnableMetrics();
    }

    std::uint64_t metric(const char *name) const
    {
        const auto *counter =
            reader->GetMetrics().GetCounter(std::string("RNTupleReader.RPageSourceFile.") + name);
        return counter ? static_cast<std::uint64_t>(counter->GetValueAsInt()) : 0;
    }

    Line line(const std::string &mode, std::uint64_t events, double seconds) const
    {
        Line line;
        line.add("peer", "RNTuple " + mode).add("file", path).add("events", events);
        line.add("seconds", seconds).add("open_seconds", open_seconds);
        line.add("requests", metric("nReadV") + metric("nRead")).add("bytes", metric("szReadPayload"));
        return line;
    }

    std::string path;
    std::unique_ptr<Reader> reader;
    double open_seconds = 0;
};

void convert(const Options &options)
{
    using ROOT::Experimental::RNTupleImporter;
    const std::string to = options.word(2, "OUT.root");
    gSystem->Unlink(to.c_str());
    Clock clock;
    auto importer = RNTupleImporter::Create(options.word(1, "IN.root"), "Events", to);
    auto write_options = importer->GetWriteOptions();
    write_options.SetCompression(static_cast<std::uint32_t>(options.number("codec", 505)));
    if (options.number("cluster-bytes", 0))
        write_options.SetApproxZippedClusterSize(options.number("cluster-bytes", 0));
    importer->SetWriteOptions(write_options);
    importer->SetIsQuiet(true);
    importer->Import();
    Line line;
    line.add("peer", std::string("RNTuple import")).add("file", to).add("seconds", clock.seconds()).print();
}

void load(const Opened &opened, const std::vector<std::uint64_t> &entries, const char *mode)
{
    opened.reader->GetModel(); /* made before the clock starts */
    Clock clock;
    for (std::uint64_t entry : entries)
        opened.reader->LoadEntry(entry);
    opened.line(mode, entries.size(), clock.seconds()).print();
}

void events(const Options &options)
{
    const Opened opened(options);
    const std::uint64_t all = opened.reader->GetNEntries();
    std::vector<std::uint64_t> entries(std::min(all, options.number("limit", all)));
    for (std::size_t i = 0; i < entries.size(); i++)
        entries[i] = i;
    load(opened, entries, "LoadEntry loop");
}

void list(const Options &options)
{
    const Opened opened(options);
    std::vector<std::uint64_t> entries = peer::read_numbers(options.get("list", ""));
    entries.resize(std::min<std::size_t>(entries.size(), options.number("limit", entries.size())));
    const bool sorted = options.get("order", "asked") == "sorted";
    if (sorted)
        std::sort(entries.begin(), entries.end());
    load(opened, entries, sorted ? "LoadEntry, sorted list" : "LoadEntry, list order");
}

template <typename T> double add_up(const T &value)
{
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<double>(value);
    } else {
        double sum = 0;
        for (const auto &item : value)
            sum += static_cast<double>(item);
        return sum;
    }
}

template <typename T> double sum_views(Reader &reader, const std::string &name)
{
    auto view = reader.GetView<T>(name);
    double sum = 0;
    for (std::uint64_t entry : reader.GetEntryRange())
        sum += add_up(view(entry));
    return sum;
}

template <typename T> double sum_direct(Reader &reader, const std::string &name)
{
    double sum = 0;
    if constexpr (std::is_arithmetic_v<T>) {
        auto view = reader.GetDirectAccessView<T>(name);
        for (std::uint64_t entry : reader.GetEntryRange())
            sum += static_cast<double>(view(entry));
    } else {
        auto view = reader.GetCollectionView(name);
        auto items = view.template GetDirectAccessView<typename T::value_type>("_0");
        for (std::uint64_t entry : reader.GetEntryRange())
            for (auto item : view.GetCollectionRange(entry))
                sum += static_cast<double>(items(item));
    }
    return sum;
}

template <typename T> double sum_bulk(Reader &reader, const std::string &name)
{
    auto bulk = reader.GetModel().CreateBulk(name);
    double sum = 0;
    for (const auto &cluster : reader.GetDescriptor().GetClusterIterable()) {
        const std::uint64_t n = cluster.GetNEntries();
        std::unique_ptr<bool[]> mask(new bool[n]);
        std::fill_n(mask.get(), n, true);
        const auto *values =
            static_cast<const T *>(bulk.ReadBulk(ROOT::RNTupleLocalIndex(cluster.GetId(), 0), mask.get(), n));
        for (std::uint64_t i = 0; i < n; i++)
            sum += add_up(values[i]);
    }
    return sum;
}

template <typename T> double sum_column(Reader &reader, const std::string &name, const std::string &way)
{
    if (way == "views")
        return sum_views<T>(reader, name);
    if (way == "direct")
        return sum_direct<T>(reader, name);
    return sum_bulk<T>(reader, name);
}

double sum_column(Reader &reader, const std::string &name, const std::string &way)
{
    const auto &descriptor = reader.GetDescriptor();
    const std::string type = descriptor.GetFieldDescriptor(descriptor.FindFieldId(name)).GetTypeName();
    if (type == "float")
        return sum_column<float>(reader, name, way);
    if (type == "std::int32_t")
        return sum_column<std::int32_t>(reader, name, way);
    if (type == "std::uint32_t")
        return sum_column<std::uint32_t>(reader, name, way);
    if (type == "bool")
        return sum_column<bool>(reader, name, way);
    if (type == "ROOT::VecOps::RVec<float>")
        return sum_column<ROOT::RVec<float>>(reader, name, way);
    if (type.find("RNTupleCardinality") != std::string::npos && way != "bulk") {
        auto view = reader.GetView<ROOT::RNTupleCardinality<std::uint32_t>>(name);
        double sum = 0;
        for (std::uint64_t entry : reader.GetEntryRange())
            sum += static_cast<double>(view(entry));
        return sum;
    }
    throw std::runtime_error("no sum for " + name + ", a " + type);
}

/** A reader whose model has these fields only: bulk reads fetch all that the model names. */
std::unique_ptr<Reader> narrow_reader(Reader &reader, const std::string &path,
                                      const std::vector<std::string> &names)
{
    const auto &descriptor = reader.GetDescriptor();
    auto model = ROOT::RNTupleModel::CreateBare();
    for (const std::string &name : names) {
        const std::string type = descriptor.GetFieldDescriptor(descriptor.FindFieldId(name)).GetTypeName();
        model->AddField(ROOT::RFieldBase::Create(name, type).Unwrap());
    }
    return Reader::Open(std::move(model), "Events", path);
}

/** Column after column: faster here than entry after entry, and what a columnar format is for. */
void columns(const Options &options)
{
    const std::string way = options.get("way", "bulk");
    const std::vector<std::string> names = peer::split(options.get("columns", ""), ',');
    Opened opened(options);
    if (way == "bulk") {
        Clock clock;
        opened.reader = narrow_reader(*opened.reader, opened.path, names);
        opened.open_seconds += clock.seconds();
        opened.reader->EnableMetrics();
    }
    double sum = 0;
    Clock clock;
    for (const std::string &name : names)
        sum += sum_column(*opened.reader, name, way);
    opened.line(way, opened.reader->GetNEntries(), clock.seconds()).add("sum", sum).print();
}
} // namespace

int main(int argc, char **argv)
try {
    const Options options(argc, argv);
    const std::map<std::string, void (*)(const Options &)> modes = {
        {"convert", convert}, {"events", events}, {"list", list}, {"columns", columns}};
    const auto mode = argc > 2 ? modes.find(argv[1]) : modes.end();
    if (mode == modes.end())
        throw std::runtime_error(usage);
    mode->second(options);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "root_ntuple: %s\n", error.what());
    return 2;
}
