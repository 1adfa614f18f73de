/* Declarations common to mujoco_model.c and the text that is compiled at run time against MuJoCo's own
 * header (mujoco_calls.h). The layouts of mjModel and mjData differ between versions of MuJoCo, so only
 * that text uses them. No header of the system is needed here. */
#ifndef HED_MPPI_SIMULATION_H
#define HED_MPPI_SIMULATION_H

/* Functions of libmujoco that are called, in the order in which they are handed over. */
#define MUJOCO_FUNCTIONS(CALL) \
    CALL(mj_loadXML) \
    CALL(mj_deleteModel) CALL(mj_makeData) CALL(mj_deleteData) CALL(mj_resetData) CALL(mj_step) \
    CALL(mj_forward) CALL(mj_id2name) CALL(mj_name2id)

enum { MUJOCO_JOINT, MUJOCO_ACTUATOR, MUJOCO_SENSOR, MUJOCO_KEY, MUJOCO_NUMERIC };
enum { MUJOCO_FREE, MUJOCO_BALL, MUJOCO_SLIDE, MUJOCO_HINGE };

typedef struct mujoco_sizes {
    int nq, nv, na, nu;
    int joints, keys, sensors, sensor_values;
    int sensor_user; /* numbers of each sensor's `user` */
    double timestep; /* s */
} mujoco_sizes;

typedef struct mujoco_joint {
    int type, position, velocity; /* indices into qpos and qvel */
} mujoco_joint;

typedef struct mujoco_actuator {
    int limited;
    double low, high;
} mujoco_actuator;

typedef struct mujoco_sensor {
    int first, count;   /* range of sensordata */
    const double *user; /* (sizes.sensor_user) */
} mujoco_sensor;

/* One simulation. */
typedef struct mujoco_roll {
    const float *x, *controls; /* (nq + nv + na), (steps x nu) */
    int steps, substeps;       /* substeps: steps of MuJoCo in one of the controller's */
    float *states;             /* (steps x nq + nv + na) */
    /* Returns the cost of the sensors' values after a step. */
    double (*cost)(const double *sensors, const void *user);
    const void *user;
    double total; /* result: sum of the costs */
} mujoco_roll;

/* Functions of the compiled text. */
typedef void mujoco_use_function(void *const *functions);
typedef void *mujoco_load_function(const char *path, char *message, int size);
typedef void mujoco_describe_function(const void *model, mujoco_sizes *sizes);
typedef const char *mujoco_name_function(const void *model, int kind, int index);
typedef int mujoco_find_function(const void *model, int kind, const char *name);
typedef void mujoco_joint_at_function(const void *model, int index, mujoco_joint *joint);
typedef void mujoco_actuator_at_function(const void *model, int index, mujoco_actuator *actuator);
typedef void mujoco_sensor_at_function(const void *model, int index, mujoco_sensor *sensor);
typedef const double *mujoco_numeric_function(const void *model, int index, int *count);
/* Writes the state of a keyframe, or of the model's default for index -1. */
typedef void mujoco_start_function(const void *model, int key, double *state);
typedef void *mujoco_make_function(const void *model);
typedef int mujoco_roll_once_function(const void *model, void *data, mujoco_roll *roll);
typedef void mujoco_free_function(void *object);

#define MUJOCO_CALLS(CALL) \
    CALL(use) \
    CALL(load) \
    CALL(describe) CALL(name) CALL(find) CALL(joint_at) CALL(actuator_at) CALL(sensor_at) \
        CALL(numeric) CALL(start) CALL(make) CALL(roll_once) CALL(free_model) CALL(free_data)
typedef mujoco_free_function mujoco_free_model_function, mujoco_free_data_function;

typedef struct mujoco_calls {
#define MUJOCO_MEMBER(name) mujoco_##name##_function *name;
    MUJOCO_CALLS(MUJOCO_MEMBER)
#undef MUJOCO_MEMBER
} mujoco_calls;

#endif
