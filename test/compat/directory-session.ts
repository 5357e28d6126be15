/**
 * The session behind the golden directories: every kind of setting, version, upload and content, in three openings.
 * Its clock, its ids and its chance are fixed, so every layout gets the same log. Never change it: add another.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LayoutName, nodeCiphers, nodeHashing, openStoreDirectory } from '@varve/adapters'
import { type Ciphers, openEngine, openForMaintenance, type Store, type StorePorts } from '@varve/core'
import { createKeyring } from 'varve'
import { fixedWorld } from './golden-session.ts'
import { goldenSettings } from './golden-session-2.ts'

const fixedKey = (name: string) =>
  nodeCiphers.derive(new TextEncoder().encode(name), new Uint8Array(), 'golden directory', 32)

/** The key of all objects that a client's key encrypts. */
export const customerKey = fixedKey('customer')
const base64Of = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const keyMaterial = { master: [base64Of(fixedKey('master'))], keys: { payroll: [base64Of(fixedKey('payroll'))] } }
const secret = fixedKey('secret')

const inlineMax = 1024
const keepsRemoved = 1e14
const inline = (name: string) => `${name} `.repeat(20)
const large = (name: string) => `${name} `.repeat(400)
const tags = [{ key: 'colour', value: 'grün' }]
const retention = { mode: 'GOVERNANCE', until: 4_000_000_000_000 } as const
const customer = { mode: 'SSE-C', key: customerKey } as const
const own = { mode: 'AES256' } as const
const endOfUpload = { partSizeMin: 1 }

interface Place {
  readonly path: string
  readonly layout: LayoutName
  readonly world: Pick<StorePorts, 'clock' | 'ids' | 'ciphers'>
}

function fixedCiphers(): Ciphers {
  let draws = 0
  const key = fixedKey('chance')
  return { ...nodeCiphers, random: (length) => nodeCiphers.derive(key, new Uint8Array(), `draw ${++draws}`, length) }
}

interface Life {
  readonly by: 'owner' | 'maintenance'
  readonly retentionMs?: number
  use(store: Store, alice: Store): Promise<unknown>
}

/** Leaves the store open, with an end of the log that no table or checkpoint contains yet. */
export async function liveInDirectory(path: string, layout: LayoutName): Promise<() => Promise<void>> {
  const place = { path, layout, world: { ...fixedWorld(), ciphers: fixedCiphers() } }
  await (await opened(place, { by: 'owner', retentionMs: 0, use: firstLife }))()
  await (await opened(place, { by: 'owner', use: secondLife }))()
  return opened(place, { by: 'maintenance', use: lastLife })
}

/** Opens the store, uses it, and returns what closes it. */
async function opened({ path, layout, world }: Place, life: Life): Promise<() => Promise<void>> {
  const { by, retentionMs = keepsRemoved, use } = life
  const directory = await openStoreDirectory(path, { layout, ids: { next: () => '5'.repeat(32) } })
  const { journal, blobs, witness, time, reserve, sealed, replayedFrom } = directory
  const ports = { journal, blobs, witness, time, reserve, ...world, hashing: await nodeHashing() }
  const keys = { secret: { read: async () => secret }, keyring: createKeyring(keyMaterial) }
  const options = { inlineMax, sealed, replayedFrom }
  const store =
    by === 'owner'
      ? await openEngine({ ...ports, ...keys }, { ...options, retentionMs })
      : await openForMaintenance({ ...ports, ...keys }, options)
  if (directory.created) await writeKeys(path)
  await directory.markReady()
  directory.markSound()
  await use(store, store.as({ by: { id: 'a1', name: 'Alice' } }))
  return async () => {
    await store.close()
    await directory.close()
  }
}

async function writeKeys(path: string): Promise<void> {
  const files = { 'keyring.json': keyMaterial, 'secret.json': { secret: base64Of(secret) } }
  for (const [name, value] of Object.entries(files))
    await writeFile(join(path, name), JSON.stringify(value), { mode: 0o600 })
}

/** Bytes that no version needs any more are erased, each time at the same place in the log. */
async function firstLife(store: Store, alice: Store): Promise<void> {
  await alice.buckets.create('plain')
  for (const body of [inline('first'), large('second'), inline('third'), '']) {
    await alice.objects.put('plain', 'overwritten', body)
    await store.sweep()
  }
  await alice.objects.put('plain', 'k\u0000/ü\u{10FFFF}', large('odd'), { checksum: { algorithm: 'SHA256' } })
  await alice.objects.put('plain', 'sealed and erased', large('gone'), { encryption: own })
  await alice.objects.put('plain', 'sealed and erased', inline('also gone'), { encryption: own })
  await store.sweep()
  await alice.objects.delete('plain', 'sealed and erased')
  await store.sweep()
  await alice.buckets.create('settled', { versioning: 'Enabled', settings: goldenSettings })
  await alice.buckets.settings.remove('settled', 'Policy')
  await alice.buckets.settings.put('settled', 'Tags', [...tags, { key: 'second', value: '' }])
  const creation = { tags, acl: goldenSettings.Acl, retention, legalHold: 'ON', storageClass: 'STANDARD_IA' } as const
  await alice.objects.put('settled', 'annotated at creation', inline('annotated'), creation)
  await alice.objects.put('settled', 'annotated later', large('later'), { metadata: { Colour: 'grün' } })
  const annotate = (annotation: Parameters<Store['objects']['annotate']>[2]) =>
    alice.objects.annotate('settled', 'annotated later', annotation)
  await annotate({ kind: 'tags', value: tags })
  await annotate({ kind: 'acl', value: goldenSettings.Acl })
  await annotate({ kind: 'retention', value: retention })
  await annotate({ kind: 'legalHold', value: 'ON' })
  await annotate({ kind: 'legalHold', value: 'OFF' })
  await annotate({ kind: 'tags' })
  await multipart(store, alice)
}

async function multipart(store: Store, alice: Store): Promise<void> {
  const upload = await alice.uploads.create('plain', 'assembled', { checksumAlgorithm: 'CRC32', tags })
  const one = await alice.uploads.uploadPart(upload, 1, large('part one'))
  await alice.uploads.uploadPart(upload, 2, inline('replaced'))
  const two = await alice.uploads.uploadPart(upload, 2, inline('part two'))
  await store.sweep()
  const seven = await alice.uploads.uploadPart(upload, 7, large('part seven'))
  await alice.uploads.uploadPart(upload, 9, inline('unused'))
  await alice.uploads.complete(upload, [one, two, seven], endOfUpload)
  await store.sweep()
  await alice.objects.copy({ bucket: 'plain', key: 'assembled' }, 'settled', 'copy of assembled')
  await alice.uploads.abort(await alice.uploads.create('plain', 'aborted'))
  await store.sweep()
}

/** Bytes of removed versions stay readable as of the past. */
async function secondLife(_store: Store, alice: Store): Promise<void> {
  await alice.buckets.create('kept')
  await alice.objects.put('kept', 'doc', inline('before versioning'))
  await alice.buckets.setVersioning('kept', 'Enabled')
  const second = await alice.objects.put('kept', 'doc', large('second'))
  await alice.objects.put('kept', 'doc', inline('third'), { contentType: 'text/plain' })
  await alice.objects.copy({ bucket: 'kept', key: 'doc' }, 'kept', 'copy')
  await alice.objects.delete('kept', 'doc')
  await alice.buckets.setVersioning('kept', 'Suspended')
  await alice.objects.put('kept', 'doc', large('null version'))
  await alice.objects.delete('kept', 'copy')
  await alice.versions.delete('kept', 'doc', second.versionId)
  const open = await alice.uploads.create('kept', 'open', { metadata: { Of: 'an upload' }, encryption: own })
  await alice.uploads.uploadPart(open, 1, inline('first of the open'))
  await alice.uploads.uploadPart(open, 1, large('again'))
  await alice.uploads.uploadPart(open, 3, inline('third of the open'))
  await encrypted(alice)
}

async function encrypted(alice: Store): Promise<void> {
  await alice.buckets.create('sealed', { versioning: 'Enabled' })
  await alice.objects.put('sealed', 'own inline', inline('own'), { encryption: own })
  await alice.objects.put('sealed', 'own large', large('own'), { encryption: own })
  await alice.keys.rotate()
  await alice.objects.put('sealed', 'named', inline('named'), { encryption: { mode: 'aws:kms', keyName: 'payroll' } })
  await alice.objects.put('sealed', 'default', inline('default'), { encryption: { mode: 'aws:kms' } })
  const twice = { mode: 'aws:kms:dsse', keyName: 'payroll', bucketKey: true } as const
  await alice.objects.put('sealed', 'twice', large('twice'), { encryption: twice })
  await alice.objects.put('sealed', 'own inline', inline('rotated'), { encryption: own })
  await alice.objects.put('sealed', 'customer inline', inline('customer'), { encryption: customer })
  await alice.objects.put('sealed', 'customer large', large('customer'), { encryption: customer })
  await alice.objects.copy({ bucket: 'sealed', key: 'own large' }, 'sealed', 'copy', { encryption: own })
  const upload = await alice.uploads.create('sealed', 'customer parts', { encryption: customer })
  const part = await alice.uploads.uploadPart(upload, 1, large('part'), { customerKey })
  await alice.uploads.complete(upload, [part])
  const removed = await alice.objects.put('sealed', 'removed', large('removed'), { encryption: own })
  await alice.versions.delete('sealed', 'removed', removed.versionId)
}

/** Nothing is erased or aborted in the background, so the uploads of the deleted bucket stay. */
async function lastLife(_store: Store, alice: Store): Promise<void> {
  await alice.buckets.create('leaving')
  for (const key of ['one', 'two']) {
    const upload = await alice.uploads.create('leaving', key, { encryption: own })
    await alice.uploads.uploadPart(upload, 1, inline('left'))
  }
  await alice.buckets.delete('leaving')
  await alice.objects.put('plain', 'last inline', inline('last'))
  await alice.objects.put('plain', 'last large', large('last'))
  await alice.objects.put('sealed', 'last sealed', large('last'), { encryption: own })
  await alice.objects.delete('kept', 'doc')
}
