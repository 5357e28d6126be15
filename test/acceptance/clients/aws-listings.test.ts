/** ListObjects, version 1 and 2, page by page with the paginators and markers of @aws-sdk/client-s3. */
import {
  DeleteObjectCommand,
  type ListObjectsCommandInput,
  ListObjectsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { byBytes, inBothDialects, type Kept, md5, refusal, type Session } from './session.ts'

const keys = [
  '1',
  'a',
  'a/',
  'a/1',
  'a/2/x',
  'a/2/y',
  'a/3',
  'a-b',
  'b/c/d/e',
  'b/c/f',
  'c',
  'd//e',
  'd/e',
  'ä/1',
  'ä/2',
  '\ue000',
  '😀/1',
  '😀/2',
  'z',
].sort(byBytes)

interface Selection {
  readonly Prefix?: string
  readonly Delimiter?: string
}

const selections: readonly Selection[] = [
  {},
  { Prefix: 'a' },
  { Prefix: 'a/' },
  { Prefix: 'a/2' },
  { Prefix: 'absent' },
  { Delimiter: '/' },
  { Delimiter: '/', Prefix: 'a' },
  { Delimiter: '/', Prefix: 'a/' },
  { Delimiter: '/', Prefix: 'd/' },
  { Delimiter: 'c/' },
  { Delimiter: '😀' },
]

/** What a selection holds, prefixes rolled up, in order. */
function selected({ Prefix = '', Delimiter }: Selection): readonly string[] {
  const entries = keys
    .filter((key) => key.startsWith(Prefix))
    .map((key) => {
      const end = Delimiter === undefined ? -1 : key.indexOf(Delimiter, Prefix.length)
      return end === -1 ? key : `${key.slice(0, end)}${Delimiter} (prefix)`
    })
  return [...new Set(entries)]
}

interface Page {
  readonly Contents?: readonly { readonly Key?: string | undefined }[] | undefined
  readonly CommonPrefixes?: readonly { readonly Prefix?: string | undefined }[] | undefined
}

function entriesOf({ Contents = [], CommonPrefixes = [] }: Page): readonly string[] {
  const found = [...Contents.map(({ Key = '' }) => Key), ...CommonPrefixes.map(({ Prefix }) => `${Prefix} (prefix)`)]
  return found.sort((a, b) => byBytes(a.replace(/ \(prefix\)$/, ''), b.replace(/ \(prefix\)$/, '')))
}

async function filled({ bucket, put }: Session): Promise<string> {
  const Bucket = await bucket()
  await Promise.all(keys.map((key) => put(Bucket, key)))
  return Bucket
}

/** Version 1 as its documentation describes: continue from NextMarker, or from the last key where there is none. */
async function pagesV1({ s3 }: Session, input: ListObjectsCommandInput): Promise<readonly (readonly string[])[]> {
  const pages = []
  for (let Marker: string | undefined; ; ) {
    const page = await s3.send(new ListObjectsCommand({ ...input, Marker }))
    pages.push(entriesOf(page))
    expect(page.NextMarker !== undefined).toBe(page.IsTruncated === true && input.Delimiter !== undefined)
    if (page.IsTruncated !== true) return pages
    Marker = page.NextMarker ?? page.Contents?.at(-1)?.Key
  }
}

async function pagesV2({ s3 }: Session, input: ListObjectsV2CommandInput): Promise<readonly (readonly string[])[]> {
  const pages = []
  for await (const page of paginateListObjectsV2({ client: s3 }, input)) {
    const entries = entriesOf(page)
    expect(page.KeyCount).toBe(entries.length)
    expect(page.NextContinuationToken !== undefined).toBe(page.IsTruncated)
    pages.push(entries)
  }
  return pages
}

/** Full pages, and a last one that may be short; one empty page of nothing. */
function paged(entries: readonly string[], size: number): readonly (readonly string[])[] {
  const pages = Array.from({ length: Math.ceil(entries.length / size) }, (_, at) =>
    entries.slice(at * size, (at + 1) * size),
  )
  return pages.length === 0 ? [[]] : pages
}

inBothDialects('@aws-sdk/client-s3: listings', [
  ...(['pagesV1', 'pagesV2'] as const).map(
    (version): Kept => [
      `every selection comes whole and in order in pages of any size (${version === 'pagesV1' ? 'version 1' : 'version 2'})`,
      async (session) => {
        const Bucket = await filled(session)
        const pages = version === 'pagesV1' ? pagesV1 : pagesV2
        for (const selection of selections) {
          const expected = selected(selection)
          const look = async (MaxKeys: number) =>
            expect(
              await pages(session, { Bucket, ...selection, MaxKeys }),
              `${JSON.stringify(selection)}, ${MaxKeys}`,
            ).toEqual(paged(expected, MaxKeys))
          await Promise.all([1, 2, 3, 5, expected.length, 1000].filter((size) => size > 0).map(look))
        }
      },
    ],
  ),
  [
    'a listing shows every property of each object',
    async ({ bucket, put, s3 }) => {
      const Bucket = await bucket()
      await put(Bucket, 'a', 'some bytes')
      const common = { Key: 'a', Size: 10, ETag: `"${md5('some bytes')}"`, StorageClass: 'STANDARD' }
      const v1 = await s3.send(new ListObjectsCommand({ Bucket }))
      expect(v1).toMatchObject({ Name: Bucket, Prefix: '', Marker: '', MaxKeys: 1000, IsTruncated: false })
      expect(v1.Contents).toMatchObject([{ ...common, Owner: { ID: expect.stringMatching(/\S/) } }])
      const v2 = await s3.send(new ListObjectsV2Command({ Bucket }))
      expect(v2).toMatchObject({ Name: Bucket, Prefix: '', KeyCount: 1, MaxKeys: 1000, IsTruncated: false })
      expect(v2.Contents).toMatchObject([common])
      expect(v2.Contents?.[0]?.Owner).toBeUndefined()
      expect(Math.abs((v2.Contents?.[0]?.LastModified?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
      const owned = await s3.send(new ListObjectsV2Command({ Bucket, FetchOwner: true }))
      expect(owned.Contents?.[0]?.Owner).toEqual(v1.Contents?.[0]?.Owner)
    },
  ],
  [
    'a listing starts after the given key, whether it exists or not, and a token takes precedence',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session)
      for (const StartAfter of ['', '0', 'a', 'a/2', 'a/2/y', 'b/c/d/e', '\ud7ff', '😀/1', 'zz']) {
        const page = await s3.send(new ListObjectsV2Command({ Bucket, StartAfter }))
        expect(entriesOf(page), StartAfter).toEqual(keys.filter((key) => byBytes(key, StartAfter) > 0))
        const rolled = await s3.send(new ListObjectsV2Command({ Bucket, StartAfter, Delimiter: '/' }))
        expect(rolled.KeyCount).toBe(entriesOf(rolled).length)
      }
      const first = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 2 }))
      const ContinuationToken = first.NextContinuationToken
      const next = await s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken, StartAfter: 'z' }))
      expect(next.ContinuationToken).toBe(ContinuationToken)
      expect(entriesOf(next)).toEqual(keys.slice(2))
    },
  ],
  [
    'a token continues at its position, even if its key is deleted and others were added',
    async (session) => {
      const { s3, put } = session
      const Bucket = await filled(session)
      const { Contents, NextContinuationToken } = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 3 }))

      await s3.send(new DeleteObjectCommand({ Bucket, Key: Contents?.at(-1)?.Key }))
      await put(Bucket, '0')
      await put(Bucket, 'zz')
      const rest = await s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken: NextContinuationToken }))
      expect(entriesOf(rest)).toEqual([...keys.slice(3), 'zz'].sort(byBytes))
    },
  ],
  [
    'a page holds a thousand and no more, whatever is requested',
    async ({ bucket, put, s3 }) => {
      const Bucket = await bucket()
      const many = Array.from({ length: 1003 }, (_, number) => `key-${String(number).padStart(4, '0')}`)
      for (let at = 0; at < many.length; at += 100) {
        await Promise.all(many.slice(at, at + 100).map((key) => put(Bucket, key, '')))
      }
      for (const MaxKeys of [undefined, 1000, 5000]) {
        const page = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys }))
        expect([page.KeyCount, page.IsTruncated]).toEqual([1000, true])
      }
      const found = []
      for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket })) found.push(...entriesOf(page))
      expect(found).toEqual(many)
    },
  ],
  [
    'a page of none is empty and the last; sizes and tokens that are none are refused',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session)
      for (const command of [
        new ListObjectsCommand({ Bucket, MaxKeys: 0 }),
        new ListObjectsV2Command({ Bucket, MaxKeys: 0 }),
      ]) {
        const { Contents, IsTruncated, MaxKeys } = await s3.send(command as ListObjectsV2Command)
        expect([Contents, IsTruncated, MaxKeys]).toEqual([undefined, false, 0])
      }
      const refusals: ListObjectsV2CommandInput[] = [
        { Bucket, MaxKeys: -1 },
        { Bucket, ContinuationToken: 'nonsense' },
        { Bucket, EncodingType: 'base64' as 'url' },
      ]
      for (const input of refusals) {
        expect(await refusal(s3.send(new ListObjectsV2Command(input))), JSON.stringify(input)).toEqual([
          'InvalidArgument',
          400,
        ])
      }
      expect(await refusal(s3.send(new ListObjectsV2Command({ Bucket: session.name() })))).toEqual([
        'NoSuchBucket',
        404,
      ])
    },
  ],
  [
    'the parameters of a listing are echoed, encoded on request',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session)
      const input = { Bucket, Prefix: 'ä', Delimiter: '/ +', EncodingType: 'url', StartAfter: 'ä 1+1' } as const
      const page = await s3.send(new ListObjectsV2Command(input))
      expect(page).toMatchObject({
        EncodingType: 'url',
        Prefix: '%C3%A4',
        Delimiter: '/%20%2B',
        StartAfter: '%C3%A4%201%2B1',
      })
      expect(page.Contents?.map(({ Key }) => Key)).toEqual(['%C3%A4/1', '%C3%A4/2'])
      const plain = await s3.send(new ListObjectsV2Command({ ...input, EncodingType: undefined }))
      expect(plain).toMatchObject({ Prefix: 'ä', Delimiter: '/ +', StartAfter: 'ä 1+1' })
      expect(plain.EncodingType).toBeUndefined()
    },
  ],
])
