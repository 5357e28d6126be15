// Bytes per user per day, projected from the log. Kill it at any moment and start it again: no write is counted twice or left out.
import { defineProjection, isStorageError, openStore } from 'varve'

const add = (day, { data }) => {
  day.bytes += data.size
  day.objects += 1
}

export const usage = defineProjection({
  name: 'usage',
  version: 1,
  init: () => ({ bytes: 0, objects: 0 }),
  key: ({ by, at }) => `${by.id}/${new Date(at).toISOString().slice(0, 10)}`,
  on: { VersionAdded: add, UploadCompleted: add },
})

async function main(dir = './data', count = '20') {
  const store = await openStore(dir)
  const days = await store.projections.open(usage)
  await store.buckets.create('files').catch((error) => {
    if (!isStorageError(error, 'BucketAlreadyOwnedByYou')) throw error // the second time, the bucket exists
  })
  const users = ['ann', 'bob'].map((id) => store.as({ by: { id, name: id } }))
  for (let i = 0; i < Number(count); i++) {
    const { seq } = await users[i % 2].objects.put('files', `file-${i % 50}`, 'x'.repeat(i % 1000))
    console.log(`wrote ${seq}`)
  }
  await days.caughtUp()
  for await (const { key, state } of days.range()) console.log(`${key}: ${state.bytes} bytes, ${state.objects} objects`)
  await store.close()
}

if (import.meta.filename === process.argv[1]) await main(...process.argv.slice(2))
