/* Encodings of texts: labels, tables, UTF-16, what is damaged. */
#include "support/encoding.h"
#include "testing.h"

TestSuite(encoding);

/* Decodes bytes; the text must be `expected`, and encode to `back` (NULL: the bytes again). */
static void decodes(const char *label, const char *bytes, size_t size, const char *expected,
    const char *back, size_t back_size)
{
    const hed_encoding *encoding = hed_encoding_find(label, strlen(label));
    hed_error error = {0};
    CHECK(encoding != NULL, "%s", label);
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = 0;
    size_t length = size;
    OK(hed_encoding_decode(encoding, "text", &text, &length, &error));
    CHECK_TEXT(text, expected);
    CHECK_EQ(length, strlen(expected));
    OK(hed_encoding_encode(encoding, "text", &text, &length, &error));
    CHECK_EQ(length, back ? back_size : size);
    CHECK_BYTES(text, back ? back : bytes, length);
    free(text);
}

Test(encoding, labels)
{
    static const char *const labels[][2] = {{"UTF-8", "UTF-8"}, {" latin1\n", "windows-1252"}, {"ISO-8859-1", "windows-1252"},
        {"us-ascii", "windows-1252"}, {"iso-8859-9", "windows-1254"}, {"cp1251", "windows-1251"}, {"SJIS", "Shift_JIS"},
        {"utf-16", "UTF-16LE"}, {"unicodefffe", "UTF-16BE"}};
    for (size_t i = 0; i < HED_COUNT(labels); i++)
        CHECK_TEXT(hed_encoding_find(labels[i][0], strlen(labels[i][0]))->name, labels[i][1]);
    static const char *const none[] = {"", " ", "latin", "latin1 utf-8",
        "a-label-that-is-longer-than-any-label-of-the-standard-and-fits-nothing"};
    for (size_t i = 0; i < HED_COUNT(none); i++)
        CHECK_NULL(hed_encoding_find(none[i], strlen(none[i])));
}

Test(encoding, tables)
{
    decodes("iso-8859-1", "a\200\344\237", 4, "a\342\202\254\303\244\305\270", NULL, 0);
    decodes("windows-1251", "\344\270", 2, "\320\264\321\221", NULL, 0);
    decodes("windows-1253", "\344\322", 2, "\316\264\357\277\275", "\344?", 2); /* 0xd2 has no character */
    decodes("koi8-u", "\256\276", 2, "\321\236\320\216", NULL, 0);
    for (const hed_encoding *e = hed_encodings; e->name; e++)
        for (int i = 0; e->table && i < 128; i++)
            for (int k = 0; k < i && e->table[i]; k++)
                CHECK_NE(e->table[i], e->table[k], "%s, bytes %d and %d", e->name, i, k);
}

Test(encoding, utf_16)
{
    decodes("utf-16le", "\344\000\075\330\000\336", 6, "\303\244\360\237\230\200", NULL, 0);
    decodes("utf-16be", "\000\344\330\075\336\000", 6, "\303\244\360\237\230\200", NULL, 0);
    decodes("utf-16le", "\075\330a\000\000", 5, "\357\277\275a\357\277\275", "\375\377a\000\375\377", 6); /* half of a pair, half of a unit */
}

Test(encoding, utf_8)
{
    static const char *const damaged[] = {"\344", "\303", "a\200", "\300\200", "\340\200\200",
        "\355\240\200", "\364\220\200\200", "\370\210\200\200\200"};
    for (size_t i = 0; i < HED_COUNT(damaged); i++)
        CHECK(!hed_is_utf8(damaged[i], strlen(damaged[i])), "%zu", i);
    static const char *const valid[] = {"", "abcdefghij", "abcdefg\303\244bcdefghi", "\357\277\275",
        "\360\220\200\200", "\364\217\277\277"};
    for (size_t i = 0; i < HED_COUNT(valid); i++)
        CHECK(hed_is_utf8(valid[i], strlen(valid[i])), "%zu", i);
    size_t mark;
    CHECK_TEXT(hed_encoding_of_mark("\357\273\277a", 4, &mark)->name, "UTF-8");
    CHECK_EQ(mark, 3);
    CHECK_TEXT(hed_encoding_of_mark("\376\377", 2, &mark)->name, "UTF-16BE");
    CHECK_NULL(hed_encoding_of_mark("\357\273", 2, &mark));
    CHECK_EQ(mark, 0);
}
