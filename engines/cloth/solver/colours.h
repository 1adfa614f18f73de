/* State of the solvers of colours and of sets, and of the cooperative one (colours.c), and its tables
 * (colours_tables.c). */
#ifndef CLOTH_SOLVER_COLOURS_H
#define CLOTH_SOLVER_COLOURS_H

#include "solver/element_patches.h"
#include "solver/strict_order.h"
#include "solver/strips.h"
#include "solver/tension.h"

/* Dependencies of a recorded graph, in addition to the cloth's definition. */
typedef struct graph_key {
    bool acts;    /* colliders, contacts or a driver exist */
    bool touches; /* colliders or contacts exist */
    hed_buffer *contact;
} graph_key;

typedef struct colours_buffers {
    hed_buffer *ends, *rests, *kinds, *materials, *multipliers, *steps, *set_at;
    /* bending: lines, two uint4 each (cloth_line_of()); data of their rows */
    hed_buffer *lines, *weights, *sums, *links, *pulled;
    hed_buffer *elements, *element_pulled, *cells, *cell_pulled;
    hed_buffer *moved; /* positions between the two launches of patches of elements */
} colours_buffers;

/* Elements or cells of all garments. */
typedef struct sum_list {
    uint32_t count, colours;
    uint32_t *at; /* (colours + 1) */
} sum_list;

struct cloth_solver {
    colours_buffers b;
    cloth_tension *tension;         /* NULL: none */
    bool has_tension;               /* a garment of any part has tension, so all touch more often */
    bool is_sheet;                  /* cloth_is_sheet() */
    cloth_cooperative *cooperative; /* HED_CLOTH_SOLVER_COOPERATIVE; else NULL */
    uint32_t *line_lengths;         /* (line_at[CLOTH_LINE_SETS]) of a cooperative solver */
    bool is_gathered; /* tasks are gathered: of `cooperative` for `key`, else of `lattices` */
    /* lattices over garments and at pins, each in one launch; NULL: a launch for each half sweep */
    cloth_cooperative *lattices, *pins;
    bool lattices_touch; /* `lattices` has the tasks of cloth that may touch something */
    cloth_plan **plans;  /* (garment_count) strict mode, while tables are built; absent: colours */
    uint32_t constraints, colours, materials_count;
    /* HED_CLOTH_SOLVER_SETS: maximum constraints of a set, sets of a sweep; else 0 */
    uint32_t width, sets;
    uint32_t *colour_at; /* (colours + 1) */
    uint32_t colour_room;
    uint32_t line_at[CLOTH_LINE_SETS + 1];
    sum_list elements, cells;
    uint32_t patches; /* patches in `b.elements`; 0: it has the elements by colours */
    /* true if all particles are in patches, whose first launch is then before the lattices: neither reads
     * results of the other */
    bool patches_first;
    cloth_patched patched;
    uint32_t batch;      /* substeps of the graph */
    cloth_step *written; /* (batch) content of buffer `steps`, of which `written_count` are valid */
    cloth_step *next;    /* (batch) */
    uint32_t written_count;
    hed_graph *graph;
    graph_key key;
};

/* Makes the plans of strict mode, and counts constraints, materials and colours. Errors: LIMIT, MEMORY. */
hed_status cloth_colours_plan(hed_cloth *cloth, cloth_solver *s, hed_error *error);
void cloth_colours_end_plan(hed_cloth *cloth, cloth_solver *s);
/* Uploads all tables, and ends the plans. Errors: LIMIT, MEMORY, DRIVER. */
hed_status cloth_colours_upload(hed_cloth *cloth, cloth_solver *s, hed_error *error);
/* Cuts colours into sets of `width` constraints, of which the last of a colour has the rest, and uploads
 * their beginnings. */
hed_status cloth_colours_upload_sets(hed_cloth *cloth, cloth_solver *s, hed_error *error);
/* Uploads the materials, because the materials of seams change in each frame. */
hed_status cloth_colours_send_materials(hed_cloth *cloth, const cloth_solver *s, hed_error *error);

#endif
