/* SPDX-License-Identifier: Apache-2.0
 * Write NanoAOD-like ROOT files with real ROOT: one pass over the events, any number of files with different codecs. */
#include "event_ids.hxx"
#include "value_model.hxx"

#include <TFile.h>
#include <TTree.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace
{
struct Options {
    std::string model, ids = "data";
    std::size_t events = 0;
    std::uint64_t seed = 1;
    double repeated = 0;
    long cluster = 1000;
    std::vector<std::pair<int, std::string>> outputs; /* codec as ROOT writes it (505), path */
};

const char usage[] = "usage: gen_nano --model TABLE.tsv --events N [--ids data|mc] [--seed S] [--repeated "
                     "SHARE] [--cluster EVENTS]\n"
                     "                --write CODEC:PATH [--write CODEC:PATH ...]\n"
                     "CODEC is ROOT's number: 0 uncompressed, 101 ZLIB, 209 LZMA, 404 LZ4, 505 ZSTD.\n";

Options parse(int argc, char **argv)
{
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--model")
            options.model = value;
        else if (name == "--events")
            options.events = std::stoull(value);
        else if (name == "--ids")
            options.ids = value;
        else if (name == "--seed")
            options.seed = std::stoull(value);
        else if (name == "--repeated")
            options.repeated = std::stod(value);
        else if (name == "--cluster")
            options.cluster = std::stol(value);
        else if (name == "--write")
            options.outputs.emplace_back(std::stoi(value), value.substr(value.find(':') + 1));
        else
            throw std::runtime_error("unknown option " + name);
    }
    if (argc % 2 == 0 || options.model.empty() || options.events == 0 || options.outputs.empty())
        throw std::runtime_error(usage);
    return options;
}

/** One file being written. All share the columns' buffers. */
class Output
{
  public:
    Output(int codec, const std::string &path, const Options &options, ValueModel &model)
        /* "reproducible": dates and UUID are the same each time, so equal options give equal bytes */
        : final_path(path), file(TFile::Open(url(path).c_str(), "RECREATE", "NanoAOD-like events", codec))
    {
        if (!file || file->IsZombie())
            throw std::runtime_error("cannot write " + path);
        tree = new TTree("Events", "Events", 99, file.get()); /* the file owns it */
        tree->SetAutoFlush(options.cluster);
        tree->SetAutoSave(0);
        for (auto &column : model.columns)
            add_branch(*column, options.cluster);
    }

    void fill()
    {
        if (tree->Fill() < 0)
            throw std::runtime_error(std::string("write error in ") + file->GetName());
        /* The first flush shrinks baskets until many no longer hold a cluster. Undo that. */
        if (tree->GetEntries() == tree->GetAutoFlush())
            for (const auto &[branch, bytes] : basket_bytes)
                branch->SetBasketSize(bytes);
    }

    /** The small tree that every NanoAOD file has beside its events. */
    void add_runs(const std::vector<EventId> &ids)
    {
        std::set<std::uint32_t> runs;
        for (const EventId &id : ids)
            runs.insert(id.run);
        UInt_t run = 0;
        auto *summary = new TTree("Runs", "Runs", 99, file.get());
        summary->Branch("run", &run, "run/i");
        for (std::uint32_t r : runs) {
            run = r;
            summary->Fill();
        }
    }

    Long64_t close()
    {
        file->Write();
        const Long64_t bytes = file->GetEND();
        file->Close();
        if (std::rename((final_path + ".part").c_str(), final_path.c_str()) != 0)
            throw std::runtime_error("cannot rename " + final_path + ".part");
        return bytes;
    }

  private:
    static std::string url(const std::string &path)
    {
        return path + ".part?reproducible=" + path.substr(path.rfind('/') + 1);
    }

    void add_branch(Column &column, long cluster)
    {
        std::string leaves = column.name;
        if (column.count)
            leaves += "[" + column.count_name + "]";
        leaves += std::string("/") + column.type->leaf;
        /* Room for a cluster and a quarter: one basket a branch and cluster, as production jobs end up with. */
        const auto bytes =
            static_cast<Int_t>(1.25 * static_cast<double>(cluster) * column.basket_bytes() + 512);
        TBranch *branch = tree->Branch(column.name.c_str(), column.buffer.data(), leaves.c_str(), bytes);
        basket_bytes.emplace_back(branch, bytes);
        if (column.name.compare(0, 4, "HLT_") == 0 || column.name.compare(0, 3, "L1_") == 0)
            branch->SetTitle("Trigger/flag bit (process: HLT)");
    }

    std::string final_path;
    std::unique_ptr<TFile> file;
    TTree *tree;
    std::vector<std::pair<TBranch *, Int_t>> basket_bytes;
};

void put_id(ValueModel &model, const EventId &id)
{
    static Column *const run = model.find("run");
    static Column *const lumi = model.find("luminosityBlock");
    static Column *const event = model.find("event");
    run->set_integer(0, id.run);
    lumi->set_integer(0, id.lumi);
    event->set_integer(0, static_cast<std::int64_t>(id.event));
}

void generate(const Options &options)
{
    const auto start = std::chrono::steady_clock::now();
    ValueModel model(options.model);
    Random random(options.seed);
    const std::vector<EventId> ids = make_ids(options.ids, options.events, options.repeated, random);
    std::vector<std::unique_ptr<Output>> outputs;
    for (const auto &[codec, path] : options.outputs)
        outputs.push_back(std::make_unique<Output>(codec, path, options, model));
    for (const EventId &id : ids) {
        put_id(model, id);
        model.draw(random);
        for (auto &output : outputs)
            output->fill();
    }
    for (std::size_t i = 0; i < outputs.size(); i++) {
        outputs[i]->add_runs(ids);
        const Long64_t bytes = outputs[i]->close();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::printf(
            "{\"path\": \"%s\", \"codec\": %d, \"events\": %zu, \"bytes\": %lld, \"seconds\": %.1f}\n",
            options.outputs[i].second.c_str(), options.outputs[i].first, ids.size(), bytes, seconds.count());
    }
}
} // namespace

int main(int argc, char **argv)
try {
    generate(parse(argc, argv));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "gen_nano: %s\n", error.what());
    return 2;
}
