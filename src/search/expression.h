/* A compiled expression: a program for a stack machine, in one block of memory.
 *
 * Jumps count from the instruction behind them, so that a part of the program can be moved
 * unchanged (the condition of `a if c else b` is read second and evaluated first). */
#ifndef HED_SEARCH_EXPRESSION_H
#define HED_SEARCH_EXPRESSION_H

#include "heddle/space.h"

enum {
    HED_EXPRESSION_TEXT = 16384, /* longest text, in bytes */
    HED_EXPRESSION_STACK = 64,   /* values that wait at once */
    /* nesting of parentheses (each counts twice), signs, choices and powers */
    HED_EXPRESSION_DEPTH = 128
};

typedef enum hed_expression_code {
    HED_CODE_NUMBER, /* push `number` */
    HED_CODE_NAME,   /* push the value of slot `operand` */
    /* One value for the one on top. */
    HED_CODE_NEGATE,
    HED_CODE_NOT,
    HED_CODE_ABS,
    HED_CODE_CEIL,
    HED_CODE_FLOOR,
    HED_CODE_ROUND,
    HED_CODE_LOG2,
    HED_CODE_TRUTH,  /* 0 stays 0, all else becomes 1 */
    HED_CODE_ABSENT, /* 0: none of the elements was equal */
    /* One value for the two on top. */
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
    /* What may leave parts out. A NAN counts as decided: it stays on top, and the jump is taken. */
    HED_CODE_AND, /* top is 0: it stays, jump by `operand`; else drop it */
    HED_CODE_OR,  /* top is not 0: it becomes 1, jump; else drop it */
    /* compares as `comparison` says: drops the lower of two, or leaves 0 for both and jumps */
    HED_CODE_CHAIN,
    HED_CODE_MEMBER, /* the lower equals the top: leaves 1 for both and jumps; else drops the top */
    /* drops the top; jumps if it was 0. A NAN stays, and goes to the jump before the target */
    HED_CODE_BRANCH,
    HED_CODE_JUMP
} hed_expression_code;

typedef struct hed_instruction {
    uint16_t code;
    uint16_t comparison; /* of HED_CODE_CHAIN */
    uint32_t operand;    /* a slot, or how far to jump */
    double number;
} hed_instruction;

struct hed_expression {
    hed_allocator allocator;
    uint32_t count;
    hed_instruction program[]; /* (count) */
};

#endif
