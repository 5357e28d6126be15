/** What a client sees over HTTP, compared with what the model says. */
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

/** A line for each thing that differs: buckets, listings, uploads, and the bytes of every key and version. */
export async function httpDifferences(ask: Ask, state: ModelState, bindings: Bindings): Promise<readonly string[]> {
  const lines: string[] = []
  const same = (what: string, actual: unknown, expected: unknown) => {
    if (isDeepStrictEqual(actual, expected)) return
    lines.push(`${what} over HTTP: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
  const buckets = (await ask('GET /')).xml().children.find(({ name }) => name === 'Buckets')
  same(
    'buckets',
    buckets?.all('Bucket').map((bucket) => bucket.get('Name')),
    listBuckets(state),
  )
  for (const bucket of state.buckets.keys()) {
    const versions = (await ask(`GET /${bucket}?versions&encoding-type=url`)).xml()
    same(`versions of ${bucket}`, listedVersions(versions, bindings), expectedVersions(state, bucket))
    const objects = (await ask(`GET /${bucket}?list-type=2&encoding-type=url`)).xml()
    same(
      `objects of ${bucket}`,
      objects.all('Contents').map((entry) => [keyOf(entry), unquoted(entry.get('ETag')), Number(entry.get('Size'))]),
      listObjects(state, bucket).map((entry) =>
        'prefix' in entry ? entry : [entry.key, storedEtag(entry.object.etag), sizeOf(entry.object.body)],
      ),
    )
    const uploads = (await ask(`GET /${bucket}?uploads&encoding-type=url`)).xml()
    same(
      `uploads of ${bucket}`,
      uploads.all('Upload').map((entry) => [keyOf(entry), entry.get('UploadId')]),
      listUploads(state, bucket).map((entry) => ('prefix' in entry ? entry : [entry.key, bindings.upload(entry.name)])),
    )
    for (const [key, each] of state.buckets.get(bucket)?.keys ?? []) {
      for (const ref of [undefined, ...each.map(refOf)]) {
        const query = ref === undefined ? '' : `?versionId=${bindings.version(ref)}`
        const got = await ask(`GET ${pathOf(bucket, key)}${query}`)
        const expected = answering(() => findObject(state, bucket, key, ref).object.body)
        const what = `${ref ?? 'current'} of ${bucket}/${JSON.stringify(key)}`
        same(what, got.code() ?? got.text, 'ok' in expected ? expected.ok : expected.error)
        const tag = answering(() => findObject(state, bucket, key, ref).object.tag)
        same(
          `tags of ${what}`,
          got.headers['x-amz-tagging-count'],
          'ok' in tag && tag.ok !== undefined ? '1' : undefined,
        )
      }
    }
  }
  return lines
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
