/* SPDX-License-Identifier: Apache-2.0
 * What the measured programs share: options, a clock, one JSON line a measurement. */
#ifndef BENCH_PEER_HXX
#define BENCH_PEER_HXX

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer
{
/** "--name value" pairs; what stands before the first is positional. */
class Options
{
  public:
    Options(int argc, char **argv)
    {
        int i = 1;
        for (; i < argc && std::string(argv[i]).compare(0, 2, "--") != 0; i++)
            words.push_back(argv[i]);
        for (; i + 1 < argc; i += 2)
            named[argv[i] + 2] = argv[i + 1];
        if (i != argc)
            throw std::runtime_error(std::string("option without a value: ") + argv[i]);
    }
    const std::string &word(std::size_t i, const char *what) const
    {
        if (i >= words.size())
            throw std::runtime_error(std::string("missing: ") + what);
        return words[i];
    }
    std::string get(const std::string &name, const std::string &otherwise) const
    {
        const auto it = named.find(name);
        return it == named.end() ? otherwise : it->second;
    }
    std::uint64_t number(const std::string &name, std::uint64_t otherwise) const
    {
        const auto it = named.find(name);
        return it == named.end() ? otherwise : std::stoull(it->second);
    }

  private:
    std::vector<std::string> words;
    std::map<std::string, std::string> named;
};

/** Processor time of all threads. On a busy machine it says what the clock on the wall cannot. */
inline double cpu_seconds()
{
    std::timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

class Clock
{
  public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    double lap()
    {
        const double result = seconds();
        start = std::chrono::steady_clock::now();
        return result;
    }

  private:
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

inline std::vector<std::string> split(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
        parts.push_back(part);
    return parts;
}

inline std::vector<std::uint64_t> read_numbers(const std::string &path)
{
    std::ifstream in(path);
    if (!in)
        throw std::runtime_error("cannot read " + path);
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t n; in >> n;)
        numbers.push_back(n);
    return numbers;
}

/** Not getrusage's: that one remembers the process before exec, which is the driver's interpreter. */
inline std::uint64_t peak_rss_bytes()
{
    std::ifstream in("/proc/self/status");
    for (std::string word; in >> word;) {
        std::uint64_t kilobytes = 0;
        if (word == "VmHWM:" && in >> kilobytes)
            return kilobytes * 1024;
    }
    return 0;
}

/** Fields in the order they are added; printed as one line. */
class Line
{
  public:
    Line &add(const char *name, double value)
    {
        char number[40];
        std::snprintf(number, sizeof number, "%.15g", value);
        return raw(name, number);
    }
    Line &add(const char *name, std::uint64_t value)
    {
        return raw(name, std::to_string(value));
    }
    Line &add(const char *name, const std::string &value)
    {
        return raw(name, '"' + value + '"');
    }
    void print()
    {
        add("peak_rss_bytes", peak_rss_bytes());
        std::printf("{%s}\n", text.c_str());
        std::fflush(stdout);
    }

  private:
    Line &raw(const char *name, const std::string &value)
    {
        text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
        return *this;
    }
    std::string text;
};
} // namespace peer

#endif
