/** Spreads what is written to a replica over time, so that a line is left for others. */
import type { ByteSource } from '@varve/core'
import { rest } from '../jobs/rest.ts'
import type { OpenReplica } from './replica-address.ts'

/** The same replica, to which so many bytes a second are written. When the signal aborts, what is left is written at once. */
export function pacedReplica(replica: OpenReplica, bytesPerSecond: number, signal: AbortSignal): OpenReplica {
  const pace = new Pace(bytesPerSecond, signal)
  const { blobs, files } = replica
  return {
    ...replica,
    blobs: {
      write: (id, source, aborted) => blobs.write(id, pace.spread(source), aborted),
      open: (id) => blobs.open(id),
      delete: (ids) => blobs.delete(ids),
      list: () => blobs.list(),
      discardUnfinished: () => blobs.discardUnfinished(),
      close: () => blobs.close(),
    },
    files: {
      create: (name, source) => files.create(name, pace.spread(source)),
      read: (name, range) => files.read(name, range),
      list: (prefix) => files.list(prefix),
      delete: (names) => files.delete(names),
    },
  }
}

class Pace {
  readonly #msPerByte: number
  readonly #signal: AbortSignal
  /** When all that was let through so far will have had its time. */
  #paidAt = 0

  constructor(bytesPerSecond: number, signal: AbortSignal) {
    this.#msPerByte = 1000 / bytesPerSecond
    this.#signal = signal
  }

  async *spread(source: ByteSource): ByteSource {
    for await (const bytes of source) {
      await this.#wait(bytes.length)
      yield bytes
    }
  }

  async #wait(bytes: number): Promise<void> {
    const now = performance.now()
    const waitMs = Math.max(0, this.#paidAt - now)
    this.#paidAt = now + waitMs + bytes * this.#msPerByte
    if (waitMs > 0) await rest(waitMs, this.#signal)
  }
}
