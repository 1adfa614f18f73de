/* Tables of a compiled sheet, of the element kinds of a forest, and of the binding of both: arrays
 * of structs of 32-bit words, with the functions that read them; one text for C, OpenCL C and CUDA.
 *
 * THE ALGORITHM. Elements are many, but few of them differ in the properties that a sheet can test.
 *
 * 1. Element kinds (tables/forest.c): elements with the same namespace, type, classes, states and
 *    language, whose attributes and ids make the same predicates true (tables/facts.c), have one
 *    kind. Elements of a kind differ in their positions among other elements only.
 * 2. A sheet is compiled (tables/compile.c) into predicates, compounds and prefixes. A compound is
 *    an AND of clauses; a clause is an OR of literals; a literal is a predicate or its negation.
 *    All of a selector that does not look upwards becomes one compound: a + b ~ c is the compound c
 *    with a literal "some earlier sibling is [b whose previous sibling is a]". So do complex
 *    selectors inside of :is() and :not(), :has(), and the lists of :nth-child(): predicates of
 *    kind RELATION and COUNT test whether related elements satisfy a *dependency*: a set of
 *    compounds, one of which holds on the related element. :has(x > y) is "some descendant is [x
 *    with some child [y]]". The rest of a selector is compounds with ' ' and '>' between them: a
 *    path in a tree of prefixes (nodes), which selectors with the same beginning share, with
 *    accepting states (finals) at its end.
 * 3. Bind (solver/bind.c), for each sheet and forest: on an element kind a predicate is true, false
 *    or undecided, and a compound is certain, impossible, or reduced to a residual: clauses of
 *    undecided literals. Predicates that no kind has are false everywhere; prefixes that cannot
 *    occur in the forest are pruned with everything that requires them. Pruning makes the pass
 *    quick. The undecided predicates of a kind's residuals are its *dynamic predicates*; dynamic
 *    predicate number k of a kind is bit k of the dynamic bits of its elements.
 * 4. Pass (solver/pass.c): a signature is a kind with a value of its dynamic bits; it determines
 *    the compounds that hold. An automaton runs from each root to its descendants. Its state is a
 *    set of bits, up to two for each prefix: "matched on some ancestor" and "matched on the
 *    parent". The compounds of an element's signature have transitions (required bit, bit to set)
 *    and acceptances (required bit, accepting state). A class is (state of the parent, signature):
 *    it has the state for the children and the ascending list of rules. The pass writes one number
 *    of a class per element.
 *
 * Dependencies read each other without a cycle. The processor evaluates them in sweeps over the
 * document: forwards for ancestors and earlier siblings, backwards for descendants and later
 * siblings; the last sweep is the pass itself. A device evaluates them in stages: dependency_stage
 * is 0 where the dependency's compounds have no RELATION and no COUNT, otherwise 1 + the greatest
 * stage of the dependencies that these read; within a stage all elements are independent. */
#ifndef CSS_TABLES_H
#define CSS_TABLES_H

#if defined(__OPENCL_C_VERSION__)
#define CSS_FUNCTION static inline __attribute__((unused))
#elif defined(__CUDACC_RTC__)
#define CSS_FUNCTION static __device__ __forceinline__ __attribute__((unused))
#else
#include "model/document.h"
#define CSS_FUNCTION static inline __attribute__((always_inline, unused))
#define __global
#define __local
typedef uint32_t uint;
#endif

#ifndef CSS_NONE
#define CSS_NONE 0xffffffffu
#endif

/* ---- the sheet ---- */

/* Kinds of predicates. "Key": found by the element's type or classes; "fact": by its attributes,
 * language or id; "always": evaluated on each element kind; "dynamic": undecided on every kind. */
enum css_predicate_kind {
    CSS_P_TYPE,          /* key; name_space */
    CSS_P_CLASS,         /* key */
    CSS_P_FACT,          /* fact: attributes and :lang() */
    CSS_P_SPACE,         /* always; name_space */
    CSS_P_FLAG,          /* always; mask: flags of document.h, all of them set */
    CSS_P_STATE,         /* always; mask: hed_css_state, one of them set */
    CSS_P_ID,            /* fact; id */
    CSS_P_POSITION,      /* dynamic; position */
    CSS_P_RELATION,      /* dynamic; relation */
    CSS_P_COUNT,         /* dynamic; count, of earlier siblings */
    CSS_P_COUNT_FROM_END /* dynamic; count, of later siblings */
};

/* A test of an element. A predicate has a greater number than the predicates in the compounds of
 * its dependency. */
typedef struct css_predicate {
    uint kind; /* enum css_predicate_kind, which determines the valid member of `of` */
    /* the longest member is first, so that an initializer clears all words */
    union {
        struct {
            uint axis; /* CSS_CHILD ... of document.h */
            uint a, b; /* true if the position (from 1) is a n + b for some n >= 0 */
        } position;
        uint name_space; /* 1 + hed_css_namespace; CSS_NONE: any */
        struct {
            uint bits, negated;
        } mask;
        struct {
            uint exact, lower; /* names: as written; in lower case, for quirks mode */
        } id;
        struct {
            uint dependency;
            uint relation; /* enum css_relation */
        } relation;
        struct {
            uint dependency;
            uint a, b; /* true if 1 + the siblings that satisfy the dependency is a n + b */
        } count;
    } of;
} css_predicate;

/* Relations to the elements one of which has to satisfy the dependency. */
enum css_relation {
    CSS_FROM_PARENT,
    CSS_FROM_ANCESTOR,
    CSS_FROM_PREVIOUS, /* the previous sibling */
    CSS_FROM_EARLIER,  /* any earlier sibling */
    CSS_FROM_CHILD,
    CSS_FROM_DESCENDANT,
    CSS_FROM_NEXT,  /* the next sibling */
    CSS_FROM_LATER, /* any later sibling */
    CSS_FROM_SELF
};

/* Kinds of keys. HTML: lower-case names of HTML elements; QUIRKS: lower-case names in quirks
 * mode. */
enum css_key_kind { CSS_KEY_TYPE, CSS_KEY_TYPE_HTML, CSS_KEY_CLASS, CSS_KEY_CLASS_QUIRKS };

/* Slot of the hash table of keys; see css_key_find(). */
typedef struct css_key_slot {
    uint code; /* css_key_code(), or CSS_NONE: the slot is free */
    uint key;  /* number of the key */
} css_key_slot;

/* Uses of a node: bits. */
enum css_node_use {
    CSS_USE_ANCESTOR = 1, /* some node or final requires it on an ancestor */
    CSS_USE_PARENT = 2    /* some node or final requires it on the parent */
};

/* Node of the tree of prefixes. Its number is greater than that of the node that it requires. */
typedef struct css_node {
    uint compound;
    uint required;  /* the node matched before it, or CSS_NONE */
    uint in_parent; /* 1: `required` is matched on the parent; 0: on some ancestor */
    uint uses;      /* enum css_node_use */
} css_node;

/* Accepting state. Finals are sorted by rule, finals of a rule by descending specificity. */
typedef struct css_final {
    uint required;  /* node, or CSS_NONE */
    uint in_parent; /* see css_node */
    uint rule, complex;
} css_final;

#define CSS_LAST_OF_CLAUSE 0x80000000u /* flag of the last literal of a clause */

/* Arrays of a compiled sheet. (n): length. P predicates, K keys, C compounds, N nodes, L finals,
 * D dependencies. CSR: row r of an array is [begin[r], begin[r + 1]) of the array after `begin`. */
typedef struct css_tables {
    __global const css_predicate *predicate; /* (P) */
    __global const css_key_slot *key_slot;   /* (key_mask + 1), a power of two */
    uint key_mask;
    __global const uint *key_begin, *key_predicate; /* CSR (K): predicates that a key makes true */
    __global const uint *always;                    /* predicates of SPACE, FLAG and STATE */
    /* CSR (C): predicate << 1 | negated, with CSS_LAST_OF_CLAUSE; a compound without clauses always
     * holds */
    __global const uint *literal_begin, *literal;
    /* CSR (P): compounds whose first clause has the predicate, not negated; each is tried on the
     * element kinds on which the predicate is true or undecided */
    __global const uint *bucket_begin, *bucket;
    __global const uint *universal; /* compounds to try on every element kind */
    __global const css_node *node;  /* (N) */
    __global const uint *compound_node_begin, *compound_node;             /* CSR (C) */
    __global const css_final *final;                                      /* (L) */
    __global const uint *compound_final_begin, *compound_final;           /* CSR (C) */
    __global const uint *dependency_begin, *dependency_compound;          /* CSR (D) */
    __global const uint *compound_dependency_begin, *compound_dependency; /* CSR (C) */
    __global const uint *dependency_stage;                                /* (D) */
} css_tables;

/* ---- element kinds ---- */

typedef struct css_element_kind {
    uint tag;                  /* name */
    uint name_space;           /* hed_css_namespace; bit 8: quirks mode */
    uint flags;                /* flags of document.h */
    uint states;               /* hed_css_state */
    uint first_class, classes; /* names, in kind_class */
    uint first_fact, facts;    /* predicates of FACT and ID that are true, in kind_fact */
} css_element_kind;

/* ---- the binding of a sheet to element kinds ---- */

/* Bits of a node in the automaton's state; CSS_NONE: the node cannot occur or has no such use. The
 * bits of all nodes for ancestors come first: descendants inherit these. Index: `in_parent`. */
typedef struct css_node_bits {
    uint bit[2];
} css_node_bits;

/* Transition, or acceptance, of a compound. */
typedef struct css_act {
    uint required; /* bit of the parent's state, or CSS_NONE */
    uint result;   /* transition: bit to set; acceptance: final */
} css_act;

/* Numbers of acts of a compound. Its transitions begin at css_first_transition(), its acceptances
 * at compound_final_begin[c]. */
typedef struct css_act_counts {
    uint transitions, acceptances;
} css_act_counts;

/* A compound, or a dependency, that the dynamic bits of an element decide. Residual: bit << 1 |
 * negated, with CSS_LAST_OF_CLAUSE; an AND of ORs. */
typedef struct css_candidate {
    uint number;          /* number of the compound, or of the dependency */
    uint first, literals; /* literals in the residuals; no literals: it holds */
} css_candidate;

/* Lists of an element kind: first entry and length. Only compounds are listed that have acts, or
 * that are in a dependency that a possible predicate reads. */
typedef struct css_bound_kind {
    uint first_certain, certains;        /* compounds that hold on each element of the kind */
    uint first_candidate, candidates;    /* compounds */
    uint first_dynamic, dynamics;        /* dynamic predicates: number k is bit k */
    uint first_dependency, dependencies; /* dependencies, as css_candidate */
} css_bound_kind;

/* Index of a compound's first transition; a node has two at most. */
CSS_FUNCTION uint css_first_transition(const css_tables *sheet, uint compound)
{
    return 2 * sheet->compound_node_begin[compound];
}

/* ---- predicates ---- */

/* True if the predicate reads a dependency. */
CSS_FUNCTION uint css_reads_dependency(uint kind) { return kind >= CSS_P_RELATION; }

CSS_FUNCTION uint css_is_count(uint kind) { return kind >= CSS_P_COUNT; }

/* Dependency of a predicate that reads one. */
CSS_FUNCTION uint css_dependency_of(__global const css_predicate *predicate)
{
    return css_is_count(predicate->kind) ? predicate->of.count.dependency
                                         : predicate->of.relation.dependency;
}

/* ---- keys ---- */

/* Code of a key. Names of keys have at most 30 bits, not all of them set. */
CSS_FUNCTION uint css_key_code(uint kind, uint name) { return name << 2 | kind; }

CSS_FUNCTION uint css_key_hash(uint code)
{
    code = (code ^ code >> 15) * 0x2c1b3c6du;
    return code ^ code >> 13;
}

/* Number of a key; CSS_NONE: the sheet does not have it. */
CSS_FUNCTION uint css_key_find(const css_tables *sheet, uint code)
{
    uint at = css_key_hash(code) & sheet->key_mask;
    while (sheet->key_slot[at].code != code && sheet->key_slot[at].code != CSS_NONE)
        at = (at + 1) & sheet->key_mask;
    return sheet->key_slot[at].key;
}

/* ---- three values ---- */

/* Status of a predicate or compound on an element kind; 16 predicates in a word, two bits each. */
enum css_status { CSS_FALSE, CSS_TRUE, CSS_UNDECIDED };

CSS_FUNCTION uint css_status_of(__local const uint *status, uint predicate)
{
    return status[predicate >> 4] >> (predicate & 15) * 2 & 3;
}

/* Predicate of a literal. */
CSS_FUNCTION uint css_predicate_of(uint literal) { return (literal & ~CSS_LAST_OF_CLAUSE) >> 1; }

/* True if a predicate of SPACE, FLAG, STATE, or TYPE with a matching key, holds on an element
 * kind. */
CSS_FUNCTION uint css_holds_on(
    __global const css_predicate *predicate, __global const css_element_kind *kind)
{
    switch (predicate->kind) {
    case CSS_P_TYPE:
    case CSS_P_SPACE:
        return predicate->of.name_space == CSS_NONE ||
               predicate->of.name_space == 1 + (kind->name_space & 0xff);
    case CSS_P_FLAG:
        return ((kind->flags & predicate->of.mask.bits) == predicate->of.mask.bits) !=
               (predicate->of.mask.negated != 0);
    case CSS_P_STATE:
        return ((kind->states & predicate->of.mask.bits) != 0) != (predicate->of.mask.negated != 0);
    default: return 1;
    }
}

/* Status of the compound of literals [begin, end). */
CSS_FUNCTION uint css_compound_status(
    __global const uint *literal, uint begin, uint end, __local const uint *status)
{
    uint whole = CSS_TRUE, clause = CSS_FALSE;
    for (uint i = begin; i < end; i++) {
        uint l = literal[i], s = css_status_of(status, css_predicate_of(l));
        if (s == CSS_UNDECIDED) clause = clause == CSS_TRUE ? clause : s;
        else if (s != (l & 1)) clause = CSS_TRUE;
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (clause == CSS_FALSE) return CSS_FALSE;
        if (clause == CSS_UNDECIDED) whole = CSS_UNDECIDED;
        clause = CSS_FALSE;
    }
    return whole;
}

/* True if `predicate` is the first predicate of the compound's first clause that is not false on
 * the element kind: a compound is tried through this predicate's bucket only, hence once. */
CSS_FUNCTION uint css_tried_by(
    __global const uint *literal, uint begin, __local const uint *status, uint predicate)
{
    uint at = begin;
    while (css_predicate_of(literal[at]) != predicate) {
        if (css_status_of(status, css_predicate_of(literal[at])) != CSS_FALSE) return 0;
        at++;
    }
    return 1;
}

/* True if a candidate's residual holds for the dynamic bits of an element. */
CSS_FUNCTION uint css_residual_holds(__global const uint *residual,
    __global const css_candidate *candidate, __global const uint *bits)
{
    uint clause = 0, end = candidate->first + candidate->literals;
    for (uint i = candidate->first; i < end; i++) {
        uint l = residual[i], bit = css_predicate_of(l);
        clause |= (bits[bit >> 5] >> (bit & 31) & 1) != (l & 1);
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (!clause) return 0;
        clause = 0;
    }
    return 1;
}

/* ---- positions ---- */

/* True if the position (from 1) is a n + b for some n >= 0; a and b are ints. */
CSS_FUNCTION uint css_position_fits(uint position, uint a_bits, uint b_bits)
{
    int a = (int)a_bits, b = (int)b_bits;
    if (a == 0) return position == b_bits;
    if (a > 0) {
        if (b > 0 && position < b_bits) return 0;
        return (position - b_bits) % a_bits ==
               0; /* b <= 0: below 2^32, as positions are below 2^31 */
    }
    return b > 0 && position <= b_bits && (b_bits - position) % (0u - a_bits) == 0;
}

#endif
