/* Base64 (RFC 4648), for files embedded in pages and pictures. */
#ifndef HED_CLI_COMMON_BASE64_H
#define HED_CLI_COMMON_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes `size` bytes as base64, without line breaks. */
void cli_base64_put(FILE *stream, const uint8_t *bytes, size_t size);

#endif
