// Shows an animated GLB on a canvas, by WebGL: its frames are morph targets of one mesh. A drag or an arrow key turns it.
"use strict";

// ---- the file (glTF 2.0, binary) ----

function parseGlb(bytes) {
  const view = new DataView(bytes.buffer), length = view.getUint32(12, true), start = 20 + length + 8;
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
  const array = index => {
    const accessor = json.accessors[index], part = json.bufferViews[accessor.bufferView];
    const at = start + (part.byteOffset || 0) + (accessor.byteOffset || 0);
    const count = accessor.count * { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[accessor.type];
    return new { 5125: Uint32Array, 5126: Float32Array }[accessor.componentType](bytes.buffer.slice(at, at + 4 * count));
  };
  const primitives = json.meshes[0].primitives, first = primitives[0];
  const target = name => [null, ...(first.targets || []).map(t => array(t[name]))]; // frame 0 is the mesh itself
  return {
    positions: array(first.attributes.POSITION), normals: array(first.attributes.NORMAL),
    moved: target("POSITION"), turned: target("NORMAL"),
    indices: primitives.map(p => array(p.indices)),
    times: json.animations ? array(json.animations[0].samplers[0].input) : new Float32Array(1),
  };
}

// The frame before a time, and the share of the way to the next one.
function frameAt(times, time) {
  let frame = 0;
  while (frame + 2 < times.length && times[frame + 1] <= time) frame++;
  const next = Math.min(frame + 1, times.length - 1), span = times[next] - times[frame];
  return { frame, next, share: span > 0 ? Math.min(1, (time - times[frame]) / span) : 0 };
}

function blend(out, base, targets, { frame, next, share }) {
  const a = targets[frame], b = targets[next];
  for (let i = 0; i < out.length; i++) out[i] = base[i] + (a ? (1 - share) * a[i] : 0) + (b ? share * b[i] : 0);
}

// Centre of all frames, half their height, and the radius of a circle around them as seen from above.
function extent(model) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const targets of model.moved)
    for (let i = 0; i < model.positions.length; i++) {
      const x = model.positions[i] + (targets ? targets[i] : 0);
      low[i % 3] = Math.min(low[i % 3], x);
      high[i % 3] = Math.max(high[i % 3], x);
    }
  return { centre: low.map((l, k) => (l + high[k]) / 2), height: (high[1] - low[1]) / 2, radius: Math.hypot(high[0] - low[0], high[2] - low[2]) / 2 };
}

// ---- drawing ----

const VERTEX = `attribute vec3 position, normal; uniform mat4 camera; varying vec3 n;
void main() { n = normal; gl_Position = camera * vec4(position, 1.0); }`;
const FRAGMENT = `precision mediump float; varying vec3 n; uniform vec3 eye, colour;
void main() {
  vec3 up = normalize(n); if (dot(up, eye) < 0.0) up = -up;
  float light = max(0.0, dot(up, normalize(vec3(0.5, 0.9, 0.7)))), rim = pow(1.0 - dot(up, eye), 3.0);
  gl_FragColor = vec4(colour * (0.35 + 0.75 * light) + 0.12 * rim, 1.0);
}`;

function program(gl) {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(p, shader);
  }
  gl.bindAttribLocation(p, 0, "position");
  gl.bindAttribLocation(p, 1, "normal");
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
  return p;
}

// Perspective x view: the eye goes round the centre; columns first.
function camera({ centre, height, radius }, yaw, pitch, aspect) {
  const eye = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
  const right = [Math.cos(yaw), 0, -Math.sin(yaw)];
  const up = [-Math.sin(yaw) * Math.sin(pitch), Math.cos(pitch), -Math.cos(yaw) * Math.sin(pitch)];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const focus = 2.2, distance = radius / 2 + 1.1 * focus * Math.max(height, radius / aspect), near = distance / 100, far = distance * 4;
  const zoom = [focus / aspect, focus], m = new Float32Array(16);
  for (let k = 0; k < 3; k++) {
    m[4 * k] = zoom[0] * right[k];
    m[4 * k + 1] = zoom[1] * up[k];
    m[4 * k + 2] = (far + near) / (far - near) * -eye[k];
    m[4 * k + 3] = -eye[k];
  }
  const depth = distance + dot(eye, centre); // of the centre, in front of the eye
  m[12] = -zoom[0] * dot(right, centre);
  m[13] = -zoom[1] * dot(up, centre);
  m[14] = (far + near) / (far - near) * depth - 2 * far * near / (far - near);
  m[15] = depth;
  return { matrix: m, eye };
}

function show(canvas, model) {
  const gl = canvas.getContext("webgl", { antialias: true });
  if (!gl || !gl.getExtension("OES_element_index_uint")) return false;
  const p = program(gl), size = extent(model), buffers = [gl.createBuffer(), gl.createBuffer()];
  const elements = model.indices.map(indices => {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    return { buffer, count: indices.length };
  });
  const arrays = [new Float32Array(model.positions.length), new Float32Array(model.positions.length)];
  const at = name => gl.getUniformLocation(p, name), where = { camera: at("camera"), eye: at("eye"), colour: at("colour") };
  const turn = { yaw: 0.35, pitch: 0.12 };
  gl.useProgram(p);
  gl.enable(gl.DEPTH_TEST);
  gl.uniform3f(where.colour, 0.78, 0.16, 0.14);

  function draw(time) {
    const dots = Math.min(2, devicePixelRatio || 1), width = Math.round(canvas.clientWidth * dots), height = Math.round(canvas.clientHeight * dots);
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const frame = frameAt(model.times, time);
    blend(arrays[0], model.positions, model.moved, frame);
    blend(arrays[1], model.normals, model.turned, frame);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    arrays.forEach((array, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[i]);
      gl.bufferData(gl.ARRAY_BUFFER, array, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
    });
    const { matrix, eye } = camera(size, turn.yaw, turn.pitch, width / Math.max(1, height));
    gl.uniformMatrix4fv(where.camera, false, matrix);
    gl.uniform3fv(where.eye, eye);
    for (const { buffer, count } of elements) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    }
    canvas.dataset.frame = frame.frame; // for whoever watches from outside
    canvas.dataset.yaw = turn.yaw.toFixed(3);
  }

  const rotate = (x, y) => {
    turn.yaw -= x;
    turn.pitch = Math.max(-1.4, Math.min(1.4, turn.pitch + y));
  };
  canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", event => { if (event.buttons) rotate(event.movementX * 0.01, event.movementY * 0.01); });
  canvas.addEventListener("keydown", event => {
    const way = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (way) { rotate(...way); event.preventDefault(); }
  });

  const end = model.times[model.times.length - 1], pause = 0.6; // s, before it begins again
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const step = () => {
    draw(still ? end : Math.min(end, (performance.now() / 1000) % (end + pause)));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  return true;
}

for (const canvas of document.querySelectorAll("canvas.model")) {
  const text = atob(document.getElementById(canvas.dataset.model).textContent);
  const model = parseGlb(Uint8Array.from(text, c => c.charCodeAt(0)));
  if (!show(canvas, model)) {
    canvas.hidden = true;
    canvas.style.display = "none";
    canvas.parentElement.querySelector(".still").hidden = false;
  }
}
