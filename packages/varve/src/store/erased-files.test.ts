import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type LayoutName, openStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()

/** The files that contain one of the texts. */
async function filesWith(dir: string, texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((each) => each.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name))
    if (texts.some((text) => bytes.includes(text))) found.push(entry.name)
  }
  return found
}

/** Random, so that no compression changes its bytes. */
const secretOf = (bytes: number): string => randomBytes(bytes / 2).toString('hex')

const layouts: readonly LayoutName[] = [
  'level+files',
  'sqlite+files',
  'level+segments',
  'level+tiered',
  'segments+files',
  'segments+segments',
]

it.each(layouts.flatMap((layout) => [0, 1, 3].map((openings) => ({ layout, openings }))))(
  'leaves no erased bytes in any file of $layout, after $openings reopenings',
  async ({ layout, openings }) => {
    const dir = scratch.next()
    const secrets = [secretOf(24), secretOf(2000), secretOf(32_000), secretOf(200_000)]
    const marks = secrets.flatMap((secret) => [secret.slice(0, 16), secret.slice(-16)])
    let store = await openStore(dir, { layout })
    await store.buckets.create('site')
    for (const [i, secret] of secrets.entries()) await store.objects.put('site', `key-${i}`, secret)
    for (let i = 0; i < openings; i++) {
      await store.close()
      store = await openStore(dir)
      await store.objects.put('site', 'other', secretOf(5000))
    }
    expect(await filesWith(dir, marks)).not.toEqual([])

    const { pending } = await store.erase({ bucket: 'site', prefix: 'key-', live: true })

    expect(pending).toBe(0)
    expect(await filesWith(dir, marks)).toEqual([])
    await store.close()
    expect(await filesWith(dir, marks)).toEqual([])
    await (await openStore(dir)).close()
    expect(await filesWith(dir, marks)).toEqual([])
  },
)
