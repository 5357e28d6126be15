/**
 * Bodies that were given out and not read to their end. Each holds a file handle and keeps bytes from being erased, so one that is
 * left alone is ended after a while. Slow readers are not: taking a chunk is enough.
 */
import { StorageError } from '../base/errors.ts'
import type { Clock } from '../ports/index.ts'

/** The bytes of an object, as they are left. */
export interface IdleRead {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
  /** How many bytes were not read. */
  readonly unread: number
}

export interface OpenRead {
  /** Set with every chunk that is taken. */
  isTouched: boolean
  /** A chunk is on its way: its reader waits for us. */
  readonly isBusy: boolean
  readonly unread: number
  /** Releases what the body holds. Reading on rejects with the error. */
  expire(error: StorageError): Promise<void>
}

interface Entry {
  readonly of: Omit<IdleRead, 'unread'>
  /** When it was last seen to be touched. */
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
   * Ends those of which nothing was taken for so long. Time is looked at here, and not with each chunk: to be called several times
   * in that period.
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

  /** Ends all of them: the store closes, and holds nothing afterwards. */
  async end(error: StorageError): Promise<void> {
    await Promise.allSettled([...this.#reads.keys()].map((read) => read.expire(error)))
  }
}

const readExpired = (): StorageError =>
  new StorageError(
    'ReadExpired',
    'The bytes of this object were left unread for too long, and are no longer held: get the object again.',
  )
