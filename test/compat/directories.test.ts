/**
 * Directories that this release and earlier ones wrote, of every layout, closed and killed. They open for ever, and a reader
 * sees in them what it saw when they were written. See make-directories.ts.
 */
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unpackDirectory } from './directory-archive.ts'
import { endings, goldenLayouts, openGolden } from './golden-directories.ts'
import { storeFacts, type StoreFacts } from './store-facts.ts'

const folder = join(import.meta.dirname, 'directories')
const formats = readdirSync(folder)
const layouts = goldenLayouts.flatMap((layout) => endings.map((ending) => [layout, ending] as const))

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'varve-directories-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

describe.each(formats)('the directories in %s', (format) => {
  const expected = async () => JSON.parse(await readFile(join(folder, format, 'expected.json'), 'utf8')) as StoreFacts

  it.each(layouts)('of %s, %s, hold what they held', async (layout, ending) => {
    const directory = join(scratch, `${format}-${layout}-${ending}`)
    await unpackDirectory(await readFile(join(folder, format, `${layout}-${ending}.br`)), directory)
    const facts = await expected()
    const store = await openGolden(directory)
    expect(store.layout).toBe(layout)
    expect(await storeFacts(store, facts.end)).toEqual(facts)
    expect((await store.verify()).divergences).toEqual([])
    await store.close()
  })

  it('hold every kind of version, setting, upload and erased bytes', async () => {
    const text = JSON.stringify(await expected())
    const kinds = [
      'marker',
      'null',
      'ObjectErased',
      'SSE-C',
      'AES256',
      'aws:kms',
      'aws:kms:dsse',
      'Website',
      'GOVERNANCE',
    ]
    const events = ['ContentsErased', 'UploadCompleted', 'UploadAborted', 'KeyGenerationAdded', 'BucketSettingRemoved']
    expect([...kinds, ...events].filter((word) => !text.includes(`"${word}"`))).toEqual([])
  })
})
