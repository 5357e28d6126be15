/** Buffers of one run each, used again: to get a new one from the system takes longer than to fill it from the disk's cache. */
import { crcChunkBytes } from '../events/content.ts'

/** They stay for as long as the store is open: enough for a few readers at once. */
const idleMax = 4

/** Where a new buffer costs little, none is kept. */
const keptBytesMin = 128 * 1024

export class RunBuffers {
  readonly #idle: ArrayBuffer[] = []

  /** For a run of `length` bytes; what is in it is left over from another. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (length <= keptBytesMin) return new Uint8Array(length)
    return new Uint8Array(this.#idle.pop() ?? new ArrayBuffer(crcChunkBytes), 0, length)
  }

  /** By whoever took it, once, when nobody looks at it any more. */
  give({ buffer }: Uint8Array<ArrayBuffer>): void {
    // A buffer that was given away to another thread has no bytes any more.
    if (buffer.byteLength === crcChunkBytes && this.#idle.length < idleMax) this.#idle.push(buffer)
  }
}
