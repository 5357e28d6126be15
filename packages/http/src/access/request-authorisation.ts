/**
 * All that was allowed to one request, and what it was allowed on. The store compares that with the state that it answers from
 * or commits to; where it has changed, everything is judged again, of the same identity and the same request.
 */

import {
  type Actor,
  type AnnotatedVersion,
  type Authorisation,
  isStorageError,
  type Place,
  type ReadSet,
  type RequestStore,
} from '@varve/core'
import { S3Error } from '../errors.ts'
import type { Permission, Subject } from '../operations/operation.ts'
import type { S3Action } from './actions.ts'
import { AssumedAccess, assumptionChanged, type AssumedVersion, readAssumed } from './assumptions.ts'
import type { BucketAccessReader } from './bucket-access.ts'
import type { BucketAccess } from './decide-access.ts'
import { type AskedStore, isAllowed } from './is-allowed.ts'
import { type JudgedBucket, type JudgedBuckets, readBucket } from './judged-buckets.ts'
import { mightAllowAnonymous } from './might-allow-anonymous.ts'

export type Tracked = ReadSet[number][]

export interface AccessRequest extends Omit<AskedStore, 'store'> {
  /** The store for questions of who may, which keeps account of what it reads. */
  readonly storeFor: (tracked: Tracked) => RequestStore
  readonly subject: Subject
  readonly permissions: readonly Permission[]
  /**
   * What is judged of each key when the body is known. An anonymous request that could be allowed none of it is refused now; a
   * signed one gets an answer for each key, as from S3.
   */
  readonly later: readonly S3Action[]
  /** Who would do it. */
  readonly by: Actor
  readonly reader: BucketAccessReader
  /** The command says something of the version that the subject names: it is not to be said of another. */
  readonly ofVersion?: boolean
}

/** Something that holds, and what it was found to hold on. */
interface Finding {
  buckets: JudgedBuckets
  readSet: ReadSet
  /** Finds it again. @throws what refuses it */
  readonly renew: (buckets: JudgedBuckets) => Promise<ReadSet>
}

/** What holds of the request as a whole. */
const everywhere = ''

export class RequestAuthorisation implements Authorisation {
  readonly #request: AccessRequest
  /** By the keys that they are about. */
  readonly #findings = new Map<string, Finding[]>()
  #buckets: JudgedBuckets = { own: undefined, source: undefined, readSet: [] }
  #assumed: AssumedAccess | undefined

  constructor(request: AccessRequest) {
    this.#request = request
  }

  /** @throws StorageError `NoSuchBucket`; S3Error `AccessDenied`, and `NoSuchKey` and its kin to those who may list. */
  async begin(): Promise<void> {
    const { permissions, subject, ofVersion } = this.#request
    this.#buckets = await this.#judgeBuckets()
    for (const permission of permissions) if (!(await this.allows(permission))) throw accessDenied()
    const { bucket, key, versionId } = subject
    if (ofVersion && bucket !== undefined && key !== undefined) await this.#keepVersion({ bucket, key, versionId })
  }

  get bucketAccess(): BucketAccess {
    if (this.#buckets.own === undefined) return { owner: this.#request.by }
    return (this.#assumed ??= new AssumedAccess(() => this.#buckets.own as JudgedBucket))
  }

  async allows(permission: Permission): Promise<boolean> {
    const buckets = this.#buckets
    const readSet: Tracked = []
    const isAllowed = await this.#isAllowed(permission, buckets, readSet)
    this.#find(permission, {
      buckets,
      readSet,
      renew: async (current) => {
        const again: Tracked = []
        if (isAllowed === (await this.#isAllowed(permission, current, again))) return again
        // What was made of a no is not what is made of a yes.
        throw isAllowed ? accessDenied() : assumptionChanged()
      },
    })
    return isAllowed
  }

  /** @throws StorageError what `annotations` throws */
  async assume(version: AssumedVersion): Promise<AnnotatedVersion> {
    const found = await this.#keep(version, JSON.stringify)
    if (found instanceof Error) throw found
    return found
  }

  readSet(place?: Place): ReadSet {
    const sets = new Set([this.#buckets.readSet])
    for (const { buckets, readSet } of this.#findingsAt(place)) {
      sets.add(buckets.readSet)
      if (readSet.length > 0) sets.add(readSet)
    }
    // Nearly always: nothing but the bucket was looked at.
    return sets.size === 1 ? this.#buckets.readSet : [...sets].flat()
  }

  async renew(place?: Place): Promise<void> {
    const buckets = await this.#judgeBuckets()
    if (buckets.own !== undefined) this.#assumed?.check(buckets.own)
    for (const finding of this.#findingsAt(place)) {
      finding.readSet = await finding.renew(buckets)
      finding.buckets = buckets
    }
    this.#buckets = buckets
  }

  /** What the request says of its buckets, and whether it could be allowed anything later. */
  async #judgeBuckets(): Promise<JudgedBuckets> {
    const { subject, permissions, later, asked, storeFor, reader, by } = this.#request
    const { bucket, source: { bucket: sourceBucket } = {} } = subject
    const readSet: Tracked = []
    const store = storeFor(readSet)
    const isMade = permissions.some(({ action }) => action === 's3:CreateBucket')
    // Who makes a bucket will own it.
    const own = isMade ? { access: { owner: by }, settings: undefined } : await readBucket(store, reader, bucket)
    const source = sourceBucket === bucket ? own : await readBucket(store, reader, sourceBucket)
    checkOwner(asked.headers.get('x-amz-expected-bucket-owner'), isMade ? undefined : own)
    checkOwner(asked.headers.get('x-amz-source-expected-bucket-owner'), source)
    if (later.length > 0 && asked.identity === undefined && !mightAllowAnonymous(later, own?.access ?? { owner: by })) {
      throw accessDenied()
    }
    return { own, source, readSet }
  }

  #isAllowed(permission: Permission, { own, source }: JudgedBuckets, tracked: Tracked): Promise<boolean> {
    const { subject, asked, people, storeFor } = this.#request
    const isOwn = permission.bucket === subject.bucket
    const bucket = isOwn ? own : permission.bucket === subject.source?.bucket ? source : undefined
    return isAllowed(new Question({ asked, people }, () => storeFor(tracked)), permission, bucket?.access)
  }

  /** That a version stays the one it is, whatever is said of it. */
  async #keepVersion(version: AssumedVersion): Promise<void> {
    await this.#keep(version, ({ seq }) => String(seq))
  }

  async #keep(version: AssumedVersion, sameness: (found: AnnotatedVersion) => string) {
    const { storeFor } = this.#request
    const read = async (tracked: Tracked) => {
      const found = await readAssumed(storeFor(tracked), version)
      return { found, text: isStorageError(found) ? found.code : sameness(found) }
    }
    const buckets = this.#buckets
    const readSet: Tracked = []
    const { found, text } = await read(readSet)
    this.#find(version, {
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

  #find({ bucket, key }: Pick<Permission, 'bucket' | 'key'>, finding: Finding): void {
    const place = key === undefined ? everywhere : placeOf(bucket, key)
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

/** Makes the store that answers it when it is first needed: most questions need none. */
class Question implements AskedStore {
  readonly asked: AskedStore['asked']
  readonly people: AskedStore['people']
  readonly #make: () => RequestStore
  #store: RequestStore | undefined

  constructor({ asked, people }: Omit<AskedStore, 'store'>, make: () => RequestStore) {
    this.asked = asked
    this.people = people
    this.#make = make
  }

  get store(): RequestStore {
    return (this.#store ??= this.#make())
  }
}

const placeOf = (bucket = '', key = ''): string => `${bucket}/${key}`

export function accessDenied(): S3Error {
  return new S3Error('AccessDenied', 'Access Denied')
}

function checkOwner(expected: string | undefined, bucket: JudgedBucket | undefined): void {
  if (expected !== undefined && bucket !== undefined && expected !== bucket.access.owner.id) throw accessDenied()
}
