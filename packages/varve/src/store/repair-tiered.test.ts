import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from './open-store.ts'
import { repairStore, verifyStore } from '../maintenance/closed-stores.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const body = (value: number) => Buffer.alloc(100_000, value)

describe('a store whose blobs share files', () => {
  it('is verified, and repaired down to the one blob that is damaged', async () => {
    const dir = scratch.next()
    const store = await openStore(dir, { layout: 'level+tiered' })
    await store.buckets.create('things')
    for (const n of [1, 2, 3]) await store.objects.put('things', `number ${n}`, body(n))
    await store.close()
    const [segment = ''] = (await readdir(join(dir, 'segments'))).filter((name) => name.endsWith('.segment'))
    const path = join(dir, 'segments', segment)
    const bytes = await readFile(path)
    bytes[bytes.indexOf(Buffer.alloc(50_000, 2)) + 777] = 99
    await writeFile(path, bytes)

    const before = await verifyStore(dir)
    expect(before.divergences).toMatchObject([{ kind: 'BlobCorrupt', of: { key: 'number 2' } }])
    const { actions, after } = await repairStore(dir)
    expect(actions).toHaveLength(1)
    expect(after.divergences).toMatchObject([{ kind: 'BlobMissing', of: { key: 'number 2' } }])
    const kept = (await readdir(join(dir, 'quarantine'))).find((name) => !name.endsWith('.json')) ?? ''
    const aside = await readFile(join(dir, 'quarantine', kept))
    expect([aside.length, aside.indexOf(99)]).toEqual([100_000, 777])

    const again = await openStore(dir)
    for (const n of [1, 3]) {
      expect(Buffer.from(await (await again.objects.get('things', `number ${n}`)).bytes())).toEqual(body(n))
    }
    await again.close()
  })
})
