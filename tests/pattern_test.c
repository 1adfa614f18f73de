/* Regular expressions of JavaScript: those of the flag v, and those without flags. */
#include "support/pattern.h"
#include "testing.h"

TestSuite(pattern);

typedef struct sample {
    const char *pattern, *text;
    bool fits;
} sample;

static void all_fit(const sample *samples, size_t count, unsigned flags)
{
    static hed_pattern pattern;
    for (size_t i = 0; i < count; i++) {
        CHECK(hed_pattern_read(&pattern, samples[i].pattern, flags), "%s: %s", samples[i].pattern,
            pattern.wrong ? pattern.wrong : pattern.unsupported);
        EXPECT_EQ(hed_pattern_fits(&pattern, samples[i].text, strlen(samples[i].text)),
            samples[i].fits, "/%s/ on \"%s\"", samples[i].pattern, samples[i].text);
    }
}

Test(pattern, anywhere_in_a_text)
{
    static const sample samples[] = {{"b", "abc", true}, {"^b", "abc", false}, {"^a", "abc", true},
        {"c$", "abc", true}, {"b$", "abc", false}, {"", "", true}, {"^$", "", true},
        {"^$", "a", false}, {"(?:ab|cd)+e", "xxabcde", true}, {"^modal-", "modal-title", true},
        {"-\\d{2,3}$", "col-12", true}, {"-\\d{2,3}$", "col-1", false}, {"a.c", "a\nc", false},
        {"[^a-c]", "abc", false}, {"[\\w-]+", "\303\244", false}, {"[a-]", "-", true},
        {"[-a]", "-", true}, {"[\\w-a]", "-", true}, {"[]", "a", false}, {"[^]", "a", true},
        {"\\-\\:\\_\\/", "-:_/", true}, {"}", "}", true}, {"]", "]", true}, {"a{", "a{", true},
        {"a{,2}", "a{,2}", true}, {"a{2}", "aa", true}, {"(?<name>a)b", "ab", true},
        {"a+?b", "aab", true}, {"\\x41\\u0042", "AB", true}, {"\\xg", "xg", true},
        {"[(){}|/]", "|", true}, {"a|", "", true}, {"^(?:a|b|)$", "c", false},
        {"\303\244", "x\303\244", true}, {"\\\303\244", "\303\244", true},
        {"[\303\240-\303\277]", "\303\244", true}};
    all_fit(samples, HED_COUNT(samples), 0);
}

Test(pattern, boundaries_of_words)
{
    static const sample samples[] = {{"\\bbtn\\b", "a.btn:hover", true},
        {"\\bbtn\\b", "abtn", false}, {"\\bbtn\\b", "btns", false}, {"\\bbtn\\b", "btn", true},
        {"a\\Bb", "ab", true}, {"a\\b\\.b", "a.b", true}, {"\\B", "", true}, {"\\b", "", false},
        {"[\\b]", "\b", true}, {"(\\b|-)x", "ax", false}, {"(\\b|-)x", "a-x", true}};
    all_fit(samples, HED_COUNT(samples), 0);
}

Test(pattern, any_case)
{
    static const sample samples[] = {{"modal", "MODAL", true}, {"[A-F]", "b", true},
        {"[^a]", "A", false}, {"\303\244", "\303\204", false}};
    all_fit(samples, HED_COUNT(samples), HED_PATTERN_ANY_CASE);
}

Test(pattern, whole_texts)
{
    static const sample samples[] = {{"b", "abc", false}, {"abc", "abc", true},
        {"a|abc", "abc", true}, {".*c", "abc", true}, {"a\\b.*", "a b", true}};
    all_fit(samples, HED_COUNT(samples), HED_PATTERN_WHOLE | HED_PATTERN_SETS);
}

Test(pattern, refused)
{
    static hed_pattern p;
    static const char *const wrong[] = {"(", ")", "a)", "[a", "*", "a**", "a{2,1}", "[b-a]", "[\\d-z-\\w]x(", "\\", "^*", "\\b+", "(?x)"};
    for (size_t i = 0; i < HED_COUNT(wrong); i++)
        EXPECT(!hed_pattern_read(&p, wrong[i], 0) && p.wrong, "%s", wrong[i]);
    static const char *const unsupported[] = {"(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "\\k<a>", "\\p{L}", "a{3000}", "(a{1000}){1000}"};
    for (size_t i = 0; i < HED_COUNT(unsupported); i++)
        EXPECT(!hed_pattern_read(&p, unsupported[i], 0) && !p.wrong && p.unsupported, "%s",
            unsupported[i]);
    static const char *const sets[] = {"}", "a{", "[(]", "\\-", "\\xg"};
    for (size_t i = 0; i < HED_COUNT(sets); i++)
        EXPECT(!hed_pattern_read(&p, sets[i], HED_PATTERN_SETS), "%s", sets[i]);
}

/* Backtracking would take forever. */
Test(pattern, nested_repetitions_end, .timeout = 60)
{
    static hed_pattern p;
    char text[4000];
    memset(text, 'a', sizeof text);
    CHECK(hed_pattern_read(&p, "^(a|aa|a*)*(a*)*b$", 0));
    EXPECT(!hed_pattern_fits(&p, text, sizeof text));
}
