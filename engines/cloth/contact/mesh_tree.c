/* Tree over the triangles of the mesh colliders, made once: triangles are halved at the median
 * of their centres along the longest axis, until each leaf has a few; the number of leaves is a
 * power of two. As the meshes move, the tree keeps its shape and its boxes follow
 * (mesh_contact.h). That is good for bodies that bend too: neighbours on a surface stay
 * neighbours.
 *
 * Vertices at one position count as one, since meshes have seams between texture coordinates. */
#include "contact/contact_host.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_TRIANGLES = 4 };

typedef struct spot {
    float place[3];
    uint32_t vertex;
} spot;

/* An edge of a triangle, its ends in order. `number`: the triangle's number of the program. */
typedef struct side {
    uint32_t low, high, number, triangle, edge;
} side;

static int contact_tree_compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_spots(const void *a, const void *b)
{
    const spot *p = a, *q = b;
    for (int axis = 0; axis < 3; axis++)
        if (p->place[axis] != q->place[axis]) return p->place[axis] < q->place[axis] ? -1 : 1;
    return contact_tree_compare(p->vertex, q->vertex);
}

static int contact_tree_compare_sides(const void *a, const void *b)
{
    const side *p = a, *q = b;
    int ends =
        contact_tree_compare((uint64_t)p->low << 32 | p->high, (uint64_t)q->low << 32 | q->high);
    return ends ? ends : contact_tree_compare(p->number, q->number);
}

/* ---- one array of triangles and vertices ---- */

static hed_status contact_tree_count_all(
    cloth_tree *tree, const hed_cloth_mesh_collider *meshes, hed_error *error)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t m = 0; m < tree->mesh_count; m++) {
        const hed_cloth_mesh_collider *mesh = &meshes[m];
        tree->mesh_vertices[m] = mesh->vertex_count;
        tree->mesh_triangles[m] = mesh->triangle_count;
        vertices += mesh->vertex_count;
        triangles += mesh->triangle_count;
        for (uint64_t i = 0; i < 3 * (uint64_t)mesh->triangle_count; i++)
            if (mesh->triangles[i] >= mesh->vertex_count)
                return hed_fail(error, HED_ERROR_ARGUMENT,
                    "mesh collider %u: triangle %llu has vertex %u of %u", m,
                    (unsigned long long)(i / 3), mesh->triangles[i], mesh->vertex_count);
    }
    if (vertices > INT32_MAX || triangles > INT32_MAX / 3)
        return hed_fail(error, HED_ERROR_LIMIT,
            "mesh colliders of %llu vertices and %llu triangles: at most 2^31 corners",
            (unsigned long long)vertices, (unsigned long long)triangles);
    tree->vertex_count = (uint32_t)vertices;
    tree->triangle_count = (uint32_t)triangles;
    return HED_OK;
}

/* Sets same[v] to the first vertex of the mesh at the position of v. */
static hed_status find_same(
    cloth_tree *tree, const hed_cloth_mesh_collider *meshes, uint32_t *same, hed_error *error)
{
    uint32_t first = 0;
    for (uint32_t m = 0; m < tree->mesh_count; m++) {
        uint32_t count = meshes[m].vertex_count;
        spot *spots = hed_arena_new(&tree->scratch, count, sizeof *spots, error);
        if (!spots) return HED_ERROR_MEMORY;
        for (uint32_t v = 0; v < count; v++) {
            memcpy(spots[v].place, meshes[m].positions + 3 * (uint64_t)v, sizeof spots[v].place);
            spots[v].vertex = v;
        }
        qsort(spots, count, sizeof *spots, compare_spots);
        for (uint32_t v = 0, head = 0; v < count; v++) {
            for (int axis = 0; axis < 3; axis++)
                if (spots[v].place[axis] != spots[head].place[axis]) head = v;
            same[first + spots[v].vertex] = first + spots[head].vertex;
        }
        first += count;
    }
    return HED_OK;
}

/* ---- the tree ---- */

/* True if a precedes b along an axis; equal centres are ordered by number. */
static bool contact_tree_before(const float (*centres)[3], int axis, uint32_t a, uint32_t b)
{
    return centres[a][axis] != centres[b][axis] ? centres[a][axis] < centres[b][axis] : a < b;
}

/* Moves the k smallest to the front (Hoare's selection). */
static void select_smallest(
    uint32_t *order, uint32_t count, uint32_t k, const float (*centres)[3], int axis)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t pivot = order[low + (high - low) / 2], i = low, j = high;
        for (;;) {
            while (contact_tree_before(centres, axis, order[i], pivot)) i++;
            while (contact_tree_before(centres, axis, pivot, order[j])) j--;
            if (i >= j) break;
            uint32_t other = order[i];
            order[i++] = order[j];
            order[j--] = other;
        }
        if (k <= j) high = j;
        else low = j + 1;
    }
}

static int contact_tree_longest_axis(
    const uint32_t *order, uint32_t count, const float (*centres)[3])
{
    float extent[3];
    for (int axis = 0; axis < 3; axis++) {
        float low = centres[order[0]][axis], high = low;
        for (uint32_t i = 1; i < count; i++) {
            float place = centres[order[i]][axis];
            if (place < low) low = place;
            if (place > high) high = place;
        }
        extent[axis] = high - low;
    }
    int axis = extent[1] > extent[0] ? 1 : 0;
    return extent[2] > extent[axis] ? 2 : axis;
}

void cloth_tree_order(const uint32_t *leaf_at, uint32_t *order, const float (*centres)[3],
    uint32_t first_leaf, uint32_t leaves)
{
    while (leaves > 1) {
        uint32_t begin = leaf_at[first_leaf], middle = leaf_at[first_leaf + leaves / 2],
                 end = leaf_at[first_leaf + leaves];
        if (end - begin > 1 && middle > begin && middle < end)
            select_smallest(order + begin, end - begin, middle - begin, centres,
                contact_tree_longest_axis(order + begin, end - begin, centres));
        leaves /= 2;
        cloth_tree_order(leaf_at, order, centres, first_leaf + leaves, leaves);
    }
}

static hed_status order_triangles(
    cloth_tree *tree, const uint4 *given, const float4 *places, hed_error *error)
{
    uint32_t count = tree->triangle_count;
    for (tree->leaves = 1; (uint64_t)tree->leaves * LEAF_TRIANGLES < count;) tree->leaves *= 2;
    tree->leaf_at = hed_arena_new(&tree->arena, tree->leaves + 1, sizeof *tree->leaf_at, error);
    float(*centres)[3] = hed_arena_new(&tree->scratch, count, sizeof *centres, error);
    uint32_t *order = hed_arena_new(&tree->scratch, count, sizeof *order, error);
    if (!tree->leaf_at || !centres || !order) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i <= tree->leaves; i++)
        tree->leaf_at[i] = (uint32_t)((uint64_t)count * i / tree->leaves);
    for (uint32_t t = 0; t < count; t++) {
        float4 a = places[given[t].x], b = places[given[t].y], c = places[given[t].z];
        order[t] = t;
        centres[t][0] = a.x + b.x + c.x;
        centres[t][1] = a.y + b.y + c.y;
        centres[t][2] = a.z + b.z + c.z;
    }
    cloth_tree_order(tree->leaf_at, order, (const float(*)[3])centres, 0, tree->leaves);
    for (uint32_t t = 0; t < count; t++) {
        tree->triangles[t] = given[order[t]];
        tree->edges[t] = (uint4){CLOTH_MESH_NONE, CLOTH_MESH_NONE, CLOTH_MESH_NONE, order[t]};
    }
    return HED_OK;
}

/* ---- what lies around ---- */

static uint32_t corner_of(uint4 triangle, uint32_t corner)
{
    return corner == 0 ? triangle.x : corner == 1 ? triangle.y : triangle.z;
}

static void set_beyond(uint4 *edges, uint32_t edge, uint32_t triangle)
{
    if (edge == 0) edges->x = triangle;
    else if (edge == 1) edges->y = triangle;
    else edges->z = triangle;
}

/* Pairs the triangles of each edge; an edge with one only opens its mesh. Of three and more on an
 * edge the program's first two count, whatever the tree's shape. */
static hed_status find_edges(cloth_tree *tree, hed_error *error)
{
    uint32_t count = 3 * tree->triangle_count;
    side *sides = hed_arena_new(&tree->scratch, count, sizeof *sides, error);
    if (!sides) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = corner_of(tree->triangles[i / 3], i % 3),
                 b = corner_of(tree->triangles[i / 3], (i + 1) % 3);
        sides[i] = (side){a < b ? a : b, a < b ? b : a, tree->edges[i / 3].w, i / 3, i % 3};
    }
    qsort(sides, count, sizeof *sides, contact_tree_compare_sides);
    for (uint32_t m = 0; m < tree->mesh_count; m++) tree->closed[m] = true;
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1;
             next < count && sides[next].low == sides[i].low && sides[next].high == sides[i].high;)
            next++;
        if (sides[i].low == sides[i].high) continue; /* of a triangle without area */
        if (next == i + 1) {
            tree->closed[tree->triangles[sides[i].triangle].w] = false;
            continue;
        }
        set_beyond(&tree->edges[sides[i].triangle], sides[i].edge, sides[i + 1].triangle);
        set_beyond(&tree->edges[sides[i + 1].triangle], sides[i + 1].edge, sides[i].triangle);
    }
    return HED_OK;
}

/* Sorts the triangles around each vertex in the program's order, so that sums over them do not
 * depend on the tree's shape. */
static hed_status contact_tree_find_incident(cloth_tree *tree, hed_error *error)
{
    uint32_t count = 3 * tree->triangle_count;
    uint32_t *slot_of = hed_arena_new(&tree->scratch, tree->triangle_count, sizeof *slot_of, error);
    if (!slot_of) return HED_ERROR_MEMORY;
    for (uint32_t t = 0; t < tree->triangle_count; t++) slot_of[tree->edges[t].w] = t;
    for (uint32_t i = 0; i < count; i++)
        tree->incident_at[corner_of(tree->triangles[i / 3], i % 3) + 1]++;
    for (uint32_t v = 0; v < tree->vertex_count; v++)
        tree->incident_at[v + 1] += tree->incident_at[v];
    /* from behind: what is left in incident_at[v + 1] ends as the end of v */
    for (uint32_t i = count; i-- > 0;) {
        uint32_t slot = slot_of[i / 3], v = corner_of(tree->triangles[slot], i % 3);
        tree->incident[--tree->incident_at[v + 1]] = slot;
    }
    for (uint32_t v = 0; v < tree->vertex_count; v++)
        tree->incident_at[v] = tree->incident_at[v + 1];
    tree->incident_at[tree->vertex_count] = count;
    return HED_OK;
}

/* ---- all of it ---- */

static hed_status contact_tree_make(
    cloth_tree *tree, const hed_cloth_mesh_collider *meshes, hed_error *error)
{
    if (contact_tree_count_all(tree, meshes, error)) return error->status;
    hed_arena *arena = &tree->arena, *scratch = &tree->scratch;
    uint64_t vertices = tree->vertex_count, triangles = tree->triangle_count;
    tree->triangles = hed_arena_new(arena, triangles, sizeof *tree->triangles, error);
    tree->edges = hed_arena_new(arena, triangles, sizeof *tree->edges, error);
    tree->incident_at = hed_arena_new(arena, vertices + 1, sizeof *tree->incident_at, error);
    tree->incident = hed_arena_new(arena, 3 * triangles, sizeof *tree->incident, error);
    uint4 *given = hed_arena_new(scratch, triangles, sizeof *given, error);
    float4 *places = hed_arena_new(scratch, vertices, sizeof *places, error);
    uint32_t *same = hed_arena_new(scratch, vertices, sizeof *same, error);
    if (arena->failed || scratch->failed || find_same(tree, meshes, same, error))
        return HED_ERROR_MEMORY;
    uint32_t first = 0, t = 0;
    for (uint32_t m = 0; m < tree->mesh_count; m++) {
        const hed_cloth_mesh_collider *mesh = &meshes[m];
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            const float *place = mesh->positions + 3 * (uint64_t)v;
            places[first + v] = (float4){place[0], place[1], place[2], 0.0f};
        }
        for (uint32_t i = 0; i < mesh->triangle_count; i++) {
            const uint32_t *corner = mesh->triangles + 3 * (uint64_t)i;
            given[t++] = (uint4){
                same[first + corner[0]], same[first + corner[1]], same[first + corner[2]], m};
        }
        first += mesh->vertex_count;
    }
    if (order_triangles(tree, given, places, error) || find_edges(tree, error))
        return error->status;
    return contact_tree_find_incident(tree, error);
}

hed_status cloth_tree_create(const hed_allocator *allocator, const hed_cloth_mesh_collider *meshes,
    uint32_t mesh_count, cloth_tree **tree, hed_error *error)
{
    hed_error own = {0};
    if (!error) error = &own;
    *tree = NULL;
    hed_arena arena = {.allocator = *allocator, .owner = "mesh colliders"};
    cloth_tree *made = hed_arena_new(&arena, 1, sizeof *made, error);
    if (!made) return HED_ERROR_MEMORY;
    made->mesh_count = mesh_count;
    made->scratch = (hed_arena){.allocator = *allocator, .owner = "mesh colliders"};
    made->arena = arena;
    made->mesh_vertices =
        hed_arena_new(&made->arena, mesh_count, sizeof *made->mesh_vertices, error);
    made->mesh_triangles =
        hed_arena_new(&made->arena, mesh_count, sizeof *made->mesh_triangles, error);
    made->closed = hed_arena_new(&made->arena, mesh_count, sizeof *made->closed, error);
    if (!made->arena.failed) contact_tree_make(made, meshes, error);
    hed_arena_free(&made->scratch);
    if (error->status) cloth_tree_destroy(made);
    else *tree = made;
    return error->status;
}

void cloth_tree_destroy(cloth_tree *tree)
{
    if (tree) hed_arena_free(&tree->arena);
}
