/* SPDX-License-Identifier: Apache-2.0
 * RDataFrame over some columns, compiled and typed (no interpreter in the loop): the first run with its open, and more. */
#include "cut.h"
#include "peer.hxx"

#include <ROOT/RDataFrame.hxx>
#include <ROOT/RVec.hxx>
#include <TFile.h>
#include <TH1D.h>
#include <TLeaf.h>
#include <TTree.h>

#include <exception>
#include <functional>
#include <memory>

namespace
{
const char usage[] =
    "usage: root_rdf FILE --columns A,B [--runs N] [--frames N] [--threads N]\n"
    "       root_rdf FILE --cut 1 [--runs N]\n"
    "One line a run; the first run of a frame opens the file, too. Trees are named Events.\n";

struct Type {
    std::string name;
    bool is_list;
};

/** Types are looked up before the clock starts: a compiled analysis knows them. */
std::vector<Type> types_of(const std::string &path, const std::vector<std::string> &columns)
{
    std::unique_ptr<TFile> file(TFile::Open(path.c_str()));
    auto *tree = file ? file->Get<TTree>("Events") : nullptr;
    if (!tree)
        throw std::runtime_error("no tree Events in " + path);
    std::vector<Type> types;
    for (const std::string &name : columns) {
        const TLeaf *leaf = tree->GetLeaf(name.c_str());
        if (!leaf)
            throw std::runtime_error("no leaf " + name);
        types.push_back({leaf->GetTypeName(), leaf->GetLeafCount() != nullptr});
    }
    return types;
}

using Result = std::function<double()>;

template <typename T> Result book(ROOT::RDF::RNode node, const std::string &name, bool is_list)
{
    const auto merge = [](double a, double b) { return a + b; };
    if (is_list) {
        const auto add = [](double sum, const ROOT::RVec<T> &items) {
            for (const T &item : items)
                sum += static_cast<double>(item);
            return sum;
        };
        auto sum = node.Aggregate(add, merge, name, 0.0);
        return [sum]() mutable { return *sum; };
    }
    auto sum = node.Aggregate([](double sum, T value) { return sum + static_cast<double>(value); }, merge,
                              name, 0.0);
    return [sum]() mutable { return *sum; };
}

/** Books a sum of the column, in double and without Sum's compensation, which costs more. */
Result book(ROOT::RDF::RNode node, const std::string &name, const Type &type)
{
    if (type.name == "Float_t")
        return book<Float_t>(node, name, type.is_list);
    if (type.name == "UInt_t")
        return book<UInt_t>(node, name, type.is_list);
    if (type.name == "Int_t")
        return book<Int_t>(node, name, type.is_list);
    if (type.name == "Bool_t")
        return book<Bool_t>(node, name, type.is_list);
    throw std::runtime_error("no sum for " + type.name);
}

/** The cut of cut.h: how many events pass, and a histogram of their MET_pt. */
void run_cut(const peer::Options &options)
{
    peer::Clock clock;
    ROOT::RDataFrame frame("Events", options.word(0, "FILE"));
    for (std::uint64_t i = 0; i < options.number("runs", 1); i++) {
        const double cpu_start = peer::cpu_seconds();
        auto passed = frame.Filter([](float met, UInt_t n_muons) { return passes_cut(met, n_muons); },
                                   {"MET_pt", "nMuon"});
        auto histogram = passed.Histo1D<float>({"met", "", CUT_BINS, CUT_LOW, CUT_HIGH}, "MET_pt");
        auto count = passed.Count();
        const std::uint64_t n = *count;
        std::string bins;
        for (int bin = 0; bin < CUT_BINS + 2; bin++)
            bins +=
                (bin ? "," : "") + std::to_string(static_cast<std::uint64_t>(histogram->GetBinContent(bin)));
        peer::Line line;
        line.add("peer", std::string(i == 0 ? "ROOT RDataFrame, first run" : "ROOT RDataFrame, later run"));
        line.add("seconds", clock.lap()).add("cpu_seconds", peer::cpu_seconds() - cpu_start);
        line.add("passed", n).add("bins", bins).print();
    }
}

void run(const peer::Options &options)
{
    const std::string path = options.word(0, "FILE");
    const std::vector<std::string> columns = peer::split(options.get("columns", ""), ',');
    const std::vector<Type> types = types_of(path, columns);
    if (options.number("threads", 1) > 1)
        ROOT::EnableImplicitMT(static_cast<UInt_t>(options.number("threads", 1)));

    bool is_first = true;
    for (std::uint64_t f = 0; f < options.number("frames", 1); f++) {
        peer::Clock clock;
        double cpu_start = peer::cpu_seconds();
        ROOT::RDataFrame frame("Events", path);
        for (std::uint64_t i = 0; i < options.number("runs", 1); i++) {
            std::vector<Result> results;
            for (std::size_t c = 0; c < columns.size(); c++)
                results.push_back(book(frame, columns[c], types[c]));
            auto events = frame.Count();
            const std::uint64_t n = *events;
            double sum = 0;
            for (Result &result : results)
                sum += result();
            const double seconds = clock.lap(), cpu_end = peer::cpu_seconds();
            const char *which = is_first ? "first run" : i == 0 ? "new frame" : "later run";
            peer::Line line;
            line.add("peer", std::string("ROOT RDataFrame, ") + which);
            line.add("file", path).add("events", n).add("seconds", seconds);
            line.add("cpu_seconds", cpu_end - cpu_start).add("sum", sum).print();
            cpu_start = cpu_end;
            is_first = false;
        }
    }
}
} // namespace

int main(int argc, char **argv)
try {
    if (argc < 2)
        throw std::runtime_error(usage);
    const peer::Options options(argc, argv);
    if (options.number("cut", 0))
        run_cut(options);
    else
        run(options);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "root_rdf: %s\n", error.what());
    return 2;
}
