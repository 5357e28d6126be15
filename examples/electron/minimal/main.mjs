/** The smallest app: the store in the main process, a page with one note, objects at `varve://app/KEY`. */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { app, BrowserWindow, protocol } from 'electron'
import { isStorageError, openStore, toReadable } from 'varve'

const page = `<!doctype html><meta charset="utf-8"><title>Note</title><textarea></textarea><script type="module">
  const area = document.querySelector('textarea')
  const note = await fetch('/note.txt')
  if (note.ok) area.value = await note.text()
  area.addEventListener('change', () => fetch('/note.txt', { method: 'PUT', body: area.value }))
</script>`

protocol.registerSchemesAsPrivileged([
  { scheme: 'varve', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
])

async function start() {
  const store = await openStore(join(app.getPath('userData'), 'store'))
  await store.buckets.ensure('notes', { versioning: 'Enabled' })
  protocol.handle('varve', async ({ url, method, body }) => {
    const key = decodeURIComponent(new URL(url).pathname.slice(1))
    try {
      if (key === '') return new Response(page, { headers: { 'content-type': 'text/html' } })
      if (method !== 'PUT') return new Response(Readable.toWeb(toReadable(await store.objects.get('notes', key))))
      await store.objects.put('notes', key, body ?? '')
      return new Response(null, { status: 204 })
    } catch (error) {
      return new Response(error.message, { status: isStorageError(error, 'NoSuchKey') ? 404 : 500 })
    }
  })
  app.once('before-quit', (event) => {
    event.preventDefault()
    void store.close().finally(() => app.quit())
  })
  await new BrowserWindow().loadURL('varve://app/')
}

if (app.requestSingleInstanceLock()) app.whenReady().then(start).catch(console.error)
else app.quit()
