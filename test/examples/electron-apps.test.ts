/** The apps of the Electron example, each started by its own entry, on the stand-in for Electron's modules. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isStorageError, openStore, verifyStore } from 'varve'
import type { FakeElectron } from './fake-electron.ts'
import type { FakeWindow } from './fake-window.ts'
import { installExample, root, runApp } from './run-electron-app.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const patience = { timeout: 30_000 }

let installed: Awaited<ReturnType<typeof installExample>>
let electron: FakeElectron

async function started(entry: string): Promise<FakeWindow> {
  installed = await installExample()
  if (entry.startsWith('typescript/')) compile(installed.place)
  electron = await runApp(installed, entry)
  return vi.waitFor(() => {
    const [window] = electron.windows
    if (window === undefined || window.url === '') throw new Error('The app has shown no window.')
    return window
  }, patience)
}

async function ended(): Promise<void> {
  electron.app.quit()
  await electron.app.ended
  await installed.remove()
}

const dir = () => join(installed.project, 'data', 'store')
const put = (window: FakeWindow, path: string, body: string | ReadableStream) =>
  window.fetch(path, { method: 'PUT', body, duplex: 'half' } as RequestInit)
const textAt = async (window: FakeWindow, path: string) => (await window.fetch(path)).text()

/** A body of which the end never comes, until it is cancelled. */
const endless = () =>
  new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      controller.enqueue(new Uint8Array(65_536))
    },
  })

describe('the app', () => {
  let window: FakeWindow
  beforeAll(async () => void (window = await started('main/main.mjs')))
  afterAll(ended)

  it('gives its page a bridge that drags objects out', async () => {
    await put(window, '/objects/shelf/a.txt', 'text')
    expect(Object.keys(window.bridges)).toEqual(['shelf'])
    window.bridges['shelf']?.['dragOut']?.('shelf', 'a.txt')
    await expect.poll(() => electron.dragged.length, patience).toBe(1)
    expect(await readFile(electron.dragged[0] as string, 'utf8')).toBe('text')
  })

  it('goes on after a reload of its window: requests of the old page end, and undo still works', async () => {
    await put(window, '/objects/shelf/b.txt', 'before')
    const cut = put(window, '/objects/shelf/cut', endless()).then(
      ({ status }) => status,
      (error: Error) => error.name,
    )
    await window.reload()
    expect(await cut).toBe('AbortError')
    expect((await window.fetch('/objects/shelf/cut', { method: 'HEAD' })).status).toBe(404)
    expect(Object.keys(window.bridges)).toEqual(['shelf'])
    expect(await (await window.fetch('/undo', { method: 'POST' })).json()).toEqual(['b.txt'])
  })

  it('gives way to the instance that runs', async () => {
    const copy = await installExample()
    const second = await runApp(copy, 'main/main.mjs', { isFirst: false })
    await second.app.ended
    expect([second.windows, second.children]).toEqual([[], []])
    await copy.remove()
  })

  it('ends while it writes, and keeps all that it had answered, but no part of the rest', async () => {
    await put(window, '/objects/shelf/kept', 'all of it')
    const cut = put(window, '/objects/shelf/cut', endless()).then(
      ({ status }) => status,
      () => 503,
    )
    electron.app.quit()
    await electron.app.ended
    expect(await cut).toBe(503)
    expect(electron.children.map(({ exitCode }) => exitCode)).toEqual([0])
    const store = await openStore(dir())
    expect(await (await store.objects.get('shelf', 'kept')).text()).toBe('all of it')
    await expect(store.objects.head('shelf', 'cut')).rejects.toSatisfy((error) => isStorageError(error, 'NoSuchKey'))
    await store.close()
    expect(await verifyStore(dir())).toMatchObject({ ok: true })
  })
})

describe('the minimal app', () => {
  let window: FakeWindow
  beforeAll(async () => void (window = await started('minimal/main.mjs')))
  afterAll(ended)

  it('has at most forty lines', async () => {
    const text = await readFile(join(installed.place, 'minimal/main.mjs'), 'utf8')
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  })

  it('shows its page, and keeps what the page writes', async () => {
    expect(await textAt(window, '/')).toContain('<title>Note</title>')
    expect((await window.fetch('/note.txt')).status).toBe(404)
    expect((await put(window, '/note.txt', 'water the plants')).status).toBe(204)
    await window.reload()
    expect(await textAt(window, '/note.txt')).toBe('water the plants')
  })

  it('closes its store before it ends', async () => {
    electron.app.quit()
    await electron.app.ended
    const store = await openStore(dir())
    expect(await (await store.objects.get('notes', 'note.txt')).text()).toBe('water the plants')
    await store.close()
  })
})

describe('the app in TypeScript', () => {
  let window: FakeWindow
  beforeAll(async () => void (window = await started('typescript/dist/main.js')))
  afterAll(ended)

  const call = (name: string, ...given: unknown[]) => window.bridges['notes']?.[name]?.(...given)

  it('answers the typed calls of its page, across a reload', async () => {
    await expect.poll(() => Object.keys(window.bridges['notes'] ?? {})).toEqual(['list', 'read', 'save', 'undo'])
    await call('save', 'today', 'first')
    await call('save', 'today', 'second')
    await window.reload()
    expect(await call('list')).toEqual([{ key: 'today', size: 6 }])
    expect(await call('undo')).toEqual(['today'])
    expect(await call('read', 'today')).toBe('first')
    await expect(call('read', 'absent')).rejects.toThrow(/^Error invoking remote method 'read': StorageError:/)
  })

  it('answers no other page', async () => {
    const answer = electron.ipcMain.invoked('list', window.event('https://example.com/'), [])
    await expect(answer).rejects.toThrow('Only the page of this app')
  })

  it('ends with the process of its store', async () => {
    electron.app.quit()
    await electron.app.ended
    expect(electron.children.map(({ exitCode }) => exitCode)).toEqual([0])
    expect(await verifyStore(dir())).toMatchObject({ ok: true })
  })
})

describe('the stand-in', () => {
  it.each([
    ['an unknown name', (modules: FakeElectron['modules']) => Reflect.get(modules.app, 'getFolder') as unknown],
    ['an unknown option', (modules) => modules.utilityProcess.fork('/a.mjs', [], { name: 'store' })],
    ['an unknown folder', (modules) => modules.app.getPath('data')],
    ['an unknown event', (modules) => modules.app.on('closing', () => undefined)],
    ['a scheme after the start', (modules) => modules.protocol.registerSchemesAsPrivileged([])],
    ['a scheme without privileges', (modules) => modules.protocol.handle('other', async () => new Response())],
  ] satisfies readonly (readonly [string, (modules: FakeElectron['modules']) => unknown])[])(
    'refuses %s, as Electron does',
    async (_what, use) => {
      const { FakeElectron: Fresh } = await import('./fake-electron.ts')
      const fresh = new Fresh({})
      fresh.app.loaded()
      expect(() => use(fresh.modules)).toThrow()
    },
  )
})

/** Compiles the app as `npm run start:typescript` does: strictly, here with the types of the stand-in. */
function compile(place: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', join(place, 'typescript')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}
