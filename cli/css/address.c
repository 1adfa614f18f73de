/* See address.h. */
#include "cli/css/address.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- parts of an address ---- */

static bool is_outer_space(char c) { return c && (unsigned char)c <= ' '; }

/* Copies an address without white space around it, and without tabs and line breaks inside. */
static char *address_trim(const char *address)
{
    size_t length;
    while (is_outer_space(*address)) address++;
    length = strlen(address);
    while (length && is_outer_space(address[length - 1])) length--;
    char *copy = malloc(length + 1), *to = copy;
    for (size_t i = 0; copy && i < length; i++)
        if (!strchr("\t\n\r", address[i])) *to++ = address[i];
    if (copy) *to = 0;
    return copy;
}

/* Length of the scheme with its colon, as "file:"; 0: the address is relative. */
static size_t scheme_length(const char *address)
{
    size_t length = 0;
    char first = address[0] | 32;
    if (first < 'a' || first > 'z') return 0;
    while (address[length] &&
           (strchr("+-.", address[length]) || (address[length] >= '0' && address[length] <= '9') ||
               ((address[length] | 32) >= 'a' && (address[length] | 32) <= 'z')))
        length++;
    return address[length] == ':' ? length + 1 : 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %20 and the like in place. Returns the length; a decoded zero is not the end. */
static size_t percent_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool escape = *from == '%' && hex_digit(from[1]) >= 0 && hex_digit(from[2]) >= 0;
        *to++ = escape ? (char)(hex_digit(from[1]) * 16 + hex_digit(from[2])) : *from;
        from += escape ? 2 : 0;
    }
    *to = 0;
    return (size_t)(to - text);
}

/* Removes "." and each name before "..", as the URL Living Standard specifies: without reading
 * links. */
static void fold_dots(char *path)
{
    char *to = path, *first = path[0] == '/' ? path + 1 : path;
    for (const char *from = path; *from;) {
        size_t length = strcspn(from, "/");
        bool up = length == 2 && strncmp(from, "..", 2) == 0, is_dot = length == 1 && *from == '.';
        char *last = to;
        while (last > first && (last == to || last[-1] != '/')) last--;
        bool removes = up && last < to && strncmp(last, "../", 3) != 0;
        if (removes) to = last;
        length += from[length] == '/';
        if (!removes && !is_dot) {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = 0;
}

/* Joins a base and an address, both trimmed; the caller frees the result. */
static char *address_join(const char *base, const char *address)
{
    size_t scheme = base ? scheme_length(base) : 0, prefix = 0;
    bool absolute = scheme_length(address) || (address[0] == '/' && address[1] == '/');
    if (base && !absolute) {
        size_t end = strcspn(base, "?#"), host = scheme;
        if (base[host] == '/' && base[host + 1] == '/') host += 2 + strcspn(base + host + 2, "/?#");
        if (address[0] == '/') prefix = host;
        else if (!address[0] || strchr("?#", address[0])) prefix = end;
        else {
            for (prefix = end; prefix > host && base[prefix - 1] != '/';) prefix--;
        }
    }
    size_t length = strlen(address);
    char *joined = malloc(prefix + length + 2);
    if (!joined) return NULL;
    if (prefix) memcpy(joined, base, prefix);
    bool needs_slash = prefix && prefix == scheme && scheme && base[0] == '/' && address[0] != '/';
    if (needs_slash) joined[prefix++] = '/';
    memcpy(joined + prefix, address, length + 1);
    return joined;
}

/* ---- files ---- */

/* Joins the folder of the file `from` and a decoded path. False: more than `size` bytes. */
static bool join_folder(const char *from, const char *path, char *joined, size_t size)
{
    const char *slash = strrchr(from, '/');
    size_t folder = path[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - from);
    size_t length = folder + strlen(path) + 1;
    char *whole = malloc(length);
    if (!whole) return false;
    snprintf(whole, length, "%.*s%s", (int)folder, from, path);
    fold_dots(whole);
    bool fits = strlen(whole) < size && *whole;
    if (fits) strcpy(joined, whole);
    free(whole);
    return fits;
}

/* Finds `path`, which begins with a slash, in the folder of `from` or in a folder above. */
static bool find_above(const char *from, const char *path, char *result, size_t size)
{
    char folder[PATH_MAX], joined[PATH_MAX];
    if (!realpath(from, folder)) return false;
    for (char *slash; (slash = strrchr(folder, '/')); *slash = 0) {
        slash[1] = 0;
        if (!join_folder(folder, path + 1, joined, sizeof joined) || access(joined, R_OK)) continue;
        return (size_t)snprintf(result, size, "%s", joined) < size;
    }
    return false;
}

/* Removes "file:", and a host that is this machine. Returns the path; NULL: a host elsewhere. */
static char *file_path(char *address)
{
    char *path = address + strlen("file:");
    if (path[0] != '/' || path[1] != '/') return path;
    char *host = path + 2, *slash = strchr(host, '/');
    if (!slash) return NULL;
    size_t length = (size_t)(slash - host);
    return !length || (length == 9 && strncasecmp(host, "localhost", 9) == 0) ? slash : NULL;
}

/* Finds the file of a joined address, as css_address_file(); the address changes. */
static const char *address_locate(const char *from, char *address, char *path, size_t size)
{
    size_t scheme = scheme_length(address);
    bool is_file_scheme = scheme == 5 && strncasecmp(address, "file:", 5) == 0;
    address[strcspn(address, "?#")] = 0;
    for (char *c = address; *c; c++)
        if (*c == '\\') *c = '/';
    char *decoded = is_file_scheme ? file_path(address) : address;
    if (!decoded || (scheme && !is_file_scheme) || (address[0] == '/' && address[1] == '/'))
        return "it is not on this machine";
    size_t length = percent_decode(decoded);
    if (!length || strlen(decoded) != length) return "it is no file";
    bool from_root = decoded[0] == '/' && !is_file_scheme;
    if (from_root && !find_above(from, decoded, path, size))
        return "no folder above the page has it";
    return from_root || join_folder(from, decoded, path, size) ? NULL : "its path is too long";
}

const char *css_address_file(const css_origin *origin, const char *address, char *path, size_t size)
{
    char *trimmed = address_trim(address), *base = origin->base ? address_trim(origin->base) : NULL;
    char *joined = trimmed ? address_join(base, trimmed) : NULL;
    const char *reason = "out of memory";
    if (trimmed && (!*trimmed || *trimmed == '#')) reason = "it is no file";
    else if (joined) reason = address_locate(origin->file, joined, path, size);
    free(trimmed);
    free(base);
    free(joined);
    return reason;
}

bool css_absolute(const char *path, char *absolute, size_t size)
{
    char folder[PATH_MAX];
    if (path[0] != '/' && !getcwd(folder, sizeof folder - 1)) return false;
    if (path[0] != '/') strcat(folder, "/");
    return join_folder(path[0] == '/' ? "/" : folder, path, absolute, size);
}

void css_relative(const char *from, const char *path, char *relative, size_t size)
{
    char folder[PATH_MAX], base[PATH_MAX], target[PATH_MAX];
    const char *slash = strrchr(from, '/');
    snprintf(
        folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - from) : 2, slash ? from : "./");
    if (!realpath(folder, base) || !realpath(path, target)) {
        snprintf(relative, size, "%s", path);
        return;
    }
    size_t common = 0, used = 0;
    for (size_t i = 0; base[i] == target[i] || (!base[i] && target[i] == '/'); i++) {
        if (target[i] == '/') common = i + 1;
        if (!base[i] || !target[i]) break;
    }
    relative[0] = 0;
    if (common <= strlen(base)) {
        used += (size_t)snprintf(relative, size, "../");
        for (const char *c = base + common; *c; c++)
            if (*c == '/' && used < size)
                used += (size_t)snprintf(relative + used, size - used, "../");
    }
    if (used < size) snprintf(relative + used, size - used, "%s", target + common);
}

/* ---- texts ---- */

bool css_address_is_data(const char *address)
{
    while (is_outer_space(*address)) address++;
    return strncasecmp(address, "data:", 5) == 0;
}

/* Decodes base 64 in place, without white space. False: it is damaged. */
static bool base64_decode(char *text, size_t *length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0, count = 0;
    char *to = text;
    for (const char *from = text, *end = text + *length; from < end; from++) {
        const char *digit = *from ? strchr(digits, *from) : NULL;
        if (*from == '=' || is_outer_space(*from)) continue;
        if (!digit) return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (++count % 4 == 1) continue;
        *to++ = (char)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    }
    *to = 0;
    *length = (size_t)(to - text);
    return true;
}

hed_status css_address_data(
    const char *address, char **text, size_t *length, char *label, size_t size, hed_error *error)
{
    char *copy = address_trim(address);
    if (!copy) return HED_OUT_OF_MEMORY(error, "a sheet in an address");
    char *comma = strchr(copy, ',');
    label[0] = 0;
    if (!comma) {
        free(copy);
        return hed_fail(error, HED_ERROR_FORMAT, "address \"data:\" has no comma");
    }
    *comma = 0;
    const char *charset = strcasestr(copy, ";charset=");
    if (charset) {
        charset += strlen(";charset=");
        snprintf(label, size, "%.*s", (int)strcspn(charset, ";"), charset);
    }
    size_t head = strlen(copy);
    bool base64 = head >= 7 && strcasecmp(copy + head - 7, ";base64") == 0;
    char *data = comma + 1;
    data[strcspn(data, "#")] = 0;
    *length = percent_decode(data);
    if (base64 && !base64_decode(data, length)) {
        free(copy);
        return hed_fail(error, HED_ERROR_FORMAT, "address \"data:\" has damaged base 64");
    }
    memmove(copy, data, *length + 1);
    *text = copy;
    return HED_OK;
}
