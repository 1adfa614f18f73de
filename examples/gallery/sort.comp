#version 450
// One stage of a bitonic sort: partners at distance 1 << stage are put in order.
layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer Keys { uint keys[]; };
layout(push_constant) uniform Pass { uint n; };
const uint STAGE = 9;
void main()
{
    uint i = gl_GlobalInvocationID.x, partner = i ^ (1u << STAGE);
    if (i >= n || partner >= n || partner < i) return;
    uint a = keys[i], b = keys[partner];
    bool isUp = (i & (2u << STAGE)) == 0u;
    if ((a > b) == isUp) {
        keys[i] = b;
        keys[partner] = a;
    }
}
