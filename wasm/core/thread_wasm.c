/* A team in WebAssembly, in place of src/base/thread.c: the caller's thread alone. Threads there
 * need shared memory and a page that is served with cross-origin isolation. */
#include "heddle/thread.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>

struct hed_team {
    hed_allocator allocator;
};

uint32_t hed_processor_count(void) { return 1; }

hed_status hed_team_create(
    const hed_allocator *allocator, uint32_t threads, hed_team **team, hed_error *error)
{
    HED_REQUIRE(team);
    *team = NULL;
    if (threads > 1)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "a team of %u threads: WebAssembly has one thread here; expected 0 or 1", threads);
    hed_team *new_team = hed_allocate(allocator, sizeof *new_team);
    if (!new_team) return HED_OUT_OF_MEMORY(error, "a team");
    new_team->allocator = allocator ? *allocator : hed_default_allocator();
    *team = new_team;
    return HED_OK;
}

void hed_team_destroy(hed_team *team)
{
    if (!team) return;
    hed_allocator allocator = team->allocator;
    hed_release(&allocator, team, sizeof *team);
}

uint32_t hed_team_size(const hed_team *team) { return team ? 1 : 0; }

void hed_team_run(
    hed_team *team, void (*function)(void *user, hed_team *team, uint32_t member), void *user)
{
    if (team && function) function(user, team, 0);
}

void hed_team_barrier(hed_team *team) {}

void hed_team_for(hed_team *team, uint64_t count, uint64_t grain,
    void (*function)(void *user, uint64_t begin, uint64_t end), void *user)
{
    if (team && function && count > 0) function(user, 0, count);
}
