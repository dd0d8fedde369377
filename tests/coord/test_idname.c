/* SPDX-License-Identifier: Apache-2.0
 * Names that make a column an id column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coord/idname.h"

static tg_id_role role_of(const char *name)
{
    return tg_id_role_of(name, strlen(name));
}

/* Each spelling that users rely on, as written, in capitals and with underscores. */
static void knows_every_spelling(void **state)
{
    static const char *const spellings[3][8] = {
        {"run", "runnumber", "runnum", "runnr"},
        {"luminosityblock", "lumi", "lumiblock", "lumiblocknum", "lumisection", "ls", "subrun"},
        {"event", "eventnumber", "eventnum", "evtnumber", "evtnum", "evt"},
    };

    (void)state;
    for (int role = 0; role < 3; role++)
        for (int i = 0; i < 8 && spellings[role][i]; i++) {
            const char *name = spellings[role][i];
            char changed[64];
            size_t n = 0;
            assert_int_equal(role_of(name), role);
            for (const char *c = name; *c; c++) {
                changed[n++] = (char)(*c - 'a' + 'A');
                changed[n++] = '_';
            }
            assert_int_equal(tg_id_role_of(changed, n), role);
            assert_non_null(strstr(tg_id_role_spellings((tg_id_role)role), name));
        }
}

/* Names as the experiments write them. */
static void knows_the_names_of_the_experiments(void **state)
{
    (void)state;
    assert_int_equal(role_of("luminosityBlock"), TG_ROLE_LUMI); /* NanoAOD */
    assert_int_equal(role_of("runNumber"), TG_ROLE_RUN);        /* LHCb */
    assert_int_equal(role_of("EvtNum"), TG_ROLE_EVENT);         /* treemaker */
    assert_int_equal(role_of("run_number"), TG_ROLE_RUN);
    assert_int_equal(role_of("EventInfoAuxDyn.runNumber"), TG_ROLE_RUN); /* PHYSLITE */
    assert_int_equal(role_of("EventInfoAuxDyn.eventNumber"), TG_ROLE_EVENT);
    assert_int_equal(role_of("EventInfoAux./EventInfoAux.lumiBlock"), TG_ROLE_LUMI); /* older xAOD */
    assert_int_equal(role_of("some/path/EventInfo.eventNumber"), TG_ROLE_EVENT);
    assert_int_equal(role_of("EventInfo./AuxDyn.runNumber"), TG_ROLE_RUN);
    assert_int_equal(role_of("McEventInfo/eventNumber"), TG_ROLE_EVENT);
    assert_int_equal(role_of("EventInfo_runNumber"), TG_ROLE_RUN);
}

/* What only looks like one is none. */
static void leaves_other_names_alone(void **state)
{
    static const char *const others[] = {"",
                                         "_",
                                         ".",
                                         "/",
                                         "runs",
                                         "eventWeight",
                                         "mcEventNumber",
                                         "EventInfo",
                                         "EventInfoAux.",
                                         "EventInfoAuxDyn.",
                                         "EventInfoAuxDyn.mcEventNumber",
                                         "EventInfoAuxDyn.RandomRunNumber",
                                         "EventHeader.eventNumber",
                                         "jet.run",
                                         "Muon_event",
                                         "run, runnumber",
                                         ", ",
                                         "eventinfoaux"};

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(role_of(others[i]), TG_ROLE_NONE);
}

/* A name of any length is safe; only its end tells. */
static void takes_names_of_any_length(void **state)
{
    char name[300];

    (void)state;
    memset(name, 'x', sizeof name);
    for (size_t n = 0; n <= sizeof name; n++)
        assert_int_equal(tg_id_role_of(name, n), TG_ROLE_NONE);
    memcpy(name + sizeof name - 19, "EventInfo.runNumber", 19);
    assert_int_equal(tg_id_role_of(name, sizeof name), TG_ROLE_RUN);
}

/* Roles and their names are the same list both ways. */
static void names_roles_both_ways(void **state)
{
    (void)state;
    assert_string_equal(tg_id_role_name(TG_ROLE_RUN), "run");
    assert_string_equal(tg_id_role_name(TG_ROLE_LUMI), "lumi");
    assert_string_equal(tg_id_role_name(TG_ROLE_EVENT), "event");
    assert_string_equal(tg_id_role_name(TG_ROLE_NONE), "");
    for (int role = TG_ROLE_RUN; role <= TG_ROLE_NONE; role++)
        assert_int_equal(tg_id_role_named(tg_id_role_name((tg_id_role)role)), role);
    assert_int_equal(tg_id_role_named("EVENT"), TG_ROLE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_every_spelling),     cmocka_unit_test(knows_the_names_of_the_experiments),
        cmocka_unit_test(leaves_other_names_alone), cmocka_unit_test(takes_names_of_any_length),
        cmocka_unit_test(names_roles_both_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
