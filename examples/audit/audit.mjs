// Who deleted a folder? Shows each time that it happened, and puts back what the last one deleted if you add "undo":
//     node audit.mjs DIRECTORY BUCKET PREFIX [undo]
import { openStore } from 'varve'

const types = ['DeleteMarkerAdded', 'VersionRemoved']
const pauseMs = 60_000

/** The deletions beneath a prefix: those of one user that follow each other within a minute are one. */
export async function deletions(store, bucket, prefix) {
  const found = []
  for await (const { seq, at, by, data } of store.log({ bucket, prefix, types })) {
    const last = found.at(-1)
    if (last?.by.id === by.id && at - last.until < pauseMs) Object.assign(last, { to: seq, until: at })
    else found.push({ by, from: seq - 1, to: seq, since: at, until: at, keys: [] })
    found.at(-1).keys.push(data.key)
  }
  return found
}

/** Brings back the same versions, and keeps what others have changed since. */
export const putBack = (store, bucket, prefix, { by, from, to }) =>
  store.undo({ by: by.id, bucket, prefix, types, from, to, onConflict: 'skip', inParts: true })

async function main(dir, bucket, prefix, action) {
  const store = await openStore(dir)
  const found = await deletions(store, bucket, prefix)
  for (const { by, since, keys } of found)
    console.log(`${new Date(since).toISOString()}  ${by.name} deleted ${keys.length}: ${keys.slice(0, 3).join(', ')}`)
  if (action === 'undo' && found.length > 0) {
    const { entries } = await putBack(store, bucket, prefix, found.at(-1))
    console.log(`${entries.length} are back`)
  }
  await store.close()
}

if (import.meta.filename === process.argv[1]) await main(...process.argv.slice(2))
