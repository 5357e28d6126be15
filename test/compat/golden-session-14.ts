/** The session behind the fourteenth golden file: quotas of identities, and limits of versions and uploads. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function fourteenthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 0 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  const { identities } = alice
  const trust = '{"Version":"2012-10-17","Statement":[]}'
  await identities.create('bob', { id: 'b1', trust })
  await identities.create('carl', { id: 'c1', trust })
  await identities.create('gone', { id: 'g1', trust })
  await identities.setQuota('bob', { bytes: 1_000_000, buckets: 3 })
  await identities.setQuota('carl', { buckets: 1 })
  await identities.setQuota('carl', {})
  await identities.setQuota('gone', { bytes: 1 })
  await identities.remove('gone')
  const bob = store.as({ by: { id: 'b1', name: 'Bob' } })
  await bob.buckets.create('golden', { settings: { Quota: { objects: 5, uploads: 2 } } })
  await bob.buckets.fork('golden', 'golden-try')
  await alice.objects.put('golden', 'one', 'four')
  await bob.uploads.create('golden', 'two')
  return store
}
