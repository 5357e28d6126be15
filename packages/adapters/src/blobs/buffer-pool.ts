/** Buffers that are written from and never handed out: used again, so that a small blob does not cost a large one. */

export interface BufferPool {
  take(): Uint8Array
  give(buffer: Uint8Array): void
}

/** Keeps at most `keptMax` idle buffers of `size` bytes. */
export function bufferPool(size: number, keptMax: number): BufferPool {
  const idle: Uint8Array[] = []
  return {
    take: () => idle.pop() ?? Buffer.allocUnsafeSlow(size),
    give(buffer) {
      if (idle.length < keptMax) idle.push(buffer)
    },
  }
}
