/* Check of absolute URLs: texts on which the parser of the URL Living Standard, without a base,
 * does not fail. Non-ASCII hosts are assumed to have an ASCII form. */
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "names.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    c = css_ascii_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* ---- hosts ---- */

/* True if a text, without brackets, is an IPv6 address: up to eight groups, "::" once, and a last
 * IPv4 part. */
static bool is_ipv6(const char *at, const char *end)
{
    int groups = 0;
    bool gap = false;
    if (end - at >= 2 && at[0] == ':' && at[1] == ':') {
        gap = true;
        at += 2;
    } else if (at < end && *at == ':') return false;
    while (at < end) {
        const char *from = at;
        while (at < end && at - from < 4 && hex_value(*at) >= 0) at++;
        if (at < end && *at == '.') { /* an IPv4 address is two groups */
            int parts = 0;
            for (at = from;; at++) {
                const char *part = at;
                int value = 0;
                while (at < end && is_digit(*at) && at - part < 3)
                    value = value * 10 + (*at++ - '0');
                if (at == part || value > 255 || (at - part > 1 && *part == '0')) return false;
                if (++parts == 4 || at == end || *at != '.') break;
            }
            groups += 2;
            return at == end && parts == 4 && (gap ? groups < 8 : groups == 8);
        }
        if (at == from) return false;
        groups++;
        if (at == end) break;
        if (*at++ != ':') return false;
        if (at < end && *at == ':') {
            if (gap) return false;
            gap = true;
            at++;
        } else if (at == end) return false;
    }
    return gap ? groups < 8 : groups == 8;
}

/* False if the last part of a host is a number, but the host is no IPv4 address. */
static bool ipv4_fits(const char *host, size_t length)
{
    const char *end = host + length, *last = end;
    if (length && end[-1] == '.') end--;
    for (last = end; last > host && last[-1] != '.'; last--) {}
    size_t digits = 0;
    while (last + digits < end && is_digit(last[digits])) digits++;
    bool hex = end - last >= 2 && last[0] == '0' && css_ascii_lower(last[1]) == 'x';
    for (const char *c = last + 2; hex && c < end; c++) hex = hex_value(*c) >= 0;
    if (last == end || (last + digits < end && !hex)) return true;
    double values[4];
    int parts = 0;
    for (const char *part = host; part <= end; parts++) {
        const char *stop = memchr(part, '.', (size_t)(end - part));
        int base = 10;
        double value = 0;
        if (!stop) stop = end;
        if (parts == 4 || stop == part) return false;
        if (stop - part >= 2 && part[0] == '0') {
            base = css_ascii_lower(part[1]) == 'x' ? 16 : 8;
            part += base == 16 ? 2 : 1;
        }
        for (; part < stop; part++) {
            int digit = hex_value(*part);
            if (digit < 0 || digit >= base) return false;
            value = value * base + digit;
        }
        values[parts] = value;
        part = stop + 1;
    }
    double limit = 256;
    for (int i = 0; i < parts - 1; i++)
        if (values[i] > 255) return false;
    for (int i = parts; i < 4; i++) limit *= 256;
    return values[parts - 1] < limit;
}

/* True if a text is a host. The browsers in the tests escape a space, where the standard fails. */
static bool is_host(const char *at, const char *end, bool special)
{
    static const char forbidden[] = "#/:<>?@[\\]^|";
    char host[512];
    size_t length = 0;
    if (at < end && *at == '[') return end[-1] == ']' && is_ipv6(at + 1, end - 1);
    if (at == end) return !special;
    for (; at < end; at++) {
        char c = *at;
        if (special && c == '%' && end - at > 2 && hex_value(at[1]) >= 0 && hex_value(at[2]) >= 0) {
            c = (char)(hex_value(at[1]) * 16 + hex_value(at[2]));
            at += 2;
        } else if (special && c == '%') return false;
        if (c == 0 || strchr(forbidden, c) || (c == ' ' && !special) ||
            (special && ((unsigned char)c < 32 || c == 127 || c == '%')))
            return false;
        if (length == sizeof host)
            memmove(host, host + 1, --length); /* keep the end: only the last part matters */
        host[length++] = c;
    }
    return !special || ipv4_fits(host, length);
}

/* ---- URLs ---- */

bool css_is_url(const char *text, size_t length)
{
    static const char *const specials[] = {"http", "https", "ws", "wss", "ftp", "file"};
    const char *end = text + length, *at = text;
    bool special = false, file = false;
    if (!length || css_ascii_lower(*at) < 'a' || css_ascii_lower(*at) > 'z') return false;
    while (at < end &&
           (is_digit(*at) || (css_ascii_lower(*at) >= 'a' && css_ascii_lower(*at) <= 'z') ||
               *at == '+' || *at == '-' || *at == '.'))
        at++;
    if (at == end || *at != ':') return false;
    for (size_t i = 0; i < HED_COUNT(specials); i++) {
        size_t k = 0;
        while (text + k < at && css_ascii_lower(text[k]) == specials[i][k]) k++;
        if (text + k == at && !specials[i][k]) {
            special = true;
            file = i == HED_COUNT(specials) - 1;
        }
    }
    at++;
    int slashes = 0;
    while (
        at < end && (*at == '/' || (special && *at == '\\')) && (slashes < 2 || (special && !file)))
        slashes++, at++;
    if (!special && slashes < 2) return true; /* a path */
    if (file && slashes < 2) return true;
    const char *stop = at, *host = at, *port = NULL;
    while (
        stop < end && *stop != '/' && *stop != '?' && *stop != '#' && !(special && *stop == '\\'))
        stop++;
    if (file) return at == stop || is_host(at, stop, true);
    for (const char *c = at; c < stop; c++)
        if (*c == '@') host = c + 1;
    bool bracket = false;
    for (const char *c = host; c < stop && !port; c++) {
        if (*c == '[') bracket = true;
        if (*c == ']') bracket = false;
        if (*c == ':' && !bracket) port = c;
    }
    if (host > at && host == stop) return false; /* a user and no host */
    const char *host_end = port ? port : stop;
    if (host == host_end && (special || port)) return false;
    double number = 0;
    for (const char *c = port ? port + 1 : stop; c < stop; c++) {
        if (!is_digit(*c)) return false;
        number = number * 10 + (*c - '0');
    }
    return number <= 65535 && is_host(host, host_end, special);
}
