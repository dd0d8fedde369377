/* SPDX-License-Identifier: Apache-2.0
 * What is missing, unknown or repeated, and why: words and the list of --missing. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/find_parts.h"
#include "cli/outfile.h"
#include "cli/say.h"

enum { MAX_NAMED = 10, N_REASONS = TAGMA_MAX_ID_AXES + 1, REASON_ENTRY = TAGMA_MAX_ID_AXES };

/* Run numbers of collision data have six digits; simulation calls its run 1. */
enum { LEAST_DATA_RUN = 100000, MOST_SIMULATED_RUN = 9 };

static bool is_absent(const cli_find *find, size_t i)
{
    size_t n;

    cli_find_hits(find, i, &n);
    return n == 0;
}

static uint32_t reason_of(const cli_find *find, size_t i)
{
    return find->ids[i].is_entry ? REASON_ENTRY : find->depths[find->twins[i]];
}

const char *cli_find_reason(const cli_find *find, size_t i)
{
    uint32_t reason = reason_of(find, i);

    return reason == REASON_ENTRY ? "entry" : cli_axes_role(&find->axes, reason);
}

/* "273158-284044", or one number. */
static void put_range(cli_text *text, const cli_find *find, int which)
{
    cli_put_axis(text, &find->axes, 0, find->least[which]);
    if (find->least[which] == find->most[which])
        return;
    cli_text_char(text, '-');
    cli_put_axis(text, &find->axes, 0, find->most[which]);
}

static const char *axis_words(const cli_find *find, uint32_t axis, bool one)
{
    const char *role = cli_axes_role(&find->axes, axis);

    if (strcmp(role, "run") == 0)
        return one ? "run" : "runs";
    if (strcmp(role, "lumi") == 0)
        return one ? "luminosity block" : "luminosity blocks";
    if (strcmp(role, "event") == 0)
        return one ? "event" : "events";
    return role;
}

static void put_reason(cli_text *text, const cli_find *find, uint32_t reason, bool one)
{
    const char *has = find->inputs->n == 1 ? "this tree does not have" : "these trees do not have";

    if (reason == REASON_ENTRY) {
        cli_text_format(text, "%s past the last entry", one ? "is" : "are");
        return;
    }
    if (reason + 1 == find->axes.n) {
        cli_text_format(text, "%s%s %s", one ? "is an " : "are ", axis_words(find, reason, one), has);
        return;
    }
    cli_text_format(text, "%s in %s%s %s", one ? "is" : "are", one ? "a " : "", axis_words(find, reason, one),
                    has);
    if (reason != 0 || !find->has_range[0] || !find->has_range[1])
        return;
    cli_text_words(text, " (list: ");
    put_range(text, find, 1);
    cli_text_words(text, ", file: ");
    put_range(text, find, 0);
    cli_text_char(text, ')');
}

/* All runs of the list are of data and all of the file of simulation, or the other way round. */
static const char *guess(const cli_find *find)
{
    if (find->axes.n < 2 || strcmp(find->axes.roles[0], "run") != 0 || !find->has_range[0] ||
        !find->has_range[1])
        return "";
    if (find->least[1] >= LEAST_DATA_RUN && find->most[0] <= MOST_SIMULATED_RUN)
        return " Data list on a simulation file?";
    if (find->least[0] >= LEAST_DATA_RUN && find->most[1] <= MOST_SIMULATED_RUN)
        return " Simulation list on a data file?";
    return "";
}

static void put_reasons(cli_text *text, const cli_find *find, const uint64_t counts[N_REASONS],
                        uint64_t absent)
{
    char number[CLI_NUMBER_BYTES];
    const char *between = "";

    for (uint32_t reason = 0; reason < N_REASONS; reason++) {
        if (counts[reason] == 0)
            continue;
        if (counts[reason] == absent && absent == 1)
            cli_text_words(text, "It ");
        else if (counts[reason] == absent && absent == find->n)
            cli_text_format(text, "All %s ", cli_grouped(absent, number));
        else if (counts[reason] == absent)
            cli_text_format(text, "The %s missing ", cli_grouped(absent, number));
        else
            cli_text_format(text, "%s%s ", between, cli_grouped(counts[reason], number));
        put_reason(text, find, reason, counts[reason] == 1);
        between = ", ";
    }
    cli_text_char(text, '.');
    if (counts[0] == find->n)
        cli_text_words(text, guess(find));
}

static void name_absent(const cli_find *find, const char *what, uint64_t absent)
{
    cli_text text = {0};
    char number[CLI_NUMBER_BYTES];
    uint64_t named = 0;

    for (size_t i = 0; i < find->n && named < MAX_NAMED; i++) {
        if (!is_absent(find, i))
            continue;
        cli_text_char(&text, ' ');
        cli_put_id(&text, &find->axes, &find->ids[i]);
        named++;
    }
    if (absent > named)
        cli_text_format(&text, " and %s more", cli_grouped(absent - named, number));
    cli_text_char(&text, '\0');
    if (!text.is_short)
        cli_no("%s:%s", what, text.bytes);
    cli_text_free(&text);
}

static void tell_missing(cli_find *find, const uint64_t counts[N_REASONS], uint64_t absent)
{
    cli_text text = {0};
    char found[CLI_NUMBER_BYTES];
    char all[CLI_NUMBER_BYTES];

    name_absent(find, "missing", absent);
    put_reasons(&text, find, counts, absent);
    cli_text_char(&text, '\0');
    cli_no("found %s of %s. %s", cli_grouped(find->n - absent, found), cli_grouped(find->n, all),
           text.is_short ? "" : text.bytes);
    cli_text_free(&text);
    cli_raise(find->session, 1);
}

static void tell_unknown(const cli_find *find, uint64_t absent)
{
    char found[CLI_NUMBER_BYTES];
    char all[CLI_NUMBER_BYTES];
    char unknown[CLI_NUMBER_BYTES];
    char files[CLI_NUMBER_BYTES];
    char of[CLI_NUMBER_BYTES];

    name_absent(find, "unknown", absent);
    cli_no("found %s of %s. %s %s unknown, not missing: %s of %s file%s could not be searched (%s)",
           cli_grouped(find->n - absent, found), cli_grouped(find->n, all), cli_grouped(absent, unknown),
           absent == 1 ? "is" : "are", cli_grouped(find->n_unsearched, files),
           cli_grouped(find->inputs->n, of), cli_s(find->inputs->n),
           find->causes.n > 0 ? find->causes.bytes : "");
    cli_raise(find->session, 2);
}

void cli_find_tell(cli_find *find)
{
    uint64_t counts[N_REASONS] = {0};
    uint64_t absent = 0;
    char number[CLI_NUMBER_BYTES];

    for (size_t i = 0; i < find->n; i++) {
        if (!is_absent(find, i))
            continue;
        counts[reason_of(find, i)]++;
        absent++;
        if (reason_of(find, i) == 0 && (find->ids[i].given & 1) != 0)
            cli_find_widen(find, 1, find->ids[i].axes[0], find->ids[i].axes[0]);
    }
    if (find->n_repeated > 0)
        cli_word("%s repeat%s in the list, delivered %s", cli_grouped(find->n_repeated, number),
                 cli_s(find->n_repeated),
                 find->session->opts->once ? "once each" : "as often as listed (--once: once each)");
    if (absent > 0 && find->n_unsearched > 0)
        tell_unknown(find, absent);
    else if (absent > 0)
        tell_missing(find, counts, absent);
}

int cli_find_write_missing(const cli_find *find, const char *path)
{
    cli_text text = {0};
    int status;

    for (size_t i = 0; i < find->n && find->n_unsearched == 0; i++) {
        if (!is_absent(find, i))
            continue;
        cli_put_id(&text, &find->axes, &find->ids[i]);
        cli_text_char(&text, '\n');
    }
    status = text.is_short ? cli_no_memory() : cli_out_write(path, text.bytes, text.n);
    cli_text_free(&text);
    return status;
}
