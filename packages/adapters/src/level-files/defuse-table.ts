/**
 * LevelDB relies on the order of what it reads: keys that damage put out of order can trip an assertion, which ends the
 * process. A block that it must not read is marked as compressed in a way there is not: that is an error to it, and no more.
 * A block whose damage is in its values is left to be read.
 */
import { LevelFormatError } from './level-reader.ts'
import type { MaskedCrc } from './masked-crc.ts'
import { type Block, type Entry, keysOf, TableFile } from './table-file.ts'

const noCompression = 0xff
/** Behind the caller's key: position and kind of a change. */
const tagLength = 8

/** What to read instead, or `undefined` when LevelDB may read it as it is. */
export function defuseTable(bytes: Uint8Array, crcOf: MaskedCrc): Uint8Array | undefined {
  const misleading = findMisleading(bytes, crcOf).filter((at) => bytes[at] !== noCompression)
  if (misleading.length === 0) return undefined
  const defused = Uint8Array.from(bytes)
  for (const at of misleading) defused[at] = noCompression
  return defused
}

/** Places of bytes to change. */
function findMisleading(bytes: Uint8Array, crcOf: MaskedCrc): readonly number[] {
  let table: TableFile
  try {
    table = new TableFile(bytes, crcOf)
  } catch (error) {
    // No footer is an error to LevelDB too, unless it points to what there is not: then it is made none.
    if (error instanceof LevelFormatError) return bytes.length === 0 ? [] : [bytes.length - 1]
    throw error
  }
  const helpers = orNone(() => misleadingHelpers(table)) ?? [table.helpers.end]
  const rows = orNone(() => misleadingRows(table)) ?? [table.index.end]
  return [...helpers, ...rows]
}

function misleadingHelpers(table: TableFile): readonly number[] {
  if (!table.helpers.sound) return [table.helpers.end]
  return [...table.entries(table.helpers)]
    .map((entry) => table.blockOf(entry))
    .filter(isDamaged)
    .map(({ end }) => end)
}

function misleadingRows(table: TableFile): readonly number[] {
  if (!table.index.sound) return [table.index.end]
  const found: number[] = []
  const entries = [...table.entries(table.index)]
  let after: Uint8Array | undefined
  for (const [i, key] of [...keysOf(entries)].entries()) {
    const block = table.blockOf(entries[i] as Entry)
    if (!block.sound && !inOrder(table, block, after, key)) found.push(block.end)
    after = key
  }
  return found
}

/** All keys of a block, between those that the index has for it and for the one before. */
function inOrder(table: TableFile, block: Block, after: Uint8Array | undefined, last: Uint8Array): boolean {
  const ordered = orNone(() => {
    let before = after
    for (const key of keysOf(table.entries(block))) {
      if (key.length < tagLength || (before !== undefined && compareKeys(before, key) >= 0)) return false
      before = key
    }
    return before === undefined || compareKeys(before, last) <= 0
  })
  return ordered ?? false
}

/** By the caller's keys, and then the newest first. */
function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const byCaller = Buffer.compare(a.subarray(0, -tagLength), b.subarray(0, -tagLength))
  if (byCaller !== 0) return byCaller
  const [older, newer] = [tagOf(b), tagOf(a)]
  return older < newer ? -1 : Number(older > newer)
}

const tagOf = (key: Uint8Array): bigint =>
  new DataView(key.buffer, key.byteOffset, key.byteLength).getBigUint64(key.length - tagLength, true)

const isDamaged = ({ sound }: Block): boolean => !sound

/** `undefined` for what cannot be read at all. */
function orNone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof LevelFormatError) return undefined
    throw error
  }
}
