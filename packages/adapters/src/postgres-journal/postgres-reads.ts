/** Reads of rows and events, in a snapshot or on any connection. */
import type { Row, RowRange, Seq, StoredEvent } from '@varve/core'
import { pageBytes } from '../row-states/row-state.ts'
import { bufferOf, byteArray, bytesOfHex } from './byte-arrays.ts'
import type { TextRow } from './pg-client.ts'
import type { Statements } from './statements.ts'

/** Runs one statement. */
export type RunRows = (text: string, values: readonly unknown[]) => Promise<readonly TextRow[]>

/** A page ends after so many, or after the one that reaches `pageBytes`. */
const pageMax = 1024

export class PostgresReads {
  readonly #run: RunRows
  readonly #statements: Statements

  constructor(run: RunRows, statements: Statements) {
    this.#run = run
    this.#statements = statements
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    const [row] = await this.#run(this.#statements.get, [bufferOf(key)])
    return row && valueIn(row)
  }

  async getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    if (keys.length === 0) return []
    return (await this.#run(this.#statements.getMany, [byteArray(keys)])).map(valueIn)
  }

  async rows({ gte, lt, reverse = false, groups }: RowRange, count: number): Promise<readonly Row[]> {
    const { forwards, backwards, firstOfGroups } = this.#statements
    const page = [bufferOf(gte), bufferOf(lt), Math.min(count, pageMax), pageBytes]
    const found =
      groups === undefined || reverse
        ? await this.#run(reverse ? backwards : forwards, page)
        : await this.#run(firstOfGroups, [...page, groups.from, bufferOf(groups.by), bufferOf(successorOf(groups.by))])
    return found.map(([key, value]): Row => [bytesOfHex(key ?? ''), bytesOfHex(value ?? '')])
  }

  async head(): Promise<Seq> {
    const [row] = await this.#run(this.#statements.head, [])
    return Number(row?.[0])
  }

  /** The events have no gaps, so a page ends before the next `pageMax` positions, and the planner needs few parts of the log. */
  async events(from: Seq, to: Seq): Promise<readonly StoredEvent[]> {
    const near = Math.min(to, from + pageMax - 1)
    const found = await this.#eventsOf(from, near)
    // Damage must not look like the end of the log.
    return found.length === 0 && near < to ? this.#eventsOf(near + 1, to) : found
  }

  async #eventsOf(from: Seq, to: Seq): Promise<readonly StoredEvent[]> {
    const found = await this.#run(this.#statements.events, [from, to, pageMax, pageBytes])
    return found.map(([seq, bytes]) => ({ seq: Number(seq), bytes: bytesOfHex(bytes ?? '') }))
  }
}

/** The smallest bytes behind all that begin with these, whose last one is not 0xff. */
function successorOf(bytes: Uint8Array): Uint8Array {
  const next = Uint8Array.from(bytes)
  next[next.length - 1] = (next.at(-1) as number) + 1
  return next
}

const valueIn = ([hex]: TextRow): Uint8Array | undefined => (typeof hex === 'string' ? bytesOfHex(hex) : undefined)
