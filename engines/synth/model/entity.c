/* What there is to know of each type of entity: its name, its parameters, sensible values, and what values it may have. */
#include "model/model.h"

const char *hed_entity_type_name(hed_entity_type type)
{
    (void)type;
    return "";
}
const char *hed_parameter_name(hed_parameter parameter)
{
    (void)parameter;
    return "";
}
bool hed_parameter_of(hed_entity_type type, hed_parameter parameter)
{
    (void)type, (void)parameter;
    return false;
}
hed_entity_def hed_default_entity_def(hed_entity_type type) { return (hed_entity_def){.type = type}; }
