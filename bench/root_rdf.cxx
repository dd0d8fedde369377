/* SPDX-License-Identifier: Apache-2.0
 * RDataFrame over some columns, compiled and typed (no interpreter in the loop): the first run with its open, and more. */
#include "peer.hxx"

#include <ROOT/RDataFrame.hxx>
#include <ROOT/RVec.hxx>
#include <TFile.h>
#include <TLeaf.h>
#include <TTree.h>

#include <exception>
#include <functional>
#include <memory>

namespace
{
const char usage[] = "usage: root_rdf FILE --columns A,B [--runs N] [--threads N]\n"
                     "One line a run; the first run's seconds hold the open. Trees are named Events.\n";

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
    if (is_list) {
        auto sum = node.Sum<ROOT::RVec<T>>(name, 0.0);
        return [sum]() mutable { return static_cast<double>(*sum); };
    }
    auto sum = node.Sum<T>(name);
    return [sum]() mutable { return static_cast<double>(*sum); };
}

/** Books a sum of the column; floats add up in the type that RDataFrame picks. */
Result book(ROOT::RDF::RNode node, const std::string &name, const Type &type)
{
    if (type.name == "Float_t")
        return book<Float_t>(node, name, type.is_list);
    if (type.name == "UInt_t")
        return book<UInt_t>(node, name, type.is_list);
    if (type.name == "Int_t")
        return book<Int_t>(node, name, type.is_list);
    throw std::runtime_error("no sum for " + type.name);
}

void run(const peer::Options &options)
{
    const std::string path = options.word(0, "FILE");
    const std::vector<std::string> columns = peer::split(options.get("columns", ""), ',');
    const std::vector<Type> types = types_of(path, columns);
    if (options.number("threads", 1) > 1)
        ROOT::EnableImplicitMT(static_cast<UInt_t>(options.number("threads", 1)));

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
        peer::Line line;
        line.add("peer", std::string(i == 0 ? "ROOT RDataFrame, first run" : "ROOT RDataFrame, later run"));
        line.add("file", path).add("events", n).add("seconds", seconds);
        line.add("cpu_seconds", cpu_end - cpu_start).add("sum", sum).print();
        cpu_start = cpu_end;
    }
}
} // namespace

int main(int argc, char **argv)
try {
    if (argc < 2)
        throw std::runtime_error(usage);
    run(peer::Options(argc, argv));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "root_rdf: %s\n", error.what());
    return 2;
}
