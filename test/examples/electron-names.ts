/**
 * What the stand-in for Electron has, by the names of Electron's own types. `npm run suite electron-types` compares the tables with
 * the release of Electron in the example, so an app that uses only these names uses what Electron has.
 */
export const electronNames = {
  App: ['exit', 'getPath', 'isReady', 'on', 'once', 'quit', 'requestSingleInstanceLock', 'whenReady'],
  BrowserWindow: ['loadURL', 'on', 'once', 'reload', 'webContents'],
  ContextBridge: ['exposeInMainWorld'],
  IpcMain: ['handle', 'on', 'once', 'removeHandler'],
  IpcRenderer: ['invoke', 'on', 'send'],
  Protocol: ['handle', 'registerSchemesAsPrivileged'],
  Session: ['setPermissionRequestHandler'],
  UtilityProcess: ['kill', 'on', 'once', 'pid', 'postMessage'],
  WebContents: ['getURL', 'on', 'once', 'reload', 'setWindowOpenHandler', 'startDrag'],
} as const

/** Fields of options. */
export const electronOptions = {
  BrowserWindowConstructorOptions: ['height', 'show', 'title', 'webPreferences', 'width'],
  CustomScheme: ['privileges', 'scheme'],
  ForkOptions: ['cwd', 'env', 'execArgv', 'serviceName', 'stdio'],
  Item: ['file', 'icon'],
  Privileges: ['corsEnabled', 'secure', 'standard', 'stream', 'supportFetchAPI'],
  WebPreferences: ['contextIsolation', 'nodeIntegration', 'preload', 'sandbox', 'webSecurity'],
} as const

/** Events that the stand-in emits. */
export const electronEvents = {
  App: ['before-quit', 'window-all-closed'],
  UtilityProcess: ['exit', 'message'],
  WebContents: ['will-navigate'],
} as const

export const pathNames = [
  'appData',
  'documents',
  'downloads',
  'home',
  'logs',
  'sessionData',
  'temp',
  'userData',
] as const

/** The object, of which only the names above can be used. Methods keep their own `this`. */
export function guarded<T extends object>(kind: keyof typeof electronNames, of: T): T {
  const names: readonly string[] = electronNames[kind]
  return new Proxy(of, {
    get(target, name) {
      // An awaited value is asked for `then`.
      if (typeof name === 'symbol' || name === 'then') return undefined
      if (!names.includes(name)) throw new TypeError(`The stand-in for Electron has no ${kind}.${name}.`)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value
    },
  })
}

/** @throws TypeError for a field that these options do not have */
export function checkOptions(kind: keyof typeof electronOptions, given: object = {}): void {
  const names: readonly string[] = electronOptions[kind]
  for (const name of Object.keys(given))
    if (!names.includes(name)) throw new TypeError(`The stand-in for Electron has no ${kind}.${name}.`)
}

/** @throws TypeError for an event that the stand-in never emits */
export function checkEvent(kind: keyof typeof electronEvents, event: unknown): asserts event is string {
  const names: readonly unknown[] = electronEvents[kind]
  if (!names.includes(event)) throw new TypeError(`The stand-in for Electron has no event ${String(event)} of ${kind}.`)
}
