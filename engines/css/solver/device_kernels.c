/* See device_kernels.h. On a processor a group is one item, as the items of a group are a loop
 * there. */
#include "solver/device_kernels.h"

extern const char hed_css_tables_h[], hed_css_matching_h[], hed_css_bind_cl[], hed_css_bits_cl[],
    hed_css_classes_cl[];

/* Arguments of all kernels: CSS_ARGUMENTS of matching.h. */
#define SHARED \
    HED_VALUE_STRUCT(css_fixed, fixed), HED_IN(uint, tables), HED_IN(uint, elements), \
        HED_IN(uint, ancestors), HED_INOUT(uint, bound), HED_INOUT(uint, pool), \
        HED_INOUT(uint, work), HED_INOUT(uint, meaning), HED_INOUT(uint, actions), \
        HED_INOUT(uint, listed)

/* `resident`: groups that a multiprocessor should hold; more would leave too few registers. */
#define DESCRIPTION(label, file, resident, text, ...) \
    { \
        .name = "css_" label, .summary = text, \
        HED_SOURCES({"tables.h", hed_css_tables_h, 0}, {"matching.h", hed_css_matching_h, 0}, \
            {#file ".cl", hed_css_##file##_cl, 0}), \
        HED_PARAMETERS(HED_PARAMETER(GROUP, 32, 1, 32, 64, 128, 256, 512, 1024)), \
        .max_threads = "GROUP", .min_groups = resident, .needs = HED_CAN_GLOBAL_ATOMICS, \
        HED_ARGUMENTS(__VA_ARGS__) \
    }

const hed_kernel_def css_kernel_defs[CSS_KERNELS] = {
    [CSS_PRESENCE] = DESCRIPTION("bind_presence", bind, 8,
        "predicates that are true on some element kind", SHARED, HED_ARRAY(uint, block)),
    [CSS_PRUNE] = DESCRIPTION("bind_prune", bind, 1, "prefixes that can occur, and their bits",
        SHARED, HED_ARRAY(uint, block)),
    [CSS_ACTS] = DESCRIPTION("bind_acts", bind, 8, "transitions and acceptances of compounds", SHARED),
    [CSS_KINDS] = DESCRIPTION("bind_kinds", bind, 6,
        "compounds that hold on an element kind or are left to dynamic bits", SHARED,
        HED_ARRAY(uint, block)),
    [CSS_BITS] = DESCRIPTION("bits", bits, 6, "dynamic bits of elements, and signatures", SHARED,
        HED_VALUE(uint, stage), HED_VALUE(uint, begin), HED_VALUE(uint, end)),
    [CSS_PATHS] = DESCRIPTION("paths", classes, 32, "classes of elements; lists of signatures",
        SHARED, HED_VALUE(uint, begin), HED_VALUE(uint, end), HED_ARRAY(uint, block)),
    [CSS_CLASSES] = DESCRIPTION("classes", classes, 32, "finals of classes; checks of hashes",
        SHARED, HED_VALUE(uint, begin), HED_VALUE(uint, end), HED_ARRAY(uint, block))};

hed_status css_kernels_create(css_kernels *k, hed_device *device, bool wide, hed_error *error)
{
    const hed_device_info info = hed_device_describe(device);
    static const uint32_t groups[CSS_KERNELS] = {[CSS_PRESENCE] = 128,
        [CSS_PRUNE] = 1024,
        [CSS_ACTS] = 128,
        [CSS_KINDS] = 128,
        [CSS_BITS] = 256,
        [CSS_PATHS] = 32,
        [CSS_CLASSES] = 32};
    for (int i = 0; i < CSS_KERNELS && !hed_failed(error); i++) {
        hed_kernel_options options = hed_default_kernel_options();
        bool narrow = info.type == HED_DEVICE_CPU && !wide;
        bool alone = i == CSS_BITS || i == CSS_ACTS; /* items are independent */
        k->group[i] = !narrow ? groups[i] : alone ? 64 : 1;
        while (k->group[i] > info.max_group) k->group[i] /= 2;
        hed_config config = {.count = 1, .values = {k->group[i]}};
        options.config = &config;
        hed_kernel_create(device, &css_kernel_defs[i], &options, &k->kernel[i], error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

void css_kernels_destroy(css_kernels *k)
{
    for (int i = 0; i < CSS_KERNELS; i++) hed_kernel_destroy(k->kernel[i]);
}

uint32_t css_kernel_numbers(css_kernel kernel)
{
    return kernel == CSS_BITS ? 3 : kernel == CSS_PATHS || kernel == CSS_CLASSES ? 2 : 0;
}

bool css_kernel_local(css_kernel kernel) { return kernel != CSS_BITS && kernel != CSS_ACTS; }

/* Bytes of local memory: see the kernels. */
static uint64_t local_bytes(const css_kernels *k, const css_fixed *f, css_kernel kernel)
{
    uint64_t word = sizeof(uint32_t), group = k->group[kernel];
    uint64_t predicate_words = hed_ceil_divide(f->predicates, 32);
    uint64_t node_words = hed_ceil_divide(f->nodes, 32);
    switch (kernel) {
    case CSS_PRESENCE: return (2 * predicate_words + 4) * word;
    case CSS_PRUNE:
        return sizeof(css_bind_found) + (group + predicate_words + 5 * node_words) * word;
    case CSS_KINDS: return sizeof(css_bind_lists) + (group + 4 * predicate_words) * word;
    case CSS_PATHS: return sizeof(css_list_ends);
    case CSS_CLASSES: return (2ull * f->state_words + 3ull * f->chain + group) * word;
    default: return 0;
    }
}

bool css_kernels_fit(const css_kernels *k, const css_fixed *f, const hed_device_info *info)
{
    for (css_kernel i = 0; i < CSS_KERNELS; i++)
        if (local_bytes(k, f, i) > info->local_bytes) return false;
    return true;
}

static uint32_t smaller(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

void css_kernels_groups(const css_kernels *k, css_fixed *f, const hed_device_info *info)
{
    uint32_t units = info->compute_units ? info->compute_units : 1;
    f->list_groups = smaller(f->kinds + 64ull, 8ull * units);
    f->check_groups = smaller(hed_ceil_divide(f->elements, k->group[CSS_CLASSES]), 24ull * units);
}

void css_kernel_layout(const css_kernels *k, const css_fixed *f, const hed_device_info *info,
    css_kernel kernel, uint32_t count, hed_geometry *g)
{
    uint32_t units = info->compute_units ? info->compute_units : 1, group = k->group[kernel];
    uint64_t groups = 1, cover = hed_ceil_divide(count, group);
    *g = (hed_geometry){0};
    switch (kernel) {
    case CSS_PRESENCE:
    case CSS_KINDS: groups = f->kinds; break;
    case CSS_PRUNE: break;
    case CSS_ACTS:
        cover = hed_ceil_divide(
            f->compound_finals + f->compound_nodes + f->compound_dependencies + 1ull, group);
        groups = smaller(cover, 16ull * units);
        break;
    case CSS_BITS: groups = smaller(cover, 8ull * units); break;
    case CSS_PATHS: groups = f->list_groups + smaller(cover, 24ull * units); break;
    /* a table with many slots may have many classes */
    default: groups = f->check_groups + smaller(count, (count > 1u << 16 ? 32ull : 16ull) * units);
    }
    hed_geometry_1d(g, groups, group, 0, 0);
    if (css_kernel_local(kernel))
        g->local_bytes[10 + css_kernel_numbers(kernel)] = local_bytes(k, f, kernel);
}
