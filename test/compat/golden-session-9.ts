/** The session behind the ninth golden file: an undo of every kind of change, and its undo. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function ninthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 86_400_000 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden', { settings: { Tags: [{ key: 'old', value: '1' }] } })
  await alice.objects.put('golden', 'deleted', 'more than sixteen bytes of the past', {
    tags: [{ key: 't', value: '1' }],
  })
  await alice.objects.annotate('golden', 'deleted', { kind: 'tags', value: [{ key: 't', value: '2' }] })
  await alice.objects.put('golden', 'replaced', 'small')
  await alice.buckets.create('emptied')
  const bob = store.as({ by: { id: 'b2', name: 'Bob' } })
  await bob.objects.delete('golden', 'deleted')
  await bob.objects.put('golden', 'replaced', 'now')
  await bob.buckets.settings.put('golden', 'Tags', [{ key: 'new', value: '2' }])
  await bob.buckets.settings.put('golden', 'RequestPayment', 'Requester')
  await bob.buckets.delete('emptied')
  const { id = '' } = await alice.undo({ by: 'b2' })
  await alice.undo({ requestId: id })
  await alice.buckets.setVersioning('golden', 'Enabled')
  await bob.objects.delete('golden', 'replaced')
  await bob.buckets.setVersioning('golden', 'Suspended')
  await bob.objects.put('golden', 'replaced', 'null again')
  await alice.undo({ by: 'b2', from: store.seq - 3 })
  return store
}
