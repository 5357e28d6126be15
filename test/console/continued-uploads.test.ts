/** Unfinished uploads that a person continues in a browser: with the same file, with another one, and of other programs. */
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser, type WatchedPage } from './browser.ts'
import { expectRefusals, goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const mebibyte = 1024 ** 2
const part = 8 * mebibyte

/** Differs everywhere. */
const bytesOf = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE((Math.imul(at, 2_654_435_761) + seed) >>> 0, at)
  return bytes
}

describe.skipIf(chromiumPath === undefined)('an unfinished upload', { timeout: 180_000 }, () => {
  const open = useBrowser()
  let server: DemoServer
  let dir: string
  const begun = new Date('2026-01-02T03:04:00Z')
  const right = bytesOf(20 * mebibyte, 1)
  const other = bytesOf(20 * mebibyte, 2)

  beforeAll(async () => {
    server = await demoServer()
    dir = await mkdtemp(join(tmpdir(), 'console-files-'))
    await server.store.buckets.create('cut')
  }, 120_000)
  afterAll(async () => {
    await server.close()
    await rm(dir, { recursive: true })
  })

  async function fileOf(name: string, bytes: Uint8Array, time = begun): Promise<string> {
    const path = join(dir, name)
    await writeFile(path, bytes)
    await utimes(path, time, time)
    return path
  }

  const unfinished = async (key: string) => {
    const { entries } = await server.store.uploads.listPage('cut', { prefix: key })
    return entries.flatMap((entry) => (entry.kind === 'upload' ? [entry] : []))
  }
  const stored = async (key: string): Promise<Buffer> =>
    Buffer.from(await (await server.store.objects.get('cut', key)).bytes())
  const isStored = (key: string) => server.store.objects.exists('cut', key)

  async function signedIn(): Promise<WatchedPage> {
    const watched = await open(`${server.page}#/browse/cut?show=uploads`)
    await signIn(watched.page, server.root)
    return watched
  }

  /** Two parts of a file have arrived when the page is loaded again. */
  async function cutOff(key: string): Promise<WatchedPage> {
    const watched = await signedIn()
    const { page } = watched
    await page.route(`**/cut/${key}?partNumber=*`, (route) =>
      route.request().url().includes('partNumber=3') ? route.abort() : route.continue(),
    )
    await goTo(page, '#/browse/cut')
    await page.getByLabel('Files to upload').setInputFiles(await fileOf(key, right))
    const arrived = async (): Promise<number> => {
      const [upload] = await unfinished(key)
      return upload === undefined ? 0 : (await server.store.uploads.listPartsPage(upload)).entries.length
    }
    await expect.poll(arrived, { timeout: 30_000 }).toBe(2)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await signIn(page, server.root)
    await goTo(page, '#/browse/cut?show=uploads')
    watched.problems.length = 0
    return watched
  }

  const choose = (page: Page, key: string, path: string) =>
    page.getByLabel(`File to continue ${key} with`).setInputFiles(path)
  const isDone = (page: Page) => page.getByText('1 of 1 uploaded').waitFor({ timeout: 60_000 })
  const notTheFile = 'This is not the file that the upload was begun with.'

  it('is not continued with another file; the right one can be chosen instead', async () => {
    const { page } = await cutOff('one.bin')
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT' || request.method() === 'POST') sent.push(request.url())
    })
    await choose(page, 'one.bin', await fileOf('other.bin', other))
    await page.getByText(notTheFile).waitFor()
    await page.getByText('Part 1 that arrived is not in this file.').waitFor()
    expect(await page.getByText('1 of 1 uploaded').count()).toBe(0)
    expect(sent).toEqual([])
    expect(await isStored('one.bin')).toBe(false)
    await page.getByLabel('Other file for one.bin').setInputFiles(join(dir, 'one.bin'))
    await isDone(page)
    expect(sent.filter((url) => url.includes('partNumber')).length).toBe(1)
    expect(right.equals(await stored('one.bin'))).toBe(true)
    expect(await unfinished('one.bin')).toEqual([])
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}')
  })

  it('is replaced as a whole if the person starts again with another file', async () => {
    const { page } = await cutOff('again.bin')
    const longer = Buffer.concat([right, other])
    await choose(page, 'again.bin', await fileOf('longer.bin', longer))
    await page.getByText('The upload was begun with one of 20.0 MiB').waitFor()
    await page.getByRole('button', { name: 'Start again with this file' }).click()
    await isDone(page)
    expect(longer.equals(await stored('again.bin'))).toBe(true)
    await expect.poll(() => unfinished('again.bin')).toEqual([])
  })

  it('asks before it goes on with a file that has another time, and may be left as it is', async () => {
    const { page } = await cutOff('time.bin')
    const touched = await fileOf('touched.bin', right, new Date('2026-03-04T05:06:00Z'))
    await choose(page, 'time.bin', touched)
    await page.getByText('The file has another time than the one that the upload was begun with.').waitFor()
    await page.getByRole('button', { name: 'Leave it' }).click()
    expect((await unfinished('time.bin')).length).toBe(1)
    await choose(page, 'time.bin', touched)
    await page.getByRole('button', { name: 'Continue with it' }).click()
    await isDone(page)
    expect(right.equals(await stored('time.bin'))).toBe(true)
  })

  it.each([
    [
      'parts of another size',
      [
        [1, 0, 6],
        [2, 6, 6],
      ],
    ],
    [
      'a part missing in the middle',
      [
        [1, 0, 6],
        [3, 12, 6],
      ],
    ],
    ['the end alone', [[3, 16, 4]]],
    [
      'small parts',
      [
        [1, 0, 2],
        [2, 2, 2],
      ],
    ],
  ] as const)('of another program goes on with the same file, and only with it: %s', async (what, parts) => {
    const { uploads } = server.store
    const key = `${what.replaceAll(' ', '-')}.bin`
    const upload = await uploads.create('cut', key)
    for (const [number, from, size] of parts)
      await uploads.uploadPart(upload, number, right.subarray(from * mebibyte, (from + size) * mebibyte))
    const { page } = await signedIn()
    await choose(page, key, await fileOf('other.bin', other))
    await page.getByText(notTheFile).waitFor()
    expect(await isStored(key)).toBe(false)
    await page.getByLabel(`Other file for ${key}`).setInputFiles(await fileOf(key, right))
    await isDone(page)
    expect(right.equals(await stored(key))).toBe(true)
  })

  it.each(['SHA256', 'CRC32'] as const)(
    'of a program that gives each part a checksum is left to it: %s',
    async (algorithm) => {
      const { uploads } = server.store
      const upload = await uploads.create('cut', 'sums.bin', { checksumAlgorithm: algorithm })
      await uploads.uploadPart(upload, 1, right.subarray(0, part))
      const { page } = await signedIn()
      await choose(page, 'sums.bin', await fileOf('sums.bin', right))
      await page.getByText('This upload cannot be continued here.').waitFor()
      await page.getByRole('button', { name: 'Start again with this file' }).click()
      await isDone(page)
      expect(right.equals(await stored('sums.bin'))).toBe(true)
    },
  )

  it('that was removed meanwhile is named so, and can be started again', async () => {
    const watched = await cutOff('gone.bin')
    const { page } = watched
    await page.getByLabel('File to continue gone.bin with').waitFor({ state: 'attached' })
    for (const upload of await unfinished('gone.bin')) await server.store.uploads.abort(upload)
    await choose(page, 'gone.bin', join(dir, 'gone.bin'))
    await page.getByText('The unfinished upload is not on the server any more').waitFor()
    await page.getByRole('button', { name: 'Start again with this file' }).click()
    await isDone(page)
    expect(right.equals(await stored('gone.bin'))).toBe(true)
    expectRefusals(watched, 404)
  })

  it('of a file that is changed while it is sent stops, and never has bytes of both', async () => {
    const watched = await signedIn()
    const { page } = watched
    await goTo(page, '#/browse/cut')
    const path = await fileOf('changing.bin', right)
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/cut/changing.bin?uploads=', async (route) => {
      await held
      await route.continue()
    })
    const begin = page.waitForRequest(/changing\.bin\?uploads=/)
    await page.getByLabel('Files to upload').setInputFiles(path)
    await begin
    await fileOf('changing.bin', other, new Date('2026-05-06T07:08:00Z'))
    release()
    await page.getByText('The file was changed, moved or removed while it was uploaded.').waitFor({ timeout: 30_000 })
    expect(await isStored('changing.bin')).toBe(false)
    await page.getByLabel('Other file for changing.bin').setInputFiles(path)
    await page.getByText('The file has another time than the one that the upload was begun with.').waitFor()
    await page.getByRole('button', { name: 'Start again with this file' }).click()
    await isDone(page)
    expect(other.equals(await stored('changing.bin'))).toBe(true)
    watched.problems.length = 0
  })
})
