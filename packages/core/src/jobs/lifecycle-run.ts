/**
 * Applies the lifecycle rules of all buckets. It uses ordinary commands with the actor `lifecycle`: the log records
 * each removal and its actor, and versions that Object Lock protects stay.
 */
import type { Command } from '../commands/command.ts'
import { isStorageError } from '../base/errors.ts'
import { Judge, type DueCommand, type JudgedVersion } from '../lifecycle/judge.ts'
import { abortionOf, enabledRules } from '../lifecycle/expiration.ts'
import type { KeyedVersion, ReadSnapshot, NamedBucket, StartPlace } from '../reads/read-snapshot.ts'
import type { LifecycleRule } from '../settings/lifecycle.ts'
import { withSnapshot } from '../requests/read-scope.ts'
import type { Engine } from '../engine/engine.ts'
import { listUploads } from '../listings/list-uploads.ts'
import type { Cancelable } from '../api/types/index.ts'

/** What a run of the lifecycle rules did. */
export interface LifecycleResult {
  /** Objects that expired: removed, or hidden by a delete marker. */
  readonly expired: number
  /** Noncurrent versions and delete markers that were permanently removed. */
  readonly removed: number
  /** Uploads that were aborted. */
  readonly aborted: number
  /** Due versions that Object Lock protects. */
  readonly held: number
}

const actor = { id: 'lifecycle', name: 'lifecycle' }
/** The number of rows read from one snapshot. */
const pageRows = 1000

export class LifecycleRun {
  readonly #engine: Engine
  readonly #signal: AbortSignal | undefined
  readonly #now: number
  #counts = { expired: 0, removed: 0, aborted: 0, held: 0 }

  constructor(engine: Engine, { signal }: Cancelable) {
    this.#engine = engine
    this.#signal = signal
    this.#now = engine.clock.due
  }

  async run(): Promise<LifecycleResult> {
    const { requests } = this.#engine
    const buckets = await withSnapshot({ requests }, (snapshot) => snapshot.buckets(''))
    for (const bucket of buckets) {
      if (bucket.row.settings?.Lifecycle === undefined) continue
      const rules = await this.#rulesOf(bucket)
      await this.#versions(bucket.name, rules)
      await this.#uploads(bucket.name, rules)
    }
    return this.#counts
  }

  async #rulesOf(bucket: NamedBucket): Promise<readonly LifecycleRule[]> {
    const { requests } = this.#engine
    const configuration = await withSnapshot({ requests }, (snapshot) => snapshot.setting(bucket, 'Lifecycle'))
    return configuration === undefined ? [] : enabledRules(configuration)
  }

  async #versions(bucket: string, all: readonly LifecycleRule[]): Promise<void> {
    const rules = all.filter((rule) => rule.expiration !== undefined || rule.noncurrentExpiration !== undefined)
    if (rules.length === 0) return
    const { requests } = this.#engine
    const judge = new Judge({ bucket, rules, now: this.#now, day: requests.lifecycleDayMs })
    const asksForTags = rules.some(({ filter }) => filter.tags !== undefined)
    const page = { bucket, prefix: commonPrefix(rules), asksForTags }
    let start: StartPlace | undefined
    do {
      this.#signal?.throwIfAborted()
      const from = start
      const found = await withSnapshot({ requests }, (snapshot) => versionPage(snapshot, page, from))
      await this.#submit(found.flatMap((version) => judge.next(version)))
      const last = found.at(-1)
      start = found.length < pageRows || last === undefined ? undefined : { key: last.key, place: last.seq - 1 }
    } while (start !== undefined)
    await this.#submit(judge.end())
  }

  async #uploads(bucket: string, rules: readonly LifecycleRule[]): Promise<void> {
    const aborting = rules.filter(({ abortUploadsAfterDays }) => abortUploadsAfterDays !== undefined)
    if (aborting.length === 0) return
    const { requests } = this.#engine
    const day = requests.lifecycleDayMs
    const isDue = (key: string, at: number): boolean => {
      const abortion = abortionOf(aborting, { key, at }, day)
      return abortion !== undefined && abortion.date.getTime() <= this.#now
    }
    const ids = await requests.uploadIds()
    let markers: { readonly keyMarker?: string; readonly uploadIdMarker?: string } | undefined = {}
    while (markers !== undefined) {
      this.#signal?.throwIfAborted()
      const page: Awaited<ReturnType<typeof listUploads>> = await listUploads({ requests }, bucket, markers)
      for (const entry of page.entries) {
        if (entry.kind !== 'upload' || !isDue(entry.key, entry.initiated.getTime())) continue
        const upload = ids.placeOf({ bucket, key: entry.key, uploadId: entry.uploadId })
        await this.#command({ type: 'AbortMultipartUpload', data: upload })
      }
      markers = page.last && {
        keyMarker: page.last.key,
        ...(page.last.uploadId && { uploadIdMarker: page.last.uploadId }),
      }
    }
  }

  async #submit(due: readonly LifecycleCommand[]): Promise<void> {
    await Promise.all(due.map((command) => this.#command(command)))
  }

  async #command(command: LifecycleCommand): Promise<void> {
    const meta = { by: actor, requestId: this.#engine.ports.ids.next(), job: 'lifecycle' }
    try {
      const events = await this.#engine.submit({ ...command, meta })
      if (events.length > 0) this.#counts[countOf[command.type]]++
    } catch (error) {
      if (isStorageError(error, 'AccessDenied')) this.#counts.held++
      // It was removed meanwhile, which is no error.
      else if (!isStorageError(error, 'NoSuchBucket', 'NoSuchUpload')) throw error
    }
  }
}

type LifecycleCommand = DueCommand | Pick<Command<'AbortMultipartUpload'>, 'type' | 'data'>

const countOf = {
  DeleteObject: 'expired',
  DeleteObjectVersion: 'removed',
  AbortMultipartUpload: 'aborted',
} as const satisfies Record<LifecycleCommand['type'], keyof LifecycleResult>

interface PageOfVersions {
  readonly bucket: string
  readonly prefix: string
  readonly asksForTags: boolean
}

async function versionPage(
  snapshot: ReadSnapshot,
  { bucket, prefix, asksForTags }: PageOfVersions,
  start: StartPlace | undefined,
): Promise<readonly JudgedVersion[]> {
  const row = await snapshot.bucket(bucket)
  if (row === undefined) return []
  const walk = snapshot.versions(bucket, prefix, start, pageRows)
  const found: JudgedVersion[] = []
  try {
    while (found.length < pageRows) {
      const version = await walk.next()
      if (version === undefined) break
      const tags = asksForTags ? await tagsOf(snapshot, { name: bucket, row }, version) : []
      found.push(judged(version, tags))
    }
    return found
  } finally {
    await walk.close()
  }
}

async function tagsOf(
  snapshot: ReadSnapshot,
  bucket: NamedBucket,
  { key, row }: KeyedVersion,
): Promise<JudgedVersion['tags']> {
  if (row.deleteMarker) return []
  return (await snapshot.annotations(bucket.row, { bucket: bucket.name, key, row })).tags ?? []
}

const judged = ({ key, row }: KeyedVersion, tags: JudgedVersion['tags']): JudgedVersion => ({
  key,
  size: row.deleteMarker ? 0 : row.size,
  tags,
  at: row.at,
  seq: row.seq,
  version: row.nullVersion ? null : { seq: row.seq, epoch: row.epoch },
  deleteMarker: row.deleteMarker,
})

/** The longest prefix that all rules share. */
function commonPrefix(rules: readonly LifecycleRule[]): string {
  const prefixes = rules.map(({ filter }) => filter.prefix ?? '')
  return prefixes.reduce((common, prefix) => {
    let length = 0
    while (length < common.length && common[length] === prefix[length]) length++
    // Do not cut a surrogate pair in half.
    const code = common.charCodeAt(length - 1)
    return common.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
  })
}
