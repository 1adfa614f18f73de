/* Nearest triangle of the mesh colliders to a particle, and the plane of contact: one text for
 * every device and for C. After physics.h and collide.h.
 *
 * The triangles are in a tree of boxes that is made once, on the host (contact/mesh_tree.c), and
 * refitted each frame. A hash of space, as for balls, would fail: a large triangle is in very
 * many cubes, and a particle deep inside a mesh finds no triangle in the cubes around it. The
 * tree is complete: node i has nodes 2 i and 2 i + 1 below it, and the last row has `leaves`
 * nodes, so no pointers are stored. The traversal needs no stack: the bits of a word mark the
 * levels whose farther branch is to be visited (after Hapala et al., Efficient Stack-less BVH
 * Traversal, 2011).
 *
 * Inside and outside are distinguished by the pseudo-normal of the nearest face, edge or vertex:
 * the face's own, the sum of two, the sum of all around weighted by their angles (Baerentzen and
 * Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal, 2005). The nearest
 * point of a triangle is found by regions, after Ericson, Real-Time Collision Detection, 5.1.5. */
#ifndef CLOTH_CONTACT_MESH_H
#define CLOTH_CONTACT_MESH_H

#define CLOTH_MESH_NONE 0xffffffffu
/* A cleft narrower than this fraction of the thickness leaves cloth no room. */
#define CLOTH_PRESSED 0.1f
/* Largest cosine between the normals of surfaces that face each other. */
#define CLOTH_FACING -0.5f
/* Thicknesses by which two bodies may be within each other where they press cloth. */
#define CLOTH_DEEP 4.0f

/* Parameters of the search, passed by value. */
typedef struct cloth_meshes {
    /* m; particles that have moved less relative to their planes keep them. 0: all are searched */
    float slip;
    float ahead;    /* extrapolated motion, in motions of the last substep */
    float fall;     /* m, motion by gravity in that time */
    float move;     /* m, longest motion of a vertex of a mesh in this frame */
    float come_out; /* m, maximum motion of a particle out of a mesh in this frame */
    /* fraction of the frame at which planes are found. Above 0 a particle that is too near gets the
     * plane of the surface, so that it does not sink deeper each time */
    float fraction;
    float until; /* fraction of the frame until which all planes are valid */
    uint particles;
    uint leaves; /* leaves of the tree, a power of 2 */
    uint closed; /* not 0: a mesh has no border, so particles can be deep inside */
} cloth_meshes;

/* Nearest point of a triangle to a position. */
typedef struct cloth_nearest {
    float4 to;
    float b, c;  /* barycentric weights of corners b and c */
    uint region; /* 0 1 2: corner a b c; 3 4 5: edge ab bc ca; 6: face */
} cloth_nearest;

CLOTH_FUNCTION float cloth_dot(float4 a, float4 b)
{
    return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

CLOTH_FUNCTION float4 cloth_minus(float4 a, float4 b)
{
    return hed_f4(a.x - b.x, a.y - b.y, a.z - b.z, 0.0f);
}

CLOTH_FUNCTION float4 cloth_cross(float4 a, float4 b)
{
    return hed_f4(fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)),
        fma(a.x, b.y, -(a.y * b.x)), 0.0f);
}

/* Parameter of a point between the ends of an edge, n / (n + m); 0 for an edge of length 0. */
CLOTH_FUNCTION float cloth_edge_share(float n, float m)
{
    return n + m > 0.0f ? n / (n + m) : 0.0f;
}

CLOTH_INLINE cloth_nearest cloth_nearest_of(float4 p, float4 a, float4 b, float4 c)
{
    float4 pa = cloth_minus(a, p), pb = cloth_minus(b, p), pc = cloth_minus(c, p),
           ab = cloth_minus(b, a), ac = cloth_minus(c, a);
    float d1 = -cloth_dot(ab, pa), d2 = -cloth_dot(ac, pa), d3 = -cloth_dot(ab, pb),
          d4 = -cloth_dot(ac, pb);
    float d5 = -cloth_dot(ab, pc), d6 = -cloth_dot(ac, pc);
    float va = fma(d3, d6, -(d5 * d4)), vb = fma(d5, d2, -(d1 * d6)), vc = fma(d1, d4, -(d3 * d2));
    float on_b = vb, on_c = vc, whole = va + vb + vc;
    uint region = 6u;
    if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f) {
        region = 4u;
        on_b = d5 - d6;
        on_c = d4 - d3;
        whole = on_c + on_b;
    }
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
        region = 5u;
        on_b = 0.0f;
        on_c = d2;
        whole = d2 - d6;
    }
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
        region = 3u;
        on_b = d1;
        on_c = 0.0f;
        whole = d1 - d3;
    }
    if (d6 >= 0.0f && d5 <= d6) {
        region = 2u;
        on_b = 0.0f;
        on_c = whole = 1.0f;
    }
    if (d3 >= 0.0f && d4 <= d3) {
        region = 1u;
        on_c = 0.0f;
        on_b = whole = 1.0f;
    }
    if (d1 <= 0.0f && d2 <= 0.0f) {
        region = 0u;
        on_b = on_c = 0.0f;
    }
    cloth_nearest nearest;
    nearest.region = region;
    nearest.c = whole > 0.0f ? on_c / whole : 0.0f;
    nearest.b = region == 4u ? 1.0f - nearest.c : whole > 0.0f ? on_b / whole : 0.0f;
    nearest.to = hed_f4(fma(ac.x, nearest.c, fma(ab.x, nearest.b, pa.x)),
        fma(ac.y, nearest.c, fma(ab.y, nearest.b, pa.y)),
        fma(ac.z, nearest.c, fma(ab.z, nearest.b, pa.z)), 0.0f);
    nearest.to.w = cloth_dot(nearest.to, nearest.to);
    return nearest;
}

/* Square of the distance to a node's box, m^2; reduced a little, so that rounding hides no
 * triangle. */
CLOTH_FUNCTION float cloth_box_square(float4 p, __global const float4 *boxes, uint node)
{
    float4 low = boxes[2 * node], high = boxes[2 * node + 1];
    float x = hed_max(hed_max(low.x - p.x, p.x - high.x), 0.0f);
    float y = hed_max(hed_max(low.y - p.y, p.y - high.y), 0.0f);
    float z = hed_max(hed_max(low.z - p.z, p.z - high.z), 0.0f);
    return cloth_square(x, y, z) * 0.9999f;
}

/* Meshes: (2 leaves x 2) low, high of `boxes`; (meshes) `kinds`: friction; 1 if the mesh has no
 * border; (vertices) `begin` and `end`: positions at the frame's start and end.
 * `boxes`: of the motion between two fractions of the frame. `anchors`: (particles) place at the search,
 * moved back to the frame's start with the plane; w: m, a motion relative to the plane after which
 * no mesh is nearer than the thickness. */
#define CLOTH_MESH_ARRAYS(FIRST, NEXT) \
    FIRST(IN, float4, boxes) \
    NEXT(IN, uint, leaf_at) \
    NEXT(IN, uint4, triangles) \
    NEXT(IN, uint4, edges) \
    NEXT(IN, uint, incident_at) \
    NEXT(IN, uint, incident) NEXT(IN, float4, kinds) NEXT(IN, float4, begin) NEXT(IN, float4, end)
HED_VIEW(cloth_mesh_view, CLOTH_MESH_ARRAYS)
#define MESH_FIND(FIRST, NEXT) \
    CLOTH_MESH_ARRAYS(FIRST, NEXT) \
    NEXT(IN, float4, position) \
    NEXT(IN, float4, previous) \
    NEXT(IN, float4, garments) \
    NEXT(INOUT, float4, contact) NEXT(INOUT, float4, anchors) NEXT(STRUCT, cloth_meshes, meshes)
HED_VIEW(cloth_mesh_find_view, MESH_FIND)
#define MESH_BOXES(FIRST, NEXT) \
    FIRST(SHARED, float4, boxes) \
    NEXT(IN, uint, leaf_at) \
    NEXT(IN, uint4, triangles) \
    NEXT(IN, float4, begin) \
    NEXT(IN, float4, end) \
    NEXT(VALUE, float, from) NEXT(VALUE, float, to) NEXT(VALUE, uint, row) NEXT(VALUE, uint, leaves)
HED_VIEW(cloth_mesh_boxes_view, MESH_BOXES)

/* Position of a vertex at a fraction of the frame. */
CLOTH_INLINE float4 cloth_mesh_vertex(
    uint vertex, float fraction, __global const float4 *begin, __global const float4 *end)
{
    return fraction > 0.0f ? cloth_ball(begin[vertex], end[vertex], fraction) : begin[vertex];
}

/* Computes the box of a leaf, from the motion of its triangles between two fractions of the frame, or of a
 * node above, from the two nodes below. */
CLOTH_INLINE void cloth_box_one(uint node, cloth_mesh_boxes_view view)
{
    __global float4 *boxes = view.boxes;
    float4 low = hed_f4(3e38f, 3e38f, 3e38f, 0.0f), high = hed_f4(-3e38f, -3e38f, -3e38f, 0.0f);
    uint leaves = view.leaves, first = node < leaves ? 0u : view.leaf_at[node - leaves],
         count = node < leaves ? 2u : 3u * (view.leaf_at[node - leaves + 1] - first);
    for (uint i = 0; i < count; i++) {
        float4 a, b, c, d;
        if (node < leaves) {
            a = c = boxes[2 * (2 * node + i)];
            b = d = boxes[2 * (2 * node + i) + 1];
        } else {
            uint4 triangle = view.triangles[first + i / 3];
            uint vertex = i % 3 == 0 ? triangle.x : i % 3 == 1 ? triangle.y : triangle.z;
            a = b = cloth_mesh_vertex(vertex, view.from, view.begin, view.end);
            c = d = cloth_mesh_vertex(vertex, view.to, view.begin, view.end);
        }
        low = hed_f4(hed_min(low.x, hed_min(a.x, c.x)), hed_min(low.y, hed_min(a.y, c.y)),
            hed_min(low.z, hed_min(a.z, c.z)), 0.0f);
        high = hed_f4(hed_max(high.x, hed_max(b.x, d.x)), hed_max(high.y, hed_max(b.y, d.y)),
            hed_max(high.z, hed_max(b.z, d.z)), 0.0f);
    }
    boxes[2 * node] = low;
    boxes[2 * node + 1] = high;
}

/* Next node after `node` that may have a triangle nearer than `best`; 1 after the last. */
CLOTH_INLINE uint cloth_tree_next(
    uint node, uint *trail, float4 p, __global const float4 *boxes, float best)
{
    for (;;) {
        while (node > 1 && (*trail & 1u) == 0) {
            node >>= 1;
            *trail >>= 1;
        }
        if (node <= 1) return 1u;
        node ^= 1u;
        *trail ^= 1u;
        if (cloth_box_square(p, boxes, node) <= best) return node;
    }
}

/* Corners of a triangle at a fraction of the frame, relative to `origin`. */
typedef struct cloth_corners {
    float4 a, b, c;
} cloth_corners;

CLOTH_INLINE cloth_corners cloth_mesh_corners(
    uint4 triangle, float fraction, float4 origin, cloth_mesh_view view)
{
    cloth_corners at;
    at.a = cloth_from(cloth_mesh_vertex(triangle.x, fraction, view.begin, view.end), origin);
    at.b = cloth_from(cloth_mesh_vertex(triangle.y, fraction, view.begin, view.end), origin);
    at.c = cloth_from(cloth_mesh_vertex(triangle.z, fraction, view.begin, view.end), origin);
    return at;
}

/* Normal of a triangle, length 1; 0 if it has no area. */
CLOTH_INLINE float4 cloth_corners_normal(cloth_corners at)
{
    return cloth_unit(cloth_cross(cloth_minus(at.b, at.a), cloth_minus(at.c, at.a)));
}

/* Finds the triangle nearest to p, relative to `origin`, whose squared distance is at most *best, and
 * sets *best to it. `facing`: direction that triangles have to face; 0: any.
 * Of equally near triangles the one with the smallest number (`edges[..].w`) is found. Returns
 * CLOTH_MESH_NONE if no triangle is that near. */
CLOTH_INLINE uint cloth_tree_nearest(
    float4 p, float4 origin, float4 facing, float *best, cloth_mesh_view view, cloth_meshes meshes)
{
    uint any = !(cloth_dot(facing, facing) > 0.0f);
    uint leaves = meshes.leaves;
    float4 place = hed_f4(p.x + origin.x, p.y + origin.y, p.z + origin.z, p.w);
    uint node = 1, trail = 0, found = CLOTH_MESH_NONE, number = CLOTH_MESH_NONE;
    if (!(cloth_box_square(place, view.boxes, 1) <= *best)) return found;
    for (;;) {
        while (node < leaves) { /* down, the nearer branch first */
            float left = cloth_box_square(place, view.boxes, 2 * node),
                  right = cloth_box_square(place, view.boxes, 2 * node + 1);
            if (!(hed_min(left, right) <= *best)) break;
            node = 2 * node + (right < left ? 1u : 0u);
            trail = 2 * trail + (hed_max(left, right) <= *best ? 1u : 0u);
        }
        if (node >= leaves) {
            for (uint t = view.leaf_at[node - leaves]; t < view.leaf_at[node - leaves + 1]; t++) {
                uint4 triangle = view.triangles[t];
                cloth_corners at = cloth_mesh_corners(triangle, meshes.fraction, origin, view);
                float square = cloth_nearest_of(p, at.a, at.b, at.c).to.w;
                if ((square < *best || (square == *best && view.edges[t].w < number)) &&
                    (any || cloth_dot(cloth_corners_normal(at), facing) < CLOTH_FACING)) {
                    *best = square;
                    found = t;
                    number = view.edges[t].w;
                }
            }
        }
        node = cloth_tree_next(node, &trail, place, view.boxes, *best);
        if (node == 1) return found;
    }
}

CLOTH_INLINE float4 cloth_face_normal(uint t, float fraction, cloth_mesh_view view)
{
    return cloth_corners_normal(
        cloth_mesh_corners(view.triangles[t], fraction, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), view));
}

/* Pseudo-normal at the nearest point's region, of any length. */
CLOTH_INLINE float4 cloth_pseudo_normal(uint t, uint region, float fraction, cloth_mesh_view view)
{
    float4 normal = cloth_face_normal(t, fraction, view);
    if (region >= 3) {
        uint4 beside = view.edges[t];
        uint other = region == 3   ? beside.x
                     : region == 4 ? beside.y
                     : region == 5 ? beside.z
                                   : CLOTH_MESH_NONE;
        if (other == CLOTH_MESH_NONE) return normal;
        float4 its = cloth_face_normal(other, fraction, view);
        return hed_f4(normal.x + its.x, normal.y + its.y, normal.z + its.z, 0.0f);
    }
    uint vertex = region == 0   ? view.triangles[t].x
                  : region == 1 ? view.triangles[t].y
                                : view.triangles[t].z;
    normal = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    for (uint k = view.incident_at[vertex]; k < view.incident_at[vertex + 1]; k++) {
        uint4 around = view.triangles[view.incident[k]];
        uint next = around.x == vertex ? around.y : around.y == vertex ? around.z : around.x;
        uint last = around.x == vertex ? around.z : around.y == vertex ? around.x : around.y;
        float4 at = cloth_mesh_vertex(vertex, fraction, view.begin, view.end);
        float4 u = cloth_minus(cloth_mesh_vertex(next, fraction, view.begin, view.end), at),
               v = cloth_minus(cloth_mesh_vertex(last, fraction, view.begin, view.end), at),
               cross = cloth_cross(u, v);
        float length = sqrt(cloth_dot(cross, cross));
        float angle = hed_atan2(length, cloth_dot(u, v)),
              share = length > 0.0f ? angle / length : 0.0f;
        normal = hed_f4(fma(cross.x, share, normal.x), fma(cross.y, share, normal.y),
            fma(cross.z, share, normal.z), 0.0f);
    }
    return normal;
}

/* Motion in the frame of a point of a triangle with weights b and c of its last corners, m. */
CLOTH_FUNCTION float4 cloth_mesh_motion(
    uint4 triangle, float b, float c, float4 origin, cloth_mesh_view view)
{
    float4 p = cloth_minus(
        cloth_from(view.end[triangle.x], origin), cloth_from(view.begin[triangle.x], origin));
    float4 q = cloth_minus(
        cloth_from(view.end[triangle.y], origin), cloth_from(view.begin[triangle.y], origin));
    float4 r = cloth_minus(
        cloth_from(view.end[triangle.z], origin), cloth_from(view.begin[triangle.z], origin));
    float a = 1.0f - b - c;
    return hed_f4(fma(a, p.x, fma(b, q.x, c * r.x)), fma(a, p.y, fma(b, q.y, c * r.y)),
        fma(a, p.z, fma(b, q.z, c * r.z)), 0.0f);
}

/* Surface that faces another one. */
typedef struct cloth_facing {
    float4 foot, normal, motion; /* point, direction, motion in the frame, m */
    float width;                 /* m, between the surfaces; CLOTH_NO_CLEFT: none is found */
    float time;                  /* fraction of the frame at which the point is there */
} cloth_facing;

#define CLOTH_NO_CLEFT 3e38f

/* Finds the surface at a fraction of the frame that faces `normal` over the point `foot` of another
 * one: the nearest within `reach` of the place at `height` over that, m. */
CLOTH_INLINE cloth_facing cloth_find_facing(float4 foot, float4 normal, float4 origin, float height,
    float reach, cloth_mesh_view view, cloth_meshes meshes)
{
    cloth_facing facing;
    float4 over = hed_f4(fma(normal.x, height, foot.x), fma(normal.y, height, foot.y),
        fma(normal.z, height, foot.z), foot.w);
    float best = reach * reach;
    uint t = cloth_tree_nearest(over, origin, normal, &best, view, meshes);
    facing.width = CLOTH_NO_CLEFT;
    facing.time = meshes.fraction;
    facing.foot = facing.normal = facing.motion = foot;
    if (t == CLOTH_MESH_NONE) return facing;
    cloth_corners corners = cloth_mesh_corners(view.triangles[t], meshes.fraction, origin, view);
    facing.normal = cloth_corners_normal(corners);
    cloth_nearest nearest = cloth_nearest_of(over, corners.a, corners.b, corners.c);
    facing.foot =
        hed_f4(over.x + nearest.to.x, over.y + nearest.to.y, over.z + nearest.to.z, over.w);
    facing.motion = cloth_mesh_motion(view.triangles[t], nearest.b, nearest.c, origin, view);
    facing.width = height + cloth_dot(nearest.to, normal);
    return facing;
}

/* Finds the surface across a cleft at the time when planes are searched again. `foot`, `normal`,
 * `motion`: of the surface that is nearest to the particle; `height`: of the particle over it then,
 * at least the thickness; `reach`: as cloth_find_facing() has it; above `height`: the particle is
 * within both bodies. */
CLOTH_INLINE cloth_facing cloth_mesh_cleft(float4 foot, float4 normal, float4 motion, float4 origin,
    float height, float reach, float thickness, cloth_mesh_view view, cloth_meshes meshes)
{
    float part = meshes.until - meshes.fraction;
    uint is_within = reach > height;
    if (meshes.move > 0.0f && part > 0.0f) {
        foot = hed_f4(fma(part, motion.x, foot.x), fma(part, motion.y, foot.y),
            fma(part, motion.z, foot.z), foot.w);
        meshes.fraction = meshes.until;
        if (height < 2.0f * thickness) reach += hed_min(2.0f * part * meshes.move, thickness);
    }
    cloth_facing facing = cloth_find_facing(foot, normal, origin, height, reach, view, meshes);
    /* reject the back of a thin body, which was below from the start */
    float closes = part * cloth_dot(cloth_minus(facing.motion, motion), normal);
    if (!is_within && !(facing.width > hed_min(closes, 0.0f))) facing.width = CLOTH_NO_CLEFT;
    return facing;
}

/* Writes a plane of contact and its motion. `height`: of the particle over the surface at the
 * search, m; `room`: distance that it keeps from the surface, m. */
CLOTH_INLINE void cloth_write_plane(__global float4 *plane, float4 at, float4 normal, float4 motion,
    float height, float room, float thickness, cloth_meshes meshes)
{
    /* a particle that is too near begins on its plane, which then moves it out */
    float lift = height - room, out = hed_min(hed_max(-0.5f * lift, 0.0f), meshes.come_out);
    if (meshes.fraction > 0.0f) lift = out = 0.0f;
    motion.x = fma(normal.x, out, motion.x);
    motion.y = fma(normal.y, out, motion.y);
    motion.z = fma(normal.z, out, motion.z);
    normal.w = cloth_dot(normal, at) - height + hed_min(lift, 0.0f) -
               meshes.fraction * cloth_dot(normal, motion) + (room - thickness);
    plane[0] = normal;
    plane[1] = motion;
}

/* Distance that a particle has moved from its anchor relative to its plane, m. */
CLOTH_INLINE float cloth_mesh_slip(float4 at, float4 anchor, float4 motion, float fraction)
{
    float part = cloth_has_plane(motion) ? fraction : 0.0f;
    return sqrt(cloth_square(fma(-part, motion.x, at.x - anchor.x),
        fma(-part, motion.y, at.y - anchor.y), fma(-part, motion.z, at.z - anchor.z)));
}

/* Writes a particle's planes of contact and their motions, as cloth_touch_planes() reads them. */
CLOTH_INLINE void cloth_mesh_find_one(uint i, cloth_mesh_view view, cloth_mesh_find_view of)
{
    __global float4 *contact = of.contact + CLOTH_CONTACT_WORDS * i;
    cloth_meshes meshes = of.meshes;
    float4 at = of.position[i], before = of.previous[i], none = hed_f4(0.0f, 0.0f, 0.0f, -1.0f),
           anchor = of.anchors[i];
    float slip = cloth_mesh_slip(at, anchor, contact[1], meshes.fraction);
    if (meshes.slip > 0.0f && slip <= hed_max(meshes.slip, anchor.w)) return;
    uint was_cleft = contact[1].w < CLOTH_NO_PLANE;
    float known = cloth_has_plane(contact[1]) ? anchor.w + slip : 3e38f;
    contact[0] = contact[1] = none;
    if (!(at.w > 0.0f) || !(fabs(at.x) < 1e30f && fabs(at.y) < 1e30f && fabs(at.z) < 1e30f)) return;
    float4 origin = cloth_origin_at(of.garments, (uint)before.w);
    float thickness = of.garments[CLOTH_GARMENT_WORDS * (uint)before.w].w;
    float way =
        sqrt(cloth_square(at.x - before.x, at.y - before.y, at.z - before.z)) * meshes.ahead;
    float reach = thickness + way + meshes.fall + meshes.move, best = reach * reach;
    /* no point is deeper inside than half the smallest extent of all meshes */
    float4 low = view.boxes[2], high = view.boxes[3];
    float depth = 0.5f * hed_min(hed_min(high.x - low.x, high.y - low.y), high.z - low.z);
    float4 place = hed_f4(at.x + origin.x, at.y + origin.y, at.z + origin.z, at.w);
    if (meshes.closed != 0 && cloth_box_square(place, view.boxes, 1) == 0.0f)
        best = hed_max(best, depth * depth);
    /* the point that was nearest is no farther than then and the motion since */
    if (meshes.fraction > 0.0f) {
        known = 1.001f * (known + thickness + meshes.move + meshes.come_out);
        best = hed_min(best, known * known);
    }
    uint t = cloth_tree_nearest(at, origin, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), &best, view, meshes);
    of.anchors[i] = hed_f4(at.x, at.y, at.z, sqrt(best) - thickness - meshes.move);
    if (t == CLOTH_MESH_NONE) return;

    uint4 triangle = view.triangles[t];
    float4 kind = view.kinds[triangle.w];
    cloth_corners corners = cloth_mesh_corners(triangle, meshes.fraction, origin, view);
    cloth_nearest nearest = cloth_nearest_of(at, corners.a, corners.b, corners.c);
    float4 pseudo = cloth_unit(cloth_pseudo_normal(t, nearest.region, meshes.fraction, view));
    float distance = sqrt(nearest.to.w);
    float side = cloth_dot(nearest.to, pseudo) <= 0.0f ? 1.0f : -1.0f;
    if (distance > (side > 0.0f ? reach : kind.y != 0.0f ? 3e38f : thickness)) return;
    float4 normal = pseudo;
    if (nearest.region != 6 && distance > 1e-6f * (1.0f + fabs(at.x) + fabs(at.y) + fabs(at.z)))
        normal = hed_f4(-side * nearest.to.x / distance, -side * nearest.to.y / distance,
            -side * nearest.to.z / distance, 0.0f);
    if (!(cloth_dot(normal, normal) > 0.5f)) return; /* no triangle there has an area */

    float4 motion = cloth_mesh_motion(triangle, nearest.b, nearest.c, origin, view);
    float4 foot = hed_f4(at.x + nearest.to.x, at.y + nearest.to.y, at.z + nearest.to.z, at.w);
    motion.w = kind.x;
    /* height over the surface to which the particle flies on */
    float flies = fma(meshes.ahead, cloth_dot(normal, cloth_minus(at, before)), side * distance) -
                  (meshes.until - meshes.fraction) * cloth_dot(normal, motion) + meshes.fall;
    /* Search below the surface for particles within two bodies alone: otherwise the back of a thin
     * body would be found. */
    float over = hed_max(flies, thickness), near = thickness + hed_max(flies - distance, 0.0f);
    near = was_cleft && side < 0.0f ? over + CLOTH_DEEP * thickness : hed_min(near, 0.99f * over);
    cloth_facing across =
        cloth_mesh_cleft(foot, normal, motion, origin, over, near, thickness, view, meshes);
    /* distance: a third of a cleft, as most have two layers of cloth; the middle of two bodies */
    float room = across.width < 0.0f               ? 0.5f * across.width
                 : across.width < 2.0f * thickness ? across.width * (1.0f / 3.0f)
                                                   : thickness;
    cloth_write_plane(contact, at, normal, motion, side * distance, room, thickness, meshes);
    motion = contact[1];
    of.anchors[i] =
        hed_f4(fma(-meshes.fraction, motion.x, at.x), fma(-meshes.fraction, motion.y, at.y),
            fma(-meshes.fraction, motion.z, at.z), distance - thickness - meshes.move);
    if (!(across.width < CLOTH_NO_CLEFT)) return;
    float since = meshes.fraction - across.time, pressed = contact[3].w;
    float4 point = hed_f4(fma(since, across.motion.x, across.foot.x),
        fma(since, across.motion.y, across.foot.y), fma(since, across.motion.z, across.foot.z),
        0.0f);
    cloth_write_plane(contact + 2, at, across.normal, across.motion,
        cloth_dot(across.normal, cloth_minus(at, point)), room, thickness, meshes);
    contact[1].w = cloth_two_planes(kind.x);
    contact[3].w = pressed + (across.width < CLOTH_PRESSED * thickness ? 1.0f : 0.0f);
}

#endif
