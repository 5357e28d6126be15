/**
 * Makes random commands. A seed is a few numbers, and the state in which it is used determines its command. So any seed
 * fits any state, and most commands succeed. A failing run can be shortened by leaving seeds out.
 */
import type { ModelBucket, ModelCommand, ModelCommandType, ModelListedPart, ModelState } from '@varve/core/model'
import { refOf } from '@varve/core/model'

export interface CommandSeed {
  readonly kind: number
  /** Which bucket and key. */
  readonly place: number
  /** Which version, upload, or part. */
  readonly pick: number
  /** Which condition, body or other twist. */
  readonly twist: number
}

/** Wishes are made of numbers below this. */
export const seedMax = 5040

const usual = ['model-red', 'model.green']
/** The last ones only become forks. */
export const buckets = [...usual, 'model-fork', 'model-try']
/** Where commands go: mostly not to forks, so that uploads get far. */
const places = [...usual, ...usual, ...buckets]
export const snapshots = ['before', 'after-import', 's3']
const keys = ['a', 'a/b', 'a/c', 'b\u0000', '\u{10FFFF}', '__proto__']

/** As many entries as the command shall be likely. */
const kinds: readonly ModelCommandType[] = Object.entries({
  putObject: 10,
  copyObject: 4,
  deleteObject: 5,
  deleteVersion: 5,
  createUpload: 4,
  uploadPart: 8,
  completeUpload: 8,
  abortUpload: 1,
  tagObject: 4,
  setVersioning: 3,
  createSnapshot: 2,
  deleteSnapshot: 2,
  createBucket: 1,
  deleteBucket: 1,
  // These are steps of their own, which may go to the past and wait.
  forkBucket: 0,
  dropFork: 0,
} satisfies Record<ModelCommandType, number>).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, () => kind as ModelCommandType),
)

export function commandOf(state: ModelState, seed: CommandSeed, name: string): ModelCommand {
  const wanted = from(places, seed.place)
  const bucket = state.buckets.has(wanted) ? wanted : from(usual, seed.place)
  const key = from(keys, Math.floor(seed.place / places.length))
  const known = state.buckets.get(bucket)
  const type = known === undefined && seed.twist % 8 > 0 ? 'createBucket' : from(kinds, seed.kind)
  const command = { name, bucket, key }
  switch (type) {
    case 'createBucket':
    case 'deleteBucket':
    case 'dropFork':
      return { type, name, bucket }
    case 'forkBucket':
      return { type, name, bucket, from: wanted }
    case 'setVersioning':
      return { type, name, bucket, status: seed.twist % 3 > 0 ? 'Enabled' : 'Suspended' }
    case 'putObject':
      return { type, ...command, body: bodyOf(seed, name), ...conditions(known, key, seed) }
    case 'copyObject':
      return { type, ...command, from: sourceOf(state, seed), ...conditions(known, key, seed) }
    case 'deleteObject':
      return { type, ...command, ...ifMatch(known, key, seed) }
    case 'deleteVersion':
      return { type, ...command, version: versionOf(known, key, seed.pick), ...ifMatch(known, key, seed) }
    case 'tagObject': {
      const version = seed.twist % 3 === 0 ? {} : { version: versionOf(known, key, seed.pick) }
      return { type, ...command, ...version, tag: from(['', 'red', 'green'], seed.twist) }
    }
    case 'createUpload':
      return { type, ...command }
    case 'createSnapshot':
    case 'deleteSnapshot':
      return { type, name, snapshot: from(snapshots, seed.pick) }
    case 'uploadPart':
    case 'completeUpload':
    case 'abortUpload':
      return uploadCommand(type, state, seed, command)
  }
}

/** Mostly a bucket that is there, and a name that is free. */
export function forkOf(
  { buckets: present }: ModelState,
  seed: number,
): { readonly bucket: string; readonly to: string } {
  const [there, free] = [[...present.keys()], buckets.filter((name) => !present.has(name))]
  const [one, other] = [seed % 9 === 0 ? buckets : there, seed % 7 === 0 ? buckets : free]
  return {
    bucket: from(one.length === 0 ? buckets : one, seed >> 2),
    to: from(other.length === 0 ? buckets : other, seed >> 5),
  }
}

const from = <T>(list: readonly T[], number: number): T => list[number % list.length] as T

/** Empty, small, or beyond the 64 bytes that ride in the journal; its own, or one that others have too. */
function bodyOf({ twist }: CommandSeed, name: string): string {
  const text = twist % 5 === 0 ? 'the same ' : `${name} `
  return text.repeat([0, 1, 3, 30, 2, 12][twist % 6] as number)
}

const noOne = 'nobody'

function versionOf(bucket: ModelBucket | undefined, key: string, pick: number): string {
  const refs = (bucket?.keys.get(key) ?? []).map(refOf)
  return from([...refs, ...refs, 'null', noOne], pick)
}

function sourceOf(state: ModelState, { pick, twist }: CommandSeed) {
  const bucket = from(buckets, pick)
  const there = [...(state.buckets.get(bucket)?.keys.keys() ?? [])]
  const key = from([...there, ...there, ...there, 'nothing'], Math.floor(pick / buckets.length))
  const version = twist % 3 === 0 ? {} : { version: versionOf(state.buckets.get(bucket), key, pick) }
  return { bucket, key, ...version }
}

function conditions(bucket: ModelBucket | undefined, key: string, seed: CommandSeed) {
  return seed.twist % 7 === 0 ? ({ ifNoneMatch: '*' } as const) : ifMatch(bucket, key, seed)
}

/** Mostly none; else the ETag of the current object, or of an older version, or of nothing. */
function ifMatch(bucket: ModelBucket | undefined, key: string, { twist, pick }: CommandSeed): { ifMatch?: string } {
  if (twist % 4 > 0) return {}
  const names = (bucket?.keys.get(key) ?? []).filter(({ object }) => object !== undefined).map(({ name }) => name)
  return { ifMatch: from([...names.slice(0, 1), ...names, ...names, '*', noOne], pick) }
}

function uploadCommand(
  type: 'uploadPart' | 'completeUpload' | 'abortUpload',
  state: ModelState,
  seed: CommandSeed,
  place: { readonly name: string; readonly bucket: string; readonly key: string },
): ModelCommand {
  const bucket = state.buckets.get(place.bucket)
  const going = [...(bucket?.uploads.values() ?? [])].map(({ name, key }) => ({ upload: name, key }))
  const over = [...(bucket?.completions ?? [])].map(([upload, { key }]) => ({ upload, key }))
  const mostly = going.flatMap((each) => Array.from({ length: 8 }, () => each))
  const chosen = from([...mostly, ...over, { upload: noOne, key: place.key }], seed.pick)
  const command = { ...place, ...chosen }
  if (type === 'abortUpload') return { type, ...command }
  const number = from([1, 2, 3, 2, 1, 7, 10_000, 0], seed.twist)
  if (type === 'uploadPart') return { type, ...command, number, body: bodyOf(seed, place.name) }
  const parts = from([listedParts, listedParts, listedParts, somethingElse], seed.twist)(state, bucket, chosen.upload)
  const repeatable = seed.twist % 2 === 0
  // Conditions meet a conflict only here, so they are more frequent than elsewhere.
  const condition = seed.twist % 5 === 0 ? { ifNoneMatch: '*' as const } : conditions(bucket, chosen.key, seed)
  return { type, ...command, parts, repeatable, partSizeMin: 8, ...condition }
}

/** What is there, or was when it was completed. */
function listedParts(state: ModelState, bucket: ModelBucket | undefined, upload: string): readonly ModelListedPart[] {
  const name = (etag: string) => [...state.etags].find((entry) => entry[1] === etag)?.[0] ?? noOne
  const completion = bucket?.completions.get(upload)
  if (completion !== undefined) {
    return (JSON.parse(completion.listed) as [number, string][]).map(([number, etag]) => ({ number, part: name(etag) }))
  }
  const parts = [...(bucket?.uploads.get(upload)?.parts ?? [])].sort(([a], [b]) => a - b)
  return parts.map(([number, body]) => ({ number, part: name(JSON.stringify(body)) }))
}

/** A list that is too short, repeats itself, or names a part that was never uploaded. */
function somethingElse(state: ModelState, bucket: ModelBucket | undefined, upload: string): readonly ModelListedPart[] {
  const parts = listedParts(state, bucket, upload)
  const first = parts.slice(0, 1)
  const variants = [first, [...parts].reverse(), parts.flatMap(() => first), [...parts, { number: 99, part: noOne }]]
  return from(variants, state.time)
}
