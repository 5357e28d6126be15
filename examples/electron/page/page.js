/** The page: it knows its addresses, and nothing of the store. */
const bucket = 'shelf'
const find = (id) => document.getElementById(id)
const addressOf = (folder, key) => `/${folder}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
let chosen

async function ask(address, init) {
  const response = await fetch(address, init)
  if (!response.ok) throw new Error(await response.text())
  return response
}

/** Runs what the user asked for, and says how it went. */
async function doing(what, work) {
  try {
    await work()
    find('status').textContent = what
    await show()
  } catch (error) {
    find('status').textContent = error.message
  }
}

const element = (name, properties) => Object.assign(document.createElement(name), properties)
const button = (textContent, onclick) => element('button', { type: 'button', textContent, onclick })

async function show() {
  const entries = await (await ask(addressOf('objects', ''))).json()
  find('objects').replaceChildren(...entries.map(({ key }) => itemOf(key)))
  if (chosen !== undefined && !entries.some(({ key }) => key === chosen)) chosen = undefined
  await showDetails()
}

function itemOf(key) {
  const item = element('li', { draggable: true })
  item.append(
    button(key, () => doing(key, async () => void (chosen = key))),
    button(`Delete ${key}`, () => doing(`Deleted ${key}`, () => ask(addressOf('objects', key), { method: 'DELETE' }))),
  )
  item.addEventListener('dragstart', (event) => {
    // The system drags the file that the main process writes.
    event.preventDefault()
    window.shelf?.dragOut(bucket, key)
  })
  return item
}

async function showDetails() {
  find('details').hidden = chosen === undefined
  if (chosen === undefined) return
  find('details').querySelector('h2').textContent = chosen
  const response = await ask(addressOf('objects', chosen), { method: 'HEAD' })
  find('preview').replaceChildren(previewOf(chosen, response.headers.get('content-type') ?? ''))
  const versions = await (await ask(addressOf('versions', chosen))).json()
  find('versions').replaceChildren(...versions.map(versionOf))
}

function previewOf(key, type) {
  const src = addressOf('objects', key)
  if (type.startsWith('image/')) return element('img', { src, alt: key })
  if (type.startsWith('video/')) return element('video', { src, controls: true })
  if (type.startsWith('audio/')) return element('audio', { src, controls: true })
  return element('p', { textContent: type })
}

function versionOf({ kind, versionId, lastModified, isLatest, size }) {
  const key = chosen
  const item = element('li', {})
  item.append(`${new Date(lastModified).toLocaleString()}, ${kind === 'marker' ? 'deleted' : `${size} bytes`}`)
  const address = `${addressOf('versions', key)}?versionId=${encodeURIComponent(versionId)}`
  if (kind === 'version' && !isLatest)
    item.append(button('Restore', () => doing(`Restored ${key}`, () => ask(address, { method: 'POST' }))))
  return item
}

async function step(what) {
  const keys = await (await ask(`/${what}`, { method: 'POST' })).json()
  if (keys.length === 0) throw new Error(`Nothing to ${what}.`)
}

find('files').addEventListener('change', ({ target }) => {
  const files = [...target.files]
  void doing(`Added ${files.length}`, async () => {
    for (const file of files) {
      const headers = { 'content-type': file.type || 'application/octet-stream' }
      await ask(addressOf('objects', file.name), { method: 'PUT', body: file, headers })
    }
  })
})
find('undo').addEventListener('click', () => void doing('Undone', () => step('undo')))
find('redo').addEventListener('click', () => void doing('Redone', () => step('redo')))
document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
  event.preventDefault()
  const what = event.shiftKey ? 'redo' : 'undo'
  void doing(what === 'undo' ? 'Undone' : 'Redone', () => step(what))
})
void doing('', async () => undefined)
