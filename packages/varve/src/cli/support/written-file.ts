/** Files that options name, for what a command writes. */
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { StorageError } from '@varve/core'
import { toFile } from '../../bodies/to-file.ts'
import { pathOf } from '../../files/paths.ts'
import { open, rm } from '../../files/patient-files.ts'
import { unusableFile } from './read-text-file.ts'

/** What commands write can have events: other users cannot read it. */
const privateMode = 0o600

/** A new file that a command holds while it does what cannot be done again, so that it can write the result afterwards. */
export class ReservedFile {
  readonly path: string
  readonly #file: FileHandle

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  /** @throws StorageError `InvalidArgument` if there is a file of this name, or none can be made */
  static async create(given: string): Promise<ReservedFile> {
    const path = pathOf('path', given)
    const file = await open(path, 'wx', privateMode).catch((cause: unknown) => {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
        throw new StorageError('InvalidArgument', `There is a file at ${path} already.`, { cause })
      throw unwritable(path, cause)
    })
    return new ReservedFile(path, file)
  }

  /** Text and file are durable when this resolves. @throws what the file system throws */
  async write(text: string): Promise<void> {
    await this.#file.writeFile(text)
    await this.#file.sync()
    await this.#file.close()
  }

  /** Removes the file. */
  async remove(): Promise<void> {
    await this.#file.close().catch(() => undefined)
    await rm(this.path, { force: true })
  }
}

/**
 * Writes a file, or replaces one with its name, as `toFile` does.
 * @throws StorageError `InvalidArgument` if it cannot be written
 */
export async function writeTextFile(given: string, text: string): Promise<void> {
  const path = pathOf('path', given)
  const body = Readable.from([Buffer.from(text)])
  await writing(path, toFile({ body, close: async () => undefined }, path, { mode: privateMode }))
}

/** Errors of the file system about `path`, or a temporary file beside it, become those of the option that names it. */
export function writing<R>(path: string, work: Promise<R>): Promise<R> {
  return work.catch((error: unknown) => {
    const { syscall, path: about = '' } = error as NodeJS.ErrnoException
    throw syscall !== undefined && about.startsWith(path) ? unwritable(path, error) : error
  })
}

const unwritable = (path: string, cause: unknown): StorageError => unusableFile(`${path} cannot be written`, cause)
