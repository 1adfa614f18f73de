/* One warp that spins, so that a device which clocks down between blocks does not (the devlog's
 * spin warp). */
__kernel void synth_awake(__global uint *spins, uint nanoseconds)
{
#if HED_HAS_RESIDENT
    unsigned long long begin = hed_device_time();
    while (hed_device_time() - begin < nanoseconds) {}
#endif
    if (get_global_id(0) == 0) spins[0] += nanoseconds > 0 ? 1u : 0u;
}
