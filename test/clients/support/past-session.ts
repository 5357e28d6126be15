/**
 * The sessions that look back: a bucket loses all its objects, and a client reads it as it was before, by a time, a position and
 * a snapshot. What is copied back from there stores no byte.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sameBytes } from './material.ts'
import type { Scene } from './scene.ts'
import type { SdkProgram } from './sdk-session.ts'
import { expect } from './session.ts'
import { filesIn, plantTree, sameTree } from './tree.ts'

export const whatLooksBack =
  'as of a time, a position and a snapshot before a mass deletion: list, download, range, HEAD, presigned GET; copies back that store no byte; writes refused with 405; names of 63, 64 and 87 characters'

export interface Past {
  /** The bucket by a time, a position and a snapshot. */
  readonly names: readonly string[]
  /** A directory that has what the bucket had. */
  readonly tree: string
  /** Names of buckets as they were, of 63, 64 and 87 characters, each with the object `k`. */
  readonly long: readonly string[]
  /** @throws Error if the store has other bytes than after the deletion */
  storesNoMore(): Promise<void>
}

/** The bucket of the scene had `tree/…`, and has another `tree/sub/small` now. */
export async function makePast(scene: Scene): Promise<Past> {
  const { bucket } = scene
  const tree = join(scene.dir, 'planted')
  await plantTree(tree, scene.material)
  await scene.makeBucket(true)
  await scene.storeTree(tree, 'tree/')
  const long = [39, 40, 63].map((length) => bucket.padEnd(length, 'x'))
  for (const name of long) {
    await scene.makeBucket(false, name)
    await scene.store('k', name, name)
  }
  await sleep(5)
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '').toLowerCase()
  await sleep(5)
  const { seq } = await scene.control<{ readonly seq: number }>('GET', '/-/v1/status')
  const snapshot = `s${bucket.replace('session-', '')}`
  await scene.control('POST', '/-/v1/snapshots', { name: snapshot })
  await scene.deleteAll()
  await scene.store('tree/sub/small', 'another one')
  const before = await storedBytes(scene)
  return {
    names: [time, String(seq), snapshot].map((moment) => `${bucket}--at-${moment}`),
    tree,
    long: long.map((name) => `${name}--at-${time}`),
    async storesNoMore() {
      const after = await storedBytes(scene)
      expect(after === before, `the copies store no byte: ${before} bytes before them, ${after} after them`)
    },
  }
}

async function storedBytes(scene: Scene): Promise<number> {
  const usage = await scene.control<Readonly<Record<'live' | 'kept' | 'pinned', number>>>('GET', '/-/v1/usage')
  return usage.live + usage.kept + usage.pinned
}

export interface PastProgram extends Pick<SdkProgram, 'command' | 'args' | 'env'> {
  /** The longest of the names that the client accepts. */
  readonly longest: 63 | 87
}

/** Programs of SDKs. They leave what they got in files, in a directory for each name. */
export async function runPastSdk(scene: Scene, { command, args, env, longest }: PastProgram): Promise<void> {
  const past = await makePast(scene)
  const out = join(scene.dir, 'out')
  for (const index of past.names.keys()) await mkdir(join(out, String(index)), { recursive: true })
  const reported = {
    VARVE_OUT: out,
    VARVE_BUCKET: scene.bucket,
    VARVE_PAST: past.names.join(' '),
    VARVE_LONG: past.long.join(' '),
    VARVE_HOSTED_ENDPOINT: `http://localhost:${scene.port}`,
  }
  await scene.call(command, args, { env: { ...reported, ...env } })
  const large = await readFile(scene.material.large)
  const keys = (await filesIn(past.tree)).map((path) => `tree/${path}`)
  for (const index of past.names.keys()) {
    const dir = join(out, String(index))
    const text = (name: string) => readFile(join(dir, name), 'utf8')
    await sameTree(join(dir, 'tree'), past.tree)
    const listed = (await text('listed')).split('\n').map(decodeURIComponent)
    expect(listed.toSorted().join('\n') === keys.toSorted().join('\n'), 'the objects of then are listed')
    sameBytes(await readFile(join(dir, 'range')), large.subarray(1000, 2000), 'the range')
    expect((await text('length')) === String(large.length), 'HEAD has the length')
    sameBytes(await scene.fetch(await text('url')), large, 'what the presigned address gave')
    for (const line of (await text('refused')).split('\n')) expect(line === '405 MethodNotAllowed', `405, not ${line}`)
    await scene.stored(`back/${index}/large`, scene.material.large)
    await scene.stored(`back/${index}/small`, scene.material.small)
  }
  await past.storesNoMore()
  await checkLong((await readFile(join(out, 'long'), 'utf8')).split('\n'), past, longest)
}

/** One line a name: `200`, or the error. A client that does not accept a name says so by itself. */
export async function checkLong(lines: readonly string[], { long }: Past, longest: number): Promise<void> {
  for (const [index, name] of long.entries()) {
    const line = lines[index] ?? ''
    const isAccepted = line === '200'
    expect(isAccepted === name.length <= longest, `a name of ${name.length} characters: ${line}`)
    expect(isAccepted || !/^\d+ /.test(line), `the client refuses it, not the server: ${line}`)
  }
}
