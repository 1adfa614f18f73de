/* Settings of Nav2's controller, complete, and the facts that follow from them. */
#ifndef HED_NAV2_SETTINGS_H
#define HED_NAV2_SETTINGS_H

#include <math.h>

#include "heddle/author.h"
#include "heddle/mppi_nav2.h"
#include "nav2/nav2_parameters.h"

enum { NAV2_MOST_VERTICES = 64 };

#define NAV2_CRITIC_NUMBER(name, parameters, ...) NAV2_##name,
enum { NAV2_CRITICS(NAV2_CRITIC_NUMBER) NAV2_CRITIC_COUNT };
#define NAV2_CRITIC_MEMBER(name, parameters, ...) nav2_##name name;

/* Length of a vector. hypot() would need glibc 2.35. */
static inline double nav2_length(double x, double y) { return sqrt(x * x + y * y); }

typedef struct nav2_settings {
    hed_nav2_release release;
    hed_nav2_model model;
    double min_turning_r; /* turning radius of Ackermann, m */
    nav2_server server;
    nav2_goal goal;
    nav2_path_rules path;
    nav2_control control;
    nav2_validator validator;
    nav2_costmap costmap;
    nav2_inflation inflation;
    NAV2_CRITICS(NAV2_CRITIC_MEMBER)
    uint32_t listed;  /* bit NAV2_name: the critic is in the list */
    uint32_t critics; /* bit NAV2_name: the critic is in the list and enabled */
    /* footprint with padding (vertices x 2), m; robot_radius: a polygon of 16 */
    double footprint[NAV2_MOST_VERTICES][2];
    double outline[NAV2_MOST_VERTICES][2]; /* (vertices x 2) without padding: the robot itself, m */
    uint32_t vertices;
    bool is_circle;                  /* true: from robot_radius */
    double outline_radius;           /* distance of the furthest vertex of the outline, m */
    double inscribed, circumscribed; /* radii of the padded footprint, m */
} nav2_settings;

struct hed_nav2_config {
    hed_arena arena;
    char *name;
    char *controller; /* name of the controller in the file, such as FollowPath */
    nav2_settings settings;
    double start[3]; /* amcl's initial pose */
    bool has_start;
    hed_nav2_remark *remarks;
    uint32_t remark_count, remark_capacity;
};

/* Sets the outline from the padded footprint. */
void nav2_settings_remove_padding(nav2_settings *settings);
/* Sets the radii of footprint and outline. */
void nav2_settings_measure(nav2_settings *settings);
/* Sets footprint, radii, signs and critics in use, which follow from other settings. */
void nav2_settings_complete(nav2_settings *settings);
/* Sets every parameter to the default of Nav2's code. */
void nav2_settings_default(nav2_settings *settings);

#endif
