/* SPDX-License-Identifier: Apache-2.0
 * How many processors this process may use: affinity, and the quota of its control group. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"

static uint32_t by_affinity(void)
{
    cpu_set_t set;
    int n;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    n = CPU_COUNT(&set);
    return n > 0 ? (uint32_t)n : 1;
}

/* quota / period, rounded up; UINT32_MAX for "max" and for what cannot be read. */
static uint32_t ratio(long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || quota / period >= INT32_MAX)
        return UINT32_MAX;
    return (uint32_t)((quota + period - 1) / period);
}

static bool read_line(const char *path, char *dst, size_t dst_bytes)
{
    FILE *file = fopen(path, "re");
    bool ok;

    if (file == NULL)
        return false;
    ok = fgets(dst, (int)dst_bytes, file) != NULL;
    fclose(file);
    return ok;
}

/* The first two numbers of a file; those that are not there stay 0. "max" is no number. */
static bool read_numbers(const char *folder, const char *name, long long numbers[2])
{
    char path[4200];
    char line[128];
    char *end = line;

    numbers[0] = numbers[1] = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!read_line(path, line, sizeof line))
        return false;
    numbers[0] = strtoll(line, &end, 10);
    if (end != line)
        numbers[1] = strtoll(end, NULL, 10);
    return true;
}

static uint32_t quota_of(const char *folder)
{
    long long quota[2];
    long long period[2];

    if (read_numbers(folder, "cpu.max", quota))
        return ratio(quota[0], quota[1]);
    if (!read_numbers(folder, "cpu.cfs_quota_us", quota) ||
        !read_numbers(folder, "cpu.cfs_period_us", period))
        return UINT32_MAX;
    return ratio(quota[0], period[0]);
}

/* The tightest quota from a group up to the root of its hierarchy. */
static uint32_t tightest(const char *root, const char *group)
{
    char path[4096];
    uint32_t least = UINT32_MAX;
    size_t root_length = strlen(root);

    snprintf(path, sizeof path, "%s%s", root, group);
    for (;;) {
        uint32_t here = quota_of(path);
        char *slash = strrchr(path, '/');
        if (here < least)
            least = here;
        if (slash == NULL || (size_t)(slash - path) < root_length)
            return least;
        *slash = '\0';
    }
}

/* Lines of /proc/self/cgroup are "0::/group" (version 2) and "4:cpu,cpuacct:/group" (version 1). */
static uint32_t by_group(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[2048];
    uint32_t least = UINT32_MAX;

    if (file == NULL)
        return least;
    while (fgets(line, sizeof line, file) != NULL) {
        char *kind = strchr(line, ':');
        char *group = kind != NULL ? strchr(kind + 1, ':') : NULL;
        uint32_t here = UINT32_MAX;
        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (kind[1] == '\0')
            here = tightest("/sys/fs/cgroup", group);
        else if (strncmp(kind + 1, "cpu", 3) == 0 && (kind[4] == '\0' || kind[4] == ','))
            here = tightest("/sys/fs/cgroup/cpu", group);
        if (here < least)
            least = here;
    }
    fclose(file);
    return least;
}

uint32_t cli_processors(void)
{
    uint32_t affinity = by_affinity();
    uint32_t group = by_group();

    return group < affinity ? group : affinity;
}
