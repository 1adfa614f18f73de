/* Panels of a garment that touch each other but are not joined: patterns are often saved as
 * separate pieces whose borders are equal up to rounding, and fall apart without a word. */
#include "files/cloth_scene_parts.h"
#include "model/mesh.h"
#include "support/digits.h"

#include <math.h>
#include <stdlib.h>

/* Borders touch within this part of the mean length of their edges. */
#define TOUCH 0.01

typedef struct panel_borders {
    hed_cloth_mesh welded; /* the mesh with particles as vertices; positions in its lengths */
    cloth_topology topology;
    uint32_t *uses;     /* (edges) number of faces */
    uint32_t *panel;    /* (particles) a particle of the same panel; of the first: itself */
    uint32_t *point;    /* (particles) number among the border's points, or CLOTH_NO_INDEX */
    uint32_t *particle; /* (points) */
    uint32_t *place;    /* (points) number of the place, equal for points that touch */
    uint32_t *first;    /* (places) first point there */
    bool *touches;      /* (points) a point of another panel is at the same place */
    float *positions;   /* (points) */
    uint32_t points;
} panel_borders;

static uint32_t panel_of(panel_borders *b, uint32_t particle)
{
    while (b->panel[particle] != particle)
        particle = b->panel[particle] = b->panel[b->panel[particle]];
    return particle;
}

/* Particles at the ends of the edge that begins at a corner; false: no border. */
static bool border_edge(const panel_borders *b, uint32_t face, uint32_t corner, uint32_t ends[2])
{
    const hed_cloth_mesh *m = &b->welded;
    uint32_t edge = b->topology.edge[corner], next = corner + 1;
    ends[0] = m->corners[corner];
    ends[1] = m->corners[next < m->face_at[face + 1] ? next : m->face_at[face]];
    return edge != CLOTH_NO_INDEX && b->uses[edge] == 1;
}

/* Lists the points of all borders and joins faces to panels. Returns the mean length of borders'
 * edges. */
static double gather_border(panel_borders *b)
{
    const hed_cloth_mesh *m = &b->welded;
    double length = 0;
    uint32_t edges = 0;
    for (uint32_t i = 0; i < cloth_mesh_corner_count(m); i++)
        if (b->topology.edge[i] != CLOTH_NO_INDEX) b->uses[b->topology.edge[i]]++;
    for (uint32_t i = 0; i < m->vertex_count; i++) b->panel[i] = i, b->point[i] = CLOTH_NO_INDEX;
    for (uint32_t f = 0; f < m->face_count; f++)
        for (uint32_t c = m->face_at[f], ends[2]; c < m->face_at[f + 1]; c++) {
            bool border = border_edge(b, f, c, ends);
            const float *at[2];
            b->panel[panel_of(b, ends[0])] = panel_of(b, ends[1]);
            for (int k = 0; k < 2; k++) {
                at[k] = m->positions + 3 * (size_t)ends[k];
                if (!border || b->point[ends[k]] != CLOTH_NO_INDEX) continue;
                for (int axis = 0; axis < 3; axis++)
                    b->positions[3 * (size_t)b->points + axis] = at[k][axis];
                b->point[ends[k]] = b->points;
                b->particle[b->points++] = ends[k];
            }
            if (!border) continue;
            edges++;
            double x = (double)at[0][0] - at[1][0], y = (double)at[0][1] - at[1][1],
                   z = (double)at[0][2] - at[1][2];
            length += sqrt(x * x + y * y + z * z);
        }
    return edges ? length / edges : 0;
}

/* Marks points at whose place another panel has a point, too. */
static void find_touches(panel_borders *b, float distance, hed_error *error)
{
    hed_cloth_mesh cloud = {.vertex_count = b->points, .positions = b->positions};
    uint32_t places;
    if (hed_cloth_mesh_weld(&cloud, distance, b->place, &places, error)) return;
    for (uint32_t i = b->points; i-- > 0;) b->first[b->place[i]] = i;
    for (uint32_t i = 0; i < b->points; i++) {
        uint32_t first = b->first[b->place[i]];
        if (panel_of(b, b->particle[i]) != panel_of(b, b->particle[first]))
            b->touches[i] = b->touches[first] = true;
    }
}

/* Counts edges of borders whose two ends touch another panel. */
static uint32_t count_edges(const panel_borders *b)
{
    const hed_cloth_mesh *m = &b->welded;
    uint32_t count = 0;
    for (uint32_t f = 0; f < m->face_count; f++)
        for (uint32_t c = m->face_at[f], ends[2]; c < m->face_at[f + 1]; c++)
            count += border_edge(b, f, c, ends) && b->touches[b->point[ends[0]]] &&
                     b->touches[b->point[ends[1]]];
    return count;
}

/* Makes the mesh of particles. False: memory ran out. */
static bool weld_mesh(panel_borders *b, const cloth_scene_garment *garment)
{
    const hed_cloth_mesh *mesh = garment->mesh;
    uint32_t corners = cloth_mesh_corner_count(mesh), n = garment->def.particle_count;
    b->welded = (hed_cloth_mesh){.vertex_count = n,
        .positions = malloc((3 * (size_t)n + 1) * sizeof(float)),
        .face_count = mesh->face_count,
        .face_at = mesh->face_at,
        .corners = malloc((corners + (size_t)1) * sizeof(uint32_t))};
    if (!b->welded.positions || !b->welded.corners) return false;
    for (uint32_t i = 0; i < corners; i++)
        b->welded.corners[i] = garment->particle_of[mesh->corners[i]];
    for (size_t i = 0; i < 3 * (size_t)n; i++)
        b->welded.positions[i] = mesh->positions[3 * (size_t)garment->first_vertex[i / 3] + i % 3];
    return true;
}

static bool borders_make_room(panel_borders *b)
{
    size_t n = b->welded.vertex_count;
    b->uses = calloc(b->topology.edge_count + (size_t)1, sizeof *b->uses);
    b->panel = calloc(5 * n + 1, sizeof *b->panel);
    b->positions = calloc(3 * n + 1, sizeof *b->positions);
    b->touches = calloc(n + 1, sizeof *b->touches);
    if (!b->uses || !b->panel || !b->positions || !b->touches) return false;
    b->point = b->panel + n;
    b->particle = b->point + n;
    b->place = b->particle + n;
    b->first = b->place + n;
    return true;
}

void cloth_scene_warn_of_borders(
    cloth_scene_reader *reader, hed_json_node node, const cloth_scene_garment *garment)
{
    if (!reader->options->warn || hed_json_has(node, "weld") || hed_json_has(node, "sewing"))
        return;
    panel_borders b = {0};
    hed_error error = {0};
    if (weld_mesh(&b, garment) && cloth_topology_create(&b.welded, &b.topology, &error) == HED_OK &&
        borders_make_room(&b)) {
        double distance = TOUCH * gather_border(&b);
        find_touches(&b, (float)distance, &error);
        uint32_t count = hed_failed(&error) ? 0 : count_edges(&b);
        if (count)
            cloth_scene_warn(reader,
                "garment \"%s\": %u edges on borders touch another panel and are not joined to it. "
                "\"weld\": %s makes them one cloth, \"sewing\" draws them together, and \"weld\": "
                "0 keeps them apart without this warning",
                garment->name, count,
                hed_digits(1.06 * distance, 2).text); /* two digits are no less than it */
    }
    cloth_topology_free(&b.topology);
    free(b.welded.positions);
    free(b.welded.corners);
    free(b.uses);
    free(b.panel);
    free(b.positions);
    free(b.touches);
}
