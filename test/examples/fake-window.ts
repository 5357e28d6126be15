/** A window without pixels: it loads its page, runs its preload as a sandboxed one, and can be reloaded. */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { checkEvent, checkOptions, guarded } from './electron-names.ts'
import type { FakeIpcMain } from './fake-ipc.ts'

export interface WindowOptions {
  readonly webPreferences?: {
    readonly preload?: string
    readonly contextIsolation?: boolean
    readonly sandbox?: boolean
    readonly nodeIntegration?: boolean
  }
}

interface Around {
  readonly ipcMain: FakeIpcMain
  readonly dragged: string[]
  fetchPage(request: Request): Promise<Response | undefined>
}

type Bridge = Readonly<Record<string, (...given: unknown[]) => unknown>>
type Listener = (...given: unknown[]) => void

/** All modules of Node that a sandboxed preload can load. */
const modulesOfPreloads = ['events', 'timers', 'url']
const require = createRequire(import.meta.url)

export class FakeWindow {
  readonly options: WindowOptions
  readonly events = new EventEmitter()
  readonly webContents: object
  readonly #around: Around
  url = ''
  opener: (() => unknown) | undefined
  /** What the preload has given to the page. */
  bridges: Record<string, Bridge> = {}
  #page = new AbortController()

  constructor(options: WindowOptions, around: Around) {
    checkOptions('BrowserWindowConstructorOptions', options)
    checkOptions('WebPreferences', options.webPreferences)
    this.options = options
    this.#around = around
    this.webContents = guarded('WebContents', {
      getURL: () => this.url,
      on: (event: string, listener: Listener) => this.#listen('on', event, listener),
      once: (event: string, listener: Listener) => this.#listen('once', event, listener),
      reload: () => void this.reload(),
      setWindowOpenHandler: (opener: () => unknown) => void (this.opener = opener),
      startDrag: (item: { readonly file: string }) => {
        checkOptions('Item', item)
        around.dragged.push(item.file)
      },
    })
  }

  async loadURL(url: string): Promise<void> {
    this.url = url
    await this.reload()
  }

  /** Ends the requests of the page, and begins it again. */
  async reload(): Promise<void> {
    this.#page.abort(new DOMException('The page is gone.', 'AbortError'))
    this.#page = new AbortController()
    this.bridges = {}
    const { preload } = this.options.webPreferences ?? {}
    if (preload !== undefined) this.#runPreload(preload)
    if (this.url.startsWith('file:')) readFileSync(fileURLToPath(this.url))
    else if ((await this.fetch(this.url)).status !== 200) throw new Error(`ERR_FAILED loading '${this.url}'`)
  }

  /** A request of the page. It ends with the page. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const request = new Request(new URL(path, this.url), { ...init, signal: this.#page.signal })
    const response = await this.#around.fetchPage(request)
    if (response === undefined) throw new TypeError('Failed to fetch')
    return response
  }

  /** The event of a message from this page. */
  event(url: string | null = this.url): object {
    return { senderFrame: url === null ? null : { url }, sender: this.webContents }
  }

  #listen(how: 'on' | 'once', event: string, listener: Listener): void {
    checkEvent('WebContents', event)
    this.events[how](event, listener)
  }

  #runPreload(file: string): void {
    const { contextIsolation = true, sandbox = true } = this.options.webPreferences ?? {}
    if (!contextIsolation || !sandbox)
      throw new Error('The stand-in only has sandboxed pages in contexts of their own.')
    const { ipcMain } = this.#around
    const renderer = {
      contextBridge: guarded('ContextBridge', {
        exposeInMainWorld: (name: string, api: Bridge) => {
          if (Object.hasOwn(this.bridges, name))
            throw new Error('Cannot bind an API on top of an existing property on the window object')
          this.bridges[name] = bridged(api)
        },
      }),
      ipcRenderer: guarded('IpcRenderer', {
        send: (channel: string, ...given: unknown[]) =>
          void ipcMain.emit(channel, this.event(), ...structuredClone(given)),
        invoke: (channel: string, ...given: unknown[]) => ipcMain.invoked(channel, this.event(), given),
      }),
    }
    const load = (name: string): unknown => {
      if (name === 'electron') return renderer
      if (modulesOfPreloads.includes(name.replace(/^node:/, ''))) return require(name)
      throw new Error(`module not found: ${name}`)
    }
    const module = { exports: {} }
    compileFunction(readFileSync(file, 'utf8'), ['require', 'module', 'exports'], { filename: file })(
      load,
      module,
      module.exports,
    )
  }
}

/** As the bridge does it: functions are called with clones and give clones. All else is cloned once. */
const bridged = (api: Bridge): Bridge =>
  Object.fromEntries(
    Object.entries(api).map(([name, value]) => [
      name,
      typeof value !== 'function'
        ? structuredClone(value)
        : (...given: unknown[]) => {
            const result: unknown = value(...structuredClone(given))
            return result instanceof Promise
              ? result.then((each: unknown) => structuredClone(each))
              : structuredClone(result)
          },
    ]),
  )
