/* See line_history.h. The output of `git blame --porcelain` has for each line "ID ORIGINAL FINAL", facts
 * about the commit where it is new, and the line behind a tabulator. */
#include "cli/css/line_history.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/css/files.h"

extern char **environ;

enum { ID_LENGTH = 40 };

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Number of a commit, which is added if it is new. */
static uint32_t commit_number(css_history *h, const char *id, hed_error *error)
{
    for (uint32_t i = h->commit_count; i-- > 0;)
        if (memcmp(h->commits[i].id, id, ID_LENGTH) == 0) return i;
    h->commits = css_more(h->commits, &h->commit_room, h->commit_count, sizeof *h->commits, error);
    if (hed_failed(error)) return 0;
    h->commits[h->commit_count] = (css_commit){0};
    memcpy(h->commits[h->commit_count].id, id, ID_LENGTH);
    return h->commit_count++;
}

/* Takes one line of the output. *commit: that of the lines since the last identity. */
static void take_line(css_history *h, char *line, uint32_t *commit, hed_error *error)
{
    line[strcspn(line, "\n")] = 0;
    if (strspn(line, "0123456789abcdef") == ID_LENGTH && line[ID_LENGTH] == ' ') {
        *commit = commit_number(h, line, error);
        return;
    }
    if (!h->commit_count) return;
    css_commit *c = &h->commits[*commit];
    if (starts_with(line, "author-time ")) c->time = atoll(line + strlen("author-time "));
    if (starts_with(line, "summary "))
        snprintf(c->summary, sizeof c->summary, "%s", line + strlen("summary "));
    if (line[0] != '\t') return;
    h->lines = css_more(h->lines, &h->line_room, h->line_count, sizeof *h->lines, error);
    if (!hed_failed(error)) h->lines[h->line_count++] = *commit;
}

/* Starts git with its output in a pipe. Returns the process; -1: it did not start. */
static pid_t start_git(const char *path, FILE **output)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *const words[] = {"git", "-c", "core.fsmonitor=false", "-C", folder, "blame",
        "--porcelain", "--no-textconv", "--", (char *)(slash ? slash + 1 : path), NULL};
    int ends[2] = {-1, -1};
    pid_t process = -1;
    posix_spawn_file_actions_t actions;
    bool ready = folder && pipe2(ends, O_CLOEXEC) == 0 && !posix_spawn_file_actions_init(&actions);
    if (ready) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (posix_spawnp(&process, words[0], &actions, NULL, words, environ)) process = -1;
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        *output = fdopen(ends[0], "r");
    }
    free(folder);
    return process;
}

hed_status css_history_read(css_history *h, const char *path, hed_error *error)
{
    FILE *output = NULL;
    char *line = NULL;
    size_t room = 0;
    uint32_t commit = 0;
    int status = 0;
    pid_t process = start_git(path, &output);
    while (output && process > 0 && !hed_failed(error) && getline(&line, &room, output) > 0)
        take_line(h, line, &commit, error);
    free(line);
    if (output) fclose(output);
    if (process > 0 && (waitpid(process, &status, 0) != process || status != 0))
        css_history_free(h);
    return hed_failed(error) ? error->status : HED_OK;
}

const css_commit *css_history_find(const css_history *h, uint32_t first, uint32_t last)
{
    const css_commit *latest = NULL;
    for (uint32_t line = first; line && line <= last && line <= h->line_count; line++) {
        const css_commit *c = &h->commits[h->lines[line - 1]];
        if (!latest || c->time > latest->time) latest = c;
    }
    return latest;
}

bool css_is_uncommitted(const css_commit *commit) { return strspn(commit->id, "0") == ID_LENGTH; }

void css_history_free(css_history *h)
{
    free(h->commits);
    free(h->lines);
    *h = (css_history){0};
}
