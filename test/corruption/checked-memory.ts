/** The memory of checks that an opening with `check: 'changed'` would have left for a closed store. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** Call it before a mutation: what changes the table after that changes what the file system notes about it. */
export async function rememberTables(dir: string): Promise<void> {
  const { files } = JSON.parse(await readFile(join(dir, 'seal'), 'utf8')) as { files: [string, number, number][] }
  const checked: unknown[] = []
  for (const [name, size, crc] of files.filter(([each]) => each.endsWith('.ldb'))) {
    const { ino, mtimeNs, ctimeNs } = await stat(join(dir, 'events', name), { bigint: true })
    checked.push([name, size, crc, String(ino), String(mtimeNs), String(ctimeNs)])
  }
  const fields = { version: 1, files: checked }
  const crc = crc32(JSON.stringify(fields)).toString(16).padStart(8, '0')
  await writeFile(join(dir, 'checked'), `${JSON.stringify({ ...fields, crc })}\n`)
}
