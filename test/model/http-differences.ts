/** What a client sees over HTTP, compared with the model. */
import { isDeepStrictEqual } from 'node:util'
import {
  answering,
  findObject,
  listBuckets,
  listObjects,
  listUploads,
  listVersions,
  type ModelState,
  refOf,
  sizeOf,
} from '@varve/core/model'
import type { XmlElement } from '../acceptance/support/xml.ts'
import { type Bindings, storedEtag } from './bindings.ts'
import { type Ask, pathOf, unquoted } from './http-command.ts'

/** A line for each difference: buckets, listings, uploads, and the bytes of every key and version. */
export async function httpDifferences(ask: Ask, state: ModelState, bindings: Bindings): Promise<readonly string[]> {
  const { lines, same } = comparing()
  const buckets = (await ask('GET /')).xml().children.find(({ name }) => name === 'Buckets')
  same(
    'buckets',
    buckets?.all('Bucket').map((bucket) => bucket.get('Name')),
    listBuckets(state),
  )
  for (const bucket of state.buckets.keys()) {
    const comparison = { state, bucket, name: bucket, same }
    await compareListings(ask, comparison, bindings)
    const uploads = (await ask(`GET /${bucket}?uploads&encoding-type=url`)).xml()
    same(
      `uploads of ${bucket}`,
      uploads.all('Upload').map((entry) => [keyOf(entry), entry.get('UploadId')]),
      listUploads(state, bucket).map((entry) => ('prefix' in entry ? entry : [entry.key, bindings.upload(entry.name)])),
    )
    await compareObjects(ask, comparison, bindings)
  }
  return lines
}

export interface PastOptions {
  /** The position or the snapshot that is compared. */
  readonly seq: number | string
  /** Compare the bytes too: they may have been erased. */
  readonly bytes: boolean
}

/** A line for each difference between the buckets as they were and the model: listings, and the bytes of every version. */
export async function pastHttpDifferences(
  ask: Ask,
  state: ModelState,
  bindings: Bindings,
  { seq, bytes }: PastOptions,
): Promise<readonly string[]> {
  const { lines, same } = comparing()
  for (const bucket of state.buckets.keys()) {
    const comparison = { state, bucket, name: `${bucket}--at-${seq}`, same }
    await compareListings(ask, comparison, bindings)
    if (bytes) await compareObjects(ask, comparison, bindings)
  }
  return lines
}

function comparing() {
  const lines: string[] = []
  const same = (what: string, actual: unknown, expected: unknown) => {
    if (isDeepStrictEqual(actual, expected)) return
    lines.push(`${what} over HTTP: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
  return { lines, same }
}

interface Comparison {
  readonly state: ModelState
  readonly bucket: string
  /** What the requests call the bucket. */
  readonly name: string
  readonly same: (what: string, actual: unknown, expected: unknown) => void
}

async function compareListings(ask: Ask, { state, bucket, name, same }: Comparison, bindings: Bindings): Promise<void> {
  const versions = (await ask(`GET /${name}?versions&encoding-type=url`)).xml()
  same(`versions of ${name}`, listedVersions(versions, bindings), expectedVersions(state, bucket))
  const objects = (await ask(`GET /${name}?list-type=2&encoding-type=url`)).xml()
  same(
    `objects of ${name}`,
    objects.all('Contents').map((entry) => [keyOf(entry), unquoted(entry.get('ETag')), Number(entry.get('Size'))]),
    listObjects(state, bucket).map((entry) =>
      'prefix' in entry ? entry : [entry.key, storedEtag(entry.object.etag), sizeOf(entry.object.body)],
    ),
  )
}

/** The bytes of every key and version, and how many tags each has. */
async function compareObjects(ask: Ask, { state, bucket, name, same }: Comparison, bindings: Bindings): Promise<void> {
  for (const [key, versions] of state.buckets.get(bucket)?.keys ?? []) {
    for (const ref of [undefined, ...versions.map(refOf)]) {
      const query = ref === undefined ? '' : `?versionId=${bindings.version(ref)}`
      const got = await ask(`GET ${pathOf(name, key)}${query}`)
      const expected = answering(() => findObject(state, bucket, key, ref).object)
      const what = `${ref ?? 'current'} of ${name}/${JSON.stringify(key)}`
      same(what, got.code() ?? got.text, 'ok' in expected ? expected.ok.body : expected.error)
      const tags = 'ok' in expected && expected.ok.tag !== undefined ? '1' : undefined
      same(`tags of ${what}`, got.headers['x-amz-tagging-count'], tags)
    }
  }
}

const keyOf = (entry: XmlElement): string => decodeURIComponent(entry.get('Key') ?? '')

function listedVersions(listing: XmlElement, bindings: Bindings): readonly unknown[] {
  const entries = listing.children.filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
  return entries.map((entry) => [
    keyOf(entry),
    bindings.ref(entry.get('VersionId') ?? ''),
    entry.get('IsLatest') === 'true',
    ...(entry.name === 'Version' ? [unquoted(entry.get('ETag')), Number(entry.get('Size'))] : []),
  ])
}

const expectedVersions = (state: ModelState, bucket: string): readonly unknown[] =>
  listVersions(state, bucket).map((entry) =>
    'prefix' in entry
      ? entry
      : [
          entry.key,
          refOf(entry),
          entry.isLatest,
          ...(entry.object ? [storedEtag(entry.object.etag), sizeOf(entry.object.body)] : []),
        ],
  )
