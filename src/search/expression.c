/* Evaluation of expressions over parameters; expression_parse.c compiles the program that runs
 * here.
 *
 * NAN represents an exception of Python: every operation on a NAN returns NAN, comparisons too, so
 * that a division by zero cannot pass as a result. `and`, `or` and a choice evaluate lazily: `n !=
 * 0 and m / n > 2` is 0 if n is 0. */
#include "search/expression.h"

#include <assert.h>
#include <math.h>

#include "base/alloc.h"

/* Remainder of a division rounded down: its sign is the divisor's. Exact, like fmod(); most
 * operands are integers, for which the integer unit is several times as fast. */
static double floor_modulo(double a, double b)
{
    double remainder;
    if (b == 0) return NAN;
    if (fabs(a) < 0x1p53 && fabs(b) < 0x1p53 && (double)(int64_t)a == a && (double)(int64_t)b == b)
        remainder = (double)((int64_t)a % (int64_t)b);
    else remainder = fmod(a, b);
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

static double floor_divide(double a, double b)
{
    /* use the remainder: the plain quotient of large numbers may be rounded up to the next
     * integer */
    return round((a - floor_modulo(a, b)) / b);
}

static inline double apply_one(hed_expression_code code, double a)
{
    switch (code) {
    case HED_CODE_NEGATE: return -a;
    case HED_CODE_NOT: return isnan(a) ? NAN : a == 0;
    case HED_CODE_ABS: return fabs(a);
    case HED_CODE_CEIL: return ceil(a);
    case HED_CODE_FLOOR: return floor(a);
    case HED_CODE_ROUND: return nearbyint(a);
    case HED_CODE_LOG2: return a > 0 ? log2(a) : NAN;
    case HED_CODE_ABSENT: return 0;
    default: return isnan(a) ? NAN : a != 0;
    }
}

static inline bool expression_compare(hed_expression_code code, double a, double b)
{
    switch (code) {
    case HED_CODE_LESS: return a < b;
    case HED_CODE_LESS_EQUAL: return a <= b;
    case HED_CODE_GREATER: return a > b;
    case HED_CODE_GREATER_EQUAL: return a >= b;
    case HED_CODE_EQUAL: return a == b;
    default: return a != b;
    }
}

static inline double apply_two(hed_expression_code code, double a, double b)
{
    if (isunordered(a, b)) return NAN;
    switch (code) {
    case HED_CODE_ADD: return a + b;
    case HED_CODE_SUBTRACT: return a - b;
    case HED_CODE_MULTIPLY: return a * b;
    case HED_CODE_DIVIDE: return b == 0 ? NAN : a / b;
    case HED_CODE_FLOOR_DIVIDE: return floor_divide(a, b);
    case HED_CODE_MODULO: return floor_modulo(a, b);
    case HED_CODE_POWER: return a == 0 && b < 0 ? NAN : pow(a, b);
    case HED_CODE_CEIL_DIVIDE: return -floor_divide(-a, b);
    case HED_CODE_MIN: return a < b ? a : b;
    case HED_CODE_MAX: return a > b ? a : b;
    default: return expression_compare(code, a, b);
    }
}

double hed_expression_value(const hed_expression *expression, const double *values)
{
    if (!expression) return NAN;
    /* stack[0] is unused: `last` points into the array even if the stack is empty */
    double stack[1 + HED_EXPRESSION_STACK];
    double *last = stack;
    for (uint32_t i = 0; i < expression->count; i++) {
        const hed_instruction *at = &expression->program[i];
        bool takes_two = at->code >= HED_CODE_ADD && at->code <= HED_CODE_NOT_EQUAL;
        assert(at->code <= HED_CODE_NAME ||
               last > stack +
                          (takes_two || at->code == HED_CODE_CHAIN || at->code == HED_CODE_MEMBER));
        switch (at->code) {
        case HED_CODE_NUMBER: *++last = at->number; break;
        case HED_CODE_NAME: *++last = values ? values[at->operand] : NAN; break;
        case HED_CODE_AND:
            if (*last == 0 || isnan(*last)) i += at->operand;
            else last--;
            break;
        case HED_CODE_OR:
            if (*last == 0) {
                last--;
            } else {
                *last = isnan(*last) ? NAN : 1;
                i += at->operand;
            }
            break;
        case HED_CODE_CHAIN:
        case HED_CODE_MEMBER: {
            bool chain = at->code == HED_CODE_CHAIN;
            double upper = *last--;
            double truth = apply_two(chain ? at->comparison : HED_CODE_EQUAL, *last, upper);
            bool decided = isnan(truth) || (truth != 0) != chain;
            if (decided) i += at->operand;
            if (decided || chain) *last = decided ? truth : upper;
            break;
        }
        case HED_CODE_BRANCH:
            if (isnan(*last)) i += at->operand - 1;
            else if (*last-- == 0) i += at->operand;
            break;
        case HED_CODE_JUMP: i += at->operand; break;
        default:
            if (takes_two) {
                last--;
                *last = apply_two(at->code, *last, last[1]);
            } else {
                *last = apply_one(at->code, *last);
            }
        }
    }
    assert(last > stack);
    return *last;
}

bool hed_expression_uses(const hed_expression *expression, uint32_t slot)
{
    if (!expression) return false;
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->program[i].code == HED_CODE_NAME && expression->program[i].operand == slot)
            return true;
    return false;
}

void hed_expression_destroy(hed_expression *expression)
{
    if (!expression) return;
    hed_allocator allocator = expression->allocator;
    hed_release(&allocator, expression,
        sizeof *expression + expression->count * sizeof *expression->program);
}
