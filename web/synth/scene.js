/* The instrument in three dimensions, in WebGL2 and two draw calls: bodies as squares that are shaded as spheres, springs as lines.
 * Displacements are uploaded once a frame, as a texture that both read. */

const WIDTH = 256; /* texels of a row */

const common = `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D rest, moved; // (bodies) xyz, m; w of rest: radius, below 0 for anchored bodies
uniform mat4 view;
uniform float gain; // magnification of the motion
vec4 at(int body, out vec3 motion) {
    ivec2 texel = ivec2(body % ${WIDTH}, body / ${WIDTH});
    motion = gain * texelFetch(moved, texel, 0).xyz;
    vec4 place = texelFetch(rest, texel, 0);
    return vec4(place.xyz + motion, place.w);
}`;

const bodyVertex = `${common}
layout(location = 0) in vec2 corner;
layout(location = 1) in float mark; // 1: selected, 2: under the pointer
uniform vec3 right, up;
out vec2 place;
out vec3 tint;
void main() {
    vec3 motion;
    vec4 body = at(gl_InstanceID, motion);
    float radius = abs(body.w) * (mark > 0. ? 1.35 : 1.);
    gl_Position = view * vec4(body.xyz + (right * corner.x + up * corner.y) * radius, 1);
    place = corner;
    vec3 calm = body.w < 0. ? vec3(.42, .44, .47) : vec3(.2, .45, .72);
    tint = mix(calm, vec3(1., .42, .15), clamp(length(motion) / (2. * abs(body.w)), 0., 1.));
    if (mark > 0.) tint = mark > 1.5 ? mix(tint, vec3(1.), .45) : vec3(1., .8, .15);
}`;
const bodyFragment = `#version 300 es
precision highp float;
in vec2 place;
in vec3 tint;
out vec4 colour;
void main() {
    float r = dot(place, place);
    if (r > 1.) discard;
    float light = .4 + .6 * max(dot(vec3(place, sqrt(1. - r)), vec3(.4, .7, .59)), 0.);
    colour = vec4(tint * light, 1);
}`;

const lineVertex = `${common}
layout(location = 0) in uvec2 ends;
layout(location = 1) in vec2 look; // stiffness from 0 to 1 among the springs; 1: selected
out vec3 tint;
void main() {
    vec3 motion, other;
    vec4 from = at(int(ends.x), motion), to = at(int(ends.y), other);
    gl_Position = view * vec4(gl_VertexID == 0 ? from.xyz : to.xyz, 1);
    ivec2 a = ivec2(int(ends.x) % ${WIDTH}, int(ends.x) / ${WIDTH}), b = ivec2(int(ends.y) % ${WIDTH}, int(ends.y) / ${WIDTH});
    float length0 = max(distance(texelFetch(rest, a, 0).xyz, texelFetch(rest, b, 0).xyz), 1e-9);
    float stretch = clamp(4. * (distance(from.xyz, to.xyz) / length0 - 1.), -1., 1.);
    vec3 calm = mix(vec3(.72, .78, .84), vec3(.3, .38, .47), look.x);
    tint = mix(calm, stretch > 0. ? vec3(.95, .35, .2) : vec3(.15, .55, .95), abs(stretch));
    if (look.y > 0.) tint = vec3(1., .75, .1);
}`;
const lineFragment = `#version 300 es
precision highp float;
in vec3 tint;
out vec4 colour;
void main() { colour = vec4(tint, 1); }`;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export class Scene {
    constructor(canvas) {
        const g = canvas.getContext('webgl2', { antialias: true });
        if (!g) throw new Error('this browser shows no WebGL2: another one, or another graphics driver, is needed for the picture');
        this.g = g;
        this.canvas = canvas;
        this.gain = 100;
        this.turn = [0.5, 0.4];
        this.zoom = 1;
        this.shift = [0, 0, 0];
        this.inset = [0, 0]; /* CSS pixels at the upper and the lower edge that other things cover */
        this.count = 0;
        this.bodies = this.#program(bodyVertex, bodyFragment);
        this.lines = this.#program(lineVertex, lineFragment);
        this.textures = [0, 1].map(() => this.#texture());
        this.buffers = { corner: g.createBuffer(), mark: g.createBuffer(), ends: g.createBuffer(), look: g.createBuffer() };
        g.bindBuffer(g.ARRAY_BUFFER, this.buffers.corner);
        g.bufferData(g.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), g.STATIC_DRAW);
        this.bodyArray = this.#array([['corner', 2, 0], ['mark', 1, 1]]);
        this.lineArray = this.#array([['ends', 2, 1, g.UNSIGNED_INT], ['look', 2, 1]]);
    }

    #program(vertex, fragment) {
        const g = this.g, program = g.createProgram(), uniforms = {};
        for (const [kind, text] of [[g.VERTEX_SHADER, vertex], [g.FRAGMENT_SHADER, fragment]]) {
            const shader = g.createShader(kind);
            g.shaderSource(shader, text);
            g.compileShader(shader);
            if (!g.getShaderParameter(shader, g.COMPILE_STATUS)) throw new Error(g.getShaderInfoLog(shader));
            g.attachShader(program, shader);
        }
        g.linkProgram(program);
        if (!g.getProgramParameter(program, g.LINK_STATUS)) throw new Error(g.getProgramInfoLog(program));
        for (let i = g.getProgramParameter(program, g.ACTIVE_UNIFORMS) - 1; i >= 0; i--) {
            const { name } = g.getActiveUniform(program, i);
            uniforms[name] = g.getUniformLocation(program, name);
        }
        return { program, uniforms };
    }

    #texture() {
        const g = this.g, texture = g.createTexture();
        g.bindTexture(g.TEXTURE_2D, texture);
        g.texParameteri(g.TEXTURE_2D, g.TEXTURE_MIN_FILTER, g.NEAREST);
        g.texParameteri(g.TEXTURE_2D, g.TEXTURE_MAG_FILTER, g.NEAREST);
        return texture;
    }

    #array(attributes) {
        const g = this.g, array = g.createVertexArray();
        g.bindVertexArray(array);
        attributes.forEach(([name, size, divisor, type = g.FLOAT], place) => {
            g.bindBuffer(g.ARRAY_BUFFER, this.buffers[name]);
            g.enableVertexAttribArray(place);
            g.vertexAttribDivisor(place, divisor);
            if (type === g.UNSIGNED_INT) g.vertexAttribIPointer(place, size, type, 0, 0);
            else g.vertexAttribPointer(place, size, type, false, 0, 0);
        });
        g.bindVertexArray(null);
        return array;
    }

    #fill(name, data) {
        const g = this.g;
        g.bindBuffer(g.ARRAY_BUFFER, this.buffers[name]);
        g.bufferData(g.ARRAY_BUFFER, data, g.DYNAMIC_DRAW);
    }

    /* Uploads (count) vectors of 4. */
    #upload(which, data) {
        const g = this.g;
        g.bindTexture(g.TEXTURE_2D, this.textures[which]);
        g.texImage2D(g.TEXTURE_2D, 0, g.RGBA32F, WIDTH, this.rows, 0, g.RGBA, g.FLOAT, data);
    }

    /** Shows another instrument: rest places (bodies x 3), masses (0: anchored), ends (springs x 2), stiffness (springs). `keep`: the camera
     *  stays. */
    shape({ rest, masses, ends, stiffness }, keep) {
        const count = masses.length, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
        this.count = count;
        this.springs = ends.length / 2;
        this.ends = ends;
        for (let i = 0; i < 3 * count; i++) {
            low[i % 3] = Math.min(low[i % 3], rest[i]);
            high[i % 3] = Math.max(high[i % 3], rest[i]);
        }
        if (!keep || !this.centre) {
            this.centre = low.map((l, k) => (count ? (l + high[k]) / 2 : 0));
            this.size = count ? Math.max(Math.hypot(...low.map((l, k) => high[k] - l)), 1e-3) : 1;
        }
        this.rows = Math.max(1, Math.ceil(count / WIDTH));
        this.rest = new Float32Array(4 * WIDTH * this.rows);
        this.moved = new Float32Array(4 * WIDTH * this.rows);
        const heaviest = Math.max(1e-12, ...masses.filter(Boolean)), radius = this.size * Math.min(0.02, 0.28 / Math.sqrt(count || 1));
        masses.forEach((mass, i) => {
            this.rest.set(rest.subarray(3 * i, 3 * i + 3), 4 * i);
            this.rest[4 * i + 3] = radius * (mass ? Math.max(0.45, Math.cbrt(mass / heaviest)) : -0.55);
        });
        this.#upload(0, this.rest);
        this.#upload(1, this.moved);
        this.marks = new Float32Array(count || 1);
        this.#fill('mark', this.marks);
        this.#fill('ends', ends.length ? ends : new Uint32Array(2));
        const logs = Array.from(stiffness, (k) => Math.log(Math.max(k, 1e-9))), least = Math.min(...logs), range = Math.max(Math.max(...logs) - least, 1e-9);
        this.looks = new Float32Array(2 * Math.max(this.springs, 1));
        logs.forEach((k, i) => { this.looks[2 * i] = (k - least) / range; });
        this.#fill('look', this.looks);
    }

    /** Takes the displacements of all bodies, (bodies x 3), m. */
    move(displacements) {
        if (displacements.length !== 3 * this.count || !(this.moves || displacements.some(Boolean))) return;
        this.moves = displacements.some(Boolean);
        for (let i = 0; i < this.count; i++) {
            this.moved[4 * i] = displacements[3 * i];
            this.moved[4 * i + 1] = displacements[3 * i + 1];
            this.moved[4 * i + 2] = displacements[3 * i + 2];
        }
        this.isMoved = true;
    }

    /** Moves the rest place of a body, until the next shape(). */
    place(body, [x, y, z]) {
        this.isMoved = true;
        this.rest.set([x, y, z], 4 * body);
        this.#upload(0, this.rest);
    }

    /** Marks bodies and springs as selected, and the body under the pointer (-1: none). */
    mark(bodies, springs, pointed = -1) {
        this.isMoved = true;
        this.marks.fill(0);
        for (const i of bodies) this.marks[i] = 1;
        if (pointed >= 0) this.marks[pointed] = 2;
        for (let i = 0; i < this.springs; i++) this.looks[2 * i + 1] = 0;
        for (const i of springs) this.looks[2 * i + 1] = 1;
        this.#fill('mark', this.marks);
        this.#fill('look', this.looks);
    }

    #matrix() {
        const [a, b] = this.turn, distance = 1.25 * this.size / this.zoom, f = 1.6, { width, height } = this.canvas;
        const ca = Math.cos(a), sa = Math.sin(a), cb = Math.cos(b), sb = Math.sin(b);
        this.right = [ca, 0, -sa];
        this.up = [-sa * sb, cb, -ca * sb];
        this.towards = [sa * cb, sb, ca * cb];
        const near = distance / 60, far = distance * 12;
        const rows = [this.right, this.up, this.towards], centre = this.centre.map((c, k) => c + this.shift[k]);
        const moved = rows.map((row) => -dot(row, centre)), m = new Float32Array(16);
        moved[2] -= distance;
        const [above, below] = this.inset.map((edge) => edge / (this.canvas.clientHeight || 1)), free = Math.max(0.2, 1 - above - below);
        const narrow = Math.min(free, width / height) * f, scale = [narrow * height / width, narrow];
        const p = (far + near) / (near - far), q = 2 * far * near / (near - far);
        for (let k = 0; k < 3; k++) {
            m[4 * k] = scale[0] * rows[0][k];
            m[4 * k + 1] = scale[1] * rows[1][k];
            m[4 * k + 2] = p * rows[2][k];
            m[4 * k + 3] = -rows[2][k];
        }
        m.set([scale[0] * moved[0], scale[1] * moved[1], p * moved[2] + q, -moved[2]], 12);
        for (let k = 0; k < 4; k++) m[4 * k + 1] += (below - above) * m[4 * k + 3]; /* the middle of the free part */
        this.scale = narrow;
        return m;
    }

    draw() {
        const { g, canvas } = this, ratio = Math.min(devicePixelRatio, 2);
        const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
        if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
        g.viewport(0, 0, width, height);
        g.clearColor(...this.background ?? [0.98, 0.98, 0.97], 1);
        g.enable(g.DEPTH_TEST);
        g.clear(g.COLOR_BUFFER_BIT | g.DEPTH_BUFFER_BIT);
        if (!this.count || !width || !height) return;
        if (this.isMoved) this.#upload(1, this.moved);
        this.isMoved = false;
        this.matrix = this.#matrix();
        for (const [{ program, uniforms }, array, draw] of [
            [this.lines, this.lineArray, () => g.drawArraysInstanced(g.LINES, 0, 2, this.springs)],
            [this.bodies, this.bodyArray, () => g.drawArraysInstanced(g.TRIANGLE_STRIP, 0, 4, this.count)]]) {
            g.useProgram(program);
            g.uniformMatrix4fv(uniforms.view, false, this.matrix);
            g.uniform1f(uniforms.gain, this.gain);
            g.uniform1i(uniforms.rest, 0);
            g.uniform1i(uniforms.moved, 1);
            if (uniforms.right) g.uniform3fv(uniforms.right, this.right);
            if (uniforms.up) g.uniform3fv(uniforms.up, this.up);
            this.textures.forEach((texture, i) => {
                g.activeTexture(g.TEXTURE0 + i);
                g.bindTexture(g.TEXTURE_2D, texture);
            });
            g.bindVertexArray(array);
            draw();
        }
        g.bindVertexArray(null);
    }

    /** Place of a point on the canvas, CSS pixels, and its depth, m. */
    project([x, y, z]) {
        const m = this.matrix, row = (k) => m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k], w = row(3);
        return [(row(0) / w + 1) / 2 * this.canvas.clientWidth, (1 - row(1) / w) / 2 * this.canvas.clientHeight, w];
    }

    restOf(body) {
        return Array.from(this.rest.subarray(4 * body, 4 * body + 3));
    }

    /** Body under a point of the canvas; -1: none. */
    bodyAt(px, py) {
        let best = -1, least = 14 * 14;
        for (let i = 0; i < this.count && this.matrix; i++) {
            const [x, y] = this.project(this.restOf(i)), d = (x - px) ** 2 + (y - py) ** 2;
            if (d < least) [least, best] = [d, i];
        }
        return best;
    }

    /** Spring under a point; -1: none. */
    springAt(px, py) {
        let best = -1, least = 6;
        for (let i = 0; i < this.springs && this.matrix; i++) {
            const [ax, ay] = this.project(this.restOf(this.ends[2 * i])), [bx, by] = this.project(this.restOf(this.ends[2 * i + 1]));
            const dx = bx - ax, dy = by - ay, t = Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)));
            const d = Math.hypot(ax + t * dx - px, ay + t * dy - py);
            if (d < least) [least, best] = [d, i];
        }
        return best;
    }

    /** Bodies inside a rectangle of the canvas. */
    bodiesIn(x0, y0, x1, y1) {
        return Array.from({ length: this.count }, (_, i) => i).filter((i) => {
            const [x, y] = this.project(this.restOf(i));
            return x >= Math.min(x0, x1) && x <= Math.max(x0, x1) && y >= Math.min(y0, y1) && y <= Math.max(y0, y1);
        });
    }

    /** Vector in the plane of the screen that moves a point at depth `w` by pixels, m. */
    along(dx, dy, w) {
        const metres = w / this.scale * 2 / this.canvas.clientHeight;
        return this.right.map((r, k) => metres * (dx * r - dy * this.up[k]));
    }

    pan(dx, dy) {
        this.along(dx, dy, 1.25 * this.size / this.zoom).forEach((d, k) => { this.shift[k] -= d; });
    }
}
