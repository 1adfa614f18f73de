/* Pictures of cloth in WebGL2, with the shaders of `heddle cloth run --png-every`: a light with a shadow map, ground, backdrop, four samples
 * a pixel in linear light, then the curve of a screen. engines/cloth/view/renderer.c and studio.c are the same in C. */
import { add, axes, dot, multiply, placed, unit } from './vectors.js';

const SHADOW = 2048, PENUMBRA = 0.006, SAMPLES = 4;
const HEADER = '#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2DShadow;\n';
/* vertex and fragment shader of each program */
const PROGRAMS = {
    surface: ['surface.vert', 'surface.frag'], shadow: ['surface.vert', 'shadow.frag'], ground: ['surface.vert', 'ground.frag'],
    background: ['screen.vert', 'background.frag'], finish: ['screen.vert', 'finish.frag'],
};
const LIT = ['surface.frag', 'ground.frag'];

/** Texts of the shaders, which lie in the folder `base`. */
export async function shaders(base) {
    const names = [...new Set([...Object.values(PROGRAMS).flat(), 'light.glsl'])];
    return Object.fromEntries(await Promise.all(names.map(async (name) => {
        const answer = await fetch(base + name);
        if (!answer.ok) throw new Error(`${name}: not found beside the page`);
        return [name, await answer.text()];
    })));
}

/** Bounds of points; those that are not finite are skipped. */
export function bounds(points, box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] }) {
    const { low, high } = box;
    for (let i = 0; i < points.length; i++) {
        const k = i % 3, x = points[i];
        if (x < low[k]) low[k] = x;
        if (x > high[k]) high[k] = x;
    }
    return box;
}

const radiusOf = ({ low, high }) => Math.hypot(...add(high, low, -1)) / 2;

/* Rounds to 1, 2 or 5 times a power of ten. */
function roundLength(size) {
    const power = 10 ** Math.floor(Math.log10(size)), part = size / power;
    return power * (part < 2 ? 1 : part < 5 ? 2 : 5);
}

export class Picture {
    constructor(canvas, texts) {
        const g = this.g = canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false });
        if (!g) throw new Error('this browser shows no WebGL2');
        this.canvas = canvas;
        this.surfaces = [];
        this.format = g.getExtension('EXT_color_buffer_float') ? g.RGBA16F : g.RGBA8;
        this.programs = Object.fromEntries(Object.entries(PROGRAMS).map(([name, files]) => [name, this.#program(files, texts)]));
        this.empty = g.createVertexArray();
        this.ground = this.vertices();
        this.#shadowMap();
    }

    #program(files, texts) {
        const { g } = this, program = g.createProgram(), places = new Map();
        for (const name of files) {
            const shader = g.createShader(name.endsWith('.vert') ? g.VERTEX_SHADER : g.FRAGMENT_SHADER);
            g.shaderSource(shader, HEADER + (LIT.includes(name) ? texts['light.glsl'] : '') + texts[name]);
            g.compileShader(shader);
            if (!g.getShaderParameter(shader, g.COMPILE_STATUS)) throw new Error(`${name}: ${g.getShaderInfoLog(shader)}`);
            g.attachShader(program, shader);
        }
        g.linkProgram(program);
        if (!g.getProgramParameter(program, g.LINK_STATUS)) throw new Error(`${files[1]}: ${g.getProgramInfoLog(program)}`);
        return { program, at: (name) => places.get(name) ?? places.set(name, g.getUniformLocation(program, name)).get(name) };
    }

    #shadowMap() {
        const { g } = this;
        this.shadow = { map: g.createTexture(), target: g.createFramebuffer() };
        g.bindTexture(g.TEXTURE_2D, this.shadow.map);
        g.texImage2D(g.TEXTURE_2D, 0, g.DEPTH_COMPONENT24, SHADOW, SHADOW, 0, g.DEPTH_COMPONENT, g.UNSIGNED_INT, null);
        const parameters = { MIN_FILTER: g.LINEAR, MAG_FILTER: g.LINEAR, WRAP_S: g.CLAMP_TO_EDGE, WRAP_T: g.CLAMP_TO_EDGE,
            COMPARE_MODE: g.COMPARE_REF_TO_TEXTURE, COMPARE_FUNC: g.LEQUAL };
        for (const [name, value] of Object.entries(parameters)) g.texParameteri(g.TEXTURE_2D, g[`TEXTURE_${name}`], value);
        g.bindFramebuffer(g.FRAMEBUFFER, this.shadow.target);
        g.framebufferTexture2D(g.FRAMEBUFFER, g.DEPTH_ATTACHMENT, g.TEXTURE_2D, this.shadow.map, 0);
        g.drawBuffers([g.NONE]);
    }

    #resize(width, height) {
        const { g } = this;
        if (this.size?.[0] === width && this.size[1] === height) return;
        this.size = [width, height];
        Object.assign(this.canvas, { width, height });
        for (const name of ['colours', 'depth']) g.deleteRenderbuffer(this[name]);
        g.deleteTexture(this.scene);
        [this.drawn, this.resolved].forEach((target) => g.deleteFramebuffer(target));
        Object.assign(this, { colours: g.createRenderbuffer(), depth: g.createRenderbuffer(), scene: g.createTexture(),
            drawn: g.createFramebuffer(), resolved: g.createFramebuffer() });
        g.bindTexture(g.TEXTURE_2D, this.scene);
        g.texStorage2D(g.TEXTURE_2D, 1, this.format, width, height);
        g.texParameteri(g.TEXTURE_2D, g.TEXTURE_MIN_FILTER, g.NEAREST);
        g.texParameteri(g.TEXTURE_2D, g.TEXTURE_MAG_FILTER, g.NEAREST);
        g.bindFramebuffer(g.FRAMEBUFFER, this.resolved);
        g.framebufferTexture2D(g.FRAMEBUFFER, g.COLOR_ATTACHMENT0, g.TEXTURE_2D, this.scene, 0);
        g.bindFramebuffer(g.FRAMEBUFFER, this.drawn);
        for (const [buffer, format, place] of [[this.colours, this.format, g.COLOR_ATTACHMENT0], [this.depth, g.DEPTH_COMPONENT24, g.DEPTH_ATTACHMENT]]) {
            g.bindRenderbuffer(g.RENDERBUFFER, buffer);
            g.renderbufferStorageMultisample(g.RENDERBUFFER, SAMPLES, format, width, height);
            g.framebufferRenderbuffer(g.FRAMEBUFFER, place, g.RENDERBUFFER, buffer);
        }
    }

    /* ---- surfaces ---- */

    /** Vertices that surfaces share. Normals are three floats, or packed in 32 bits. */
    vertices() {
        const { g } = this;
        return { positions: g.createBuffer(), normals: g.createBuffer(), points: new Float32Array() };
    }

    /** Adds triangles of some vertices. `cloth`: lit from both sides. */
    surface(vertices, triangles, colour, cloth, packed = false) {
        const { g } = this, array = g.createVertexArray();
        g.bindVertexArray(array);
        g.bindBuffer(g.ARRAY_BUFFER, vertices.positions);
        g.enableVertexAttribArray(0);
        g.vertexAttribPointer(0, 3, g.FLOAT, false, 0, 0);
        g.bindBuffer(g.ARRAY_BUFFER, vertices.normals);
        g.enableVertexAttribArray(1);
        if (packed) g.vertexAttribPointer(1, 4, g.INT_2_10_10_10_REV, true, 0, 0);
        else g.vertexAttribPointer(1, 3, g.FLOAT, false, 0, 0);
        const buffer = g.createBuffer();
        g.bindBuffer(g.ELEMENT_ARRAY_BUFFER, buffer);
        g.bufferData(g.ELEMENT_ARRAY_BUFFER, triangles, g.STATIC_DRAW);
        g.bindVertexArray(null);
        const surface = { array, buffer, vertices, triangles, colour, cloth };
        this.surfaces.push(surface);
        return surface;
    }

    /** Moves vertices. */
    update(vertices, positions, normals) {
        const { g } = this;
        for (const [buffer, data] of [[vertices.positions, positions], [vertices.normals, normals]]) {
            g.bindBuffer(g.ARRAY_BUFFER, buffer);
            g.bufferData(g.ARRAY_BUFFER, data, g.DYNAMIC_DRAW);
        }
        vertices.points = positions;
        vertices.box = bounds(positions);
    }

    /** Removes all surfaces. */
    clear() {
        const { g } = this;
        for (const { array, buffer, vertices } of this.surfaces) {
            g.deleteVertexArray(array);
            [buffer, vertices.positions, vertices.normals].forEach((name) => g.deleteBuffer(name));
        }
        this.surfaces = [];
        this.studio = undefined;
    }

    /* ---- light and ground ---- */

    /* Bounds of the cloth and of bodies that are not much larger, such as a table, no wide floor. */
    #subject() {
        const box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] }, of = (list) => list.map(({ vertices }) => vertices.box).filter(Boolean);
        const join = ({ low, high }) => bounds(low, bounds(high, box));
        of(this.surfaces.filter(({ cloth }) => cloth)).forEach(join);
        const most = 3 * radiusOf(box);
        of(this.surfaces.filter(({ cloth }) => !cloth)).filter((other) => radiusOf(other) <= most).forEach(join);
        return box;
    }

    /* Fits the studio at the first picture; later only the ground sinks. */
    #fit(view, box) {
        const axis = view.upward.findIndex((x) => x !== 0), sign = view.upward[axis], low = sign > 0 ? box.low[axis] : -box.high[axis];
        if (this.studio) {
            this.studio.ground = Math.min(this.studio.ground, low);
            return;
        }
        const { eye, target } = view.start;
        let forward = add(target, eye, -1);
        forward = add(forward, view.upward, -dot(forward, view.upward));
        if (dot(forward, forward) < 1e-6) forward = [0, 1, 2].map((k) => (k === (axis + 1) % 3 ? 1 : 0));
        forward = unit(forward);
        const right = [0, 1, 2].map((k) => forward[(k + 1) % 3] * view.upward[(k + 2) % 3] - forward[(k + 2) % 3] * view.upward[(k + 1) % 3]);
        const size = Math.max(radiusOf(box), 1e-4);
        this.studio = { up: view.upward, axis, key: unit(add(add(view.upward, right, -0.8), forward, -0.5)), size, ground: low < 0 ? low - 0.05 * size : 0 };
    }

    #shot(view, box, width, height) {
        const { studio } = this, centre = box.low.map((x, k) => (x + box.high[k]) / 2), radius = Math.max(radiusOf(box), 1e-4) * 1.05;
        const distance = Math.hypot(...add(view.eye, centre, -1)), reach = Math.max(studio.size, radius);
        const { projection, placed: looking } = view.matrix(width, height, 0.02 * Math.max(reach, distance), distance + 80 * reach);
        /* the light's view: a cube around the centre, deep enough for the shadow on the ground */
        const light = placed(centre, axes(add(centre, studio.key), centre, studio.up)), cube = new Float32Array(16);
        const depth = 2 * radius + Math.max(dot(centre, studio.up) - studio.ground, 0) / dot(studio.key, studio.up);
        cube.set([1 / radius, 0, 0, 0, 0, 1 / radius, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1]);
        const ground = centre.slice();
        ground[studio.axis] = studio.ground * studio.up[studio.axis];
        return { camera: multiply(projection, looking), light: multiply(cube, light), texel: 2 * radius / SHADOW, ground, reach: 12 * studio.size,
            spacing: roundLength(0.25 * studio.size), isGroundSeen: dot(view.eye, studio.up) > studio.ground };
    }

    /* ---- passes ---- */

    #use(name, values) {
        const { g } = this, { program, at } = this.programs[name];
        g.useProgram(program);
        for (const [key, value] of Object.entries(values)) {
            if (value.length === 16) g.uniformMatrix4fv(at(key), false, value);
            else if (value.length === 3) g.uniform3fv(at(key), value);
            else if (key === 'shadow_map' || key === 'scene') g.uniform1i(at(key), value);
            else g.uniform1f(at(key), value);
        }
    }

    #surfaces(name, eye) {
        const { g } = this, { at } = this.programs[name];
        for (const { array, triangles, colour, cloth, isHidden } of this.surfaces) {
            if (isHidden?.(eye)) continue;
            if (name === 'surface') {
                g.uniform3fv(at('colour'), colour);
                g.uniform1i(at('two_sided'), cloth);
            }
            g.bindVertexArray(array);
            g.drawElements(g.TRIANGLES, triangles.length, g.UNSIGNED_INT, 0);
        }
        g.bindVertexArray(null);
    }

    #shadow(shot, eye) {
        const { g } = this;
        g.bindFramebuffer(g.FRAMEBUFFER, this.shadow.target);
        g.viewport(0, 0, SHADOW, SHADOW);
        g.enable(g.DEPTH_TEST);
        g.clear(g.DEPTH_BUFFER_BIT);
        g.enable(g.POLYGON_OFFSET_FILL);
        g.polygonOffset(1.5, 2);
        this.#use('shadow', { view_projection: shot.light });
        this.#surfaces('shadow', eye);
        g.disable(g.POLYGON_OFFSET_FILL);
    }

    #ground(shot, lit) {
        const { g, studio } = this, corners = new Float32Array(12), a = studio.axis;
        for (let i = 0; i < 4; i++) {
            corners.set(shot.ground, 3 * i);
            corners[3 * i + (a + 1) % 3] += i & 1 ? shot.reach : -shot.reach;
            corners[3 * i + (a + 2) % 3] += i & 2 ? shot.reach : -shot.reach;
        }
        this.#use('ground', { ...lit, centre: shot.ground, reach: shot.reach, spacing: shot.spacing });
        g.bindVertexArray(this.empty);
        g.bindBuffer(g.ARRAY_BUFFER, this.ground.positions);
        g.bufferData(g.ARRAY_BUFFER, corners, g.STREAM_DRAW);
        g.enableVertexAttribArray(0);
        g.vertexAttribPointer(0, 3, g.FLOAT, false, 0, 0);
        g.enable(g.BLEND);
        g.blendFuncSeparate(g.SRC_ALPHA, g.ONE_MINUS_SRC_ALPHA, g.ZERO, g.ONE);
        g.enable(g.POLYGON_OFFSET_FILL); /* a prop at the same height is in front of the ground */
        g.polygonOffset(2, 8);
        g.drawArrays(g.TRIANGLE_STRIP, 0, 4);
        g.disable(g.POLYGON_OFFSET_FILL);
        g.disable(g.BLEND);
        g.disableVertexAttribArray(0);
    }

    /** Draws everything into the canvas. */
    draw(view) {
        const { g, canvas } = this, ratio = Math.min(devicePixelRatio, 2), box = this.#subject();
        const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
        if (!(box.low[0] <= box.high[0])) return;
        this.#resize(width, height);
        this.#fit(view, box);
        const shot = this.#shot(view, box, width, height);
        this.#shadow(shot, view.eye);
        g.bindFramebuffer(g.FRAMEBUFFER, this.drawn);
        g.viewport(0, 0, width, height);
        g.clear(g.DEPTH_BUFFER_BIT);
        g.disable(g.DEPTH_TEST);
        this.#use('background', {});
        g.bindVertexArray(this.empty);
        g.drawArrays(g.TRIANGLES, 0, 3);
        g.enable(g.DEPTH_TEST);
        g.bindTexture(g.TEXTURE_2D, this.shadow.map);
        const lit = { view_projection: shot.camera, shadow_matrix: shot.light, up: this.studio.up, key_direction: this.studio.key,
            shadow_texel: shot.texel, penumbra: PENUMBRA, shadow_map: 0 };
        if (shot.isGroundSeen) this.#ground(shot, lit);
        this.#use('surface', { ...lit, eye: view.eye });
        g.vertexAttrib4f(2, 1, 1, 1, 1);
        this.#surfaces('surface', view.eye);
        g.bindFramebuffer(g.READ_FRAMEBUFFER, this.drawn);
        g.bindFramebuffer(g.DRAW_FRAMEBUFFER, this.resolved);
        g.blitFramebuffer(0, 0, width, height, 0, 0, width, height, g.COLOR_BUFFER_BIT, g.NEAREST);
        g.bindFramebuffer(g.FRAMEBUFFER, null);
        g.disable(g.DEPTH_TEST);
        g.bindTexture(g.TEXTURE_2D, this.scene);
        this.#use('finish', { scene: 0, stamp: 1 });
        g.bindVertexArray(this.empty);
        g.drawArrays(g.TRIANGLES, 0, 3);
        g.bindVertexArray(null);
    }
}
