/** Writes the bytes of an object to a file. The file is complete or not written. */
import { randomBytes } from 'node:crypto'
import { lstat, stat } from 'node:fs/promises'
import { schema } from '@varve/core'
import { pathOf } from '../files/paths.ts'
import { type ReadableContent, readableContent } from './readable-content.ts'
import { open, rename, rm } from '../files/patient-files.ts'

/** Options of `toFile`. */
export interface ToFileOptions {
  readonly signal?: AbortSignal
  /** Permission bits of a new file, before the umask. @default 0o666 */
  readonly mode?: number
}

const { abortSignal, checked, integer, object, optional } = schema
const fileOptions = object<ToFileOptions>({
  signal: optional(abortSignal),
  mode: optional(integer({ min: 0, max: 0o7777 })),
})

/**
 * Writes an object's bytes to `path` and resolves with their number. The bytes go to a temporary file beside the
 * target, which is renamed at the end, so a read that fails half way leaves the target unchanged. A symbolic link is replaced, and what it
 * names stays as it is. A pipe or a device is written directly. The file is not synced: a power cut may undo the write.
 * @throws StorageError `InvalidArgument` for invalid arguments; errors of reading the object; the file system's own
 * errors; the signal's reason
 */
export async function toFile(given: ReadableContent, target: string, how: ToFileOptions = {}): Promise<number> {
  const content = readableContent(given)
  try {
    const path = pathOf('path', target)
    const options = checked('options', fileOptions, how)
    const { signal, mode = 0o666 } = options
    signal?.throwIfAborted()
    if (await isSpecial(path)) return await write(content, path, 'w', options)
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
    try {
      const size = await write(content, temporary, 'wx', { ...options, mode })
      await rename(temporary, path)
      return size
    } finally {
      await rm(temporary, { force: true })
    }
  } finally {
    await content.close()
  }
}

async function write(
  { body }: Pick<ReadableContent, 'body'>,
  path: string,
  flags: string,
  { signal, mode }: ToFileOptions,
): Promise<number> {
  const target = await open(path, flags, mode)
  try {
    let size = 0
    for await (const chunk of body) {
      signal?.throwIfAborted()
      for (let at = 0; at < chunk.length; ) at += (await target.write(chunk, at)).bytesWritten
      size += chunk.length
    }
    return size
  } finally {
    await target.close()
  }
}

/** Names of what the process has open. They are links, and what they name can be a file. */
const openHere = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/

/** A link is replaced, wherever it leads: another user may have made it. One to a directory stays, and is refused as a directory is. */
async function isSpecial(path: string): Promise<boolean> {
  if (openHere.test(path)) return true
  try {
    const found = await lstat(path)
    if (!found.isSymbolicLink()) return !found.isFile()
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
