/** A long session of random commands, applied to a store and to the model at once; remembers the model after each event. */
import type { Store, VersioningStatus } from '@varve/core'
import { apply, type ModelState, type ModelStep } from './model.ts'

export interface Session {
  /** The model as it stood after each position of the log; index 0 is the empty store. */
  readonly states: readonly ModelState[]
}

const buckets = ['red', 'green-bucket', 'blue.bucket'].map((name) => `model-${name}`)
const keys = ['a', 'a/b', 'a/c', 'b', 'b\u0000', 'ü', '\u{10FFFF}', '__proto__', '../up', 'z'.repeat(900)]

/** A small generator with a seed, so that a failure can be run again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39) >>> 0
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

export async function runSession(store: Store, steps: number, random: () => number): Promise<Session> {
  const states: ModelState[] = [new Map()]
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  for (let i = 0; i < steps; i++) {
    const before = states.at(-1) as ModelState
    const step = await runStep(store, before, { pick, random, number: i })
    const after = step === undefined ? before : apply(before, step)
    while (states.length <= store.seq) states.push(after)
  }
  return { states }
}

interface Chance {
  pick<T>(from: readonly T[]): T
  random(): number
  readonly number: number
}

async function runStep(store: Store, state: ModelState, chance: Chance): Promise<ModelStep | undefined> {
  const name = chance.pick(buckets)
  const bucket = state.get(name)
  if (bucket === undefined) {
    await store.buckets.create(name)
    return { type: 'createBucket', bucket: name }
  }
  const key = chance.pick(keys)
  const dice = chance.random()
  if (dice < 0.4) return put(store, { bucket: name, key, number: chance.number })
  if (dice < 0.5) return copy(store, { bucket: name, key }, state, chance)
  if (dice < 0.75) return remove(store, { bucket: name, key }, bucket.versioning)
  if (dice < 0.9) return removeVersion(store, { bucket: name, key }, state, chance)
  if (dice < 0.97) {
    const status = chance.pick<VersioningStatus>(['Enabled', 'Suspended'])
    await store.buckets.setVersioning(name, status)
    return { type: 'setVersioning', bucket: name, status }
  }
  return empty(store, name, state)
}

interface Place {
  readonly bucket: string
  readonly key: string
}

async function put(store: Store, place: Place & { readonly number: number }): Promise<ModelStep> {
  const { bucket, key, number } = place
  const body = `${number} `.repeat((number % 40) + 1)
  const { seq, versionId: id } = await store.objects.put(bucket, key, body)
  return { type: 'add', bucket, key, version: { seq, id, body } }
}

/** From any version there is, to a key that may be the same: then only its metadata changes. */
async function copy(store: Store, to: Place, state: ModelState, { pick }: Chance): Promise<ModelStep | undefined> {
  const from = pick([...state.keys()])
  const key = pick(keys)
  const source = pick(state.get(from)?.keys.get(key) ?? [undefined])
  if (source?.body === undefined) return undefined
  const options = { metadataDirective: 'REPLACE', contentType: 'text/plain' } as const
  const place = { bucket: from, key, versionId: source.id }
  const { seq, versionId: id } = await store.objects.copy(place, to.bucket, to.key, options)
  return { type: 'add', ...to, version: { seq, id, body: source.body } }
}

async function remove(
  store: Store,
  { bucket, key }: Place,
  versioning: VersioningStatus | undefined,
): Promise<ModelStep> {
  const { versionId: id } = await store.objects.delete(bucket, key)
  if (versioning === undefined) return { type: 'removeKey', bucket, key }
  return { type: 'add', bucket, key, version: { seq: store.seq, id: id as string, body: undefined } }
}

async function removeVersion(
  store: Store,
  { bucket, key }: Place,
  state: ModelState,
  { pick }: Chance,
): Promise<ModelStep | undefined> {
  const versions = state.get(bucket)?.keys.get(key)
  if (versions === undefined) return undefined
  const { id } = pick(versions)
  await store.versions.delete(bucket, key, id)
  return { type: 'removeVersion', bucket, key, id }
}

/** A bucket goes only when nothing is left in it; trying otherwise must change nothing. */
async function empty(store: Store, name: string, state: ModelState): Promise<ModelStep | undefined> {
  const full = (state.get(name)?.keys.size ?? 0) > 0
  const refused = await store.buckets.delete(name).then(
    () => false,
    () => true,
  )
  if (refused !== full)
    throw new Error(`Deleting ${full ? 'a full' : 'an empty'} bucket was ${refused ? '' : 'not '}refused.`)
  return full ? undefined : { type: 'deleteBucket', bucket: name }
}
