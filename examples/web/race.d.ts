// Types of race.js, and of the modules that `heddle db export --shader` writes.
export interface Candidate {
  constants: Record<string, number>;
  workgroupSize: [number, number, number];
  from: 'architecture' | 'vendor' | 'browser' | 'other' | 'default';
  isDefault: boolean;
  identity: string;
}
/** A module such as blur.tuned.js. `size`: number of elements of the problem. */
export interface Tuned {
  kernel: string;
  candidates(info: GPUAdapterInfo | undefined, limits: GPUSupportedLimits, most?: number, size?: number): Candidate[];
  choose(info: GPUAdapterInfo | undefined, limits: GPUSupportedLimits, size?: number): Candidate | undefined;
}
export interface RaceOptions {
  device: GPUDevice;
  name: string;
  candidates: Candidate[];
  adapterInfo?: GPUAdapterInfo;
  /** `candidate`: one of `candidates`, for code() of a page's pipeline */
  pipeline(constants: Record<string, number>, candidate: Candidate): Promise<GPUComputePipeline>;
  launch(pass: GPUComputePassEncoder, pipeline: GPUComputePipeline, candidate: Candidate): void;
  /** ms; 200 */
  budget?: number;
  /** number of candidates; 5 */
  most?: number;
  /** a kept answer is not used */
  isFresh?: boolean;
}
export interface Answer extends Candidate {
  pipeline: GPUComputePipeline;
  /** s */
  seconds: number;
  remembered: boolean;
  decided: boolean;
}
export function race(options: RaceOptions): Promise<Answer>;
export interface Adaptive {
  readonly best: Answer;
  /** `ms`: duration of a frame; `size`: number of elements */
  frame(ms: number, size?: number): void;
}
export function adapt(options: RaceOptions & { size?: number; onChange?(best: Answer): void }): Promise<Adaptive>;
