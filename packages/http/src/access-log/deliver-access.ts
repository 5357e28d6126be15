/**
 * Delivers the lines of access logs as objects, as S3 does: with best effort, some time later, and with the permission of the
 * target bucket at that time. A delivery is no request, so it has no line of its own.
 */
import { randomBytes } from 'node:crypto'
import type { Authorisation, RequestStore } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { JudgedBuckets, type ReadBucket } from '../access/judged-buckets.ts'
import type { LoggedAccess } from './collect-access.ts'
import { logObjectKey, uniqueBytes } from './log-object-key.ts'
import { logService, mayDeliver } from './may-deliver.ts'

export interface DeliveryOptions {
  readonly store: RequestStore
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** How long a line waits for others, in milliseconds. @default 5 minutes */
  readonly everyMs?: number
  /** The most bytes of an object, as far as lines are not longer. @default 1 MiB */
  readonly bytesMax?: number
  /** The most bytes that wait. What exceeds them is dropped. @default 16 MiB */
  readonly waitingMax?: number
  /** Runs a delivery as a job, which records its error. */
  readonly run: (work: () => Promise<void>) => Promise<void>
}

/** Lines that become one object. */
interface Batch {
  readonly of: LoggedAccess
  readonly day: number
  lines: string
}

const dayMs = 24 * 3_600_000
const defaults = { everyMs: 5 * 60_000, bytesMax: 2 ** 20, waitingMax: 16 * 2 ** 20 }

/** Collects the lines of access logs, and writes them as objects when they are many or have waited. */
export class AccessDelivery {
  readonly #options: DeliveryOptions & typeof defaults
  readonly #judged = new JudgedBuckets()
  #batches = new Map<string, Batch>()
  #waiting = 0
  #dropped = 0
  #timer: NodeJS.Timeout | undefined
  #delivering: Promise<void> = Promise.resolve()

  constructor(options: DeliveryOptions) {
    this.#options = { ...defaults, ...options }
  }

  add(access: LoggedAccess): void {
    const { everyMs, bytesMax, waitingMax } = this.#options
    const { bucket, target, time, line } = access
    if (this.#waiting + line.length > waitingMax) {
      this.#dropped++
      return
    }
    const day = Math.floor(time / dayMs) * dayMs
    const name = JSON.stringify([bucket, day, target])
    const batch = this.#batches.get(name) ?? { of: access, day, lines: '' }
    batch.lines += line
    this.#waiting += line.length
    this.#batches.set(name, batch)
    if (batch.lines.length >= bytesMax) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), everyMs).unref()
  }

  /** Delivers what waits. Resolves when that is over, with or without success. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batches = [...this.#batches.values()]
    this.#batches = new Map()
    const dropped = this.#dropped
    this.#dropped = 0
    if (batches.length === 0) return this.#delivering
    const before = this.#delivering
    this.#delivering = before.then(() => this.#run(batches, dropped))
    return this.#delivering
  }

  async #run(batches: readonly Batch[], dropped: number): Promise<void> {
    for (const batch of batches) {
      await this.#options.run(() => this.#deliver(batch)).catch(() => undefined)
      this.#waiting -= batch.lines.length
    }
    if (dropped === 0) return
    const failed = async (): Promise<void> => {
      throw new S3Error('SlowDown', `${dropped} lines of access logs were dropped: too many waited.`)
    }
    await this.#options.run(failed).catch(() => undefined)
  }

  async #deliver({ of, day, lines }: Batch): Promise<void> {
    const { store, now } = this.#options
    const { bucket: source, owner, target } = of
    const { targetBucket: bucket, targetGrants = [] } = target
    const key = logObjectKey({ ...of, now: now(), day, unique: randomBytes(uniqueBytes).toString('hex').toUpperCase() })
    const authorise = async (): Promise<ReadBucket> => {
      const read = await this.#judged.read(store, bucket)
      const { access } = read.bucket
      if (access.owner.id === owner && mayDeliver(access, { bucket, key, source: { bucket: source, owner } }))
        return read
      const message = `Log delivery may not write to ${bucket}: its policy must allow s3:PutObject to ${logService.name}.`
      throw new S3Error('AccessDenied', message, { details: { BucketName: bucket } })
    }
    let read = await authorise()
    const authorisation: Authorisation = {
      readSet: () => read.readSet,
      isFresh: () => read.isFresh(),
      async renew() {
        read = await authorise()
      },
    }
    // Otherwise log delivery would own the object, and the owner of the bucket could not read it.
    const owned = { grantee: { id: owner }, permission: 'FULL_CONTROL' } as const
    const hasAcl = read.bucket.access.ownership !== 'BucketOwnerEnforced'
    const { id, name } = logService
    await store.as({ by: { id, name }, authorisation }).objects.put(bucket, key, lines, {
      contentType: 'text/plain',
      ...(hasAcl && { acl: { owner, grants: [owned, ...targetGrants] } }),
    })
  }
}
