/**
 * Every block of a table against its checksum. LevelDB writes them and mostly does not look at them: a row under a damaged
 * key is not found, and nobody hears of it.
 */
import { LevelFormatError } from './level-reader.ts'
import type { MaskedCrc } from './masked-crc.ts'
import { type Block, TableFile } from './table-file.ts'

/** @throws LevelFormatError with what is wrong. */
export function checkTable(bytes: Uint8Array, crcOf: MaskedCrc): void {
  const table = new TableFile(bytes, crcOf)
  for (const places of [table.helpers, table.index]) {
    assertSound(places)
    for (const entry of table.entries(places)) assertSound(table.blockOf(entry))
  }
}

function assertSound({ offset, sound }: Block): void {
  if (!sound) throw new LevelFormatError(`the block at ${offset} is not as it was written`)
}
