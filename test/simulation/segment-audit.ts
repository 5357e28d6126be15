/**
 * What must hold of a blob store that comes up after the power went:
 *
 * 1. it opens, and every blob it lists is one that somebody wrote, whole;
 * 2. what was acknowledged and not deleted is there; what was deleted from a segment and acknowledged is not
 *    (a file that was deleted may come back, as it always could);
 * 3. a look from outside (`inspectSegments`) sees the same, and no damage;
 * 4. it works: what is deleted or written now is so after the next power cut too, and what was not there stays away.
 */
import { inspectSegments, type SegmentedBlobStore } from '@varve/adapters'
import { crashDisk, type DiskImage, type Keep } from './disk-image.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { contentOf, type Fact, type Facts, isInSegment, openBlobs, readAll } from './segment-run.ts'
import { SimFiles } from './sim-files.ts'
import { atOnce } from './world.ts'

export async function auditSegments(
  image: DiskImage,
  facts: Facts,
  further: { readonly random: Random; readonly keep: Keep } | undefined,
): Promise<readonly string[]> {
  const effects = atOnce(randomFrom(image.nodes.size), 0)
  const files = new SimFiles(effects, image)
  try {
    const outside = further && (await lookFromOutside(files))
    const blobs = await openBlobs(effects, files)
    await blobs.discardUnfinished()
    const listed = await all(blobs.list())
    const problems = [...(await compare(blobs, listed, facts))]
    if (outside !== undefined && outside !== [...listed].sort().join())
      problems.push(`from outside, ${outside} is seen`)
    if (problems.length > 0 || further === undefined) {
      await blobs.close()
      return problems
    }
    return await goOn(files, blobs, facts, further)
  } catch (error) {
    return [`does not come up: ${String(error)}`]
  }
}

/** The blobs that a look from outside sees, or the damage. */
async function lookFromOutside(files: SimFiles): Promise<string> {
  const { blobs, divergences } = await inspectSegments('/', files)
  const damage = divergences.filter(({ kind }) => kind !== 'Leftover').map(({ message }) => message)
  return [...damage, ...(await all(blobs.list()))].sort().join()
}

async function compare(blobs: SegmentedBlobStore, listed: readonly string[], facts: Facts): Promise<readonly string[]> {
  const problems: string[] = []
  const there = new Set(listed)
  if (there.size < listed.length) problems.push('a blob is listed twice')
  for (const id of listed) {
    const fact = facts.get(id)
    const handle = await blobs.open(id)
    const bytes = await readAll(handle)
    await handle.close()
    if (fact === undefined) problems.push(`${id} was written by nobody`)
    else if (!fact.bytes.equals(bytes)) problems.push(`${id} is not what was written`)
    else if (fact.deleted === 'answered' && isInSegment(fact) && fact.mayReturn !== true)
      problems.push(`${id} was deleted and is back`)
  }
  for (const [id, { written, deleted }] of facts) {
    if (written === 'answered' && deleted === 'no' && !there.has(id))
      problems.push(`${id} was acknowledged and is gone`)
  }
  return problems
}

/** Works on, as a store does that sweeps what is not needed; then the power goes again. */
async function goOn(
  files: SimFiles,
  blobs: SegmentedBlobStore,
  before: Facts,
  { random, keep }: { readonly random: Random; readonly keep: Keep },
): Promise<readonly string[]> {
  const facts: Facts = new Map()
  const there = new Set(await all(blobs.list()))
  // What came up in a segment was made durable; what came up as a file may have been on its way.
  for (const [id, fact] of before) {
    facts.set(id, { ...fact, written: isInSegment(fact) ? 'answered' : fact.written, deleted: 'no' })
  }
  // What is not there is deleted too: that is believed, so it must be true for good.
  const gone = [...facts.keys()].filter((id) => !there.has(id) || random.chance(0.4))
  await blobs.delete(gone)
  for (const id of gone) facts.set(id, { ...(facts.get(id) as Fact), deleted: 'answered' })
  for (let n = 0; n < 3; n++) {
    const id = n.toString(16).padStart(32, 'f')
    const bytes = contentOf(id, random.below(240))
    await blobs.write(
      id,
      (async function* () {
        yield bytes
      })(),
    )
    facts.set(id, { bytes, written: 'answered', deleted: 'no' })
  }
  if (random.chance(0.5)) await blobs.compact()
  if (random.chance(0.5)) await blobs.close()
  const again = await auditSegments(crashDisk(files.image, keep, random), facts, undefined)
  return again.map((problem) => `gone on: ${problem}`)
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found = []
  for await (const item of items) found.push(item)
  return found
}
