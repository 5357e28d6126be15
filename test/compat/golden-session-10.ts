/** The session behind the tenth golden file: forks of a bucket and of a fork, changed and dropped. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function tenthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 0 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden', {
    versioning: 'Enabled',
    settings: { Tags: [{ key: 'old', value: '1' }], Logging: { targetBucket: 'golden', targetPrefix: 'log/' } },
  })
  const { versionId } = await alice.objects.put('golden', 'kept', 'more than sixteen bytes of the base')
  await alice.objects.put('golden', 'kept', 'newer')
  await alice.objects.put('golden', 'removed', 'more than sixteen bytes of another key')
  const bob = store.as({ by: { id: 'b2', name: 'Bob' } })
  await bob.buckets.fork('golden', 'try')
  await bob.objects.put('try', 'kept', 'more than sixteen bytes of the fork')
  await bob.versions.delete('try', 'kept', versionId)
  await bob.objects.annotate('try', 'removed', { kind: 'tags', value: [{ key: 't', value: '1' }] })
  await bob.buckets.fork('try', 'try-again')
  await bob.objects.delete('try-again', 'kept')
  await bob.buckets.fork('golden', 'before', { at: store.seq - 4 })
  await bob.uploads.create('try', 'open')
  await bob.buckets.drop('try')
  await store.sweep()
  await bob.buckets.drop('try-again')
  await store.sweep()
  await alice.versions.delete('golden', 'kept', versionId)
  await store.sweep()
  return store
}
