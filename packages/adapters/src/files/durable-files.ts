/** Changes to directories that outlive a power cut. Nothing here retries an fsync. */
import { dirname } from 'node:path'
import { allowing, errnoOf } from './errno.ts'
import type { FileSystem, OpenFile } from './file-system.ts'
import { readUpTo } from './read-up-to.ts'
import { writeAll } from './write-all.ts'

/** Ours alone: what is stored is nobody else's to read or to change. */
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

/** Makes one directory, or leaves the one that is there. The entry in its parent is not synced. */
export const ensureDirectory = (fs: FileSystem, path: string): Promise<void> =>
  allowing('EEXIST', () => fs.mkdir(path, privateDirectory))

/** Makes a directory and what is missing above it; resolves when all of it is durable. */
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
 * Replaces a small file as a whole: readers, and a crash at any step, see the old text or the new one. The temporary
 * file has a fixed name, so there must be one writer at a time; what a crash leaves of it goes next time.
 */
export async function replaceFile(fs: FileSystem, path: string, text: string): Promise<void> {
  const temporary = temporaryOf(path)
  // Always a new file: one whose fsync failed before is not to be trusted with anything.
  await allowing('ENOENT', () => fs.unlink(temporary))
  const file = await fs.open(temporary, 'wx', privateFile)
  try {
    await writeText(file, text)
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

/** The name `replaceFile` gives a file before it is whole. */
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
