/** Changes to directories that survive a power cut. Nothing here retries an fsync. */
import { dirname, join } from 'node:path'
import { allowing, errnoOf } from './errno.ts'
import type { FileSystem, OpenFile } from './file-system.ts'
import { readUpTo } from './read-up-to.ts'
import { writeAll } from './write-all.ts'

/** Private: only the owner of the store may read or change its files. */
const privateDirectory = 0o700
export const privateFile = 0o600

/** Makes the entries of a directory durable. */
export async function syncDirectory(fs: FileSystem, path: string): Promise<void> {
  const directory = await fs.open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Makes one directory, or keeps an existing one. The entry in its parent is not synced. */
export const ensureDirectory = (fs: FileSystem, path: string): Promise<void> =>
  allowing('EEXIST', () => fs.mkdir(path, privateDirectory))

/** Makes directories in one parent, which must exist; resolves when all are durable. Existing ones stay. */
export async function ensureDirectories(fs: FileSystem, parent: string, names: readonly string[]): Promise<void> {
  for (const name of names) await ensureDirectory(fs, join(parent, name))
  await syncDirectory(fs, parent)
}

/** Makes a directory and its missing parents; resolves when all of them are durable. */
export async function createDirectories(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.mkdir(path, privateDirectory)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await createDirectories(fs, dirname(path))
    await ensureDirectory(fs, path)
  }
  await syncDirectory(fs, dirname(path))
}

/**
 * Replaces a small file atomically: readers, and a crash at any step, see the old text or the new one. The temporary
 * file has a fixed name, so there must be one writer at a time; the next call removes what a crash left of it.
 */
export const replaceFile = (fs: FileSystem, path: string, text: string): Promise<void> =>
  replaceWith(fs, path, (file) => writeText(file, text))

/**
 * Makes sure that a file which was not closed is on the disk as it is read. After a failed sync the system may show
 * bytes that the disk does not have. It reports that once, to one process: later calls succeed. So the whole file is
 * copied into a new one, which takes its name. If there is no space for the copy, the file stays as it is.
 */
export async function renewFile(fs: FileSystem, path: string): Promise<void> {
  const renewing = async (): Promise<void> => {
    const old = await fs.open(path, 'r')
    try {
      await replaceWith(fs, path, (file) => copyBytes(old, file))
    } finally {
      await old.close()
    }
  }
  try {
    await allowing('ENOENT', renewing)
  } catch (error) {
    if (errnoOf(error) !== 'ENOSPC') throw error
    await allowing('ENOENT', () => fs.unlink(temporaryOf(path)))
  }
}

const bytesAtOnce = 1024 * 1024

async function copyBytes(from: OpenFile, to: OpenFile): Promise<void> {
  const { size } = await from.stat()
  for (let at = 0; at < size; at += bytesAtOnce) {
    await writeAll(to, await readUpTo(from, at, Math.min(bytesAtOnce, size - at)), at)
  }
}

/** Like `replaceFile`, for a file that `write` fills. */
async function replaceWith(fs: FileSystem, path: string, write: (file: OpenFile) => Promise<void>): Promise<void> {
  const temporary = temporaryOf(path)
  // Always a new file: a file whose fsync failed before is not reliable.
  await allowing('ENOENT', () => fs.unlink(temporary))
  const file = await fs.open(temporary, 'wx', privateFile)
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
  await fs.rename(temporary, path)
  await syncDirectory(fs, dirname(path))
}

async function writeText(file: OpenFile, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  await writeAll(file, bytes, 0)
  const { size } = await file.stat()
  if (size !== bytes.length) throw new Error(`The file came out with ${size} of ${bytes.length} bytes.`)
}

/** The name that `replaceFile` gives a file until it is complete. */
export const temporaryOf = (path: string): string => `${path}.tmp`

const smallFileBytesMax = 64 * 1024

/** The text of a file, cut off at `bytesMax`, or `undefined` when there is none. Every other failure is thrown. */
export async function readSmallFile(
  fs: FileSystem,
  path: string,
  bytesMax: number = smallFileBytesMax,
): Promise<string | undefined> {
  const bytes = await readWholeFile(fs, path, bytesMax)
  return bytes?.toString('utf8')
}

/** The bytes of a file, cut off at `bytesMax`, or `undefined` when there is none. Every other failure is thrown. */
export async function readWholeFile(fs: FileSystem, path: string, bytesMax: number): Promise<Buffer | undefined> {
  let bytes: Buffer | undefined
  await allowing('ENOENT', async () => {
    const file = await fs.open(path, 'r')
    try {
      bytes = await readUpTo(file, 0, Math.min((await file.stat()).size, bytesMax))
    } finally {
      await file.close()
    }
  })
  return bytes
}
