/** Reads of single rows that begin in the same moment share a statement: the bytes of objects are read so. */
import type { PostgresReads } from './postgres-reads.ts'

interface Wanted {
  readonly key: Uint8Array
  resolve(value: Uint8Array | undefined): void
  reject(error: unknown): void
}

/** Statements that run at once. Reads that begin meanwhile wait, and share the next one. */
const statementsMax = 2
/** A row can have some 40 KiB, and twice as much on its way. */
const keysMax = 32

export class GatheredGets {
  readonly #reads: Pick<PostgresReads, 'get' | 'getMany'>
  readonly #waiting: Wanted[] = []
  #statements = 0

  constructor(reads: Pick<PostgresReads, 'get' | 'getMany'>) {
    this.#reads = reads
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      if (this.#waiting.length === 1) process.nextTick(() => this.#send())
    })
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#statements < statementsMax) {
      this.#statements++
      void this.#read(this.#waiting.splice(0, keysMax)).finally(() => {
        this.#statements--
        this.#send()
      })
    }
  }

  async #read(wanted: readonly Wanted[]): Promise<void> {
    const [first, ...more] = wanted
    if (first === undefined) return
    try {
      const keys = wanted.map(({ key }) => key)
      const values = more.length === 0 ? [await this.#reads.get(first.key)] : await this.#reads.getMany(keys)
      for (const [i, { resolve }] of wanted.entries()) resolve(values[i])
    } catch (error) {
      for (const { reject } of wanted) reject(error)
    }
  }
}
