/* libFuzzer harness for PNG files: any bytes, and the same bytes with checksums that fit, which no
 * fuzzer would find. A picture that is read is written and read again as it was. */
#include <zlib.h>

#include "fuzz.h"
#include "support/png.h"

enum { SIGNATURE = 8, BESIDES = 12, MOST_SIDE = 1024 }; /* BESIDES: of a chunk, its data aside */

static uint32_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Sets the checksum of each chunk that is whole. */
static void set_checksums(char *bytes, size_t size)
{
    for (size_t at = SIGNATURE; at + BESIDES <= size;) {
        uint64_t length = big_endian(bytes + at);
        if (length > size - at - BESIDES) return;
        uint32_t sum = (uint32_t)crc32(0, (const Bytef *)bytes + at + 4, (uInt)length + 4);
        for (int i = 0; i < 4; i++)
            bytes[at + 8 + length + (size_t)i] = (char)(sum >> (24 - 8 * i));
        at += length + BESIDES;
    }
}

static void decode(const char *bytes, size_t size)
{
    hed_image image, again;
    hed_error error = {0};
    uint8_t *written;
    size_t written_size;
    if (hed_png_decode("fuzz.png", bytes, size, &image, &error)) {
        must(error.text[0] && !image.pixels);
        return;
    }
    must(hed_png_encode(&image, &written, &written_size, &error) == HED_OK);
    must(hed_png_decode("again.png", written, written_size, &again, &error) == HED_OK);
    must(image.width == again.width && image.height == again.height);
    must(image.channels == again.channels);
    must(!memcmp(image.pixels, again.pixels, (size_t)image.width * image.height * image.channels));
    free(written);
    hed_image_free(&image);
    hed_image_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_copy(data, size);
    bool small =
        size < 24 || (big_endian(bytes + 16) <= MOST_SIDE && big_endian(bytes + 20) <= MOST_SIDE);
    if (small) {
        decode(bytes, size);
        set_checksums(bytes, size);
        decode(bytes, size);
    }
    free(bytes);
    return 0;
}
