/* SPDX-License-Identifier: Apache-2.0
 * tagma: the table of commands, and what is the same for all of them. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <tagma/schema.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/outfile.h"
#include "cli/say.h"
#include "cli/text.h"

static const cli_command commands[] = {
    {"ls", CLI_LS, "[-l] FILE... [NAME or GLOB]...", "trees, and with -l their branches",
     "Arguments that are no files pick branches, by name or glob.", cli_ls},
    {"info", CLI_INFO, "FILE...", "what a file is: version, codec, condition, trees, clusters, ids",
     "tagma FILE does the same.", cli_info},
    {"check", CLI_CHECK, "FILE...", "unpack and decode every record and basket",
     "A line a fault: file, tree, branch, basket, byte. Exit 0: all is sound, 2: any fault. Branches that\n"
     "this version cannot read are named and are no fault.",
     cli_check},
    {"index", CLI_INDEX, "FILE...", "keep an index of event ids in FILE.tgx",
     "Without -t: the only tree, or the only one named Events, events or CollectionTree, or the only one\n"
     "with id columns.",
     cli_index},
    {"pick", CLI_PICK, "FILE... ID... | -e LIST", "the events of these ids, whole or some columns",
     "An id is run:lumi:event, run:event, event, or @N for entry N, counted from 0. Without an index in a\n"
     "sidecar, one is built on the fly. Exit 1: some ids are not there, 2: trouble.",
     cli_pick},
    {"show", CLI_SHOW, "FILE ID", "one event for the eye", "An id is written as for pick.", cli_show},
    {"scan", CLI_SCAN, "FILE...", "values of columns for a run of entries", "", cli_scan},
    {"convert", CLI_CONVERT, "FILE... -o OUT.tagma", "a store: any whole event in microseconds",
     "A store holds the events of one tree, of one file or of several end to end. Nothing is written that "
     "cannot\n"
     "be written whole: branches that this version cannot read need --skip-unsupported.",
     cli_convert},
    {"verify", CLI_VERIFY, "STORE --against FILE...", "a store against the files it was made of",
     "Every value bit for bit, in both copies where a branch has two, every event id, every checksum.\n"
     "Exit 1: something differs, 2: trouble.",
     cli_verify},
    {"diff", CLI_DIFF, "A B", "two files of events against each other",
     "By event id where both have id columns, the k-th with the k-th of equal ids; else by entry. A line a\n"
     "branch that differs. Exit 1: something differs, 2: trouble.",
     cli_diff},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static int deliver(cli_text *text)
{
    int status = text->is_short ? cli_no_memory() : cli_out_write(NULL, text->bytes, text->n);

    cli_text_free(text);
    return status;
}

static int tell_usage(void)
{
    cli_text text = {0};

    cli_text_words(&text, "tagma " TAGMA_VERSION ": events of high-energy-physics data by coordinate\n\n"
                          "usage: tagma COMMAND [options] FILE...\n"
                          "       tagma FILE            what is in it\n\n"
                          "commands:\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        cli_text_format(&text, "  %-7s %s\n", commands[i].name, commands[i].what);
    cli_text_words(&text, "\nFILE may be FILE:TREE. Data on stdout, words on stderr.\n"
                          "Exit code: 0 yes, 1 an honest no (ids that are not there), 2 trouble.\n"
                          "tagma COMMAND --help tells its options; tagma --version the version.\n");
    return deliver(&text);
}

static int tell_help(const cli_command *command)
{
    cli_text text = {0};

    cli_text_format(&text, "usage: tagma %s [options] %s\n\n%s.\n", command->name, command->usage,
                    command->what);
    if (*command->more != '\0')
        cli_text_format(&text, "%s\n", command->more);
    cli_text_words(&text, "\noptions:\n");
    cli_opts_help(command->bit, &text);
    return deliver(&text);
}

static int tell_version(void)
{
    cli_text text = {0};

    cli_text_format(&text, "tagma %s\n", tagma_version());
    return deliver(&text);
}

static int run(const cli_command *command, int argc, char **argv)
{
    cli_opts opts;
    int status = cli_opts_parse(command, argc, argv, &opts);

    if (status == 0 && opts.quiet)
        cli_say_quietly();
    if (status == 0 && opts.help)
        status = tell_help(command);
    else if (status == 0 && opts.version)
        status = tell_version();
    else if (status == 0)
        status = command->run(&opts);
    cli_opts_free(&opts);
    return status;
}

static const cli_command *command_of(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

/* A first word that is no command is a file, or was meant to be a command. */
static int no_command(const char *word)
{
    const char *names[N_COMMANDS];
    char near[64];

    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i].name;
    tagma_near_names(word, names, N_COMMANDS, near, sizeof near);
    return cli_wrong("no command and no file \"%s\"%s; tagma --help lists the commands", word, near);
}

static int begin(int argc, char **argv)
{
    const cli_command *command = argc > 1 ? command_of(argv[1]) : NULL;
    struct stat seen;

    if (argc < 2) {
        cli_no("usage: tagma COMMAND [options] FILE..., or tagma FILE; tagma --help tells more");
        return 2;
    }
    if (command != NULL)
        return run(command, argc - 2, argv + 2);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return tell_usage();
    if (argv[1][0] != '-' && strpbrk(argv[1], "./:") == NULL && stat(argv[1], &seen) != 0)
        return no_command(argv[1]);
    return run(command_of("info"), argc - 1, argv + 1);
}

/* Where the caller closed stdin, stdout or stderr, the next file opened would take its place, and words meant for
 * stderr would stand in OUT. What stands there now cannot be read, or not be written: using it still fails. */
static bool hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!hold_standard_streams())
        return 2;
    /* A closed pipe is a failed write, which ends quietly; temporary files are then put away. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* so is one beyond what a file may have; it is told */
    return begin(argc, argv);
}
