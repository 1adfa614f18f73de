/* What arrays are filled with: NumPy's files, byte by byte, and generators, which give the same on
 * every machine. */
#include "testing.h"

#include <math.h>

#include "tunefile/tunefile_data.h"

static hed_error error;

/* ---- npy ---- */

/* A file of version `major`.0 with this header and so many bytes behind it. */
static size_t make_file(unsigned char *file, int major, const char *header, size_t data)
{
    size_t length = strlen(header), from = major == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)major;
    file[7] = 0;
    for (size_t i = 8; i < from; i++) file[i] = (unsigned char)(length >> 8 * (i - 8));
    memcpy(file + from, header, length);
    memset(file + from + length, 7, data);
    return from + length + data;
}

Test(npy, what_is_read)
{
    static const struct {
        int major;
        const char *header;
        size_t data;
        hed_type type;
        uint32_t dimensions;
        uint64_t count;
    } cases[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      \n", 24, HED_FLOAT, 2,
            6},
        {2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", 16, HED_DOUBLE, 1, 2},
        {1, "{'descr': '<i4', 'fortran_order': False, 'shape': (), }\n", 4, HED_INT32, 0, 1},
        {1, "{'shape':(5,),'fortran_order':False,'descr':'<u4'}", 20, HED_UINT32, 1, 5},
        {1, "{\"descr\": \"<i8\", \"fortran_order\": False, \"shape\": (1, 1, 1, 1)}", 8, HED_INT64,
            4, 1},
        {1, " { 'descr' : '<u8' , 'fortran_order' : False , 'shape' : ( 2 , 0 ) }", 0, HED_UINT64,
            2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char file[512];
        hed_npy npy;
        size_t size = make_file(file, cases[i].major, cases[i].header, cases[i].data);
        OK(hed_npy_parse("x.npy", file, size, &npy, &error));
        EXPECT(npy.type == cases[i].type && npy.dimensions == cases[i].dimensions &&
                   npy.count == cases[i].count,
            "%s", cases[i].header);
        EXPECT(npy.offset == size - cases[i].data && (cases[i].data == 0 || file[npy.offset] == 7));
    }
}

static void refuse(const void *file, size_t size, const char *words)
{
    hed_npy npy;
    FAILS(HED_ERROR_FORMAT, hed_npy_parse("x.npy", file, size, &npy, &error));
    EXPECT(strstr(error.text, "x.npy") == error.text && strstr(error.text, words),
        "%s\ninstead of %s", error.text, words);
}

Test(npy, what_is_refused)
{
    static const struct {
        const char *header;
        size_t data;
        const char *words;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4,
            "an npy file of type \">f4\": it is big-endian; read are float32"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", 1,
            "type \"|u1\": its elements have 1 or 2 bytes: save them as a raw file"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", 2,
            "its elements have 1 or 2 bytes"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (1,)}", 2,
            "its elements have 1 or 2 bytes"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8,
            "type \"<c8\": there is no such argument type"},
        {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", 8,
            "type \"\": there is no such argument type"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4,
            "expected a type in quotes (one type: no records), found \"[('a'"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}", 16,
            "in Fortran order; save it with numpy.ascontiguousarray()"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2)}", 16,
            "expected True or False, found \"0,"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", 12,
            "expected a shape in parentheses"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 12,
            "expected a length, found \"-1,"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", 8,
            "expected a comma or ), found \"2)}\""},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}", 8, "expected a length"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}", 4,
            "more elements than 64 bits count"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 4,
            "more elements than 64 bits count"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", 0,
            "0 bytes of elements in this npy file; its shape says 4611686018427387904"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
            4, "at most 32 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False}", 4, "expected descr, fortran_order and shape"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "once each"},
        {"{'descr': '<f4', 'order': False, 'shape': (1,)}", 4, "once each"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4,
            "expected nothing after }, found \"x\""},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", 4,
            "expected a comma or }, found \"'fortran"},
        {"{'descr", 4, "expected a key in quotes"},
        {"", 4, "expected {, found \"\""},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 8,
            "8 bytes of elements in this npy file; its shape says 3 elements of 4 bytes: it is cut"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 16, "it is too long"},
    };
    unsigned char file[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(file, make_file(file, 1, cases[i].header, cases[i].data), cases[i].words);
    size_t size = make_file(file, 3, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4);
    refuse(file, size, "an npy file of version 3.0; read are 1.0 and 2.0");
    refuse("PK\3\4 something else", 19, "is no npy file: it does not begin with \\x93NUMPY");
    refuse("", 0, "is no npy file");
}

Test(npy, cut_anywhere)
{
    unsigned char file[256];
    for (int major = 1; major <= 2; major++) {
        size_t size =
            make_file(file, major, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 12);
        for (size_t length = 0; length < size; length++) {
            /* so that a sanitizer sees who reads behind it */
            unsigned char *exact = malloc(length ? length : 1);
            memcpy(exact, file, length);
            refuse(exact, length, length == 0 ? "is no npy" : "cut");
            free(exact);
        }
    }
}

/* ---- generators ---- */

/* Known values: this is what "the same on every machine" means. */
Test(generator, values_stay_what_they_are)
{
    hed_generator rule = {.kind = HED_GENERATE_UNIFORM, .first = 0, .second = 1, .seed = 1};
    double d[3];
    float f[4];
    int32_t i[4];
    hed_generate(&rule, HED_DOUBLE, d, 3);
    EXPECT(d[0] == 0x1.1adcf9e7c30dep-2 && d[1] == 0x1.ba193e31e8664p-3 &&
               d[2] == 0x1.c219f0d5c60f2p-1,
        "%a %a %a", d[0], d[1], d[2]);
    rule = (hed_generator){HED_GENERATE_NORMAL, 0, 1, 1};
    hed_generate(&rule, HED_FLOAT, f, 4);
    EXPECT(f[0] == 0x1.189954p-3f && f[1] == -0x1.9923a6p+0f && f[2] == 0x1.aa624p+0f, "%a %a %a",
        f[0], f[1], f[2]);
    rule = (hed_generator){HED_GENERATE_INTEGERS, -100, 100, 1};
    hed_generate(&rule, HED_INT32, i, 4);
    EXPECT(i[0] == -45 && i[1] == -57 && i[2] == 76, "%d %d %d", i[0], i[1], i[2]);
}

Test(generator, simple_rules)
{
    hed_generator sequence = {.kind = HED_GENERATE_SEQUENCE, .first = 5, .second = -2},
                  constant = {.kind = HED_GENERATE_CONSTANT, .first = 3};
    float f[3];
    int64_t l[3];
    uint8_t b[3];
    hed_generate(&sequence, HED_FLOAT, f, 3);
    EXPECT(f[0] == 5 && f[1] == 3 && f[2] == 1);
    hed_generate(&sequence, HED_INT64, l, 3);
    EXPECT(l[0] == 5 && l[1] == 3 && l[2] == 1);
    hed_generate(&constant, HED_BYTES, b, 3);
    EXPECT(b[0] == 3 && b[2] == 3);
    sequence.second = 0.5;
    hed_generate(&sequence, HED_FLOAT, f, 3);
    EXPECT(f[1] == 5.5f);
}

/* Mean, variance and ends of a million, and no two neighbours that know of each other. */
Test(generator, distributions)
{
    enum { COUNT = 1 << 20 };
    double *x = malloc(COUNT * sizeof *x);
    static const struct {
        hed_generator rule;
        double mean, deviation, low, high;
    } cases[] = {
        {{HED_GENERATE_UNIFORM, -2, 4, 7}, 1, 1.7320508, -2, 4},
        {{HED_GENERATE_NORMAL, 3, 2, 7}, 3, 2, -9, 15},
        {{HED_GENERATE_INTEGERS, 0, 9, 7}, 4.5, 2.8722813, 0, 9},
    };
    for (size_t c = 0; c < 3; c++) {
        double sum = 0, squares = 0, products = 0, low = INFINITY, high = -INFINITY;
        hed_generate(&cases[c].rule, HED_DOUBLE, x, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            double centred = x[i] - cases[c].mean;
            sum += centred;
            squares += centred * centred;
            products += i ? centred * (x[i - 1] - cases[c].mean) : 0;
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        double deviation = sqrt(squares / COUNT);
        EXPECT(fabs(sum / COUNT) < 0.005 * cases[c].deviation, "mean off by %g", sum / COUNT);
        EXPECT(fabs(deviation / cases[c].deviation - 1) < 0.005, "deviation %g", deviation);
        EXPECT(fabs(products / squares) < 0.005, "neighbours correlate by %g", products / squares);
        EXPECT(low >= cases[c].low && high <= cases[c].high, "%g to %g", low, high);
        EXPECT(low < cases[c].mean - 1.5 * cases[c].deviation &&
               high > cases[c].mean + 1.5 * cases[c].deviation);
    }
    free(x);
}

Test(generator, seeds_and_lengths)
{
    float a[64], b[64], c[16];
    hed_generator rule = {.kind = HED_GENERATE_UNIFORM, .second = 1};
    hed_generate(&rule, HED_FLOAT, a, 64);
    hed_generate(&rule, HED_FLOAT, c, 16);
    EXPECT(memcmp(a, c, sizeof c) == 0, "an element hangs on its place, not on the length");
    rule.seed = 1;
    hed_generate(&rule, HED_FLOAT, b, 64);
    for (int i = 0; i < 64; i++) EXPECT(a[i] != b[i]);
    for (int i = 0; i < 64; i++) EXPECT(a[i] >= 0 && a[i] <= 1);
}

Test(generator, what_does_not_fit)
{
    static const struct {
        hed_generator rule;
        hed_type type;
        const char *words; /* NULL: it fits */
    } cases[] = {
        {{HED_GENERATE_CONSTANT, 255, 0, 0}, HED_BYTES, NULL},
        {{HED_GENERATE_CONSTANT, 256, 0, 0}, HED_BYTES, "does not hold"},
        {{HED_GENERATE_CONSTANT, -1, 0, 0}, HED_UINT64, "does not hold"},
        {{HED_GENERATE_CONSTANT, -2147483648.0, 0, 0}, HED_INT32, NULL},
        {{HED_GENERATE_CONSTANT, -2147483649.0, 0, 0}, HED_INT32, "does not hold"},
        {{HED_GENERATE_CONSTANT, 1.5, 0, 0}, HED_FLOAT, NULL},
        {{HED_GENERATE_CONSTANT, 1.5, 0, 0}, HED_INT64, "whole"},
        {{HED_GENERATE_CONSTANT, INFINITY, 0, 0}, HED_FLOAT, "finite"},
        {{HED_GENERATE_SEQUENCE, 0, -1, 0}, HED_INT32, NULL},
        {{HED_GENERATE_SEQUENCE, 0, 0x1p60, 0}, HED_INT64, "does not hold"},
        {{HED_GENERATE_INTEGERS, 0, 1, 0}, HED_FLOAT, NULL},
        {{HED_GENERATE_INTEGERS, 0, 1.5, 0}, HED_FLOAT, "whole"},
        {{HED_GENERATE_INTEGERS, 2, 1, 0}, HED_INT32, "lower end"},
        {{HED_GENERATE_INTEGERS, 0, 4294967295.0, 0}, HED_UINT32, NULL},
        {{HED_GENERATE_INTEGERS, 0, 4294967296.0, 0}, HED_UINT32, "does not hold"},
        {{HED_GENERATE_NORMAL, 0, 1, 0}, HED_UINT32, "use \"integers\""},
        {{HED_GENERATE_NORMAL, 0, 0, 0}, HED_DOUBLE, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words = hed_generator_wrong(&cases[i].rule, cases[i].type);
        EXPECT(cases[i].words ? words && strstr(words, cases[i].words) : !words, "case %zu: %s", i,
            words ? words : "nothing is wrong");
    }
}
