import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { blobPaths } from './blob-paths.ts'
import { createBlobDirectories } from './create-blob-directories.ts'
import { diskBlobs } from './disk-blobs.ts'

const id = 'ab'.repeat(16)
const bytes = Buffer.alloc(100_000, 'bytes')
let home: string
let from: string
let into: string

async function* source(...chunks: readonly Uint8Array[]) {
  yield* chunks
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'varve-link-'))
  ;[from, into] = [join(home, 'from'), join(home, 'into')]
  for (const directory of [from, into]) {
    await nodeFileSystem.mkdir(directory, 0o700)
    await createBlobDirectories(directory)
  }
  const blobs = await diskBlobs(from)
  await blobs.write(id, source(bytes))
  await blobs.close()
})

afterEach(() => rm(home, { recursive: true, force: true }))

const inodeIn = async (directory: string) => (await stat(blobPaths(directory).blobOf(id))).ino
const linking = (fs: FileSystem = nodeFileSystem) => diskBlobs(into, { fs, linkFrom: from })

describe('a blob that another store has', () => {
  it('is the same file, after its bytes were read', async () => {
    expect(await (await linking()).write(id, source(bytes))).toBe(bytes.length)
    expect(await inodeIn(into)).toBe(await inodeIn(from))
  })

  it('is not there if its bytes could not be read', async () => {
    const blobs = await linking()
    async function* torn() {
      yield bytes
      throw new Error('torn')
    }
    await expect(blobs.write(id, torn())).rejects.toThrow('torn')
    await expect(blobs.open(id)).rejects.toMatchObject({ code: 'BlobMissing' })
    expect(await blobs.discardUnfinished()).toBe(0)
  })

  it('is refused if the file has another size than what was read', async () => {
    const blobs = await linking()
    await expect(blobs.write(id, source(bytes.subarray(1)))).rejects.toMatchObject({
      code: 'BlobFailed',
      details: { kind: 'size' },
    })
    await expect(blobs.open(id)).rejects.toMatchObject({ code: 'BlobMissing' })
  })

  it.each(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'])('is written where a link fails with %s', async (code) => {
    const link = () => Promise.reject(Object.assign(new Error(code), { code }))
    await (await linking({ ...nodeFileSystem, link })).write(id, source(bytes))
    expect(await inodeIn(into)).not.toBe(await inodeIn(from))
    expect((await stat(blobPaths(into).blobOf(id))).size).toBe(bytes.length)
  })

  it('is written where there are no links, and where the other store has no such file', async () => {
    const { link: _, ...fs } = nodeFileSystem
    await (await linking(fs)).write(id, source(bytes))
    expect(await inodeIn(into)).not.toBe(await inodeIn(from))
    const other = 'cd'.repeat(16)
    expect(await (await linking()).write(other, source(bytes))).toBe(bytes.length)
  })
})
