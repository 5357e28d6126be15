import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replicaFilesContract } from '@varve/core/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDirectoryReplica } from './directory-replica.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-replica-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function open(in_ = join(directory, 'there')) {
  const { files, blobs } = await openDirectoryReplica(in_)
  return {
    create: files.create.bind(files),
    read: files.read.bind(files),
    list: files.list.bind(files),
    delete: files.delete.bind(files),
    close: () => blobs.close(),
  }
}

async function* one(): AsyncGenerator<Uint8Array> {
  yield Uint8Array.of(1)
}

describe('the files of a replica in a directory', () => {
  for (const { name, run } of replicaFilesContract)
    it(name, () => run(async () => ({ instance: await open(), reopen: () => open() })))

  it('are not made in a directory that has something else', async () => {
    await writeFile(join(directory, 'FORMAT'), '{}')
    await expect(openDirectoryReplica(directory)).rejects.toMatchObject({
      code: 'StoreNotFound',
      details: { kind: 'foreign' },
    })
  })

  it('are not made where one only reads', async () => {
    await expect(openDirectoryReplica(join(directory, 'none'), { create: false })).rejects.toMatchObject({
      code: 'StoreNotFound',
      details: { kind: 'empty' },
    })
  })
  for (const made of [['blobs'], ['tmp'], ['blobs', 'tmp']])
    it(`are made where an interrupted call made only ${made.join(' and ')}`, async () => {
      for (const name of made) await mkdir(join(directory, name))
      await expect(openDirectoryReplica(directory, { create: false })).rejects.toMatchObject({
        code: 'StoreNotFound',
        details: { kind: 'empty' },
      })
      const { files, blobs } = await openDirectoryReplica(directory)
      expect(await files.create('terms/1', one())).toBe(true)
      expect([...((await files.read('terms/1')) ?? [])]).toEqual([1])
      await blobs.close()
    })

  for (const [what, make] of [
    ['blobs of something else', () => mkdir(join(directory, 'blobs', '00'), { recursive: true })],
    ['a temporary file of something else', () => mkdir(join(directory, 'tmp', 'draft'), { recursive: true })],
    ['a file of that name', () => writeFile(join(directory, 'tmp'), 'text')],
    ['other names beside them', () => mkdir(join(directory, 'tmp')).then(() => mkdir(join(directory, 'photos')))],
  ] as const)
    it(`are not made where there is ${what}`, async () => {
      await make()
      for (const create of [true, false])
        await expect(openDirectoryReplica(directory, { create })).rejects.toMatchObject({
          code: 'StoreNotFound',
          details: { kind: 'foreign' },
        })
    })
})
