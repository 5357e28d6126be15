/** The types of the stand-in, as Electron declares them. The TypeScript app is compiled with these; `suite electron-types` compiles it with Electron's. */
interface Emitter<Events> {
  on<E extends keyof Events>(event: E, listener: Events[E]): this
  once<E extends keyof Events>(event: E, listener: Events[E]): this
}

interface Event {
  preventDefault(): void
}

interface MessageEvent {
  readonly data: unknown
}

interface ParentPort extends Emitter<{ message: (message: MessageEvent) => void }> {
  postMessage(message: unknown): void
}

interface App extends Emitter<{ 'before-quit': (event: Event) => void; 'window-all-closed': () => void }> {
  getPath(name: 'appData' | 'documents' | 'downloads' | 'home' | 'logs' | 'sessionData' | 'temp' | 'userData'): string
  quit(): void
  requestSingleInstanceLock(): boolean
  whenReady(): Promise<void>
}

interface IpcEvent {
  readonly senderFrame: { readonly url: string } | null
}

interface IpcMain {
  handle(channel: string, listener: (event: IpcEvent, ...given: any[]) => unknown): void
}

interface UtilityProcess
  // Electron declares messages as `any`.
  extends Emitter<{ exit: (code: number) => void; message: (message: any) => void }> {
  kill(): boolean
  postMessage(message: unknown): void
}

interface WebContents extends Emitter<{ 'will-navigate': (event: Event & { readonly url: string }) => void }> {
  setWindowOpenHandler(opener: () => { readonly action: 'deny' }): void
}

interface WindowOptions {
  readonly height?: number
  readonly webPreferences?: {
    readonly contextIsolation?: boolean
    readonly nodeIntegration?: boolean
    readonly preload?: string
    readonly sandbox?: boolean
  }
  readonly width?: number
}

export declare const app: App
export declare const contextBridge: { exposeInMainWorld(name: string, api: object): void }
export declare const ipcMain: IpcMain
export declare const ipcRenderer: { invoke(channel: string, ...given: unknown[]): Promise<any> }
export declare const utilityProcess: {
  fork(program: string, args?: string[], options?: { readonly serviceName?: string }): UtilityProcess
}

export declare class BrowserWindow {
  constructor(options?: WindowOptions)
  readonly webContents: WebContents
  loadURL(url: string): Promise<void>
}

declare global {
  namespace NodeJS {
    interface Process {
      readonly parentPort: ParentPort
    }
  }
}
