/**
 * The modules of Electron that the examples use, for plain Node. A utility process is a child process with `process.parentPort`. A use that
 * Electron would refuse is refused: an unknown name or option, a call before the app is ready, a second handler.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { checkEvent, checkOptions, guarded, pathNames } from './electron-names.ts'
import { FakeIpcMain } from './fake-ipc.ts'
import { FakeWindow, type WindowOptions } from './fake-window.ts'

export type Handler = (request: Request) => Promise<Response>
type Listener = (...given: unknown[]) => void
type Permission = (contents: unknown, name: string, answer: (granted: boolean) => void) => void

const parentPort = `process.parentPort = {
  on(event, listener) { process.on(event, (data) => listener({ data, ports: [] })); return this },
  once(event, listener) { process.once(event, (data) => listener({ data, ports: [] })); return this },
  postMessage: (data) => process.send(data),
}`

interface CustomScheme {
  readonly scheme: string
  readonly privileges: { readonly standard?: boolean }
}

export class FakeElectron {
  readonly app: FakeApp
  readonly ipcMain = new FakeIpcMain()
  readonly children: ChildProcess[] = []
  readonly dragged: string[] = []
  readonly windows: FakeWindow[] = []
  readonly #schemes = new Map<string, CustomScheme['privileges']>()
  handler: Handler | undefined
  permission: Permission | undefined

  constructor(folders: Readonly<Record<string, string>>, isFirst = true) {
    this.app = new FakeApp(folders, isFirst)
  }

  /** What `import 'electron'` has. */
  get modules() {
    const { app, ipcMain } = this
    return {
      app: guarded('App', app),
      ipcMain: guarded('IpcMain', ipcMain),
      BrowserWindow: this.#windowClass(),
      nativeImage: { createFromDataURL: (url: string) => ({ url }) },
      protocol: guarded('Protocol', {
        registerSchemesAsPrivileged: (schemes: readonly CustomScheme[]) => this.#register(schemes),
        handle: (scheme: string, handler: Handler) => this.#handle(scheme, handler),
      }),
      session: this.#session(),
      utilityProcess: {
        fork: (program: string, args: readonly string[] = [], options: object = {}) =>
          this.#fork(program, args, options),
      },
    }
  }

  #windowClass() {
    const { app, ipcMain, windows, dragged } = this
    const fetchPage = async (request: Request) => this.handler?.(request)
    return function BrowserWindow(options: WindowOptions = {}) {
      app.requireReady('BrowserWindow')
      const window = new FakeWindow(options, { ipcMain, dragged, fetchPage })
      windows.push(window)
      return guarded('BrowserWindow', window)
    } as unknown as new (
      options?: WindowOptions,
    ) => FakeWindow
  }

  #session() {
    const { app } = this
    const setPermissionRequestHandler = (permission: Permission) => void (this.permission = permission)
    return {
      get defaultSession() {
        app.requireReady('session.defaultSession')
        return guarded('Session', { setPermissionRequestHandler })
      },
    }
  }

  #register(schemes: readonly CustomScheme[]): void {
    if (this.app.isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    for (const scheme of schemes) {
      checkOptions('CustomScheme', scheme)
      checkOptions('Privileges', scheme.privileges)
      this.#schemes.set(scheme.scheme, scheme.privileges)
    }
  }

  #handle(scheme: string, handler: Handler): void {
    this.app.requireReady('protocol.handle')
    if (this.handler !== undefined) throw new Error(`Failed to register protocol: ${scheme}`)
    // Without it, the page has no origin, and `fetch` does not know the scheme.
    if (this.#schemes.get(scheme)?.standard !== true) throw new Error(`${scheme} is no standard scheme.`)
    this.handler = handler
  }

  #fork(program: string, args: readonly string[], options: object) {
    this.app.requireReady('utilityProcess.fork')
    checkOptions('ForkOptions', options)
    if (!isAbsolute(program) || !existsSync(program)) throw new Error(`There is no ${program}.`)
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(parentPort)}`]
    // Messages are cloned as Electron clones them, not as JSON.
    const child = fork(program, [...args], { execArgv, serialization: 'advanced' })
    this.children.push(child)
    const listen = (how: 'on' | 'once') => (event: string, listener: Listener) => {
      checkEvent('UtilityProcess', event)
      child[how](event, listener)
    }
    return guarded('UtilityProcess', {
      pid: child.pid,
      on: listen('on'),
      once: listen('once'),
      postMessage: (message: unknown) => child.send(structuredClone(message) as object, () => undefined),
      kill: () => child.kill(),
    })
  }
}

export class FakeApp extends EventEmitter {
  readonly #folders: Readonly<Record<string, string>>
  readonly #isFirst: boolean
  readonly #ready: Promise<void>
  #resolve: () => void = () => undefined
  readonly ended: Promise<unknown>
  #end: (code: number) => void = () => undefined
  #isReady = false

  constructor(folders: Readonly<Record<string, string>>, isFirst: boolean) {
    super()
    this.#folders = folders
    this.#isFirst = isFirst
    this.#ready = new Promise((resolve) => (this.#resolve = resolve))
    this.ended = new Promise((resolve) => (this.#end = resolve))
  }

  /** Electron is ready only after the module of the app was loaded: an `await app.whenReady()` in it would never end. */
  loaded(): void {
    this.#isReady = true
    this.#resolve()
  }

  isReady(): boolean {
    return this.#isReady
  }

  requireReady(what: string): void {
    if (!this.#isReady) throw new Error(`${what} can only be used after the app is ready`)
  }

  whenReady(): Promise<void> {
    return this.#ready
  }

  override on(event: string, listener: Listener): this {
    checkEvent('App', event)
    return super.on(event, listener)
  }

  override once(event: string, listener: Listener): this {
    checkEvent('App', event)
    return super.once(event, listener)
  }

  requestSingleInstanceLock(): boolean {
    return this.#isFirst
  }

  getPath(name: string): string {
    if (!(pathNames as readonly string[]).includes(name)) throw new Error(`Failed to get '${name}' path`)
    const folder = this.#folders[name]
    if (folder === undefined) throw new Error(`The test has no folder ${name}.`)
    return folder
  }

  quit(): void {
    let prevented = false
    this.emit('before-quit', { preventDefault: () => (prevented = true) })
    if (!prevented) this.#end(0)
  }

  exit(code = 0): void {
    this.#end(code)
  }
}
