/** Makes the damaged tables of a copy safe for LevelDB: see `defuse-table.ts`. */
import { join } from 'node:path'
import { errnoOf } from '../files/errno.ts'
import { defuseTable } from './defuse-table.ts'
import { isTableFile } from './level-file-names.ts'
import { maskedCrc } from './masked-crc.ts'
import { readFile, rename, writeFile } from '../files/patient-files.ts'

/** True when a table was changed. It is a new file then: a copy may share its files with the original. */
export async function defuseTables(directory: string, names: readonly string[]): Promise<boolean> {
  const tables = names.filter(isTableFile)
  if (tables.length === 0) return false
  const crcOf = await maskedCrc()
  let any = false
  for (const name of tables) {
    const path = join(directory, name)
    const bytes = await readFile(path).catch((error: unknown) => {
      // The copy has no such file.
      if (errnoOf(error) === 'ENOENT') return new Uint8Array(0)
      throw error
    })
    const defused = defuseTable(bytes, crcOf)
    if (defused === undefined) continue
    await writeFile(`${path}.defused`, defused)
    await rename(`${path}.defused`, path)
    any = true
  }
  return any
}
