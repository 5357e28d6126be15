/** Replicas in directories, of which random files are missing: what is lost is never passed over, nor called erased. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { ReplicaVerified } from '@varve/core'
import { isStorageError, openStore, type RestoreReport, restoreStore, verifyReplica } from 'varve'
import { type Random, randomFrom } from '../support/random.ts'

export interface MissingFilesRun {
  readonly directory: string
  readonly trials: number
  readonly seed: number
}

export interface MissingFilesResult {
  /** Restores that had everything, that ended with an error, and that said what was lost. */
  whole: number
  refused: number
  incomplete: number
  readonly problems: string[]
}

/** So many times files of one replica are taken away. */
const trialsPerReplica = 40

export async function huntMissingFiles({ directory, trials, seed }: MissingFilesRun): Promise<MissingFilesResult> {
  const result: MissingFilesResult = { whole: 0, refused: 0, incomplete: 0, problems: [] }
  for (let done = 0; done < trials; done += trialsPerReplica) {
    const random = randomFrom(seed + done)
    const [home, to] = [join(directory, String(done)), join(directory, String(done), 'replica')]
    const expected = await writeReplica({ home, to, random })
    const all = await filesOf(to)
    for (let n = 0; n < Math.min(trialsPerReplica, trials - done); n++) {
      const gone = n === 0 ? [] : chosen(random, all)
      const aside = (file: string): string => join(home, `aside ${all.indexOf(file)}`)
      for (const file of gone) await rename(file, aside(file))
      const problem = await judge(result, { to, into: join(home, 'restored'), expected, gone })
      if (problem !== undefined)
        result.problems.push(
          `seed ${seed + done}, without ${gone.map((file) => relative(to, file)).join(', ')}: ${problem}`,
        )
      for (const file of gone) await rename(aside(file), file)
    }
    await rm(home, { recursive: true })
  }
  return result
}

interface Writing {
  readonly home: string
  readonly to: string
  readonly random: Random
}

/** Several openings, so that it has several terms. Resolves with the texts of the objects. */
async function writeReplica({ home, to, random }: Writing): Promise<ReadonlyMap<string, string>> {
  await mkdir(home)
  const expected = new Map<string, string>()
  const viewsEvery = random.chance(1 / 3) ? 5 : 0
  for (let turn = random.between(1, 4); turn > 0; turn--) {
    const store = await openStore(join(home, 'store'), { replicas: [{ to, everyMs: 10, viewsEvery }] })
    if (expected.size === 0) await store.buckets.create('box').catch(ignoreExisting)
    for (let n = random.between(3, 10); n > 0; n--) {
      const [key, text] = [`key ${random.below(30)}`, `${turn}.${n} `.repeat(random.chance(1 / 3) ? 5000 : 9)]
      await store.objects.put('box', key, text)
      expected.set(key, text)
    }
    if (random.chance(1 / 3)) {
      const key = random.pick([...expected.keys()])
      await store.erase({ bucket: 'box', key, live: true })
      expected.delete(key)
    }
    await store.close()
  }
  return expected
}

function ignoreExisting(error: unknown): void {
  if (!isStorageError(error, 'BucketAlreadyOwnedByYou')) throw error
}

async function filesOf(to: string): Promise<readonly string[]> {
  const entries = await readdir(to, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const chosen = (random: Random, all: readonly string[]): readonly string[] => [
  ...new Set(Array.from({ length: random.between(1, 3) }, () => random.pick(all))),
]

interface Trial {
  readonly to: string
  readonly into: string
  readonly expected: ReadonlyMap<string, string>
  readonly gone: readonly string[]
}

/** What is wrong with how a replica without these files is verified and restored. */
async function judge(result: MissingFilesResult, { to, into, expected, gone }: Trial): Promise<string | undefined> {
  const verified = await settled(verifyReplica(to, { blobs: 'read' }))
  const restored = await settled(restoreStore(to, into))
  try {
    if (isStorageError(restored)) {
      result.refused++
      return isClean(verified) ? `it cannot be restored (${restored.code}), and verify finds nothing` : undefined
    }
    const texts = await textsOf(into)
    const isWhole = [...expected].every(([key, text]) => texts.get(key) === text) && texts.size === expected.size
    if (isWhole) {
      result.whole++
      return gone.length === 0 && !isClean(verified) ? 'nothing is missing, and verify finds something' : undefined
    }
    // Without a file and without what counts its events, nothing tells that it was there.
    if (isWithoutTrace(gone)) return undefined
    result.incomplete++
    if (restored.lost === 0) return 'objects are lost, and the restore does not say so'
    if ([...texts.values()].includes('ObjectErased')) return 'a loss is called an erasure'
    return isClean(verified) ? 'objects are lost, and verify finds nothing' : undefined
  } finally {
    await rm(into, { recursive: true, force: true })
  }
}

const isWithoutTrace = (gone: readonly string[]): boolean =>
  ['log.', 'ends.'].every((kind) => gone.some((file) => basename(file).startsWith(kind)))

const isClean = (verified: ReplicaVerified | Error): boolean => !(verified instanceof Error) && verified.damaged === 0

async function settled<T extends ReplicaVerified | RestoreReport>(work: Promise<T>) {
  return work.catch((error: unknown) => {
    if (!isStorageError(error)) throw error
    return error
  })
}

/** The texts of the objects, or why they cannot be read. */
async function textsOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const store = await openStore(directory)
  const texts = new Map<string, string>()
  for await (const listed of store.objects.list('box')) {
    if (listed.kind !== 'object') continue
    const text = await settledText(async () => (await store.objects.get('box', listed.key)).text())
    texts.set(listed.key, text)
  }
  await store.close()
  return texts
}

async function settledText(read: () => Promise<string>): Promise<string> {
  try {
    return await read()
  } catch (error) {
    if (!isStorageError(error)) throw error
    return error.code
  }
}
