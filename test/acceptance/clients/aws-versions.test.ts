/** Versions and delete markers, as @aws-sdk/client-s3 sees them. */
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { byBytes, inBothDialects, type Kept, refusal, refused, type Session, setVersioning } from './session.ts'

/** What was done to a bucket, oldest first: `+key` writes, `-key` deletes. */
const history = [
  '+b',
  '+a/1',
  '+a/1',
  '-a/1',
  '+a/1',
  '+c',
  '-c',
  '-never',
  '+a/2',
  '+b',
  '-b',
  '+d//',
  '+😀',
  '+\ue000',
  '+b',
]

interface Entry {
  readonly key: string
  readonly versionId: string
  readonly marker: boolean
  readonly latest: boolean
}

/** Does all that is in `history`. Its entries as a listing has them: by key, newest first. */
async function lived({ s3, put }: Session, Bucket: string): Promise<readonly Entry[]> {
  const entries: Omit<Entry, 'latest'>[] = []
  for (const [index, step] of history.entries()) {
    const Key = step.slice(1)
    const marker = step.startsWith('-')
    const { VersionId = '' } = marker
      ? await s3.send(new DeleteObjectCommand({ Bucket, Key }))
      : await put(Bucket, Key, `written at ${index}`)
    entries.unshift({ key: Key, versionId: VersionId, marker })
  }
  return entries
    .map((entry, at) => ({ ...entry, latest: entries.findIndex(({ key }) => key === entry.key) === at }))
    .sort((a, b) => byBytes(a.key, b.key))
}

/** Versions and markers of a page, put back into one order: the client sorts them into two lists. */
function entriesOf({ Versions = [], DeleteMarkers = [] }: ListObjectVersionsCommandOutput): readonly Entry[] {
  const entry = (marker: boolean) => (one: { Key?: string; VersionId?: string; IsLatest?: boolean }) => ({
    key: one.Key ?? '',
    versionId: one.VersionId ?? '',
    marker,
    latest: one.IsLatest ?? false,
  })
  return [...Versions.map(entry(false)), ...DeleteMarkers.map(entry(true))]
}

const place = ({ key, versionId }: Entry) => `${key} ${versionId}`
const places = (entries: readonly Entry[]) => entries.map(place).sort()

interface Walk {
  readonly pages: readonly ListObjectVersionsCommandOutput[]
  readonly entries: readonly Entry[]
  readonly prefixes: readonly (string | undefined)[]
}

/** Every page, from the markers of the page before. The same loop works with every S3 server. */
async function walk(
  { s3 }: Session,
  input: ListObjectVersionsCommandInput,
  between: (page: ListObjectVersionsCommandOutput) => Promise<unknown> = () => Promise.resolve(),
): Promise<Walk> {
  const pages: ListObjectVersionsCommandOutput[] = []
  let markers: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> = {}
  for (;;) {
    const page = await s3.send(new ListObjectVersionsCommand({ ...input, ...markers }))
    pages.push(page)
    if (page.IsTruncated !== true) break
    expect(page.NextKeyMarker).toMatch(/./)
    markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
    await between(page)
  }
  const prefixes = pages.flatMap(({ CommonPrefixes = [] }) => CommonPrefixes.map(({ Prefix }) => Prefix))
  return { pages, entries: pages.flatMap(entriesOf), prefixes }
}

const sizeOf = (page: ListObjectVersionsCommandOutput) => entriesOf(page).length + (page.CommonPrefixes?.length ?? 0)
const sizes = [1, 2, 3, 4, 7, 1000]

inBothDialects('@aws-sdk/client-s3: listing versions', [
  ...sizes.map(
    (MaxKeys): Kept => [
      `pages of ${MaxKeys}, each from the markers of the last, hold every version once`,
      async (session) => {
        const Bucket = await session.bucket('Enabled')
        const expected = await lived(session, Bucket)
        const { pages, entries } = await walk(session, { Bucket, MaxKeys })
        expect(pages.map(sizeOf)).toEqual(
          Array.from({ length: Math.ceil(expected.length / MaxKeys) }, (_, at) =>
            Math.min(MaxKeys, expected.length - at * MaxKeys),
          ),
        )
        if (MaxKeys === 1) expect(entries).toEqual(expected)
        expect(places(entries)).toEqual(places(expected))
        expect(new Map(entries.map((one) => [place(one), one]))).toEqual(
          new Map(expected.map((one) => [place(one), one])),
        )
        const versions = pages.flatMap(({ Versions = [] }) => Versions)
        expect(versions.map(({ Key, VersionId }) => `${Key} ${VersionId}`)).toEqual(
          expected.filter(({ marker }) => !marker).map(place),
        )
      },
    ],
  ),
  ...sizes.map(
    (MaxKeys): Kept => [
      `pages of ${MaxKeys} with a delimiter name each prefix once and every other version`,
      async (session) => {
        const Bucket = await session.bucket('Enabled')
        const all = await lived(session, Bucket)
        const rolled = await walk(session, { Bucket, MaxKeys, Delimiter: '/' })
        expect(rolled.prefixes).toEqual(['a/', 'd/'])
        expect(places(rolled.entries)).toEqual(places(all.filter(({ key }) => !key.includes('/'))))
        for (const page of rolled.pages) expect(sizeOf(page)).toBeLessThanOrEqual(MaxKeys)
        const under = await walk(session, { Bucket, MaxKeys, Delimiter: '/', Prefix: 'a/' })
        expect(under.prefixes).toEqual([])
        expect(places(under.entries)).toEqual(places(all.filter(({ key }) => key.startsWith('a/'))))
      },
    ],
  ),
  [
    'the markers are read by the dialect',
    async (session) => {
      const { s3, dialect } = session
      const Bucket = await session.bucket('Enabled')
      const expected = await lived(session, Bucket)
      const page = await s3.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 4 }))
      const marked = expected[dialect === 'neutral' ? 4 : 3]
      expect([page.NextKeyMarker, page.NextVersionIdMarker]).toEqual([marked?.key, marked?.versionId])
      const from = await s3.send(new ListObjectVersionsCommand({ Bucket, KeyMarker: 'b' }))
      const after = expected.filter(({ key }) =>
        dialect === 'neutral' ? byBytes(key, 'b') >= 0 : byBytes(key, 'b') > 0,
      )
      expect(places(entriesOf(from))).toEqual(places(after))
      expect(from.KeyMarker).toBe('b')
      const alone = s3.send(new ListObjectVersionsCommand({ Bucket, VersionIdMarker: marked?.versionId }))
      expect(await refusal(alone)).toEqual(['InvalidArgument', 400])
    },
  ],
  [
    'pages continue at their position, even if the version of their marker is removed',
    async (session) => {
      const { s3, dialect } = session
      const Bucket = await session.bucket('Enabled')
      const expected = await lived(session, Bucket)
      const { entries } = await walk(session, { Bucket, MaxKeys: 1 }, async (page) => {
        const marked = { Key: page.NextKeyMarker, VersionId: page.NextVersionIdMarker }
        await s3.send(new DeleteObjectCommand({ Bucket, ...marked }))
      })
      // One dialect names what it has listed, the other what it would have listed next.
      const listed = expected.filter((_, at) => dialect === 'aws' || at % 2 === 0)
      expect(entries.map(place)).toEqual(listed.map(place))
    },
  ],
  [
    'of a bucket that never had versioning every object is listed as its null version',
    async (session) => {
      const { put, s3 } = session
      const Bucket = await session.bucket()
      for (const key of ['a', 'b', 'a']) await put(Bucket, key)
      const page = await s3.send(new ListObjectVersionsCommand({ Bucket }))
      expect(entriesOf(page)).toEqual([
        { key: 'a', versionId: 'null', marker: false, latest: true },
        { key: 'b', versionId: 'null', marker: false, latest: true },
      ])
      expect(page).toMatchObject({ Name: Bucket, Prefix: '', KeyMarker: '', VersionIdMarker: '', MaxKeys: 1000 })
      expect(page.Versions?.[0]).toMatchObject({ Size: 1, StorageClass: 'STANDARD', Owner: { ID: expect.any(String) } })
    },
  ],
  [
    'encoded as for a URL, keys and markers are and version ids are not',
    async (session) => {
      const { put } = session
      const Bucket = await session.bucket('Enabled')
      const keys = ['a b', 'a+b', 'a/b', 'ä'].sort(byBytes)
      for (const key of keys) await put(Bucket, key)
      const encoded = ['a%20b', 'a%2Bb', 'a/b', '%C3%A4']
      const { s3, dialect } = session
      const first = await s3.send(new ListObjectVersionsCommand({ Bucket, EncodingType: 'url', MaxKeys: 2 }))
      expect(first.Versions?.map(({ Key }) => Key)).toEqual(encoded.slice(0, 2))
      expect(first.NextKeyMarker).toBe(dialect === 'neutral' ? 'a/b' : 'a%2Bb')
      const KeyMarker = decodeURIComponent(first.NextKeyMarker ?? '')
      const VersionIdMarker = first.NextVersionIdMarker
      const next = await s3.send(
        new ListObjectVersionsCommand({ Bucket, EncodingType: 'url', KeyMarker, VersionIdMarker }),
      )
      expect(next.Versions?.map(({ Key }) => Key)).toEqual(encoded.slice(2))
      expect(next.VersionIdMarker).toBe(VersionIdMarker)
    },
  ],
])

/** `DeleteMarker` as the dialect sends it: `false` is sent in one dialect and left out in the other. */
const unmarked = ({ dialect }: Session) => (dialect === 'neutral' ? false : undefined)

inBothDialects('@aws-sdk/client-s3: reading and removing versions', [
  [
    'every version is read by its id, and the newest without',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket('Enabled')
      const ids = []
      for (const text of ['one', 'two', 'three']) ids.push((await put(Bucket, 'k', text)).VersionId)
      expect(new Set(ids).size).toBe(3)
      for (const [index, text] of ['one', 'two', 'three'].entries()) {
        const got = await get(Bucket, 'k', { VersionId: ids[index] })
        expect([got.bytes.toString(), got.VersionId]).toEqual([text, ids[index]])
        const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k', VersionId: ids[index] }))
        expect([head.ContentLength, head.VersionId]).toEqual([text.length, ids[index]])
      }
      expect((await get(Bucket, 'k')).VersionId).toBe(ids[2])
    },
  ],
  [
    'a delete without an id hides the object behind a marker; removing the marker brings it back',
    async (session) => {
      const { bucket, put, get, s3 } = session
      const Bucket = await bucket('Enabled')
      const { VersionId } = await put(Bucket, 'k', 'here')
      const marker = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
      expect(marker.DeleteMarker).toBe(true)
      expect(await refusal(get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
      const hidden = await refused(get(Bucket, 'k'))
      expect(hidden.$response?.headers).toMatchObject({
        'x-amz-delete-marker': 'true',
        'x-amz-version-id': marker.VersionId,
      })
      expect(await refusal(s3.send(new HeadObjectCommand({ Bucket, Key: 'k' })))).toEqual(['NotFound', 404])
      expect((await get(Bucket, 'k', { VersionId })).bytes.toString()).toBe('here')
      expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0)

      const named = { Bucket, Key: 'k', VersionId: marker.VersionId }
      expect(await refusal(get(Bucket, 'k', { VersionId: marker.VersionId }))).toEqual(['MethodNotAllowed', 405])
      const head = await refused(s3.send(new HeadObjectCommand(named)))
      expect(head.$metadata.httpStatusCode).toBe(405)
      expect(head.$response?.headers).toMatchObject({ 'x-amz-delete-marker': 'true', allow: 'DELETE' })

      const removed = await s3.send(new DeleteObjectCommand(named))
      expect([removed.DeleteMarker, removed.VersionId]).toEqual([true, marker.VersionId])
      expect((await get(Bucket, 'k')).bytes.toString()).toBe('here')
    },
  ],
  [
    'a version removed by id is gone, and the one before it is the newest',
    async (session) => {
      const { bucket, put, get, s3 } = session
      const Bucket = await bucket('Enabled')
      const first = await put(Bucket, 'k', 'first')
      const { VersionId } = await put(Bucket, 'k', 'second')
      const remove = () => s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId }))
      const removed = await remove()
      expect([removed.$metadata.httpStatusCode, removed.DeleteMarker]).toEqual([204, unmarked(session)])
      expect(removed.VersionId).toBe(VersionId)
      expect((await get(Bucket, 'k')).VersionId).toBe(first.VersionId)
      expect(await refusal(get(Bucket, 'k', { VersionId }))).toEqual(['NoSuchVersion', 404])
      expect((await remove()).VersionId).toBe(VersionId)
      expect(await refusal(get(Bucket, 'k', { VersionId: 'nonsense' }))).toEqual(['InvalidArgument', 400])
      expect(await refusal(s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId: 'nonsense' })))).toEqual([
        'InvalidArgument',
        400,
      ])
    },
  ],
  [
    'a key that never was gets a marker as well, and each delete adds one',
    async ({ bucket, s3 }) => {
      const Bucket = await bucket('Enabled')
      const remove = () => s3.send(new DeleteObjectCommand({ Bucket, Key: 'never' }))
      const ids = [(await remove()).VersionId, (await remove()).VersionId]
      const { DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
      expect(DeleteMarkers?.map(({ VersionId, IsLatest }) => [VersionId, IsLatest])).toEqual([
        [ids[1], true],
        [ids[0], false],
      ])
    },
  ],
  [
    'while versioning is suspended there is one null version, replaced by writes and deletes; the others stay',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket('Enabled')
      const kept = await put(Bucket, 'k', 'kept')
      await setVersioning(s3, Bucket, 'Suspended')
      for (const text of ['one', 'two']) expect((await put(Bucket, 'k', text)).VersionId).toBeUndefined()
      const got = await get(Bucket, 'k')
      expect([got.bytes.toString(), got.VersionId]).toEqual(['two', 'null'])
      expect((await get(Bucket, 'k', { VersionId: 'null' })).bytes.toString()).toBe('two')
      const listed = async () => entriesOf(await s3.send(new ListObjectVersionsCommand({ Bucket })))
      const older = { key: 'k', versionId: kept.VersionId, marker: false, latest: false }
      expect(await listed()).toEqual([{ key: 'k', versionId: 'null', marker: false, latest: true }, older])
      for (const _ of [1, 2]) {
        const marker = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
        expect([marker.DeleteMarker, marker.VersionId]).toEqual([true, 'null'])
        expect(new Set(await listed())).toEqual(
          new Set([{ key: 'k', versionId: 'null', marker: true, latest: true }, older]),
        )
      }
      const copy = { Bucket, Key: 'k', CopySource: `${Bucket}/k?versionId=${kept.VersionId}` }
      expect((await s3.send(new CopyObjectCommand(copy))).VersionId).toBe('null')
      expect((await get(Bucket, 'k')).bytes.toString()).toBe('kept')
      expect(await listed()).toEqual([{ key: 'k', versionId: 'null', marker: false, latest: true }, older])
    },
  ],
  [
    'what was written before versioning keeps the id null, and comes back when newer ones go',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', 'before')
      await setVersioning(s3, Bucket, 'Enabled')
      expect((await get(Bucket, 'k')).VersionId).toBe('null')
      const { VersionId } = await put(Bucket, 'k', 'after')
      const marker = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
      expect((await get(Bucket, 'k', { VersionId: 'null' })).bytes.toString()).toBe('before')
      const Objects = [marker.VersionId, VersionId].map((id) => ({ Key: 'k', VersionId: id }))
      await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
      const got = await get(Bucket, 'k')
      expect([got.bytes.toString(), got.VersionId]).toEqual(['before', 'null'])
    },
  ],
  [
    'without versioning the only id is null, and no answer shows it',
    async (session) => {
      const { bucket, put, get, s3 } = session
      const Bucket = await bucket()
      expect((await put(Bucket, 'k', 'x')).VersionId).toBeUndefined()
      const got: HeadObjectCommandOutput = await get(Bucket, 'k', { VersionId: 'null' })
      expect(got.VersionId).toBeUndefined()
      const elsewhere = await put(await bucket('Enabled'), 'k')
      for (const VersionId of ['nonsense', elsewhere.VersionId]) {
        const { name, $metadata } = await refused(get(Bucket, 'k', { VersionId }))
        expect([name, $metadata.httpStatusCode]).toEqual(['InvalidArgument', 400])
      }
      const removed = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId: 'null' }))
      expect([removed.DeleteMarker, removed.VersionId]).toEqual([undefined, undefined])
      expect(await refusal(get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
    },
  ],
])
