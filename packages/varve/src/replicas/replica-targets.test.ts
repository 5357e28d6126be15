import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { restoreStore } from '../backups/replicas.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'

let home: string
const scratch = scratchDirectory()

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
})

const at = (...names: readonly string[]): string => join(home, ...names)
const opened = (dir: string, to: string) => openStore(dir, { replicas: [{ to }] })
const refusal = { code: 'InvalidArgument' }
const foreign = { code: 'StoreNotFound', details: { kind: 'foreign' } }

async function replicated(): Promise<{ readonly dir: string; readonly replica: string }> {
  const [dir, replica] = [at('data'), at('rep')]
  const store = await opened(dir, replica)
  await store.buckets.create('box')
  await store.close()
  return { dir, replica }
}

describe('a store that is opened with a replica', () => {
  it.each([
    ['in its directory', ['data'], ['data', 'rep']],
    ['deep in its directory', ['data'], ['data', 'blobs', 'rep']],
    ['in its directory, by way of another', ['data'], ['other', '..', 'data', 'rep']],
    ['at its directory', ['data'], ['data']],
    ['around its directory', ['rep', 'data'], ['rep']],
  ])('is refused with one %s, and nothing is made', async (_where, dir, to) => {
    await expect(opened(at(...dir), home + '/' + to.join('/'))).rejects.toMatchObject(refusal)
    expect(await readdir(home)).toEqual([])
  })

  it('is refused with one in its directory by a link', async () => {
    await mkdir(at('data'))
    await symlink(at('data'), at('link'))
    await expect(opened(at('data'), at('link', 'rep'))).rejects.toMatchObject(refusal)
    await expect(opened(at('link'), at('data', 'rep'))).rejects.toMatchObject(refusal)
    expect(await readdir(at('data'))).toEqual([])
  })

  it('is refused with one in the directory of another store or replica', async () => {
    const { dir, replica } = await replicated()
    await expect(opened(at('two'), join(dir, 'rep'))).rejects.toMatchObject(refusal)
    await expect(opened(at('two'), join(replica, 'rep'))).rejects.toMatchObject(refusal)
    expect(await readdir(home)).toEqual(['data', 'rep'])
  })

  it('takes one beside it whose name begins with its own, or with dots', async () => {
    for (const name of ['data-replica', '..data']) await (await opened(at('data'), at(name))).close()
    await (await opened(at('..store'), at('third'))).close()
    expect(await readdir(at('..data'))).toContain('replica')
  })

  it('is refused if there is a file or something else where the replica is to be, and nothing is made', async () => {
    await writeFile(at('file'), '')
    await mkdir(at('photos'))
    await writeFile(at('photos', 'one.jpg'), '')
    for (const to of [['file'], ['file', 'rep'], ['photos']])
      await expect(opened(at('data'), at(...to))).rejects.toMatchObject(foreign)
    expect(await readdir(home)).toEqual(['file', 'photos'])
  })

  it('opens if the directory of the replica is not there or empty, as that of a disk that is not mounted', async () => {
    await mkdir(at('mount'))
    for (const to of [['mount'], ['absent', 'rep']]) await (await opened(at('data'), at(...to))).close()
  })
})

describe('a restore', () => {
  it('is refused in the replica, around it and in a store, and nothing is made', async () => {
    const { dir, replica } = await replicated()
    const before = [await readdir(dir), await readdir(replica)]
    for (const into of [join(replica, 'in'), replica, join(dir, 'in'), home])
      await expect(restoreStore(replica, into)).rejects.toMatchObject(refusal)
    await expect(restoreStore(dir, join(dir, 'in'))).rejects.toMatchObject(refusal)
    expect([await readdir(dir), await readdir(replica)]).toEqual(before)
  })

  it('is refused in another replica that it reads', async () => {
    const { replica } = await replicated()
    await expect(restoreStore([replica, at('more')], at('more', 'in'))).rejects.toMatchObject(refusal)
  })

  it('finds no replica in a file', async () => {
    await writeFile(at('file'), '')
    await expect(restoreStore(at('file'), at('new'))).rejects.toMatchObject(foreign)
    expect(await readdir(home)).toEqual(['file'])
  })
})

describe('a store that follows', () => {
  it('is refused in the replica and in another store', async () => {
    const { dir, replica } = await replicated()
    for (const into of [join(replica, 'in'), join(dir, 'in')])
      await expect(openStore(into, { follow: replica })).rejects.toMatchObject(refusal)
  })

  it('leaves nothing when there is nothing to follow', async () => {
    await mkdir(at('empty'))
    for (const from of ['none', 'empty'])
      await expect(openStore(at('copy'), { follow: at(from) })).rejects.toMatchObject({ code: 'StoreNotFound' })
    expect(await readdir(home)).toEqual(['empty'])
  })
})
