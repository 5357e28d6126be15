/** The main process: a window, a protocol for its page, and the process that owns the store. */
import { join } from 'node:path'
import { createActions } from './actions.mjs'
import { createDragOut } from './drag-out.mjs'
import { createProtocolHandler } from './protocol-handler.mjs'
import { readPage } from './page-files.mjs'
import { superviseStore } from './store-process.mjs'

/** What the page's scheme may do: fetch, stream videos, and be an origin of its own. */
export const privileges = {
  scheme: 'varve',
  privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
}

const origin = 'varve://app'
const root = join(import.meta.dirname, '..')

/** @param {Pick<typeof import('electron'), 'app' | 'BrowserWindow' | 'ipcMain' | 'nativeImage' | 'protocol' | 'session' | 'utilityProcess'>} electron */
export async function startApp(electron) {
  const { app, BrowserWindow, ipcMain, nativeImage, protocol, session, utilityProcess } = electron
  await app.whenReady()
  const stores = superviseStore({
    dir: join(app.getPath('userData'), 'store'),
    program: join(root, 'store', 'owner.mjs'),
    fork: (program, args) => utilityProcess.fork(program, [...args], { serviceName: 'store' }),
  })
  const actions = createActions(stores.use)
  const handle = createProtocolHandler({ use: stores.use, actions, page: await readPage(join(root, 'page')) })
  protocol.handle('varve', handle)
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  const dragOut = createDragOut({ use: stores.use, folder: join(app.getPath('temp'), 'varve-shelf'), nativeImage })
  ipcMain.on('drag-out', (event, bucket, key) => {
    if (isOurPage(event.senderFrame?.url)) void dragOut.start(event.sender, bucket, key).catch(console.error)
  })
  closeBeforeQuit(app, async () => {
    await stores.close()
    await dragOut.close()
  })
  app.on('window-all-closed', () => app.quit())
  return { window: await openWindow(BrowserWindow), stores, actions }
}

/** @param {typeof import('electron').BrowserWindow} BrowserWindow */
async function openWindow(BrowserWindow) {
  const window = new BrowserWindow({
    width: 960,
    height: 640,
    webPreferences: {
      preload: join(root, 'preload.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
    },
  })
  window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
  window.webContents.on('will-navigate', (event) => {
    if (!isOurPage(event.url)) event.preventDefault()
  })
  await window.loadURL(`${origin}/`)
  return window
}

/** Objects have addresses of the same origin, and may be HTML of anyone: only the page itself is trusted. */
const isOurPage = (url) => url === `${origin}/`

/** A clean end is quicker to open again; after an unclean one nothing acknowledged is lost either. */
function closeBeforeQuit(app, close) {
  let closed = false
  let closing
  app.on('before-quit', (event) => {
    if (closed) return
    event.preventDefault()
    closing ??= close()
      .catch(console.error)
      .finally(() => {
        closed = true
        app.quit()
      })
  })
}
