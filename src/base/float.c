/* Rounding and denormal state of the calling thread. Only the control bits are changed; exception
 * flags that the work raised remain raised. */
#include "heddle/thread.h"

#if defined(__x86_64__)

#include <xmmintrin.h>

/* MXCSR: denormals are zeros (6), rounding (13 and 14), flush to zero (15). The old x87 unit has a
 * control word of its own, which only `long double` follows; no kernel has that type. */
static const uint64_t CONTROL = 0x0040u | 0x6000u | 0x8000u;

static uint64_t read_control(void) { return _mm_getcsr(); }

static void write_control(uint64_t bits) { _mm_setcsr((unsigned)bits); }

#elif defined(__aarch64__)

/* FPCR: flush inputs to zero (0, of FEAT_AFP), half-float flush (19), rounding (22 and 23), flush
 * to zero (24). */
static const uint64_t CONTROL =
    UINT64_C(1) << 0 | UINT64_C(1) << 19 | UINT64_C(3) << 22 | UINT64_C(1) << 24;

static uint64_t read_control(void)
{
    uint64_t bits;
    __asm__ volatile("mrs %0, fpcr" : "=r"(bits) : : "memory");
    return bits;
}

static void write_control(uint64_t bits)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(bits) : "memory");
}

#else
#error "Heddle knows x86-64 and aarch64: add this processor's floating-point control register here"
#endif

hed_float_state hed_float_strict(void)
{
    uint64_t bits = read_control();
    if ((bits & CONTROL) != 0) /* the state is usually strict already, and writing it is slow */
        write_control(bits & ~CONTROL);
    return (hed_float_state){bits & CONTROL};
}

void hed_float_restore(hed_float_state state)
{
    uint64_t bits = read_control();
    if ((bits & CONTROL) != state.bits) write_control((bits & ~CONTROL) | state.bits);
}
