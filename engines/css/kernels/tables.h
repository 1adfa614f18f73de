/* A compiled sheet, the shapes of a forest, and what binding makes of both: flat arrays of 32-bit words
 * and the words that read them, one text for C, OpenCL C and CUDA. No pointers, no sizes but uint.
 *
 * THE ALGORITHM. Elements are many, but few of them differ in what a sheet can ask.
 *
 * 1. Shapes (solver/forest.c): elements with the same namespace, type, classes, states and language whose
 *    attributes and ids are the same as far as the sheet asks (solver/facts.c) share a shape. What is left
 *    varies from element to element: places among the others.
 * 2. A sheet is compiled (solver/compile.c) into predicates, compounds and prefixes. A compound is an
 *    AND of clauses; a clause is an OR of literals; a literal is a predicate, or not. Whatever does not
 *    look upwards is made part of a compound: a + b ~ c is the compound c with a literal "some earlier
 *    sibling is [b whose previous sibling is a]". So are complex selectors inside of :is() and :not(),
 *    :has() and the lists of :nth-child(): predicates of kind RELATION and COUNT ask whether another
 *    element *feeds* them, which stands somewhere to this one; a feed is fed by the elements on which
 *    one of its compounds holds. :has(x > y) is "some descendant is [x with some child [y]]".
 *    What is left of a selector is compounds with ' ' and '>' between them: a path of prefixes (nodes),
 *    shared by all selectors that begin alike, with finals at its end.
 * 3. Bind (solver/bind.c), for each sheet and forest: a predicate is true, false or undecided for a
 *    shape; so is a compound: certain, impossible, or what is left of its clauses in undecided literals.
 *    Predicates that no shape has are false everywhere; prefixes that cannot occur in the forest are
 *    pruned, and so is all that needs them. This is what makes the pass quick.
 *    Undecided predicates that are left are the shape's *asks*; ask number k of a shape is bit k of the
 *    varying bits of its elements.
 * 4. Pass (solver/pass.c): a signature is a shape with a value of its varying bits. It says which
 *    compounds hold, hence what the element does to the state that it has from its parent: a bit for
 *    each live prefix that has matched some ancestor (D) or the parent itself (m). A class is (state of
 *    the parent, signature): it has the state for the children and the ascending list of rules.
 *    Elements only get the number of a class.
 *
 * Feeds depend on each other, without a circle. On the processor they are found in sweeps over the
 * document: forwards for what stands above or before, backwards for what stands below or behind; the
 * last sweep is the pass itself. On a device they are found in stages: feed_stage is 0 where a feed's
 * compounds have no RELATION and no COUNT, else one more than the greatest stage of the feeds that these
 * read; within a stage all elements are independent.
 *
 * THE ARRAYS. (n) is the length in words, CSR a list of beginnings with one more at its end.
 * P predicates, K keys, C compounds, N nodes, L finals, F feeds: of a compiled sheet.
 * S shapes, E elements: of a forest.
 *
 * Sheet (compile.c):
 *   predicate          (4 P)     kind, then as enum css_predicate says; a predicate has a greater
 *                                number than those in the compounds of the feed that it reads
 *   key_slot           (2 size)  hash table of keys by css_key_code(): code, number of the key; size is
 *                                a power of two, CSS_NONE a free slot. See css_key_find()
 *   key_begin key_predicate      (K + 1) CSR, predicates that the key may make true
 *   always             ( )       predicates of SPACE, FLAG and STATE: tried on each shape
 *   literal_begin literal        (C + 1) CSR, literals of a compound: predicate << 1 | negated, bit 31
 *                                in the last of a clause. No clause: it always holds
 *   bucket_begin bucket          (P + 1) CSR, compounds to try where the predicate is true or undecided:
 *                                those that have it, not negated, in their first clause
 *   universal          ( )       compounds to try on every shape
 *   node               (4 N)     compound, the node that it needs or CSS_NONE, 1 where that must be the
 *                                parent, uses: 1 some prefix or final asks for it in an ancestor, 2 in
 *                                the parent. A node has a greater number than the one it needs
 *   inner_begin inner            (C + 1) CSR, nodes of a compound
 *   final              (4 L)     needed node or CSS_NONE, 1 where that must be the parent, rule,
 *                                complex selector. Finals are numbered by rule ascending, within a rule
 *                                by specificity descending
 *   final_begin compound_final   (C + 1) CSR, finals of a compound
 *   feed_begin feed_compound     (F + 1) CSR, the compounds that feed a feed
 *   fed_begin fed                (C + 1) CSR, the feeds of a compound
 *   feed_stage         (F)
 *
 * Forest (forest.c; facts.c, which evaluates each predicate with a string once for each distinct
 * attribute and language, on the processor):
 *   shape              (8 S)     see enum css_shape_word
 *   shape_class        ( )       names of classes
 *   shape_fact         ( )       predicates of FACT and ID that are true by attributes, language and id
 *   element_shape      (E)
 *   parent previous end position[4]  (E) as in model/document.h
 *
 * Bound (bind.c on the processor, a kernel on a device):
 *   possible           (P)       1: true or undecided on some shape
 *   node_bit           (2 N)     bits of the state: D, m; CSS_NONE: unused, or cannot occur. D bits come
 *                                first: those below `d_bits` stay in the state from the parent
 *   act_count          (2 C)     how many inner acts and final acts a compound has
 *   inner_act          (4 x inner) acts of compound c begin at pair 2 inner_begin[c]: needed bit or
 *                                CSS_NONE, bit to set
 *   final_act          (2 x compound_final) of compound c begin at pair final_begin[c]: needed bit or
 *                                CSS_NONE, final
 *   bound              (8 S)     see enum css_bound_word: where lists of a shape begin and how long
 *   certain            ( )       compounds that hold on each element of the shape
 *   candidate          (3 x )    compound, first word in residual, count
 *   residual           ( )       bit << 1 | negated, bit 31 in the last of a clause; an AND of ORs
 *   ask                ( )       predicates: ask k of a shape is bit k
 *   feeding            (3 x )    feed, first word in residual, count (0: certain)
 * Only compounds are listed that do something: have acts, or feed a feed that a possible predicate reads.
 */
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

#define CSS_LAST_OF_CLAUSE 0x80000000u

/* What a predicate is: the first of its four words. */
enum css_predicate {
    CSS_P_TYPE,  /* by key; namespace asked for as in css_simple, 0, 0 */
    CSS_P_CLASS, /* by key; 0, 0, 0 */
    CSS_P_FACT,  /* by fact: attributes and :lang(); 0, 0, 0 */
    CSS_P_SPACE, /* always; namespace, 0, 0 */
    CSS_P_FLAG,  /* always; bits of document.h that are all set, negated, 0 */
    CSS_P_STATE, /* always; bits of hed_css_state one of which is set, negated, 0 */
    CSS_P_ID,    /* by fact; the name, the same in lower case (quirks mode), 0 */
    CSS_P_POSITION, /* varies; position (0 child, 1 last child, 2 of type, 3 last of type), a, b of a n + b */
    CSS_P_RELATION, /* varies; css_relation, feed, 0 */
    CSS_P_COUNT,    /* varies; feed << 1 | counted from the end, a, b: one more than the number of
                      * siblings before (behind) that feed is a n + b */
    CSS_P_WORDS = 4
};

/* Where the elements stand, one of which has to feed. */
enum css_relation {
    CSS_FROM_PARENT,
    CSS_FROM_ANCESTOR,
    CSS_FROM_PREVIOUS, /* sibling next before */
    CSS_FROM_EARLIER,  /* any sibling before */
    CSS_FROM_CHILD,
    CSS_FROM_DESCENDANT,
    CSS_FROM_NEXT,
    CSS_FROM_LATER,
    CSS_FROM_SELF
};

/* Keys: names in a role. HTML: in HTML elements, lower case; QUIRKS: in quirks mode, lower case. */
enum css_key_kind { CSS_KEY_TYPE, CSS_KEY_TYPE_HTML, CSS_KEY_CLASS, CSS_KEY_CLASS_QUIRKS };

enum css_shape_word {
    CSS_SHAPE_TAG,   /* name */
    CSS_SHAPE_SPACE, /* hed_css_namespace; bit 8: quirks mode */
    CSS_SHAPE_FLAGS,
    CSS_SHAPE_STATES,
    CSS_SHAPE_CLASS, /* in shape_class */
    CSS_SHAPE_CLASSES,
    CSS_SHAPE_FACT, /* in shape_fact */
    CSS_SHAPE_FACTS,
    CSS_SHAPE_WORDS
};

enum css_bound_word {
    CSS_BOUND_CERTAIN,
    CSS_BOUND_CERTAINS,
    CSS_BOUND_CANDIDATE, /* in candidates of three words */
    CSS_BOUND_CANDIDATES,
    CSS_BOUND_ASK,
    CSS_BOUND_ASKS,
    CSS_BOUND_FEEDING, /* in feedings of three words */
    CSS_BOUND_FEEDINGS,
    CSS_BOUND_WORDS
};

/* ---- keys ---- */

/* Names of keys have at most 30 bits, not all of them set. */
CSS_FUNCTION uint css_key_code(uint kind, uint name) { return name << 2 | kind; }

CSS_FUNCTION uint css_key_hash(uint code)
{
    code = (code ^ code >> 15) * 0x2c1b3c6du;
    return code ^ code >> 13;
}

/* Number of a key, CSS_NONE where the sheet does not have it. `mask`: size of the table, less 1. */
CSS_FUNCTION uint css_key_find(__global const uint *key_slot, uint mask, uint code)
{
    uint at = css_key_hash(code) & mask;
    while (key_slot[2 * at] != code && key_slot[2 * at] != CSS_NONE) at = (at + 1) & mask;
    return key_slot[2 * at + 1];
}

/* ---- three values ---- */

/* Two bits for each predicate, 16 in a word. */
enum css_status { CSS_FALSE, CSS_TRUE, CSS_UNDECIDED };

CSS_FUNCTION uint css_status_of(__local const uint *status, uint predicate)
{
    return status[predicate >> 4] >> (predicate & 15) * 2 & 3;
}

/* Whether a predicate of SPACE, FLAG, STATE or TYPE (whose key fits) holds on a shape. */
CSS_FUNCTION uint css_holds_on(__global const uint *predicate, __global const uint *shape)
{
    uint flags = shape[CSS_SHAPE_FLAGS], states = shape[CSS_SHAPE_STATES];
    uint space = predicate[1];
    switch (predicate[0]) {
    case CSS_P_TYPE:
    case CSS_P_SPACE: return space == CSS_NONE || space == 1 + (shape[CSS_SHAPE_SPACE] & 0xff);
    case CSS_P_FLAG: return ((flags & predicate[1]) == predicate[1]) != (predicate[2] != 0);
    case CSS_P_STATE: return ((states & predicate[1]) != 0) != (predicate[2] != 0);
    default: return 1;
    }
}

/* A compound on a shape: CSS_FALSE, CSS_TRUE or CSS_UNDECIDED, by the literals from `begin` to `end`. */
CSS_FUNCTION uint css_compound_status(
    __global const uint *literal, uint begin, uint end, __local const uint *status)
{
    uint whole = CSS_TRUE, clause = CSS_FALSE;
    for (uint i = begin; i < end; i++) {
        uint l = literal[i], s = css_status_of(status, (l & ~CSS_LAST_OF_CLAUSE) >> 1);
        if (s == CSS_UNDECIDED) clause = clause == CSS_TRUE ? clause : s;
        else if (s != (l & 1)) clause = CSS_TRUE;
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (clause == CSS_FALSE) return CSS_FALSE;
        if (clause == CSS_UNDECIDED) whole = CSS_UNDECIDED;
        clause = CSS_FALSE;
    }
    return whole;
}

/* Whether `predicate` is the first literal of a compound's first clause that a shape may have: the one
 * through whose bucket the compound is tried, so that it is tried once. */
CSS_FUNCTION uint css_tried_by(
    __global const uint *literal, uint begin, __local const uint *status, uint predicate)
{
    uint at = begin;
    while ((literal[at] & ~CSS_LAST_OF_CLAUSE) >> 1 != predicate) {
        if (css_status_of(status, (literal[at] & ~CSS_LAST_OF_CLAUSE) >> 1) != CSS_FALSE) return 0;
        at++;
    }
    return 1;
}

/* Whether what is left of a compound holds for the varying bits of an element. */
CSS_FUNCTION uint css_residual_holds(
    __global const uint *residual, uint begin, uint count, __global const uint *bits)
{
    uint clause = 0;
    for (uint i = begin; i < begin + count; i++) {
        uint l = residual[i], bit = (l & ~CSS_LAST_OF_CLAUSE) >> 1;
        clause |= (bits[bit >> 5] >> (bit & 31) & 1) != (l & 1);
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (!clause) return 0;
        clause = 0;
    }
    return 1;
}

/* ---- places ---- */

/* Whether position (from 1) is a k + b for a k of at least 0. */
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
