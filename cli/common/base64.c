/* Base64 (RFC 4648). */
#include "cli/common/base64.h"

void cli_base64_put(FILE *stream, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16;
        if (i + 1 < size) word |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < size) word |= bytes[i + 2];
        fputc(digits[word >> 18], stream);
        fputc(digits[word >> 12 & 63], stream);
        fputc(i + 1 < size ? digits[word >> 6 & 63] : '=', stream);
        fputc(i + 2 < size ? digits[word & 63] : '=', stream);
    }
}
