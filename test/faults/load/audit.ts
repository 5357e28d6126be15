/** What must be in a store after its writer was cut off, derived from the writer's claims. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageError, openStore, type Store } from 'varve'
import { makingOf } from '../../layouts/layout-parts.ts'
import { auditCounts } from './counts.ts'
import { bodyOf, buckets, type Place, type Claim } from './load.ts'

/** What a key of the plain bucket holds: the number of a body, or nothing. */
type Held = number | undefined

interface Version {
  readonly key: string
  /** The number of a body, or a delete marker. */
  readonly holds: number | 'marker'
  /** Somebody was about to remove it when all ended. */
  leaving: boolean
}

export class Expectations {
  /** Per key: what was acknowledged last, and what was under way at the end. */
  readonly #plain = new Map<string, { acknowledged: Held; readonly underWay: Set<Held> }>()
  readonly #versions = new Map<string, Version>()
  /** Versions whose id the writer did not receive, as key and content. */
  readonly #unheard = new Set<string>()
  acknowledged = 0

  hear(claim: Claim): void {
    if (claim.what === 'did') this.acknowledged++
    switch (claim.action) {
      case 'put':
      case 'upload':
      case 'copy':
        return this.#hearPlain(claim, claim.number)
      case 'delete':
        return this.#hearPlain(claim, undefined)
      case 'version':
        return this.#hearVersion(claim, claim.number)
      case 'marker':
        return this.#hearVersion(claim, 'marker')
      case 'remove':
        return this.#hearRemoval(claim)
      case 'abort':
      case 'sweep':
    }
  }

  #hearPlain(claim: Claim, held: Held): void {
    const known = this.#plain.get(claim.key) ?? { acknowledged: undefined, underWay: new Set() }
    this.#plain.set(claim.key, known)
    if (claim.what === 'will') known.underWay.add(held)
    if (claim.what === 'did') {
      known.acknowledged = held
      known.underWay.clear()
    }
    if (isPlainRefusal(claim)) known.underWay.delete(held)
  }

  #hearVersion(claim: Claim, holds: Version['holds']): void {
    const { key, versionId } = claim
    if (claim.what === 'will') this.#unheard.add(unheard(key, holds))
    else if (holds !== 'marker' && (claim.what === 'did' || isPlainRefusal(claim)))
      this.#unheard.delete(unheard(key, holds))
    if (claim.what === 'did' && versionId !== undefined) this.#versions.set(versionId, { key, holds, leaving: false })
  }

  #hearRemoval(claim: Claim): void {
    const versionId = claim.versionId as string
    const version = this.#versions.get(versionId)
    if (claim.what === 'did') this.#versions.delete(versionId)
    else if (version !== undefined) version.leaving = claim.what === 'will' || !isPlainRefusal(claim)
  }

  /** Lines about what was lost or wrong; none is what we want. What is found becomes what is known. */
  async audit(store: Store): Promise<string[]> {
    // A store that was cut off before it had buckets cannot have acknowledged anything.
    const names = new Set((await all(store.buckets.list())).map(({ name }) => name))
    const wrong: string[] = []
    if (names.has(buckets.plain) || this.acknowledged > 0) await this.#auditPlain(store, wrong)
    if (names.has(buckets.versioned) || this.acknowledged > 0) await this.#auditVersions(store, wrong)
    return wrong
  }

  async #auditPlain(store: Store, wrong: string[]): Promise<void> {
    for (const [key, { acknowledged, underWay }] of this.#plain) {
      const found = await read(store, buckets.plain, key)
      const allowed = [acknowledged, ...underWay]
      const match = allowed.find((number) => (number === undefined ? undefined : bodyOf(number)) === found)
      if (match === undefined && found !== undefined) wrong.push(`${key}: holds none of ${allowed.join(', ')}`)
      if (found === undefined && !allowed.includes(undefined)) wrong.push(`${key}: lost ${allowed.join(', ')}`)
      this.#plain.set(key, { acknowledged: match, underWay: new Set() })
    }
  }

  async #auditVersions(store: Store, wrong: string[]): Promise<void> {
    const listed = new Map<string, Version>()
    for await (const entry of onlyVersions(store)) {
      const { key, versionId } = entry
      const holds = entry.kind === 'marker' ? entry.kind : await bodyIn(store, key, versionId)
      if (this.#mayHold(key, versionId, holds)) listed.set(versionId, { key, holds, leaving: false })
      else wrong.push(`${key} version ${versionId}: holds ${holds ?? 'no body'}, which nobody wrote there`)
    }
    for (const [versionId, { key, leaving }] of this.#versions) {
      if (!leaving && !listed.has(versionId)) wrong.push(`${key} version ${versionId}: lost`)
    }
    this.#unheard.clear()
    this.#versions.clear()
    for (const [versionId, version] of listed) this.#versions.set(versionId, version)
  }

  #mayHold(key: string, versionId: string, holds: Version['holds'] | undefined): holds is Version['holds'] {
    const known = this.#versions.get(versionId)
    if (holds === undefined) return false
    return known === undefined ? this.#unheard.has(unheard(key, holds)) : known.key === key && known.holds === holds
  }
}

/** The number whose body this version is, byte for byte. */
async function bodyIn(store: Store, key: string, versionId: string): Promise<number | undefined> {
  const found = (await read(store, buckets.versioned, key, versionId)) ?? ''
  const number = Number(/^body (\d+);/.exec(found)?.[1] ?? Number.NaN)
  return found === bodyOf(number) ? number : undefined
}

/** Refused with a code that means that it did not happen. After `StoreFailed` the outcome is unknown. */
const isPlainRefusal = ({ what, code }: Claim): boolean => what === 'refused' && code !== 'StoreFailed'

const unheard = (key: string, holds: Version['holds']): string => `${key} ${holds}`

async function* onlyVersions(store: Store) {
  for await (const entry of store.versions.list(buckets.versioned)) if (entry.kind !== 'prefix') yield entry
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = []
  for await (const item of items) gathered.push(item)
  return gathered
}

async function read(store: Store, bucket: string, key: string, versionId?: string): Promise<string | undefined> {
  try {
    const object = await store.objects.get(bucket, key, versionId === undefined ? {} : { versionId })
    return await object.text()
  } catch (error) {
    if (isStorageError(error, 'NoSuchKey', 'NoSuchVersion')) return undefined
    throw error
  }
}

/**
 * Opens the store as its owner would, and checks everything: the claims, `verify`, and that no unneeded files are left.
 * Returns lines about what is wrong.
 */
export async function inspect({ directory, layout }: Place, expectations: Expectations): Promise<string[]> {
  try {
    const store = await openStore(directory, makingOf(layout))
    try {
      const wrong = await expectations.audit(store)
      await store.sweep({ orphans: true })
      const { divergences } = await store.verify()
      wrong.push(...divergences.map(({ kind, message, seq }) => `verify: ${kind} at ${seq ?? '-'}: ${message}`))
      wrong.push(...(await auditCounts(store)))
      const unfinished = await readdir(join(directory, 'tmp'))
      if (unfinished.length > 0) wrong.push(`tmp holds ${unfinished.length} files`)
      return wrong
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!isStorageError(error)) throw error
    return [`the store fails: ${error.code} ${JSON.stringify(error.details)}: ${error.message}`]
  }
}
