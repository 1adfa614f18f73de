/* The objective by its word. */
#include "tunefile/objective.h"

#include "heddle/author.h"

#include <stdio.h>
#include <string.h>

hed_status hed_objective_set(hed_tune_def *def, const char *objective, hed_error *error)
{
    const char *comma = strchr(objective, ',');
    bool has_two = strcmp(objective, "time,energy") == 0 || strcmp(objective, "energy,time") == 0,
         is_energy = strncmp(objective, "energy", comma ? (size_t)(comma - objective) : 7) == 0;
    const hed_tune_metric *metric = NULL;
    char list[256] = "";
    for (uint32_t i = 0; i < def->metric_count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", %s", def->metrics[i].name);
        if (strcmp(def->metrics[i].name, objective) == 0) metric = &def->metrics[i];
    }
    if (metric && metric->uses_energy)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "metric %s uses the energy, which is measured after the search; expected a metric of the time, or time,energy",
            objective);
    if (!metric && !has_two && strcmp(objective, "time") != 0 && strcmp(objective, "energy") != 0)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "objective \"%.64s\"; expected time, energy, time,energy, energy,time%s", objective,
            def->metric_count ? list : ", or a metric of a tune file");
    def->metric = metric;
    def->two_objectives = has_two;
    def->objective = metric      ? HED_OBJECTIVE_METRIC
                     : is_energy ? HED_OBJECTIVE_ENERGY
                                 : HED_OBJECTIVE_TIME;
    return HED_OK;
}
