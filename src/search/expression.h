/* Compiled expression: a program for a stack machine, in one memory block.
 *
 * Jumps are relative to the next instruction, so that code can be moved unchanged (in `a if c else
 * b` the condition is parsed second and evaluated first). */
#ifndef HED_SEARCH_EXPRESSION_H
#define HED_SEARCH_EXPRESSION_H

#include "heddle/space.h"

enum {
    HED_EXPRESSION_TEXT = 16384, /* maximum length of a text, bytes */
    HED_EXPRESSION_STACK = 64,   /* maximum depth of the value stack */
    /* maximum nesting of parentheses (each counts twice), signs, choices and powers */
    HED_EXPRESSION_DEPTH = 128
};

typedef enum hed_expression_code {
    HED_CODE_NUMBER, /* push `number` */
    HED_CODE_NAME,   /* push the value of slot `operand` */
    /* Unary operators: replace the top value. */
    HED_CODE_NEGATE,
    HED_CODE_NOT,
    HED_CODE_ABS,
    HED_CODE_CEIL,
    HED_CODE_FLOOR,
    HED_CODE_ROUND,
    HED_CODE_LOG2,
    HED_CODE_TRUTH,  /* 0 remains 0, any other value becomes 1 */
    HED_CODE_ABSENT, /* pushes 0: no element was equal */
    /* Binary operators: replace the two top values. */
    HED_CODE_ADD,
    HED_CODE_SUBTRACT,
    HED_CODE_MULTIPLY,
    HED_CODE_DIVIDE,
    HED_CODE_FLOOR_DIVIDE,
    HED_CODE_MODULO,
    HED_CODE_POWER,
    HED_CODE_CEIL_DIVIDE,
    HED_CODE_MIN,
    HED_CODE_MAX,
    HED_CODE_LESS,
    HED_CODE_LESS_EQUAL,
    HED_CODE_GREATER,
    HED_CODE_GREATER_EQUAL,
    HED_CODE_EQUAL,
    HED_CODE_NOT_EQUAL,
    /* Jumps of lazy operators. A NAN decides the result: it remains on top, and the jump is
     * taken. */
    HED_CODE_AND, /* top is 0: keep it and jump by `operand`; else drop it */
    HED_CODE_OR,  /* top is not 0: replace it by 1 and jump; else drop it */
    /* compares by `comparison`: true drops the lower value; false replaces both by 0 and jumps */
    HED_CODE_CHAIN,
    /* the two top values are equal: replaces both by 1 and jumps; else drops the top */
    HED_CODE_MEMBER,
    /* drops the top and jumps if it was 0; a NAN remains on top, and the jump leads to the
     * instruction before the target */
    HED_CODE_BRANCH,
    HED_CODE_JUMP
} hed_expression_code;

typedef struct hed_instruction {
    uint16_t code;
    uint16_t comparison; /* comparison of HED_CODE_CHAIN */
    uint32_t operand;    /* slot, or distance of a jump */
    double number;
} hed_instruction;

struct hed_expression {
    hed_allocator allocator;
    uint32_t count;
    hed_instruction program[]; /* (count) */
};

#endif
