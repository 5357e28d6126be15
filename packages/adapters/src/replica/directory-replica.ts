/**
 * A replica in a directory: `blobs` and `tmp` as those of a store, and `replica` for its files. A file is written under another name and
 * then linked to its own: a link is refused where there is a file, also if two processes try it at once on a shared file system.
 */
import { join } from 'node:path'
import {
  type BlobStore,
  type ByteRange,
  type ByteSource,
  type ReplicaFile,
  type ReplicaFiles,
  StorageError,
} from '@varve/core'
import { blobDirectories, createBlobDirectories } from '../blobs/create-blob-directories.ts'
import { diskBlobs } from '../blobs/disk-blobs.ts'
import { createDirectories, ensureDirectories, privateFile, syncDirectory } from '../files/durable-files.ts'
import { allowing, errnoOf, onMedium } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { assertOwnLinks } from '../files/own-links.ts'
import { patient } from '../files/patient-file-system.ts'
import { patiently } from '../files/patience.ts'
import { readUpTo } from '../files/read-up-to.ts'
import { writeAll } from '../files/write-all.ts'
import { randomIds } from '../system/random-ids.ts'

/** A file system with links. */
export type LinkingFileSystem = FileSystem & Required<Pick<FileSystem, 'link'>>

/** The blobs and the files of a replica. */
export interface DirectoryReplica {
  readonly blobs: BlobStore
  readonly files: ReplicaFiles
}

const folder = 'replica'

/**
 * Opens the replica in a directory. `create`: makes one in an absent or empty directory, or goes on where a call that made one was
 * interrupted; default true.
 * @throws StorageError `StoreNotFound`: there is no replica, and `create` is false (`details.kind` is `empty`), or the directory has
 * something else (`foreign`); `InvalidArgument` for a symbolic link as `assertOwnLinks`; `NoSpace`; `BlobFailed`
 */
export async function openDirectoryReplica(
  directory: string,
  { create = true, fs: given = nodeFileSystem }: { readonly create?: boolean; readonly fs?: LinkingFileSystem } = {},
): Promise<DirectoryReplica> {
  const fs = patient(given)
  await onMedium('BlobFailed', 'Opening a replica', async () => {
    await assertOwnLinks(directory, fs)
    if ((await replicaStateOf(fs, directory)) === 'there') return
    if (!create)
      throw notReplica(
        directory,
        'empty',
        'has no replica',
        'Check the path. `varve serve --replicate` writes a replica.',
      )
    await createDirectories(fs, directory)
    await createBlobDirectories(directory, { fs })
    await ensureDirectories(fs, directory, [folder])
  })
  return { blobs: await diskBlobs(directory, { fs }), files: new DirectoryFiles(fs, directory) }
}

/**
 * Whether the directory could have a replica: it has one, or the beginning of one, or is empty or absent. Nothing is made.
 * @throws StorageError `StoreNotFound` (`details.kind` is `foreign`): it has something else, or is a file; `BlobFailed`
 */
export async function assertReplicaDirectory(
  directory: string,
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): Promise<void> {
  await onMedium('BlobFailed', 'Looking for a replica', () => replicaStateOf(fs, directory))
}

async function replicaStateOf(fs: FileSystem, directory: string): Promise<'there' | 'absent'> {
  const names = await namesIn(fs, directory)
  if (names.includes(folder)) return 'there'
  if (names.includes('FORMAT'))
    throw notReplica(
      directory,
      'foreign',
      'is that of a store, or of a copy of one, and no replica',
      'Check a store with `varve verify --dir`.',
    )
  if (!(await isBegun(fs, directory, names)))
    throw notReplica(directory, 'foreign', 'has something else than a replica', 'Name another directory.')
  return 'absent'
}

const notReplica = (directory: string, kind: string, what: string, hint: string): StorageError =>
  new StorageError('StoreNotFound', `The directory ${directory} ${what}.`, { details: { kind }, hint })

/** Whether a directory has only what an interrupted call leaves: `replica` is the last one that it makes. */
async function isBegun(fs: FileSystem, directory: string, names: readonly string[]): Promise<boolean> {
  for (const name of names)
    if (!blobDirectories.includes(name) || !(await isEmpty(fs, join(directory, name)))) return false
  return true
}

/** A file is no empty directory. */
async function isEmpty(fs: FileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.readdir(path)).length === 0
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return false
    throw error
  }
}

const notDirectory = (path: string): StorageError =>
  new StorageError('StoreNotFound', `${path} is no directory: it is a file, or below one.`, {
    details: { kind: 'foreign' },
    hint: 'Name another directory.',
  })

async function namesIn(fs: FileSystem, directory: string): Promise<readonly string[]> {
  try {
    return await fs.readdir(directory)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw errnoOf(error) === 'ENOTDIR' ? notDirectory(directory) : error
  }
}

const temporaryFolder = 'tmp'

/** All files are in one directory, where a dot stands for each slash of a name. */
class DirectoryFiles implements ReplicaFiles {
  readonly #fs: LinkingFileSystem
  readonly #temporary: string
  readonly #home: string

  constructor(fs: LinkingFileSystem, directory: string) {
    this.#fs = fs
    this.#temporary = join(directory, temporaryFolder)
    this.#home = join(directory, folder)
  }

  async create(name: string, source: ByteSource): Promise<boolean> {
    const temporary = join(this.#temporary, randomIds.next())
    try {
      await this.#fill(temporary, source)
      return await onMedium('BlobFailed', 'Writing a file of a replica', () => this.#name(temporary, name))
    } finally {
      await this.#fs.unlink(temporary).catch(() => undefined)
    }
  }

  read(name: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    return onMedium('BlobFailed', 'Reading a file of a replica', async () => {
      const file = await this.#open(name)
      if (file === undefined) return undefined
      try {
        const { start, end } = range ?? { start: 0, end: (await file.stat()).size }
        const bytes = await readUpTo(file, start, end - start)
        if (bytes.length < end - start) throw new Error(`The file ${name} has no bytes ${start} to ${end}.`)
        return bytes
      } finally {
        await file.close()
      }
    })
  }

  async *list(prefix: string): AsyncGenerator<ReplicaFile> {
    const found = await onMedium('BlobFailed', 'Listing the files of a replica', () => this.#fs.readdir(this.#home))
    const names = found.map((entry) => entry.replaceAll('.', '/')).filter((name) => name.startsWith(prefix))
    for (const name of names.sort()) {
      const size = await this.#sizeOf(name)
      if (size !== undefined) yield { name, size }
    }
  }

  async delete(names: readonly string[]): Promise<void> {
    await onMedium('BlobFailed', 'Deleting files of a replica', async () => {
      for (const name of names) await allowing('ENOENT', () => this.#fs.unlink(this.#pathOf(name)))
    })
  }

  /** Errors of the source pass through. */
  async #fill(temporary: string, source: ByteSource): Promise<void> {
    const write = <T>(work: () => Promise<T>) => onMedium('BlobFailed', 'Writing a file of a replica', work)
    const file = await write(() => this.#fs.open(temporary, 'wx', privateFile))
    try {
      let size = 0
      for await (const bytes of source) {
        await write(() => writeAll(file, bytes, size))
        size += bytes.length
      }
      await write(async () => {
        // A disk can report success for a write that it did not make.
        if ((await file.stat()).size !== size) throw new Error(`The file did not come out with ${size} bytes.`)
        await file.sync()
      })
    } finally {
      await file.close()
    }
  }

  async #name(temporary: string, name: string): Promise<boolean> {
    try {
      await this.#link(temporary, this.#pathOf(name))
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      throw error
    }
    await syncDirectory(this.#fs, this.#home)
    return true
  }

  /** There is no other way to name a file, so `EPERM` may pass here as well. */
  #link(from: string, to: string): Promise<void> {
    return patiently(() => this.#fs.link(from, to), { codes: new Set(['EPERM', 'EACCES']) })()
  }

  async #open(name: string): Promise<OpenFile | undefined> {
    try {
      return await this.#fs.open(this.#pathOf(name), 'r')
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** `undefined` for a file that was deleted meanwhile. */
  async #sizeOf(name: string): Promise<number | undefined> {
    const [size] = await onMedium('BlobFailed', 'Listing the files of a replica', async () => {
      let sizes: readonly number[] = []
      await allowing('ENOENT', async () => void (sizes = await this.#fs.sizes([this.#pathOf(name)])))
      return sizes
    })
    return size
  }

  #pathOf(name: string): string {
    return join(this.#home, name.replaceAll('/', '.'))
  }
}
