/* SPDX-License-Identifier: Apache-2.0
 * What rootcling makes dictionaries for. */
#pragma link off all globals;
#pragma link off all classes;
#pragma link off all functions;
#pragma link C++ nestedclasses;
#pragma link C++ struct edge::Inner + ;
#pragma link C++ struct edge::Hit + ;
#pragma link C++ class edge::Root + ;
#pragma link C++ class edge::Middle + ;
#pragma link C++ class edge::Leaf + ;
#pragma link C++ class edge::Thing + ;
#pragma link C++ class std::vector < edge::Hit> + ;
#pragma link C++ class std::vector < std::vector < std::string>> + ;
#pragma link C++ class std::vector < std::vector < bool>> + ;
#pragma link C++ class std::vector < std::vector < float>> + ;
#pragma link C++ class std::vector < std::vector < double>> + ;
#pragma link C++ class std::vector < std::vector < int>> + ;
#pragma link C++ class std::vector < std::vector < unsigned short>> + ;
