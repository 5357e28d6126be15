/**
 * A follower is promoted while its primary is under load, paused, cut off from the replica, or gone. What the clients of the primary were told is compared with the
 * store that was promoted, and with what its replica restores.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { S3Client } from '@aws-sdk/client-s3'
import { attachStore, inspectReplica, restoreStore } from 'varve'
import { cutLink } from './cut-link.ts'
import { bodyOf, judge, underLoad, type Written } from './lost-primaries.ts'
import type { ReplicaServer } from './replica-server.ts'
import { type Primary, serveFollower, servePrimary } from './served-primary.ts'

/**
 * What happens to the primary before the promotion. A paused one goes on after it. One that is cut off has its clients all the time, and
 * what it sent to the replica meanwhile arrives after it.
 */
export type Fault = 'none' | 'paused' | 'cut off' | 'killed'

export interface PromotionOptions {
  /** An empty directory. */
  readonly dir: string
  readonly server: ReplicaServer
  readonly everyMs: number
  readonly isSynchronous: boolean
  readonly fault: Fault
  readonly loadMs: number
}

export interface Promotion {
  readonly acknowledged: number
  /** Acknowledged writes that the promoted store does not have. */
  readonly lost: number
  /** How many events the follower was behind its primary before the fault. */
  readonly lagEvents: number
  /** Until the promoted store had taken a write, in milliseconds. */
  readonly promotionMs: number
  /** Until the primary refused all clients, after the promotion or since it went on; 0 if it was killed. */
  readonly fencedMs: number
  /** What is wrong with the promoted store, or with the one that is restored from the replica. */
  readonly problems: readonly string[]
}

const apartMs = 1500
const fencedMsMax = 30_000

export async function promoteFollower(options: PromotionOptions): Promise<Promotion> {
  const { dir, fault, loadMs } = options
  const [home, standby, again] = ['primary', 'standby', 'restored'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ]
  const { endpoint, env, freshReplica } = options.server
  const replicaBy = freshReplica()
  const link = await cutLink(endpoint)
  const place = { ...options, replica: replicaBy(endpoint), env }
  const primary = await servePrimary({ ...place, replica: replicaBy(link.url), dir: home })
  const client = clientOf(primary)
  const written: Written[] = []
  const load = underLoad(client, written)
  await load.begun
  Object.assign(process.env, env)
  await firstEvent(place.replica)
  const follower = await serveFollower({ ...place, dir: standby })
  const attached = await attachStore(standby)
  try {
    await delay(loadMs)
    const lagEvents = await lagOf(home, standby)
    if (fault === 'killed') await primary.kill()
    if (fault === 'paused') primary.pause()
    if (fault === 'cut off') link.cut()
    if (fault === 'paused' || fault === 'cut off') await delay(apartMs)
    const begun = performance.now()
    await attached.promote()
    await attached.objects.put('box', 'promoted', bodyOf('promoted'))
    const promotionMs = performance.now() - begun
    if (fault === 'paused') primary.goOn()
    if (fault === 'cut off') link.mend()
    const since = performance.now()
    const isFenced = await Promise.race([load.ended().then(() => true), delay(fencedMsMax, false)])
    const fencedMs = fault === 'killed' ? 0 : performance.now() - since
    const { seq } = await attached.status()
    await replicated(attached, seq)
    await Promise.all([primary.kill(), follower.kill()])
    await load.ended()
    const promoted = await judge(standby, written)
    await restoreStore(place.replica, again)
    const restored = await judge(again, written)
    const problems = [...promoted.problems, ...restored.problems]
    if (!isFenced) problems.push('the old primary goes on')
    if (restored.lost.length !== promoted.lost.length) problems.push('the replica has other objects')
    return { acknowledged: written.length, lost: promoted.lost.length, lagEvents, promotionMs, fencedMs, problems }
  } finally {
    client.destroy()
    await Promise.all([primary.kill(), follower.kill()])
    await link.close()
    await rm(dir, { recursive: true })
  }
}

/** The first copy of a replica needs one. */
async function firstEvent(replica: string): Promise<void> {
  for (let waited = 0; waited < fencedMsMax; waited += 100) {
    const isThere = await inspectReplica(replica).then(
      ({ head }) => head > 0,
      () => false,
    )
    if (isThere) return
    await delay(100)
  }
  throw new Error('The replica has no event.')
}

const clientOf = (primary: Primary): S3Client =>
  new S3Client({ endpoint: primary.url, region: 'eu', forcePathStyle: true, credentials: primary, maxAttempts: 1 })

async function lagOf(home: string, standby: string): Promise<number> {
  const [one, other] = await Promise.all([attachStore(home), attachStore(standby)])
  const [head, position] = await Promise.all([one.position(), other.position()])
  return Math.max(0, head - position)
}

/** The promoted store writes the replica on. */
async function replicated(store: Awaited<ReturnType<typeof attachStore>>, seq: number): Promise<void> {
  for (let waited = 0; waited < fencedMsMax; waited += 100) {
    const job = (await store.jobs()).find(({ name }) => name.startsWith('replication'))
    if ((job?.progress?.position ?? 0) >= seq) return
    await delay(100)
  }
  throw new Error('The promoted store does not write the replica.')
}
