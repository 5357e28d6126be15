/** Previews, links to share, and uploads that go on after a reload, in a browser. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { expectRefusals, goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const mebibyte = 1024 ** 2

/** A minute of silence: 8-bit samples, 8,000 in a second. */
function silence(seconds: number): Buffer {
  const size = seconds * 8000
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + size, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(size, 40)
  return Buffer.concat([head, Buffer.alloc(size, 128)])
}

describe.skipIf(chromiumPath === undefined)('an object in the console', { timeout: 90_000 }, () => {
  const open = useBrowser()
  let server: DemoServer
  let dir: string

  beforeAll(async () => {
    server = await demoServer()
    dir = await mkdtemp(join(tmpdir(), 'console-files-'))
    const { objects, buckets } = server.store
    await buckets.create('kinds')
    await objects.put('kinds', 'sound.wav', silence(900), { contentType: 'audio/wav' })
    await objects.put('kinds', 'paper.pdf', '%PDF-1.4\n%%EOF\n', { contentType: 'application/pdf' })
    await objects.put('kinds', 'page.html', '<script>document.title = "run"</script>', { contentType: 'text/html' })
    await objects.put('kinds', 'long.txt', 'x'.repeat(300 * 1024), { contentType: 'text/plain' })
    await objects.put('kinds', 'bytes', Buffer.from([0, 1, 2, 255]))
    await objects.put('kinds', 'empty', '')
  }, 120_000)
  afterAll(async () => {
    await server.close()
    await rm(dir, { recursive: true })
  })

  async function openKey(key: string) {
    const watched = await open(`${server.page}#/browse/kinds?key=${encodeURIComponent(key)}`)
    await signIn(watched.page, server.root)
    return watched
  }

  it('is shown as what it is, and never run', async () => {
    const watched = await openKey('page.html')
    const { page } = watched
    await page.getByText('document.title = "run"').waitFor()
    expect(await page.title()).toBe('Varve')
    for (const [key, text] of [
      ['bytes', 'There is no preview of this kind of object.'],
      ['empty', 'The object is empty.'],
      ['long.txt', 'The first 256 KiB of 300 KiB.'],
      ['gone', 'There is no such object now.'],
    ] as const) {
      await goTo(page, `#/browse/kinds?key=${key}`)
      await page.getByText(text).waitFor()
    }
    await goTo(page, '#/browse/kinds?key=paper.pdf')
    await expect.poll(() => page.locator('iframe.preview').getAttribute('src')).toMatch(/^blob:/)
    await goTo(page, '#/browse/photos?show=versions&prefix=2026%2Fholiday%2Fdunes%2F01')
    await page.getByRole('row', { name: 'Older version' }).getByRole('link').click()
    await expect
      .poll(() => page.evaluate('document.querySelector(".preview img")?.naturalWidth ?? 0'))
      .toBeGreaterThan(0)
    expectRefusals(watched, 404)
  })

  it('is played from any place, by range requests', async () => {
    const { page } = await openKey('sound.wav')
    const ranges: string[] = []
    page.on('request', (request) => {
      const { range } = request.headers()
      if (range !== undefined && request.url().includes('X-Amz-Signature')) ranges.push(range)
    })
    const sound = 'document.querySelector("audio")'
    await expect.poll(() => page.evaluate(`${sound}?.duration`)).toBe(900)
    await page.evaluate(`${sound}.currentTime = 800`)
    await expect.poll(() => page.evaluate(`${sound}.readyState >= 2 && !${sound}.seeking`)).toBe(true)
    await expect.poll(() => ranges.some((range) => Number(/bytes=(\d+)/.exec(range)?.[1]) > 5_000_000)).toBe(true)
  })

  it('can be shared with a link that expires, and downloaded under its name', async () => {
    const { page } = await openKey('long.txt')
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByLabel('It works for').selectOption('900')
    await page.getByLabel('The browser').selectOption('save')
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue()
    expect(link).toContain('X-Amz-Expires=900')
    expect(link).not.toContain(server.root.secretAccessKey)
    const answer = await fetch(link)
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      200,
      "attachment; filename*=UTF-8''long.txt",
    ])
    await page.keyboard.press('Escape')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('long.txt')
    expect((await readFile(await download.path())).length).toBe(300 * 1024)
  })

  it('whose upload was cut off by a reload goes on with the same file', async () => {
    const path = join(dir, 'cut.bin')
    const bytes = Buffer.alloc(20 * mebibyte, 'twenty mebibytes ')
    await writeFile(path, bytes)
    const watched = await openKey('empty')
    const { page } = watched
    await page.route('**/kinds/cut.bin?partNumber=*', (route) =>
      route.request().url().includes('partNumber=3') ? route.abort() : route.continue(),
    )
    await goTo(page, '#/browse/kinds')
    await page.getByLabel('Files to upload').setInputFiles(path)
    const { uploads } = server.store
    const arrived = async (): Promise<number> => {
      const { entries } = await uploads.listPage('kinds', {})
      const [upload] = entries.flatMap((entry) => (entry.kind === 'upload' ? [entry] : []))
      return upload === undefined ? 0 : (await uploads.listPartsPage(upload)).entries.length
    }
    await expect.poll(arrived, { timeout: 30_000 }).toBe(2)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.unrouteAll()
    watched.problems.length = 0
    await signIn(page, server.root)
    await goTo(page, '#/browse/kinds?show=uploads')
    const sent: string[] = []
    page.on('request', (request) => {
      const number = new URL(request.url()).searchParams.get('partNumber')
      if (number !== null) sent.push(number)
    })
    await page.getByLabel('File to continue cut.bin with').setInputFiles(path)
    await page.getByText('1 of 1 uploaded').waitFor()
    expect(sent).toEqual(['3'])
    const got = await server.store.objects.get('kinds', 'cut.bin')
    expect(bytes.equals(Buffer.from(await got.bytes()))).toBe(true)
  })
})
