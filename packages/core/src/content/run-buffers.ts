/** Reused buffers of one run each: allocating one takes longer than reading its bytes from the system's file cache. */
import { crcChunkBytes } from '../bytes/crc-chunks.ts'
import { Gate } from '../scheduling/gate.ts'

/** The number of buffers kept while the store is open: as many as a server begins to read at once. */
const idleMax = 8

/** Smaller buffers are cheap to allocate and are not kept. */
const keptBytesMin = 128 * 1024

/** How many runs may be read only to be checked at one time. This also limits their memory. */
const lookedAtMax = 4

/** The buffers in which runs of bytes are read and checked before they leave. */
export class RunBuffers {
  readonly #idle: ArrayBuffer[] = []
  readonly #looks = new Gate(lookedAtMax)

  /** A buffer for a run of `length` bytes. It may hold bytes of an earlier run. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (length <= keptBytesMin) return new Uint8Array(length)
    return new Uint8Array(this.#idle.pop() ?? new ArrayBuffer(crcChunkBytes), 0, length)
  }

  /** Lends `look` a buffer while it runs, and waits if too many are lent. Settles as `look` does. */
  during<R>(length: number, look: (bytes: Uint8Array<ArrayBuffer>) => Promise<R>): Promise<R> {
    return this.#looks.pass('', async () => {
      const bytes = this.take(length)
      try {
        return await look(bytes)
      } finally {
        this.give(bytes)
      }
    })
  }

  /** Returns the buffer. Call it once, when its bytes are no longer used. */
  give({ buffer }: Uint8Array<ArrayBuffer>): void {
    // A buffer that was transferred to another thread has length 0.
    if (buffer.byteLength === crcChunkBytes && this.#idle.length < idleMax) this.#idle.push(buffer)
  }
}
