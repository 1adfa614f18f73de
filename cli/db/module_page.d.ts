export interface Choice {
  constants: Record<string, number>;
  workgroupSize: [number, number, number];
  from: 'architecture' | 'vendor' | 'browser' | 'other' | 'default';
  isDefault: boolean;
  identity: string;
}
export interface Pipeline {
  /** chosen by code(), before which they throw */
  readonly workgroupSize: [number, number, number];
  readonly constants: Record<string, number>;
  /** `size`: number of items */
  candidates(info: GPUAdapterInfo | undefined, limits: GPUSupportedLimits, most?: number, size?: number): Choice[];
  choose(info: GPUAdapterInfo | undefined, limits: GPUSupportedLimits, size?: number): Choice | undefined;
  code(text: string, choice: Choice): string;
}
export function code(device: GPUDevice, text: string, list: Pipeline[], size?: number, info?: GPUAdapterInfo): string;
