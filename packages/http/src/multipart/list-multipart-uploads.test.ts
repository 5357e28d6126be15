import type { UploadPage, UploadPageOptions } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText, elementTexts } from '../contract/answer-text.fixture.ts'
import { listMultipartUploads } from './list-multipart-uploads.ts'

async function list(query: string, page: UploadPage) {
  const requested: UploadPageOptions[] = []
  const listPage = async (_bucket: string, options: UploadPageOptions) => {
    requested.push(options)
    return page
  }
  const result = await listMultipartUploads(objectContext({ query, store: { uploads: { listPage } } }))
  return { result, requested: requested[0] }
}

const upload = {
  kind: 'upload',
  bucket: 'b',
  key: 'k',
  uploadId: 'u',
  initiated: new Date(0),
  owner: { id: 'o', name: 'owner' },
  initiator: { id: 'i', name: 'initiator' },
  checksumAlgorithm: 'CRC32',
  checksumType: 'COMPOSITE',
} as const

describe('ListMultipartUploads', () => {
  it('gives the next markers also when there is no next page', async () => {
    const { result } = await list('', { entries: [upload], isTruncated: false, last: { key: 'k', uploadId: 'u' } })
    expect(answerText(result)).toBe(
      '<ListMultipartUploadsResult><Bucket>b</Bucket><KeyMarker></KeyMarker><UploadIdMarker></UploadIdMarker>' +
        '<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker><Prefix></Prefix>' +
        '<MaxUploads>1000</MaxUploads><IsTruncated>false</IsTruncated><Upload><Key>k</Key><UploadId>u</UploadId>' +
        '<Initiator><ID>i</ID><DisplayName>initiator</DisplayName></Initiator>' +
        '<Owner><ID>o</ID><DisplayName>owner</DisplayName></Owner><StorageClass>STANDARD</StorageClass>' +
        '<Initiated>1970-01-01T00:00:00.000Z</Initiated><ChecksumAlgorithm>CRC32</ChecksumAlgorithm>' +
        '<ChecksumType>COMPOSITE</ChecksumType></Upload></ListMultipartUploadsResult>',
    )
  })

  it('passes over an upload id marker without a key', async () => {
    const empty = { entries: [], isTruncated: false }
    expect((await list('upload-id-marker=u', empty)).requested).toMatchObject({ keyMarker: '', uploadIdMarker: '' })
    expect((await list('key-marker=k&upload-id-marker=u', empty)).requested).toMatchObject({
      keyMarker: 'k',
      uploadIdMarker: 'u',
    })
  })

  it('rolls keys up', async () => {
    const page = { entries: [{ kind: 'prefix', prefix: 'p/' } as const], isTruncated: true, last: { key: 'p/' } }
    const { result } = await list('delimiter=/&max-uploads=1', page)
    expect(elementTexts(result, 'CommonPrefixes')).toEqual(['<Prefix>p/</Prefix>'])
    expect(elementTexts(result, 'NextKeyMarker')).toEqual(['p/'])
    expect(elementTexts(result, 'NextUploadIdMarker')).toEqual([''])
  })
})
