/* What the files of `heddle batch` share. A batch is a list of commands of heddle's, each with one
 * result; the leader hands them out, and for each device there is a hand, a process that runs them
 * one after the other as children. Leader and hands speak in lines over a stream: a socket, ssh, or
 * what heddle-mpi forwards. */
#ifndef HED_CLI_BATCH_H
#define HED_CLI_BATCH_H

#include "cli/common/command.h"

#include <stdio.h>

/* ---- lines of fields (line.c): of the protocol, and of the journal ---- */

/* Maximum bytes of a line. Lines and fields grow up to it; a longer line is refused. */
enum { BATCH_LINE_LIMIT = 16 << 20 };
/* Maximum bytes of a job's words, so that its line stays within the limit though all are escaped. */
enum { BATCH_WORDS_LIMIT = 4 << 20 };

/* Fields of a line. */
typedef struct batch_fields {
    const char **items; /* (capacity), of which `count` are used; grows */
    uint32_t count, capacity;
} batch_fields;

/* Returns the fields as one line, with tabs between and a line's end (counted by `size`); tabs, line
 * ends and backslashes in them are escaped. Released with free(). NULL: longer than
 * BATCH_LINE_LIMIT, or out of memory. */
char *batch_line_make(const char *const *fields, uint32_t count, size_t *size);
/* Splits a line (without its end) in place; the fields point into it. false: out of memory. */
bool batch_line_take(char *line, batch_fields *fields);

/* Lines that are read from a descriptor. */
typedef struct batch_stream {
    int descriptor;
    char *bytes; /* (capacity), read and not yet taken: [begin, size) */
    size_t begin, size, capacity;
    batch_fields fields; /* fields of the last line */
} batch_stream;

/* Reads once, all bytes that are there. false: end of the stream, an error, or a line that is longer
 * than BATCH_LINE_LIMIT. */
bool batch_stream_fill(batch_stream *stream);
/* Takes the next whole line into `stream->fields`, valid until the next fill. Returns the number of
 * fields; 0: no line. */
uint32_t batch_stream_next(batch_stream *stream);
/* Releases the memory of a stream, not its descriptor. */
void batch_stream_free(batch_stream *stream);
/* Sends a line. false: the other end takes nothing, or the line is too long. */
bool batch_send(int descriptor, const char *const *fields, uint32_t count);
#define BATCH_SEND(descriptor, ...) \
    batch_send(descriptor, (const char *const[]){__VA_ARGS__}, \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* ---- jobs (jobs.c) ---- */

enum { BATCH_MOST_TRIES = 3 }; /* a job goes to another device twice at most */

typedef enum batch_state { BATCH_WAITING, BATCH_RUNNING, BATCH_DONE, BATCH_FAILED } batch_state;

typedef struct batch_job {
    const char *name;
    const char **words; /* (count) of the command, of which `output` is one unless it is stdout */
    uint32_t count;
    const char *output; /* relative to the list's folder, or absolute */
    bool is_stdout;     /* the result is what the command prints */
    double cost;        /* in whatever unit: more is handed out earlier */
    bool takes_device;  /* the command has --device */
    uint64_t hash;      /* of the words */
    batch_state state;
    bool before;     /* done in an earlier run */
    char again[160]; /* an earlier run has done it, and why it is done again; "": not so */
    uint32_t tries;
    uint32_t avoid; /* the hand it has failed on, + 1 */
    double seconds;
    char why[160]; /* it failed, or was tried again */
} batch_job;

typedef struct batch_list {
    struct hed_json *json; /* of the texts */
    char folder[4096];     /* of the file, absolute */
    uint64_t id;           /* hash of the path */
    uint64_t run;          /* number of this reading of the list */
    batch_job *jobs;       /* (count) */
    uint32_t *by_name;     /* (count) their numbers, in the order of the names */
    uint32_t *by_output;   /* (count) jobs in the order of their results */
    uint32_t count;
} batch_list;

/* Reads a list. Errors: IO, FORMAT, MEMORY; a command that is not understood is named with its
 * line. */
hed_status batch_list_read(const char *path, batch_list *list, hed_error *error);
void batch_list_free(batch_list *list);
/* NULL: there is none of this name. */
batch_job *batch_list_find(const batch_list *list, const char *name);
/* Removes unfinished files that an earlier run of this list has left. The caller holds its
 * journal. */
void batch_list_sweep(const batch_list *list);
/* Makes the folder of a try's unfinished files, and gives the path of the result in it. */
hed_status batch_job_begin(const batch_list *list, const batch_job *job, uint32_t index, char *part,
    size_t size, hed_error *error);
/* Moves the files of this try to where they belong, the result last; with `keep` false removes them.
 * Errors: IO (no result; a file that is another job's result), LIMIT. */
hed_status batch_job_end(
    const batch_list *list, const batch_job *job, uint32_t index, bool keep, hed_error *error);

/* Hash of a text. */
uint64_t batch_hash_text(const char *text);

/* ---- logs (logs.c) ---- */

/* Refuses logs that cannot be kept. Errors: LIMIT (a path is too long), IO (one is a symbolic link). */
hed_status batch_logs_check(const char *folder, const batch_list *list, hed_error *error);
/* Opens the log of a job, to be added to. NULL: it cannot be written, and the job runs without. */
FILE *batch_log_open(const char *folder, const batch_job *job);

/* ---- files of all jobs (outputs.c) ---- */

/* Refuses a list of which a result would replace a file that a job reads, the list itself (at
 * `path`), its journal, or another result. Errors: ARGUMENT (both names), IO (a symbolic link),
 * MEMORY. */
hed_status batch_list_check(const batch_list *list, const char *path, hed_error *error);

/* ---- digests of files (digest.c) ---- */

enum { BATCH_DIGEST = 48 };

/* Writes "SIZE:HASH" of a file's content. `tick` (nullable) is called after each piece. false: it is
 * not there, cannot be read, or is no regular file. */
bool batch_digest_file(
    const char *path, void (*tick)(void *user), void *user, char text[BATCH_DIGEST]);

/* ---- the journal (journal.c) ---- */

/* Opens PATH.journal, which one leader holds at a time, and takes over the jobs of `list` that it
 * has as done, unless their words, result or inputs have changed since: then `again` says which.
 * Errors: IO (held by another leader; it cannot be written), ARGUMENT (there are results, and
 * `resume` is not set). */
hed_status batch_journal_open(
    const char *path, batch_list *list, bool resume, int *journal, hed_error *error);

/* End of a try. */
typedef struct batch_end {
    const char *device;
    int code; /* as of batch_try */
    double begin, end;
    const char *digest;  /* hash of the result; "-": none */
    const char **inputs; /* (input_count) path and digest of each file that the command has read */
    uint32_t input_count;
} batch_end;

/* Adds an end; batch_journal_sync() makes it durable. Errors: IO, MEMORY. */
hed_status batch_journal_add(
    int journal, const batch_job *job, const batch_end *end, hed_error *error);

hed_status batch_journal_sync(int journal, hed_error *error);

/* ---- the leader (leader.c) ---- */

enum { BATCH_MOST_HANDS = 256 };

/* Where a hand is: `command` is run by /bin/sh; NULL: a socket, or this machine's device `id`. */
typedef struct batch_place {
    const char *command;
    int descriptor; /* -1: none */
    char device[128];
} batch_place;

/* One try of a job. */
typedef struct batch_try {
    uint32_t job, hand;
    double begin, end; /* seconds of the batch */
    int code;          /* exit code; < 0: minus a signal's number; BATCH_LOST */
} batch_try;

enum { BATCH_LOST = 1000 };

typedef struct batch_hand_view {
    char device[256]; /* "node7 cuda:0" */
    char doing[128];
    uint32_t done, failed;
    double busy; /* seconds */
    bool lost;
} batch_hand_view;

typedef struct batch_result {
    batch_hand_view hands[BATCH_MOST_HANDS];
    uint32_t hand_count;
    batch_try *tries; /* (try_count) released with free() */
    uint32_t try_count, try_capacity;
    double seconds;
    bool stopped;
} batch_result;

typedef struct batch_def {
    const char *title;
    batch_list *list;
    const batch_place *places;
    uint32_t place_count;
    int journal;
    const char *logs; /* folder of a log for each job */
    const char *page; /* NULL: none */
    double patience;  /* a hand that says nothing for so long is lost */
    bool quiet;
} batch_def;

/* Runs all jobs that wait. Errors: IO (the journal cannot be written: nothing more is begun),
 * MEMORY, LOST (no hand is left). The result is filled in whatever happens. */
hed_status batch_lead(const batch_def *def, batch_result *result, hed_error *error);

/* ---- the page (page.c) ---- */

hed_status batch_page_write(const batch_def *def, const batch_result *result, hed_error *error);

/* ---- a hand (hand.c) ---- */

struct hed_file_register;
/* Writes the names of the files that a command has read, each with a zero after it, into the file of
 * its hand; outside a batch it does nothing. */
void batch_tell_sources(const struct hed_file_register *files);

extern const hed_command hed_command_batch_hand, hed_command_batch_stay;

#endif
