/* A hanging cloth in the page, with fabric, wind and a ball that pushes it: what `heddle cloth run` computes. */
import { compile, Cloth } from './engine/cloth.js';

const $ = (id) => document.getElementById(id), FABRICS = ['cotton', 'silk', 'denim', 'wool', 'leather'];
const ball = { place: [0, 0.9, 0.45], radius: 0.13 }, view = { turn: [0.35, 0.12], distance: 2.6 };

const sceneOf = (fabric) => ({
    garments: [{
        grid: { width: 41, height: 41, size: [1.2, 1.2], origin: [-0.6, 0.4, 0] },
        pins: [{ box: { low: [-0.61, 1.59, -1], high: [-0.59, 1.61, 1] } }, { box: { low: [0.59, 1.59, -1], high: [0.61, 1.61, 1] } }],
        fabric,
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
        this.metres = 2 * view.distance / (f * this.canvas.clientHeight);
        return m;
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

function wire(picture, open) {
    const canvas = $('canvas');
    const moveBall = (dx, dy) => ball.place.forEach((_, k) => {
        ball.place[k] = Math.max(-2, Math.min(2.5, ball.place[k] + picture.metres * (dx * picture.right[k] - dy * picture.up[k])));
    });
    let fingers = 0;
    canvas.onpointerdown = (event) => {
        fingers++;
        canvas.setPointerCapture(event.pointerId);
    };
    canvas.onpointerup = () => { fingers = Math.max(0, fingers - 1); };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.onpointermove = (event) => {
        if (!event.buttons) return;
        if (event.buttons === 2 || fingers > 1) view.turn = [view.turn[0] - event.movementX / 150, Math.max(-1, Math.min(1.3, view.turn[1] + event.movementY / 150))];
        else moveBall(event.movementX, event.movementY);
    };
    canvas.onwheel = (event) => {
        view.distance = Math.max(1, Math.min(8, view.distance * Math.exp(event.deltaY / 700)));
        event.preventDefault();
    };
    canvas.onkeydown = (event) => {
        const step = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[event.key];
        if (!step) return;
        moveBall(...step);
        event.preventDefault();
    };
    $('fabric').replaceChildren(...FABRICS.map((name) => new Option(name)));
    $('fabric').onchange = open;
    $('again').onclick = open;
}

try {
    const module = await compile(), picture = new Picture($('canvas'));
    let cloth, mesh, spent = 0;
    const open = () => {
        cloth?.close();
        cloth = new Cloth(module, sceneOf($('fabric').value || FABRICS[0]));
        cloth.read();
        mesh = picture.mesh(cloth.positions.slice(), cloth.normals.slice(), cloth.triangles.slice());
    };
    wire(picture, open);
    open();
    const frame = () => {
        const wind = Number($('wind').value), start = performance.now();
        $('wind_text').textContent = `${wind} m/s`;
        cloth.wind(0.3 * wind, 0, -wind * (0.8 + 0.3 * Math.sin(performance.now() / 900)));
        cloth.ball(0, ...ball.place, ball.radius);
        cloth.step().read();
        spent = 0.9 * spent + 0.1 * (performance.now() - start);
        picture.update(mesh, cloth.positions, cloth.normals);
        picture.draw(mesh);
        const { worstStretch } = cloth.measure();
        requestAnimationFrame(frame);
        $('state').textContent = `${cloth.positions.length / 3} vertices, ${spent.toFixed(1)} ms a frame, longest edge ${(100 * worstStretch).toFixed(1)} % too long`;
    };
    frame();
    window.heddle = { ball, cloth: () => cloth };
    document.title += ' (ready)';
} catch (error) {
    $('state').textContent = error.message;
    $('state').className = 'bad';
}
