/**
 * A store with something of everything: inline bytes and blobs, plain and encrypted, versions, markers, the past, uploads
 * in every state, copies, and LevelDB files of every kind, from several openings. Also as it was some openings ago, for what is put back,
 * and as a kill would leave it.
 */
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore, type Store } from 'varve'
import { keyring } from './keyring.ts'

export interface Material {
  /** Closed by its owner. */
  readonly closed: string
  /** The same store, some openings earlier. */
  readonly earlier: string
  /** As its files lie while it is open. */
  readonly killed: string
}

const keptForEver = { retentionMs: Number.MAX_SAFE_INTEGER, sweepOrphans: false, sweepEveryMs: 0 } as const

const encryption = { mode: 'AES256' } as const

const small = (text: string): string => `${text} `.repeat(20)
const large = (text: string): string => `${text} `.repeat(8000)

export async function makeMaterial(directory: string): Promise<Material> {
  const [closed, earlier, killed] = ['closed', 'earlier', 'killed'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  for (const session of [buckets, versions]) await using(closed, session)
  await copyStore(closed, earlier)
  await using(closed, uploads)
  await using(closed, overwrites, () => copyStore(closed, killed))
  return { closed, earlier, killed }
}

/** Everything but `LOCK`, whose reading would drop the lock, and files that an open store is about to rename. */
async function copyStore(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from)) {
    if (name === 'scratch' || name === 'control' || name.endsWith('.tmp')) continue
    await cp(join(from, name), join(to, name), { recursive: true, filter: (path) => !path.endsWith('/LOCK') })
  }
}

async function using(dir: string, work: (store: Store) => Promise<void>, before?: () => Promise<void>) {
  const store = await openStore(dir, { ...keptForEver, keyring })
  try {
    await work(store)
    await before?.()
  } finally {
    await store.close()
  }
}

async function buckets({ buckets: all, objects }: Store): Promise<void> {
  await all.create('plain')
  await all.create('kept')
  await all.create('empty')
  await all.setVersioning('kept', 'Enabled')
  await objects.put('plain', 'a', small('first a'))
  await objects.put('plain', 'b', large('first b'))
  await objects.put('plain', 'dir/c', small('c'), { contentType: 'text/plain', metadata: { who: 'me' } })
  await objects.put('plain', 'dir/d', '')
  await objects.put('plain', 'runs', 'x'.repeat(1_100_000))
  await objects.put('plain', 'sealed small', small('sealed'), { encryption })
  await objects.put('plain', 'sealed large', large('sealed'), { encryption })
}

async function versions({ objects, versions: all, buckets: settings }: Store): Promise<void> {
  const ids: string[] = []
  for (const round of [1, 2, 3]) {
    for (const key of ['k', 'l']) {
      ids.push(
        (await objects.put('kept', key, round === 2 ? large(`${key} ${round}`) : small(`${key} ${round}`))).versionId,
      )
    }
  }
  await objects.delete('kept', 'l')
  await all.delete('kept', 'k', ids[2] as string)
  await objects.copy({ bucket: 'plain', key: 'b' }, 'kept', 'copied')
  await objects.put('kept', 'k', small('sealed k'), { encryption })
  await settings.setVersioning('kept', 'Suspended')
  await objects.put('kept', 'k', small('null k'))
}

async function uploads({ uploads: all, objects }: Store): Promise<void> {
  const done = await all.create('plain', 'assembled')
  const part = await all.uploadPart(done, 3, large('part'))
  await all.uploadPart(done, 4, small('unused'))
  await all.complete(done, [{ partNumber: 3, etag: part.etag }])
  const open = await all.create('kept', 'unfinished')
  await all.uploadPart(open, 1, large('open one'))
  await all.uploadPart(open, 2, small('open two'))
  const given = await all.create('kept', 'given up')
  await all.uploadPart(given, 1, large('given up'))
  await all.abort(given)
  await objects.put('plain', 'e', large('e'))
  const sealed = await all.create('plain', 'sealed parts', { encryption })
  const parts = [await all.uploadPart(sealed, 1, small('sealed part'))]
  await all.uploadPart(sealed, 2, small('unused sealed part'))
  await all.complete(sealed, parts)
}

async function overwrites({ objects, buckets: all }: Store): Promise<void> {
  await objects.put('plain', 'a', small('second a'))
  await objects.put('plain', 'b', large('second b'))
  await objects.put('plain', 'sealed small', small('second sealed'), { encryption })
  await objects.delete('plain', 'dir/d')
  await all.delete('empty')
  await all.create('later')
  for (let i = 0; i < 12; i++) await objects.put('later', `n/${i}`, small(`n ${i}`))
}
