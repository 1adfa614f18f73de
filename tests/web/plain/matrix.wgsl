struct Matrix { size: vec2<f32>, numbers: array<f32> }
@group(0) @binding(0) var<storage, read> left: Matrix;
@group(0) @binding(1) var<storage, read> right: Matrix;
@group(0) @binding(2) var<storage, read_write> product: Matrix;
@group(0) @binding(3) var<storage, read> left_shape: array<u32>;

// Sizes before the numbers, and in a buffer of their own: with random ones every item would leave at once.
@compute @workgroup_size(8, 8)
fn multiply(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= u32(left.size.x) || id.y >= u32(right.size.y) || id.x >= left_shape[0]) { return; }
    var sum = 0.0;
    for (var i = 0u; i < u32(left.size.y); i++) {
        sum += left.numbers[id.x * u32(left.size.y) + i] * right.numbers[i * u32(right.size.y) + id.y];
    }
    product.numbers[id.x * u32(right.size.y) + id.y] = sum;
}
