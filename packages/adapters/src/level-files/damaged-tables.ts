/**
 * What is wrong with the tables of a database that nobody vouches for, found before LevelDB opens it: LevelDB neither
 * looks at the checksums of what it reads here, nor survives all that it may meet (its assertions end the process).
 */
import { readSmallFile, readWholeFile } from '../files/durable-files.ts'
import type { FileSystem } from '../files/file-system.ts'
import type { DamagedFile } from '../layouts/database-files.ts'
import { checkTable } from './check-table.ts'
import { isTableFile } from './level-file-names.ts'
import { LevelFormatError } from './level-reader.ts'
import { levelRecords } from './level-records.ts'
import { liveTables } from './live-tables.ts'
import { type MaskedCrc, maskedCrc } from './masked-crc.ts'

const currentForm = /^(MANIFEST-\d+)\n$/
/** Far more than LevelDB makes of anything this store writes; what is longer is cut off, and so damaged. */
const fileBytesMax = 1024 * 1024 * 1024

/**
 * Damaged ones of the tables that the manifest names, `skipped` aside. Tables it does not name are what a crash left of
 * one that was being made. That the manifest or a table is gone is for LevelDB to say, which refuses to open without.
 */
export async function damagedTables(
  fs: FileSystem,
  directory: string,
  names: Iterable<string>,
  skipped: ReadonlySet<string>,
): Promise<readonly DamagedFile[]> {
  const [, manifest] = currentForm.exec((await readSmallFile(fs, `${directory}/CURRENT`)) ?? '') ?? []
  const edits = manifest && (await readWholeFile(fs, `${directory}/${manifest}`, fileBytesMax))
  if (manifest === undefined || !edits) return []
  const crcOf = await maskedCrc()
  let live: ReadonlyMap<number, number> = new Map()
  const wrong = complaintOf(() => {
    live = liveTables(levelRecords(edits, crcOf))
  })
  if (wrong !== undefined) return [{ name: manifest, message: wrong }]
  const damaged: DamagedFile[] = []
  for (const name of names) {
    const size = live.get(Number.parseInt(name, 10))
    if (size === undefined || skipped.has(name) || !isTableFile(name)) continue
    const message = await whatIsWrong(fs, `${directory}/${name}`, size, crcOf)
    if (message !== undefined) damaged.push({ name, message })
  }
  return damaged
}

async function whatIsWrong(fs: FileSystem, path: string, size: number, crcOf: MaskedCrc): Promise<string | undefined> {
  const table = await readWholeFile(fs, path, fileBytesMax)
  if (table === undefined) return undefined
  if (table.length !== size) return `it has ${table.length} bytes instead of ${size}`
  return complaintOf(() => checkTable(table, crcOf))
}

function complaintOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof LevelFormatError) return error.message
    throw error
  }
}
