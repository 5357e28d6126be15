/**
 * Gathers chunks of any size into few large writes. While one buffer is written to the file the next one fills, so
 * hashing and writing overlap. There is never a third buffer: memory stays at two buffers, and this is the
 * back-pressure. Large chunks are written from their own memory, without a copy.
 */
import type { OpenFile } from '../files/file-system.ts'
import { writeAll } from '../files/write-all.ts'
import type { BufferPool } from './buffer-pool.ts'

/** A write of so many bytes costs little more for each of them than a larger one. */
const largeMin = 128 * 1024

export interface FileFiller {
  /** Takes the bytes of the chunk. If it returns a promise, wait for that before the chunk changes. */
  add(chunk: Uint8Array): Promise<void> | undefined
  /** Writes the remaining bytes and resolves with the number of bytes written to the file. */
  finish(): Promise<number>
  /** Resolves when no write is under way any more and the buffers are free; never rejects. */
  settle(): Promise<void>
}

export function fileFiller(file: Pick<OpenFile, 'write'>, buffers: BufferPool): FileFiller {
  let buffer: Uint8Array | undefined
  let filled = 0
  let written = 0
  let writing: Promise<void> | undefined

  /** Waits for the previous write, then starts the next one without waiting for it. */
  async function flush(): Promise<void> {
    await writing
    const full = buffer
    if (full === undefined) return
    const [length, position] = [filled, written]
    buffer = undefined
    filled = 0
    written += length
    writing = writeAll(file, full.subarray(0, length), position).finally(() => buffers.give(full))
    // The next wait reports a failure.
    writing.catch(() => undefined)
  }

  async function writeThrough(chunk: Uint8Array): Promise<void> {
    await writing
    const position = written
    written += chunk.length
    writing = writeAll(file, chunk, position)
    await writing
  }

  /** Copies as many bytes as fit; true when the buffer is full. */
  function fill(chunk: Uint8Array, from: number): number {
    buffer ??= buffers.take()
    const part = chunk.subarray(from, from + buffer.length - filled)
    buffer.set(part, filled)
    filled += part.length
    return part.length
  }

  async function spill(chunk: Uint8Array, from: number): Promise<void> {
    for (let at = from; ; ) {
      if (buffer !== undefined && filled === buffer.length) await flush()
      if (at === chunk.length) return
      at += fill(chunk, at)
    }
  }

  return {
    add(chunk) {
      if (filled === 0 && chunk.length >= largeMin) return writeThrough(chunk)
      const taken = chunk.length === 0 ? 0 : fill(chunk, 0)
      return buffer !== undefined && filled === buffer.length ? spill(chunk, taken) : undefined
    },
    async finish() {
      await flush()
      await writing
      return written
    },
    async settle() {
      await writing?.catch(() => undefined)
      if (buffer !== undefined) buffers.give(buffer)
      buffer = undefined
    },
  }
}
