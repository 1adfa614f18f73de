/* libFuzzer harness for saved states of cloth: bytes of a real state are changed (three bytes each:
 * place and value; the last odd bytes cut it), and its checksum is made to fit, which no fuzzer
 * would find. A state is refused with a reason, or the cloth goes on from it, finite. */
#include <math.h>

#include "fuzz.h"
#include "heddle/cloth.h"

enum { SIDE = 4, PARTICLES = SIDE * SIDE, SUM_AT = 32 };

static hed_context *context;
static hed_cloth *cloth;
static char *whole; /* (whole_size) */
static uint64_t whole_size;

static void create_cloth(hed_error *error)
{
    static float positions[3 * PARTICLES], masses[PARTICLES];
    uint32_t quads[4 * (SIDE - 1) * (SIDE - 1)], count = 0;
    hed_device *device;
    hed_context_def options = hed_default_context_def();
    options.opencl_library = options.cuda_library = options.nvrtc_library = "";
    options.database = "";
    options.host_threads = 1;
    must(hed_context_create(&options, &context, error) == HED_OK);
    must(hed_device_find(context, "host", &device, error) == HED_OK);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        positions[3 * i] = 0.1f * (float)(i % SIDE);
        positions[3 * i + 2] = 0.1f * (float)(i / SIDE);
        masses[i] = i ? 100.0f : 0.0f;
    }
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            const uint32_t at = y * SIDE + x, corners[4] = {at, at + SIDE, at + SIDE + 1, at + 1};
            memcpy(quads + 4 * count++, corners, sizeof corners);
        }
    hed_cloth_garment_def garment = hed_default_cloth_garment_def();
    garment.name = "sheet";
    garment.particle_count = PARTICLES;
    garment.positions = positions;
    garment.inverse_masses = masses;
    garment.quads = quads;
    garment.quad_count = count;
    hed_cloth_def def = hed_default_cloth_def();
    def.substeps = 5;
    def.garments = &garment;
    def.garment_count = 1;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    def.max_colliders = 2;
    must(hed_cloth_create(device, &def, &cloth, error) == HED_OK);
}

static void save_state(hed_error *error)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    const hed_cloth_collider ball = {
        .shape = HED_CLOTH_SPHERE, .a = {0.1f, -0.3f, 0.1f}, .radius = {0.2f, 0.2f}};
    frame.colliders = &ball;
    frame.collider_count = 1;
    must(hed_cloth_step(cloth, &frame, error) == HED_OK);
    whole_size = hed_cloth_save_size(cloth);
    must((whole = malloc(whole_size)) != NULL);
    must(hed_cloth_save(cloth, whole, error) == HED_OK);
}

/* FNV-1a of all bytes, with the checksum's own as 0: written down here a second time on purpose. */
static void set_checksum(char *state, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    if (size < SUM_AT + sizeof sum) return;
    memset(state + SUM_AT, 0, sizeof sum);
    for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)state[i]) * 0x100000001b3u;
    memcpy(state + SUM_AT, &sum, sizeof sum);
}

static void must_be_finite(void)
{
    float positions[3 * PARTICLES];
    hed_error error = {0};
    must(hed_cloth_read(cloth, positions, NULL, NULL, &error) == HED_OK);
    for (int i = 0; i < 3 * PARTICLES; i++) must(isfinite(positions[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_error error = {0};
    if (!cloth) {
        create_cloth(&error);
        save_state(&error);
    }
    size_t kept =
        size % 3 == 2 ? ((size_t)data[size - 2] << 8 | data[size - 1]) % whole_size : whole_size;
    char *state = fuzz_copy(whole, whole_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        state[((size_t)data[i] << 8 | data[i + 1]) % whole_size] = (char)data[i + 2];
    set_checksum(state, kept);
    char *exact = fuzz_copy(state, kept);
    if (hed_cloth_load(cloth, exact, kept, &error)) {
        must(error.text[0]);
    } else {
        hed_cloth_frame frame = hed_default_cloth_frame();
        hed_error stepped = {0};
        if (hed_cloth_step(cloth, &frame, &stepped) || hed_cloth_wait(cloth, &stepped))
            must(stepped.text[0]);
        must_be_finite();
    }
    error = (hed_error){0};
    must(hed_cloth_load(cloth, whole, whole_size, &error) == HED_OK);
    must_be_finite();
    free(exact);
    free(state);
    return 0;
}
