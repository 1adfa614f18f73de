/** An error of Heddle's: `message` names the subject, the problem and the expected value. */
export class HeddleError extends Error {
    constructor(status: number, message: string);
    readonly status: 'argument' | 'memory' | 'device memory' | 'no device' | 'unsupported' | 'limit' | 'bounds' | 'build' | 'driver' | 'timeout'
        | 'lost' | 'io' | 'format' | 'not ready' | 'unknown';
}

/** True if this machine runs relaxed SIMD, and its multiply-add rounds once. */
export function hasFusedMultiplyAdd(): boolean;
