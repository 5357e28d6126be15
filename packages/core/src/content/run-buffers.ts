/** Buffers of one run each, used again: to get a new one from the system takes longer than to fill it from the disk's cache. */
import { crcChunkBytes } from '../bytes/crc-chunks.ts'
import { Gate } from '../scheduling/gate.ts'

/** They stay for as long as the store is open: enough for a few readers at once. */
const idleMax = 4

/** Where a new buffer costs little, none is kept. */
const keptBytesMin = 128 * 1024

/** Runs that are held at once to be looked at and forgotten: no more read at a time, and no more are kept. */
const lookedAtMax = 4

export class RunBuffers {
  readonly #idle: ArrayBuffer[] = []
  readonly #looks = new Gate(lookedAtMax)

  /** For a run of `length` bytes; what is in it is left over from another. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (length <= keptBytesMin) return new Uint8Array(length)
    return new Uint8Array(this.#idle.pop() ?? new ArrayBuffer(crcChunkBytes), 0, length)
  }

  /** Gives `look` a buffer for as long as it runs, when there are not too many of them. Resolves and rejects as it does. */
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

  /** To be called once by the taker, when the bytes are no longer used. */
  give({ buffer }: Uint8Array<ArrayBuffer>): void {
    // A buffer that was given away to another thread has no bytes any more.
    if (buffer.byteLength === crcChunkBytes && this.#idle.length < idleMax) this.#idle.push(buffer)
  }
}
