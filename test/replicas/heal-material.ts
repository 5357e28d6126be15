/** A store with something of everything that can be healed, its replica, and what both have. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { LayoutName } from '@varve/adapters'
import type { Store } from '@varve/core'
import { openStore } from 'varve'
import { keyring } from '../corruption/keyring.ts'

export interface HealMaterial {
  readonly layout: LayoutName
  readonly store: string
  readonly replica: string
  readonly truth: HealTruth
}

/** The digest of the bytes of each version, and the events as JSON. */
export interface HealTruth {
  readonly versions: ReadonlyMap<string, string>
  readonly log: readonly string[]
}

/** Opening with these options erases, sweeps and expires nothing. */
export const quiet = {
  sweepOrphans: false,
  sweepEveryMs: 0,
  lifecycle: false,
  retentionMs: Number.MAX_SAFE_INTEGER,
  controlSocket: false,
  keyring,
} as const

const encryption = { mode: 'AES256' } as const
const text = (name: string, length: number): Buffer => Buffer.alloc(length, `${name} `)

export async function makeHealMaterial(directory: string, layout: LayoutName): Promise<HealMaterial> {
  const [store, replica] = [join(directory, 'store'), join(directory, 'replica')]
  const opened = await openStore(store, { ...quiet, layout, replicas: [{ to: replica, everyMs: 50 }] })
  await fill(opened)
  const truth = await healTruth(opened)
  // Closing writes what the replica lacks.
  await opened.close()
  return { layout, store, replica, truth }
}

async function fill({ buckets, objects, uploads }: Store): Promise<void> {
  await buckets.create('box', { versioning: 'Enabled' })
  for (let n = 0; n < 4; n++) {
    await objects.put('box', `short ${n}`, text(`short ${n}`, 60 + n))
    await objects.put('box', `long ${n}`, text(`long ${n}`, 40_000 + 100_000 * n))
  }
  await objects.put('box', 'runs', text('runs', 1_300_000))
  await objects.put('box', 'short 0', text('second short 0', 90))
  await objects.put('box', 'sealed short', text('sealed short', 80), { encryption })
  await objects.put('box', 'sealed long', text('sealed long', 70_000), { encryption })
  await objects.copy({ bucket: 'box', key: 'short 1' }, 'box', 'copied short')
  await objects.copy({ bucket: 'box', key: 'long 1' }, 'box', 'copied long')
  const upload = await uploads.create('box', 'parts')
  const parts = [
    { partNumber: 1, etag: (await uploads.uploadPart(upload, 1, text('first part', 5 * 1024 * 1024))).etag },
    { partNumber: 2, etag: (await uploads.uploadPart(upload, 2, text('second part', 50))).etag },
  ]
  await uploads.complete(upload, parts)
  await objects.delete('box', 'short 3')
}

async function healTruth(store: Store): Promise<HealTruth> {
  const log: string[] = []
  for await (const event of store.log()) log.push(JSON.stringify(event))
  return { versions: await digests(store), log }
}

/** Of each version, the digest of its bytes, or the code of an error after `!`. */
export async function digests(store: Store): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const listed of store.versions.list('box')) {
    if (listed.kind !== 'version') continue
    const { key, versionId } = listed
    found.set(`${key} ${versionId}`, await digestOf(store, key, versionId))
  }
  return found
}

async function digestOf(store: Store, key: string, versionId: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const bytes of (await store.objects.get('box', key, { versionId })).body) hash.update(bytes)
    return hash.digest('hex')
  } catch (error) {
    return `!${(error as { readonly code?: string }).code ?? String(error)}`
  }
}
