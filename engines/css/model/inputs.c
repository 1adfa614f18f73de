/* Values of inputs: sanitized, read as numbers and dates, and checked (HTML Living Standard,
 * "Common microsyntaxes", "The input element", "The step attribute"). Details on which browsers
 * agree beyond the standard follow the browsers. */
#include "inputs.h"

#include <math.h>
#include <string.h>

#include "tokenizer.h"

/* True if a text equals `word`, which is in lower case; ASCII case is ignored. */
static bool same_word(const char *text, const char *word)
{
    for (; *text && *word; text++, word++)
        if (css_ascii_lower(*text) != *word) return false;
    return *text == *word;
}

css_input_type css_input_type_of(const char *type)
{
    static const struct {
        const char *name;
        css_input_type type;
    } types[] = {{"search", CSS_INPUT_SEARCH}, {"tel", CSS_INPUT_TEL}, {"url", CSS_INPUT_URL},
        {"email", CSS_INPUT_EMAIL}, {"password", CSS_INPUT_PASSWORD}, {"number", CSS_INPUT_NUMBER},
        {"date", CSS_INPUT_DATE}, {"time", CSS_INPUT_TIME}, {"month", CSS_INPUT_MONTH},
        {"week", CSS_INPUT_WEEK}, {"datetime-local", CSS_INPUT_LOCAL}, {"range", CSS_INPUT_RANGE},
        {"color", CSS_INPUT_COLOR}, {"checkbox", CSS_INPUT_CHECKBOX}, {"radio", CSS_INPUT_RADIO},
        {"file", CSS_INPUT_FILE}, {"submit", CSS_INPUT_SUBMIT}, {"image", CSS_INPUT_IMAGE},
        {"reset", CSS_INPUT_RESET}, {"button", CSS_INPUT_RESET}, {"hidden", CSS_INPUT_HIDDEN}};
    for (size_t i = 0; type && i < HED_COUNT(types); i++)
        if (same_word(type, types[i].name)) return types[i].type;
    return CSS_INPUT_TEXT;
}

/* ---- numbers and dates ---- */

/* Reads a valid floating-point number: a number of CSS without a plus sign. */
static bool read_float(const char *text, double *number)
{
    css_tokenizer t = {text, 0, (uint32_t)strlen(text)};
    css_token token = css_next(&t);
    if (*text == '+' || token.type != CSS_NUMBER || token.end != t.end) return false;
    *number = css_number(text, &token);
    return fabs(*number) < 1e300; /* css_number() returns 1e300 for larger numbers */
}

/* Reads exactly `minimum` digits; `unbounded`: at least as many, and all that follow. */
static bool read_digits(const char **text, int minimum, bool unbounded, double *number)
{
    int count = 0;
    for (*number = 0; **text >= '0' && **text <= '9' && (unbounded || count < minimum); count++)
        *number = *number * 10 + (*(*text)++ - '0');
    return count >= minimum;
}

/* Days from 1970-01-01 to the first day of a month; month: 0 to 11. */
static double days_before(double year, int month)
{
    static const int month_days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    double past = year - 1;
    double days = past * 365 + floor(past / 4) - floor(past / 100) + floor(past / 400) - 719162;
    bool is_leap = fmod(year, 4) == 0 && (fmod(year, 100) != 0 || fmod(year, 400) == 0);
    return days + month_days[month] + (month > 1 && is_leap);
}

static bool read_month(const char **text, double *year, double *month)
{
    if (!read_digits(text, 4, true, year) || *(*text)++ != '-') return false;
    return *year >= 1 && *year <= 275760 && read_digits(text, 2, false, month) && *month >= 1 &&
           *month <= 12;
}

static bool read_date(const char **text, double *days)
{
    double year, month, day;
    if (!read_month(text, &year, &month) || *(*text)++ != '-' || !read_digits(text, 2, false, &day))
        return false;
    int m = (int)month - 1;
    double next = m == 11 ? days_before(year + 1, 0) : days_before(year, m + 1);
    *days = days_before(year, m) + day - 1;
    return day >= 1 && *days < next;
}

static bool read_week(const char **text, double *weeks)
{
    double year, week;
    if (!read_digits(text, 4, true, &year) || *(*text)++ != '-' || *(*text)++ != 'W' ||
        !read_digits(text, 2, false, &week) || year < 1 || year > 275760 || week < 1)
        return false;
    /* week 1 contains January 4; 1969-12-29 was a Monday */
    double first = floor((days_before(year, 0) + 6) / 7),
           next = floor((days_before(year + 1, 0) + 6) / 7);
    *weeks = first + week - 1;
    return *weeks < next;
}

static bool read_time(const char **text, double *milliseconds)
{
    double hours, minutes, seconds = 0, part = 0;
    if (!read_digits(text, 2, false, &hours) || *(*text)++ != ':' ||
        !read_digits(text, 2, false, &minutes) || hours > 23 || minutes > 59)
        return false;
    if (**text == ':') {
        ++*text;
        if (!read_digits(text, 2, false, &seconds) || seconds > 59) return false;
        if (**text == '.') {
            const char *from = ++*text;
            if (!read_digits(text, 1, true, &part) || *text - from > 3) return false;
            for (int64_t digits = *text - from; digits < 3; digits++) part *= 10;
        }
    }
    *milliseconds = ((hours * 60 + minutes) * 60 + seconds) * 1000 + part;
    return true;
}

/* Reads a value as a number, in units of which a step is a multiple. */
static bool read_value(css_input_type type, const char *text, double *number)
{
    double year, month, days;
    if (!text) return false;
    switch (type) {
    case CSS_INPUT_NUMBER:
    case CSS_INPUT_RANGE: return read_float(text, number);
    case CSS_INPUT_DATE: return read_date(&text, number) && !*text;
    case CSS_INPUT_WEEK: return read_week(&text, number) && !*text;
    case CSS_INPUT_TIME: return read_time(&text, number) && !*text;
    case CSS_INPUT_MONTH:
        if (!read_month(&text, &year, &month) || *text) return false;
        *number = year * 12 + month;
        return true;
    case CSS_INPUT_LOCAL:
        if (!read_date(&text, &days) || (*text != 'T' && *text != ' ')) return false;
        text++;
        if (!read_time(&text, number) || *text) return false;
        *number += days * 86400e3;
        return true;
    default: return false;
    }
}

/* True if a value is between two steps, counted from `base`. */
static bool misses_step(const css_input *input, double value, double base)
{
    double step = input->type == CSS_INPUT_TIME || input->type == CSS_INPUT_LOCAL ? 60000 : 1,
           attribute;
    bool real = input->type == CSS_INPUT_NUMBER;
    if (input->step && same_word(input->step, "any")) return false;
    if (input->step && read_float(input->step, &attribute) && attribute > 0) {
        if (step == 60000) attribute *= 1000;
        step = real ? attribute : fmax(1, floor(attribute + 0.5));
    }
    double distance = fabs(value - base),
           rest = fabs(distance - step * floor(distance / step + 0.5));
    double error = real ? step / (1 << 24) : 0; /* rounding of a float */
    if (distance / 9007199254740992.0 > step) return false;
    return rest > error && rest < step - error;
}

static unsigned check_number(const css_input *input)
{
    double value, low = 0, high = 0;
    if (input->type == CSS_INPUT_RANGE) return CSS_VALUE_INSIDE; /* HTML clamps it to the limits */
    bool has_low = read_value(input->type, input->min, &low);
    bool has_high = read_value(input->type, input->max, &high);
    if (!read_value(input->type, input->value, &value)) return CSS_VALUE_EMPTY | CSS_VALUE_INSIDE;
    /* steps begin at the minimum or, without one, at the value, which then fits */
    unsigned result = has_low && misses_step(input, value, low) ? CSS_VALUE_WRONG : 0;
    if (!has_low && !has_high) return result;
    bool under = has_low && value < low, over = has_high && value > high;
    bool outside = under || over;
    if (input->type == CSS_INPUT_TIME && has_low && has_high && high < low)
        outside = under && over; /* the range includes midnight */
    return result | (outside ? CSS_VALUE_OUTSIDE : CSS_VALUE_INSIDE);
}

/* ---- addresses ---- */

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (css_ascii_lower(c) >= 'a' && css_ascii_lower(c) <= 'z');
}

/* True if a text is an e-mail address by the pattern of HTML; non-ASCII hosts are assumed to have
 * an ASCII form. */
static bool is_email(const char *text, size_t length)
{
    const char *at = memchr(text, '@', length), *end = text + length;
    if (!at || at == text || at + 1 == end) return false;
    for (const char *c = text; c < at; c++)
        if (!is_letter_or_digit(*c) && !strchr(".!#$%&'*+/=?^_`{|}~-", *c)) return false;
    for (const char *label = at + 1, *stop; label <= end; label = stop + 1) {
        const char *dot = memchr(label, '.', (size_t)(end - label));
        stop = dot ? dot : end;
        if (stop == label || stop - label > 63 || label[0] == '-' || stop[-1] == '-') return false;
        for (const char *c = label; c < stop; c++)
            if (!is_letter_or_digit(*c) && *c != '-' && (unsigned char)*c < 0x80) return false;
    }
    return true;
}

static bool is_html_space(char c) { return c && strchr(" \t\n\f\r", c); }

/* Removes outer newlines; with `trim`, outer white space. Inner newlines do not affect the
 * checks. */
static void strip_value(const char **text, size_t *length, bool trim)
{
    while (*length && (trim ? is_html_space(**text) : **text == '\n' || **text == '\r'))
        ++*text, --*length;
    for (; *length; --*length) {
        char last = (*text)[*length - 1];
        if (trim ? !is_html_space(last) : last != '\n' && last != '\r') break;
    }
}

/* Checks each address of a list separated by commas. */
static unsigned check_each(const css_input *input, const char *text, size_t length)
{
    unsigned result = 0;
    for (const char *end = text + length, *stop; text <= end; text = stop + 1) {
        const char *comma = input->multiple ? memchr(text, ',', (size_t)(end - text)) : NULL;
        stop = comma ? comma : end;
        const char *address = text;
        size_t address_length = (size_t)(stop - text);
        strip_value(&address, &address_length, true);
        bool fits = !input->pattern || css_fits_pattern(input->pattern, address, address_length);
        if (!fits || !is_email(address, address_length)) result = CSS_VALUE_WRONG;
    }
    return result;
}

unsigned css_check_input(const css_input *input)
{
    if (input->type >= CSS_INPUT_NUMBER && input->type <= CSS_INPUT_RANGE)
        return check_number(input);
    if (input->type > CSS_INPUT_EMAIL) return 0;
    const char *text = input->value ? input->value : "";
    size_t length = strlen(text);
    strip_value(&text, &length, input->type == CSS_INPUT_URL || input->type == CSS_INPUT_EMAIL);
    if (!length) return CSS_VALUE_EMPTY;
    if (input->type == CSS_INPUT_EMAIL) return check_each(input, text, length);
    bool fits = !input->pattern || css_fits_pattern(input->pattern, text, length);
    if (input->type == CSS_INPUT_URL && !css_is_url(text, length)) fits = false;
    return fits ? 0 : CSS_VALUE_WRONG;
}
