/** The session behind the eighth golden file: bytes that somebody had erased. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function eighthGoldenSession(ports: StorePorts): Promise<Store> {
  const retention = { keepMs: 2_592_000_000 }
  const store = await openEngine(ports, { inlineMax: 8, retention, actor: { id: 'a1', name: 'Alice' } })
  const { buckets, objects } = store
  await buckets.create('golden', { versioning: 'Enabled' })
  await objects.put('golden', 'secret', 'a secret that was uploaded')
  await objects.put('golden', 'secret', 'small')
  await objects.copy({ bucket: 'golden', key: 'secret' }, 'golden', 'copy')
  await store.erase({ bucket: 'golden', prefix: '', live: true })
  await objects.put('golden', 'kept', 'it stays')
  return store
}
