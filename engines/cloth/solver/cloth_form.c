/* Another form of a cloth: the same program's cloth, made again after vertices were split or joined. */
#include "solver/host.h"

hed_status cloth_form_create(const hed_cloth *cloth, hed_cloth **form, hed_error *error)
{
    const cloth_host *host = cloth->host;
    if (cloth_create_torn(cloth, form, error)) return error->status;
    cloth_host *to = (*form)->host;
    for (int k = 0; k < 2; k++) to->into[k] = host->into[k];
    for (int k = 0; k < HED_CLOTH_ALGORITHM_COUNT; k++) to->native[k] = host->native[k];
    to->into_gl = host->into_gl;
    to->turn = host->turn;
    /* the form's definition has the number of substeps that was chosen for the first form */
    (*form)->body_motion = cloth->body_motion;
    (*form)->is_chosen = cloth->is_chosen;
    (*form)->most_substeps = cloth->most_substeps;
    cloth_set_view(*form, host->transform);
    if (cloth->wants_normals) hed_cloth_enable_normals(*form, error);
    return error->status;
}

void cloth_form_use(hed_cloth *cloth, hed_cloth *form, const hed_error *error)
{
    if (!form) return;
    if (!error->status) {
        hed_cloth before = *cloth;
        form->own_stream = before.own_stream;
        before.own_stream = false;
        *cloth = *form;
        *form = before;
    }
    form->tear = NULL; /* owner: `cloth` */
    hed_cloth_destroy(form);
}
