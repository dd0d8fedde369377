/* SPDX-License-Identifier: Apache-2.0
 * The ROOT script that lists branches as `tagma ls -l` does: root -l -b -q 'root_names.C("FILE", "Events")' */
void root_names(const char *path, const char *name = "Events")
{
    std::unique_ptr<TFile> file(TFile::Open(path));
    auto *tree = file ? file->Get<TTree>(name) : nullptr;
    if (!tree) {
        std::fprintf(stderr, "no tree %s in %s\n", name, path);
        gSystem->Exit(2);
    }
    for (TObject *object : *tree->GetListOfBranches()) {
        auto *branch = static_cast<TBranch *>(object);
        auto *leaf = static_cast<TLeaf *>(branch->GetListOfLeaves()->At(0));
        std::printf("%s\t%s\t%s\t%d\t%lld\t%lld\n", branch->GetName(), leaf ? leaf->GetTypeName() : branch->GetClassName(),
                    branch->GetTitle(), branch->GetWriteBasket(), branch->GetZipBytes(), branch->GetTotBytes());
    }
}
