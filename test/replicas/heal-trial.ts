/** One damaged store, healed by reads, by a scrub or by a repair, and compared with what it was. */
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageError, type Store, type VerifyReport } from '@varve/core'
import { openStore, repairStore, verifyStore } from 'varve'
import { randomFrom } from '../support/random.ts'
import { type Damage, damageBlobs, damageEvents, damageFiles, damageRows } from './heal-damage.ts'
import { digests, type HealMaterial, quiet } from './heal-material.ts'

export interface HealVerdict {
  readonly seed: number
  readonly what: string
  /** How many files, rows or events were damaged. */
  readonly damages: number
  readonly healed: number
  /** Empty: everything is as it was. */
  readonly problems: readonly string[]
}

const day = 24 * 3_600_000

/** `directory`: a workspace of this trial. */
export async function healTrial(material: HealMaterial, directory: string, seed: number): Promise<HealVerdict> {
  const random = randomFrom(seed)
  const [dir, replica, bad] = ['store', 'replica', 'bad'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  for (const [from, to] of [
    [material.store, dir],
    [material.replica, replica],
    [material.replica, bad],
  ] as const) {
    await rm(to, { recursive: true, force: true })
    await cp(from, to, { recursive: true })
  }
  const isBadFirst = random.chance(0.4)
  if (isBadFirst) for (let n = 0; n < 5; n++) await damageFiles(bad, ['blobs', 'replica'], random)
  const [name, damage] = random.pick(damagesOf(material))
  const done = await damage(dir, random)
  const how = name === 'events' ? 'repair' : random.pick(['read', 'scrub', 'repair'] as const)
  const what = `${material.layout}, ${how}${isBadFirst ? ', a damaged replica first' : ''}: ${done.join('; ')}`
  const from = isBadFirst ? [bad, replica] : [replica]
  try {
    return { seed, what, damages: done.length, ...(await healed(dir, from, how, material)) }
  } catch (error) {
    return { seed, what, damages: done.length, healed: 0, problems: [`${how} ended with ${String(error)}`] }
  }
}

function damagesOf({ layout }: HealMaterial): readonly (readonly [string, Damage])[] {
  const all = [
    ['blobs', damageBlobs],
    ['rows', damageRows],
  ] as const
  return layout.startsWith('level+') ? [...all, ['events', damageEvents]] : all
}

async function healed(
  dir: string,
  from: readonly string[],
  how: 'read' | 'scrub' | 'repair',
  { truth }: HealMaterial,
): Promise<Pick<HealVerdict, 'healed' | 'problems'>> {
  const problems: string[] = []
  if (how === 'repair') problems.push(...left((await repairStore(dir, { from })).after))
  const replicas = how === 'repair' ? [] : from.map((to) => ({ to, everyMs: day }))
  const store = await opened(dir, replicas, from)
  let count = 0
  try {
    if (how === 'scrub') problems.push(...(await store.scrub()).divergences.map(({ kind }) => `scrub left ${kind}`))
    const found = await digests(store)
    for (const [version, digest] of truth.versions)
      if (found.get(version) !== digest) problems.push(`${version} is ${found.get(version) ?? 'gone'}`)
    // Damage that no read needs to notice, as in the frame of a row, is found by a scrub.
    if (how === 'read') await store.scrub()
    const log: string[] = []
    for await (const event of store.log()) {
      log.push(JSON.stringify(event))
      if (event.type === 'BytesHealed') count++
    }
    if (truth.log.some((event, n) => log[n] !== event)) problems.push('the log is another one')
  } finally {
    await store.close()
  }
  problems.push(...left(await verifyStore(dir, { views: 'check' })))
  return { healed: count, problems }
}

/** Some damage of files keeps a store from opening: then it is repaired. */
async function opened(
  dir: string,
  replicas: readonly { readonly to: string; readonly everyMs: number }[],
  from: readonly string[],
): Promise<Store> {
  try {
    return await openStore(dir, { ...quiet, replicas })
  } catch (error) {
    if (!isStorageError(error)) throw error
    await repairStore(dir, { from })
    return openStore(dir, { ...quiet, replicas })
  }
}

const ofBytes = [
  'BlobMissing',
  'BlobCorrupt',
  'BlobUnreadable',
  'InlineMissing',
  'InlineCorrupt',
  'DataKeyMissing',
  'DataKeyCorrupt',
  'EventDamaged',
  'EventMissing',
  'EventChanged',
  'LogShort',
]

const left = ({ divergences }: VerifyReport): readonly string[] =>
  divergences.filter(({ kind }) => ofBytes.includes(kind)).map(({ kind, key, seq }) => `left ${kind} ${key ?? seq}`)

export const replayOf = ({ seed, what, problems }: HealVerdict): string =>
  `npm run suite healed -- --seed ${seed}   # ${what}\n    ${problems.slice(0, 4).join('\n    ')}`
