/** What a store that is only read must answer, what it must refuse, and what a directory looks like that was not touched. */
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LayoutName } from '@varve/adapters'
import { openStore, type Store } from '../index.ts'

const bodies = { small: 'small', middling: 'm'.repeat(300_000), large: 'l'.repeat(9_000_000), sealed: 'secret' }

/** Something of every kind: inline bytes, blobs of every size, versions, markers, an upload, encrypted bytes. */
export async function livedIn(dir: string, layout: LayoutName): Promise<Store> {
  const store = await openStore(dir, { layout, keyring: 'own', sweepEveryMs: 0, lifecycle: false })
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.objects.put('box', 'large', bodies.large)
  await store.objects.put('box', 'middling', bodies.middling)
  await store.objects.put('box', 'small', 'older')
  await store.objects.put('box', 'small', bodies.small)
  await store.objects.put('box', 'sealed', bodies.sealed, { encryption: { mode: 'AES256' } })
  await store.objects.put('box', 'gone', 'gone')
  await store.objects.delete('box', 'gone')
  await store.buckets.settings.put('box', 'Tags', [{ key: 'a', value: 'b' }])
  const upload = await store.uploads.create('box', 'unfinished')
  await store.uploads.uploadPart(upload, 1, bodies.middling)
  return store
}

/** Every read there is, with what it answers. */
export async function everyRead(store: Store): Promise<Readonly<Record<string, unknown>>> {
  const collect = async (items: AsyncIterable<unknown>) => {
    const all: unknown[] = []
    for await (const item of items) all.push(item)
    return all
  }
  const texts: Record<string, boolean> = {}
  for (const [key, body] of Object.entries(bodies)) {
    texts[key] = (await (await store.objects.get('box', key)).text()) === body
  }
  const [first] = (await collect(store.history('box', 'small'))) as { seq: number }[]
  const past = await store.at(first?.seq ?? 0)
  const [upload] = (await store.uploads.listPage('box')).entries
  const ref = { bucket: 'box', key: 'unfinished', uploadId: upload && 'uploadId' in upload ? upload.uploadId : '' }
  const reports = { verify: await store.verify(), scrub: await store.scrub() }
  return {
    texts,
    heads: await store.objects.head('box', 'small'),
    older: await (await past.objects.get('box', 'small')).text(),
    buckets: await collect(store.buckets.list()),
    settings: await store.buckets.settings.all('box'),
    objects: await collect(store.objects.list('box')),
    versions: await collect(store.versions.list('box')),
    uploads: await collect(store.uploads.list('box')),
    upload: await store.uploads.head(ref),
    parts: await collect(store.uploads.listParts(ref)),
    keys: await store.keys.list(),
    log: await collect(store.log()),
    history: await collect(store.history('box', 'small')),
    notifications: await collect(store.notifications()),
    sound: reports.verify.ok && reports.scrub.ok,
    seq: store.seq,
    state: store.state,
    storeId: store.storeId,
  }
}

/** Every call that changes something. */
export function everyWrite(store: Store, uploadId: string): Readonly<Record<string, () => Promise<unknown>>> {
  const upload = { bucket: 'box', key: 'unfinished', uploadId }
  const from = { bucket: 'box', key: 'small' }
  const { buckets, objects, versions, uploads } = store
  return {
    createBucket: () => buckets.create('other'),
    deleteBucket: () => buckets.delete('box'),
    setVersioning: () => buckets.setVersioning('box', 'Suspended'),
    putSetting: () => buckets.settings.put('box', 'Tags', []),
    removeSetting: () => buckets.settings.remove('box', 'Tags'),
    putNothing: () => objects.put('box', 'new', ''),
    putInline: () => objects.put('box', 'new', 'bytes'),
    putBlob: () => objects.put('box', 'new', bodies.middling),
    putEncrypted: () => objects.put('box', 'new', 'bytes', { encryption: { mode: 'AES256' } }),
    copy: () => objects.copy(from, 'box', 'copy'),
    delete: () => objects.delete('box', 'small'),
    annotate: () => objects.annotate('box', 'small', { kind: 'tags', value: [] }),
    deleteVersion: async () => versions.delete('box', 'small', (await objects.head('box', 'small')).versionId),
    createUpload: () => uploads.create('box', 'another'),
    uploadPart: () => uploads.uploadPart(upload, 2, 'part'),
    copyPart: () => uploads.copyPart(upload, 2, from),
    complete: async () => {
      const { entries } = await uploads.listPartsPage(upload)
      return uploads.complete(upload, entries)
    },
    abort: () => uploads.abort(upload),
    rotate: () => store.keys.rotate(),
    sweep: () => store.sweep({ orphans: true }),
    applyLifecycle: () => store.applyLifecycle(),
    rebuild: () => store.rebuild(),
    acceptTime: () => store.clock.accept(),
  }
}

/** All metadata of a tree except the access times. An additional link would show in `nlink` and `ctimeNs`. */
export async function treeOf(dir: string): Promise<readonly string[]> {
  const names = ['.', ...(await readdir(dir, { recursive: true })).sort()]
  return Promise.all(
    names.map(async (name) => {
      const path = join(dir, name)
      const info = await lstat(path, { bigint: true })
      const bytes = info.isFile()
        ? createHash('sha256')
            .update(await readFile(path))
            .digest('hex')
        : ''
      const { ino, nlink, mode, size, mtimeNs, ctimeNs } = info
      return [name, ino, nlink, mode, size, mtimeNs, ctimeNs, bytes].join(' ')
    }),
  )
}
