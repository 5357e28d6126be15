/**
 * LevelDB relies on the order of the keys it reads: keys out of order, by damage, can trip an assertion, which ends the
 * process. A block that LevelDB must not read gets an unknown compression type, which LevelDB reports as an error. A
 * block with damage in its values alone stays as it is.
 */
import { LevelFormatError } from './level-reader.ts'
import type { MaskedCrc } from './masked-crc.ts'
import { type Block, type Entry, keysOf, TableFile } from './table-file.ts'

const noCompression = 0xff
/** Follows the caller's key: the position and the kind of a change. */
const tagLength = 8

/** A table that LevelDB can read safely, or `undefined` when it can read this one as it is. */
export function defuseTable(bytes: Uint8Array, crcOf: MaskedCrc): Uint8Array | undefined {
  const misleading = findMisleading(bytes, crcOf).filter((at) => bytes[at] !== noCompression)
  if (misleading.length === 0) return undefined
  const defused = Uint8Array.from(bytes)
  for (const at of misleading) defused[at] = noCompression
  return defused
}

/** Offsets of the bytes to change. */
function findMisleading(bytes: Uint8Array, crcOf: MaskedCrc): readonly number[] {
  let table: TableFile
  try {
    table = new TableFile(bytes, crcOf)
  } catch (error) {
    // LevelDB reports a missing footer too, but not one that points outside the file: changing a byte makes it invalid.
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

/** Whether all keys of a block are in order, after the block before and up to the last key in its index entry. */
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

/** By the caller's keys, then the newest first. */
function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const byCaller = Buffer.compare(a.subarray(0, -tagLength), b.subarray(0, -tagLength))
  if (byCaller !== 0) return byCaller
  const [older, newer] = [tagOf(b), tagOf(a)]
  return older < newer ? -1 : Number(older > newer)
}

const tagOf = (key: Uint8Array): bigint =>
  new DataView(key.buffer, key.byteOffset, key.byteLength).getBigUint64(key.length - tagLength, true)

const isDamaged = ({ sound }: Block): boolean => !sound

/** `undefined` if the data cannot be read at all. */
function orNone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof LevelFormatError) return undefined
    throw error
  }
}
