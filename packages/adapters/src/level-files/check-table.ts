/**
 * Every block of a table against its checksum (leveldb, doc/table_format.md). LevelDB writes them and mostly does not look
 * at them: a row under a damaged key is not found, and nobody hears of it.
 */
import { LevelFormatError, LevelReader } from './level-reader.ts'
import type { MaskedCrc } from './masked-crc.ts'
import { unsnappy } from './snappy.ts'

const footerLength = 48
const magic = 0xdb4775248b80fb57n
/** How the block is compressed, and the checksum. */
const trailerLength = 5
const compressions = { none: 0, snappy: 1 } as const

/** Of a block without its trailer. */
interface Place {
  readonly offset: number
  readonly size: number
}

/** @throws LevelFormatError with what is wrong. */
export function checkTable(table: Uint8Array, crcOf: MaskedCrc): void {
  if (table.length < footerLength) throw new LevelFormatError('it is too short for a table')
  const end = table.length - footerLength
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength)
  if (view.getBigUint64(table.length - 8, true) !== magic) throw new LevelFormatError('it has not the end of a table')
  const footer = new LevelReader(table.subarray(end))
  const blockAt = ({ offset, size }: Place): Uint8Array => {
    const trailer = offset + size
    if (trailer + trailerLength > end) throw new LevelFormatError('it points to a block that it does not have')
    if (crcOf(table.subarray(offset, trailer + 1)) !== view.getUint32(trailer + 1, true)) {
      throw new LevelFormatError(`the block at ${offset} is not as it was written`)
    }
    return table.subarray(offset, trailer + 1)
  }
  // What helps to find a row, then the rows.
  for (const places of [placeOf(footer), placeOf(footer)]) {
    for (const place of placesIn(contentOf(blockAt(places)))) blockAt(place)
  }
}

function placeOf(reader: LevelReader): Place {
  const offset = reader.number()
  return { offset, size: reader.number() }
}

function contentOf(block: Uint8Array): Uint8Array {
  const stored = block.subarray(0, -1)
  const compression = block.at(-1)
  if (compression === compressions.none) return stored
  if (compression === compressions.snappy) return unsnappy(stored)
  throw new LevelFormatError('it is compressed in an unknown way')
}

/** The values of a block of places. Keys are of no interest. */
function* placesIn(content: Uint8Array): Generator<Place> {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const restarts = content.length < 4 ? 0 : view.getUint32(content.length - 4, true)
  const end = content.length - 4 * (restarts + 1)
  if (end < 0) throw new LevelFormatError('a block in it has no end')
  const reader = new LevelReader(content.subarray(0, end))
  while (!reader.ended) {
    reader.number()
    const keyLength = reader.number()
    const valueLength = reader.number()
    reader.bytes(keyLength)
    yield placeOf(new LevelReader(reader.bytes(valueLength)))
  }
}
