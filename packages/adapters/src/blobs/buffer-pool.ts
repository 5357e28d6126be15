/** Buffers to write from, never handed out. They are reused, so that a small blob does not need a large new buffer. */

export interface BufferPool {
  take(): Uint8Array
  give(buffer: Uint8Array): void
}

export interface BufferPoolOptions {
  /** Bytes. */
  readonly size: number
  /** The most idle buffers that are kept. */
  readonly keptMax: number
  /** From `from` buffers in use on, further buffers have only `size` bytes. @default none */
  readonly thrifty?: { readonly from: number; readonly size: number }
}

/** Buffers of one size, and smaller ones while many are in use. */
export function bufferPool({ size, keptMax, thrifty }: BufferPoolOptions): BufferPool {
  const idle: Uint8Array[] = []
  let taken = 0
  return {
    take() {
      const isMany = thrifty !== undefined && taken >= thrifty.from
      taken++
      if (isMany) return Buffer.allocUnsafeSlow(thrifty.size)
      return idle.pop() ?? Buffer.allocUnsafeSlow(size)
    },
    give(buffer) {
      taken--
      if (buffer.length === size && idle.length < keptMax) idle.push(buffer)
    },
  }
}
