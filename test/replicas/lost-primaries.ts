/**
 * A primary is killed under load and its directory is deleted. What its clients were told is compared with the store that is restored
 * from its replica.
 */
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CreateBucketCommand, PutBucketVersioningCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { openStore, restoreStore } from 'varve'
import { servePrimary } from './served-primary.ts'

export interface LossOptions {
  /** An empty directory. */
  readonly dir: string
  readonly replica: string
  readonly everyMs: number
  readonly isSynchronous: boolean
  /** The credentials of the replica. */
  readonly env: Readonly<Record<string, string>>
  readonly loadMs: number
}

/** A write that was acknowledged. */
export interface Written {
  readonly key: string
  readonly versionId: string
  /** When the answer came, in milliseconds. */
  readonly at: number
}

export interface Loss {
  readonly acknowledged: number
  /** Acknowledged writes that the restored store does not have. */
  readonly lost: number
  /** How long before the kill the oldest of them was acknowledged, in milliseconds. */
  readonly oldestLostMs: number
  /** What is wrong with the restored store. */
  readonly problems: readonly string[]
  readonly restoreMs: number
}

const bucket = 'box'
const writers = 6

/** Each key has one content. Some are kept in the journal, and some in blobs. */
export const bodyOf = (key: string): string => key.repeat(key.endsWith('7') ? 10_000 : 20)

const etagOf = (key: string): string => createHash('md5').update(bodyOf(key)).digest('hex')

export async function losePrimary(options: LossOptions): Promise<Loss> {
  const { dir, replica, loadMs } = options
  const [home, again] = [join(dir, 'primary'), join(dir, 'restored')]
  const primary = await servePrimary({ ...options, dir: home })
  const client = new S3Client({
    endpoint: primary.url,
    region: 'eu',
    forcePathStyle: true,
    credentials: primary,
    maxAttempts: 1,
  })
  const written: Written[] = []
  const load = underLoad(client, written)
  await load.begun
  await delay(loadMs)
  const killedAt = performance.now()
  await primary.kill()
  await load.ended()
  client.destroy()
  await rm(home, { recursive: true })
  const begun = performance.now()
  Object.assign(process.env, options.env)
  await restoreStore(replica, again)
  const restoreMs = performance.now() - begun
  const judged = await judge(again, written)
  await rm(again, { recursive: true })
  const oldest = Math.min(killedAt, ...judged.lost.map(({ at }) => at))
  return {
    acknowledged: written.length,
    lost: judged.lost.length,
    oldestLostMs: Math.round(killedAt - oldest),
    problems: judged.problems,
    restoreMs,
  }
}

/** `begun` resolves when the first write was answered: a busy machine may take longer than the load for it. */
export function underLoad(client: S3Client, written: Written[]) {
  let isOver = false
  let answered = (): void => undefined
  const firstAnswer = new Promise<void>((resolve) => (answered = resolve))
  const begin = async (): Promise<void> => {
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    const versioned = { Status: 'Enabled' } as const
    await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: versioned }))
  }
  const write = async (name: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const key = `key-${name}-${n}`
      try {
        const answer = await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bodyOf(key) }))
        written.push({ key, versionId: answer.VersionId ?? '', at: performance.now() })
      } catch {
        isOver = true
      }
      answered()
    }
  }
  const beginning = begin()
  const working = beginning.then(() => Promise.all(Array.from({ length: writers }, (_, name) => write(name))))
  return { begun: beginning.then(() => firstAnswer), ended: () => working }
}

export async function judge(dir: string, written: readonly Written[]) {
  const store = await openStore(dir, { controlSocket: false, lifecycle: false })
  const problems: string[] = []
  try {
    for (const { kind, message } of (await store.verify()).divergences) problems.push(`${kind}: ${message}`)
    const there = new Map<string, string>()
    const isThere = await store.buckets.head(bucket).then(
      () => true,
      () => false,
    )
    if (isThere)
      for await (const listed of store.versions.list(bucket)) {
        if (listed.kind !== 'version') continue
        there.set(listed.key, listed.versionId)
        if (listed.etag !== etagOf(listed.key)) problems.push(`${listed.key} has the content of no write`)
      }
    const lost = written.filter(({ key }) => !there.has(key))
    for (const { key, versionId } of written)
      if (there.has(key) && there.get(key) !== versionId) problems.push(`${key} has another version id`)
    return { lost, problems }
  } finally {
    await store.close()
  }
}
