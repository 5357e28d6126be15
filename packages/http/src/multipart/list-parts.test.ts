import type { PartPage, PartPageOptions } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { listParts } from './list-parts.ts'

const page: PartPage = {
  upload: {
    bucket: 'b',
    key: 'a b',
    uploadId: 'u',
    initiated: new Date(0),
    owner: { id: 'o', name: 'Otto' },
    initiator: { id: 'i', name: 'Ida' },
    checksumAlgorithm: 'CRC32',
    checksumType: 'COMPOSITE',
  },
  entries: [
    {
      partNumber: 7,
      etag: 'abc',
      size: 5,
      lastModified: new Date('2026-01-02T03:04:05.006Z'),
      checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'AAAAAA==' },
    },
  ],
  isTruncated: true,
  last: 7,
}

function request(query: string, answer = page) {
  const requested: PartPageOptions[] = []
  const uploads = {
    listPartsPage: async (_upload: unknown, options: PartPageOptions) => {
      requested.push(options)
      return answer
    },
  }
  return { requested, context: objectContext({ key: 'a b', query: `uploadId=u&${query}`, store: { uploads } }) }
}

describe('ListParts', () => {
  it('lists what S3 lists, in its order', async () => {
    const { context } = request('encoding-type=url&max-parts=1&part-number-marker=6')
    expect(await listParts(context)).toMatchObject({
      body: [
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListPartsResult>',
        '<Bucket>b</Bucket><Key>a%20b</Key><UploadId>u</UploadId>',
        '<Initiator><ID>i</ID><DisplayName>Ida</DisplayName></Initiator>',
        '<Owner><ID>o</ID><DisplayName>Otto</DisplayName></Owner><StorageClass>STANDARD</StorageClass>',
        '<PartNumberMarker>6</PartNumberMarker><NextPartNumberMarker>7</NextPartNumberMarker>',
        '<MaxParts>1</MaxParts><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>',
        '<Part><PartNumber>7</PartNumber><LastModified>2026-01-02T03:04:05.006Z</LastModified>',
        '<ETag>&quot;abc&quot;</ETag><Size>5</Size><ChecksumCRC32>AAAAAA==</ChecksumCRC32></Part>',
        '<ChecksumAlgorithm>CRC32</ChecksumAlgorithm><ChecksumType>COMPOSITE</ChecksumType></ListPartsResult>',
      ].join(''),
    })
  })

  it('names no next marker on the last page: paginators that look for nothing else would never end', async () => {
    expect(await listParts(request('', { ...page, isTruncated: false }).context)).toMatchObject({
      body: expect.stringMatching(/<PartNumberMarker>0<\/PartNumberMarker><MaxParts>1000</),
    })
  })

  it.each([
    ['', 0, 1000],
    ['part-number-marker=&max-parts=', 0, 1000],
    ['part-number-marker=0&max-parts=0', 0, 0],
    ['part-number-marker=10001&max-parts=1001', 10_000, 1000],
  ])('reads %j as after %i, at most %i', async (query, after, limit) => {
    const { requested, context } = request(query)
    await listParts(context)
    expect(requested).toMatchObject([{ after, limit }])
  })

  it.each(['max-parts=-1', 'max-parts=x', 'part-number-marker=1e3', 'encoding-type=', 'encoding-type=URL'])(
    'refuses %s',
    async (query) => {
      await expect(listParts(request(query).context)).rejects.toThrow(
        expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidArgument')),
      )
    },
  )
})
