/* SPDX-License-Identifier: Apache-2.0
 * Write a small ROOT file with one branch of every kind that a branch can be, and tell its values as ROOT reads them. */
#include "edge_json.hxx"
#include "edge_types.hxx"
#include "random.hxx"

#include <TClonesArray.h>
#include <TFile.h>
#include <TTree.h>

#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>

namespace
{
using edge::json;
using edge::json_list;
using edge::type_name;

constexpr int n_entries = 12;
constexpr int most = 320;

template <typename T> char leaf_letter()
{
    const std::string name = type_name<T>();
    static const char *const table[] = {"boolO", "i8B",  "u8b",  "i16S", "u16s", "i32I",
                                        "u32i",  "i64L", "u64l", "f32F", "f64D"};
    for (const char *row : table)
        if (name == std::string(row, std::strlen(row) - 1))
            return row[std::strlen(row) - 1];
    throw std::logic_error("no leaf letter for " + name);
}

/** The n-th value of a type: its extremes and oddities first, then random bits. */
template <typename T> T sample(Random &random, int n)
{
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>) {
        return random.next() & 1;
    } else if constexpr (std::is_floating_point_v<T>) {
        const T odd[] = {T(-0.0),
                         limits::quiet_NaN(),
                         limits::infinity(),
                         -limits::infinity(),
                         limits::denorm_min(),
                         limits::lowest(),
                         limits::max(),
                         T(0.1)};
        return n < 8
                   ? odd[n]
                   : static_cast<T>(std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(40)) - 20));
    } else {
        const T odd[] = {0, limits::min(), limits::max(), 1, static_cast<T>(-1)};
        return n < 5 ? odd[n] : static_cast<T>(random.next());
    }
}

/** List lengths by entry: empty ones, one of 300 items, and what lies between. */
int long_length(int entry)
{
    static const int lengths[n_entries] = {0, 1, 3, 0, 2, 5, 300, 0, 0, 4, 1, 2};
    return lengths[entry];
}

int short_length(int entry, int salt)
{
    return long_length(entry) > 5 ? 6 : (long_length(entry) + salt) % 5;
}

/** How much of it: ROOT itself cannot read a counted member of a split object back from a file with offset maps. */
enum class Extent { leaves, vectors, objects };

/** All branches of the tree: how each is written, read back and told. */
class Edge
{
  public:
    Edge(TTree *tree_, bool is_writing, Extent extent) : tree(tree_), writing(is_writing), random(0)
    {
        leaves();
        arrays();
        packed();
        strings();
        leaf_lists();
        if (extent >= Extent::vectors)
            vectors();
        if (extent >= Extent::objects)
            objects();
    }

    void set(int entry)
    {
        random = Random(static_cast<std::uint64_t>(entry)); /* so that a lesser extent has the same values */
        for (auto &setter : setters)
            setter(entry);
    }

    void write_json(std::FILE *out)
    {
        std::vector<std::string> values(columns.size());
        for (int entry = 0; entry < n_entries; entry++) {
            tree->GetEntry(entry);
            for (std::size_t i = 0; i < columns.size(); i++)
                values[i] += (entry ? "," : "") + columns[i].value();
        }
        std::fprintf(out, "{\"tree\": \"edge\", \"entries\": %d, \"columns\": {\n", n_entries);
        for (std::size_t i = 0; i < columns.size(); i++)
            std::fprintf(out, "%s: {\"type\": %s, \"values\": [%s]}%s\n", json(columns[i].name).c_str(),
                         json(columns[i].type).c_str(), values[i].c_str(), i + 1 < columns.size() ? "," : "");
        std::fprintf(out, "}}\n");
    }

  private:
    struct Column {
        std::string name, type;
        std::function<std::string()> value;
    };

    void tell(const std::string &name, const std::string &type, std::function<std::string()> value)
    {
        columns.push_back({name, type, std::move(value)});
    }

    void attach(const std::string &name, void *address, const std::string &leaf_list)
    {
        if (writing)
            tree->Branch(name.c_str(), address, leaf_list.c_str(), 600);
        else if (tree->SetBranchAddress(name.c_str(), address) < 0)
            throw std::runtime_error("cannot read branch " + name);
    }

    /** An object that ROOT allocates; told by whoever knows its members. */
    template <typename T> T *object(const std::string &name, int split, int bytes = 4000)
    {
        auto holder = std::make_shared<T *>(new T());
        keep.push_back(holder);
        if (writing) {
            if (!tree->Branch(name.c_str(), *holder, bytes, split))
                throw std::runtime_error("cannot make branch " + name);
        } else if (tree->SetBranchAddress(name.c_str(), holder.get()) < 0)
            throw std::runtime_error("cannot read branch " + name);
        return *holder;
    }

    template <typename T> void scalar()
    {
        auto value = store<T>(1);
        const std::string name = "s_" + type_name<T>();
        attach(name, value, name + "/" + leaf_letter<T>());
        setters.push_back([this, value](int entry) { *value = sample<T>(random, entry); });
        tell(name, type_name<T>(), [value] { return json(*value); });
    }

    template <typename T> void fixed()
    {
        auto one = store<T>(3), two = store<T>(6);
        const std::string name = type_name<T>(), letter(1, leaf_letter<T>());
        attach("f_" + name, one, "f_" + name + "[3]/" + letter);
        attach("ff_" + name, two, "ff_" + name + "[2][3]/" + letter);
        setters.push_back([this, one, two](int entry) {
            for (int i = 0; i < 6; i++)
                (i < 3 ? one[i] : two[i]) = sample<T>(random, entry + i),
                                  two[i] = sample<T>(random, entry + i);
        });
        tell("f_" + name, name + "[3]", [one] { return json_list(3, [&](auto i) { return json(one[i]); }); });
        tell("ff_" + name, name + "[2][3]", [two] {
            return json_list(
                2, [&](auto i) { return json_list(3, [&](auto j) { return json(two[3 * i + j]); }); });
        });
    }

    template <typename T> void counted()
    {
        auto one = store<T>(most), deep = store<T>(6 * most);
        const std::string name = type_name<T>(), letter(1, leaf_letter<T>());
        /* One list of 300 is enough in three types. */
        const bool is_long =
            std::is_same_v<T, bool> || std::is_same_v<T, float> || std::is_same_v<T, std::uint16_t>;
        const Int_t *items = is_long ? n : k;
        const std::string dimension = is_long ? "[n]" : "[k]";
        attach("c_" + name, one, "c_" + name + dimension + "/" + letter);
        attach("cc_" + name, deep, "cc_" + name + "[m][3][2]/" + letter);
        setters.push_back([this, one, deep, items](int entry) {
            for (int i = 0; i < *items; i++)
                one[i] = sample<T>(random, entry + i);
            for (int i = 0; i < 6 * *m; i++)
                deep[i] = sample<T>(random, entry + i);
        });
        tell("c_" + name, name + dimension,
             [one, items] { return json_list(count(items), [&](auto i) { return json(one[i]); }); });
        tell("cc_" + name, name + "[m][3][2]", [this, deep] {
            return json_list(count(m), [&](auto i) {
                return json_list(3, [&](auto j) {
                    return json_list(2, [&](auto k) { return json(deep[6 * i + 2 * j + k]); });
                });
            });
        });
    }

    void leaves()
    {
        scalar<bool>();
        scalar<std::int8_t>();
        scalar<std::uint8_t>();
        scalar<std::int16_t>();
        scalar<std::uint16_t>();
        scalar<std::int32_t>();
        scalar<std::uint32_t>();
        scalar<std::int64_t>();
        scalar<std::uint64_t>();
        scalar<float>();
        scalar<double>();
        auto g = store<Long_t>(1);
        auto ug = store<ULong_t>(1);
        attach("s_long", g, "s_long/G");
        attach("s_ulong", ug, "s_ulong/g");
        setters.push_back([this, g, ug](int entry) {
            *g = sample<Long_t>(random, entry);
            *ug = sample<ULong_t>(random, entry);
        });
        tell("s_long", "i64", [g] { return json(*g); });
        tell("s_ulong", "u64", [ug] { return json(*ug); });
    }

    void arrays()
    {
        n = store<Int_t>(1);
        k = store<Int_t>(1);
        m = store<UChar_t>(1);
        attach("n", n, "n/I");
        attach("k", k, "k/I");
        attach("m", m, "m/b");
        setters.push_back([this](int entry) {
            *n = long_length(entry);
            *k = short_length(entry, 4);
            *m = static_cast<UChar_t>(short_length(entry, 1));
        });
        tell("n", "i32", [this] { return json(*n); });
        tell("k", "i32", [this] { return json(*k); });
        tell("m", "u8", [this] { return json(*m); });
        fixed<bool>();
        fixed<std::int16_t>();
        fixed<std::uint32_t>();
        fixed<float>();
        fixed<double>();
        counted<bool>();
        counted<std::int8_t>();
        counted<std::uint16_t>();
        counted<std::int32_t>();
        counted<std::uint64_t>();
        counted<float>();
        counted<double>();
    }

    /** Float16_t and Double32_t in memory are float and double; on disk as their range says. */
    template <typename T>
    void packed_leaf(const std::string &name, const std::string &letter, double lo, double hi)
    {
        auto one = store<T>(1), list = store<T>(most);
        attach(name, one, name + "/" + letter);
        attach(name + "_k", list, name + "_k[k]/" + letter);
        setters.push_back([this, one, list, lo, hi](int) {
            *one = static_cast<T>(lo + (hi - lo) * random.unit());
            for (int i = 0; i < *k; i++)
                list[i] = static_cast<T>(lo + (hi - lo) * random.unit());
        });
        tell(name, type_name<T>(), [one] { return json(*one); });
        tell(name + "_k", type_name<T>() + "[k]",
             [this, list] { return json_list(count(k), [&](auto i) { return json(list[i]); }); });
    }

    void packed()
    {
        packed_leaf<float>("h", "f", -1000, 1000);
        packed_leaf<float>("h_range", "f[0,10,12]", 0, 10);
        packed_leaf<float>("h_bits", "f[0,0,7]", -100, 100);
        packed_leaf<float>("h_pi", "f[-pi,pi]", -3, 3);
        packed_leaf<double>("d32", "d", -1e6, 1e6);
        packed_leaf<double>("d32_range", "d[-5,5,20]", -5, 5);
        packed_leaf<double>("d32_bits", "d[0,0,10]", -1e6, 1e6);
        packed_leaf<double>("d32_open", "d[0,100]", 0, 100);
    }

    void strings()
    {
        auto text = store<char>(1000);
        attach("str_c", text, "str_c/C");
        setters.push_back([text](int entry) { std::strcpy(text, text_of(entry).c_str()); });
        tell("str_c", "string", [text] { return json(std::string(text)); });
    }

    void standard_string()
    {
        auto *standard = object<std::string>("str_std", 0);
        setters.push_back([standard](int entry) { *standard = text_of(entry); });
        tell("str_std", "string", [this, i = keep.size() - 1] { return json(*held<std::string>(i)); });
    }

    /** Empty, short, bytes above 127, and longer than one length byte can say. */
    static std::string text_of(int entry)
    {
        static const char *const words[] = {"", "a", "muon \xc3\xa9 \"quoted\"", "tab\there"};
        return entry < 4 ? words[entry]
                         : std::string(static_cast<std::size_t>(entry * entry * 4), 'x') + "end";
    }

    void leaf_lists()
    {
        struct Point { /* widest first: ROOT puts one leaf right behind the other */
            Double_t y;
            Float_t x;
            Int_t n;
            Short_t m[2];
            Bool_t ok;
        };
        auto *p = store<Point>(1);
        attach("point", p, "y/D:x/F:n/I:m[2]/S:ok/O");
        setters.push_back([this, p](int entry) {
            *p = {sample<double>(random, entry),
                  sample<float>(random, entry),
                  sample<Int_t>(random, entry),
                  {sample<Short_t>(random, entry), sample<Short_t>(random, entry + 1)},
                  entry % 2 == 0};
        });
        tell("point.x", "f32", [p] { return json(p->x); });
        tell("point.y", "f64", [p] { return json(p->y); });
        tell("point.n", "i32", [p] { return json(p->n); });
        tell("point.m", "i16[2]", [p] { return json(p->m); });
        tell("point.ok", "bool", [p] { return json(p->ok); });
    }

    template <typename T> T random_value(int i)
    {
        if constexpr (std::is_same_v<T, std::string>)
            return text_of(i % 6);
        else
            return sample<T>(random, i);
    }

    template <typename T> void vector_of(const std::string &name)
    {
        auto *flat = object<std::vector<T>>("v_" + name, 0);
        const std::size_t i_flat = keep.size() - 1;
        constexpr bool is_long = std::is_same_v<T, bool> || std::is_same_v<T, float>;
        setters.push_back([this, flat](int entry) {
            flat->clear();
            for (int i = 0; i < (is_long ? long_length(entry) : short_length(entry, 2)); i++)
                flat->push_back(random_value<T>(entry + i));
        });
        tell("v_" + name, name + "[]", [this, i_flat] { return json(*held<std::vector<T>>(i_flat)); });
    }

    template <typename T> void vector_vector_of(const std::string &name)
    {
        using Nested = std::vector<std::vector<T>>;
        auto *nested = object<Nested>("vv_" + name, 0);
        setters.push_back([this, nested](int entry) {
            nested->clear();
            for (int i = 0; i < short_length(entry, 3); i++) {
                nested->emplace_back();
                for (int j = 0; j < short_length((entry + i) % n_entries, 1); j++)
                    nested->back().push_back(random_value<T>(entry + j));
            }
        });
        tell("vv_" + name, name + "[][]", [this, i = keep.size() - 1] { return json(*held<Nested>(i)); });
    }

    void vectors()
    {
        standard_string();
        vector_of<bool>("bool");
        vector_of<char>("i8");
        vector_of<unsigned char>("u8");
        vector_of<short>("i16");
        vector_of<unsigned short>("u16");
        vector_of<int>("i32");
        vector_of<unsigned int>("u32");
        vector_of<Long64_t>("i64");
        vector_of<ULong64_t>("u64");
        vector_of<float>("f32");
        vector_of<double>("f64");
        vector_of<std::string>("string");
        vector_vector_of<float>("f32");
        vector_vector_of<double>("f64");
        vector_vector_of<int>("i32");
        vector_vector_of<unsigned short>("u16");
        vector_vector_of<bool>("bool");
        vector_vector_of<std::string>("string");
    }

    void set_leaf(edge::Leaf &o, int entry)
    {
        o.fRoot = sample<Int_t>(random, entry);
        o.fRootD = sample<double>(random, entry);
        o.fMiddle = sample<float>(random, entry);
        o.fI = entry;
        o.fBig = sample<ULong64_t>(random, entry);
        o.fFlag = entry % 3 == 0;
        o.fD32 = random.unit();
        o.fD32Range = 10 * random.unit();
        o.fF16 = static_cast<float>(100 * random.unit());
        o.fF16Bits = static_cast<float>(100 * random.unit());
        for (int i = 0; i < 3; i++)
            o.fArray[i] = sample<float>(random, entry + i);
        for (int i = 0; i < 6; i++)
            o.fMatrix[i / 3][i % 3] = sample<Int_t>(random, entry + i);
        o.fN = short_length(entry, 4);
        delete[] o.fCounted;
        o.fCounted = new Float_t[static_cast<std::size_t>(o.fN) + 1];
        for (int i = 0; i < o.fN; i++)
            o.fCounted[i] = sample<float>(random, entry + i);
        o.fInner = {sample<float>(random, entry), {sample<Short_t>(random, entry), 7}};
        o.fString = text_of(entry);
        o.fVector.assign(static_cast<std::size_t>(short_length(entry, 2)), static_cast<float>(entry) / 3);
        o.fStrings.assign(static_cast<std::size_t>(short_length(entry, 3)), text_of(entry % 4));
    }

    void tell_leaf(const std::string &prefix, std::size_t index)
    {
        auto member = [&](const std::string &name, const std::string &type, auto get) {
            tell(prefix + name, type, [this, index, get] { return get(*held<edge::Leaf>(index)); });
        };
        using Leaf = const edge::Leaf;
        const std::string base = prefix.empty() ? "" : "edge::Middle."; /* as ROOT names them under "leaf." */
        member(base + "fRoot", "i32", [](Leaf &o) { return json(o.fRoot); });
        member(base + "fRootD", "f64", [](Leaf &o) { return json(o.fRootD); });
        member(base + "fMiddle", "f32", [](Leaf &o) { return json(o.fMiddle); });
        member("fI", "i32", [](Leaf &o) { return json(o.fI); });
        member("fBig", "u64", [](Leaf &o) { return json(o.fBig); });
        member("fFlag", "bool", [](Leaf &o) { return json(o.fFlag); });
        member("fD32", "f64", [](Leaf &o) { return json(static_cast<double>(o.fD32)); });
        member("fD32Range", "f64", [](Leaf &o) { return json(static_cast<double>(o.fD32Range)); });
        member("fF16", "f32", [](Leaf &o) { return json(static_cast<float>(o.fF16)); });
        member("fF16Bits", "f32", [](Leaf &o) { return json(static_cast<float>(o.fF16Bits)); });
        member("fArray[3]", "f32[3]", [](Leaf &o) { return json(o.fArray); });
        member("fMatrix[2][3]", "i32[2][3]", [](Leaf &o) { return json(o.fMatrix); });
        member("fN", "i32", [](Leaf &o) { return json(o.fN); });
        member("fCounted", "f32[" + prefix + "fN]", [](Leaf &o) {
            return json_list(static_cast<std::size_t>(o.fN), [&](auto i) { return json(o.fCounted[i]); });
        });
        member("fInner.u", "f32", [](Leaf &o) { return json(o.fInner.u); });
        member("fInner.v[2]", "i16[2]", [](Leaf &o) { return json(o.fInner.v); });
        member("fString", "string", [](Leaf &o) { return json(o.fString); });
        member("fVector", "f32[]", [](Leaf &o) { return json(o.fVector); });
        member("fStrings", "string[]", [](Leaf &o) { return json(o.fStrings); });
    }

    void leaf_object(const std::string &name, const std::string &prefix, int split)
    {
        auto *o = object<edge::Leaf>(name, split, 600);
        const std::size_t index = keep.size() - 1;
        setters.push_back([this, o](int entry) { set_leaf(*o, entry); });
        if (split)
            tell_leaf(prefix, index);
    }

    void set_hits(std::vector<edge::Hit> &hits, int entry)
    {
        hits.clear();
        for (int i = 0; i < short_length(entry, 2); i++) {
            edge::Hit hit = {sample<float>(random, entry + i),
                             sample<Int_t>(random, i),
                             100 * random.unit(),
                             sample<UChar_t>(random, i),
                             i % 2 == 0,
                             {1.5f * static_cast<float>(i), -2},
                             {}};
            hit.ids.assign(static_cast<std::size_t>(i), entry);
            hits.push_back(hit);
        }
    }

    void hits_branch(const std::string &name, int split)
    {
        using Hits = std::vector<edge::Hit>;
        auto *hits = object<Hits>(name, split, 600);
        const std::size_t index = keep.size() - 1;
        setters.push_back([this, hits](int entry) { set_hits(*hits, entry); });
        if (!split)
            return;
        tell(name, "i32", [this, index] { return json(held<Hits>(index)->size()); });
        auto member = [&](const std::string &what, const std::string &type, auto get) {
            tell(name + "." + what, type, [this, index, get] {
                const Hits &all = *held<Hits>(index);
                return json_list(all.size(), [&](auto i) { return get(all[i]); });
            });
        };
        using Hit = const edge::Hit;
        member("x", "f32[" + name + "]", [](Hit &h) { return json(h.x); });
        member("n", "i32[" + name + "]", [](Hit &h) { return json(h.n); });
        member("e", "f64[" + name + "]", [](Hit &h) { return json(static_cast<double>(h.e)); });
        member("b", "u8[" + name + "]", [](Hit &h) { return json(h.b); });
        member("good", "bool[" + name + "]", [](Hit &h) { return json(h.good); });
        member("p[2]", "f32[" + name + "][2]", [](Hit &h) { return json(h.p); });
        member("ids", "i32[" + name + "][]", [](Hit &h) { return json(h.ids); });
    }

    void clones_branch(const std::string &name, int split)
    {
        auto holder = std::make_shared<TClonesArray *>(new TClonesArray("edge::Thing", 10));
        keep.push_back(holder);
        if (writing)
            tree->Branch(name.c_str(), holder.get(), 600, split);
        else
            tree->SetBranchAddress(name.c_str(), holder.get());
        setters.push_back([this, holder](int entry) {
            (*holder)->Clear("C");
            for (int i = 0; i < short_length(entry, 3); i++) {
                auto *thing = static_cast<edge::Thing *>((*holder)->ConstructedAt(i));
                *thing = edge::Thing();
                thing->fA = sample<Int_t>(random, entry + i);
                thing->fB = sample<float>(random, entry + i);
                thing->fC[0] = entry;
                thing->fC[1] = -i;
            }
        });
        if (!split)
            return;
        tell(name, "i32", [holder] { return json((*holder)->GetEntriesFast()); });
        auto member = [&](const std::string &what, const std::string &type, auto get) {
            tell(name + "." + what, type, [holder, get] {
                return json_list(static_cast<std::size_t>((*holder)->GetEntriesFast()), [&](auto i) {
                    return get(*static_cast<edge::Thing *>((*holder)->At(static_cast<Int_t>(i))));
                });
            });
        };
        using Thing = const edge::Thing;
        member("fUniqueID", "u32[" + name + "]", [](Thing &t) { return json(t.GetUniqueID()); });
        member("fA", "i32[" + name + "]", [](Thing &t) { return json(t.fA); });
        member("fB", "f32[" + name + "]", [](Thing &t) { return json(t.fB); });
        member("fC[2]", "f64[" + name + "][2]", [](Thing &t) { return json(t.fC); });
    }

    void objects()
    {
        leaf_object("leaf.", "leaf.", 99);
        leaf_object("plain", "", 99);
        leaf_object("whole", "", 0);
        hits_branch("hits", 99);
        hits_branch("hits_whole", 0);
        clones_branch("things", 99);
        clones_branch("things_whole", 0);
    }

    template <typename T> T *store(std::size_t items)
    {
        std::shared_ptr<T[]> block(new T[items]());
        keep.push_back(block);
        return block.get();
    }
    template <typename T> T *held(std::size_t index) const
    {
        return *static_cast<T **>(keep[index].get());
    }
    template <typename T> static std::size_t count(const T *value)
    {
        return static_cast<std::size_t>(*value);
    }

    TTree *tree;
    bool writing;
    Random random;
    std::vector<std::shared_ptr<void>> keep;
    std::vector<std::function<void(int)>> setters;
    std::vector<Column> columns;
    Int_t *n = nullptr, *k = nullptr;
    UChar_t *m = nullptr;
};

void write(const std::string &path, int codec, Extent extent, bool offset_map)
{
    const std::string url = path + "?reproducible=" + path.substr(path.rfind('/') + 1);
    std::unique_ptr<TFile> file(TFile::Open(url.c_str(), "RECREATE", "every kind of branch", codec));
    if (!file || file->IsZombie())
        throw std::runtime_error("cannot write " + path);
    auto *tree = new TTree("edge", "every kind of branch", 99, file.get());
    tree->SetAutoFlush(5);
    tree->SetAutoSave(0);
    if (offset_map) {
        ROOT::TIOFeatures features;
        features.Set(ROOT::Experimental::EIOFeatures::kGenerateOffsetMap);
        tree->SetIOFeatures(features);
    }
    Edge edge(tree, true, extent);
    for (int entry = 0; entry < n_entries; entry++) {
        edge.set(entry);
        if (tree->Fill() < 0)
            throw std::runtime_error("write error");
    }
    file->Write();
    file->Close();
}

void dump(const std::string &path)
{
    std::unique_ptr<TFile> file(TFile::Open(path.c_str()));
    auto *tree = file ? file->Get<TTree>("edge") : nullptr;
    if (!tree)
        throw std::runtime_error("cannot read " + path);
    const Extent extent = tree->GetBranch("hits")      ? Extent::objects
                          : tree->GetBranch("str_std") ? Extent::vectors
                                                       : Extent::leaves;
    Edge(tree, false, extent).write_json(stdout);
}
} // namespace

int main(int argc, char **argv)
try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (argc == 3 && what == "dump")
        dump(argv[2]);
    else if (argc == 4 && what == "objects")
        write(argv[3], std::stoi(argv[2]), Extent::objects, false);
    else if (argc == 4 && what == "vectors-with-offset-map")
        write(argv[3], std::stoi(argv[2]), Extent::vectors, true);
    else if (argc == 4 && what == "leaves")
        write(argv[3], std::stoi(argv[2]), Extent::leaves, false);
    else
        throw std::runtime_error("usage: gen_edge leaves|vectors-with-offset-map|objects CODEC PATH\n"
                                 "       gen_edge dump PATH");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "gen_edge: %s\n", error.what());
    return 2;
}
