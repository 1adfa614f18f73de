/* The part of libmicrohttpd that Heddle uses, declared from its documentation (GNU libmicrohttpd
 * 0.9.75), so that its header is not needed to build. Names and values are the library's. */
#ifndef HED_WEB_MHD_API_H
#define HED_WEB_MHD_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct MHD_Daemon;
struct MHD_Connection;
struct MHD_Response;

enum MHD_Result { MHD_NO, MHD_YES };
enum MHD_RequestTerminationCode { MHD_REQUEST_TERMINATED_COMPLETED_OK };
enum { MHD_HEADER_KIND = 1, MHD_GET_ARGUMENT_KIND = 8 }; /* MHD_ValueKind */
enum { MHD_RESPMEM_MUST_COPY = 2 };                      /* MHD_ResponseMemoryMode */
enum { MHD_USE_INTERNAL_POLLING_THREAD = 8, MHD_ALLOW_SUSPEND_RESUME = 9216 }; /* MHD_FLAG */
enum {                                                                         /* MHD_OPTION */
    MHD_OPTION_END,
    MHD_OPTION_CONNECTION_LIMIT = 2,
    MHD_OPTION_CONNECTION_TIMEOUT,
    MHD_OPTION_NOTIFY_COMPLETED,
    MHD_OPTION_SOCK_ADDR = 6
};
enum { MHD_DAEMON_INFO_BIND_PORT = 6 }; /* MHD_DaemonInfoType */
union MHD_DaemonInfo {
    uint16_t port;
    void *others;
};
enum { /* HTTP status codes */
    MHD_HTTP_OK = 200,
    MHD_HTTP_NO_CONTENT = 204,
    MHD_HTTP_BAD_REQUEST = 400,
    MHD_HTTP_UNAUTHORIZED,
    MHD_HTTP_FORBIDDEN = 403,
    MHD_HTTP_NOT_FOUND,
    MHD_HTTP_METHOD_NOT_ALLOWED,
    MHD_HTTP_CONFLICT = 409,
    MHD_HTTP_GONE,
    MHD_HTTP_CONTENT_TOO_LARGE = 413,
    MHD_HTTP_UNSUPPORTED_MEDIA_TYPE = 415,
    MHD_HTTP_SERVICE_UNAVAILABLE = 503
};

typedef enum MHD_Result mhd_handler(void *user, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *data, size_t *size, void **state);

typedef enum MHD_Result mhd_acceptor(void *user, const struct sockaddr *from, socklen_t size);

/* X(result, name without MHD_, parameters) */
#define HED_MHD_FUNCTIONS(X) \
    X(struct MHD_Daemon *, start_daemon, \
        (unsigned flags, uint16_t port, mhd_acceptor *acceptor, void *acceptor_user, \
            mhd_handler *handler, void *user, ...)) \
    X(void, stop_daemon, (struct MHD_Daemon * daemon)) \
    X(const union MHD_DaemonInfo *, get_daemon_info, (struct MHD_Daemon * daemon, int type, ...)) \
    X(struct MHD_Response *, create_response_from_buffer, (size_t size, void *bytes, int mode)) \
    X(enum MHD_Result, add_response_header, \
        (struct MHD_Response * response, const char *name, const char *value)) \
    X(enum MHD_Result, queue_response, \
        (struct MHD_Connection * connection, unsigned code, struct MHD_Response *response)) \
    X(void, destroy_response, (struct MHD_Response * response)) \
    X(const char *, lookup_connection_value, \
        (struct MHD_Connection * connection, int kind, const char *name)) \
    X(void, suspend_connection, (struct MHD_Connection * connection)) \
    X(void, resume_connection, (struct MHD_Connection * connection))

#define HED_MHD_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct hed_mhd_api {
    HED_MHD_FUNCTIONS(HED_MHD_MEMBER)
} hed_mhd_api;
#undef HED_MHD_MEMBER

#endif
