/* Contact beyond simple colliders: creation, order of the solvers in a substep, and reset. */
#include "contact/contact_host.h"

/* Ball contacts run first: anything that moved cloth after its motion was limited could make it
 * cross. */
hed_status cloth_contacts_self(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, float dt, hed_error *error)
{
    if (contacts->sb.rows && cloth_balls_push(cloth, contacts, step, error)) return error->status;
    if (!contacts->pairing) return HED_OK;
    return cloth_pairs_substep(cloth, contacts, contacts->pairing, step, dt, error);
}

hed_status cloth_contacts_begin(hed_cloth *cloth, hed_error *error)
{
    if (!cloth->contacts || !cloth->contacts->pairing) return HED_OK;
    cloth_explanation_begin(cloth->contacts->explanation);
    return cloth_pairs_prepare(cloth, cloth->contacts->pairing, error);
}

hed_status cloth_contacts_end(hed_cloth *cloth, hed_error *error)
{
    if (!cloth->contacts || !cloth->contacts->pairing) return HED_OK;
    return cloth_pairs_look(cloth, cloth->contacts->pairing, error);
}

hed_status cloth_contacts_measure(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error)
{
    if (!cloth->contacts) return HED_OK;
    if (cloth_features_measure(cloth, cloth->contacts->features, quality, error) ||
        cloth_meshes_measure(cloth, quality, error) ||
        !cloth->contacts->pairing)
        return error->status;
    return cloth_pairs_measure(cloth, cloth->contacts->pairing, quality, error);
}

/* ---- life ---- */

hed_status cloth_contacts_create(hed_cloth *cloth, cloth_contacts **contacts, hed_error *error)
{
    *contacts = NULL;
    cloth_contacts *made = hed_new(&cloth->allocator, 1, sizeof *made, error);
    if (!made) return HED_ERROR_MEMORY;
    made->allocator = cloth->allocator;
    cloth_balls_create(cloth, made, error);
    if (!error->status) cloth_pairs_create(cloth, &made->pairing, error);
    if (!error->status) cloth_features_create(cloth, &made->features, error);
    cloth_contact_ensure_announced(cloth, made, error);
    if (error->status) cloth_contacts_destroy(cloth, made);
    else *contacts = made;
    return error->status;
}

void cloth_contacts_destroy(hed_cloth *cloth, cloth_contacts *contacts)
{
    if (!contacts) return;
    cloth_contact_meshes_destroy(contacts);
    cloth_explanation_destroy(cloth, contacts->explanation);
    cloth_pairs_destroy(cloth, contacts->pairing);
    cloth_features_destroy(cloth, contacts->features);
    hed_delete(&cloth->allocator, contacts->known, contacts->known_count, sizeof *contacts->known);
    cloth_buffers_destroy(CLOTH_BUFFERS(&contacts->sb));
    for (size_t i = 0; i < CLOTH_CONTACT_KERNELS; i++) hed_kernel_destroy(contacts->kernels[i]);
    hed_delete(&cloth->allocator, contacts, 1, sizeof *contacts);
}

uint64_t cloth_contacts_bytes(cloth_contacts *contacts)
{
    if (!contacts) return 0;
    return cloth_buffers_bytes(CLOTH_BUFFERS(&contacts->sb)) +
           cloth_buffers_bytes(CLOTH_BUFFERS(&contacts->mb)) +
           cloth_buffers_bytes(CLOTH_BUFFERS(&contacts->features->b)) +
           cloth_pairs_bytes(contacts->pairing);
}

/* ---- saved states ---- */

hed_status cloth_contacts_reset(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    if (!contacts) return error->status;
    cloth_contact_forget_places(contacts);
    cloth_features_reset(cloth, contacts->features, error);
    cloth_meshes_reset(cloth, error);
    cloth_contacts_grip(cloth, error);
    return cloth_pairs_reset(cloth, contacts->pairing, error);
}

hed_status cloth_contacts_set_state(
    hed_cloth *cloth, cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error)
{
    uint64_t count;
    if (size == 0) return cloth_contacts_reset(cloth, contacts, error);
    memcpy(&count, state, sizeof count);
    const char *places = (const char *)state + sizeof count;
    float4 *known = count ? hed_new(&contacts->allocator, count, sizeof *known, error) : NULL;
    if (count && !known) return HED_ERROR_MEMORY;
    if (count) memcpy(known, places, count * sizeof *known);
    cloth_contact_forget_places(contacts);
    contacts->known = known;
    contacts->known_count = (uint32_t)count;
    return cloth_pairs_reset(cloth, contacts->pairing, error);
}
