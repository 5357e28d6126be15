/**
 * A file for each object, written like a careful program does: sync the bytes, rename into place, sync the directory.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ObjectTarget, pageEntries } from './object-target.ts'

export async function fileTarget(directory: string): Promise<ObjectTarget> {
  await mkdir(directory, { recursive: true })
  const pathOf = (key: string) => join(directory, encodeURIComponent(key))
  let count = 0
  return {
    async put(key, body) {
      const path = pathOf(key)
      const temporary = `${path}.${count++}.tmp`
      const file = await open(temporary, 'wx')
      try {
        await file.writeFile(body)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path)
      await syncDirectory(directory)
    },
    get: (key) => present(readFile(pathOf(key))),
    head: (key) => present(stat(pathOf(key)).then(({ size }) => size)),
    async list(after) {
      const names = (await readdir(directory)).filter((name) => name > after)
      return Math.min(names.length, pageEntries)
    },
    async delete(key) {
      await rm(pathOf(key), { force: true })
      await syncDirectory(directory)
    },
    close: () => Promise.resolve(),
  }
}

/** Where a directory cannot be opened (Windows), only the rename is possible. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

const present = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
