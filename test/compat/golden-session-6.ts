/** The session behind the sixth golden file: the retention of removed bytes, and what waits for its end. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function sixthGoldenSession(ports: StorePorts): Promise<Store> {
  const retention = { keepMs: 2_592_000_000, budget: { percent: 10 } }
  const store = await openEngine(ports, { inlineMax: 16, retention }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden')
  await alice.buckets.create('other')
  await alice.retention.set({ keepMs: 60_000 }, { bucket: 'golden' })
  await alice.retention.set({ keepMs: 0 }, { bucket: 'other' })
  await alice.retention.remove({ bucket: 'other' })
  await alice.retention.set({ keepMs: 31_536_000_000, budget: { bytes: 1_000_000_000, percent: 20 } })
  await alice.objects.put('golden', 'kept', 'first')
  await alice.objects.put('golden', 'kept', 'second')
  await alice.objects.copy({ bucket: 'golden', key: 'kept' }, 'other', 'copy')
  await alice.objects.delete('golden', 'kept')
  await alice.objects.delete('other', 'copy')
  const upload = await alice.uploads.create('golden', 'parts')
  await alice.uploads.uploadPart(upload, 1, 'a part that is longer than what is inline')
  return store
}
