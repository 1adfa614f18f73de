@group(0) @binding(0) var<storage, read> angles: array<f32>;
@group(0) @binding(1) var<storage, read_write> points: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> bounds: array<u32>;

@compute @workgroup_size(64)
fn pairs(@builtin(global_invocation_id) id: vec3u) {
    let first = id.x * 2u;
    let v = vec2f(cos(angles[id.x]), sin(angles[id.x]));
    points[first] = v;
    points[first + 1u] = -v;
    bounds[3 * id.x] = u32(v.x * 100.0);
    bounds[3 * id.x + 1] = u32(v.y * 100.0);
    bounds[3 * id.x + 2] = id.x;
}
