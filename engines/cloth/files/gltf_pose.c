/* Poses of a glTF file over time (Khronos, glTF 2.0 Specification, chapters 3.7.2.2 on morph
 * targets, 3.7.3 on skins and 3.11 on animations, appendix C on interpolation): tracks move nodes
 * and weigh the targets of their meshes, a node moves its children and its mesh, and a skin's
 * vertex is the weighted mean of its positions under each of its joints. Only its joints place a
 * skinned mesh; its node's own transformation is ignored. */
#include "files/gltf.h"

#include "heddle/author.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_NUMBERS = UINT64_C(1) << 31;
enum { MOVE, TURN, SCALE, WEIGHTS, SETS = 4 };
enum { STEP, LINEAR, CUBIC };
static const char *const pose_paths[] = {"translation", "rotation", "scale", "weights", NULL};

typedef struct pose_track {
    uint32_t node, count, mode;
    int what;     /* MOVE, TURN, SCALE or WEIGHTS */
    float *times; /* s, ascending, (count) */
    /* (count x width), for CUBIC three times this many: tangent in, value, tangent out */
    float *values;
    uint32_t width; /* 3, 4 for a quaternion, or the number of morph targets */
} pose_track;

/* Weights of the morph targets of a node's mesh. */
typedef struct pose_weights {
    uint32_t count;
    double *rest, *posed; /* (count) */
} pose_weights;

/* Part with the positions in its file, and its skin. */
typedef struct pose_part {
    cloth_gltf_part part;
    float *positions;       /* (count x 3) */
    uint32_t joint_count;   /* 0: no skin */
    uint32_t *nodes;        /* (joint_count) */
    float *inverse;         /* (joint_count x 16) column by column; NULL: identity for all joints */
    double (*matrices)[12]; /* (joint_count) of the current pose */
    float *joints[SETS], *weights[SETS]; /* (count x 4); NULL: no more sets */
    uint32_t target_count;
    float **targets; /* (target_count) of (count x 3) displacements; NULL: it moves no vertex */
} pose_part;

typedef struct poser {
    cloth_gltf *gltf;
    uint32_t node_count, part_count, track_count;
    cloth_gltf_place *places; /* (node_count) at rest */
    cloth_gltf_place *now;    /* (node_count) */
    double (*world)[12];      /* (node_count) */
    pose_weights *weights;    /* (node_count) */
    uint32_t *parent, *order; /* (node_count) order: parents first */
    pose_part *parts;
    pose_track *tracks;
    double seconds; /* length of the animation, s */
} poser;

static void *pose_new(poser *p, uint64_t count, size_t size)
{
    void *memory = cloth_gltf_fine(p->gltf) ? calloc(count + 1, size) : NULL;
    if (!memory) cloth_gltf_starve(p->gltf);
    return memory;
}

/* ---- nodes ---- */

static void read_parents(poser *p, hed_json_node nodes)
{
    for (uint32_t i = 0; i < p->node_count; i++) p->parent[i] = CLOTH_NO_INDEX;
    for (uint32_t i = 0; i < p->node_count && cloth_gltf_fine(p->gltf); i++) {
        hed_json_node node = hed_json_item(nodes, i);
        cloth_gltf_read_place(p->gltf, node, &p->places[i]);
        if (!hed_json_has(node, "children")) continue;
        hed_json_node children = hed_json_member(node, "children");
        size_t count = hed_json_count(children);
        for (size_t k = 0; k < count && cloth_gltf_fine(p->gltf); k++) {
            hed_json_node index = hed_json_item(children, k);
            uint32_t child = (uint32_t)hed_json_integer(index, 0, p->node_count - 1);
            if (cloth_gltf_fine(p->gltf) && p->parent[child] != CLOTH_NO_INDEX)
                hed_json_reject(index, "node %u is there twice, expected a tree", child);
            p->parent[child] = i;
        }
    }
}

/* Orders the nodes, parents before children. */
static void order_nodes(poser *p, hed_json_node nodes)
{
    uint32_t done = 0, *depth = pose_new(p, p->node_count, sizeof *depth);
    for (uint32_t i = 0; depth && i < p->node_count; i++)
        for (uint32_t up = p->parent[i]; up != CLOTH_NO_INDEX && depth[i] <= p->node_count;
             up = p->parent[up])
            depth[i]++;
    for (uint32_t level = 0; depth && done < p->node_count && level < p->node_count; level++)
        for (uint32_t i = 0; i < p->node_count; i++)
            if (depth[i] == level) p->order[done++] = i;
    if (depth && done < p->node_count)
        hed_json_reject(nodes, "nodes are below themselves, expected trees");
    free(depth);
}

static void place_nodes(poser *p)
{
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t node = p->order[i], parent = p->parent[node];
        double local[12];
        cloth_gltf_matrix(&p->now[node], local);
        if (parent == CLOTH_NO_INDEX) memcpy(p->world[node], local, sizeof local);
        else cloth_gltf_product(p->world[parent], local, p->world[node]);
    }
}

/* ---- skins ---- */

static void read_influences(poser *p, pose_part *part)
{
    for (int set = 0; set < SETS && cloth_gltf_fine(p->gltf); set++) {
        char joints[16], weights[16];
        uint32_t count, weight_count, components;
        snprintf(joints, sizeof joints, "JOINTS_%d", set);
        snprintf(weights, sizeof weights, "WEIGHTS_%d", set);
        hed_json_node attributes = part->part.attributes;
        if (set > 0 && !hed_json_has(attributes, joints)) return;
        hed_json_node index = hed_json_member(attributes, joints);
        part->joints[set] = cloth_gltf_floats(p->gltf, index, 4, 4, &components, &count);
        part->weights[set] = cloth_gltf_floats(
            p->gltf, hed_json_member(attributes, weights), 4, 4, &components, &weight_count);
        if (!cloth_gltf_fine(p->gltf)) return;
        if (count != part->part.count || weight_count != count)
            hed_json_reject(index, "%u joints and %u weights, and POSITION has %u", count,
                weight_count, part->part.count);
        for (size_t i = 0; i < 4 * (size_t)count && cloth_gltf_fine(p->gltf); i++) {
            float joint = part->joints[set][i];
            if (part->weights[set][i] != 0 &&
                !(joint >= 0 && joint < (float)part->joint_count && joint == floorf(joint)))
                hed_json_reject(index, "vertex %zu (counted from 0) has joint %g, but there are %u",
                    i / 4, (double)joint, part->joint_count);
        }
    }
}

static void read_skin(poser *p, hed_json_node node, pose_part *part)
{
    cloth_gltf *g = p->gltf;
    hed_json_node skin = cloth_gltf_find(g, hed_json_member(node, "skin"), "skins");
    hed_json_node joints = hed_json_member(skin, "joints");
    uint32_t count, components;
    part->joint_count = (uint32_t)hed_json_count(joints);
    part->nodes = pose_new(p, part->joint_count, sizeof *part->nodes);
    part->matrices = pose_new(p, part->joint_count, sizeof *part->matrices);
    if (cloth_gltf_fine(g) && part->joint_count == 0)
        hed_json_reject(joints, "found no joints, expected at least 1");
    for (uint32_t i = 0; i < part->joint_count && cloth_gltf_fine(g); i++)
        part->nodes[i] = (uint32_t)hed_json_integer(hed_json_item(joints, i), 0, p->node_count - 1);
    if (cloth_gltf_fine(g) && hed_json_has(skin, "inverseBindMatrices")) {
        hed_json_node index = hed_json_member(skin, "inverseBindMatrices");
        part->inverse = cloth_gltf_floats(g, index, 16, 16, &components, &count);
        if (cloth_gltf_fine(g) && count < part->joint_count)
            hed_json_reject(index, "%u matrices for %u joints", count, part->joint_count);
    }
    if (cloth_gltf_fine(g)) read_influences(p, part);
}

/* Reads the morph targets of a part, and the weights of its node. */
static void read_targets(poser *p, hed_json_node node, pose_part *part)
{
    pose_weights *weights = &p->weights[part->part.node];
    if (!weights->rest) {
        weights->rest = cloth_gltf_weights(p->gltf, node, &weights->count);
        weights->posed = pose_new(p, weights->count, sizeof *weights->posed);
    }
    part->targets = pose_new(p, weights->count, sizeof *part->targets);
    for (uint32_t t = 0; t < weights->count && cloth_gltf_fine(p->gltf); t++, part->target_count++)
        part->targets[t] = cloth_gltf_target(p->gltf, part->part.primitive, t, part->part.count);
}

static void pose_read_parts(poser *p, const cloth_list *rows, hed_json_node nodes)
{
    p->parts = pose_new(p, rows->count, sizeof *p->parts);
    for (size_t i = 0; p->parts && i < rows->count && cloth_gltf_fine(p->gltf); i++) {
        pose_part *part = &p->parts[p->part_count++];
        uint32_t components, count;
        part->part = ((const cloth_gltf_part *)rows->rows)[i];
        part->positions = cloth_gltf_floats(
            p->gltf, hed_json_member(part->part.attributes, "POSITION"), 3, 3, &components, &count);
        hed_json_node node = hed_json_item(nodes, part->part.node);
        if (cloth_gltf_fine(p->gltf)) read_targets(p, node, part);
        if (cloth_gltf_fine(p->gltf) && hed_json_has(node, "skin")) read_skin(p, node, part);
    }
}

/* Computes the joints' matrices of this pose. */
static void pose_joints(const poser *p, pose_part *part)
{
    for (uint32_t j = 0; j < part->joint_count; j++) {
        const double *world = p->world[part->nodes[j]];
        double bind[12];
        if (!part->inverse) {
            memcpy(part->matrices[j], world, sizeof bind);
            continue;
        }
        for (int i = 0; i < 12; i++)
            bind[i] = (double)part->inverse[16 * (size_t)j + (size_t)(i % 4 * 4 + i / 4)];
        cloth_gltf_product(world, bind, part->matrices[j]);
    }
}

static void place_vertices(const poser *p, const pose_part *part, float *to)
{
    const double *weights = p->weights[part->part.node].posed;
    for (size_t v = 0; v < part->part.count; v++) {
        double from[3];
        for (size_t k = 0; k < 3; k++) {
            from[k] = part->positions[3 * v + k];
            for (uint32_t t = 0; t < part->target_count; t++)
                if (part->targets[t]) from[k] += weights[t] * (double)part->targets[t][3 * v + k];
        }
        double blended[12] = {0}, sum = 0;
        const double *m = p->world[part->part.node];
        for (int set = 0; part->joint_count && set < SETS && part->weights[set]; set++)
            for (size_t k = 4 * v; k < 4 * v + 4; k++) {
                double weight = (double)part->weights[set][k];
                if (weight == 0) continue;
                const double *joint = part->matrices[(uint32_t)part->joints[set][k]];
                for (int i = 0; i < 12; i++) blended[i] += weight * joint[i];
                sum += weight;
            }
        for (int i = 0; i < 12 && sum != 0; i++) blended[i] /= sum;
        if (sum != 0) m = blended;
        for (int k = 0; k < 3; k++)
            to[3 * v + (size_t)k] = (float)(m[4 * k] * from[0] + m[4 * k + 1] * from[1] +
                                            m[4 * k + 2] * from[2] + m[4 * k + 3]);
    }
}

/* ---- animations ---- */

static void pose_read_track(poser *p, hed_json_node channel, hed_json_node samplers)
{
    static const char *const modes[] = {"STEP", "LINEAR", "CUBICSPLINE", NULL};
    cloth_gltf *g = p->gltf;
    pose_track *track = &p->tracks[p->track_count];
    hed_json_node target = hed_json_member(channel, "target");
    uint32_t path = hed_json_choice(hed_json_member(target, "path"), pose_paths), components, count;
    if (!cloth_gltf_fine(g) || !hed_json_has(target, "node")) return;
    hed_json_node node = hed_json_member(target, "node");
    track->node = (uint32_t)hed_json_integer(node, 0, p->node_count - 1);
    track->what = (int)path;
    if (!cloth_gltf_fine(g)) return;
    track->width = path == WEIGHTS ? p->weights[track->node].count : path == TURN ? 4 : 3;
    track->mode = LINEAR;
    if (track->width == 0) return; /* weights of a mesh that is not read, or has no targets */
    if (path != WEIGHTS && p->places[track->node].fixed)
        hed_json_reject(node, "node %u has a matrix, which nothing animates", track->node);
    int64_t number = hed_json_integer(hed_json_member(channel, "sampler"), 0, INT32_MAX);
    if (cloth_gltf_fine(g) && (size_t)number >= hed_json_count(samplers))
        hed_json_reject(channel, "found sampler %lld, but there are %zu", (long long)number,
            hed_json_count(samplers));
    if (!cloth_gltf_fine(g)) return;
    hed_json_node sampler = hed_json_item(samplers, (size_t)number),
                  input = hed_json_member(sampler, "input"),
                  output = hed_json_member(sampler, "output");
    if (hed_json_has(sampler, "interpolation"))
        track->mode = hed_json_choice(hed_json_member(sampler, "interpolation"), modes);
    p->track_count++;
    track->times = cloth_gltf_floats(g, input, 1, 1, &components, &track->count);
    uint32_t element =
        path == WEIGHTS ? 1 : track->width; /* floats of an element of the accessor */
    track->values = cloth_gltf_floats(g, output, element, element, &components, &count);
    if (!cloth_gltf_fine(g)) return;
    uint64_t expected =
        (track->mode == CUBIC ? 3 : 1) * (uint64_t)track->count * (track->width / element);
    if (count != expected)
        hed_json_reject(output, "%u values for %u times, expected %llu", count, track->count,
            (unsigned long long)expected);
    for (uint32_t i = 0; i < track->count && cloth_gltf_fine(g); i++)
        if (track->times[i] < 0 || (i > 0 && track->times[i] <= track->times[i - 1]))
            hed_json_reject(input,
                "time %u (counted from 0) is %g s, expected later and later ones", i,
                (double)track->times[i]);
    if (cloth_gltf_fine(g)) p->seconds = fmax(p->seconds, (double)track->times[track->count - 1]);
}

/* Sets the flags of nodes that place vertices: of parts, of joints, and of all nodes above them. */
static void flag_nodes(const poser *p, bool *flags)
{
    for (uint32_t i = 0; i < p->part_count; i++) {
        const pose_part *part = &p->parts[i];
        flags[part->part.node] = true;
        for (uint32_t j = 0; j < part->joint_count; j++) flags[part->nodes[j]] = true;
    }
    for (uint32_t i = p->node_count; i-- > 0;) /* children first */
        if (flags[p->order[i]] && p->parent[p->order[i]] != CLOTH_NO_INDEX)
            flags[p->parent[p->order[i]]] = true;
}

/* True if a channel has the target of a track that is read. */
static bool is_animated(const poser *p, uint32_t node, int what)
{
    bool is_found = false;
    for (uint32_t t = 0; t < p->track_count; t++)
        is_found |= p->tracks[t].node == node && p->tracks[t].what == what;
    return is_found;
}

/* True if an animation moves a flagged node, and no node in a manner that a track has already. */
static bool joins(const poser *p, hed_json_node animation, const bool *flags)
{
    hed_json_node channels = hed_json_member(animation, "channels");
    size_t count = hed_json_count(channels);
    bool acts = false, is_free = true;
    for (size_t i = 0; i < count && cloth_gltf_fine(p->gltf); i++) {
        hed_json_node target = hed_json_member(hed_json_item(channels, i), "target");
        const char *path = hed_json_string(hed_json_member(target, "path"));
        int what = MOVE;
        while (path && pose_paths[what] && strcmp(path, pose_paths[what]) != 0) what++;
        if (!cloth_gltf_fine(p->gltf) || !hed_json_has(target, "node")) continue;
        uint32_t node =
            (uint32_t)hed_json_integer(hed_json_member(target, "node"), 0, p->node_count - 1);
        if (!cloth_gltf_fine(p->gltf)) break;
        acts |= what == WEIGHTS ? p->weights[node].count > 0 : flags[node];
        is_free &= !is_animated(p, node, what);
    }
    return acts && is_free;
}

static void pose_read_animation(poser *p, hed_json_node animation)
{
    hed_json_node channels = hed_json_member(animation, "channels"),
                  samplers = hed_json_member(animation, "samplers");
    size_t count = hed_json_count(channels);
    pose_track *tracks = realloc(p->tracks, (p->track_count + count + 1) * sizeof *tracks);
    if (!tracks) {
        cloth_gltf_starve(p->gltf);
        return;
    }
    p->tracks = tracks;
    memset(tracks + p->track_count, 0, (count + 1) * sizeof *tracks);
    for (size_t i = 0; i < count && cloth_gltf_fine(p->gltf); i++)
        pose_read_track(p, hed_json_item(channels, i), samplers);
}

/* Reads the animations of this name, or with NULL all, that move the mesh and act together:
 * programs write a skeleton's animation and one of the weights of its mesh as two. An animation
 * with a target of an earlier one is another clip, and is skipped. */
static hed_status pose_read_tracks(poser *p, const char *name, hed_error *error)
{
    cloth_gltf *g = p->gltf;
    char list[256] = "";
    bool is_found = false, has_animations = hed_json_has(g->root, "animations"),
         *flags = pose_new(p, p->node_count, sizeof *flags);
    hed_json_node animations = has_animations ? hed_json_member(g->root, "animations") : g->root;
    size_t count = has_animations ? hed_json_count(animations) : 0, used = 0;
    if (flags) flag_nodes(p, flags);
    for (size_t i = 0; i < count && cloth_gltf_fine(g); i++) {
        hed_json_node animation = hed_json_item(animations, i);
        const char *animation_name = hed_json_has(animation, "name")
                                         ? hed_json_string(hed_json_member(animation, "name"))
                                         : "";
        bool is_named = !name || strcmp(name, animation_name) == 0;
        is_found |= is_named;
        if (is_named && joins(p, animation, flags)) pose_read_animation(p, animation);
        if (used < sizeof list)
            used += (size_t)snprintf(
                list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "", animation_name);
    }
    free(flags);
    if (is_found || !name || !cloth_gltf_fine(g)) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s has no animation \"%s\"; found %s", g->name,
        name, count ? list : "none");
}

/* Interpolates quaternions along the shorter arc at an even speed (Shoemake 1985). */
static void turn_linearly(const float *a, const float *b, double part, double *turn)
{
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += (double)a[k] * (double)b[k];
    double sign = dot < 0 ? -1 : 1, angle = hed_strict_acos(fmin(fabs(dot), 1)),
           sine = hed_strict_sin(angle);
    double first = sine > 1e-6 ? hed_strict_sin((1 - part) * angle) / sine : 1 - part,
           second = sign * (sine > 1e-6 ? hed_strict_sin(part * angle) / sine : part);
    for (int k = 0; k < 4; k++) turn[k] = first * (double)a[k] + second * (double)b[k];
}

/* Computes the values of a track at a time: of a node's `place`, or of its targets' `weights`. */
static void pose_follow(
    const pose_track *track, double time, cloth_gltf_place *place, double *weights)
{
    double *to = track->what == MOVE      ? place->move
                 : track->what == TURN    ? place->turn
                 : track->what == WEIGHTS ? weights
                                          : place->scale;
    uint32_t low = 0, high = track->count - 1, width = track->width,
             stride = track->mode == CUBIC ? 3 * width : width,
             offset = track->mode == CUBIC ? width : 0;
    while (high - low > 1) { /* times[low] <= time < times[high] */
        uint32_t middle = low + (high - low) / 2;
        if ((double)track->times[middle] <= time) low = middle;
        else high = middle;
    }
    double span = (double)track->times[high] - track->times[low];
    double part = span > 0 ? (time - track->times[low]) / span : 0;
    const float *a = track->values + (size_t)stride * low + offset,
                *b = track->values + (size_t)stride * high + offset;
    if (part <= 0 || part >= 1 || track->mode == STEP) {
        for (uint32_t k = 0; k < width; k++) to[k] = (double)(part >= 1 ? b : a)[k];
    } else if (track->mode == LINEAR && track->what == TURN) {
        turn_linearly(a, b, part, to);
    } else if (track->mode == LINEAR) {
        for (uint32_t k = 0; k < width; k++) to[k] = a[k] + part * ((double)b[k] - a[k]);
    } else {
        double t = part, t2 = t * t, t3 = t2 * t;
        for (uint32_t k = 0; k < width; k++)
            to[k] = (2 * t3 - 3 * t2 + 1) * a[k] + span * (t3 - 2 * t2 + t) * a[k + width] +
                    (3 * t2 - 2 * t3) * b[k] + span * (t3 - t2) * b[(int64_t)k - width];
    }
}

/* ---- sampling ---- */

static hed_status sample_all(
    poser *p, double rate, uint32_t vertices, hed_cloth_pc2_data *samples, hed_error *error)
{
    double steps = fmax(rint(p->seconds * rate), p->seconds > 0);
    if (3.0 * vertices * (steps + 1) > (double)MOST_NUMBERS)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: %u vertices in %.0f samples are more than 2^31 numbers: take a lower rate",
            p->gltf->name, vertices, steps + 1);
    uint32_t count = (uint32_t)steps + 1;
    float *positions = malloc(3 * (size_t)vertices * count * sizeof *positions);
    if (!positions) return HED_OUT_OF_MEMORY(error, "the poses of %s", p->gltf->name);
    for (uint32_t s = 0; s < count; s++) {
        memcpy(p->now, p->places, p->node_count * sizeof *p->now);
        for (uint32_t i = 0; i < p->node_count; i++)
            if (p->weights[i].count)
                memcpy(p->weights[i].posed, p->weights[i].rest,
                    p->weights[i].count * sizeof *p->weights[i].posed);
        for (uint32_t t = 0; t < p->track_count; t++)
            pose_follow(&p->tracks[t], steps > 0 ? p->seconds * s / steps : 0,
                &p->now[p->tracks[t].node], p->weights[p->tracks[t].node].posed);
        place_nodes(p);
        for (uint32_t i = 0; i < p->part_count; i++) {
            pose_joints(p, &p->parts[i]);
            place_vertices(
                p, &p->parts[i], positions + 3 * ((size_t)vertices * s + p->parts[i].part.first));
        }
    }
    *samples = (hed_cloth_pc2_data){
        vertices, count, 0, (float)(steps > 0 ? rate * p->seconds / steps : 1), positions};
    hed_status status = HED_OK;
    for (uint32_t s = 0; s < count && status == HED_OK; s++)
        status = cloth_mesh_require_finite(
            p->gltf->name, positions + 3 * (size_t)vertices * s, vertices, error);
    if (status != HED_OK) hed_cloth_pc2_free(samples);
    return status == HED_ERROR_ARGUMENT ? HED_ERROR_FORMAT : status;
}

static void poser_free(poser *p)
{
    for (uint32_t i = 0; i < p->part_count; i++) {
        pose_part *part = &p->parts[i];
        free(part->positions);
        free(part->nodes);
        free(part->inverse);
        free(part->matrices);
        for (uint32_t t = 0; t < part->target_count; t++) free(part->targets[t]);
        free(part->targets);
        for (int set = 0; set < SETS; set++) {
            free(part->joints[set]);
            free(part->weights[set]);
        }
    }
    for (uint32_t t = 0; t < p->track_count; t++) {
        free(p->tracks[t].times);
        free(p->tracks[t].values);
    }
    for (uint32_t i = 0; p->weights && i < p->node_count; i++) {
        free(p->weights[i].rest);
        free(p->weights[i].posed);
    }
    free(p->weights);
    free(p->parts);
    free(p->tracks);
    free(p->places);
    free(p->now);
    free(p->world);
    free(p->parent);
    free(p->order);
}

static hed_status pose_document(cloth_gltf *g, const cloth_list *rows, uint32_t vertices,
    const char *animation, double rate, hed_cloth_pc2_data *samples, hed_error *error)
{
    poser p = {.gltf = g};
    hed_json_node nodes = hed_json_member(g->root, "nodes");
    p.node_count = (uint32_t)hed_json_count(nodes);
    p.places = pose_new(&p, p.node_count, sizeof *p.places);
    p.now = pose_new(&p, p.node_count, sizeof *p.now);
    p.world = pose_new(&p, p.node_count, sizeof *p.world);
    p.weights = pose_new(&p, p.node_count, sizeof *p.weights);
    p.parent = pose_new(&p, p.node_count, sizeof *p.parent);
    p.order = pose_new(&p, p.node_count, sizeof *p.order);
    hed_status status = HED_OK;
    if (cloth_gltf_fine(g)) read_parents(&p, nodes);
    if (cloth_gltf_fine(g)) order_nodes(&p, nodes);
    if (cloth_gltf_fine(g)) pose_read_parts(&p, rows, nodes);
    if (cloth_gltf_fine(g)) status = pose_read_tracks(&p, animation, error);
    if (status == HED_OK)
        status = g->status != HED_OK ? g->status : hed_json_status(g->json, error);
    if (status == HED_OK) status = sample_all(&p, rate, vertices, samples, error);
    poser_free(&p);
    return status;
}

hed_status cloth_gltf_sample(const char *name, const char *bytes, size_t size, const char *folder,
    const char *animation, double rate, hed_cloth_pc2_data *samples, hed_error *error)
{
    *samples = (hed_cloth_pc2_data){0};
    if (!(rate > 0 && rate <= 1e6))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "%g samples a second, expected above 0 to 1e6", rate);
    cloth_gltf gltf;
    cloth_list rows = {.size = sizeof(cloth_gltf_part)};
    hed_cloth_mesh mesh = {0};
    hed_status status = cloth_gltf_open(name, bytes, size, folder, &gltf, error);
    if (status == HED_OK) status = cloth_gltf_read(&gltf, &rows, &mesh, error);
    if (status == HED_OK)
        status = pose_document(&gltf, &rows, mesh.vertex_count, animation, rate, samples, error);
    hed_cloth_mesh_free(&mesh);
    free(rows.rows);
    cloth_gltf_close(&gltf);
    return status;
}
