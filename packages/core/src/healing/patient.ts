/** Gives up waiting for a copy that does not answer. */
import { StorageError } from '../base/errors.ts'
import type { ByteSource, Timer } from '../ports/index.ts'

/** How long a copy may take for an answer, or for the next bytes, in milliseconds. */
const patienceMs = 30_000

export class Patience {
  readonly #timer: Timer
  readonly #signal: AbortSignal

  constructor(timer: Timer, signal: AbortSignal) {
    this.#timer = timer
    this.#signal = signal
  }

  /** @throws StorageError `BlobFailed` if it takes too long; what `work` throws; the reason of the signal */
  async await<T>(work: Promise<T>): Promise<T> {
    const ended = new AbortController()
    const signal = AbortSignal.any([this.#signal, ended.signal])
    const late = this.#timer.pause(patienceMs, signal).then(() => {
      throw new StorageError('BlobFailed', 'A copy of the bytes does not answer.', { details: { kind: 'silent' } })
    })
    try {
      return await Promise.race([work, late])
    } finally {
      ended.abort()
      late.catch(() => undefined)
      // What fails later is of no use.
      work.catch(() => undefined)
    }
  }

  async *read(source: ByteSource): ByteSource {
    const iterator = source[Symbol.asyncIterator]()
    let isSilent = false
    try {
      for (;;) {
        isSilent = true
        const result = await this.await(Promise.resolve(iterator.next()))
        isSilent = false
        if (result.done === true) return
        yield result.value
      }
    } finally {
      // A source that does not answer would not end either.
      const ending = Promise.resolve(iterator.return?.())
      if (isSilent) ending.catch(() => undefined)
      else await ending
    }
  }
}
