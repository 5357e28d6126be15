/** The main process in TypeScript: typed calls of the page by IPC, and the store in a process of its own. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { app, BrowserWindow, ipcMain } from 'electron'
import type { AttachedStore } from 'varve'
import type { Channel, Note, Notes } from './bridge.js'
import { startStore } from './store-process.js'

const by = { id: 'user', name: 'The user of this app' }

function notesOf(store: AttachedStore): Notes {
  const done: string[] = []
  return {
    async list() {
      const notes: Note[] = []
      for await (const entry of store.objects.list('notes'))
        if ('key' in entry) notes.push({ key: entry.key, size: entry.size })
      return notes
    },
    read: async (key) => (await store.objects.get('notes', key)).text(),
    async save(key, text) {
      const requestId = randomUUID()
      await store.as({ by, requestId }).objects.put('notes', key, text, { contentType: 'text/plain' })
      done.push(requestId)
    },
    async undo() {
      const requestId = done.pop()
      if (requestId === undefined) return []
      const { entries } = await store.as({ by }).undo({ requestId })
      return entries.flatMap((entry) => (entry.kind === 'key' ? [entry.key] : []))
    },
  }
}

/** Answers the calls of our own page. A page may send anything, so each argument is checked. */
function answer(notes: Notes, page: string): void {
  const calls: { readonly [C in Channel]: (...given: string[]) => Promise<unknown> } = {
    list: () => notes.list(),
    read: (key = '') => notes.read(key),
    save: (key = '', text = '') => notes.save(key, text),
    undo: () => notes.undo(),
  }
  for (const [channel, call] of Object.entries(calls)) {
    ipcMain.handle(channel, async ({ senderFrame }, ...given: unknown[]) => {
      if (senderFrame?.url !== page) throw new Error('Only the page of this app can use the store.')
      return call(...given.map((each) => (typeof each === 'string' ? each : '')))
    })
  }
}

async function start(): Promise<void> {
  const { store, close } = await startStore(join(app.getPath('userData'), 'store'))
  app.once('before-quit', (event) => {
    event.preventDefault()
    void close().finally(() => app.quit())
  })
  const window = new BrowserWindow({
    webPreferences: { preload: join(import.meta.dirname, 'preload.cjs'), contextIsolation: true, sandbox: true },
  })
  window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
  window.webContents.on('will-navigate', (event) => event.preventDefault())
  const page = new URL('../page.html', import.meta.url).href
  answer(notesOf(store), page)
  await window.loadURL(page)
}

if (app.requestSingleInstanceLock()) app.whenReady().then(start).catch(console.error)
else app.quit()
