/* Contact with bodies in Newton's method: a particle that would enter a body is moved to the
 * surface before the solution, which then moves it along the surface alone. Bodies after the
 * solution alone stretch the cloth: they move particles that their neighbours do not follow.
 *
 * Contacts are found where the solution of the last substep would move the particle, since cloth
 * that falls on a body meets it there. A contact holds a particle if the forces of the strains pull
 * it less than the body lifts it. Text of a group, after newton.h. */
#ifndef CLOTH_NEWTON_CONTACT_H
#define CLOTH_NEWTON_CONTACT_H

/* Returns a particle out of all bodies. */
CLOTH_INLINE float4 newton_off_bodies(uint particle, float4 at, float4 before, cloth_cloth cloth,
    cloth_newton_view view, cloth_step step)
{
    if (step.colliders > 0u)
        at = cloth_collide(at, before, cloth.thickness, cloth.friction,
            cloth_origin_at(view.garments, (uint)before.w), view.colliders, step.colliders,
            step.from, step.to);
    if (step.flags & CLOTH_STEP_CONTACTS)
        at = cloth_touch_planes(at, before, cloth.thickness, cloth.friction,
            view.contact + CLOTH_CONTACT_WORDS * particle, step.from, step.to);
    return at;
}

/* Returns an own particle's position before the solution, `bent` or on a body; stores its contact:
 * unit normal; w: lift, m, 0: no contact. */
CLOTH_INLINE float4 newton_meet(uint particle, float4 bent, cloth_newton_view view)
{
    float4 none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), motion = none;
    cloth_step step = cloth_step_at(view.steps, view.launch.substep);
    float4 before = view.previous[particle];
    cloth_cloth cloth = cloth_garment_at(view.garments, (uint)before.w);
    if (view.launch.bodies & CLOTH_NEWTON_FOLLOWS) motion = view.contacts[particle];
    float4 at = cloth_shift(bent, 1.0f, motion),
           to = newton_off_bodies(particle, at, before, cloth, view, step);
    view.contacts[particle] = none;
    if (to.x == at.x && to.y == at.y && to.z == at.z) return bent;
    cloth.friction = 0.0f;
    float4 lifted = newton_off_bodies(particle, at, before, cloth, view, step);
    float x = lifted.x - at.x, y = lifted.y - at.y, z = lifted.z - at.z,
          lift = sqrt(cloth_square(x, y, z));
    if (!(lift > 0.0f)) return bent;
    float4 normal = hed_f4(x / lift, y / lift, z / lift, lift);
    view.contacts[particle] = normal;
    /* without the motion along the surface, which the solution finds again */
    return cloth_shift(to, -1.0f, cloth_newton_along(normal, motion));
}

/* Normal of a contact if it holds a particle whose residual is the strains' forces; else 0. */
CLOTH_FUNCTION float4 newton_held(float4 contact, const cloth_newton_vertex *v)
{
    uint is_held = cloth_inner(contact, v->residual) < v->mass * contact.w;
    contact.w = 0.0f;
    return is_held ? contact : hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
}

#endif
