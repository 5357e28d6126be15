/**
 * Checks every block of a table against its checksum, and its keys against the manifest: the file may be another table.
 * LevelDB writes checksums but rarely reads them: a row under a damaged key is not found, and there is no error.
 */
import { LevelFormatError } from './level-reader.ts'
import type { LiveTable } from './live-tables.ts'
import type { MaskedCrc } from './masked-crc.ts'
import { type Block, keysOf, TableFile } from './table-file.ts'

/** @throws LevelFormatError with a description of the damage. */
export function checkTable(bytes: Uint8Array, { firstKey, lastKey }: LiveTable, crcOf: MaskedCrc): void {
  const table = new TableFile(bytes, crcOf)
  checkBlocks(table, table.helpers)
  const blocks = checkBlocks(table, table.index)
  const [first] = keysIn(table, blocks.at(0))
  const last = [...keysIn(table, blocks.at(-1))].at(-1)
  if (!isKey(first, firstKey) || !isKey(last, lastKey)) throw new LevelFormatError('it holds other keys than it should')
}

/** The blocks that the entries of `places` point to. */
function checkBlocks(table: TableFile, places: Block): readonly Block[] {
  assertSound(places)
  return Array.from(table.entries(places), (entry) => {
    const block = table.blockOf(entry)
    assertSound(block)
    return block
  })
}

const keysIn = (table: TableFile, block: Block | undefined): Iterable<Uint8Array> =>
  block === undefined ? [] : keysOf(table.entries(block))

const isKey = (found: Uint8Array | undefined, key: Uint8Array): boolean =>
  found !== undefined && Buffer.compare(found, key) === 0

function assertSound({ offset, sound }: Block): void {
  if (!sound) throw new LevelFormatError(`the block at ${offset} is not as it was written`)
}
