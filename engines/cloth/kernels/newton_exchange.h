/* Exchanges of Newton's method between groups. Whole substeps in one launch: the float4 of an
 * iteration are packets, whose w is a stamp of the leg that sent them, so no meeting is needed, with
 * which an iteration takes a tenth longer. All groups read all sums; each reads one of the copies,
 * since readers of one line wait for each other. Text of a group, after newton_coarse.h; C includes
 * it as a group of one item. */
#ifndef CLOTH_NEWTON_EXCHANGE_H
#define CLOTH_NEWTON_EXCHANGE_H

#if JOINT && HED_HAS_PACKETS
#define NEWTON_PACKETS 1
#define NEWTON_COPIES CLOTH_NEWTON_COPIES
#else
#define NEWTON_PACKETS 0
#define NEWTON_COPIES 1u
#endif

/* Half of the arrays to which a leg publishes. */
CLOTH_FUNCTION uint newton_half(uint leg) { return leg & 1u; }

/* Values of a half at the particles' places. */
CLOTH_FUNCTION __global float4 *newton_sent(cloth_newton_view view, uint half_at)
{
    return view.sent + half_at * view.launch.patches * CLOTH_NEWTON_OWN;
}

/* Sums that are published: in the leg of the matrix, and of an iteration. */
#define NEWTON_OF_RESIDUAL 0u
#define NEWTON_OF_STEP 1u

/* Sums, of patch k at 2 k and 2 k + 1. An iteration has two halves in each of NEWTON_COPIES. */
CLOTH_FUNCTION __global float4 *newton_sums(cloth_newton_view view, uint kind, uint leg, uint copy)
{
    uint row = kind == NEWTON_OF_STEP ? kind + 2u * copy + newton_half(leg) : kind;
    return view.sums + 2u * row * view.launch.patches;
}

/* w of a packet, as no number has it. */
CLOTH_FUNCTION uint newton_stamp(uint leg) { return 0x7fc00000u | leg; }

CLOTH_FUNCTION void newton_send(__global float4 *at, float4 value, uint leg)
{
#if NEWTON_PACKETS
    hed_packet_put((__global uint4 *)at,
        hed_u4(as_uint(value.x), as_uint(value.y), as_uint(value.z), newton_stamp(leg)));
#else
    (void)leg;
    *at = value;
#endif
}

CLOTH_FUNCTION float4 newton_receive(__global const float4 *at)
{
#if NEWTON_PACKETS
    uint4 packet = hed_packet_get((__global const uint4 *)at);
    return hed_f4(as_float(packet.x), as_float(packet.y), as_float(packet.z), as_float(packet.w));
#else
    return *at;
#endif
}

/* True if a received value is not of the leg. */
CLOTH_FUNCTION uint newton_is_late(float4 value, uint leg)
{
#if NEWTON_PACKETS
    return as_uint(value.w) != newton_stamp(leg);
#else
    (void)value;
    (void)leg;
    return 0u;
#endif
}

#endif
