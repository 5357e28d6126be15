/** A store in the main process; pages reach it by `varve://app/objects/bucket/key`, without a port and without HTTP. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app, BrowserWindow, protocol } from 'electron'
import { openStore } from 'varve'
import { createProtocolHandler } from './protocol-handler.mjs'

const scheme = { standard: true, secure: true, supportFetchAPI: true, stream: true }
protocol.registerSchemesAsPrivileged([{ scheme: 'varve', privileges: scheme }])

async function start() {
  const store = await openStore(join(app.getPath('userData'), 'store'))
  if ((await store.buckets.head('notes').catch(() => undefined)) === undefined) await store.buckets.create('notes')
  const page = await readFile(new URL('index.html', import.meta.url))
  protocol.handle('varve', createProtocolHandler(store, page))
  closeBeforeQuit(store)
  await new BrowserWindow({ width: 720, height: 480 }).loadURL('varve://app/')
}

/** A clean end is quicker to open again; after an unclean one nothing acknowledged is lost either. */
function closeBeforeQuit(store) {
  app.on('before-quit', (event) => {
    if (store.state === 'closed') return
    event.preventDefault()
    void store.close().finally(() => app.quit())
  })
}

// One process owns a store at a time, so a second instance gives way.
if (app.requestSingleInstanceLock()) {
  app
    .whenReady()
    .then(start)
    .catch((error) => {
      console.error(error)
      app.exit(1)
    })
} else app.quit()

app.on('window-all-closed', () => app.quit())
