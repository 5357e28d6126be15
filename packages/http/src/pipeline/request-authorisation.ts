/**
 * All permissions that one request was granted, and the rows that each decision was based on. The store compares these
 * rows with the state that it reads or commits to. If a row has changed, every permission is decided again for the same
 * identity and the same request.
 */

import {
  type AnnotatedVersion,
  type Authorisation,
  isStorageError,
  type PastStore,
  type Place,
  type ReadSet,
  type Seq,
  type TrackedReads,
} from '@varve/core'
import { accessDenied } from '../errors/errors.ts'
import type { Permission } from '../contract/operation.ts'
import { AssumedAccess, assumptionChanged, type AssumedVersion, readAssumed } from '../access/assumptions.ts'
import type { BucketAccess } from '../access/decide-access.ts'
import { type AuthorisationRequest, isAllowed } from '../access/is-allowed.ts'
import type { ReadBucket } from '../access/judged-buckets.ts'
import { isLookedBack } from '../access/looked-back.ts'
import {
  type AccessRequest,
  assertSeen,
  bucketOf,
  isCharged,
  judgeBuckets,
  type RequestBuckets,
} from './request-buckets.ts'

export type Tracked = ReadSet[number][]

/** A decision, and the rows that it was based on. */
interface Finding {
  buckets: RequestBuckets
  readSet: ReadSet
  /**
   * Makes the decision again and returns its read set.
   * @throws the refusal, if the result is different
   */
  readonly renew: (buckets: RequestBuckets) => Promise<ReadSet>
}

/** The place of findings that concern the whole request. */
const everywhere = ''

export class RequestAuthorisation implements Authorisation {
  readonly #request: AccessRequest
  /** Findings by the place (bucket and key) that they are about. */
  readonly #findings = new Map<string, Finding[]>()
  /** True while only the buckets were read, each once. Every finding then has the same read set. */
  #isOfBuckets = true
  #buckets: RequestBuckets = { own: undefined, source: undefined, readSet: [] }
  #assumed: AssumedAccess | undefined

  constructor(request: AccessRequest) {
    this.#request = request
  }

  /**
   * @throws StorageError `NoSuchBucket`; S3Error `AccessDenied`. A requester that may list can get `NoSuchKey` and the
   * like.
   */
  begin(): Promise<void> | undefined {
    const judged = judgeBuckets(this.#request)
    if (judged instanceof Promise) return judged.then((buckets) => this.#beginWith(buckets))
    return this.#beginWith(judged)
  }

  #beginWith(buckets: RequestBuckets): Promise<void> | undefined {
    this.#buckets = buckets
    // Everything that the request does to its key and its bucket depends on these permissions.
    const allowed = this.#requireAll(0)
    return allowed === undefined ? this.#keepNamed() : allowed.then(() => this.#keepNamed())
  }

  /** Decides on the permissions from this one on. A promise only where rows must be read for it. */
  #requireAll(first: number): Promise<void> | undefined {
    const { permissions } = this.#request
    for (let at = first; at < permissions.length; at++) {
      const permission = permissions[at] as Permission
      const allowed = this.#judge(permission, everywhere)
      if (allowed instanceof Promise) {
        return allowed.then((isAllowed) => {
          this.#require(permission, isAllowed)
          return this.#requireAll(at + 1)
        })
      }
      this.#require(permission, allowed)
    }
    return undefined
  }

  #require(permission: Permission, isAllowed: boolean): void {
    if (!isAllowed) throw accessDenied()
    if (permission.at !== undefined) assertSeen(bucketOf(permission, this.#request.subject, this.#buckets))
  }

  #keepNamed(): Promise<void> | undefined {
    const { subject, ofVersion } = this.#request
    const { bucket, key, versionId } = subject
    return ofVersion && bucket !== undefined && key !== undefined
      ? this.#keepVersion({ bucket, key, versionId })
      : undefined
  }

  get bucketAccess(): BucketAccess {
    const { own } = this.#buckets
    if (own === undefined) return { owner: this.#request.by }
    // The past does not change, so nothing has to be assumed.
    if (isLookedBack(own) && own.past !== undefined) return own.past
    return (this.#assumed ??= new AssumedAccess(() => (this.#buckets.own as ReadBucket).bucket))
  }

  /** Whether the requester accepted the charges of a bucket. */
  get isCharged(): boolean {
    const { own, source } = this.#buckets
    const { requestContext } = this.#request
    return isCharged(requestContext, own) || isCharged(requestContext, source)
  }

  /** `undefined` if no bucket was read, as for a new one. */
  get hasCorsRules(): boolean | undefined {
    const { settings } = this.#buckets.own?.bucket ?? {}
    return settings && settings.Cors !== undefined
  }

  async allows(permission: Permission): Promise<boolean> {
    return this.#judge(permission, findingPlace(permission))
  }

  /** @throws StorageError as `annotations` does */
  async assume(version: AssumedVersion): Promise<AnnotatedVersion> {
    const found = await this.#keep(version, JSON.stringify)
    if (found instanceof Error) throw found
    return found
  }

  readSet(place?: Place): ReadSet {
    if (this.#isOfBuckets) return this.#buckets.readSet
    const sets = new Set([this.#buckets.readSet])
    for (const { buckets, readSet } of this.#findingsAt(place)) {
      sets.add(buckets.readSet)
      if (readSet.length > 0) sets.add(readSet)
    }
    return [...sets].flat()
  }

  isFresh(): boolean {
    const { own, source } = this.#buckets
    return this.#isOfBuckets && (own === undefined || own.isFresh()) && (source === undefined || source.isFresh())
  }

  async renew(place?: Place): Promise<void> {
    this.#isOfBuckets = false
    const buckets = await judgeBuckets(this.#request)
    assertSeen(buckets.own)
    assertSeen(buckets.source)
    if (buckets.own !== undefined) this.#assumed?.check(buckets.own.bucket)
    for (const finding of this.#findingsAt(place)) {
      finding.readSet = await finding.renew(buckets)
      finding.buckets = buckets
    }
    this.#buckets = buckets
  }

  /** Returns the result synchronously if the bucket alone decides it. */
  #judge(permission: Permission, place: string): boolean | Promise<boolean> {
    const buckets = this.#buckets
    const readSet: Tracked = []
    const allowed = this.#isAllowed(permission, buckets, readSet)
    const found = (isAllowed: boolean) => this.#findAllowed(permission, { place, buckets, readSet }, isAllowed)
    return typeof allowed === 'boolean' ? found(allowed) : allowed.then(found)
  }

  #findAllowed(
    permission: Permission,
    { place, buckets, readSet }: Omit<Finding, 'renew'> & { readonly place: string },
    isAllowed: boolean,
  ): boolean {
    const renew = async (current: RequestBuckets) => {
      const again: Tracked = []
      if (isAllowed === (await this.#isAllowed(permission, current, again))) return again
      // A changed result invalidates the answer, whether the permission was lost or gained.
      throw isAllowed ? accessDenied() : assumptionChanged()
    }
    this.#find(place, { renew, buckets, readSet })
    return isAllowed
  }

  #isAllowed(permission: Permission, buckets: RequestBuckets, tracked: Tracked): boolean | Promise<boolean> {
    const read = bucketOf(permission, this.#request.subject, buckets)
    return isAllowed(new Question(this.#request, tracked), permission, read?.bucket.access)
  }

  /** Requires that the version stays the same. Its annotations may change. */
  async #keepVersion(version: AssumedVersion): Promise<void> {
    await this.#keep(version, ({ seq }) => String(seq))
  }

  async #keep(version: AssumedVersion, sameness: (found: AnnotatedVersion) => string) {
    const { store } = this.#request
    const read = async (tracked: Tracked) => {
      const reads = version.at === undefined ? store.tracking(tracked) : await store.at(version.at)
      const found = await readAssumed(reads, version)
      return { found, text: isStorageError(found) ? found.code : sameness(found) }
    }
    const buckets = this.#buckets
    const readSet: Tracked = []
    const { found, text } = await read(readSet)
    this.#find(findingPlace(version), {
      buckets,
      readSet,
      renew: async () => {
        const again: Tracked = []
        if ((await read(again)).text !== text) throw assumptionChanged()
        return again
      },
    })
    return found
  }

  #find(place: string, finding: Finding): void {
    if (finding.readSet.length > 0 || finding.buckets !== this.#buckets) this.#isOfBuckets = false
    const found = this.#findings.get(place)
    if (found === undefined) this.#findings.set(place, [finding])
    else found.push(finding)
  }

  *#findingsAt(place: Place | undefined): Iterable<Finding> {
    if (place === undefined) {
      for (const findings of this.#findings.values()) yield* findings
      return
    }
    const { bucket, key, source } = place
    yield* this.#findings.get(everywhere) ?? []
    if (key !== undefined) yield* this.#findings.get(placeOf(bucket, key)) ?? []
    if (source !== undefined) yield* this.#findings.get(placeOf(source.bucket, source.key)) ?? []
  }
}

/** Creates the store reads on first use: most decisions need none. */
class Question implements AuthorisationRequest {
  readonly #request: AccessRequest
  readonly #tracked: Tracked
  #reads: TrackedReads | undefined

  constructor(request: AccessRequest, tracked: Tracked) {
    this.#request = request
    this.#tracked = tracked
  }

  get requestContext(): AuthorisationRequest['requestContext'] {
    return this.#request.requestContext
  }

  get people(): AuthorisationRequest['people'] {
    return this.#request.people
  }

  get reads(): TrackedReads {
    return (this.#reads ??= this.#request.store.tracking(this.#tracked))
  }

  readonly readsAt = (at: Seq): Promise<PastStore> => this.#request.store.at(at)
}

const findingPlace = ({ bucket, key }: Pick<Permission, 'bucket' | 'key'>): string =>
  key === undefined ? everywhere : placeOf(bucket, key)

const placeOf = (bucket = '', key = ''): string => `${bucket}/${key}`
