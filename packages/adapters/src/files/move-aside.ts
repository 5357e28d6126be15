/** The folder `quarantine` of a store: files are moved there, and nothing is deleted but blobs that are erased on purpose. */
import { basename, dirname, join } from 'node:path'
import { ensureDirectory, replaceFile, syncDirectory } from './durable-files.ts'
import { allowing, errnoOf } from './errno.ts'
import type { FileSystem } from './file-system.ts'

/** Why a file was moved: a note beside it says so. */
export interface MovedNote {
  readonly kind: string
  readonly message: string
  readonly seq?: number
  readonly of?: object
}

/**
 * `path` is in `directory`, and may be a directory itself. Resolves with its new name, or `undefined` if it does not exist. `at`: milliseconds
 * since the epoch.
 */
export async function moveAside(
  fs: FileSystem,
  directory: string,
  path: string,
  { at, kind, message, seq, of }: MovedNote & { readonly at: number },
): Promise<string | undefined> {
  const home = join(directory, 'quarantine')
  await ensureDirectory(fs, home)
  await syncDirectory(fs, directory)
  const name = await freeName(fs, home, basename(path))
  const note = { name, from: path, kind, message, ...(seq !== undefined && { seq }), ...(of && { of }) }
  // The note is written first: after a crash, a file without a note could not be explained.
  const text = `${JSON.stringify({ ...note, at: new Date(at).toISOString() })}\n`
  await replaceFile(fs, join(home, `${name}.json`), text)
  try {
    await fs.rename(join(directory, path), join(home, name))
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    await fs.unlink(join(home, `${name}.json`))
    return undefined
  }
  await syncDirectory(fs, home)
  await syncDirectory(fs, dirname(join(directory, path)))
  return name
}

/** The name itself, or the name with a number if it is already in use here. */
async function freeName(fs: FileSystem, home: string, name: string): Promise<string> {
  const taken = new Set(await fs.readdir(home))
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`
    if (!taken.has(candidate) && !taken.has(`${candidate}.json`)) return candidate
  }
}

/** A name as `freeName` gives it, or that of the note beside it. */
const nameAside = /^(.+?)(?:-\d+)?(?:\.json)?$/

/** Removes all files that had one of these names, with their notes; durably. @throws the errors of the file system */
export async function removeAside(fs: FileSystem, directory: string, names: readonly string[]): Promise<void> {
  const home = join(directory, 'quarantine')
  const wanted = new Set(names)
  await allowing('ENOENT', async () => {
    const found = (await fs.readdir(home)).filter((name) => wanted.has(nameAside.exec(name)?.[1] ?? ''))
    for (const name of found) await allowing('ENOENT', () => fs.unlink(join(home, name)))
    if (found.length > 0) await syncDirectory(fs, home)
  })
}
