/** Deterministic test material: the same bytes in every run. */
import type { BlobId, ByteSource } from '../ports/index.ts'

/** `size` bytes that depend on their offset and on `seed`, so that a swap or a shift is detected. */
export function pattern(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size)
  let state = (seed * 0x9e3779b1) | 1
  for (let i = 0; i < size; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[i] = state
  }
  return bytes
}

export const bytesOf = (...values: readonly number[]): Uint8Array => Uint8Array.from(values)

/** Ids that are spread over the whole range, as random ids are. */
export const blobId = (n: number): BlobId =>
  ((n * 37) % 256).toString(16).padStart(2, '0') + n.toString(16).padStart(30, '0')

/** `bytes` in chunks of `chunkSize`, all in one reused buffer: a chunk is valid only until the next one. */
export async function* chunked(bytes: Uint8Array, chunkSize: number): ByteSource {
  const buffer = new Uint8Array(chunkSize)
  for (let at = 0; at < bytes.length; at += chunkSize) {
    const chunk = bytes.subarray(at, at + chunkSize)
    buffer.fill(0xee)
    buffer.set(chunk)
    yield buffer.subarray(0, chunk.length)
  }
  buffer.fill(0xee)
}

/** A signal that the test aborts itself, because core has no timers. */
export function handSignal(): { readonly signal: AbortSignal; abort(reason: unknown): void } {
  const listeners = new Set<() => void>()
  let aborted = false
  let why: unknown
  const signal: AbortSignal = {
    get aborted() {
      return aborted
    },
    get reason() {
      return why
    },
    throwIfAborted() {
      if (aborted) throw why
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  }
  return {
    signal,
    abort(reason) {
      aborted = true
      why = reason
      for (const listener of listeners) listener()
    },
  }
}
