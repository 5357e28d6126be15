import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { damagedTables } from './damaged-tables.ts'
import { isTableFile } from './level-file-names.ts'

const scratch = scratchDirectory()
const none: ReadonlySet<string> = new Set()
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** With tables of several levels, some of which were merged into others. */
async function database(options: { readonly compression?: boolean; readonly blockSize?: number } = {}) {
  const path = scratch.next()
  const db = await openLevelDirectory(path, { createIfMissing: true, writeBufferSize: 64 * 1024, ...options })
  for (let i = 0; i < 60; i++) {
    const batch = db.batch()
    for (let j = 0; j < 50; j++)
      batch.put(bytesOf(`key ${(i * 7919 + j * 104_729) % 3000}`), bytesOf(`value ${i} `.repeat(9)))
    await batch.write({ sync: false })
  }
  await db.close()
  const names = await readdir(path)
  return { path, names, tables: names.filter(isTableFile) }
}

const damageOf = async (path: string, skipped = none) =>
  damagedTables(nodeFileSystem, path, await readdir(path), skipped)

/** A byte, as far behind the start or before the end, with a bit of it turned. */
async function flip(path: string, share: number): Promise<number> {
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length * share)
  bytes[at] = (bytes[at] as number) ^ (1 << (at % 8))
  await writeFile(path, bytes)
  return at
}

describe('unverified tables', () => {
  it.each([{}, { compression: false }, { blockSize: 64 }, { blockSize: 1024 * 1024 }])(
    'are found good as LevelDB wrote them with %o',
    async (options) => {
      const { path, tables } = await database(options)
      expect(tables.length).toBeGreaterThan(1)
      expect(await damageOf(path)).toEqual([])
    },
  )

  it('are found to be others, if they have changed places', async () => {
    const path = scratch.next()
    for (const life of ['a', 'b', 'c']) {
      // Opening it makes a table of what was put in before.
      const db = await openLevelDirectory(path, { createIfMissing: true, compression: false })
      const batch = db.batch()
      for (let i = 100; i < 200; i++) batch.put(bytesOf(`${life} ${i}`), bytesOf('value'))
      await batch.write({ sync: true })
      await db.close()
    }
    const [one = '', two = ''] = (await readdir(path)).filter(isTableFile)
    const [first, second] = [await readFile(join(path, one)), await readFile(join(path, two))]
    expect(first.length).toBe(second.length)
    expect(await damageOf(path)).toEqual([])
    await writeFile(join(path, one), second)
    expect(await damageOf(path)).toMatchObject([{ name: one, message: 'it holds other keys than it should' }])
    await writeFile(join(path, two), first)
    expect((await damageOf(path)).map(({ name }) => name).sort()).toEqual([one, two].sort())
  })

  it('are found damaged wherever a bit is turned, but in what only fills up the end', async () => {
    const { path, tables } = await database()
    const [name = ''] = tables
    const whole = await readFile(join(path, name))
    const padding = whole.length - 48
    for (let i = 0; i < 300; i++) {
      const at = await flip(join(path, name), i / 300)
      const found = await damageOf(path)
      if (at < padding) expect(found, `byte ${at}`).toMatchObject([{ name }])
      await writeFile(join(path, name), whole)
    }
    for (const at of [padding, whole.length - 8, whole.length - 1]) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] as number) ^ 1
      await writeFile(join(path, name), bytes)
      expect(await damageOf(path), `byte ${at}`).toMatchObject([{ name }])
    }
  })

  it('are found damaged when they are shorter, longer, or one in the place of another', async () => {
    const { path, tables } = await database()
    const [first = '', second = ''] = tables
    const [one, other] = [await readFile(join(path, first)), await readFile(join(path, second))]
    for (const bytes of [one.subarray(0, -1), Buffer.alloc(0), Buffer.concat([one, Buffer.alloc(1)]), other]) {
      await writeFile(join(path, first), bytes)
      expect(await damageOf(path)).toEqual([
        { name: first, message: `it has ${bytes.length} bytes instead of ${one.length}` },
      ])
    }
  })

  it('are found damaged when a directory has the name of one', async () => {
    const { path, names, tables } = await database()
    const [name = ''] = tables
    await rm(join(path, name))
    await mkdir(join(path, name))
    expect(await damageOf(path)).toEqual([{ name, message: 'a directory has its name' }])
    for (const other of names.filter((each) => /^(MANIFEST|CURRENT)/.test(each))) {
      await rm(join(path, other))
      await mkdir(join(path, other))
      expect(await damageOf(path)).toEqual([])
    }
  })

  it('are passed over when the caller skips them, or when the manifest does not name them', async () => {
    const { path, tables } = await database()
    const [name = ''] = tables
    await flip(join(path, name), 0.5)
    expect(await damageOf(path, new Set([name]))).toEqual([])
    await writeFile(join(path, '999999.ldb'), 'what a crash left of a table')
    expect(await damageOf(path)).toMatchObject([{ name }])
  })

  it('are left to LevelDB when it will refuse by itself: no manifest, no table', async () => {
    const { path, names, tables } = await database()
    for (const name of tables) await rm(join(path, name))
    expect(await damageOf(path)).toEqual([])
    for (const name of names.filter((each) => each.startsWith('MANIFEST'))) await rm(join(path, name))
    expect(await damageOf(path)).toEqual([])
    await rm(join(path, 'CURRENT'))
    expect(await damageOf(path)).toEqual([])
  })
})
