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
#include <functional>
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
    "       root_ntuple columns FILE --columns A,B [--way views|direct|bulk] [--runs N]   no names: all; "
    "a line a run\n";

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

/** Adds up one column of one cluster. */
using BulkSum = std::function<double(const ROOT::RClusterDescriptor &)>;

template <typename T> BulkSum bulk_sum(Reader &reader, const std::string &name)
{
    auto bulk = std::make_shared<ROOT::RFieldBase::RBulkValues>(reader.GetModel().CreateBulk(name));
    const std::shared_ptr<bool[]> mask(new bool[bulk_entries]);
    std::fill_n(mask.get(), bulk_entries, true);
    return [bulk, mask](const ROOT::RClusterDescriptor &cluster) {
        double sum = 0;
        for (std::uint64_t first = 0; first < cluster.GetNEntries(); first += bulk_entries) {
            const std::uint64_t n = std::min(bulk_entries, cluster.GetNEntries() - first);
            sum += add_up_many(static_cast<const T *>(bulk->ReadBulk(
                                   ROOT::RNTupleLocalIndex(cluster.GetId(), first), mask.get(), n)),
                               n);
        }
        return sum;
    };
}

double sum_counts(Reader &reader, const std::string &name, bool)
{
    auto view = reader.GetView<ROOT::RNTupleCardinality<std::uint32_t>>(name);
    double sum = 0;
    for (std::uint64_t entry : reader.GetEntryRange())
        sum += static_cast<double>(view(entry));
    return sum;
}

template <typename T> double sum_column(Reader &reader, const std::string &name, bool direct)
{
    return direct ? sum_direct<T>(reader, name) : sum_views<T>(reader, name);
}

/** How columns of one type are added up. */
struct Summer {
    double (*whole)(Reader &, const std::string &, bool direct);
    BulkSum (*bulk)(Reader &, const std::string &);
};

template <typename T> void add_type(std::map<std::string, Summer> &table, const std::string &name)
{
    table[name] = {sum_column<T>, bulk_sum<T>};
    table["ROOT::VecOps::RVec<" + name + ">"] = {sum_column<ROOT::RVec<T>>, bulk_sum<ROOT::RVec<T>>};
}

std::map<std::string, Summer> make_summers()
{
    /* A bulk reads a cardinality as its number. */
    std::map<std::string, Summer> table = {
        {"ROOT::RNTupleCardinality<std::uint32_t>", {sum_counts, bulk_sum<std::uint32_t>}}};
    add_type<float>(table, "float");
    add_type<double>(table, "double");
    add_type<bool>(table, "bool");
    add_type<char>(table, "char");
    add_type<std::int8_t>(table, "std::int8_t");
    add_type<std::uint8_t>(table, "std::uint8_t");
    add_type<std::int16_t>(table, "std::int16_t");
    add_type<std::uint16_t>(table, "std::uint16_t");
    add_type<std::int32_t>(table, "std::int32_t");
    add_type<std::uint32_t>(table, "std::uint32_t");
    add_type<std::int64_t>(table, "std::int64_t");
    add_type<std::uint64_t>(table, "std::uint64_t");
    return table;
}

const Summer &summer_of(Reader &reader, const std::string &name)
{
    static const std::map<std::string, Summer> table = make_summers();
    const auto &descriptor = reader.GetDescriptor();
    const std::string type = descriptor.GetFieldDescriptor(descriptor.FindFieldId(name)).GetTypeName();
    const auto it = table.find(type);
    if (it == table.end())
        throw std::runtime_error("no sum for " + name + ", a " + type);
    return it->second;
}

/** Cluster by cluster, and column after column in each: a cluster is read once, with all columns of the model. */
double sum_in_bulk(Reader &reader, const std::vector<std::string> &names)
{
    std::vector<BulkSum> sums;
    for (const std::string &name : names)
        sums.push_back(summer_of(reader, name).bulk(reader, name));
    double total = 0;
    for (const auto &cluster : reader.GetDescriptor().GetClusterIterable())
        for (const BulkSum &sum : sums)
            total += sum(cluster);
    return total;
}

/** Column after column: faster here than entry after entry, and what a columnar format is for. */
double sum_one_by_one(Reader &reader, const std::vector<std::string> &names, bool direct)
{
    double sum = 0;
    for (const std::string &name : names)
        sum += summer_of(reader, name).whole(reader, name, direct);
    return sum;
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

void columns(const Options &options)
{
    const std::string way = options.get("way", "bulk");
    std::vector<std::string> names = peer::split(options.get("columns", ""), ',');
    Opened opened(options);
    if (names
            .empty()) /* every branch of the tree; what has no type are the collections, which hold the same lists */
        for (const auto &field : opened.reader->GetDescriptor().GetTopLevelFields())
            if (!field.GetTypeName().empty())
                names.push_back(field.GetFieldName());
    if (way == "bulk") {
        Clock clock;
        opened.reader = narrow_reader(*opened.reader, opened.path, names);
        opened.open_seconds += clock.seconds();
        opened.reader->EnableMetrics();
    }
    for (std::uint64_t run = 0; run < options.number("runs", 1); run++) {
        Clock clock;
        const double sum = way == "bulk" ? sum_in_bulk(*opened.reader, names)
                                         : sum_one_by_one(*opened.reader, names, way == "direct");
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
