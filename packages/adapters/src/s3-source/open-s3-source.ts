/** Reads a bucket of any server of S3: its objects or its versions, page by page. */
import type { S3Client } from '@aws-sdk/client-s3'
import { type Cancelable, schema, StorageError } from '@varve/core'
import { WrongAnswer } from '../s3-blobs/s3-failure.ts'
import { S3Requests, withinSignal } from '../s3-blobs/s3-requests.ts'
import { createClient, loadSdk, renewCredentials, type Sdk } from '../s3-blobs/s3-sdk.ts'
import { type ListedKind, withListedKinds } from './listed-kinds.ts'
import { limitAnswers } from './limit-answers.ts'
import { listedVersions } from './listed-versions.ts'
import { type S3SourceOptions, s3SourceOptions } from './s3-source-options.ts'
import { sourceFailure } from './source-failure.ts'
import { type SourceObject, sourceObject, type SourcePlace } from './source-object.ts'

/** A version or a delete marker in a listing, or an object, which has no `versionId`. */
export interface ListedSource {
  readonly kind: ListedKind
  readonly key: string
  readonly versionId?: string
  readonly size: number
}

/** A page of a listing. */
export interface SourcePage<T> {
  readonly entries: readonly T[]
  readonly isTruncated: boolean
}

type Versioned = ListedSource & { readonly versionId: string }

const readBytes = 8 * 1024 * 1024
/** Longer than what is read at once, and than a page of a listing can be. */
const answerBytesMax = 2 * readBytes

/**
 * @throws StorageError `InvalidArgument`; `UnsupportedFormat` (`details.kind` is `package`) if `@aws-sdk/client-s3` is not
 * installed
 */
export async function openS3Source(given: S3SourceOptions): Promise<S3Source> {
  const options = schema.checked('options', s3SourceOptions, given)
  const { bucket, endpoint, region, credentials, connections = 16, timeoutMs = 30_000, retries = 4 } = options
  const { forcePathStyle = endpoint !== undefined } = options
  const sdk = await loadSdk()
  const client = createClient(sdk, {
    forcePathStyle,
    connections,
    timeoutMs,
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
  })
  limitAnswers(client, answerBytesMax)
  const requests = new S3Requests({ timeoutMs, retries, connections, renew: () => renewCredentials(client) })
  return new S3Source({ sdk, client, requests, bucket })
}

/** A bucket of a server. Errors of the server are `SourceFailed`, with its code as `details.kind`. */
export class S3Source {
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #requests: S3Requests
  readonly #bucket: string

  constructor(of: {
    readonly sdk: Sdk
    readonly client: S3Client
    readonly requests: S3Requests
    readonly bucket: string
  }) {
    this.#sdk = of.sdk
    this.#client = of.client
    this.#requests = of.requests
    this.#bucket = of.bucket
  }

  /** True if the bucket has, or had, versioning. A server that does not know it has none. */
  async hasVersions({ signal }: Cancelable = {}): Promise<boolean> {
    try {
      const { Status } = await this.#run('Reading the versioning', signal, (abortSignal) =>
        this.#client.send(new this.#sdk.GetBucketVersioningCommand({ Bucket: this.#bucket }), { abortSignal }),
      )
      return Status === 'Enabled' || Status === 'Suspended'
    } catch (error) {
      if (error instanceof StorageError && error.details['kind'] === 'NotImplemented') return false
      throw error
    }
  }

  /** A page of the newest objects after a key. @throws StorageError `SourceFailed`, also if the page does not come after it */
  async objectsPage(
    prefix: string,
    after: string | undefined,
    { signal }: Cancelable = {},
  ): Promise<SourcePage<ListedSource>> {
    const answer = await this.#run('Listing objects', signal, (abortSignal) => {
      const command = new this.#sdk.ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: prefix,
        EncodingType: 'url',
        ...(after !== undefined && { StartAfter: after }),
      })
      return this.#client.send(command, { abortSignal })
    })
    const isEncoded = answer.EncodingType === 'url'
    const entries = (answer.Contents ?? []).map(({ Key = '', Size = 0 }) => ({
      kind: 'object' as const,
      key: decoded(Key, isEncoded),
      size: Size,
    }))
    assertListed(prefix, after, entries)
    if (entries.some(({ key }, i) => key === (entries[i - 1]?.key ?? after))) throw wrongListing()
    return pageOf(entries, answer.IsTruncated === true)
  }

  /**
   * A page of versions after one of them, the newest of a key first. @throws StorageError `SourceFailed`, also if the page does
   * not come after it
   */
  async versionsPage(
    prefix: string,
    after: { readonly key: string; readonly versionId: string } | undefined,
    { signal }: Cancelable = {},
  ): Promise<SourcePage<Versioned>> {
    let kinds: readonly ListedKind[] = []
    const answer = await this.#run('Listing versions', signal, (abortSignal) => {
      const command = new this.#sdk.ListObjectVersionsCommand({
        Bucket: this.#bucket,
        Prefix: prefix,
        EncodingType: 'url',
        ...(after && { KeyMarker: after.key, VersionIdMarker: after.versionId }),
      })
      return this.#client.send(
        withListedKinds(command, (found) => (kinds = found)),
        { abortSignal },
      )
    })
    const isEncoded = answer.EncodingType === 'url'
    const entries = listedVersions(answer, kinds, (key) => decoded(key, isEncoded))
    if (entries === undefined) throw wrongListing()
    assertListed(prefix, after?.key, entries)
    if (entries.some(({ key, versionId }) => key === after?.key && versionId === after.versionId)) throw wrongListing()
    return pageOf(entries, answer.IsTruncated === true)
  }

  async head({ key, versionId }: SourcePlace, { signal }: Cancelable = {}): Promise<SourceObject> {
    const answer = await this.#run(`Reading ${JSON.stringify(key)}`, signal, (abortSignal) =>
      this.#client.send(new this.#sdk.HeadObjectCommand(this.#at({ key, versionId })), { abortSignal }),
    )
    return sourceObject({ key, versionId }, answer, answer.ContentLength ?? 0)
  }

  /** A small object, with all of its bytes. */
  async get(
    { key, versionId }: SourcePlace,
    { signal }: Cancelable = {},
  ): Promise<readonly [SourceObject, Uint8Array]> {
    return this.#run(`Reading ${JSON.stringify(key)}`, signal, async (abortSignal) => {
      const command = new this.#sdk.GetObjectCommand(this.#at({ key, versionId }))
      const answer = await this.#client.send(command, { abortSignal })
      const bytes = (await answer.Body?.transformToByteArray()) ?? new Uint8Array()
      if (answer.ContentLength !== undefined && answer.ContentLength !== bytes.length) throw wrongSize(bytes.length)
      return [sourceObject({ key, versionId }, answer, bytes.length), bytes] as const
    })
  }

  async tags(place: SourcePlace, { signal }: Cancelable = {}) {
    const { TagSet = [] } = await this.#run(`Reading the tags of ${JSON.stringify(place.key)}`, signal, (abortSignal) =>
      this.#client.send(new this.#sdk.GetObjectTaggingCommand(this.#at(place)), { abortSignal }),
    )
    return TagSet.map(({ Key = '', Value = '' }) => ({ key: Key, value: Value }))
  }

  /** The bytes of an object, which must not change meanwhile. Holds 8 MiB of them. */
  async *read(object: SourceObject, { signal }: Cancelable = {}): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < object.size; start += readBytes) {
      const end = Math.min(start + readBytes, object.size)
      yield await this.#run(`Reading ${JSON.stringify(object.key)}`, signal, (abortSignal) =>
        this.#range(object, { start, end }, abortSignal),
      )
    }
  }

  close(): void {
    this.#client.destroy()
  }

  async #range(
    object: SourceObject,
    { start, end }: { readonly start: number; readonly end: number },
    abortSignal: AbortSignal,
  ): Promise<Uint8Array> {
    const { etag, size } = object
    const isWhole = start === 0 && end === size
    const command = new this.#sdk.GetObjectCommand({
      ...this.#at(object),
      ...(!isWhole && { Range: `bytes=${start}-${end - 1}` }),
      ...(etag !== '' && { IfMatch: `"${etag}"` }),
    })
    const { Body } = await this.#client.send(command, { abortSignal })
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
    if (bytes.length === end - start) return bytes
    throw wrongSize(bytes.length)
  }

  #at({ key, versionId }: SourcePlace) {
    return { Bucket: this.#bucket, Key: key, ...(versionId !== undefined && { VersionId: versionId }) }
  }

  async #run<T>(doing: string, signal: AbortSignal | undefined, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await this.#requests.run(doing, (ending) => withinSignal(ending, send(ending)), { signal })
    } catch (error) {
      throw sourceFailure(error)
    }
  }
}

const wrongSize = (found: number): WrongAnswer =>
  new WrongAnswer('WrongSize', `Another number of bytes came: ${found}.`)

const wrongListing = (): StorageError =>
  new StorageError('SourceFailed', 'The server that is imported from sent a listing that cannot be read.', {
    details: { kind: 'WrongAnswer' },
  })

/**
 * Keys begin with the prefix: an import must not replace objects elsewhere. They are in the order of their UTF-8 bytes, from the one that the
 * page comes after: a server that sends a page again would never end. @throws StorageError `SourceFailed`
 */
function assertListed(prefix: string, after: string | undefined, entries: readonly ListedSource[]): void {
  let before = Buffer.from(after ?? '')
  for (const { key } of entries) {
    if (!key.startsWith(prefix)) throw wrongListing()
    const next = Buffer.from(key)
    if (Buffer.compare(before, next) > 0) throw wrongListing()
    before = next
  }
}

/** A listing that says that it goes on, and has nothing, would never end. @throws StorageError `SourceFailed` */
function pageOf<T>(entries: readonly T[], isTruncated: boolean): SourcePage<T> {
  if (isTruncated && entries.length === 0) throw wrongListing()
  return { entries, isTruncated }
}

/** @throws StorageError `SourceFailed` */
function decoded(key: string, isEncoded: boolean): string {
  if (!isEncoded) return key
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    throw wrongListing()
  }
}
