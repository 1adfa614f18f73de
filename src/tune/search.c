/* Search by ask and tell. */
#include "heddle/search.h"

#include "base/error.h"

const char *hed_strategy_name(hed_strategy strategy)
{
    static const char *const names[] = {"auto", "random", "exhaustive", "local"};
    return (unsigned)strategy < HED_STRATEGY_COUNT ? names[strategy] : NULL;
}

hed_status hed_search_create(const hed_search_def *def, hed_search **search, hed_error *error)
{
    (void)def;
    *search = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "searching is not there yet");
}

void hed_search_destroy(hed_search *search)
{
    (void)search;
}

hed_status hed_search_ask(hed_search *search, hed_config *config, hed_error *error)
{
    (void)search, (void)config;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "searching is not there yet");
}

hed_status hed_search_tell(hed_search *search, const hed_config *config, double value, hed_error *error)
{
    (void)search, (void)config, (void)value;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "searching is not there yet");
}

bool hed_search_best(const hed_search *search, hed_config *config, double *value)
{
    (void)search, (void)config, (void)value;
    return false;
}

void hed_search_importance(const hed_search *search, double *shares)
{
    (void)search, (void)shares;
}
