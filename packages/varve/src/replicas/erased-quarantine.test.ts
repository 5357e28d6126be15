import { randomBytes } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesWith, marksOf } from '../files-with.fixture.ts'
import { type LayoutName, openStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const layouts: readonly LayoutName[] = ['level+files', 'level+segments', 'sqlite+tiered']

/** Damages the stored bytes, and keeps their beginnings and ends. */
async function damage(dir: string, texts: readonly string[]): Promise<void> {
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    // A file of an open store may be gone.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    for (const text of texts) {
      const at = bytes.indexOf(text.slice(0, 16))
      if (at < 0) continue
      const file = await open(path, 'r+')
      await file.write('X', at + 1000)
      await file.close()
    }
  }
}

it.each(layouts)(
  'an erasure removes the damaged bytes that healing has put aside, in %s',
  async (layout) => {
    const [dir, to] = [scratch.next(), scratch.next()]
    const texts = [50_000, 400_000].map((bytes) => randomBytes(bytes / 2).toString('hex'))
    const options = { sweepEveryMs: 0, replicas: [{ to, everyMs: 20 }] }
    const store = await openStore(dir, { layout, ...options })
    await store.buckets.create('box')
    for (const [i, text] of texts.entries()) await store.objects.put('box', `k${i}`, text)
    await store.close()
    await damage(dir, texts)
    const again = await openStore(dir, options)
    // Twice, so that two damaged copies of one blob are there.
    for (const key of ['k0', 'k1'])
      expect((await (await again.objects.get('box', key)).bytes()).length).toBeGreaterThan(0)
    await damage(dir, texts)
    for (const key of ['k0', 'k1'])
      expect((await (await again.objects.get('box', key)).bytes()).length).toBeGreaterThan(0)
    const { pending, replicas } = await again.erase({ bucket: 'box', prefix: 'k', live: true })
    expect([pending, replicas]).toEqual([0, undefined])
    expect(await filesWith(dir, marksOf(texts))).toEqual([])
    await again.close()
    expect(await filesWith(dir, marksOf(texts))).toEqual([])
  },
  60_000,
)
