import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { nodeFileSystem as fs } from '../files/node-file-system.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openReadOnlyDirectory } from './open-read-only-directory.ts'
import { openStoreDirectory } from './open-store-directory.ts'
import { readFormat, type StoreState, writeFormat } from './store-format.ts'
import { storePaths } from './store-paths.ts'
import { whileQuiet } from './while-quiet.ts'

const scratch = scratchDirectory()

async function store(): Promise<string> {
  const path = scratch.next()
  const made = await openStoreDirectory(path)
  await made.markReady()
  await made.close()
  return path
}

it.each<[StoreState, object]>([
  ['initialising', { code: 'StoreNotFound', details: { kind: 'missing' } }],
  ['switching', { code: 'ReadOnly', details: { kind: 'switching' } }],
])('leaves a store that is %s to an owner, and as it is', async (state, refusal) => {
  const path = await store()
  const { format } = storePaths(path)
  const before = await readFormat(fs, format)
  if (before === undefined) throw new Error('There is no FORMAT.')
  await writeFormat(fs, format, { ...before, state })
  await expect(openReadOnlyDirectory(path)).rejects.toMatchObject(refusal)
  expect(await readFormat(fs, format)).toEqual({ ...before, state })
})

it('looks again when a file of the log changed meanwhile, and gives up what it found before', async () => {
  const path = await store()
  const paths = storePaths(path)
  let looks = 0
  const undo = vi.fn(async () => undefined)
  const look = async () => {
    looks++
    if (looks === 1) await writeFile(join(paths.events, '999999.log'), 'new')
    return looks
  }
  expect(await whileQuiet(paths, look, undo, { pauseMs: 110 })).toBe(2)
  expect(undo.mock.calls).toEqual([[1]])
})

it('takes a failure for one of the store only if the log did not change meanwhile', async () => {
  const path = await store()
  const paths = storePaths(path)
  let looks = 0
  const look = async () => {
    looks++
    if (looks === 1) await writeFile(join(paths.events, '999999.log'), 'new')
    throw new Error(`look ${looks}`)
  }
  await expect(whileQuiet(paths, look, async () => undefined, { pauseMs: 110 })).rejects.toThrow('look 2')
})

it('writes nothing to blobs and witness, and removes its copy when it is closed', async () => {
  const path = await store()
  const opened = await openReadOnlyDirectory(path)
  await expect(opened.blobs.open('00'.repeat(16))).rejects.toMatchObject({ code: 'BlobMissing' })
  await expect(opened.blobs.open('../FORMAT')).rejects.toThrow(TypeError)
  await expect(opened.blobs.delete([])).rejects.toMatchObject({ code: 'ReadOnly' })
  await expect(opened.witness.write({ seq: 1, hash: '' })).rejects.toMatchObject({ code: 'ReadOnly' })
  await opened.close()
  await expect(readdir(opened.scratch)).rejects.toMatchObject({ code: 'ENOENT' })
})
