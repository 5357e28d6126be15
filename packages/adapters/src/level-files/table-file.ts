/**
 * A table of LevelDB (leveldb, doc/table_format.md): blocks of rows, then blocks that help to find the rows, then a
 * footer with the places of the index blocks.
 */
import { LevelFormatError, LevelReader } from './level-reader.ts'
import type { MaskedCrc } from './masked-crc.ts'
import { unsnappy } from './snappy.ts'

const footerLength = 48
const magic = 0xdb4775248b80fb57n
/** The type of compression, and the checksum. */
const trailerLength = 5
const compressions = { none: 0, snappy: 1 } as const

export interface Block {
  readonly offset: number
  /** The offset of the byte that names the compression: the block ends before it. */
  readonly end: number
  /** Whether the checksum holds. */
  readonly sound: boolean
}

/** An entry stores only the part of its key that differs from the key before: see `keysOf`. */
export interface Entry {
  readonly shared: number
  readonly rest: Uint8Array
  readonly value: Uint8Array
}

export class TableFile {
  /** The blocks that help to find rows, by name, such as a filter. */
  readonly helpers: Block
  /** The places of the blocks of rows. */
  readonly index: Block
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #crcOf: MaskedCrc

  /** @throws LevelFormatError when there is no valid footer. */
  constructor(bytes: Uint8Array, crcOf: MaskedCrc) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#crcOf = crcOf
    if (bytes.length < footerLength) throw new LevelFormatError('it is too short for a table')
    if (this.#view.getBigUint64(bytes.length - 8, true) !== magic) {
      throw new LevelFormatError('it has not the end of a table')
    }
    const footer = new LevelReader(bytes.subarray(bytes.length - footerLength))
    this.helpers = this.#block(footer)
    this.index = this.#block(footer)
  }

  /** The block that an entry of the index, or of the helpers, points to. @throws LevelFormatError if there is none. */
  blockOf({ value }: Entry): Block {
    return this.#block(new LevelReader(value))
  }

  /** The entries in order. @throws LevelFormatError where the block is not valid, and so is damaged. */
  *entries({ offset, end }: Block): Generator<Entry, void, undefined> {
    const content = contentOf(this.#bytes.subarray(offset, end), this.#bytes[end])
    const rows = content.subarray(0, startOfRestarts(content))
    const reader = new LevelReader(rows)
    let keyLength = 0
    while (!reader.ended) {
      const shared = reader.number()
      const length = reader.number()
      const valueLength = reader.number()
      if (shared > keyLength) throw new LevelFormatError('a key in it shares more than there is')
      keyLength = shared + length
      yield { shared, rest: reader.bytes(length), value: reader.bytes(valueLength) }
    }
  }

  #block(reader: LevelReader): Block {
    const offset = reader.number()
    const end = offset + reader.number()
    if (end + trailerLength > this.#bytes.length - footerLength) {
      throw new LevelFormatError('it points to a block that it does not have')
    }
    const sound = this.#crcOf(this.#bytes.subarray(offset, end + 1)) === this.#view.getUint32(end + 1, true)
    return { offset, end, sound }
  }
}

/** The keys of entries, which begin with the first entry of a block. */
export function* keysOf(entries: Iterable<Entry>): Generator<Uint8Array, void, undefined> {
  let key: Uint8Array = new Uint8Array(0)
  for (const { shared, rest } of entries) {
    key = Buffer.concat([key.subarray(0, shared), rest])
    yield key
  }
}

function contentOf(stored: Uint8Array, compression: number | undefined): Uint8Array {
  if (compression === compressions.none) return stored
  if (compression === compressions.snappy) return unsnappy(stored)
  throw new LevelFormatError('it is compressed in an unknown way')
}

/** The end of a block lists the offsets of complete keys, for binary search, and then their number. */
function startOfRestarts(content: Uint8Array): number {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const restarts = content.length < 4 ? 0 : view.getUint32(content.length - 4, true)
  const start = content.length - 4 * (restarts + 1)
  if (start < 0) throw new LevelFormatError('a block in it has no end')
  for (let at = start; at < content.length - 4; at += 4) {
    if (view.getUint32(at, true) > start) throw new LevelFormatError('a block in it points beyond its end')
  }
  return start
}
