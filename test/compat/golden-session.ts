/**
 * The first of the sessions behind the golden files: together they have every event, with nothing left to chance. Never
 * change one: add another.
 */
import { openEngine, type Store, type StorePorts } from '@varve/core'

const part = 'p'.repeat(5 * 1024 * 1024)

/** A clock that stands still, however often it is read, and ids that count: the same answers in every run. */
export function fixedWorld(): Pick<StorePorts, 'clock' | 'ids'> {
  let id = 0
  return {
    clock: { now: () => 1_767_225_600_000, monotonic: () => 0 },
    ids: { next: () => (++id).toString(16).padStart(32, '0') },
  }
}

export async function goldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden')
  await alice.objects.put('golden', 'plain', 'inline', { contentType: 'text/plain', metadata: { Colour: 'grün' } })
  await alice.objects.put('golden', 'plain', 'longer than sixteen bytes', { checksum: { algorithm: 'SHA256' } })
  await settle(store)
  await alice.buckets.setVersioning('golden', 'Enabled')
  await alice.objects.put('golden', 'k\u0000/ü\u{10FFFF}', '')
  await alice.objects.copy({ bucket: 'golden', key: 'plain' }, 'golden', 'copy')
  await alice.objects.delete('golden', 'copy')
  const upload = await alice.uploads.create('golden', 'assembled', { checksumAlgorithm: 'CRC32' })
  const one = await alice.uploads.uploadPart(upload, 1, part)
  const two = await alice.uploads.uploadPart(upload, 2, 'the end')
  await alice.uploads.uploadPart(upload, 4, 'not used')
  const { versionId } = await alice.uploads.complete(upload, [one, two])
  await settle(store)
  await alice.uploads.abort(await alice.uploads.create('golden', 'never'))
  await settle(store)
  await alice.buckets.setVersioning('golden', 'Suspended')
  await alice.objects.put('golden', 'assembled', 'null version')
  await alice.objects.delete('golden', 'assembled')
  await settle(store)
  await alice.versions.delete('golden', 'assembled', versionId)
  await settle(store)
  await alice.buckets.create('short-lived')
  await alice.buckets.delete('short-lived')
  return store
}

/** Lets the sweep finish, so that what it notes has its place in the log. */
const settle = (store: Store) => store.sweep()
