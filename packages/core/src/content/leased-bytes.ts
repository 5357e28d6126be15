/**
 * Bytes for a consumer that may never take them. What they hold of the store is released as early as possible: when the
 * last byte was read (perhaps before the first chunk is taken), on an error, when the body is ended, or when it expires
 * because no chunk was taken for too long.
 */
import type { StorageError } from '../base/errors.ts'
import type { IdleRead, OpenRead, OpenReads } from './open-reads.ts'

export interface LeasedBytes extends AsyncIterableIterator<Uint8Array, undefined> {
  /** The first chunk, if it holds all bytes. It was read ahead. */
  readonly whole: Uint8Array | undefined
  /** True once the first chunk was requested, or the body was ended. */
  readonly begun: boolean
  /** Ends the body. Unlike a generator's `return`, it also works before the first chunk was requested. Idempotent. */
  return(): Promise<IteratorReturnResult<undefined>>
}

export interface Lease {
  /** The number of bytes. */
  readonly size: number
  /** Releases the bytes. May be called several times. */
  release(): void
  readonly signal: AbortSignal | undefined
  /** The list of open reads that these bytes are added to, and their description there. */
  readonly open: OpenReads
  readonly of: Omit<IdleRead, 'unread'>
}

const done = { done: true, value: undefined } as const

/** `first` was read ahead of the rest. */
export const leasedBytes = (
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
  lease: Lease,
): LeasedBytes => new Leased(first, rest, lease)

class Leased implements LeasedBytes, OpenRead {
  begun = false
  isTouched = true
  isBusy = false
  readonly whole: Uint8Array | undefined
  readonly #rest: AsyncIterator<Uint8Array>
  readonly #lease: Lease
  #ahead: IteratorResult<Uint8Array> | undefined
  #unread: number
  #over = false
  #expired: StorageError | undefined

  constructor(first: IteratorResult<Uint8Array>, rest: AsyncIterator<Uint8Array>, lease: Lease) {
    this.#rest = rest
    this.#lease = lease
    this.#ahead = first
    this.#unread = lease.size
    this.whole = first.done !== true && first.value.length === lease.size ? first.value : undefined
    this.#count(first)
    if (this.#unread > 0) lease.open.add(this, lease.of)
  }

  get unread(): number {
    return this.#unread + (this.#ahead?.value?.length ?? 0)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.begun = true
    if (this.#expired !== undefined) throw this.#expired
    if (this.#over) return done
    this.isTouched = true
    this.isBusy = true
    try {
      this.#lease.signal?.throwIfAborted()
      const result = await this.#ask()
      if (result.done !== true) return result
      this.#over = true
      return done
    } catch (error) {
      await this.#end()
      throw error
    } finally {
      this.isBusy = false
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.begun = true
    if (!this.#over) await this.#end()
    return done
  }

  async expire(error: StorageError): Promise<void> {
    if (this.#over || this.#expired !== undefined) return
    this.#expired = error
    await this.#end()
  }

  async #ask(): Promise<IteratorResult<Uint8Array>> {
    const ahead = this.#ahead
    this.#ahead = undefined
    if (ahead !== undefined) return ahead
    const result = await this.#rest.next()
    this.#count(result)
    return result
  }

  #count(result: IteratorResult<Uint8Array>): void {
    this.#unread -= result.done === true ? this.#unread : result.value.length
    if (this.#unread === 0) this.#release()
  }

  #release(): void {
    this.#lease.open.delete(this)
    this.#lease.release()
  }

  async #end(): Promise<void> {
    this.#over = true
    this.#ahead = undefined
    try {
      await this.#rest.return?.()
    } finally {
      this.#release()
    }
  }
}
