/* Graphs of the fake libcuda: a list of steps that is run when it is launched. And OpenGL buffers,
 * which it never shares. */
#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>

typedef enum node_kind { NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_CALL } node_kind;

/* A node knows its place, which is the same in the graph and in what is instantiated from it. */
struct CUgraphNode_st {
    node_kind kind;
    uint32_t index;
    CUgraph graph;
    CUfunction function;
    unsigned char values[64]; /* a launch's arguments, copied as the driver does */
    cuda_copy_node copy;
    cuda_memset_node fill;
    cuda_host_node call;
};

enum { MOST_NODES = 128 };

struct CUgraph_st {
    fake_object head;
    uint32_t count;
    CUgraphNode nodes[MOST_NODES];
};

struct CUgraphExec_st {
    fake_object head;
    uint32_t count;
    struct CUgraphNode_st nodes[MOST_NODES];
};

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    (void)flags;
    ENTER(cuGraphCreate);
    *graph = fake_new(FAKE_GRAPH, sizeof **graph);
    return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    ENTER(cuGraphDestroy);
    CHECK(cuGraphDestroy, graph, FAKE_GRAPH);
    fake_release(graph);
    for (uint32_t i = 0; i < graph->count; i++) free(graph->nodes[i]);
    free(graph);
    return CUDA_SUCCESS;
}

/* Adds a node behind the last one, which is the only order that the backend asks for. */
static CUresult add(const char *function, CUgraphNode *node, CUgraph graph,
    const CUgraphNode *after, size_t after_count, node_kind kind)
{
    if (!fake_check(function, graph, FAKE_GRAPH)) return CUDA_ERROR_INVALID_HANDLE;
    bool in_order = graph->count ? after_count == 1 && after[0] == graph->nodes[graph->count - 1]
                                 : after_count == 0;
    if (!in_order || graph->count == MOST_NODES) {
        fake_misuse(function);
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUgraphNode made = calloc(1, sizeof *made);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    made->kind = kind;
    made->index = graph->count;
    made->graph = graph;
    graph->nodes[graph->count++] = made;
    *node = made;
    return CUDA_SUCCESS;
}

static void keep_arguments(CUgraphNode node, const cuda_kernel_node *kernel)
{
    size_t at = 0;
    node->function = kernel->function;
    size_t count = node->function->cycle ? FAKE_ARGUMENTS : node->function->module->symbol ? 1 : 0;
    for (size_t i = 0; i < count; at += fake_argument_bytes[i++])
        memcpy(node->values + at, kernel->arguments[i], fake_argument_bytes[i]);
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
    size_t after_count, const cuda_kernel_node *kernel)
{
    ENTER(cuGraphAddKernelNode);
    CUresult result = add("cuGraphAddKernelNode", node, graph, after, after_count, NODE_KERNEL);
    if (!result) keep_arguments(*node, kernel);
    return result;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
    size_t after_count, const cuda_copy_node *copy, CUcontext context)
{
    ENTER(cuGraphAddMemcpyNode);
    CHECK(cuGraphAddMemcpyNode, context, FAKE_CONTEXT);
    CUresult result = add("cuGraphAddMemcpyNode", node, graph, after, after_count, NODE_COPY);
    if (!result) (*node)->copy = *copy;
    return result;
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
    size_t after_count, const cuda_memset_node *fill, CUcontext context)
{
    ENTER(cuGraphAddMemsetNode);
    CHECK(cuGraphAddMemsetNode, context, FAKE_CONTEXT);
    CUresult result = add("cuGraphAddMemsetNode", node, graph, after, after_count, NODE_FILL);
    if (!result) (*node)->fill = *fill;
    return result;
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
    size_t after_count, const cuda_host_node *call)
{
    ENTER(cuGraphAddHostNode);
    CUresult result = add("cuGraphAddHostNode", node, graph, after, after_count, NODE_CALL);
    if (!result) (*node)->call = *call;
    return result;
}

CUresult cuGraphKernelNodeSetAttribute(
    CUgraphNode node, int attribute, const CUlaunchAttributeValue *value)
{
    (void)node;
    (void)attribute;
    (void)value;
    ENTER(cuGraphKernelNodeSetAttribute);
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(
    CUgraphExec *exec, CUgraph graph, CUgraphNode *failed, char *log, size_t log_size)
{
    (void)failed;
    (void)log;
    (void)log_size;
    ENTER(cuGraphInstantiate);
    CHECK(cuGraphInstantiate, graph, FAKE_GRAPH);
    CUgraphExec made = fake_new(FAKE_GRAPH, sizeof *made);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    made->count = graph->count;
    for (uint32_t i = 0; i < graph->count; i++) made->nodes[i] = *graph->nodes[i];
    *exec = made;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(
    CUgraphExec exec, CUgraphNode node, const cuda_kernel_node *kernel)
{
    ENTER(cuGraphExecKernelNodeSetParams);
    CHECK(cuGraphExecKernelNodeSetParams, exec, FAKE_GRAPH);
    CHECK(cuGraphExecKernelNodeSetParams, node->graph,
        FAKE_GRAPH); /* a node is known as long as its graph is */
    if (node->kind != NODE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
    keep_arguments(&exec->nodes[node->index], kernel);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    ENTER(cuGraphExecDestroy);
    CHECK(cuGraphExecDestroy, exec, FAKE_GRAPH);
    fake_release(exec);
    free(exec);
    return CUDA_SUCCESS;
}

static CUresult run_copy(const cuda_copy_node *copy)
{
    const cuda_copy_side *from = &copy->from, *to = &copy->to;
    const void *source =
        from->memory_type == CU_MEMORYTYPE_HOST ? from->host : (void *)(uintptr_t)from->device;
    void *target = to->memory_type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)to->host
                                                         : (void *)(uintptr_t)to->device;
    if (from->memory_type == CU_MEMORYTYPE_DEVICE &&
        !fake_cuda_range("cuGraphLaunch", from->device, copy->width_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (to->memory_type == CU_MEMORYTYPE_DEVICE &&
        !fake_cuda_range("cuGraphLaunch", to->device, copy->width_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memmove(target, source, copy->width_bytes);
    return CUDA_SUCCESS;
}

static CUresult run_node(CUgraphNode node)
{
    void *arguments[FAKE_ARGUMENTS];
    size_t at = 0;
    const cuda_memset_node *fill = &node->fill;
    switch (node->kind) {
    case NODE_KERNEL:
        for (size_t i = 0; i < FAKE_ARGUMENTS; at += fake_argument_bytes[i++])
            arguments[i] = node->values + at;
        return fake_cuda_launch("cuGraphLaunch", node->function, arguments);
    case NODE_COPY: return run_copy(&node->copy);
    case NODE_FILL:
        return fake_cuda_fill("cuGraphLaunch", fill->to, fill->value, fill->element_size,
            fill->pitch, fill->width, fill->height);
    case NODE_CALL: node->call.function(node->call.user); break;
    }
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    ENTER_STREAM(cuGraphLaunch, stream);
    CHECK(cuGraphLaunch, exec, FAKE_GRAPH);
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < exec->count && !result; i++) result = run_node(&exec->nodes[i]);
    return result;
}

/* ---- OpenGL: no buffer of it can be shared, so the core copies ---- */

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, unsigned name, unsigned flags)
{
    (void)resource;
    (void)name;
    (void)flags;
    ENTER(cuGraphicsGLRegisterBuffer);
    return 219; /* CUDA_ERROR_INVALID_GRAPHICS_CONTEXT */
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
    (void)resource;
    fake_misuse("cuGraphicsUnregisterResource");
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuGraphicsMapResources(unsigned count, CUgraphicsResource *resources, CUstream stream)
{
    (void)count;
    (void)resources;
    (void)stream;
    fake_misuse("cuGraphicsMapResources");
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuGraphicsUnmapResources(unsigned count, CUgraphicsResource *resources, CUstream stream)
{
    (void)count;
    (void)resources;
    (void)stream;
    fake_misuse("cuGraphicsUnmapResources");
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuGraphicsResourceGetMappedPointer(
    CUdeviceptr *address, size_t *size, CUgraphicsResource resource)
{
    (void)address;
    (void)size;
    (void)resource;
    fake_misuse("cuGraphicsResourceGetMappedPointer");
    return CUDA_ERROR_INVALID_HANDLE;
}
