/* SPDX-License-Identifier: Apache-2.0
 * The value model: a table of columns with their distributions, read from model/NAME.tsv, and values drawn from it. */
#ifndef BENCH_VALUE_MODEL_HXX
#define BENCH_VALUE_MODEL_HXX

#include "random.hxx"

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Type {
    const char *name;
    char leaf; /* ROOT's letter in a leaf list */
    unsigned bytes;
};

inline const Type &type_named(const std::string &name)
{
    static const Type types[] = {{"bool", 'O', 1}, {"i8", 'B', 1},  {"u8", 'b', 1},  {"i16", 'S', 2},
                                 {"u16", 's', 2},  {"i32", 'I', 4}, {"u32", 'i', 4}, {"i64", 'L', 8},
                                 {"u64", 'l', 8},  {"f32", 'F', 4}, {"f64", 'D', 8}};
    for (const Type &type : types)
        if (name == type.name)
            return type;
    throw std::runtime_error("unknown type " + name);
}

/** Where one column's values come from. Weighted choices are spread over 1,024 slots, so that a draw is one look-up. */
class Distribution
{
  public:
    Distribution(const std::string &spec, const std::string &type)
        : is_float(type == "f32"), is_integer(type != "f32" && type != "f64")
    {
        std::istringstream in(spec);
        std::string kind;
        in >> kind;
        if (kind == "=")
            parse_constant(in);
        else if (kind == "p")
            parse_flag(in);
        else if (kind == "u")
            parse_range(in);
        else if (kind == "c" || kind == "s")
            parse_choice(in, -INFINITY, INFINITY);
        else if (kind == "f")
            parse_float(in);
        else
            throw std::runtime_error("unknown distribution '" + spec + "'");
    }

    bool is_constant() const
    {
        return how == How::constant;
    }

    /** Largest value that an integer distribution gives. */
    std::int64_t max() const
    {
        std::int64_t most = lo + static_cast<std::int64_t>(range ? range - 1 : 0);
        for (const Bin &bin : bins)
            most = std::max(most, bin.integer);
        return most;
    }

    double mean_integer() const
    {
        if (how == How::choice) {
            double sum = 0;
            for (std::uint16_t slot : slots)
                sum += static_cast<double>(bins[slot].integer);
            return sum / static_cast<double>(n_slots);
        }
        return static_cast<double>(lo) + (range ? 0.5 * static_cast<double>(range - 1) : 0.0);
    }

    std::int64_t draw_integer(Random &random) const
    {
        switch (how) {
        case How::constant:
            return lo;
        case How::flag:
            return random.next() < threshold;
        case How::range:
            return lo + static_cast<std::int64_t>(random.below(range));
        case How::choice:
            break;
        }
        return bins[slots[random.next() >> 54]].integer;
    }

    float draw_float(Random &random) const
    {
        if (how != How::choice)
            return constant;
        const std::uint64_t bits = random.next();
        const Bin &bin = bins[slots[bits >> 54]];
        if (!bin.is_octave)
            return bin.lo;
        const float u = static_cast<float>(bits & 0xFFFFFF) * 0x1p-24f;
        float value = bin.lo + u * (bin.hi - bin.lo);
        std::uint32_t word;
        std::memcpy(&word, &value, sizeof word);
        word &= kept_bits; /* as NanoAOD truncates mantissas */
        std::memcpy(&value, &word, sizeof value);
        return value;
    }

  private:
    enum class How { constant, flag, range, choice };
    struct Bin {
        bool is_octave;
        float lo, hi;
        std::int64_t integer;
        double weight;
    };
    static constexpr std::size_t n_slots = 1024;

    void parse_constant(std::istream &in)
    {
        double value = 0;
        in >> value;
        constant = static_cast<float>(value);
        lo = is_integer ? static_cast<std::int64_t>(value) : 0;
    }

    void parse_flag(std::istream &in)
    {
        double p = 0;
        in >> p;
        how = How::flag;
        threshold = static_cast<std::uint64_t>(p * 0x1p64);
    }

    void parse_range(std::istream &in)
    {
        std::int64_t hi = 0;
        in >> lo >> hi;
        how = How::range;
        range = static_cast<std::uint64_t>(hi - lo + 1);
    }

    void parse_float(std::istream &in)
    {
        int kept = 23;
        double low = 0, high = 0;
        in >> kept >> low >> high;
        kept_bits = ~((std::uint32_t{1} << (23 - kept)) - 1);
        parse_choice(in, low, high);
    }

    /** Words are VALUE:WEIGHT, or +eE:WEIGHT and -eE:WEIGHT for magnitudes in [2^(E-1), 2^E). */
    void parse_choice(std::istream &in, double low, double high)
    {
        how = How::choice;
        std::string word;
        while (in >> word) {
            const std::size_t colon = word.rfind(':');
            const std::string value = word.substr(0, colon);
            const double weight = std::stod(word.substr(colon + 1));
            if (value.size() > 2 && value[1] == 'e' && (value[0] == '+' || value[0] == '-'))
                bins.push_back(octave(value, weight, low, high));
            else
                bins.push_back({false, static_cast<float>(std::stod(value)), 0,
                                is_integer ? std::stoll(value) : 0, weight});
        }
        fill_slots();
    }

    static Bin octave(const std::string &text, double weight, double low, double high)
    {
        const double sign = text[0] == '-' ? -1 : 1;
        const double a = sign * std::ldexp(1.0, std::stoi(text.substr(2)) - 1);
        const double lo_edge = std::min(a, 2 * a), hi_edge = std::max(a, 2 * a);
        return {true, static_cast<float>(std::max(lo_edge, low)), static_cast<float>(std::min(hi_edge, high)),
                0, weight};
    }

    void fill_slots()
    {
        double total = 0, sum = 0;
        for (const Bin &bin : bins)
            total += bin.weight;
        for (std::size_t i = 0; i < bins.size(); i++) {
            sum += bins[i].weight;
            slots.resize(static_cast<std::size_t>(std::lround(sum / total * n_slots)),
                         static_cast<std::uint16_t>(i));
        }
    }

    bool is_float, is_integer;
    How how = How::constant;
    std::int64_t lo = 0;
    float constant = 0;
    std::uint64_t range = 0, threshold = 0;
    std::uint32_t kept_bits = ~std::uint32_t{0};
    std::vector<Bin> bins;
    std::vector<std::uint16_t> slots;
};

/** One branch: its values for the event at hand lie in `buffer`. */
struct Column {
    std::string name, count_name;
    const Type *type;
    std::unique_ptr<Distribution> values; /* none for the event id */
    Column *count = nullptr;
    std::vector<unsigned char> buffer;

    std::size_t items() const
    {
        if (!count)
            return 1;
        std::uint32_t n;
        std::memcpy(&n, count->buffer.data(), sizeof n);
        return n;
    }

    void set_integer(std::size_t i, std::int64_t value)
    {
        std::memcpy(&buffer[i * type->bytes], &value,
                    type->bytes); /* little-endian hosts only, as ROOT's wheel */
    }

    void draw(Random &random)
    {
        const std::size_t n = items();
        if (type->leaf == 'F') {
            auto *dst = reinterpret_cast<float *>(buffer.data());
            for (std::size_t i = 0; i < n; i++)
                dst[i] = values->draw_float(random);
        } else {
            for (std::size_t i = 0; i < n; i++)
                set_integer(i, values->draw_integer(random));
        }
    }

    /** Room an event takes in a basket on average; ROOT reckons with eight bytes for the entry offset. */
    double basket_bytes() const
    {
        return count ? count->values->mean_integer() * type->bytes + 8 : type->bytes;
    }
};

class ValueModel
{
  public:
    explicit ValueModel(const std::string &path)
    {
        std::ifstream in(path);
        if (!in)
            throw std::runtime_error("cannot read " + path);
        std::string line;
        while (std::getline(in, line))
            if (!line.empty() && line[0] != '#')
                add(line);
        for (auto &column : columns)
            link(*column);
    }

    /** Draw every column but the event id: constants keep what link() gave them, counts come before their lists. */
    void draw(Random &random)
    {
        for (Column *column : drawn_counts)
            column->draw(random);
        for (Column *column : drawn_others)
            column->draw(random);
    }

    Column *find(const std::string &name)
    {
        const auto it = by_name.find(name);
        return it == by_name.end() ? nullptr : it->second;
    }

    std::vector<std::unique_ptr<Column>> columns;

  private:
    void add(const std::string &line)
    {
        std::istringstream in(line);
        auto column = std::make_unique<Column>();
        std::string type, spec;
        std::getline(in, column->name, '\t');
        std::getline(in, type, '\t');
        std::getline(in, column->count_name, '\t');
        std::getline(in, spec);
        column->type = &type_named(type);
        if (spec != "id")
            column->values = std::make_unique<Distribution>(spec, type);
        by_name[column->name] = column.get();
        columns.push_back(std::move(column));
    }

    void link(Column &column)
    {
        std::size_t most = 1;
        if (column.count_name != "-") {
            column.count = find(column.count_name);
            if (!column.count)
                throw std::runtime_error(column.name + " has no count " + column.count_name);
            most = static_cast<std::size_t>(column.count->values->max());
        }
        column.buffer.resize((most + 1) * column.type->bytes);
        if (!column.values)
            return;
        if (!column.values->is_constant())
            (is_count(column) ? drawn_counts : drawn_others).push_back(&column);
        else
            fill_constant(column, most);
    }

    bool is_count(const Column &column) const
    {
        for (const auto &other : columns)
            if (other->count_name == column.name)
                return true;
        return false;
    }

    static void fill_constant(Column &column, std::size_t most)
    {
        Random unused(0);
        const float value = column.values->draw_float(unused);
        for (std::size_t i = 0; i < most; i++) {
            if (column.type->leaf == 'F')
                std::memcpy(&column.buffer[i * 4], &value, 4);
            else
                column.set_integer(i, column.values->draw_integer(unused));
        }
    }

    std::map<std::string, Column *> by_name;
    std::vector<Column *> drawn_counts, drawn_others;
};

#endif
