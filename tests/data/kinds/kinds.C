/* SPDX-License-Identifier: Apache-2.0
 * Write kinds.root with real ROOT: root -l -b -q kinds.C+ (any ROOT 6 with a compiler). */
#include <ROOT/RVec.hxx>
#include <TClonesArray.h>
#include <TFile.h>
#include <TLorentzVector.h>
#include <TObject.h>
#include <TRef.h>
#include <TString.h>
#include <TTree.h>
#include <array>
#include <bitset>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>
enum Color { kR = 1, kG = 5, kB = 77 };
struct Pt {
    float x, y;
    int id;
    ClassDefNV(Pt, 1)
};
struct PtD : public Pt {
    double w;
    std::vector<short> s;
    std::string name;
    TString ts;
    float arr[2][2];
    Color c;
    ClassDefNV(PtD, 1)
};
class Obj : public TObject
{
  public:
    int a = 0;
    TRef r;
    ClassDef(Obj, 1)
};
class Big
{
  public:
    std::vector<float> *pv = nullptr;
    std::array<float, 3> arr{};
    Color col = kR;
    std::vector<Color> cols;
    std::bitset<10> bits;
    TString ts[3];
    char *cs = nullptr;
    std::list<int> li;
    std::deque<double> de;
    std::set<short> se;
    std::multiset<int> ms;
    std::unordered_set<int> us;
    std::forward_list<int> fl;
    ROOT::VecOps::RVec<float> rv;
    std::vector<Double32_t> vd32;
    std::vector<TString> vts;
    std::vector<std::array<int, 2>> va;
    std::vector<float> vv2[2];
    int n = 0;
    float *cnt = nullptr;       //[n]
    Double32_t *cntd = nullptr; //[n] [0,10,8]
    std::map<int, float> m;
    std::vector<std::pair<int, float>> vp;
    std::vector<std::vector<std::vector<int>>> vvv;
    std::vector<bool> vb;
    std::vector<std::vector<bool>> vvb;
    Pt p;
    Pt pa[2];
    PtD d;
    std::vector<Pt> vpt;
    std::vector<PtD> vptd;
    Obj o;
    TLorentzVector lv;
    TObject *po = nullptr;
    std::vector<char> vc;
    std::vector<unsigned long> vul;
    std::vector<std::set<int>> vs;
    long lo = 0;
    unsigned char uc = 0;
    bool b = false;
    Long64_t l64 = 0;
    std::string str;
    std::string sa[2];
    std::string *ps = nullptr;
    ~Big()
    {
    }
    ClassDefNV(Big, 3)
};
class MyTree : public TTree
{
  public:
    int extra = 0;
    MyTree() : TTree()
    {
    }
    MyTree(const char *n, const char *t) : TTree(n, t)
    {
    }
    ClassDef(MyTree, 1)
};
class Base;
class Derived;
class Old;
#ifdef __ROOTCLING__
#pragma link C++ class std::vector < Pt> + ;
#pragma link C++ class std::vector < PtD> + ;
#pragma link C++ class std::vector < std::array < int, 2>> + ;
#pragma link C++ class std::vector < Pt *> + ;
#pragma link C++ class std::vector < std::vector < std::vector < int>>> + ;
#pragma link C++ class std::vector < std::set < int>> + ;
#pragma link C++ class std::list < int> + ;
#pragma link C++ class std::deque < double> + ;
#pragma link C++ class std::set < short> + ;
#pragma link C++ class std::multiset < int> + ;
#pragma link C++ class std::unordered_set < int> + ;
#pragma link C++ class std::forward_list < int> + ;
#pragma link C++ class std::vector < Color> + ;
#pragma link C++ class std::vector < TString> + ;
#pragma link C++ class std::vector < std::pair < int, float>> + ;
#endif
void fill(Big &b, int i)
{
    if (!b.pv)
        b.pv = new std::vector<float>;
    b.pv->assign(i % 3, 1.5f * i);
    b.arr = {1.f * i, 2.f * i, 3.f * i};
    b.col = i % 2 ? kG : kB;
    b.cols.assign(i % 4, kB);
    b.bits = std::bitset<10>(i * 37);
    for (int k = 0; k < 3; k++)
        b.ts[k] = TString::Format("t%d_%d", i, k);
    delete[] b.cs;
    b.cs = new char[10];
    snprintf(b.cs, 10, "cs%d", i);
    b.li = {i, i + 1};
    b.de = {0.5 * i};
    b.se = {(short)i, (short)(i + 3)};
    b.ms = {i, i, 2};
    b.us = {i};
    b.fl = {i, 7};
    b.rv = ROOT::VecOps::RVec<float>(i % 3, 0.25f * i);
    b.vd32.assign(i % 3, 0.1 * i);
    b.vts.assign(i % 3, TString("x"));
    b.va.assign(i % 3, {i, -i});
    b.vv2[0].assign(i % 2, 1.f);
    b.vv2[1].assign(2, 2.f);
    b.n = i % 4;
    delete[] b.cnt;
    delete[] b.cntd;
    b.cnt = new float[b.n + 1];
    b.cntd = new double[b.n + 1];
    for (int k = 0; k < b.n; k++) {
        b.cnt[k] = k + i;
        b.cntd[k] = k * .1;
    }
    b.m = {{i, 1.f}};
    b.vp = {{i, 2.f}};
    b.vvv.assign(i % 2, {{1, 2}, {3}});
    b.vb = {true, false, (bool)(i % 2)};
    b.vvb.assign(i % 3, {true, false});
    b.p = {1.f * i, 2, i};
    b.pa[0] = {1, 2, 3};
    b.pa[1] = {4, 5, i};
    auto mk = [&](int k) {
        PtD d;
        d.x = k;
        d.y = i;
        d.id = k * i;
        d.w = k * .5;
        d.s.assign(k % 3, (short)k);
        d.name = "n" + std::to_string(k);
        d.ts = "ts";
        for (int q = 0; q < 4; q++)
            d.arr[q / 2][q % 2] = q + k;
        d.c = kB;
        return d;
    };
    b.d = mk(i);
    b.vpt.clear();
    b.vptd.clear();
    for (int k = 0; k < i % 4; k++) {
        b.vpt.push_back({1.f * k, 2.f * i, k});
        b.vptd.push_back(mk(k));
    }
    b.o.a = i;
    b.lv.SetXYZT(i, 1, 2, 3);
    b.vc.assign(i % 3, (char)-i);
    b.vul.assign(i % 3, 1ul << 40);
    b.vs.assign(i % 3, {1, 2, i});
    b.lo = -i;
    b.uc = i;
    b.b = i % 2;
    b.l64 = 1ll << 50;
    b.str = "s" + std::to_string(i);
    b.sa[0] = "a";
    b.sa[1] = "b" + std::to_string(i);
    if (!b.ps)
        b.ps = new std::string;
    *b.ps = "ps";
}
class Base
{
  public:
    int nb = 0;
    float fb = 0;
    virtual ~Base()
    {
    }
    ClassDef(Base, 1)
};
class Derived : public Base
{
  public:
    double *px = nullptr; //[nb]
    Long64_t last = 0;
    ~Derived()
    {
        delete[] px;
    }
    ClassDef(Derived, 2)
};
class Old : public TObject
{
  public:
    TClonesArray *ca = nullptr;
    int k = 0;
    ClassDef(Old, 1)
};
void kinds()
{
    {
        TFile other("kinds_friend.root", "RECREATE");
        TTree tree("ft", "friend");
        int z = 0;
        tree.Branch("z", &z);
        for (; z < 6; z++)
            tree.Fill();
        tree.Write();
    }
    Big b, *pb = &b;
    Derived d, *pd = &d;
    Old o, *po = &o;
    o.ca = new TClonesArray("TLorentzVector");
    std::vector<Pt *> vpp, *pvpp = &vpp;
    std::vector<PtD> vd;
    std::list<int> li;
    ROOT::VecOps::RVec<double> rv;
    TLorentzVector lv, *plv = &lv;
    TString text, *ptext = &text;
    std::map<std::string, std::vector<int>> mm;
    std::bitset<5> bits;
    float x;
    int q;
    TFile f("kinds.root?reproducible=kinds.root", "RECREATE", "", 209);
    TTree t("t", "kinds");
    t.Branch("big.", &pb, 32000, 99);
    t.Branch("one", &pb, 32000, 1);
    t.Branch("whole", &pb, 32000, 0);
    t.Branch("derived", &pd, 32000, 99);
    t.Branch("vpp", &pvpp, 32000, 99);
    t.Branch("vd", &vd, 32000, 99);
    t.Branch("li", &li);
    t.Branch("rv", &rv);
    t.Branch("mm", &mm);
    t.Branch("text", "TString", &ptext);
    t.Branch("lv", "TLorentzVector", &plv, 32000, 99);
    t.BranchOld("lvold", "TLorentzVector", &plv, 32000, 0);
    t.BranchOld("lvsplit", "TLorentzVector", &plv, 32000, 1);
    t.BranchOld("old", "Old", &po, 32000, 2);
    t.Branch("x", &x);
    t.Branch("elsewhere", &x, "elsewhere/F")->SetFile("kinds_elsewhere.root");
    t.SetAlias("twice", "x*2");
    t.AddFriend("ft", "kinds_friend.root");
    for (int i = 0; i < 6; i++) {
        fill(b, i);
        d.nb = i % 3;
        d.fb = i;
        delete[] d.px;
        d.px = new double[3]{1. * i, 2. * i, 3. * i};
        d.last = -i;
        x = i;
        li = {i};
        vd = b.vptd;
        rv.assign(i % 3, i);
        mm = {{"a", {i, 1}}};
        text = TString::Format("t%d", i);
        lv.SetXYZT(i, 0, 0, 1);
        o.k = i;
        o.ca->Clear();
        for (int k = 0; k < i % 3; k++)
            new ((*o.ca)[k]) TLorentzVector(k, i, 0, 1);
        for (auto p : vpp)
            delete p;
        vpp.clear();
        for (int k = 0; k < i % 3; k++)
            vpp.push_back(new Pt{1.f * k, 2, i});
        t.Fill();
    }
    t.Write();
    MyTree mine("mine", "of a class derived from TTree");
    mine.Branch("q", &q, "q/I");
    for (q = 0; q < 5; q++)
        mine.Fill();
    mine.Write();
    TTree circular("circular", "the last entries only");
    circular.Branch("x", &x, "x/F");
    circular.SetCircular(100);
    for (int i = 0; i < 250; i++) {
        x = i;
        circular.Fill();
    }
    circular.Write();
    TTree late("late", "a branch made after 10 entries");
    late.Branch("a", &q, "a/I");
    for (q = 0; q < 10; q++)
        late.Fill();
    late.Branch("b", &x, "b/F");
    for (q = 10; q < 15; q++) {
        x = q;
        late.Fill();
    }
    late.Write();
    f.Close();
}
