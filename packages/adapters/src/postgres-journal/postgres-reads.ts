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

  async rows({ gte, lt, reverse = false }: RowRange, count: number): Promise<readonly Row[]> {
    const text = reverse ? this.#statements.backwards : this.#statements.forwards
    const found = await this.#run(text, [bufferOf(gte), bufferOf(lt), Math.min(count, pageMax), pageBytes])
    return found.map(([key, value]): Row => [bytesOfHex(key ?? ''), bytesOfHex(value ?? '')])
  }

  async head(): Promise<Seq> {
    const [row] = await this.#run(this.#statements.head, [])
    return Number(row?.[0])
  }

  async events(from: Seq, to: Seq): Promise<readonly StoredEvent[]> {
    const found = await this.#run(this.#statements.events, [from, to, pageMax, pageBytes])
    return found.map(([seq, bytes]) => ({ seq: Number(seq), bytes: bytesOfHex(bytes ?? '') }))
  }
}

const valueIn = ([hex]: TextRow): Uint8Array | undefined => (typeof hex === 'string' ? bytesOfHex(hex) : undefined)
