/* Owner of a connection over the loopback address, from the kernel's tables of sockets (proc(5),
 * /proc/net/tcp and tcp6): any user of the machine may connect to a port of it. */
#include "web/web.h"

#include <stdio.h>
#include <unistd.h>

/* Finds the socket that connects port `from` to port `to` in one table; false if it is missing. */
static bool find_owner(const char *table, unsigned from, unsigned to, uid_t *owner)
{
    FILE *file = fopen(table, "re");
    char line[512];
    bool is_found = false;
    while (file && !is_found && fgets(line, sizeof line, file)) {
        unsigned local, remote, uid;
        /* sl local:port remote:port st tx:rx tr:when retransmits uid */
        is_found = sscanf(line, "%*u: %*[0-9A-F]:%x %*[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %u",
                       &local, &remote, &uid) == 3 &&
                   local == from && remote == to;
        if (is_found) *owner = (uid_t)uid;
    }
    if (file) fclose(file);
    return is_found;
}

bool hed_web_caller_may(unsigned from, unsigned to)
{
    uid_t owner;
    if (!find_owner("/proc/net/tcp", from, to, &owner) &&
        !find_owner("/proc/net/tcp6", from, to, &owner))
        return true; /* a container's connection: only the token protects */
    return owner == 0 || owner == geteuid();
}
