/* Interfaces between the files of `heddle batch`. A batch is a list of heddle's commands, each with
 * one result. The leader distributes them; each device has a hand, a process that runs commands one
 * after another as children. Leader and hands exchange lines over a stream: a socket, ssh, or a
 * connection forwarded by heddle-mpi. */
#ifndef HED_CLI_BATCH_H
#define HED_CLI_BATCH_H

#include "cli/common/command.h"
#include "support/fields.h"

#include <stdio.h>

/* ---- lines of fields (line.c), for the protocol and the journal ---- */

/* Maximum bytes of a line. Lines and fields grow up to it; a longer line is rejected. */
enum { BATCH_LINE_LIMIT = 16 << 20 };
/* Maximum bytes of a job's words: its line is within the limit even if all are escaped. */
enum { BATCH_WORDS_LIMIT = 4 << 20 };

/* Fields of a line. */
typedef struct batch_fields {
    const char **items; /* (capacity), `count` of them used; grows */
    uint32_t count, capacity;
} batch_fields;

/* Joins fields to a line: tabs between them, a newline at the end (counted in `size`); tabs,
 * newlines and backslashes in fields are escaped. Free it with free(). NULL if the line exceeds
 * BATCH_LINE_LIMIT, or memory is short. */
char *batch_line_make(const char *const *fields, uint32_t count, size_t *size);
/* Splits a line (without its newline) in place; the fields point into it. Returns false if memory
 * is short. */
bool batch_line_take(char *line, batch_fields *fields);

/* Reader of lines from a descriptor. */
typedef struct batch_stream {
    int descriptor;
    char *bytes; /* (capacity); unread: [begin, size) */
    size_t begin, size, capacity;
    batch_fields fields; /* fields of the last line */
} batch_stream;

/* Reads all available bytes once. Returns false at the end of the stream, after an error, or if a
 * line exceeds BATCH_LINE_LIMIT. */
bool batch_stream_fill(batch_stream *stream);
/* Parses the next complete line into `stream->fields`, valid until the next fill. Returns the
 * number of fields; 0 if there is no complete line. */
uint32_t batch_stream_next(batch_stream *stream);
/* Frees the memory of a stream, not its descriptor. */
void batch_stream_free(batch_stream *stream);
/* Sends a line. Returns false if the other end accepts no data, or the line is too long. */
bool batch_send(int descriptor, const char *const *fields, uint32_t count);
#define BATCH_SEND(descriptor, ...) \
    batch_send(descriptor, (const char *const[]){__VA_ARGS__}, \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* ---- jobs (jobs.c) ---- */

enum { BATCH_MOST_TRIES = 3 }; /* maximum number of attempts at a job, on different devices */

typedef enum batch_state { BATCH_WAITING, BATCH_RUNNING, BATCH_DONE, BATCH_FAILED } batch_state;

typedef struct batch_job {
    const char *name;
    /* (count) words of the command; one of them is `output`, unless the result is stdout */
    const char **words;
    uint32_t count;
    const char *output; /* relative to the list's folder, or absolute */
    bool is_stdout;     /* the result is the command's output */
    double cost;        /* cost in any unit: costlier jobs are started earlier */
    bool takes_device;  /* the command has --device */
    bool is_short;      /* takes milliseconds: a resident process does several */
    uint32_t bytes;     /* bytes of the words */
    uint64_t hash;      /* hash of the words */
    batch_state state;
    bool before; /* done in an earlier run */
    char repeat_reason
        [160]; /* reason why a job done in an earlier run is done again; "": not the case */
    uint32_t tries;
    uint32_t
        launches;   /* times that it was sent to a hand; > tries if it came back before it began */
    uint32_t avoid; /* 1 + index of the hand on which it has failed */
    double seconds;
    char failure[160]; /* reason of a failure or another attempt */
} batch_job;

typedef struct batch_list {
    struct hed_json *json; /* owner of the texts */
    char folder[4096];     /* absolute folder of the file */
    uint64_t id;           /* hash of the path */
    uint64_t run;          /* random number of this reading of the list */
    batch_job *jobs;       /* (count) */
    uint32_t *by_name;     /* (count) job indices, sorted by name */
    uint32_t *by_output;   /* (count) job indices, sorted by result */
    uint32_t count;
} batch_list;

/* Keys of a list and of a job (jobs_keys.c). */
extern const hed_fields batch_list_fields, batch_job_fields;

/* Reads a list. Errors: IO, FORMAT, MEMORY; an invalid command is named with its line. */
hed_status batch_list_read(const char *path, batch_list *list, hed_error *error);
void batch_list_free(batch_list *list);
/* Finds a job by name; NULL if there is no such job. */
batch_job *batch_list_find(const batch_list *list, const char *name);
/* Removes unfinished files of earlier runs of this list. The caller has locked its journal. */
void batch_list_sweep(const batch_list *list);
/* Begins an attempt: writes the path of its unfinished result to `part`, in a new folder unless the
 * result is the command's output. Errors: IO (a folder cannot be made or written), LIMIT. */
hed_status batch_job_begin(const batch_list *list, batch_job *job, uint32_t index, char *part,
    size_t size, hed_error *error);
/* Moves the files of an attempt to their destinations, the result last; removes them if `keep` is
 * false. Errors: IO (no result; a file that is another job's result), LIMIT. */
hed_status batch_job_end(
    const batch_list *list, const batch_job *job, uint32_t index, bool keep, hed_error *error);

/* Hash of a text. */
uint64_t batch_hash_text(const char *text);

/* ---- logs (logs.c) ---- */

/* Rejects logs that cannot be written. Errors: LIMIT (a path is too long), IO (a path is a symbolic
 * link). */
hed_status batch_logs_check(const char *folder, const batch_list *list, hed_error *error);
/* Opens the log of a job for appending. NULL: it cannot be written, and the job runs without a
 * log. */
FILE *batch_log_open(const char *folder, const batch_job *job);

/* ---- files of all jobs (outputs.c) ---- */

/* Rejects a list with a result that would replace a file that a job reads, the list itself (at
 * `path`), its journal, or another result. Errors: ARGUMENT (both names), IO (a symbolic link),
 * MEMORY. */
hed_status batch_list_check(const batch_list *list, const char *path, hed_error *error);

/* Rejects a result whose name is that of a device, a pipe or a socket: the rename that ends a job
 * would replace it by a file. Errors: ARGUMENT. */
hed_status batch_result_check(const char *path, hed_error *error);

/* ---- digests of files (digest.c) ---- */

enum { BATCH_DIGEST = 48 };

/* Writes "SIZE:HASH" of a file's content. `tick` (nullable) is called after each piece. Returns
 * false if the file is missing, unreadable or not a regular file. */
bool batch_digest_file(
    const char *path, void (*tick)(void *user), void *user, char text[BATCH_DIGEST]);

/* ---- the journal (journal.c) ---- */

/* Opens and locks PATH.journal, and marks jobs of `list` that it records as done, unless their
 * words, result or inputs have changed since: `again` then has the reason. Errors: IO (locked by
 * another leader; not writable), ARGUMENT (there are results, and `resume` is not set). */
hed_status batch_journal_open(
    const char *path, batch_list *list, bool resume, int *journal, hed_error *error);

/* End of an attempt. */
typedef struct batch_end {
    const char *device;
    int code; /* exit code, as in batch_try */
    double begin, end;
    const char *digest;  /* digest of the result; "-": no result */
    const char **inputs; /* (input_count) path and digest of each file that the command has read */
    uint32_t input_count;
} batch_end;

/* Appends an end; batch_journal_sync() makes it durable. Errors: IO, MEMORY. */
hed_status batch_journal_add(
    int journal, const batch_job *job, const batch_end *end, hed_error *error);

hed_status batch_journal_sync(int journal, hed_error *error);

/* ---- the leader (leader.c) ---- */

enum { BATCH_MOST_HANDS = 256 };

/* Location of a hand: `command` is run by /bin/sh; NULL: a socket, or device `device` of this
 * machine. */
typedef struct batch_place {
    const char *command;
    int descriptor; /* -1: not a socket */
    char device[128];
} batch_place;

/* An attempt at a job. */
typedef struct batch_try {
    uint32_t job, hand;
    double begin, end; /* s since the start of the batch */
    int code;          /* exit code; < 0: minus the number of a signal; BATCH_LOST */
} batch_try;

enum { BATCH_LOST = 1000 };

typedef struct batch_hand_view {
    char device[256]; /* "node7 cuda:0" */
    char doing[128];
    uint32_t done, failed;
    double busy; /* s */
    bool is_lost;
} batch_hand_view;

typedef struct batch_result {
    batch_hand_view hands[BATCH_MOST_HANDS];
    uint32_t hand_count;
    batch_try *tries; /* (try_count); free with free() */
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
    const char *logs; /* folder with a log of each job */
    const char *page; /* path of the page; NULL: no page */
    double patience;  /* s; a hand that is silent for longer is lost */
    bool quiet;
} batch_def;

/* Runs all waiting jobs. Errors: IO (the journal cannot be written: no further job is started),
 * MEMORY, LOST (no hand is left). The result is filled in even after an error. */
hed_status batch_lead(const batch_def *def, batch_result *result, hed_error *error);

/* ---- the page (page.c) ---- */

hed_status batch_page_write(const batch_def *def, const batch_result *result, hed_error *error);

/* ---- a hand (hand.c) ---- */

struct hed_file_register;
/* Writes the names of the files that a command has read, each followed by a zero, to its hand's
 * memory file; outside a batch it does nothing. */
void batch_report_sources(const struct hed_file_register *files);

extern const hed_command hed_command_batch_hand, hed_command_batch_stay;

#endif
