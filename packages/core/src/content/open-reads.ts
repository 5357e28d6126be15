/**
 * Open bodies that were not read to their end. Each holds a file handle and prevents its bytes from being erased, so an
 * idle body is ended after a while. A slow reader is safe: taking one chunk is enough.
 */
import { StorageError } from '../base/errors.ts'
import type { Clock } from '../ports/index.ts'

/** A body that was left idle. */
export interface IdleRead {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
  /** The number of bytes that were not read. */
  readonly unread: number
}

export interface OpenRead {
  /** Set to true when a chunk is taken. */
  isTouched: boolean
  /** True while the reader waits for a chunk from the store. */
  readonly isBusy: boolean
  readonly unread: number
  /** Releases what the body holds. Later reads reject with the error. */
  expire(error: StorageError): Promise<void>
}

interface Entry {
  readonly of: Omit<IdleRead, 'unread'>
  /** When `expire` last saw activity. */
  since: number
}

export class OpenReads {
  readonly #clock: Pick<Clock, 'monotonic'> | undefined
  readonly #reads = new Map<OpenRead, Entry>()

  /** Without a clock no read expires. */
  constructor(clock: Pick<Clock, 'monotonic'> | undefined) {
    this.#clock = clock
  }

  add(read: OpenRead, of: Entry['of']): void {
    if (this.#clock !== undefined) this.#reads.set(read, { of, since: Number.NEGATIVE_INFINITY })
  }

  delete(read: OpenRead): void {
    this.#reads.delete(read)
  }

  /**
   * Ends the bodies that were idle for `idleMs`. Activity is noticed only here, so that chunks need no clock: call this
   * several times in that period.
   */
  async expire(idleMs: number): Promise<readonly IdleRead[]> {
    const now = this.#clock?.monotonic() ?? 0
    const idle: [OpenRead, IdleRead][] = []
    for (const [read, entry] of this.#reads) {
      if (read.isTouched || read.isBusy) {
        read.isTouched = false
        entry.since = now
      } else if (now - entry.since >= idleMs) idle.push([read, { ...entry.of, unread: read.unread }])
    }
    await Promise.all(idle.map(([read]) => read.expire(readExpired())))
    return idle.map(([, left]) => left)
  }

  /** Ends all bodies because the store closes, so that nothing is held afterwards. */
  async end(error: StorageError): Promise<void> {
    await Promise.allSettled([...this.#reads.keys()].map((read) => read.expire(error)))
  }
}

const readExpired = (): StorageError =>
  new StorageError('ReadExpired', 'The bytes of this object were left unread for too long, and are no longer held.')
