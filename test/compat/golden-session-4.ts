/** The session behind the fourth golden file: a bucket that is deleted while uploads are in progress. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function fourthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden')
  const first = await alice.uploads.create('golden', 'one')
  await alice.uploads.create('golden', 'two')
  await alice.uploads.uploadPart(first, 1, 'inline')
  await alice.buckets.delete('golden')
  await store.sweep()
  await alice.buckets.create('golden')
  await alice.uploads.create('golden', 'one')
  return store
}
