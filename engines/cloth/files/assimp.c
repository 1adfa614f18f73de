/* Reader for formats without a reader in Heddle (FBX, Collada and others), through assimp's C
 * interface. No post-processing of assimp is requested: nothing joins, sorts or splits vertices.
 * So vertices stay in the file's order within each of its meshes, meshes follow each other in
 * the order of the scene's nodes, and welding is left to hed_cloth_mesh_weld(). */
#include "files/mesh_file.h"

#include "heddle/author.h"

#include <string.h>
#include <strings.h>

#ifdef CLOTH_ASSIMP

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <stdlib.h>

bool cloth_assimp_reads(const char *ending)
{
    char dotted[16] = ".";
    if (!ending[0] || strlen(ending) > sizeof dotted - 2) return false;
    strcpy(dotted + 1, ending);
    return aiIsExtensionSupported(dotted);
}

/* Totals of the scene's meshes, and the mesh that they are copied to. */
typedef struct importer {
    const struct aiScene *scene;
    const char *path;
    hed_cloth_mesh *mesh;
    uint64_t vertices, faces, corners, parts;
    bool has_normals, has_textures, has_colours;
    hed_error *error;
} importer;

static bool is_polygon(const struct aiFace *face)
{
    return face->mNumIndices >= 3; /* cloth has no points and lines */
}

/* ---- counting ---- */

static void count_node(importer *in, const struct aiNode *node)
{
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh *part = in->scene->mMeshes[node->mMeshes[i]];
        in->parts++;
        in->vertices += part->mNumVertices;
        in->has_normals = in->has_normals || part->mNormals;
        in->has_textures = in->has_textures || part->mTextureCoords[0];
        in->has_colours = in->has_colours || part->mColors[0];
        for (unsigned face = 0; face < part->mNumFaces; face++) {
            if (!is_polygon(&part->mFaces[face])) continue;
            in->faces++;
            in->corners += part->mFaces[face].mNumIndices;
        }
    }
    for (unsigned i = 0; i < node->mNumChildren; i++) count_node(in, node->mChildren[i]);
}

static hed_status make_arrays(importer *in)
{
    hed_cloth_mesh *mesh = in->mesh;
    if (in->vertices == 0)
        return hed_fail(in->error, HED_ERROR_FORMAT, "%s: found no vertex in it", in->path);
    if (in->vertices >= CLOTH_NO_INDEX || in->corners >= CLOTH_NO_INDEX)
        return hed_fail(in->error, HED_ERROR_LIMIT,
            "%s has %llu vertices and %llu corners, more than %u", in->path,
            (unsigned long long)in->vertices, (unsigned long long)in->corners, CLOTH_NO_INDEX);
    mesh->positions = calloc(in->vertices, 3 * sizeof(float));
    mesh->face_at = calloc(in->faces + 1, sizeof(uint32_t));
    mesh->corners = calloc(in->corners + 1, sizeof(uint32_t));
    if (in->has_normals) mesh->normals = calloc(in->vertices, 3 * sizeof(float));
    if (in->has_normals) mesh->corner_normals = calloc(in->corners + 1, sizeof(uint32_t));
    if (in->has_textures) mesh->textures = calloc(in->vertices, 2 * sizeof(float));
    if (in->has_textures) mesh->corner_textures = calloc(in->corners + 1, sizeof(uint32_t));
    if (in->has_colours) mesh->vertex_colours = calloc(in->vertices, 4 * sizeof(float));
    mesh->materials = calloc(in->parts, sizeof *mesh->materials);
    mesh->groups = calloc(in->parts, sizeof *mesh->groups);
    bool enough = mesh->positions && mesh->face_at && mesh->corners && mesh->materials &&
                  mesh->groups && (!in->has_normals || (mesh->normals && mesh->corner_normals)) &&
                  (!in->has_textures || (mesh->textures && mesh->corner_textures)) &&
                  (!in->has_colours || mesh->vertex_colours);
    if (!enough)
        return HED_OUT_OF_MEMORY(
            in->error, "the %llu vertices of %s", (unsigned long long)in->vertices, in->path);
    mesh->normal_count = in->has_normals ? (uint32_t)in->vertices : 0;
    mesh->texture_count = in->has_textures ? (uint32_t)in->vertices : 0;
    return HED_OK;
}

/* ---- taking over ---- */

static struct aiVector3D transformed(const struct aiMatrix4x4 *m, struct aiVector3D v, float w)
{
    return (struct aiVector3D){m->a1 * v.x + m->a2 * v.y + m->a3 * v.z + m->a4 * w,
        m->b1 * v.x + m->b2 * v.y + m->b3 * v.z + m->b4 * w,
        m->c1 * v.x + m->c2 * v.y + m->c3 * v.z + m->c4 * w};
}

static void take_vertices(importer *in, const struct aiMesh *part, const struct aiMatrix4x4 *matrix)
{
    hed_cloth_mesh *mesh = in->mesh;
    /* normals: the transposed inverse of the upper left part; without it scaled meshes are lit
     * wrongly */
    struct aiMatrix4x4 turned = *matrix;
    turned.a4 = turned.b4 = turned.c4 = 0;
    aiMatrix4Inverse(&turned);
    aiTransposeMatrix4(&turned);
    for (unsigned i = 0; i < part->mNumVertices; i++) {
        size_t at = mesh->vertex_count + (size_t)i;
        struct aiVector3D p = transformed(matrix, part->mVertices[i], 1);
        memcpy(mesh->positions + 3 * at, &(float[3]){p.x, p.y, p.z}, 3 * sizeof(float));
        if (part->mNormals) {
            struct aiVector3D n = transformed(&turned, part->mNormals[i], 0);
            aiVector3NormalizeSafe(&n);
            memcpy(mesh->normals + 3 * at, &(float[3]){n.x, n.y, n.z}, 3 * sizeof(float));
        }
        if (part->mTextureCoords[0])
            memcpy(mesh->textures + 2 * at,
                &(float[2]){part->mTextureCoords[0][i].x, part->mTextureCoords[0][i].y},
                2 * sizeof(float));
        if (in->has_colours) {
            struct aiColor4D c =
                part->mColors[0] ? part->mColors[0][i] : (struct aiColor4D){1, 1, 1, 1};
            memcpy(
                mesh->vertex_colours + 4 * at, &(float[4]){c.r, c.g, c.b, c.a}, 4 * sizeof(float));
        }
    }
}

static hed_status take_faces(importer *in, const struct aiMesh *part)
{
    hed_cloth_mesh *mesh = in->mesh;
    uint32_t corner = mesh->face_at[mesh->face_count];
    for (unsigned i = 0; i < part->mNumFaces; i++) {
        const struct aiFace *face = &part->mFaces[i];
        if (!is_polygon(face)) continue;
        for (unsigned k = 0; k < face->mNumIndices; k++, corner++) {
            if (face->mIndices[k] >= part->mNumVertices)
                return hed_fail(in->error, HED_ERROR_FORMAT,
                    "%s: face %u of mesh %u (counted from 0): found vertex %u, expected less than %u",
                    in->path, i, mesh->group_count, face->mIndices[k], part->mNumVertices);
            uint32_t vertex = mesh->vertex_count + face->mIndices[k];
            mesh->corners[corner] = vertex;
            if (in->has_normals)
                mesh->corner_normals[corner] = part->mNormals ? vertex : CLOTH_NO_INDEX;
            if (in->has_textures)
                mesh->corner_textures[corner] = part->mTextureCoords[0] ? vertex : CLOTH_NO_INDEX;
        }
        mesh->face_at[++mesh->face_count] = corner;
    }
    return HED_OK;
}

static bool take_names(importer *in, const struct aiNode *node, const struct aiMesh *part)
{
    hed_cloth_mesh *mesh = in->mesh;
    struct aiString material = {0};
    if (part->mMaterialIndex < in->scene->mNumMaterials)
        aiGetMaterialString(in->scene->mMaterials[part->mMaterialIndex], AI_MATKEY_NAME, &material);
    char *group_name = strdup(part->mName.length ? part->mName.data : node->mName.data),
         *material_name = strdup(material.data);
    mesh->groups[mesh->group_count++] = (hed_cloth_mesh_span){group_name, mesh->face_count, true};
    mesh->materials[mesh->material_count++] =
        (hed_cloth_mesh_span){material_name, mesh->face_count, false};
    return group_name && material_name;
}

static hed_status take_node(importer *in, const struct aiNode *node, struct aiMatrix4x4 matrix)
{
    aiMultiplyMatrix4(&matrix, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh *part = in->scene->mMeshes[node->mMeshes[i]];
        if (!take_names(in, node, part))
            return hed_fail(
                in->error, HED_ERROR_MEMORY, "out of memory while reading %s", in->path);
        take_vertices(in, part, &matrix);
        hed_status status = take_faces(in, part);
        if (status != HED_OK) return status;
        in->mesh->vertex_count += part->mNumVertices;
    }
    for (unsigned i = 0; i < node->mNumChildren; i++) {
        hed_status status = take_node(in, node->mChildren[i], matrix);
        if (status != HED_OK) return status;
    }
    return HED_OK;
}

hed_status cloth_assimp_read(const char *path, hed_cloth_mesh *mesh, hed_error *error)
{
    *mesh = (hed_cloth_mesh){0};
    hed_status readable = hed_file_require_regular(path, error);
    if (readable != HED_OK) return readable;
    const struct aiScene *scene = aiImportFile(path, 0);
    if (!scene)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s: assimp cannot read it: %s", path, aiGetErrorString());
    importer in = {.scene = scene, .path = path, .mesh = mesh, .error = error};
    if (scene->mRootNode) count_node(&in, scene->mRootNode);
    hed_status status = make_arrays(&in);
    struct aiMatrix4x4 matrix;
    aiIdentityMatrix4(&matrix);
    if (status == HED_OK) status = take_node(&in, scene->mRootNode, matrix);
    aiReleaseImport(scene);
    if (status != HED_OK) hed_cloth_mesh_free(mesh);
    return status;
}

#else

bool cloth_assimp_reads(const char *ending)
{
    static const char *const endings[] = {"fbx", "dae", "off", "3ds", "blend", "x3d"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(ending, endings[i]) == 0) return true;
    return false;
}

hed_status cloth_assimp_read(const char *path, hed_cloth_mesh *mesh, hed_error *error)
{
    *mesh = (hed_cloth_mesh){0};
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: this build reads OBJ, PLY, STL and glTF; for other formats configure again where assimp "
        "is installed (on Debian: libassimp-dev), or convert the file to one of these",
        path);
}

#endif
