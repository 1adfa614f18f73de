/* Reader of glTF 2.0, .glb and .gltf (Khronos, glTF 2.0 Specification): every triangle of the
 * scene's nodes, each transformed by its node. Vertices stay in their accessors' order;
 * primitives follow each other as the meshes list them, meshes as the nodes do, parents first.
 * Primitives of a mesh with the same accessors use the same vertices. Morph targets have the weights
 * of the file; skins and animations are not applied. Numbers are taken unchanged: glTF means metres, y up,
 * except in a file of hed_cloth_mesh_save_glb(), whose node is ignored. */
#include "files/gltf.h"

#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 0, TRIANGLES = 4, STRIP, FAN };

/* Node to read, and its matrix to the scene: rows of 4. */
typedef struct step {
    uint32_t node;
    bool inside; /* the node, or one above it, is the requested one */
    double matrix[12];
} step;

/* Vertices of the last primitive, which the next primitive may use again. */
typedef struct shared {
    int64_t attributes[4]; /* accessors; -1: absent */
    bool there;
    uint32_t first, count;                /* vertices */
    uint32_t first_normal, first_texture; /* CLOTH_NO_INDEX: absent */
} shared;

enum { POSITION, NORMAL, TEXTURE, COLOUR };
static const char *const attribute_names[] = {"POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0"};

typedef struct reader {
    cloth_gltf gltf;
    cloth_rows rows;
    shared last;
    uint32_t without_faces; /* number of primitives of points, of lines, or without positions */
    bool deformed;          /* true: the document has a skin */
    cloth_list *parts;      /* NULL: not needed */
    uint32_t node;          /* the node that is read */
    uint32_t weight_count;
    double *weights; /* (weight_count) of the node's morph targets */
} reader;

static double determinant(const double m[12])
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

/* Reads "matrix", column by column, or "translation", "rotation" (a quaternion x y z w),
 * "scale". */
void cloth_gltf_read_place(const cloth_gltf *gltf, hed_json_node node, cloth_gltf_place *place)
{
    static const double LIMIT = 1e30;
    *place = (cloth_gltf_place){.turn = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    hed_json_node asset = hed_json_member(gltf->root, "asset");
    if (hed_json_has(asset, "generator") &&
        strcmp(hed_json_string(hed_json_member(asset, "generator")), CLOTH_GLB_GENERATOR) == 0)
        return;
    place->fixed = hed_json_has(node, "matrix");
    if (place->fixed) {
        double columns[16] = {0};
        hed_json_numbers(hed_json_member(node, "matrix"), columns, 16, -LIMIT, LIMIT);
        for (int i = 0; i < 12; i++) place->matrix[i] = columns[i % 4 * 4 + i / 4];
        return;
    }
    if (hed_json_has(node, "translation"))
        hed_json_numbers(hed_json_member(node, "translation"), place->move, 3, -LIMIT, LIMIT);
    if (hed_json_has(node, "rotation"))
        hed_json_numbers(hed_json_member(node, "rotation"), place->turn, 4, -1.001, 1.001);
    if (hed_json_has(node, "scale"))
        hed_json_numbers(hed_json_member(node, "scale"), place->scale, 3, -LIMIT, LIMIT);
}

void cloth_gltf_matrix(const cloth_gltf_place *place, double m[12])
{
    if (place->fixed) {
        memcpy(m, place->matrix, sizeof place->matrix);
        return;
    }
    const double *q = place->turn, *scale = place->scale, *move = place->move;
    double x = q[0], y = q[1], z = q[2], w = q[3], size = x * x + y * y + z * z + w * w;
    double s = size > 0 ? 2 / size : 0;
    const double turn[9] = {1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x), s * (x * z - w * y),
        s * (y * z + w * x), 1 - s * (x * x + y * y)};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) m[4 * i + k] = turn[3 * i + k] * scale[k];
        m[4 * i + 3] = move[i];
    }
}

void cloth_gltf_product(const double a[12], const double b[12], double product[12])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            product[4 * i + j] = a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] +
                                 a[4 * i + 2] * b[8 + j] + (j == 3 ? a[4 * i + 3] : 0);
}

/* ---- vertices ---- */

/* Adds `count` rows to a list; returns the first of them. */
static float *add_rows(reader *r, cloth_list *list, uint32_t count)
{
    size_t first = list->count;
    for (uint32_t i = 0; i < count; i++)
        if (!cloth_list_add(list)) {
            cloth_gltf_starve(&r->gltf);
            return NULL;
        }
    return (float *)list->rows + first * (list->size / sizeof(float));
}

/* Adds the morph targets of a primitive to its positions, by the node's weights. */
static void add_targets(reader *r, hed_json_node primitive, float *positions, uint32_t count)
{
    for (uint32_t t = 0; t < r->weight_count; t++) {
        if (r->weights[t] == 0) continue;
        float *moves = cloth_gltf_target(&r->gltf, primitive, t, count);
        for (size_t i = 0; moves && i < 3 * (size_t)count; i++)
            positions[i] = (float)((double)positions[i] + r->weights[t] * (double)moves[i]);
        free(moves);
    }
}

static void add_positions(
    reader *r, hed_json_node primitive, hed_json_node index, const double m[12])
{
    uint32_t count, components;
    float *from = cloth_gltf_floats(&r->gltf, index, 3, 3, &components, &count);
    r->last.first = (uint32_t)r->rows.elements[CLOTH_POSITION].count;
    r->last.count = count;
    if (from) add_targets(r, primitive, from, count);
    if (from)
        cloth_gltf_limit(&r->gltf, r->rows.elements[CLOTH_POSITION].count + count, "vertices");
    float *to = from && cloth_gltf_fine(&r->gltf)
                    ? add_rows(r, &r->rows.elements[CLOTH_POSITION], count)
                    : NULL;
    for (size_t i = 0; to && i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            const float *p = from + 3 * i;
            const double *row = m + 4 * k;
            to[3 * i + k] = (float)(row[0] * (double)p[0] + row[1] * (double)p[1] +
                                    row[2] * (double)p[2] + row[3]);
            if (isfinite(to[3 * i + k])) continue;
            hed_json_reject(index, "vertex %zu (counted from 0) is placed beyond all numbers", i);
            to = NULL;
            break;
        }
    free(from);
}

/* Reads the floats of an attribute that has to fit the positions. NULL: absent, or an error is
 * recorded. */
static float *read_attribute(reader *r, hed_json_node attributes, int attribute, uint32_t least,
    uint32_t most, uint32_t *components)
{
    uint32_t count;
    if (!cloth_gltf_fine(&r->gltf) || !hed_json_has(attributes, attribute_names[attribute]))
        return NULL;
    hed_json_node index = hed_json_member(attributes, attribute_names[attribute]);
    float *from = cloth_gltf_floats(&r->gltf, index, least, most, components, &count);
    if (!from || count == r->last.count) return from;
    hed_json_reject(index, "has %u elements, and POSITION has %u", count, r->last.count);
    free(from);
    return NULL;
}

/* Adds normals, transformed by the transposed inverse: the matrix of cofactors, except for its
 * scale and its sign. */
static void add_normals(reader *r, hed_json_node attributes, const double m[12])
{
    uint32_t components;
    float *from = read_attribute(r, attributes, NORMAL, 3, 3, &components);
    r->last.first_normal = from ? (uint32_t)r->rows.elements[CLOTH_NORMAL].count : CLOTH_NO_INDEX;
    float *to = from ? add_rows(r, &r->rows.elements[CLOTH_NORMAL], r->last.count) : NULL;
    double cofactor[9], sign = determinant(m) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            cofactor[3 * i + j] =
                sign * (m[4 * a + c] * m[4 * b + d] - m[4 * a + d] * m[4 * b + c]);
        }
    for (size_t i = 0; to && i < r->last.count; i++) {
        double n[3], size = 0;
        for (size_t k = 0; k < 3; k++) {
            n[k] = 0;
            for (size_t j = 0; j < 3; j++) n[k] += cofactor[3 * k + j] * (double)from[3 * i + j];
            size += n[k] * n[k];
        }
        bool usable = size > 0 && isfinite(size);
        for (size_t k = 0; k < 3; k++) to[3 * i + k] = usable ? (float)(n[k] / sqrt(size)) : 0;
    }
    free(from);
}

static void add_textures(reader *r, hed_json_node attributes)
{
    uint32_t components;
    float *from = read_attribute(r, attributes, TEXTURE, 2, 2, &components);
    r->last.first_texture = from ? (uint32_t)r->rows.elements[CLOTH_TEXTURE].count : CLOTH_NO_INDEX;
    float *to = from ? add_rows(r, &r->rows.elements[CLOTH_TEXTURE], r->last.count) : NULL;
    for (size_t i = 0; to && i < r->last.count; i++) {
        to[2 * i] = from[2 * i];
        /* glTF counts from the picture's upper edge, OBJ from its lower edge */
        to[2 * i + 1] = 1 - from[2 * i + 1];
    }
    free(from);
}

/* Adds colours; vertices without a colour are white if any vertex has one. */
static void add_colours(reader *r, hed_json_node attributes)
{
    uint32_t components = 0;
    float *from = read_attribute(r, attributes, COLOUR, 3, 4, &components);
    if (!cloth_gltf_fine(&r->gltf) || (!from && r->rows.colours.count == 0)) return;
    uint32_t missing = (uint32_t)(r->rows.elements[CLOTH_POSITION].count - r->rows.colours.count);
    float *to = add_rows(r, &r->rows.colours, missing);
    for (size_t i = 0; to && i < missing; i++)
        for (size_t k = 0; k < 4; k++) {
            bool has_value = from && i + r->last.count >= missing && k < components;
            float value = has_value ? from[(i + r->last.count - missing) * components + k] : 1;
            to[4 * i + k] = fminf(fmaxf(value, 0), 1);
        }
    free(from);
}

static void add_vertices(
    reader *r, hed_json_node primitive, hed_json_node attributes, const double m[12])
{
    shared current = {.there = true};
    for (int i = 0; i < 4; i++)
        current.attributes[i] =
            hed_json_has(attributes, attribute_names[i])
                ? hed_json_integer(hed_json_member(attributes, attribute_names[i]), 0, INT32_MAX)
                : -1;
    if (r->last.there &&
        memcmp(current.attributes, r->last.attributes, sizeof current.attributes) == 0)
        return;
    r->last = current;
    add_positions(r, primitive, hed_json_member(attributes, "POSITION"), m);
    cloth_gltf_part *part = r->parts && cloth_gltf_fine(&r->gltf) ? cloth_list_add(r->parts) : NULL;
    if (part)
        *part = (cloth_gltf_part){r->node, r->last.first, r->last.count, attributes, primitive};
    else if (r->parts) cloth_gltf_starve(&r->gltf);
    add_normals(r, attributes, m);
    add_textures(r, attributes);
    add_colours(r, attributes);
}

/* ---- faces ---- */

static bool add_corner(reader *r, uint32_t vertex)
{
    const uint32_t first[] = {r->last.first, r->last.first_texture, r->last.first_normal};
    for (int kind = 0; kind < CLOTH_CORNER_KINDS; kind++) {
        uint32_t *row = cloth_list_add(&r->rows.corners[kind]);
        if (!row) return false;
        *row = first[kind] == CLOTH_NO_INDEX ? CLOTH_NO_INDEX : first[kind] + vertex;
    }
    return true;
}

static void add_triangles(reader *r, hed_json_node primitive, int64_t mode, bool mirrored)
{
    uint32_t count = r->last.count, *indices = NULL;
    if (!cloth_gltf_fine(&r->gltf)) return;
    if (hed_json_has(primitive, "indices"))
        indices = cloth_gltf_indices(
            &r->gltf, hed_json_member(primitive, "indices"), r->last.count, &count);
    if (cloth_gltf_fine(&r->gltf) && (mode == TRIANGLES ? count % 3 != 0 : count < 3))
        hed_json_reject(primitive, "found %u corners, expected %s", count,
            mode == TRIANGLES ? "three for each triangle" : "3 or more");
    uint32_t triangles = mode == TRIANGLES ? count / 3 : count - 2;
    if (cloth_gltf_fine(&r->gltf))
        cloth_gltf_limit(
            &r->gltf, r->rows.corners[CLOTH_POSITION].count + 3 * (uint64_t)triangles, "corners");
    for (uint32_t i = 0; i < triangles && cloth_gltf_fine(&r->gltf); i++) {
        uint32_t place[3], v[3];
        /* chapter 3.7.2.1 */
        if (mode == TRIANGLES) place[0] = 3 * i, place[1] = 3 * i + 1, place[2] = 3 * i + 2;
        else if (mode == STRIP) place[0] = i, place[1] = i + 1 + i % 2, place[2] = i + 2 - i % 2;
        else place[0] = i + 1, place[1] = i + 2, place[2] = 0;
        for (int k = 0; k < 3; k++) v[k] = indices ? indices[place[k]] : place[k];
        /* A triangle that joins two parts of a strip has no area, on purpose. */
        if (mode == STRIP && (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])) continue;
        bool added = add_corner(r, v[0]) && add_corner(r, v[mirrored ? 2 : 1]) &&
                     add_corner(r, v[mirrored ? 1 : 2]);
        uint32_t *end = added ? cloth_list_add(&r->rows.face_at) : NULL;
        if (!end) cloth_gltf_starve(&r->gltf);
        else *end = (uint32_t)r->rows.corners[CLOTH_POSITION].count;
    }
    free(indices);
}

/* ---- meshes ---- */

static void add_span(reader *r, cloth_list *spans, const char *name, bool object)
{
    hed_cloth_mesh_span *span = cloth_gltf_fine(&r->gltf) ? cloth_list_add(spans) : NULL;
    if (span)
        *span = (hed_cloth_mesh_span){strdup(name), (uint32_t)r->rows.face_at.count - 1, object};
    if (!span || !span->name) cloth_gltf_starve(&r->gltf);
}

static const char *gltf_name_of(hed_json_node node)
{
    return hed_json_has(node, "name") ? hed_json_string(hed_json_member(node, "name")) : "";
}

static void read_primitive(reader *r, hed_json_node primitive, const double m[12])
{
    int64_t mode = hed_json_has(primitive, "mode")
                       ? hed_json_integer(hed_json_member(primitive, "mode"), POINTS, FAN)
                       : TRIANGLES;
    hed_json_node attributes = hed_json_member(primitive, "attributes");
    if (mode < TRIANGLES || !hed_json_has(attributes, "POSITION")) {
        r->without_faces += cloth_gltf_fine(&r->gltf);
        return;
    }
    const char *material = "";
    if (hed_json_has(primitive, "material"))
        material = gltf_name_of(
            cloth_gltf_find(&r->gltf, hed_json_member(primitive, "material"), "materials"));
    add_span(r, &r->rows.materials, material, false);
    add_vertices(r, primitive, attributes, m);
    add_triangles(r, primitive, mode, determinant(m) < 0);
}

static void read_mesh(reader *r, hed_json_node node, const double m[12])
{
    hed_json_node mesh = cloth_gltf_find(&r->gltf, hed_json_member(node, "mesh"), "meshes");
    hed_json_node primitives = hed_json_member(mesh, "primitives");
    size_t count = hed_json_count(primitives);
    const char *name = gltf_name_of(mesh);
    r->deformed |= hed_json_has(node, "skin");
    r->last.there = false; /* another node transforms the vertices differently */
    r->weights = cloth_gltf_weights(&r->gltf, node, &r->weight_count);
    add_span(r, &r->rows.groups, *name ? name : gltf_name_of(node), true);
    for (size_t i = 0; i < count && cloth_gltf_fine(&r->gltf); i++)
        read_primitive(r, hed_json_item(primitives, i), m);
    free(r->weights);
    r->weights = NULL;
}

/* ---- nodes ---- */

/* Pushes a list of nodes below `parent` on the stack, the first one on top. */
static void push_nodes(
    reader *r, hed_json_node list, const step *parent, step *stack, size_t *depth, uint8_t *met)
{
    for (size_t i = hed_json_count(list); i-- > 0 && cloth_gltf_fine(&r->gltf);) {
        hed_json_node index = hed_json_item(list, i);
        cloth_gltf_find(&r->gltf, index, "nodes");
        if (!cloth_gltf_fine(&r->gltf)) return;
        uint32_t number = (uint32_t)hed_json_integer(index, 0, INT32_MAX);
        if (met[number]++) {
            hed_json_reject(index, "node %u is there twice, expected a tree", number);
            return;
        }
        stack[*depth] = *parent;
        stack[(*depth)++].node = number;
    }
}

/* Pushes the nodes without a parent; for documents without a scene. */
static void push_roots(
    reader *r, hed_json_node nodes, const step *parent, step *stack, size_t *depth, uint8_t *met)
{
    size_t count = hed_json_count(nodes);
    for (size_t i = 0; i < count && cloth_gltf_fine(&r->gltf); i++) {
        hed_json_node node = hed_json_item(nodes, i);
        if (!hed_json_has(node, "children")) continue;
        hed_json_node children = hed_json_member(node, "children");
        for (size_t k = hed_json_count(children); k-- > 0 && cloth_gltf_fine(&r->gltf);) {
            int64_t child = hed_json_integer(hed_json_item(children, k), 0, INT32_MAX);
            if ((uint64_t)child < count) met[child] = 1;
        }
    }
    for (size_t i = count; i-- > 0;) {
        if (!met[i]) {
            stack[*depth] = *parent;
            stack[(*depth)++].node = (uint32_t)i;
        }
        met[i] = !met[i];
    }
}

/* Rejects a name that no node has; names the nodes with a mesh. */
static void reject_node(cloth_gltf *g, hed_json_node nodes)
{
    char list[256] = "";
    size_t used = 0, count = hed_json_count(nodes);
    for (size_t i = 0; i < count && used < sizeof list; i++) {
        hed_json_node node = hed_json_item(nodes, i);
        if (!hed_json_has(node, "mesh")) continue;
        used += (size_t)snprintf(
            list + used, sizeof list - used, "%s\"%s\"", used ? ", " : "", gltf_name_of(node));
    }
    hed_json_reject(
        nodes, "no node is called \"%s\"; those with a mesh are %s", g->node, used ? list : "none");
}

/* Reads the meshes of all nodes, or of the named node and its descendants. */
static void read_nodes(reader *r)
{
    cloth_gltf *g = &r->gltf;
    const step root = {.inside = !g->node, .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    bool is_found = root.inside;
    hed_json_node nodes = hed_json_member(g->root, "nodes"), scene = {0};
    size_t count = hed_json_count(nodes), depth = 0;
    step *stack = calloc(count + 1, sizeof *stack);
    uint8_t *met = calloc(count + 1, 1);
    if (!stack || !met) cloth_gltf_starve(g);
    bool scenes = cloth_gltf_fine(g) && hed_json_has(g->root, "scenes");
    if (scenes && hed_json_has(g->root, "scene"))
        scene = cloth_gltf_find(g, hed_json_member(g->root, "scene"), "scenes");
    else if (scenes) scene = hed_json_item(hed_json_member(g->root, "scenes"), 0);
    if (scenes && cloth_gltf_fine(g) && hed_json_has(scene, "nodes"))
        push_nodes(r, hed_json_member(scene, "nodes"), &root, stack, &depth, met);
    else if (!scenes && cloth_gltf_fine(g)) push_roots(r, nodes, &root, stack, &depth, met);
    while (depth > 0 && cloth_gltf_fine(g)) {
        step current = stack[--depth];
        hed_json_node node = hed_json_item(nodes, current.node);
        cloth_gltf_place place;
        double local[12], parent[12];
        memcpy(parent, current.matrix, sizeof parent);
        cloth_gltf_read_place(g, node, &place);
        cloth_gltf_matrix(&place, local);
        cloth_gltf_product(parent, local, current.matrix);
        current.inside |= g->node && strcmp(gltf_name_of(node), g->node) == 0;
        is_found |= current.inside;
        r->node = current.node;
        if (current.inside && hed_json_has(node, "mesh")) read_mesh(r, node, current.matrix);
        if (hed_json_has(node, "children"))
            push_nodes(r, hed_json_member(node, "children"), &current, stack, &depth, met);
    }
    if (cloth_gltf_fine(g) && !is_found) reject_node(g, nodes);
    free(stack);
    free(met);
}

/* ---- documents ---- */

/* Rejects unknown required extensions; extensions of pictures and light do not concern a mesh. */
static void check_extensions(cloth_gltf *g)
{
    static const char *const harmless[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",
        "MSFT_texture_", "KHR_lights_", "KHR_xmp", "KHR_mesh_quantization"};
    if (!hed_json_has(g->root, "extensionsRequired")) return;
    hed_json_node list = hed_json_member(g->root, "extensionsRequired");
    size_t count = hed_json_count(list);
    for (size_t i = 0; i < count && cloth_gltf_fine(g); i++) {
        hed_json_node node = hed_json_item(list, i);
        const char *name = hed_json_string(node);
        bool is_harmless = false;
        for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
            is_harmless |= strncmp(name, harmless[k], strlen(harmless[k])) == 0;
        if (is_harmless) continue;
        if (strstr(name, "draco") || strstr(name, "meshopt"))
            hed_json_reject(node,
                "its meshes are compressed (%.60s), which is not read here; write the file without compression "
                "(in Blender's exporter: Compression off; gltf-transform copy does it for a file)",
                name);
        else
            hed_json_reject(node,
                "needs the extension %.60s, which is not read here; write the file without it",
                name);
    }
}

/* Writes a warning about the skipped parts of the document. */
static void gltf_tell_rest(reader *r, hed_cloth_mesh *mesh)
{
    if (!r->without_faces && !r->deformed) return;
    char parts[64] = "";
    if (r->without_faces)
        snprintf(parts, sizeof parts, " %u parts without triangles were skipped%s",
            r->without_faces, r->deformed ? ";" : "");
    if (asprintf(&mesh->warning, "%s:%s%s", r->gltf.name, parts,
            r->deformed ? CLOTH_GLTF_AT_REST : "") >= 0)
        return;
    mesh->warning = NULL;
    cloth_gltf_starve(&r->gltf);
}

static void gltf_read_document(reader *r)
{
    uint32_t *first = cloth_list_add(&r->rows.face_at);
    if (!first) cloth_gltf_starve(&r->gltf);
    else *first = 0;
    hed_json_node version = hed_json_member(hed_json_member(r->gltf.root, "asset"), "version");
    const char *text = hed_json_string(version);
    if (cloth_gltf_fine(&r->gltf) && strncmp(text, "2.", 2) != 0)
        hed_json_reject(version, "found glTF %.20s, expected 2.0: write it as that", text);
    check_extensions(&r->gltf);
    if (cloth_gltf_fine(&r->gltf)) read_nodes(r);
    if (cloth_gltf_fine(&r->gltf) && !r->rows.corners[CLOTH_POSITION].rows &&
        !cloth_list_grow(&r->rows.corners[CLOTH_POSITION]))
        cloth_gltf_starve(&r->gltf);
}

hed_status cloth_gltf_read(
    cloth_gltf *gltf, cloth_list *parts, hed_cloth_mesh *mesh, hed_error *error)
{
    reader r = {.gltf = *gltf, .rows = cloth_rows_empty(), .parts = parts};
    *mesh = (hed_cloth_mesh){0};
    gltf_read_document(&r);
    const bool used[] = {
        true, r.rows.elements[CLOTH_TEXTURE].count > 0, r.rows.elements[CLOTH_NORMAL].count > 0};
    cloth_rows_take(&r.rows, used, mesh);
    if (cloth_gltf_fine(&r.gltf)) gltf_tell_rest(&r, mesh);
    *gltf = r.gltf;
    hed_status status = gltf->status != HED_OK ? gltf->status : hed_json_status(gltf->json, error);
    if (status == HED_OK && mesh->vertex_count == 0)
        status =
            hed_fail(error, HED_ERROR_FORMAT, "%s: found no triangles in its scene", gltf->name);
    if (status != HED_OK) hed_cloth_mesh_free(mesh);
    return status;
}

hed_status cloth_gltf_parse(const char *name, const char *bytes, size_t size, const char *folder,
    hed_cloth_mesh *mesh, hed_error *error)
{
    cloth_gltf gltf;
    *mesh = (hed_cloth_mesh){0};
    hed_status status = cloth_gltf_open(name, bytes, size, folder, &gltf, error);
    if (status == HED_OK) status = cloth_gltf_read(&gltf, NULL, mesh, error);
    cloth_gltf_close(&gltf);
    return status;
}
