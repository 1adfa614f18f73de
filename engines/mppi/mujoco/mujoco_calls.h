/* Text that is compiled at run time against the installed <mujoco/mujoco.h>: the only one that knows
 * the layouts of MuJoCo's structs. simulation.h is before it, and MUJOCO_VERSION is the number that
 * the library returns. */
#include <mujoco/mujoco.h>

#if mjVERSION_HEADER != MUJOCO_VERSION
#error "mujoco.h is of another version than libmujoco"
#endif

#define MUJOCO_POINTER(name) static __typeof__(&name) call_##name;
MUJOCO_FUNCTIONS(MUJOCO_POINTER)

void mujoco_use(void *const *functions)
{
#define MUJOCO_TAKE(name) call_##name = (__typeof__(&name))*functions++;
    MUJOCO_FUNCTIONS(MUJOCO_TAKE)
}

void *mujoco_load(const char *path, char *message, int size)
{
    return call_mj_loadXML(path, 0, message, size);
}

void mujoco_describe(const void *model, mujoco_sizes *sizes)
{
    const mjModel *m = model;
    sizes->nq = (int)m->nq;
    sizes->nv = (int)m->nv;
    sizes->na = (int)m->na;
    sizes->nu = (int)m->nu;
    sizes->joints = (int)m->njnt;
    sizes->keys = (int)m->nkey;
    sizes->sensors = (int)m->nsensor;
    sizes->sensor_values = (int)m->nsensordata;
    sizes->sensor_user = (int)m->nuser_sensor;
    sizes->timestep = m->opt.timestep;
}

static int mujoco_kind(int kind)
{
    static const int kinds[] = {
        mjOBJ_JOINT, mjOBJ_ACTUATOR, mjOBJ_SENSOR, mjOBJ_KEY, mjOBJ_NUMERIC};
    return kinds[kind];
}

const char *mujoco_name(const void *model, int kind, int index)
{
    return call_mj_id2name(model, mujoco_kind(kind), index);
}

int mujoco_find(const void *model, int kind, const char *name)
{
    return call_mj_name2id(model, mujoco_kind(kind), name);
}

void mujoco_joint_at(const void *model, int index, mujoco_joint *joint)
{
    const mjModel *m = model;
    joint->type = m->jnt_type[index];
    joint->position = m->jnt_qposadr[index];
    joint->velocity = m->jnt_dofadr[index];
}

void mujoco_actuator_at(const void *model, int index, mujoco_actuator *actuator)
{
    const mjModel *m = model;
    actuator->limited = m->actuator_ctrllimited[index];
    actuator->low = m->actuator_ctrlrange[2 * index];
    actuator->high = m->actuator_ctrlrange[2 * index + 1];
}

void mujoco_sensor_at(const void *model, int index, mujoco_sensor *sensor)
{
    const mjModel *m = model;
    sensor->first = m->sensor_adr[index];
    sensor->count = m->sensor_dim[index];
    sensor->user = m->sensor_user + index * m->nuser_sensor;
}

const double *mujoco_numeric(const void *model, int index, int *count)
{
    const mjModel *m = model;
    *count = m->numeric_size[index];
    return m->numeric_data + m->numeric_adr[index];
}

void mujoco_start(const void *model, int key, double *state)
{
    const mjModel *m = model;
    int nq = (int)m->nq, nv = (int)m->nv, na = (int)m->na;
    for (int i = 0; i < nq; i++) state[i] = key < 0 ? m->qpos0[i] : m->key_qpos[key * nq + i];
    for (int i = 0; i < nv; i++) state[nq + i] = key < 0 ? 0 : m->key_qvel[key * nv + i];
    for (int i = 0; i < na; i++) state[nq + nv + i] = key < 0 ? 0 : m->key_act[key * na + i];
}

void *mujoco_make(const void *model) { return call_mj_makeData(model); }

/* Simulates from roll->x on. Nothing of a former simulation remains, so that the result does not depend
 * on the thread. Returns 0 after one of MuJoCo's warnings of an unstable state, and if a number is not
 * finite. */
int mujoco_roll_once(const void *model, void *data, mujoco_roll *roll)
{
    const mjModel *m = model;
    mjData *d = data;
    int nq = (int)m->nq, nv = (int)m->nv, na = (int)m->na, nu = (int)m->nu;
    const float *x = roll->x;
    float *to = roll->states;
    call_mj_resetData(m, d);
    for (int i = 0; i < nq; i++) d->qpos[i] = *x++;
    for (int i = 0; i < nv; i++) d->qvel[i] = *x++;
    for (int i = 0; i < na; i++) d->act[i] = *x++;
    roll->total = 0;
    for (int t = 0; t < roll->steps; t++) {
        for (int i = 0; i < nu; i++) d->ctrl[i] = roll->controls[t * nu + i];
        for (int n = 0; n < roll->substeps; n++) call_mj_step(m, d);
        if (d->warning[mjWARN_BADQPOS].number || d->warning[mjWARN_BADQVEL].number ||
            d->warning[mjWARN_BADQACC].number)
            return 0;
        for (int i = 0; i < nq; i++) *to++ = (float)d->qpos[i];
        for (int i = 0; i < nv; i++) *to++ = (float)d->qvel[i];
        for (int i = 0; i < na; i++) *to++ = (float)d->act[i];
        if (roll->cost) roll->total += roll->cost(d->sensordata, roll->user);
    }
    return roll->total > -1e300 && roll->total < 1e300;
}

void mujoco_free_model(void *object) { call_mj_deleteModel(object); }
void mujoco_free_data(void *object) { call_mj_deleteData(object); }
