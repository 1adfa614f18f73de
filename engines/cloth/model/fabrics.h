/* Fabrics with names: the only list of them. `./dev keys` writes their names into the schema of
 * scene files and into docs/cloth-scene.md. docs/cloth-stiffness.md has the same fabrics in its
 * table.
 *
 *   FIRST, FABRIC(name, source, warp, weft, shear N/m, bend_warp, bend_weft N m, density kg/m^2,
 *          Poisson's ratio)
 *
 * Measured ones are from the database of Wang, O'Brien and Ramamoorthi, Data-Driven Elastic Models
 * for Cloth (2011), as in ARCSim's materials/: one specimen each, tension and shear of its first
 * row (unstretched), bending of its first column. Poisson's ratio was measured of none: 0.1 to 0.3
 * are estimates. */
#ifndef CLOTH_FABRICS_H
#define CLOTH_FABRICS_H

/* clang-format off */
#define CLOTH_FABRICS(FIRST, FABRIC) \
    FIRST("cotton", \
        "estimate: no specimen; within what the Kawabata system gives for shirtings (bending 0.05 to 0.1 gf cm^2/cm, " \
        "shear 0.5 to 1.5 gf/cm/degree)", \
        2000.0f, 1500.0f, 40.0f, 1e-5f, 7e-6f, 0.12f, 0.2f) \
    FABRIC("denim", \
        "measured: 11 oz black denim, 99 % cotton, of Wang, O'Brien and Ramamoorthi 2011", \
        1014.0f, 205.0f, 53.0f, 9.7e-5f, 6.4e-5f, 0.324f, 0.2f) \
    FABRIC("interlock", \
        "measured: grey interlock T-shirt knit, of Wang, O'Brien and Ramamoorthi 2011", \
        34.0f, 17.0f, 37.0f, 2.3e-5f, 1.4e-5f, 0.187f, 0.3f) \
    FABRIC("leather", \
        "estimate: no specimen; sheep garment leather of 0.8 mm, as a sheet of 10 MPa in tension and 4 in bending", \
        8000.0f, 8000.0f, 3000.0f, 1.7e-4f, 1.7e-4f, 0.5f, 0.3f) \
    FABRIC("silk", \
        "estimate: no specimen; plain weave of filaments, half of cotton's bending length", \
        1200.0f, 800.0f, 15.0f, 1.2e-6f, 8e-7f, 0.06f, 0.1f) \
    FABRIC("wool", \
        "estimate: no specimen; suiting, within what the Kawabata system gives (bending 0.07 to 0.15 gf cm^2/cm, " \
        "shear 0.5 to 1 gf/cm/degree)", \
        1000.0f, 700.0f, 35.0f, 1.2e-5f, 9e-6f, 0.2f, 0.2f)
/* clang-format on */

#endif
