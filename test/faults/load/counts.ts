/** A keyspace that follows the log during the load: how many versions each key was given. */
import type { Keyspace, Reducer, Store } from '@varve/core'

const name = 'counts'

const countVersions: Reducer = async (event, rows) => {
  if (event.type !== 'VersionAdded') return
  const key = Buffer.from(`${event.data.bucket}/${event.data.key}`)
  const count = await rows.get(key)
  rows.put(key, Buffer.from(String(Number(count === undefined ? 0 : Buffer.from(count)) + 1)))
}

const openCounts = (store: Store): Promise<Keyspace> =>
  store.keyspaces.open(name, { version: 1, reducer: countVersions })

/** Follows the log, commit by commit, until something stops it. */
export async function keepCounts(store: Store): Promise<void> {
  const counts = await openCounts(store)
  for await (const { seq } of store.log({ from: counts.cursor + 1, follow: true })) {
    if (seq > counts.cursor) await counts.follow()
  }
}

/** What is wrong with the counts as the end left them, and after they were continued. */
export async function auditCounts(store: Store): Promise<string[]> {
  if (!(await store.keyspaces.list()).some((info) => info.name === name)) return []
  const counts = await openCounts(store)
  const wrong: string[] = []
  for (const when of ['at the end', 'continued']) {
    if (when === 'continued') await counts.follow()
    const { divergences } = await store.verify({ blobs: 'skip' })
    wrong.push(...divergences.map(({ kind, message, key }) => `counts, ${when}: ${kind} ${key}: ${message}`))
  }
  return counts.cursor === store.seq ? wrong : [...wrong, `counts stop at ${counts.cursor} of ${store.seq}`]
}
