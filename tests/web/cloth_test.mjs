// The page of a cloth: what the pointer hits, how the hand follows it, and the view.   node tests/web/cloth_test.mjs
import { Hand, firstHit, vertexOf } from '../../web/cloth/hand.js';
import { View } from '../../web/cloth/view.js';
import { add, dot } from '../../web/cloth/vectors.js';

let failed = 0;
const check = (right, words) => { if (!right) { failed = 1; console.error(`FAILED: ${words}`); } };
const near = (a, b, gap = 1e-6) => Math.hypot(...add(a, b, -1)) < gap;

// ---- the view: a point of the picture and the ray through it are the same ----

const view = new View({ eye: [1, 2, 5], target: [0, 1, 0], up: [0, 1, 0], fieldOfView: 35 });
for (const [width, height] of [[1280, 720], [360, 640]]) {
  for (const [x, y] of [[10, 20], [width / 2, height / 2], [width - 7, height - 3]]) {
    const point = add(view.eye, view.ray(x, y, width, height), 3.5), [px, py] = view.project(point, width, height);
    check(Math.abs(px - x) + Math.abs(py - y) < 1e-6, `${x} ${y} of ${width} x ${height} is drawn at ${px} ${py}`);
  }
}
const far = view.distance;
view.turn(0.7, -0.4);
check(Math.abs(view.distance - far) < 1e-9 && near(view.target, [0, 1, 0]), 'a turn keeps target and distance');
view.turn(0, 9);
check(Math.abs(Math.asin((view.eye[1] - 1) / far) - 1.5) < 1e-6, 'the view tips over');
view.zoom(0.5);
check(Math.abs(view.distance - far / 2) < 1e-9, 'zoom');
view.home();
check(near(view.eye, [1, 2, 5]), "the scene's view");
const [right] = view.axes;
view.pan(0.1, 0);
check(dot(view.target, right) < 0 && Math.abs(view.distance - far) < 1e-9, 'the picture moves to the right, so the camera to the left');

// ---- hits: the nearest triangle, from either side; bodies in front ----

const surface = (points, triangles, cloth = true) => ({ vertices: { points: Float32Array.from(points) }, triangles: Uint32Array.from(triangles), cloth });
const back = surface([-1, -1, 0, 1, -1, 0, 0, 2, 0], [0, 1, 2]), front = surface([-1, -1, 1, 1, -1, 1, 0, 2, 1], [0, 2, 1], false);
const hit = firstHit([back, front], [0, 0, 5], [0, 0, -1]);
check(hit.surface === front && Math.abs(hit.along - 4) < 1e-6, 'the body is in front');
check(firstHit([back, front], [0, 0, -5], [0, 0, 1]).surface === back, 'from behind, the cloth is in front');
check(firstHit([back, front], [0, 0, 5], [0, 0, 1]) === undefined && firstHit([back], [3, 0, 5], [0, 0, -1]) === undefined, 'a ray that misses');
const { vertex, edge } = vertexOf({ surface: back, corner: 0 }, [0.8, -0.9, 0]);
check(vertex === 1 && Math.abs(edge - Math.hypot(1, 3)) < 1e-6, `vertex ${vertex}, edge ${edge}`);

// ---- the hand: it goes along until the cloth is held, then to the pointer, slower where the cloth is stretched ----

const points = Float32Array.from(Array.from({ length: 25 }, (_, i) => [0.1 * (i % 5), 0.1 * Math.floor(i / 5), 0]).flat());
const hand = new Hand(), fall = () => points.forEach((x, i) => { if (i % 3 === 1) points[i] = x - 0.01; });
hand.grab(points, 12, 0.1, 5, 25);
check(hand.grip[0].vertex === 12 && hand.grip.length === 12 && hand.grip.every(({ vertex: v }) => v >= 5), `${hand.grip.length} vertices in a grip`);
for (let frame = 0; frame < 3; frame++) {
  fall();
  check(near(hand.follow(points, 0)[0].place, points.slice(36, 39), 1e-6), 'a grip does not move with the cloth at first');
}
hand.place = add(hand.at, [0.1, 0, 0]);
const start = hand.at[0];
hand.follow(points, 0);
check(Math.abs(hand.at[0] - start - 0.03) < 1e-9, `${hand.at[0] - start} m in a frame`);
hand.follow(points, 0.15);
check(Math.abs(hand.at[0] - start - 0.045) < 1e-9, 'half as fast at half of the longest stretch');
hand.follow(points, 0.5);
check(Math.abs(hand.at[0] - start - 0.048) < 1e-9, 'a tenth as fast beyond it');
for (let frame = 0; frame < 9; frame++) hand.follow(points, 0);
check(near(hand.at, hand.place), 'the hand does not arrive');
const places = hand.follow(points, 0), offset = add(places[3].place, places[0].place, -1);
check(near(offset, hand.grip[3].offset), 'the grip keeps its shape');
hand.release();
check(!hand.isHolding && hand.follow(points, 0).length === 0, 'let go');
// back to where it was grabbed it goes at any stretch
const other = new Hand();
other.grab(points, 12, 1);
for (let frame = 0; frame < 4; frame++) other.follow(points, 0);
const from = other.at.slice();
other.place = add(from, [1, 0, 0]);
for (let frame = 0; frame < 200; frame++) other.follow(points, 0);
other.place = from.slice();
other.follow(points, 2);
check(other.at[0] < from[0] + 1 - 0.02, 'the hand does not go back from a stretch');
process.exit(failed);
