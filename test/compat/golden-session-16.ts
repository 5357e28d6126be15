/** The session behind the sixteenth golden file: bytes that were healed. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function sixteenthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 1_000_000 }, { storeId: 'golden' })
  const by = { id: 'a1', name: 'Alice' }
  const { buckets, objects } = store.as({ by })
  await buckets.create('golden')
  const { seq } = await objects.put('golden', 'one', 'four')
  const blob = '00112233445566778899aabbccddeeff'
  const healed = { blob, fault: 'damaged', from: 's3://backups/shop' } as const
  const meta = { by: { id: 'varve', name: 'healing' }, requestId: 'healing' }
  await store.owner.submit({ type: 'HealBytes', data: { what: 'inline', brought: seq, ...healed }, meta })
  await store.owner.submit({ type: 'HealBytes', data: { what: 'blob', ...healed, fault: 'missing' }, meta })
  await store.owner.submit({ type: 'HealBytes', data: { what: 'key', ...healed }, meta })
  return store
}
