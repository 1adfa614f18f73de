/* A hanging cloth in the page, which one grabs, with fabric, wind and a ball that pushes it: what `heddle cloth run` computes. */
import { compile, Cloth } from './engine/cloth.js';

const $ = (id) => document.getElementById(id), FABRICS = ['cotton', 'silk', 'denim', 'wool', 'leather'];
const ball = { place: [0, 0.9, 0.45], radius: 0.13 }, view = { turn: [0.35, 0.12], distance: 2.6 };
/* the hand: vertex (-1: none), the vertices that it holds with their offsets, its place, the place where it grabbed, and the pointer's, which
   it follows the more slowly the more the cloth is stretched, but never below SLOWEST of its speed; m, m a frame */
const hand = { vertex: -1, grip: [], at: [0, 0, 0], place: [0, 0, 0], from: [0, 0, 0], stretch: 0 }, REACH = 0.08, GRIP = 0.065, FASTEST = 0.02, LONGEST = 0.3, SLOWEST = 0.1, CORNER = 0;

const sceneOf = (fabric, thickness) => ({
    garments: [{
        grid: { width: 41, height: 41, size: [1.2, 1.2], origin: [-0.6, 0.4, 0] },
        pins: [{ box: { low: [-0.61, 1.59, -1], high: [-0.59, 1.61, 1] } }, { box: { low: [0.59, 1.59, -1], high: [0.61, 1.61, 1] } }],
        fabric,
        thickness,
        drag: 1.2,
        lift: 0.5,
    }],
});

/* ---- drawing: triangles with normals, one light ---- */

const vertexText = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
uniform mat4 view;
out vec3 side, at;
void main() { side = normal; at = place; gl_Position = view * vec4(place, 1); }`;
const fragmentText = `#version 300 es
precision highp float;
in vec3 side, at;
uniform vec3 colour, eye;
uniform float stripes;
out vec4 result;
void main() {
    vec3 n = normalize(side);
    if (dot(n, eye - at) < 0.) n = -n;
    float light = .35 + .65 * max(dot(n, normalize(vec3(.4, .8, .7))), 0.);
    float weave = stripes > 0. ? .88 + .12 * step(.5, fract(at.x * 9.)) : 1.;
    result = vec4(colour * light * weave, 1);
}`;

class Picture {
    constructor(canvas) {
        const g = this.g = canvas.getContext('webgl2', { antialias: true });
        if (!g) throw new Error('this browser shows no WebGL2');
        this.canvas = canvas;
        const program = this.program = g.createProgram();
        for (const [kind, text] of [[g.VERTEX_SHADER, vertexText], [g.FRAGMENT_SHADER, fragmentText]]) {
            const shader = g.createShader(kind);
            g.shaderSource(shader, text);
            g.compileShader(shader);
            if (!g.getShaderParameter(shader, g.COMPILE_STATUS)) throw new Error(g.getShaderInfoLog(shader));
            g.attachShader(program, shader);
        }
        g.linkProgram(program);
        this.at = (name) => g.getUniformLocation(program, name);
        this.sphere = this.mesh(...sphere(24));
    }

    mesh(positions, normals, triangles) {
        const g = this.g, array = g.createVertexArray(), buffers = [positions, normals].map((data, place) => {
            g.bindVertexArray(array);
            const buffer = g.createBuffer();
            g.bindBuffer(g.ARRAY_BUFFER, buffer);
            g.bufferData(g.ARRAY_BUFFER, data, g.DYNAMIC_DRAW);
            g.enableVertexAttribArray(place);
            g.vertexAttribPointer(place, 3, g.FLOAT, false, 0, 0);
            return buffer;
        });
        g.bindBuffer(g.ELEMENT_ARRAY_BUFFER, g.createBuffer());
        g.bufferData(g.ELEMENT_ARRAY_BUFFER, triangles, g.STATIC_DRAW);
        g.bindVertexArray(null);
        return { array, buffers, count: triangles.length };
    }

    update(mesh, positions, normals) {
        [positions, normals].forEach((data, place) => {
            this.g.bindBuffer(this.g.ARRAY_BUFFER, mesh.buffers[place]);
            this.g.bufferSubData(this.g.ARRAY_BUFFER, 0, data);
        });
    }

    /* View matrix of a camera that turns about (0, 1, 0). */
    matrix(width, height) {
        const [a, b] = view.turn, near = 0.1, far = 20, f = 1.7 * Math.min(1, width / height);
        const ca = Math.cos(a), sa = Math.sin(a), cb = Math.cos(b), sb = Math.sin(b);
        this.right = [ca, 0, -sa];
        this.up = [-sa * sb, cb, -ca * sb];
        const back = [sa * cb, sb, ca * cb], centre = [0, 1, 0], m = new Float32Array(16);
        this.eye = back.map((d, k) => centre[k] + view.distance * d);
        [this.right, this.up, back].forEach((row, r) => {
            const factor = [f * height / width, f, (far + near) / (near - far)][r], moved = -row.reduce((sum, x, k) => sum + x * this.eye[k], 0);
            for (let k = 0; k < 3; k++) {
                m[4 * k + r] = factor * row[k];
                if (r === 2) m[4 * k + 3] = -row[k];
            }
            m[12 + r] = factor * moved + (r === 2 ? 2 * far * near / (near - far) : 0);
            if (r === 2) m[15] = -moved;
        });
        this.forward = back.map((x) => -x);
        this.slope = [width / height / f, 1 / f];
        this.metres = 2 * view.distance / (f * this.canvas.clientHeight);
        return m;
    }

    /* Direction from the eye through a point of the picture, of length 1. */
    ray(x, y) {
        const { clientWidth: width, clientHeight: height } = this.canvas, across = (2 * x / width - 1) * this.slope[0], up = (1 - 2 * y / height) * this.slope[1];
        const ray = this.forward.map((d, k) => d + across * this.right[k] + up * this.up[k]);
        return ray.map((d) => d / Math.hypot(...ray));
    }

    draw(cloth) {
        const { g, canvas } = this, ratio = Math.min(devicePixelRatio, 2);
        const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
        if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
        g.viewport(0, 0, width, height);
        g.clearColor(0, 0, 0, 0);
        g.enable(g.DEPTH_TEST);
        g.clear(g.COLOR_BUFFER_BIT | g.DEPTH_BUFFER_BIT);
        g.useProgram(this.program);
        const matrix = this.matrix(width, height), moved = matrix.slice();
        g.uniform3fv(this.at('eye'), this.eye);
        const one = (mesh, m, colour, stripes) => {
            g.uniformMatrix4fv(this.at('view'), false, m);
            g.uniform3fv(this.at('colour'), colour);
            g.uniform1f(this.at('stripes'), stripes);
            g.bindVertexArray(mesh.array);
            g.drawElements(g.TRIANGLES, mesh.count, g.UNSIGNED_INT, 0);
        };
        one(cloth, matrix, [0.82, 0.42, 0.22], 1);
        /* the ball: the unit sphere at its place */
        for (let r = 0; r < 4; r++) {
            for (let k = 0; k < 3; k++) moved[12 + r] += matrix[4 * k + r] * ball.place[k];
            for (let k = 0; k < 3; k++) moved[4 * k + r] = matrix[4 * k + r] * ball.radius * 0.96;
        }
        one(this.sphere, moved, [0.35, 0.5, 0.65], 0);
    }
}

function sphere(n) {
    const places = [], triangles = [];
    for (let i = 0; i <= n; i++)
        for (let j = 0; j <= n; j++) {
            const a = Math.PI * i / n, b = 2 * Math.PI * j / n;
            places.push(Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b));
            if (i < n && j < n) {
                const at = i * (n + 1) + j;
                triangles.push(at, at + 1, at + n + 1, at + 1, at + n + 2, at + n + 1);
            }
        }
    return [Float32Array.from(places), Float32Array.from(places), Uint32Array.from(triangles)];
}

/* ---- the page ---- */

const distance2 = (a, b) => a.reduce((sum, x, k) => sum + (x - b[k]) ** 2, 0);

/* Vertex under the pointer: the nearest of those that are less than REACH from the ray, or -1; `gap` is its distance along the ray. */
function vertexAt(positions, eye, ray) {
    let best = -1, gap = Infinity;
    for (let v = 0; v < positions.length / 3; v++) {
        const to = [0, 1, 2].map((k) => positions[3 * v + k] - eye[k]), along = to.reduce((sum, x, k) => sum + x * ray[k], 0);
        const off = Math.sqrt(Math.max(0, to.reduce((sum, x) => sum + x * x, 0) - along * along));
        if (off < REACH && along + 3 * off < gap) [best, gap] = [v, along + 3 * off];
    }
    return { best, gap };
}

/* Turns the view by pixels of the picture. */
function turnView(dx, dy) {
    view.turn = [view.turn[0] - dx / 150, Math.max(-1, Math.min(1.3, view.turn[1] + dy / 150))];
}

/* Moves a place by pixels of the picture, in the picture's plane. */
const moveIn = (picture, place, dx, dy) => place.forEach((_, k) => {
    place[k] = Math.max(-2, Math.min(2.5, place[k] + picture.metres * (dx * picture.right[k] - dy * picture.up[k])));
});

function letGo(cloth) {
    for (const { vertex } of hand.grip) cloth.release(vertex);
    hand.grip = [];
    hand.vertex = -1;
}

/* Takes a vertex and those around it, at most 16. */
function grab(cloth, vertex) {
    letGo(cloth);
    const { positions } = cloth, placeOf = (v) => Array.from(positions.slice(3 * v, 3 * v + 3)), middle = placeOf(vertex);
    hand.vertex = vertex;
    hand.at = middle;
    hand.place = middle.slice();
    hand.from = middle.slice();
    hand.grip = Array.from({ length: positions.length / 3 }, (_, v) => ({ vertex: v, offset: placeOf(v).map((x, k) => x - middle[k]) }))
        .map((held) => ({ ...held, far: Math.hypot(...held.offset) })).filter(({ far }) => far < GRIP).sort((a, b) => a.far - b.far).slice(0, 16);
}

/* Moves the hand towards the pointer. */
function followPointer(cloth) {
    if (hand.vertex < 0) return;
    const isBack = distance2(hand.place, hand.from) < distance2(hand.at, hand.from);
    const speed = FASTEST * (isBack ? 1 : Math.max(SLOWEST, 1 - hand.stretch / LONGEST)), part = Math.min(1, speed / Math.max(1e-9, Math.sqrt(distance2(hand.place, hand.at))));
    hand.at = hand.at.map((x, k) => x + part * (hand.place[k] - x));
    for (const { vertex, offset } of hand.grip) cloth.hold(vertex, ...hand.at.map((x, k) => x + offset[k]));
}

function wire(picture, open, clothNow) {
    const canvas = $('canvas'), pointers = new Map();
    let moves = 'view'; /* or ball or hand: what the pointer took */
    const take = (event) => {
        const ray = picture.ray(event.offsetX, event.offsetY), { best, gap } = vertexAt(clothNow().positions, picture.eye, ray);
        const to = ball.place.map((x, k) => x - picture.eye[k]), along = to.reduce((sum, x, k) => sum + x * ray[k], 0);
        const hitsBall = distance2(to, [0, 0, 0]) - along * along < ball.radius ** 2;
        if (hitsBall && along - ball.radius < gap) return 'ball';
        if (best < 0) return 'view';
        grab(clothNow(), best);
        return 'hand';
    };
    canvas.onpointerdown = (event) => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, [event.clientX, event.clientY]);
        letGo(clothNow());
        moves = event.button === 2 || pointers.size > 1 ? 'view' : take(event);
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => {
        pointers.delete(event.pointerId);
        letGo(clothNow());
        moves = 'view';
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.onpointermove = (event) => {
        const before = pointers.get(event.pointerId);
        if (!before) return;
        const dx = event.clientX - before[0], dy = event.clientY - before[1];
        pointers.set(event.pointerId, [event.clientX, event.clientY]);
        if (moves === 'view') turnView(dx, dy);
        else moveIn(picture, moves === 'ball' ? ball.place : hand.place, dx, dy);
    };
    canvas.onwheel = (event) => {
        view.distance = Math.max(1, Math.min(8, view.distance * Math.exp(event.deltaY / 700)));
        event.preventDefault();
    };
    canvas.onkeydown = (event) => {
        const step = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[event.key];
        if (event.key === ' ') hand.vertex < 0 ? grab(clothNow(), CORNER) : letGo(clothNow());
        else if (step && event.shiftKey) turnView(...step);
        else if (step) moveIn(picture, hand.vertex < 0 ? ball.place : hand.place, ...step);
        else return;
        event.preventDefault();
    };
    $('fabric').replaceChildren(...FABRICS.map((name) => new Option(name)));
    $('fabric').onchange = $('thickness').onchange = open;
    $('again').onclick = open;
}

try {
    const module = await compile(), picture = new Picture($('canvas'));
    let cloth, mesh, spent = 0;
    const open = () => {
        cloth?.close();
        Object.assign(hand, { vertex: -1, grip: [] });
        cloth = new Cloth(module, sceneOf($('fabric').value || FABRICS[0], Number($('thickness').value) / 1000), { hold: true });
        cloth.read();
        mesh = picture.mesh(cloth.positions.slice(), cloth.normals.slice(), cloth.triangles.slice());
    };
    wire(picture, open, () => cloth);
    open();
    const frame = () => {
        if (document.hidden) return void requestAnimationFrame(frame); /* Firefox draws hidden pages once a second */
        const wind = Number($('wind').value), start = performance.now();
        $('wind_text').textContent = `${wind} m/s`;
        $('thickness_text').textContent = `${$('thickness').value} mm`;
        cloth.wind(0.3 * wind, 0, -wind * (0.8 + 0.3 * Math.sin(performance.now() / 900)));
        cloth.ball(0, ...ball.place, ball.radius);
        followPointer(cloth);
        cloth.step().read();
        spent = 0.9 * spent + 0.1 * (performance.now() - start);
        picture.update(mesh, cloth.positions, cloth.normals);
        picture.draw(mesh);
        const { worstStretch } = cloth.measure();
        hand.stretch = worstStretch;
        requestAnimationFrame(frame);
        $('state').textContent = `${cloth.positions.length / 3} vertices, ${spent.toFixed(1)} ms a frame, longest edge ${(100 * worstStretch).toFixed(1)} % too long`;
    };
    frame();
    window.heddle = { ball, hand, cloth: () => cloth };
    document.title += ' (ready)';
} catch (error) {
    $('state').textContent = error.message;
    $('state').className = 'bad';
}
