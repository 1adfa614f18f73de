/* A hanging cloth in the page, which one grabs, with fabric, wind and a ball that pushes it: what `heddle cloth run` computes, in the picture
 * of `heddle cloth view`. */
import { compile, Cloth } from './engine/cloth.js';
import { Hand, firstHit, vertexOf } from './cloth/hand.js';
import { Picture, shaders } from './cloth/picture.js';
import { add, dot } from './cloth/vectors.js';
import { View } from './cloth/view.js';

const $ = (id) => document.getElementById(id), FABRICS = ['cotton', 'silk', 'denim', 'wool', 'leather'];
const SIDE = 41, SIZE = 1.2, EDGE = SIZE / (SIDE - 1), CORNER = 0; /* vertices along a side; m; m; vertex that the keyboard grabs */
const SKIN = 0.96; /* of the ball's radius: cloth rests half its thickness off */
const camera = { eye: [0.8, 1.3, 2.6], target: [0, 0.95, 0.05], up: [0, 1, 0], fieldOfView: 42 };
const ball = { place: [0, 0.9, 0.45], radius: 0.13 }, hand = new Hand(), view = new View(camera);
const corner = (x) => ({ box: { low: [x - 0.01, 1.59, -1], high: [x + 0.01, 1.61, 1] } });
const sceneOf = (fabric, thickness) => ({
    garments: [{
        grid: { width: SIDE, height: SIDE, size: [SIZE, SIZE], origin: [-SIZE / 2, 0.4, 0] },
        pins: [corner(-SIZE / 2), corner(SIZE / 2)],
        fabric,
        thickness,
        drag: 1.2,
        lift: 0.5,
    }],
});

/* Normals of the unit sphere's vertices, and its triangles. */
function sphere(n) {
    const normals = [], triangles = [];
    for (let i = 0; i <= n; i++)
        for (let j = 0; j <= n; j++) {
            const a = Math.PI * i / n, b = 2 * Math.PI * j / n;
            normals.push(Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b));
            if (i < n && j < n) {
                const at = i * (n + 1) + j;
                triangles.push(at, at + 1, at + n + 1, at + 1, at + n + 2, at + n + 1);
            }
        }
    return { normals: Float32Array.from(normals), triangles: Uint32Array.from(triangles) };
}

/* What the picture shows: the cloth, and the ball. */
class Stage {
    constructor(picture) {
        this.picture = picture;
        this.sphere = sphere(24);
    }

    open(cloth) {
        const { picture } = this;
        picture.clear();
        this.sheet = picture.surface(picture.vertices(), cloth.triangles.slice(), [0.75, 0.23, 0.08], true);
        this.ball = picture.surface(picture.vertices(), this.sphere.triangles, [0.14, 0.24, 0.36], false);
        this.update(cloth);
    }

    update(cloth) {
        const { picture, sphere: { normals } } = this;
        picture.update(this.sheet.vertices, cloth.positions.slice(), cloth.normals);
        picture.update(this.ball.vertices, normals.map((x, i) => ball.place[i % 3] + SKIN * ball.radius * x), normals);
    }

    /* Direction from the eye through a point of the picture. */
    ray(x, y) {
        const { clientWidth, clientHeight } = this.picture.canvas;
        return view.ray(x, y, clientWidth, clientHeight);
    }
}

function letGo(cloth) {
    for (const { vertex } of hand.grip) cloth.release(vertex);
    hand.release();
}

function grab(cloth, vertex, edge) {
    letGo(cloth);
    hand.grab(cloth.positions, vertex, edge);
}

/* Moves the ball, or the hand's goal. */
const move = (subject, place) => { subject.place = place.map((x) => Math.max(-2, Math.min(2.5, x))); };

/* Moves what is held, or the ball, by an arrow key in the picture's plane. */
function nudge(x, y) {
    const [right, upward] = view.axes, subject = hand.isHolding ? hand : ball;
    move(subject, add(add(subject.place, right, x), upward, y));
}

function wirePointer(stage, clothNow) {
    const { canvas } = stage.picture, pointers = new Map();
    let taken; /* ball or hand: {subject, depth, offset of its place from the point where it was taken}; nothing: the view */
    const take = (event) => {
        const { eye, axes: [, , back] } = view, ray = stage.ray(event.offsetX, event.offsetY), found = firstHit([stage.sheet, stage.ball], eye, ray);
        if (!found) return undefined;
        const point = add(eye, ray, found.along), subject = found.surface === stage.ball ? ball : hand, { vertex, edge } = vertexOf(found, point);
        if (subject === hand) grab(clothNow(), vertex, edge);
        return { subject, depth: -dot(add(point, eye, -1), back), offset: add(subject.place, point, -1) };
    };
    canvas.onpointerdown = (event) => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, [event.clientX, event.clientY]);
        letGo(clothNow());
        taken = event.button === 2 || pointers.size > 1 ? undefined : take(event);
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => {
        pointers.delete(event.pointerId);
        letGo(clothNow());
        taken = undefined;
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.onpointermove = (event) => {
        const before = pointers.get(event.pointerId), { clientHeight: height } = canvas;
        if (!before) return;
        pointers.set(event.pointerId, [event.clientX, event.clientY]);
        if (taken) {
            const ray = stage.ray(event.offsetX, event.offsetY);
            move(taken.subject, add(add(view.eye, ray, taken.depth / -dot(ray, view.axes[2])), taken.offset));
        } else view.turn(3 * (event.clientX - before[0]) / height, 3 * (event.clientY - before[1]) / height);
    };
    canvas.onwheel = (event) => {
        view.zoom(Math.exp(event.deltaY / 700));
        event.preventDefault();
    };
}

function wireKeys(canvas, clothNow) {
    const step = 0.04; /* m */
    canvas.onkeydown = (event) => {
        const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [];
        if (event.key === ' ') hand.isHolding ? letGo(clothNow()) : grab(clothNow(), CORNER, EDGE);
        else if (x !== undefined && event.shiftKey) view.turn(0.1 * x, -0.1 * y);
        else if (x !== undefined) nudge(step * x, step * y);
        else return;
        event.preventDefault();
    };
}

try {
    const module = await compile(), stage = new Stage(new Picture($('canvas'), await shaders('cloth/')));
    let cloth, spent = 0;
    const open = () => {
        cloth?.close();
        hand.release();
        cloth = new Cloth(module, sceneOf($('fabric').value || FABRICS[0], Number($('thickness').value) / 1000), { hold: true });
        stage.open(cloth.read());
    };
    $('fabric').replaceChildren(...FABRICS.map((name) => new Option(name)));
    $('fabric').onchange = $('thickness').onchange = $('again').onclick = open;
    wirePointer(stage, () => cloth);
    wireKeys($('canvas'), () => cloth);
    open();
    const frame = () => {
        if (document.hidden) return void requestAnimationFrame(frame); /* Firefox draws hidden pages once a second */
        const wind = Number($('wind').value), start = performance.now(), { worstStretch } = cloth.measure();
        $('wind_text').textContent = `${wind} m/s`;
        $('thickness_text').textContent = `${$('thickness').value} mm`;
        cloth.wind(0.3 * wind, 0, -wind * (0.8 + 0.3 * Math.sin(performance.now() / 900)));
        cloth.ball(0, ...ball.place, ball.radius);
        for (const { vertex, place } of hand.follow(cloth.positions, worstStretch)) cloth.hold(vertex, ...place);
        cloth.step().read();
        spent = 0.9 * spent + 0.1 * (performance.now() - start);
        stage.update(cloth);
        stage.picture.draw(view);
        requestAnimationFrame(frame);
        $('state').textContent = `${cloth.positions.length / 3} vertices, ${spent.toFixed(1)} ms a frame, longest edge ${(100 * worstStretch).toFixed(1)} % too long`;
    };
    frame();
    window.heddle = { ball, hand, view, cloth: () => cloth };
    document.title += ' (ready)';
} catch (error) {
    $('state').textContent = error.message;
    $('state').className = 'bad';
}
