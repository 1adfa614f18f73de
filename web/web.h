/* Shared declarations of the server, of the runner that uses it, and of their messages.
 *
 * The protocol, version HED_WEB_VERSION: the page introduces itself (POST /api/hello) and gets a
 * session; it requests messages (GET /api/next), and the reply is delayed until there are some; it
 * replies to each message that has an id (POST /api/result). Contents of arguments are separate
 * bytes (GET /api/data/ARGUMENT/first and /expected, POST /api/output). */
#ifndef HED_WEB_WEB_H
#define HED_WEB_WEB_H

#include <pthread.h>

#include "heddle/author.h"
#include "heddle/web.h"
#include "web/mhd_api.h"

enum {
    HED_WEB_VERSION = 1,
    HED_WEB_MOST_BODY = 1 << 20, /* bytes of a JSON body */
    HED_WEB_MOST_OWN = 64 << 20, /* the same for a page of the program's own */
    HED_WEB_MOST_WAITING = 256,  /* replies of the page that have not been read yet */
    HED_WEB_TEXT = 256,
    HED_WEB_SAMPLES = 32, /* times of one candidate in one reply */
    HED_WEB_BATCH = 16    /* candidates in one reply */
};

/* Times in s: silence after which a page counts as closed; delay after which a request for messages
 * gets an empty reply; time to wait for a new page. */
#define HED_WEB_SILENCE 6.0
#define HED_WEB_POLL 1.0
#define HED_WEB_PATIENCE 20.0
/* Time that a restarted browser may need on a busy machine, s. */
#define HED_WEB_START 90.0

/* ---- description of a page (message.c) ---- */

typedef struct hed_page {
    char agent[HED_WEB_TEXT];
    char vendor[64], architecture[64], device[128], description[HED_WEB_TEXT];
    bool fallback;          /* adapter is software */
    bool stamps;            /* time stamps are available */
    bool halves, subgroups; /* extensions that shaders may enable: f16, subgroups */
    uint32_t widths[2];     /* least and largest width of a subgroup that a shader may set, or 0 */
    double quantum_seconds; /* step of its clock */
    double floor_seconds;   /* time of an empty submission and the wait for it */
    uint32_t max_group, max_group_size[3], max_groups, local_bytes;
    uint32_t max_storage_buffers, max_uniform_buffers, max_bind_groups;
    uint64_t max_buffer, max_binding;
    char error[HED_WEB_TEXT]; /* reason why it cannot run kernels; "": it can */
} hed_page;

/* Copies a text of a page to `size` bytes, at least 32. A longer text is cut and ends with "~" and
 * the hash of the whole, so that different browsers and devices have different keys. */
void hed_web_fit(char *to, size_t size, const char *from);
/* Reads POST /api/hello as untrusted input. Errors: FORMAT, MEMORY. */
hed_status hed_page_read(const char *text, size_t size, hed_page *page, hed_error *error);

/* Result of one candidate in a reply. */
typedef struct hed_page_trial {
    hed_outcome outcome;
    double build_seconds, error;
    double samples[HED_WEB_SAMPLES];
    uint32_t count;
    char text[192];
} hed_page_trial;

typedef struct hed_page_answer {
    uint64_t id;
    bool lost; /* device lost and recreated */
    bool dead; /* device lost for good */
    hed_page_trial trials[HED_WEB_BATCH];
    uint32_t count;
} hed_page_answer;

/* Reads POST /api/result. Errors: FORMAT, MEMORY. */
hed_status hed_page_answer_read(
    const char *text, size_t size, hed_page_answer *answer, hed_error *error);

/* ---- callers (caller.c) ---- */

/* True if the connection from port `from` to port `to` of the loopback address belongs to this user
 * or to root, or if its owner is unknown. */
bool hed_web_caller_may(unsigned from, unsigned to);

/* ---- the server (server.c) ---- */

/* A queued message for the page, or a body from it. */
typedef struct hed_web_item {
    struct hed_web_item *next;
    size_t size;
    char bytes[]; /* (size + 1) ends with zero */
} hed_web_item;

typedef struct hed_web_list {
    hed_web_item *first, *last;
    uint32_t count;
} hed_web_list;

/* Contents of an argument that the page may fetch. */
typedef enum hed_web_part {
    HED_WEB_FIRST,    /* content before a run */
    HED_WEB_EXPECTED, /* correct content afterwards */
    HED_WEB_MARKS,    /* hed_runner_argument.marks */
    HED_WEB_PARTS
} hed_web_part;

typedef struct hed_web_content {
    const void *bytes[HED_WEB_PARTS]; /* NULL: no such content */
    uint64_t sizes[HED_WEB_PARTS];
} hed_web_content;

struct hed_web {
    hed_web_def def;
    hed_mhd_api mhd;
    hed_allocator allocator;
    struct MHD_Daemon *daemon;
    unsigned port; /* port of the loopback address; 0 until the daemon runs */
    char token[33], host[2][32], origin[2][48], address[128];
    hed_device *device;
    bool has_page; /* a page has introduced itself; `page` is set */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    hed_page page;
    uint32_t session;               /* session of the page; 0: no session */
    double heard;                   /* time of the page's last message, s */
    double restarted;               /* time of the browser's restart, s; 0: never */
    uint32_t revivals;              /* restarts of a browser that ended by itself */
    struct MHD_Connection *waiting; /* a suspended request for messages */
    double waiting_since;
    hed_web_list messages; /* queue to the page */
    hed_web_list answers;  /* queue from the page */
    hed_web_content contents[HED_MAX_ARGUMENTS];
    void *output; /* destination of the page's next output; NULL: no output is expected */
    uint64_t output_bytes;
    bool output_done;
};

double hed_web_now(void);
/* Puts a message, JSON, into the queue of the page. Errors: MEMORY. */
hed_status hed_web_send(hed_web *web, const char *text, size_t size, hed_error *error);
/* Returns the page's next reply, after waiting for up to 50 ms; NULL: no reply yet. Free it with
 * free(). */
hed_web_item *hed_web_receive(hed_web *web);
/* Discards queued messages and replies. */
void hed_web_forget(hed_web *web);
/* Makes the program restart the page; false: it cannot, or does not. */
bool hed_web_restart(hed_web *web);
/* Restarts a browser that has ended by itself; true: another page will connect. */
bool hed_web_revive(hed_web *web);
/* Returns the page's description; another page may replace it at any time. */
hed_page hed_web_page(hed_web *web);
/* Returns the session, 0 if the page has been silent for too long. */
uint32_t hed_web_session(hed_web *web);

#endif
