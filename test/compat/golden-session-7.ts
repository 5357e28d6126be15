/** The session behind the seventh golden file: snapshots, and what they keep. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

const alice = { id: 'a1', name: 'Alice' }

export async function seventhGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 8, retention: { keepMs: 0 }, actor: alice })
  const { buckets, objects, snapshots } = store
  await buckets.create('golden')
  await buckets.create('other')
  await objects.put('golden', 'kept', 'the bytes that a snapshot keeps')
  await objects.put('golden', 'shared', 'bytes of two buckets')
  await objects.copy({ bucket: 'golden', key: 'shared' }, 'other', 'shared')
  await snapshots.create('first')
  await snapshots.create('golden-alone', { bucket: 'golden' })
  await store.retention.set({ keepMs: 1_000_000 })
  await objects.put('golden', 'late', 'removed before its snapshot')
  await objects.put('golden', 'late', 'small')
  await snapshots.create('past', { at: store.seq - 1 })
  await snapshots.delete('past')
  await snapshots.create('past', { at: store.seq - 3, bucket: 'golden' })
  for (const key of ['kept', 'shared']) await objects.delete('golden', key)
  await objects.delete('other', 'shared')
  await store.retention.set({ keepMs: 0 })
  await store.sweep()
  await snapshots.delete('first')
  await store.sweep()
  await objects.put('golden', 'gone', 'it was never in a snapshot')
  await objects.delete('golden', 'gone')
  await store.sweep()
  return store
}
