/** Archives in files. A file is complete, or it is not there. */
import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { StorageError } from '@varve/core'
import { placeUnlessTaken } from '../files/private-file.ts'
import type { ByteSink } from './tar-writer.ts'
import { open, rename, rm } from '../files/patient-files.ts'

/** Small writes are collected. */
const bufferBytes = 1024 * 1024

/**
 * Writes to a temporary file beside `path`, which is synced and gets its name at the end. Other users of the machine cannot read it, as they
 * cannot read the store.
 * @throws StorageError `InvalidArgument` if something has the name, unless it is a file and `overwrite` is set, or if no file can be made;
 * what `write` throws
 */
export async function toArchiveFile<R>(
  path: string,
  { overwrite }: { readonly overwrite: boolean },
  write: (sink: ByteSink) => Promise<R>,
): Promise<R> {
  await checkName(path, overwrite)
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const file = await open(temporary, 'wx', 0o600).catch((cause: unknown) => {
    throw refused(`${path} cannot be written: ${(cause as Error).message}`, cause)
  })
  try {
    const sink = new BufferedSink(async (bytes) => {
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
    })
    const result = await write(sink)
    await sink.flush()
    await file.sync()
    await file.close()
    await place(temporary, path, overwrite)
    return result
  } finally {
    await file.close().catch(() => undefined)
    await rm(temporary, { force: true })
  }
}

async function place(temporary: string, path: string, overwrite: boolean): Promise<void> {
  await checkName(path, overwrite)
  if (overwrite) await rename(temporary, path)
  else if (!(await placeUnlessTaken(temporary, path))) throw isTaken(path)
}

async function checkName(path: string, overwrite: boolean): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return
  if (found.isDirectory()) throw refused(`${path} is a directory, and not a file to write.`)
  if (!overwrite) throw isTaken(path)
  if (!found.isFile()) throw refused(`There is something at ${path} that is no file, and an archive cannot replace it.`)
}

const isTaken = (path: string): StorageError => refused(`There is a file at ${path} already.`)

const refused = (message: string, cause?: unknown): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: 'to' }, cause })

export class BufferedSink implements ByteSink {
  readonly #write: (bytes: Uint8Array) => Promise<void>
  #chunks: Uint8Array[] = []
  #size = 0

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write
  }

  async write(bytes: Uint8Array): Promise<void> {
    // A copy: the store may use the buffer of a chunk again.
    this.#chunks.push(bytes.slice())
    this.#size += bytes.length
    if (this.#size >= bufferBytes) await this.flush()
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#size = 0
    if (bytes.length > 0) await this.#write(bytes)
  }
}
