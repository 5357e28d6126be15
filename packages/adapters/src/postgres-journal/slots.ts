/** A bounded number of connections, given out in the order of the requests. */
import { StorageError } from '@varve/core'

interface Waiting {
  take(): void
  refuse(error: StorageError): void
}

export class Slots {
  readonly #waiting = new Set<Waiting>()
  readonly #waitMs: number
  #free: number
  #closed = false

  constructor(max: number, waitMs: number) {
    this.#free = max
    this.#waitMs = waitMs
  }

  /** @throws StorageError `TooManyOpenFiles` when none becomes free in time; `JournalClosed` */
  async take(): Promise<void> {
    if (this.#closed) throw closed()
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        end()
      }
      const waiting: Waiting = { take: () => settle(resolve), refuse: (error) => settle(() => reject(error)) }
      const timer = setTimeout(() => waiting.refuse(exhausted()), this.#waitMs)
      this.#waiting.add(waiting)
    })
  }

  give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else next.take()
  }

  close(): void {
    this.#closed = true
    for (const waiting of this.#waiting) waiting.refuse(closed())
  }
}

const closed = (): StorageError => new StorageError('JournalClosed', 'The journal is closed.')
const exhausted = (): StorageError =>
  new StorageError('TooManyOpenFiles', 'All connections to the database are in use.', {
    details: { kind: 'connections' },
  })
