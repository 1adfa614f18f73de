export class Field {
  constructor(device, width, height, code) {
    Object.assign(this, { width, height });
    const make = (size, usage) => device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    const grid = make(8, GPUBufferUsage.UNIFORM);
    device.queue.writeBuffer(grid, 0, new Uint32Array([width, height]));
    this.cells = [0, 1].map(() => make(4 * width * height, GPUBufferUsage.STORAGE));
    this.pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
    this.groups = [0, 1].map(i => device.createBindGroup({ layout: this.pipeline.getBindGroupLayout(0),
      entries: [grid, this.cells[i], this.cells[1 - i]].map((buffer, binding) => ({ binding, resource: { buffer } })) }));
  }
  step(encoder, number) {
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, this.groups[number % 2]);
    pass.dispatchWorkgroups(Math.ceil(this.width / 2), this.height);
    pass.end();
  }
}
