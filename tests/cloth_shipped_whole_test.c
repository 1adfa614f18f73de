/* ctest: devices full long */
/* Every scene that comes with Heddle and collides with itself, from its first frame to its last: no
 * pair of triangles crosses, of cloth or of cloth and bodies, and less than 0.1 % of the vertices
 * are cut in a substep. */
#include "fixture.h"

#include "cloth_judge.h"

TestSuite(cloth_shipped_whole, .init = here_open, .fini = here_close);

#define WHOLE(name) \
    Test(cloth_shipped_whole, name, .timeout = 3000) { judged_run(here.device, #name, 0, 1e-3); }

WHOLE(folded)
WHOLE(garment)
WHOLE(shirts)
WHOLE(corner)
WHOLE(cape)
WHOLE(thrown)
WHOLE(cushion)
WHOLE(runner)
WHOLE(tablecloth)
WHOLE(fabrics)
