struct Image { width: u32, height: u32, patchSize: u32, numWorkgroupsX: u32 }
@group(0) @binding(0) var<storage, read> pixels: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> image: Image;
override THREADS_PER_GROUP: u32;
override GROUP_X: u32;

// JavaScript counts the groups of a row, and an item visits a patch of its own.
@compute @workgroup_size(GROUP_X)
fn patches(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i = (group.x + group.y * image.numWorkgroupsX) * THREADS_PER_GROUP + item.x;
    if (i >= image.width * image.height) { return; }
    var sum = 0.0;
    for (var y = 0u; y < image.patchSize; y++) {
        for (var x = 0u; x < image.patchSize; x++) { sum += pixels[i + y * image.width + x]; }
    }
    sums[i] = sum;
}
