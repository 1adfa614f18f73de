/* Vectors of three numbers, and 4 x 4 matrices column by column, as in OpenGL. */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const add = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));

export function multiply(a, b) {
    const result = new Float32Array(16);
    for (let column = 0; column < 4; column++)
        for (let row = 0; row < 4; row++)
            for (let k = 0; k < 4; k++) result[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    return result;
}

/** Matrix of a camera at `eye` whose axes are the rows right, upward, back. */
export function placed(eye, rows) {
    const result = new Float32Array(16);
    rows.forEach((row, r) => {
        for (let k = 0; k < 3; k++) result[4 * k + r] = row[k];
        result[12 + r] = -dot(row, eye);
    });
    result[15] = 1;
    return result;
}

/** Axes of a camera: right, upward, back. */
export function axes(eye, target, up) {
    const back = unit(add(eye, target, -1));
    let right = cross(up, back);
    if (dot(right, right) < 1e-8) right = cross([up[1], up[2], up[0]], back); /* the direction is along `up` */
    right = unit(right);
    return [right, cross(back, right), back];
}
