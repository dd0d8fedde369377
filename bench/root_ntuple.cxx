/* SPDX-License-Identifier: Apache-2.0
 * RNTuple: made from a TTree by ROOT's own importer, then read whole, by a list, and by column in its three ways. */
#include "digest.h"
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
    "       root_ntuple digest  FILE --list ENTRIES.txt --limit N                    all values, not timed\n"
    "       root_ntuple columns FILE --columns A,B [--way views|direct|bulk] [--runs N]   f32, i32, u32, "
    "bool, counts and lists of f32; a line a run\n";

/**
 * What LoadEntry reads. The importer keeps every list twice in the schema: in a collection of its own, and projected as the
 * branch it was. "all", which a plain Open gives, reads both; the others each value once.
 */
std::unique_ptr<Reader> open_shape(const std::string &path, const std::string &shape)
{
    if (shape == "all")
        return Reader::Open("Events", path);
    if (shape == "collections") {
        ROOT::RNTupleDescriptor::RCreateModelOptions options;
        options.SetReconstructProjections(true);
        return Reader::Open(options, "Events", path);
    }
    auto whole = Reader::Open("Events", path);
    const auto &descriptor = whole->GetDescriptor();
    auto model = ROOT::RNTupleModel::Create();
    for (const auto &field : descriptor.GetTopLevelFields())
        if (!field.GetTypeName().empty())
            model->AddField(ROOT::RFieldBase::Create(field.GetFieldName(), field.GetTypeName()).Unwrap());
    return Reader::Open(std::move(model), "Events", path);
}

struct Opened {
    explicit Opened(const Options &options) : path(options.word(1, "FILE"))
    {
        Clock clock;
        reader = open_shape(path, options.get("shape", "all"));
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

struct Digest {
    std::uint64_t sum = 0, bytes = 0;

    void add(const void *value, std::size_t width)
    {
        sum += digest_of_values(value, 1, width);
        bytes += width;
    }
};

/** Every value below, down to the numbers. A collection of records gives its size, which the tree keeps as a u32 branch. */
void digest_of(const ROOT::RFieldBase::RValue &value, Digest &digest)
{
    const ROOT::RFieldBase &field = value.GetField();
    switch (field.GetStructure()) {
    case ROOT::ENTupleStructure::kPlain:
        digest.add(value.GetPtr<void>().get(), field.GetValueSize());
        return;
    case ROOT::ENTupleStructure::kCollection: {
        const auto items = field.SplitValue(value);
        const auto n = static_cast<std::uint32_t>(items.size());
        if (field.GetTypeName().empty()) /* else a projected list, whose count is a field of its own */
            digest.add(&n, sizeof n);
        for (const auto &item : items)
            digest_of(item, digest);
        return;
    }
    default:
        for (const auto &part : field.SplitValue(value))
            digest_of(part, digest);
    }
}

void digest(const Options &options)
{
    const Opened opened(options);
    std::vector<std::uint64_t> entries = peer::read_numbers(options.get("list", ""));
    entries.resize(std::min<std::size_t>(entries.size(), options.number("limit", entries.size())));
    const auto &entry_values = opened.reader->GetModel().GetDefaultEntry();
    Digest digest;
    Clock clock;
    for (std::uint64_t entry : entries) {
        opened.reader->LoadEntry(entry);
        for (const auto &value : entry_values)
            digest_of(value, digest);
    }
    opened.line("digest", entries.size(), clock.seconds())
        .add("digest", digest_text(digest.sum))
        .add("check_value_bytes", digest.bytes)
        .print();
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

/** As Tagma's program adds up: integers as integers, floats in several sums beside each other. */
template <typename T> double add_up_many(const T *values, std::uint64_t n)
{
    if constexpr (std::is_integral_v<T>) {
        std::int64_t sum = 0;
        for (std::uint64_t i = 0; i < n; i++)
            sum += static_cast<std::int64_t>(values[i]);
        return static_cast<double>(sum);
    } else if constexpr (std::is_floating_point_v<T>) {
        double sums[8] = {};
        std::uint64_t i = 0;
        for (; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++)
                sums[k] += static_cast<double>(values[i + k]);
        for (; i < n; i++)
            sums[0] += static_cast<double>(values[i]);
        return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
    } else {
        double sum = 0;
        for (std::uint64_t i = 0; i < n; i++)
            sum += add_up(values[i]);
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

/** Entries a bulk read asks for at once: so many that the values still lie in the cache when they are added up. */
constexpr std::uint64_t bulk_entries = 8192;

template <typename T> double sum_bulk(Reader &reader, const std::string &name)
{
    auto bulk = reader.GetModel().CreateBulk(name);
    const std::unique_ptr<bool[]> mask(new bool[bulk_entries]);
    std::fill_n(mask.get(), bulk_entries, true);
    double sum = 0;
    for (const auto &cluster : reader.GetDescriptor().GetClusterIterable()) {
        for (std::uint64_t first = 0; first < cluster.GetNEntries(); first += bulk_entries) {
            const std::uint64_t n = std::min(bulk_entries, cluster.GetNEntries() - first);
            const auto *values = static_cast<const T *>(
                bulk.ReadBulk(ROOT::RNTupleLocalIndex(cluster.GetId(), first), mask.get(), n));
            sum += add_up_many(values, n);
        }
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
    if (type.find("RNTupleCardinality") != std::string::npos && way == "bulk")
        return sum_bulk<std::uint32_t>(reader, name); /* a cardinality is read as its number */
    if (type.find("RNTupleCardinality") != std::string::npos) {
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
    for (std::uint64_t run = 0; run < options.number("runs", 1); run++) {
        double sum = 0;
        Clock clock;
        for (const std::string &name : names)
            sum += sum_column(*opened.reader, name, way);
        opened.line(way, opened.reader->GetNEntries(), clock.seconds()).add("sum", sum).print();
    }
}
} // namespace

int main(int argc, char **argv)
try {
    const Options options(argc, argv);
    const std::map<std::string, void (*)(const Options &)> modes = {
        {"convert", convert}, {"events", events}, {"list", list}, {"digest", digest}, {"columns", columns}};
    const auto mode = argc > 2 ? modes.find(argv[1]) : modes.end();
    if (mode == modes.end())
        throw std::runtime_error(usage);
    mode->second(options);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "root_ntuple: %s\n", error.what());
    return 2;
}
