/* A robot of two wheels that plans by sampling: what `heddle mppi run` does, 20 times a second, with obstacles that one drags. */
import { compile, Controller } from './engine/mppi.js';

const $ = (id) => document.getElementById(id), RANGE = 3, RADIUS = 0.25;
const world = { discs: [[0, 0.3, 0.5], [-1.2, -1, 0.4], [1.4, -0.9, 0.45]], goal: [2.3, 1.6], start: [-2.4, -1.6] };
let controller, held, chosen; /* a disc of the pointer; one of the keys, which else move the goal */

const sceneOf = (samples) => ({
    model: 'differential_drive',
    terms: [{ term: 'goal', weight: 5, parameters: { x: world.goal[0], y: world.goal[1] } },
        { term: 'obstacles', weight: 20, parameters: { radius: RADIUS, margin: 0.12 } }],
    obstacles: world.discs.map(([x, y, radius]) => ({ radius, points: [[x, y]] })),
    controls: { speed: { sigma: 0.5, minimum: -0.3, maximum: 0.9, rate: 2 }, turn: { sigma: 1.5, minimum: -2.5, maximum: 2.5 } },
    start: { x: world.start[0], y: world.start[1] },
    controller: { samples, steps: 50, dt: 0.1, lambda: 1 },
});

/* Opens a controller for the obstacles as they are now; the robot goes on where it is. */
function open(module) {
    const state = controller?.state.slice();
    controller?.close();
    controller = new Controller(module, sceneOf(2 ** Number($('samples').value)), {});
    if (state) controller.state.set(state);
}

function draw(milliseconds) {
    const canvas = $('canvas'), ratio = Math.min(devicePixelRatio, 2), c = canvas.getContext('2d');
    const width = canvas.clientWidth * ratio, height = canvas.clientHeight * ratio, style = getComputedStyle(document.body);
    if (canvas.width !== Math.round(width) || canvas.height !== Math.round(height)) Object.assign(canvas, { width, height });
    const scale = Math.min(width, height * 1.4) / (2 * RANGE * 1.05);
    c.setTransform(scale, 0, 0, -scale, width / 2, height / 2);
    c.clearRect(-99, -99, 198, 198);
    canvas.world = ([x, y]) => [(x * ratio - width / 2) / scale, -(y * ratio - height / 2) / scale];
    const size = controller.stateNames.length, line = (states, first, colour, thickness) => {
        c.strokeStyle = colour;
        c.lineWidth = thickness;
        c.beginPath();
        for (let i = 0; i <= controller.steps; i++) c[i ? 'lineTo' : 'moveTo'](states[first + i * size], states[first + i * size + 1]);
        c.stroke();
    };
    const count = 40, { states } = controller.trace(count), block = (controller.steps + 1) * size, copy = states.slice();
    for (let k = count - 1; k >= 0; k--) line(copy, k * block, `rgba(196, 87, 13, ${0.08 + 0.3 * (1 - k / count)})`, 0.012);
    line(controller.path.slice(), 0, style.getPropertyValue('--good'), 0.035);
    for (const [x, y, radius] of world.discs) disc(c, x, y, radius, '#7d8590');
    c.strokeStyle = style.getPropertyValue('--good');
    c.lineWidth = 0.04;
    c.beginPath();
    c.arc(...world.goal, 0.12, 0, 7);
    c.stroke();
    if (canvas.matches(':focus-visible')) ring(c, ...chosen ?? [...world.goal, 0.12], style.getPropertyValue('--ink'));
    const [x, y, heading] = controller.state;
    disc(c, x, y, RADIUS, style.getPropertyValue('--mark'));
    c.strokeStyle = '#fff';
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + RADIUS * Math.cos(heading), y + RADIUS * Math.sin(heading));
    c.stroke();
    const gap = Math.min(...world.discs.map(([ox, oy, r]) => Math.hypot(x - ox, y - oy) - r - RADIUS));
    $('state').textContent = `${controller.samples} futures of ${controller.steps} steps in ${milliseconds.toFixed(1)} ms; nearest disc ${(100 * gap).toFixed(0)} cm`;
}

function disc(c, x, y, radius, colour) {
    c.fillStyle = colour;
    c.beginPath();
    c.arc(x, y, radius, 0, 7);
    c.fill();
}

/* A ring around what the keys move. */
function ring(c, x, y, radius, colour) {
    c.strokeStyle = colour;
    c.beginPath();
    c.arc(x, y, radius + 0.07, 0, 7);
    c.stroke();
}

/* Moves a disc, not into the robot. */
function moveDisc(moved, x, y) {
    const place = inRange(x, y), robot = controller.state;
    if (Math.hypot(place[0] - robot[0], place[1] - robot[1]) > moved[2] + RADIUS + 0.02) [moved[0], moved[1]] = place;
    $('canvas').isMoved = true;
}

const inRange = (x, y) => [Math.max(-RANGE, Math.min(RANGE, x)), Math.max(-2, Math.min(2, y))];

function setGoal(x, y) {
    world.goal = inRange(x, y);
    controller.set('goal.x', world.goal[0]);
    controller.set('goal.y', world.goal[1]);
}

function wire(module) {
    const canvas = $('canvas'), place = (event) => canvas.world([event.offsetX, event.offsetY]);
    canvas.onpointerdown = (event) => {
        const [x, y] = place(event);
        canvas.setPointerCapture(event.pointerId);
        held = world.discs.find((d) => Math.hypot(d[0] - x, d[1] - y) < d[2] + 0.1);
        if (!held) setGoal(x, y);
    };
    canvas.onpointermove = (event) => {
        if (!event.buttons) return;
        const [x, y] = place(event);
        if (held) moveDisc(held, x, y);
        else setGoal(x, y);
    };
    canvas.onpointerup = canvas.onpointercancel = () => { held = undefined; };
    canvas.onkeydown = (event) => {
        const step = { ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, 0.2], ArrowDown: [0, -0.2] }[event.key];
        if (event.key === ' ') chosen = world.discs[world.discs.indexOf(chosen) + 1];
        else if (!step) return;
        else if (chosen) moveDisc(chosen, chosen[0] + step[0], chosen[1] + step[1]);
        else setGoal(world.goal[0] + step[0], world.goal[1] + step[1]);
        event.preventDefault();
    };
    $('samples').oninput = () => {
        $('count').textContent = 2 ** Number($('samples').value);
        open(module);
    };
    $('samples').oninput();
}

try {
    const module = await compile();
    wire(module);
    let milliseconds = 0;
    /* the loop of control does not wait for the picture */
    const step = () => {
        if ($('canvas').isMoved) open(module);
        $('canvas').isMoved = false;
        const start = performance.now();
        controller.solve();
        milliseconds = performance.now() - start;
        controller.advance();
        const [x, y] = controller.state, distance = Math.hypot(x - world.goal[0], y - world.goal[1]);
        if (distance < 0.15 && !held) setGoal(-world.goal[0], -world.goal[1]); /* there: back again */
        setTimeout(step, Math.max(0, 1000 * controller.dt - (performance.now() - start)));
    };
    const picture = () => {
        draw(milliseconds);
        requestAnimationFrame(picture);
    };
    step();
    requestAnimationFrame(picture);
    window.heddle = { world, controller: () => controller };
    document.title += ' (ready)';
} catch (error) {
    $('state').textContent = error.message;
    $('state').className = 'bad';
}
