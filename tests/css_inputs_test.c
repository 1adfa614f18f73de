/* Values of form controls: numbers, dates, steps, addresses, patterns; and which way a text runs.
 * What Chromium says of whole pages of them is in css_oracle. */
#include <sys/mman.h>
#include <unistd.h>

#include "model/html.h"
#include "model/inputs.h"
#include "testing.h"

enum { EMPTY = CSS_VALUE_EMPTY, WRONG = CSS_VALUE_WRONG, IN = CSS_VALUE_INSIDE };
enum { OUT = CSS_VALUE_OUTSIDE };

Test(css_inputs, values)
{
    static const struct {
        const char *type, *value, *min, *max, *step;
        unsigned found;
    } cases[] = {{"text", "a", NULL, NULL, NULL, 0}, {"text", "\n", NULL, NULL, NULL, EMPTY},
        {"number", "5", "1", "9", NULL, IN}, {"number", "10", "1", "9", NULL, OUT},
        {"number", "5", NULL, NULL, NULL, 0}, {"number", "x", "1", NULL, NULL, EMPTY | IN},
        {"number", "+5", "9", NULL, NULL, EMPTY | IN},
        {"number", "5.", "9", NULL, NULL, EMPTY | IN},
        {"number", "1e400", "9", NULL, NULL, EMPTY | IN},
        {"number", "1.5", "1", NULL, NULL, WRONG | IN}, {"number", "1.5", "1", NULL, "any", IN},
        {"number", "1.3", "1", NULL, ".1", IN}, {"NUMBER", "4", "1", NULL, "2", WRONG | IN},
        {"range", "50", "1", "9", NULL, IN}, {"date", "2020-02-29", NULL, "2020-02-28", NULL, OUT},
        {"date", "2019-02-29", NULL, "2019-02-28", NULL, EMPTY | IN},
        {"date", "1900-02-29", NULL, "1900-02-28", NULL, EMPTY | IN},
        {"date", "2000-02-29", "2000-02-28", NULL, NULL, IN},
        {"date", "2020-03-01", "2020-02-28", NULL, "2", IN},
        {"date", "2020-02-29", "2020-02-28", NULL, "2", WRONG | IN},
        {"date", "275760-13-01", "2000-01-01", NULL, NULL, EMPTY | IN},
        {"month", "2019-12", "2020-01", NULL, NULL, OUT},
        {"week", "2020-W53", NULL, "2020-W52", NULL, OUT},
        {"week", "2019-W53", NULL, "2018-W01", NULL, EMPTY | IN},
        {"time", "23:00", "22:00", "06:00", NULL, IN},
        {"time", "12:00", "22:00", "06:00", NULL, OUT},
        {"time", "10:00:30", "10:00", NULL, NULL, WRONG | IN},
        {"time", "10:00:30", "10:00", NULL, "30", IN},
        {"time", "24:00", "10:00", NULL, NULL, EMPTY | IN},
        {"datetime-local", "2020-01-01 10:00", NULL, "2019-01-01T00:00", NULL, OUT},
        {"datetime-local", "2020-01-01T10:00:00.5", "2020-01-01T10:00", NULL, ".5", IN},
        {"email", " a@b ", NULL, NULL, NULL, 0}, {"email", "a@b..c", NULL, NULL, NULL, WRONG},
        {"email", "@b", NULL, NULL, NULL, WRONG}, {"email", "a@-b", NULL, NULL, NULL, WRONG},
        {"email", "a@b,c@d", NULL, NULL, NULL, WRONG}, {"url", "a", NULL, NULL, NULL, WRONG},
        {"url", " http://a ", NULL, NULL, NULL, 0}, {"checkbox", "", NULL, NULL, NULL, 0}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const css_input input = {.type = css_input_type_of(cases[i].type),
            .value = cases[i].value,
            .min = cases[i].min,
            .max = cases[i].max,
            .step = cases[i].step};
        EXPECT_EQ(css_check_input(&input), cases[i].found, "%s %s", cases[i].type, cases[i].value);
    }
    css_input several = {.type = CSS_INPUT_EMAIL, .value = "a@b , c@d", .multiple = true};
    EXPECT_EQ(css_check_input(&several), 0u);
    several.value = "a@b,";
    EXPECT_EQ(css_check_input(&several), (unsigned)WRONG);
}

Test(css_inputs, addresses)
{
    static const struct {
        const char *text;
        bool fits;
    } cases[] = {{"http://a", true}, {"http:a", true}, {"http://", false}, {"http:///a", true},
        {"a", false}, {"a:", true}, {"1:a", false}, {"a+b-c.d:e", true}, {"//a", false},
        {"http://a:65535", true}, {"http://a:65536", false}, {"http://a:b", false},
        {"http://a:", true}, {"http://[::1]", true}, {"http://[1:2:3:4:5:6:7:8]", true},
        {"http://[1:2:3:4:5:6:7]", false}, {"http://[1::2::3]", false},
        {"http://[::1.2.3.4]", true}, {"http://[::1.2.3]", false}, {"http://[::1.2.3.256]", false},
        {"http://[x]", false}, {"http://[", false}, {"http://[]", false}, {"http://1.2.3.4", true},
        {"http://256.1.1.1", false}, {"http://1.2.3.4.5", false}, {"http://0x7f.1", true},
        {"http://09.1", false}, {"http://1.2.65536", false}, {"http://1.a", true},
        {"http://a%41", true}, {"http://a%00", false}, {"http://a%4", false}, {"http://a^b", false},
        {"http://user:pass@host/x", true}, {"http://user@", false}, {"file:", true},
        {"file://a%", false}, {"x://", true}, {"x://a b", false}, {"x://:1", false},
        {"mailto:a b", true}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(
            css_is_url(cases[i].text, strlen(cases[i].text)), cases[i].fits, "%s", cases[i].text);
}

Test(css_inputs, patterns)
{
    static const struct {
        const char *pattern, *text;
        bool fits;
    } cases[] = {{"a", "a", true}, {"a", "ab", false}, {"", "", true}, {"", "a", false},
        {"a|b|c", "c", true}, {"a|b|c", "ab", false}, {"(a|b)*c", "abac", true},
        {"(a|b)*c", "abad", false}, {"a{2}", "aa", true}, {"a{2}", "aaa", false},
        {"a{2,}", "aaaa", true}, {"a{1,3}", "aaaa", false}, {"a{0}", "", true},
        {"(a*)*b", "aaab", true}, {"[a-c]+", "abcd", false}, {"[^a-c]+", "xyz", true},
        {"\\d\\D", "1a", true}, {"[\\w.]+", "a.b", true}, {"\\x41\\u0042\\u{43}", "ABC", true},
        {"^a$", "a", true}, {"a^b", "ab", false}, {".", "\xf0\x9f\x98\x80", true},
        {".", "\n", false}, {"\xc3\xa9+", "\xc3\xa9\xc3\xa9", true}, {"(?:ab)?c", "abc", true},
        {"(?<n>a)", "a", true}, {"a+?b", "aab", true}, {"[]", "a", false}, {"[^]", "a", true},
        /* none, so all fits */
        {"(", "x", true}, {"a]", "x", true}, {"a{", "x", true}, {"a{2,1}", "x", true},
        {"*", "x", true}, {"[b-a]", "x", true}, {"\\", "x", true}, {"a**", "x", true},
        {"[a", "x", true}, {"^*", "x", true}, {"\\u{110000}", "x", true}, {"[(]", "x", true},
        /* not judged */
        {"(?=a)b", "x", true}, {"(a)\\1", "x", true}, {"\\p{L}", "1", true}, {"a{3000}", "x", true},
        {"((((((((a{9}){9}){9}){9}){9}){9}){9}){9})", "x", true}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(css_fits_pattern(cases[i].pattern, cases[i].text, strlen(cases[i].text)),
            cases[i].fits, "/%s/ and %s", cases[i].pattern, cases[i].text);
}

/* A text whose final zero is the last byte that may be read. */
static const char *at_the_edge(const char *text)
{
    static char *edge;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = strlen(text) + 1;
    if (!edge) {
        edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK_NE(edge, MAP_FAILED);
        CHECK_EQ(mprotect(edge + page, page, PROT_NONE), 0);
    }
    return memcpy(edge + page - size, text, size);
}

Test(css_inputs, patterns_end_with_their_zero)
{
    static const char *const patterns[] = {"(", "((", "(a", "(a|", "a(", "(?", "(?:", "(?<", "(?<n>",
        "(?<n", "[", "[a", "[a-", "[^", "[\\", "[a-\\", "[\\d", "[&", "\\", "a\\", "a|\\", "(\\", "\\x",
        "\\x4", "\\u", "\\u0", "\\u{", "\\u{4", "\\u{110000", "[\\u{", "\\c", "\\0", "\\1", "\\p",
        "a{", "a{1", "a{1,", "(a{2", "a*", "(a*", "a+?", "|", "a|", "\xf0", "\xc3", "[\xe2", "a-\xf0\x9f"};
    for (size_t i = 0; i < HED_COUNT(patterns); i++) {
        const char *pattern = at_the_edge(patterns[i]);
        css_fits_pattern(pattern, "ab", 2);
        css_fits_pattern(pattern, pattern, strlen(pattern));
    }
}

Test(css_inputs, a_pattern_of_too_many_steps_fits)
{
    enum { ALTERNATIVES = 3000 };
    static char pattern[2 * ALTERNATIVES + 1];
    for (int i = 0; i < ALTERNATIVES; i++) memcpy(pattern + 2 * i, i % 3 ? "a|" : "b?", 2);
    EXPECT(css_fits_pattern(pattern, "x", 1));
}

Test(css_inputs, the_first_strong_letter)
{
    static const struct {
        const char *text;
        int direction;
    } cases[] = {{"", 0}, {"12 !", 0}, {"a", 1}, {"12a\xd7\x90", 1}, {"\xd7\x90", 2},
        {"1\xd7\x90 a", 2}, {"\xd8\xa7", 2}, {"\xd9\xa1\xd9\xa2", 0}, {"\xe4\xb8\xad", 1},
        {"\xe2\x80\x8f", 2}, {"\xf0\x90\xa4\x80", 2}, {"\xe2\x98\x83\xd7\x90", 2}, {"\xff\xff", 0}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(css_first_direction(cases[i].text, strlen(cases[i].text)), cases[i].direction,
            "%s", cases[i].text);
}
