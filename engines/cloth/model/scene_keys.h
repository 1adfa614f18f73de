/* The keys that the scene loader knows at each place, each list ending with NULL. */
#ifndef CLOTH_SCENE_KEYS_H
#define CLOTH_SCENE_KEYS_H

extern const char *const cloth_keys_scene[];
extern const char *const cloth_keys_wind[];
extern const char *const cloth_keys_camera[];
extern const char *const cloth_keys_ground[];
extern const char *const cloth_keys_garment[];
extern const char *const cloth_keys_grid[];
extern const char *const cloth_keys_disc[];
extern const char *const cloth_keys_tube[];
extern const char *const cloth_keys_materials[];
extern const char *const cloth_keys_material[];
extern const char *const cloth_keys_tethers[];
extern const char *const cloth_keys_array[];
extern const char *const cloth_keys_pin[];
extern const char *const cloth_keys_box[];
extern const char *const cloth_keys_driver[];
extern const char *const cloth_keys_map[];
extern const char *const cloth_keys_collider[];
extern const char *const cloth_keys_plane[];
extern const char *const cloth_keys_sphere[];
extern const char *const cloth_keys_capsule[];
extern const char *const cloth_keys_transform[];
extern const char *const cloth_keys_turn[];
extern const char *const cloth_keys_motion[];
extern const char *const cloth_keys_key[];
extern const char *const cloth_keys_spin[];
extern const char *const cloth_keys_sequence[];

typedef struct cloth_scene_key_list {
    const char *name; /* the schema's: "" for the whole, else of a definition */
    const char *const *keys;
} cloth_scene_key_list;
extern const cloth_scene_key_list cloth_scene_key_lists[]; /* ends with NULL */

#endif
