/** The session behind the thirteenth golden file: the quota of a bucket. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function thirteenthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 0 }, { storeId: 'golden' })
  const { buckets } = store.as({ by: { id: 'a1', name: 'Alice' } })
  await buckets.create('golden', { settings: { Quota: { bytes: 1_000_000 } } })
  await buckets.settings.put('golden', 'Quota', { bytes: 2_000_000, objectBytes: 300 })
  await buckets.settings.remove('golden', 'Quota')
  return store
}
