/* SPDX-License-Identifier: Apache-2.0
 * Event ids as real files have them: sparse, unsorted, in interleaved luminosity blocks. */
#ifndef BENCH_EVENT_IDS_HXX
#define BENCH_EVENT_IDS_HXX

#include "random.hxx"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

struct EventId {
    std::uint32_t run, lumi;
    std::uint64_t event;
};

/** Blocks of neighbours change places, and so do the events of a block: what a merge of many jobs leaves. */
inline void shuffle_blocks(std::vector<EventId> &ids, Random &random)
{
    std::vector<std::pair<std::size_t, std::size_t>> blocks;
    for (std::size_t first = 0; first < ids.size();) {
        const std::size_t n = std::min(ids.size() - first, std::size_t{40} + random.below(400));
        blocks.emplace_back(first, n);
        first += n;
    }
    for (std::size_t i = blocks.size(); i > 1; i--)
        std::swap(blocks[i - 1], blocks[random.below(i)]);
    std::vector<EventId> out;
    out.reserve(ids.size());
    for (const auto &[first, n] : blocks) {
        const std::size_t start = out.size();
        out.insert(out.end(), ids.begin() + static_cast<std::ptrdiff_t>(first),
                   ids.begin() + static_cast<std::ptrdiff_t>(first + n));
        for (std::size_t i = n; i > 1; i--)
            std::swap(out[start + i - 1], out[start + random.below(i)]);
    }
    ids.swap(out);
}

/** n distinct event numbers of one block of 1,500,000: at most 0.005 % of its span. */
inline void add_lumi(std::vector<EventId> &ids, std::uint32_t run, std::uint32_t lumi, std::size_t n,
                     Random &random)
{
    constexpr std::uint64_t span = 1500000;
    std::set<std::uint64_t> taken;
    while (taken.size() < n)
        taken.insert((lumi - 1) * span + 1 + random.below(span));
    for (std::uint64_t event : taken)
        ids.push_back({run, lumi, event});
}

/** Data: 38 runs between 273158 and 284044 of very unequal length, up to 70 events a luminosity block. */
inline std::vector<EventId> data_ids(std::size_t n_events, Random &random)
{
    constexpr std::size_t n_runs = 38;
    std::set<std::uint32_t> runs = {273158, 284044};
    while (runs.size() < n_runs)
        runs.insert(273158 + static_cast<std::uint32_t>(random.below(284044 - 273158)));
    std::vector<double> weight(n_runs);
    double total = 0;
    for (double &w : weight)
        total += w = 0.02 + random.unit() * random.unit();

    std::vector<EventId> ids;
    ids.reserve(n_events);
    double share = 0;
    std::size_t i = 0;
    for (std::uint32_t run : runs) {
        share += weight[i++] / total;
        const auto end =
            i == n_runs ? n_events : static_cast<std::size_t>(share * static_cast<double>(n_events));
        for (std::uint32_t lumi = 1; ids.size() < end;
             lumi += 1 + static_cast<std::uint32_t>(random.below(3)))
            add_lumi(ids, run, lumi, std::min(end - ids.size(), 1 + random.below(70)), random);
    }
    return ids;
}

/** Simulation: run 1, luminosity blocks in the millions, events numbered through. */
inline std::vector<EventId> mc_ids(std::size_t n_events, Random &random)
{
    constexpr std::uint64_t per_lumi = 100;
    std::vector<EventId> ids;
    ids.reserve(n_events);
    std::set<std::uint32_t> lumis;
    while (ids.size() < n_events) {
        const auto lumi = static_cast<std::uint32_t>(1 + random.below(5000000));
        if (!lumis.insert(lumi).second)
            continue;
        for (std::uint64_t k = 1; k <= per_lumi && ids.size() < n_events; k++)
            if (random.below(100) < 60) /* a filter kept some */
                ids.push_back({1, lumi, (lumi - 1) * per_lumi + k});
    }
    return ids;
}

/** @param repeated  share of the entries that take the id of an earlier one. */
inline std::vector<EventId> make_ids(const std::string &kind, std::size_t n_events, double repeated,
                                     Random &random)
{
    std::vector<EventId> ids = kind == "mc" ? mc_ids(n_events, random) : data_ids(n_events, random);
    shuffle_blocks(ids, random);
    for (std::size_t i = 1; i < ids.size(); i++)
        if (random.unit() < repeated)
            ids[i] = ids[random.below(i)];
    return ids;
}

#endif
