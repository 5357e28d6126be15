/** The session behind the eleventh golden file: restores and undos of several commits, one of them stopped. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

const parted = { inParts: true, partSize: 1 } as const

export async function eleventhGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 0 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden', { versioning: 'Enabled' })
  for (const key of ['one', 'three', 'two']) await alice.objects.put('golden', key, `the ${key} bytes of then`)
  const to = store.seq
  for (const key of ['one', 'three', 'two']) await alice.objects.put('golden', key, `${key} of now`)
  const { id } = await alice.restore({ bucket: 'golden', to, ...parted })
  await alice.undo({ requestId: id ?? '', ...parted })
  const aborter = new AbortController()
  const stopped = { ...parted, signal: aborter.signal, onProgress: () => aborter.abort() }
  await alice.restore({ bucket: 'golden', to, ...stopped }).catch(() => undefined)
  return store
}
