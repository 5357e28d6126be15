/** Listings of versions, objects, uploads and parts, as S3 was recorded to page them. */
import { expect } from 'vitest'
import { type TestService, expectStatus } from '../support/test-service.ts'
import { errorOf, recorded } from '../support/recorded.ts'
import type { XmlElement } from '../support/xml.ts'

const keysOf = (listing: XmlElement, element: string) => listing.all(element).map((one) => one.get('Key'))
const prefixesOf = (listing: XmlElement) => listing.all('CommonPrefixes').map((one) => one.get('Prefix'))
const invalid = (ArgumentName: string, ArgumentValue: string, Message: string) => ({
  status: 400,
  Code: 'InvalidArgument',
  Message,
  ArgumentName,
  ArgumentValue,
})

async function filled(service: TestService, keys: readonly string[], versioned = true): Promise<string> {
  const bucket = await service.bucket(versioned ? { versioning: 'Enabled' } : {})
  for (const key of keys) await service.put(`/${bucket}/${key}`)
  return bucket
}

recorded('listing versions', [
  [
    'a version-id-marker needs a key-marker, which is none when it is empty',
    async (service) => {
      const bucket = await filled(service, ['a', 'b'])
      const id = (await service.list(bucket)).all('Version')[0]?.get('VersionId') ?? ''
      const alone = 'A version-id marker cannot be specified without a key marker.'
      for (const query of [`version-id-marker=${id}`, `key-marker=&version-id-marker=${id}`]) {
        const answer = await service.ask(`GET /${bucket}?versions&${query}`)
        expect(errorOf(answer)).toEqual(invalid('version-id-marker', id, alone))
      }
      const fromStart = await service.list(bucket, 'key-marker=&max-keys=1')
      expect([fromStart.get('KeyMarker'), keysOf(fromStart, 'Version')]).toEqual(['', ['a']])
    },
  ],
  [
    'a key-marker alone starts after all versions of its key, or with them, by the dialect',
    async (service, dialect) => {
      const bucket = await filled(service, ['a', 'a', 'b', 'b', 'c'])
      const listing = await service.list(bucket, 'key-marker=b')
      expect(keysOf(listing, 'Version')).toEqual(dialect === 'aws' ? ['c'] : ['b', 'b', 'c'])
    },
  ],
  [
    'a page that ends on a prefix has it for a key marker and no version marker',
    async (service, dialect) => {
      const bucket = await filled(service, ['folder/aSubfolder/subFile1', 'folder/aSubfolder/subFile2', 'folder/file1'])
      const first = await service.list(bucket, 'prefix=folder/&delimiter=/&max-keys=1')
      expect([prefixesOf(first), first.get('IsTruncated')]).toEqual([['folder/aSubfolder/'], 'true'])
      if (dialect === 'aws') {
        expect(first.get('NextKeyMarker')).toBe('folder/aSubfolder/')
        expect(first.get('NextVersionIdMarker')).toBeUndefined()
        const next = await service.list(bucket, 'prefix=folder/&delimiter=/&key-marker=folder/aSubfolder/')
        expect([prefixesOf(next), keysOf(next, 'Version')]).toEqual([[], ['folder/file1']])
      } else expect(first.get('NextKeyMarker')).toBe('folder/file1')
    },
  ],
  [
    'a key marker inside a prefix leaves all of the prefix out, after markers',
    async (service, dialect) => {
      const bucket = await filled(service, ['folder/aSubfolder/subFile1', 'folder/aSubfolder/subFile2', 'folder/file1'])
      const listing = await service.list(bucket, 'prefix=folder/&delimiter=/&key-marker=folder/aSubfolder/subFile1')
      expect(keysOf(listing, 'Version')).toEqual(['folder/file1'])
      expect(prefixesOf(listing)).toEqual(dialect === 'aws' ? [] : ['folder/aSubfolder/'])
    },
  ],
  [
    'a prefix counts once, filters markers as well, and shows when it holds nothing but markers',
    async (service) => {
      const bucket = await filled(service, ['b/1', 'b/2', 'c'])
      for (const key of ['a/1', 'x']) expectStatus(await service.ask(`DELETE /${bucket}/${key}`), 204)
      const page = await service.list(bucket, 'delimiter=/&max-keys=2')
      expect(prefixesOf(page)).toEqual(['a/', 'b/'])
      const under = await service.list(bucket, 'prefix=a/')
      expect([keysOf(under, 'DeleteMarker'), keysOf(under, 'Version')]).toEqual([['a/1'], []])
    },
  ],
  [
    'a full page is the last when nothing else begins with the prefix; a page of none is the last as well',
    async (service) => {
      const bucket = await filled(service, ['a', 'p1', 'p2', 'q'])
      for (const [query, keys] of [
        ['prefix=p&max-keys=2', ['p1', 'p2']],
        ['max-keys=4', ['a', 'p1', 'p2', 'q']],
        ['max-keys=0', []],
      ] as const) {
        const listing = await service.list(bucket, query)
        expect([keysOf(listing, 'Version'), listing.get('IsTruncated')], query).toEqual([keys, 'false'])
        expect(listing.get('NextKeyMarker')).toBeUndefined()
      }
    },
  ],
  [
    'a page size that is no number, or below none, is an invalid argument',
    async (service) => {
      const bucket = await service.bucket()
      for (const size of ['-1', 'many']) {
        const answer = await service.ask(`GET /${bucket}?versions&max-keys=${size}`)
        expect(errorOf(answer)).toMatchObject({ status: 400, Code: 'InvalidArgument', ArgumentName: 'max-keys' })
      }
    },
  ],
  [
    'without versioning every version is null; parameters are echoed, a delimiter only if there is one',
    async (service) => {
      const bucket = await filled(service, ['b', 'a'], false)
      const listing = await service.list(bucket)
      expect(listing.all('Version').map((one) => [one.get('Key'), one.get('VersionId'), one.get('IsLatest')])).toEqual([
        ['a', 'null', 'true'],
        ['b', 'null', 'true'],
      ])
      const echoed = ['Prefix', 'KeyMarker', 'VersionIdMarker', 'MaxKeys', 'Delimiter', 'EncodingType']
      expect(echoed.map((name) => listing.get(name))).toEqual(['', '', '', '1000', undefined, undefined])
      expect(listing.all('Version')[0]?.get('LastModified')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect((await service.list(bucket, 'encoding-type=url')).get('EncodingType')).toBe('url')
    },
  ],
  [
    'encoded for a URL, a slash stays, a space is %20 and a plus %2B',
    async (service) => {
      const bucket = await filled(service, ['a%20b', 'a%2Bb', 'a/b', '%C3%A4'])
      const listing = await service.list(bucket, 'encoding-type=url&prefix=a&key-marker=%C3%84')
      expect([listing.get('Prefix'), listing.get('KeyMarker')]).toEqual(['a', '%C3%84'])
      const all = await service.list(bucket, 'encoding-type=url')
      expect(keysOf(all, 'Version')).toEqual(['a%20b', 'a%2Bb', 'a/b', '%C3%A4'])
    },
  ],
])

recorded('listing objects, uploads and parts', [
  [
    'the only encoding is url, in every listing',
    async (service) => {
      const bucket = await service.bucket()
      for (const query of ['versions&', 'list-type=2&', 'uploads&', '']) {
        for (const value of ['value', '']) {
          const answer = await service.ask(`GET /${bucket}?${query}encoding-type=${value}`)
          const message = 'Invalid Encoding Method specified in Request'
          expect(errorOf(answer), query).toEqual(invalid('encoding-type', value, message))
        }
      }
    },
  ],
  [
    'the first version of the listing gives the next marker only with a delimiter',
    async (service) => {
      const bucket = await filled(service, ['a', 'b', 'c'], false)
      const list = async (query: string) => (await service.ask(`GET /${bucket}?max-keys=1${query}`)).xml()
      expect((await list('&delimiter=/')).get('NextMarker')).toBe('a')
      const plain = await list('&marker=a')
      expect([keysOf(plain, 'Contents'), plain.get('IsTruncated')]).toEqual([['b'], 'true'])
      expect(plain.get('NextMarker')).toBeUndefined()
      expect(keysOf(await list('&marker='), 'Contents')).toEqual(['a'])
    },
  ],
  [
    'uploads name their next markers on the last page too, and empty ones when there are none',
    async (service) => {
      const bucket = await service.bucket()
      const markers = async () => {
        const listing = (await service.ask(`GET /${bucket}?uploads`)).xml()
        return ['IsTruncated', 'NextKeyMarker', 'NextUploadIdMarker'].map((name) => listing.get(name))
      }
      expect(await markers()).toEqual(['false', '', ''])
      await service.upload(`/${bucket}/a`)
      const { uploadId } = await service.upload(`/${bucket}/b`)
      expect(await markers()).toEqual(['false', 'b', uploadId])
    },
  ],
  [
    'a listing of parts takes empty numbers for none',
    async (service) => {
      const bucket = await service.bucket()
      const { path, uploadId } = await service.upload(`/${bucket}/k`, { 1: 'x', 2: 'y' })
      const answer = await service.ask(`GET ${path}?uploadId=${uploadId}&part-number-marker=&max-parts=`)
      const listing = expectStatus(answer, 200).xml()
      expect([listing.all('Part').length, listing.get('MaxParts')]).toEqual([2, '1000'])
    },
  ],
])
