// Two processes and one store: this one stores notes, and its child keeps an index of their words in another bucket:
//     node processes.mjs DIRECTORY NOTE...
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { attachStore, openStore } from 'varve'

/** Adds each new note to the words that it contains. */
async function index(dir) {
  const store = await attachStore(dir)
  const filter = { bucket: 'notes', types: ['VersionAdded'] }
  for await (const { events, acknowledge } of store.subscribe('index', { filter })) {
    for (const { data } of events) {
      const text = await (await store.objects.get('notes', data.key)).text()
      for (const word of new Set(text.toLowerCase().match(/\p{L}+/gu))) await addNote(store, word, data.key)
    }
    await acknowledge()
    process.send?.({ indexed: events.length })
  }
}

/** Events can come twice, so a note is added once. Others may change the same word, so it is a transaction. */
const addNote = (store, word, note) =>
  store.transaction(async ({ objects }) => {
    const notes = await objects.get('words', word).then(
      async (found) => JSON.parse(await found.text()),
      () => [],
    )
    if (!notes.includes(note)) await objects.put('words', word, JSON.stringify([...notes, note]))
  })

async function main(dir, notes) {
  const store = await openStore(dir)
  for (const bucket of ['notes', 'words'])
    if ((await store.buckets.head(bucket).catch(() => undefined)) === undefined) await store.buckets.create(bucket)
  const indexer = fork(import.meta.filename, ['--index', dir])
  for (const [number, note] of notes.entries()) await store.objects.put('notes', `note-${number + 1}`, note)
  for (let indexed = 0; indexed < notes.length; ) indexed += (await once(indexer, 'message'))[0].indexed
  for await (const { key } of store.objects.list('words'))
    console.log(key, await (await store.objects.get('words', key)).text())
  indexer.kill()
  await once(indexer, 'exit')
  await store.close()
}

const [first, ...rest] = process.argv.slice(2)
if (first === '--index') await index(rest[0])
else await main(first, rest)
