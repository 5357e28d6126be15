/** A file as the body of an object. */
import type { FileHandle } from 'node:fs/promises'
import { type ByteSource, schema, StorageError } from '@varve/core'
import { pathText } from '../files/paths.ts'
import { open } from '../files/patient-files.ts'

const chunkBytes = 256 * 1024

const { checked, either, implementing } = schema

const fileName = either<string | URL>(
  'a path or a URL',
  pathText,
  implementing<URL>('a URL', ['toString'], (value) => value instanceof URL),
)

/**
 * The bytes of a file, for `objects.put` and `uploads.uploadPart`. The file is opened when it is read; every reading
 * starts at the beginning. A pipe or `/dev/stdin` works too.
 * @throws StorageError `InvalidArgument` for an invalid path; and, while it is read, `InvalidArgument` when the file
 * cannot be opened or is a directory, `IncompleteBody` when it cannot be read to its end; `details.errno` is the cause.
 */
export function file(path: string | URL): ByteSource {
  const name = checked('path', fileName, path)
  return { [Symbol.asyncIterator]: () => readFile(name) }
}

async function* readFile(path: string | URL): AsyncGenerator<Uint8Array> {
  const handle = await opened(path)
  try {
    for (;;) {
      // The reader may keep a chunk, so each chunk has its own buffer.
      const buffer = new Uint8Array(chunkBytes)
      const size = await read(handle, buffer, path)
      if (size === 0) return
      yield buffer.subarray(0, size)
    }
  } finally {
    await handle.close()
  }
}

async function opened(path: string | URL): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    throw failure('InvalidArgument', `Cannot open the file ${String(path)}`, cause)
  }
}

async function read(handle: FileHandle, buffer: Uint8Array, path: string | URL): Promise<number> {
  try {
    return (await handle.read(buffer, 0, buffer.length, null)).bytesRead
  } catch (cause) {
    // Opening a directory succeeds; only reading it fails.
    const code = errnoOf(cause) === 'EISDIR' ? 'InvalidArgument' : 'IncompleteBody'
    throw failure(code, `Cannot read the file ${String(path)}`, cause)
  }
}

const errnoOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? 'unknown'

function failure(code: 'InvalidArgument' | 'IncompleteBody', message: string, cause: unknown): StorageError {
  const errno = errnoOf(cause)
  return new StorageError(code, `${message}: ${errno}.`, { details: { errno }, cause })
}
