/** The Electron example without Electron: its main process on stand-ins, its store in a process of its own. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { attachStore, openStore, verifyStore } from 'varve'
import { chromiumPath, useBrowser } from '../console/browser.ts'
import { FakeElectron, type Handler } from './fake-electron.ts'
import type { FakeWindow } from './fake-window.ts'
import { overHttp } from './over-http.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const example = (path: string) => new URL(`../../examples/electron/${path}`, import.meta.url).href

/** Of an `<audio>` in the page. */
interface Audio {
  currentTime: number
  readonly duration: number
  addEventListener(name: 'seeked', listener: (value: unknown) => void, options: { readonly once: true }): void
}

interface App {
  readonly stores: { readonly pid: number | undefined }
}

const { privileges, startApp } = (await import(example('main/app.mjs'))) as {
  readonly privileges: object
  startApp(modules: object): Promise<App>
}
const { fileNameOf } = (await import(example('main/file-names.mjs'))) as { fileNameOf(key: string): string }

let root: string
let electron: FakeElectron
let app: App
let ask: (path: string, init?: RequestInit) => Promise<Response>
let dir: string

/** As `main/main.mjs` starts it. */
async function startOn({ app, modules }: FakeElectron): Promise<App> {
  modules.protocol.registerSchemesAsPrivileged([privileges as never])
  app.loaded()
  return startApp(modules)
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-electron-'))
  electron = new FakeElectron({ userData: join(root, 'data'), temp: join(root, 'temp') })
  dir = join(root, 'data', 'store')
  app = await startOn(electron)
  const handler = electron.handler as Handler
  ask = (path, init) => handler(new Request(`varve://app${path}`, init))
})

afterAll(async () => {
  electron.app.quit()
  await electron.app.ended
  await rm(root, { recursive: true, force: true })
})

const put = (key: string, body: string | Uint8Array<ArrayBuffer>, type = 'text/plain') =>
  ask(`/objects/shelf/${key}`, { method: 'PUT', body, headers: { 'content-type': type } })
const textOf = async (path: string, init?: RequestInit) => (await ask(path, init)).text()
const keys = async () =>
  ((await (await ask('/objects/shelf/')).json()) as { readonly key: string }[]).map(({ key }) => key)

describe('the protocol of the Electron example', () => {
  it('shows the page under a policy that allows nothing from elsewhere', async () => {
    const page = await ask('/')
    expect(await page.text()).toContain('<title>Shelf</title>')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
    expect((await ask('/page.js', { method: 'HEAD' })).headers.get('content-type')).toContain('javascript')
  })

  it('keeps, lists, gives and removes what the page requests', async () => {
    const key = encodeURIComponent('a note/é?')
    expect((await put(key, 'hello', 'x/y')).status).toBe(204)
    expect(await keys()).toContain('a note/é?')
    const got = await ask(`/objects/shelf/${key}`)
    expect(await got.text()).toBe('hello')
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'x/y',
      'content-length': '5',
      'accept-ranges': 'bytes',
      'content-security-policy': expect.stringContaining('sandbox') as string,
    })
    expect((await ask(`/objects/shelf/${key}`, { method: 'DELETE' })).status).toBe(204)
    expect((await ask(`/objects/shelf/${key}`)).status).toBe(404)
  })

  it.each([
    ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
    ['bytes=7-', 206, 'bytes 7-9/10', '789'],
    ['bytes=-2', 206, 'bytes 8-9/10', '89'],
    ['bytes=5-99', 206, 'bytes 5-9/10', '56789'],
    ['bytes=10-', 416, 'bytes */10', undefined],
    ['bytes=4-2', 200, null, '0123456789'],
    ['bytes=0-1,3-4', 200, null, '0123456789'],
    ['lines=1-2', 200, null, '0123456789'],
    ['bytes=99999999999999999999-', 200, null, '0123456789'],
  ])('answers the range %s as HTTP does', async (range, status, contentRange, text) => {
    await put('digits', '0123456789')
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask('/objects/shelf/digits', { method, headers: { range } })
      expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange])
      const body = await answer.text()
      if (text === undefined) continue
      expect(answer.headers.get('content-length')).toBe(String(text.length))
      expect(body).toBe(method === 'GET' ? text : '')
    }
  })

  it('answers conditions, and a range only for the object that the page knows', async () => {
    await put('page', 'first text')
    const { headers } = await ask('/objects/shelf/page', { method: 'HEAD' })
    const [etag, modified] = [headers.get('etag') as string, headers.get('last-modified') as string]
    const statusFor = async (given: Record<string, string>) => {
      const answer = await ask('/objects/shelf/page', { headers: given })
      await answer.body?.cancel()
      return answer.status
    }
    expect(await statusFor({ 'if-none-match': etag })).toBe(304)
    expect(await statusFor({ 'if-none-match': `"other", W/${etag}` })).toBe(304)
    expect(await statusFor({ 'if-modified-since': modified })).toBe(304)
    expect(await statusFor({ 'if-none-match': '"other"', 'if-modified-since': modified })).toBe(200)
    expect(await statusFor({ 'if-match': '"other"' })).toBe(412)
    expect(await statusFor({ range: 'bytes=0-1', 'if-range': etag })).toBe(206)
    expect(await statusFor({ range: 'bytes=0-1', 'if-range': modified })).toBe(206)
    expect(await statusFor({ range: 'bytes=0-1', 'if-range': '"other"' })).toBe(200)
  })

  it('reports what it does not have, and what it does not do', async () => {
    expect((await ask('/objects/nowhere/a')).status).toBe(404)
    for (const path of ['/elsewhere', '/toString/shelf/a']) expect((await ask(path)).status).toBe(404)
    expect((await ask('/objects/shelf/%zz')).status).toBe(400)
    expect((await ask('/objects/shelf/a', { method: 'POST' })).status).toBe(405)
    expect((await ask('/undo')).status).toBe(405)
  })
})

describe('the actions of the Electron example', () => {
  it('are undone and redone one by one, and a new action ends the redoing', async () => {
    await put('letter', 'one')
    await put('letter', 'two')
    await ask('/objects/shelf/letter', { method: 'DELETE' })
    const step = async (what: string) => (await ask(`/${what}`, { method: 'POST' })).json()
    expect(await step('undo')).toEqual(['letter'])
    expect(await textOf('/objects/shelf/letter')).toBe('two')
    await step('undo')
    expect(await textOf('/objects/shelf/letter')).toBe('one')
    await step('redo')
    expect(await textOf('/objects/shelf/letter')).toBe('two')
    await put('letter', 'three')
    expect(await step('redo')).toEqual([])
  })

  it('list versions, and restore one of them', async () => {
    await put('plan', 'old')
    await put('plan', 'new')
    await put('planned', 'other')
    const versions = (await (await ask('/versions/shelf/plan')).json()) as { versionId: string; isLatest: boolean }[]
    expect(versions.map(({ isLatest }) => isLatest)).toEqual([true, false])
    const address = `/versions/shelf/plan?versionId=${encodeURIComponent(versions[1]?.versionId ?? '')}`
    expect((await ask(address, { method: 'POST' })).status).toBe(204)
    expect(await textOf('/objects/shelf/plan')).toBe('old')
    const address0 = `/objects/shelf/plan?versionId=${encodeURIComponent(versions[0]?.versionId ?? '')}`
    expect(await textOf(address0)).toBe('new')
  })
})

describe('a drag out of the window', () => {
  it('is a file with the name of the object, which no other user can read', async () => {
    await put('folder/con.txt', 'a device of Windows')
    const window = electron.windows[0] as FakeWindow
    electron.ipcMain.emit('drag-out', window.event(), 'shelf', 'folder/con.txt')
    await expect.poll(() => electron.dragged.length).toBe(1)
    const file = electron.dragged[0] as string
    expect(basename(file)).toBe('_con.txt')
    expect(await readFile(file, 'utf8')).toBe('a device of Windows')
    expect((await stat(file)).mode & 0o077).toBe(0)
    for (const url of ['varve://app/objects/shelf/page.html', 'https://example.com/', null]) {
      electron.ipcMain.emit('drag-out', window.event(url), 'shelf', 'digits')
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(electron.dragged).toHaveLength(1)
  })

  it.each([
    ['a/b/c.jpg', 'c.jpg'],
    ['folder/', 'folder'],
    ['..', 'object'],
    ['', 'object'],
    ['trailing. . ', 'trailing'],
    ['what?<now>|:*"\\.txt', 'what__now______.txt'],
    ['NUL', '_NUL'],
    ['com1.tar.gz', '_com1.tar.gz'],
    ['console.log', 'console.log'],
    ['line\nbreak\u0000', 'line_break_'],
    ['e\u0301.txt', '\u00e9.txt'],
    [`${'é'.repeat(200)}.jpeg`, `${'é'.repeat(57)}.jpeg`],
  ])('of the key %j has the name %j', (key, name) => {
    expect(fileNameOf(key)).toBe(name)
  })
})

describe('the windows of the Electron example', () => {
  it('have no Node, no other pages and no permissions', () => {
    const [window] = electron.windows
    expect(window?.url).toBe('varve://app/')
    expect(window?.options).toMatchObject({
      webPreferences: { contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true },
    })
    expect(window?.opener?.()).toEqual({ action: 'deny' })
    const stays = (url: string) => {
      let prevented = false
      window?.events.emit('will-navigate', { url, preventDefault: () => (prevented = true) })
      return prevented
    }
    expect(['https://example.com/', 'varve://app/objects/shelf/x.html', 'varve://app/'].map(stays)).toEqual([
      true,
      true,
      false,
    ])
    const granted: boolean[] = []
    electron.permission?.(undefined, 'media', (answer) => granted.push(answer))
    expect(granted).toEqual([false])
  })
})

describe('the process of the store', () => {
  it('is started again when it is killed, with all that was acknowledged, and undo still works', async () => {
    await put('kept', 'before the kill')
    const killed = app.stores.pid as number
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => textOf('/objects/shelf/kept').catch(() => ''), { timeout: 30_000 }).toBe('before the kill')
    expect(app.stores.pid).not.toBe(killed)
    expect(await (await ask('/undo', { method: 'POST' })).json()).toEqual(['kept'])
    expect((await ask('/objects/shelf/kept')).status).toBe(404)
  })

  it('can be used by other programs of the user meanwhile', async () => {
    await put('shared', 'text')
    const attached = await attachStore(dir)
    expect(await (await attached.objects.get('shelf', 'shared')).text()).toBe('text')
    await attached.close()
  })

  it('says why it does not open, is not started again, and leaves the store to its owner', async () => {
    const other = new FakeElectron({ userData: join(root, 'other'), temp: join(root, 'temp-2') })
    const owner = await openStore(join(root, 'other', 'store'))
    await startOn(other)
    const refused = await (other.handler as Handler)(new Request('varve://app/objects/shelf/'))
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('has the store open')])
    other.app.quit()
    await other.app.ended
    expect(other.children).toHaveLength(1)
    await owner.close()
  })
})

// A browser is no part of a bare machine; test/console/browser.ts says that it was not found.
describe.skipIf(chromiumPath === undefined)('the page of the Electron example, in Chromium', () => {
  const openPage = useBrowser()

  it('adds, plays, undoes and restores, under its policy, and seeks by ranges', async () => {
    const ranges: [string | null, number][] = []
    const served = await overHttp(electron.handler as Handler, ({ url, headers }, { status }) => {
      if (url.endsWith('/tone.wav')) ranges.push([headers.get('range'), status])
    })
    try {
      const { page } = await openPage(served.origin)
      const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })
      await page
        .locator('#files')
        .setInputFiles([file('tone.wav', 'audio/wav', tone(60)), file('note.txt', 'text/plain', Buffer.from('first'))])
      await page.getByRole('button', { name: 'tone.wav', exact: true }).click()
      const end = await page.locator('audio').evaluate(async (audio: Audio) => {
        audio.currentTime = 50
        await new Promise((resolve) => audio.addEventListener('seeked', resolve, { once: true }))
        return audio.duration
      })
      expect(end).toBeCloseTo(60, 0)
      expect(ranges).toContainEqual([expect.stringMatching(/^bytes=[1-9]\d*-/) as string, 206])
      await page.locator('#files').setInputFiles([file('note.txt', 'text/plain', Buffer.from('second'))])
      await page.getByRole('button', { name: 'note.txt', exact: true }).click()
      await expect.poll(() => page.locator('#versions li').count()).toBe(2)
      await page.getByRole('button', { name: 'Restore' }).click()
      await expect.poll(() => page.locator('#versions li').count()).toBe(3)
      await page.keyboard.press('Control+z')
      await expect.poll(() => page.locator('#versions li').count()).toBe(2)
      await page.getByRole('button', { name: 'Delete note.txt' }).click()
      await expect.poll(() => page.getByRole('button', { name: 'note.txt', exact: true }).count()).toBe(0)
      await page.keyboard.press('Control+z')
      await expect.poll(() => page.getByRole('button', { name: 'note.txt', exact: true }).count()).toBe(1)
    } finally {
      served.close()
    }
  })
})

/** Sound of so many seconds, as WAV: 16 bits, one channel. */
function tone(seconds: number): Buffer {
  const rate = 44_100
  const bytes = Buffer.alloc(44 + rate * 2 * seconds)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    bytes.writeUInt16LE(value, at)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.write('data', 36)
  bytes.writeUInt32LE(bytes.length - 44, 40)
  return bytes
}

it('the store of the Electron example is whole after all of this', async () => {
  electron.app.quit()
  await electron.app.ended
  expect(await verifyStore(dir)).toMatchObject({ ok: true })
})
