/* SPDX-License-Identifier: Apache-2.0
 * Classes of the edge-type files: base classes, nested structs, packed floats, arrays and collections as members. */
#ifndef BENCH_EDGE_TYPES_HXX
#define BENCH_EDGE_TYPES_HXX

#include <TObject.h>

#include <string>
#include <vector>

namespace edge
{
struct Inner {
    Float_t u;
    Short_t v[2];
};

struct Hit {
    Float_t x;
    Int_t n;
    Double32_t e; //[0,100,12]
    UChar_t b;
    Bool_t good;
    Float_t p[2];
    std::vector<int> ids;
};

class Root
{
  public:
    Int_t fRoot = 0;
    Double_t fRootD = 0;
    ClassDefNV(Root, 1)
};

class Middle : public Root
{
  public:
    Float_t fMiddle = 0;
    ClassDefNV(Middle, 1)
};

class Leaf : public Middle
{
  public:
    Int_t fI = 0;
    ULong64_t fBig = 0;
    Bool_t fFlag = false;
    Double32_t fD32 = 0;
    Double32_t fD32Range = 0; //[0,10,16]
    Float16_t fF16 = 0;
    Float16_t fF16Bits = 0; //[0,0,10]
    Float_t fArray[3] = {};
    Int_t fMatrix[2][3] = {};
    Int_t fN = 0;
    Float_t *fCounted = nullptr; //[fN]
    Inner fInner = {};
    std::string fString;
    std::vector<float> fVector;
    std::vector<std::string> fStrings;

    Leaf() = default;
    Leaf(const Leaf &) = delete;
    Leaf &operator=(const Leaf &) = delete;
    ~Leaf()
    {
        delete[] fCounted;
    }
    ClassDefNV(Leaf, 1)
};

class Thing : public TObject
{
  public:
    Int_t fA = 0;
    Float_t fB = 0;
    Double_t fC[2] = {};
    ClassDef(Thing, 1)
};
} // namespace edge

#endif
