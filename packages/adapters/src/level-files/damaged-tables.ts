/**
 * Finds damage in the tables of a database without a seal, before LevelDB opens it. LevelDB does not check the
 * checksums of what it reads here, and some damage trips its assertions, which ends the process.
 */
import type { FileSystem } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import type { DamagedFile } from '../journal-kit/database-files.ts'
import { plainBytes } from '../hashing/plain-bytes.ts'
import { checkTable } from './check-table.ts'
import { isTableFile } from './level-file-names.ts'
import { LevelFormatError } from './level-reader.ts'
import { levelRecords } from './level-records.ts'
import { type LiveTable, liveTables } from './live-tables.ts'
import { type MaskedCrc, maskedCrc } from './masked-crc.ts'
import { readLevelFile } from './read-level-file.ts'

const currentForm = /^(MANIFEST-\d+)\n$/

/**
 * The damaged tables among those that the manifest names, without `skipped`. A table that the manifest does not name
 * was left unfinished by a crash. LevelDB itself refuses to open if its manifest or a table is missing.
 */
export async function damagedTables(
  fs: FileSystem,
  directory: string,
  names: Iterable<string>,
  skipped: ReadonlySet<string>,
): Promise<readonly DamagedFile[]> {
  const { live, damage } = await readManifest(fs, directory)
  if (damage !== undefined) return [damage]
  if (live.size === 0) return []
  const crcOf = await maskedCrc()
  const damaged: DamagedFile[] = []
  const tables = [...names].filter((name) => isTableFile(name) && !skipped.has(name))
  await inTurns(tables, async (name) => {
    const named = live.get(numberOf(name))
    const message = named === undefined ? undefined : await whatIsWrong(fs, `${directory}/${name}`, named, crcOf)
    if (message !== undefined) damaged.push({ name, message })
  })
  return damaged
}

/**
 * The tables that the manifest names. A table that was unfinished when the database was closed is not among them: the
 * next new table may get its number, and so its name. A manifest that cannot be read names none.
 */
export async function tablesInForce(
  fs: FileSystem,
  directory: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const { live } = await readManifest(fs, directory)
  return new Set(names.filter((name) => isTableFile(name) && live.has(numberOf(name))))
}

interface Manifest {
  /** The tables it names, by number; empty if there is no manifest to read. */
  readonly live: ReadonlyMap<number, LiveTable>
  readonly damage?: DamagedFile
}

const numberOf = (name: string): number => Number.parseInt(name, 10)

/** The current manifest. */
async function readManifest(fs: FileSystem, directory: string): Promise<Manifest> {
  const current = await readLevelFile(fs, `${directory}/CURRENT`)
  const [, name = ''] = currentForm.exec(current?.toString() ?? '') ?? []
  const edits = name === '' ? undefined : await readLevelFile(fs, `${directory}/${name}`)
  let live: ReadonlyMap<number, LiveTable> = new Map()
  if (edits === undefined || edits === 'directory' || edits.length === 0) return { live }
  const crcOf = await maskedCrc()
  const message = complaintOf(() => {
    live = liveTables(levelRecords(edits, crcOf))
  })
  return message === undefined ? { live } : { live, damage: { name, message } }
}

async function whatIsWrong(
  fs: FileSystem,
  path: string,
  named: LiveTable,
  crcOf: MaskedCrc,
): Promise<string | undefined> {
  const table = await readLevelFile(fs, path)
  if (table === undefined) return undefined
  if (table === 'directory') return 'a directory has its name'
  if (table.length !== named.size) return `it has ${table.length} bytes instead of ${named.size}`
  // Slicing a Buffer costs several times as much as slicing a `Uint8Array`, and each block takes two slices.
  return complaintOf(() => checkTable(plainBytes(table), named, crcOf))
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
