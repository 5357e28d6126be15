/** The session behind the fifth golden file: restores, whose events name their cause. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function fifthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 86_400_000 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  const { buckets, objects } = alice
  await buckets.create('golden')
  await objects.put('golden', 'changed', 'more than sixteen bytes of the past')
  await objects.put('golden', 'tagged', 'small', { tags: [{ key: 'old', value: '1' }] })
  const then = store.seq
  await objects.put('golden', 'changed', 'now')
  await objects.annotate('golden', 'tagged', { kind: 'tags', value: [] })
  await objects.put('golden', 'new', 'new')
  await alice.restore({ bucket: 'golden', to: then })
  await buckets.setVersioning('golden', 'Enabled')
  const { versionId } = await objects.put('golden', 'changed', 'removed again')
  await objects.delete('golden', 'changed', { versionId })
  await objects.put('golden', 'new', 'versioned')
  await alice.restore({ bucket: 'golden', to: then })
  return store
}
