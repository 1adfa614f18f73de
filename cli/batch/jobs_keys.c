/* Keys of a job list: one row for each. Reading, the check of a file, the JSON schema and the table
 * of docs/scale.md are made from the rows. */
#include "batch.h"

static const char *const results[] = {"output", "stdout", NULL};
static const hed_field job_rows[] = {
    {"name", "name in messages, the journal and the page; by default the result", HED_AS_TEXT(batch_job, name)},
    {"run", "command of heddle, without that word", HED_AS_OTHER("words", NULL), .required = true},
    {"output", "file that the command writes, one of its words", HED_AS_TEXT(batch_job, output)},
    {"stdout", "file for what the command prints", HED_AS_TEXT(batch_job, output)},
    {"cost", "jobs of a higher one start earlier; in any unit, 1 by default",
        HED_AS_NUMBER(batch_job, cost, 0, 1e12, NULL)},
    {0}};
const hed_fields batch_job_fields = {"job",
    "command of heddle, and the one file that is its result", .rows = job_rows, .one_of = results};

static const hed_field list_rows[] = {{"$schema", "for editors", .kind = HED_FIELD_TEXT},
    {"jobs", "jobs, in no order", HED_AS_LIST(&batch_job_fields, 0, UINT32_MAX, NULL), .required = true},
    {0}};
const hed_fields batch_list_fields = {"", NULL, .rows = list_rows};

static const hed_form forms[] = {
    {"words", "list of texts", "'type': 'array', 'minItems': 1, 'items': {'type': 'string'}"}, {0}};
static const hed_fields *const tables[] = {&batch_list_fields, &batch_job_fields, NULL};
const hed_document batch_list_document = {"Heddle job list",
    "Commands of heddle for the devices of one or several machines: heddle batch FILE. Paths are relative to the file.",
    tables, forms};
