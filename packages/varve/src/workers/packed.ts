/** Packs payloads: numbers, and bytes with their length in front. */
import type { Row, RowChange, StoredEvent } from '@varve/core'

const absent = 0xff_ff_ff_ff

export function packNumbers(...numbers: readonly number[]): Buffer {
  const packed = Buffer.allocUnsafe(8 * numbers.length)
  numbers.forEach((number, i) => packed.writeDoubleBE(number, 8 * i))
  return packed
}

export function packHashes(hashes: readonly number[]): Buffer {
  const packed = Buffer.allocUnsafe(4 * hashes.length)
  hashes.forEach((hash, i) => packed.writeUInt32BE(hash, 4 * i))
  return packed
}

export const unpackHashes = (packed: Buffer): readonly number[] =>
  Array.from({ length: packed.length / 4 }, (_, i) => packed.readUInt32BE(4 * i))

/** Each item with its length in front; `undefined` and `null` are distinct from empty bytes. */
export function packBytes(items: readonly (Uint8Array | undefined | null)[]): readonly Uint8Array[] {
  return items.flatMap((item) => {
    const length = Buffer.allocUnsafe(4)
    length.writeUInt32BE(item?.length ?? absent)
    return item === undefined || item === null ? [length] : [length, item]
  })
}

export const packRows = (rows: readonly Row[]): readonly Uint8Array[] => packBytes(rows.flat())

export const packChanges = (changes: readonly RowChange[]): readonly Uint8Array[] =>
  packBytes(changes.flatMap(({ key, value }) => [key, value]))

export const packEvents = (events: readonly StoredEvent[]): readonly Uint8Array[] =>
  events.flatMap(({ seq, bytes }) => [packNumbers(seq), ...packBytes([bytes])])

export const packJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/** Reads a payload from its beginning to its end. */
export class Unpacker {
  readonly #payload: Buffer
  #at = 0

  constructor(payload: Buffer) {
    this.#payload = payload
  }

  get done(): boolean {
    return this.#at >= this.#payload.length
  }

  number(): number {
    const number = this.#payload.readDoubleBE(this.#at)
    this.#at += 8
    return number
  }

  /** A view of the bytes, not a copy. */
  bytes(): Buffer | undefined {
    const length = this.#payload.readUInt32BE(this.#at)
    this.#at += 4
    if (length === absent) return undefined
    const bytes = this.#payload.subarray(this.#at, this.#at + length)
    this.#at += length
    return bytes
  }

  /** The rest of the payload. */
  rest(): Buffer {
    const rest = this.#payload.subarray(this.#at)
    this.#at = this.#payload.length
    return rest
  }

  allBytes(): readonly (Buffer | undefined)[] {
    const items: (Buffer | undefined)[] = []
    while (!this.done) items.push(this.bytes())
    return items
  }

  rows(): readonly Row[] {
    const rows: Row[] = []
    while (!this.done) rows.push([this.bytes() as Buffer, this.bytes() as Buffer])
    return rows
  }

  /** Returns copies, since the log may keep them for any time. */
  changes(): readonly RowChange[] {
    const changes: RowChange[] = []
    while (!this.done) {
      const [key, value] = [this.bytes() as Buffer, this.bytes()]
      changes.push({ key: new Uint8Array(key), value: value === undefined ? null : new Uint8Array(value) })
    }
    return changes
  }

  events(): readonly StoredEvent[] {
    const events: StoredEvent[] = []
    while (!this.done) events.push({ seq: this.number(), bytes: this.bytes() as Buffer })
    return events
  }

  json<T>(): T {
    return JSON.parse(this.rest().toString('utf8')) as T
  }
}
