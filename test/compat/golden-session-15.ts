/** The session behind the fifteenth golden file: epochs, and what is added in them. Never change it. */
import { beginEpoch, openEngine, type Store, type StorePorts, tipAt } from '@varve/core'

export async function fifteenthGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16, retentionMs: 1_000_000 }, { storeId: 'golden' })
  const by = { id: 'a1', name: 'Alice' }
  const { buckets, objects, uploads, versions } = store.as({ by })
  const end = () => tipAt(ports, store.seq)
  await buckets.create('golden', { versioning: 'Enabled' })
  const before = await objects.put('golden', 'one', 'four')
  await beginEpoch(store.owner, ports.ids, { from: await end(), reason: 'restored', source: 'offsite', by })
  const after = await objects.put('golden', 'one', 'fifth')
  await versions.delete('golden', 'one', before.versionId)
  await objects.annotate(
    'golden',
    'one',
    { kind: 'tags', value: [{ key: 'a', value: 'b' }] },
    { versionId: after.versionId },
  )
  const upload = await uploads.create('golden', 'assembled')
  const { etag } = await uploads.uploadPart(upload, 1, 'part')
  await uploads.complete(upload, [{ partNumber: 1, etag }])
  await uploads.abort(await uploads.create('golden', 'given up'))
  await uploads.create('golden', 'open')
  await beginEpoch(store.owner, ports.ids, { from: await end(), reason: 'promoted', by })
  await objects.delete('golden', 'one')
  await versions.delete('golden', 'one', after.versionId)
  await buckets.create('plain')
  await objects.put('plain', 'null', 'version')
  return store
}
