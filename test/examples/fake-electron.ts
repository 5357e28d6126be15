/**
 * The few modules of Electron that the example uses, for plain Node. A utility process is a child process with
 * `process.parentPort`; a page asks its protocol over HTTP.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

export type Handler = (request: Request) => Promise<Response>

const parentPort = `process.parentPort = {
  on: (event, listener) => process.on(event, (data) => listener({ data })),
  postMessage: (data) => process.send(data),
}`

export class FakeElectron {
  readonly app: FakeApp
  readonly ipcMain = new EventEmitter()
  readonly children: ChildProcess[] = []
  readonly dragged: string[] = []
  /** Options and listeners of the window that was opened. */
  readonly windows: {
    readonly options: unknown
    url: string
    readonly events: EventEmitter
    opener?: () => unknown
  }[] = []
  /** The contents of a window, as IPC names them. */
  readonly sender = { startDrag: ({ file }: { readonly file: string }) => void this.dragged.push(file) }
  handler: Handler | undefined
  permission: ((contents: unknown, name: string, answer: (granted: boolean) => void) => void) | undefined

  constructor(folders: Readonly<Record<string, string>>) {
    this.app = new FakeApp(folders)
  }

  /** What `import 'electron'` has. */
  get modules() {
    const { app, ipcMain, windows } = this
    class BrowserWindow {
      readonly own: FakeElectron['windows'][number]
      readonly webContents: object
      constructor(options: unknown) {
        this.own = { options, url: '', events: new EventEmitter() }
        windows.push(this.own)
        this.webContents = {
          on: (name: string, listener: (...given: unknown[]) => void) => this.own.events.on(name, listener),
          setWindowOpenHandler: (opener: () => unknown) => (this.own.opener = opener),
        }
      }
      async loadURL(url: string): Promise<void> {
        this.own.url = url
      }
    }
    return {
      app,
      ipcMain,
      BrowserWindow,
      nativeImage: { createFromDataURL: (url: string) => ({ url }) },
      protocol: { handle: (_scheme: string, handler: Handler) => (this.handler = handler) },
      session: {
        defaultSession: {
          setPermissionRequestHandler: (permission: FakeElectron['permission']) => (this.permission = permission),
        },
      },
      utilityProcess: { fork: (program: string, args: readonly string[]) => this.#fork(program, args) },
    }
  }

  #fork(program: string, args: readonly string[]) {
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(parentPort)}`]
    const child = fork(program, args, { execArgv })
    this.children.push(child)
    return {
      pid: child.pid,
      on: (name: string, listener: (...given: unknown[]) => void) => child.on(name, listener),
      once: (name: string, listener: (...given: unknown[]) => void) => child.once(name, listener),
      postMessage: (message: object) => child.send(message, () => undefined),
      kill: () => child.kill(),
    }
  }
}

export class FakeApp extends EventEmitter {
  readonly #folders: Readonly<Record<string, string>>
  readonly ended: Promise<unknown>

  constructor(folders: Readonly<Record<string, string>>) {
    super()
    this.#folders = folders
    this.ended = once(this, 'ended')
  }

  async whenReady(): Promise<void> {}

  getPath(name: string): string {
    return this.#folders[name] ?? ''
  }

  quit(): void {
    let prevented = false
    this.emit('before-quit', { preventDefault: () => (prevented = true) })
    if (!prevented) this.emit('ended')
  }
}

/** Answers the requests of a browser as the protocol would. The result is the origin of the page. */
export async function overHttp(handler: Handler, seen: (request: Request, response: Response) => void) {
  const server: Server = createServer((message, answer) => {
    void (async () => {
      const request = requestOf(message)
      const response = await handler(request)
      seen(request, response)
      answer.writeHead(response.status, Object.fromEntries(response.headers))
      if (response.body === null) return void answer.end()
      const body = Readable.fromWeb(response.body as ReadableStream)
      answer.once('close', () => body.destroy())
      body.on('error', () => answer.destroy()).pipe(answer)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function requestOf(message: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = message
  const body = method === 'PUT' ? Readable.toWeb(message) : undefined
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(`varve://app${url}`, {
    method,
    headers: given,
    ...(body && { body, duplex: 'half' }),
  } as RequestInit)
}
