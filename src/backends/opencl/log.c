/* Build logs whose places are lines of the whole text. NVIDIA's compiler does not follow #line: it
 * says "<kernel>:1428:14" where PoCL says "blur.cl:4:14", and Oclgrind's says
 * "input.cl:1428:14". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/opencl.h"

/* The file and line that the #line directives of `text` give to its line `number`, from 1. */
static unsigned long place_of(const char *text, unsigned long number, char *name, size_t size)
{
    unsigned long here = 1;
    snprintf(name, size, "%s", "kernel");
    for (; number > 1 && text; number--) {
        char file[256];
        unsigned long line;
        int fields = sscanf(text, "#line %lu \"%255[^\"\n]\"", &line, file);
        here = fields >= 1 ? line : here + 1;
        if (fields == 2) snprintf(name, size, "%s", file);
        text = strchr(text, '\n');
        if (text) text++;
    }
    return here;
}

void opencl_place_log(const char *text, const char *whole_text, const char *log, hed_text *placed)
{
    for (const char *at; (at = strstr(log, whole_text)); log = at) {
        char name[256], *end;
        hed_text_add_bytes(placed, log, (size_t)(at - log));
        at += strlen(whole_text);
        unsigned long number = strtoul(at, &end, 10);
        unsigned long line = place_of(text, number, name, sizeof name);
        if (end == at) hed_text_add(placed, "%s", whole_text);
        else hed_text_add(placed, "%s:%lu", name, line);
        at = end;
    }
    hed_text_add(placed, "%s", log);
}
