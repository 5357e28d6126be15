/** A process that writes until it is killed: `node writer.js DIRECTORY FIRST_NUMBER`. Speaks in JSON lines. */
import { writeSync } from 'node:fs'
import { openStore, type VarveStore } from 'varve'
import { type Action, bodyOf, buckets, keyOf, type Said, workers } from './load.ts'

const [directory = '', first = '0'] = process.argv.slice(2)
const store = await openStore(directory)
if ((await store.buckets.list()[Symbol.asyncIterator]().next()).done === true) {
  await store.buckets.create(buckets.plain)
  await store.buckets.create(buckets.versioned)
  await store.buckets.setVersioning(buckets.versioned, 'Enabled')
}

let next = Number(first)
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))

async function work(worker: number): Promise<never> {
  for (;;) {
    const number = next++
    const action = (['put', 'version', 'delete', 'put', 'upload', 'version'] as const)[number % 6] as Action
    const key = keyOf(worker, Math.floor(number / 7))
    say({ what: 'will', action, key, number })
    const versionId = await act(store, action, key, number)
    say({ what: 'did', action, key, number, ...(versionId !== undefined && { versionId }) })
  }
}

async function act(
  { objects, uploads }: VarveStore,
  action: Action,
  key: string,
  number: number,
): Promise<string | undefined> {
  switch (action) {
    case 'put':
      await objects.put(buckets.plain, key, bodyOf(number))
      return undefined
    case 'delete':
      await objects.delete(buckets.plain, key)
      return undefined
    case 'version':
      return (await objects.put(buckets.versioned, key, bodyOf(number))).versionId
    case 'upload': {
      const upload = await uploads.create(buckets.plain, key)
      const part = await uploads.uploadPart(upload, 1, bodyOf(number))
      await uploads.complete(upload, [part])
      return undefined
    }
  }
}

/** Synchronous, so that nothing said is lost with the process. */
function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`)
}
