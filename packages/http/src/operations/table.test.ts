import { describe, expect, it } from 'vitest'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { detect } from './detect.ts'
import type { RequestShape } from './detect.ts'
import type { OperationRow } from '../contract/operation.ts'
import { operations } from './table.ts'

/** The smallest request that matches a row. */
function sampleOf({ method, level, when }: OperationRow): RequestShape {
  const query = (when.query ?? []).map((wanted) => (typeof wanted === 'string' ? wanted : wanted.join('=')))
  const headers = (when.header ?? []).flatMap((wanted) => (typeof wanted === 'string' ? [wanted, 'x'] : [...wanted]))
  return { method, level, query: parseQuery(query.join('&')), headers: createRequestHeaders(headers) }
}

/** The operations of the API reference, without those that share a request with a newer one. */
const reference =
  `AbortMultipartUpload CompleteMultipartUpload CopyObject CreateBucket CreateBucketMetadataConfiguration
  CreateBucketMetadataTableConfiguration CreateMultipartUpload CreateSession DeleteBucket
  DeleteBucketAnalyticsConfiguration DeleteBucketCors DeleteBucketEncryption
  DeleteBucketIntelligentTieringConfiguration DeleteBucketInventoryConfiguration DeleteBucketLifecycle
  DeleteBucketMetadataConfiguration DeleteBucketMetadataTableConfiguration DeleteBucketMetricsConfiguration
  DeleteBucketOwnershipControls DeleteBucketPolicy DeleteBucketReplication DeleteBucketTagging DeleteBucketWebsite
  DeleteObject DeleteObjectAnnotation DeleteObjects DeleteObjectTagging DeletePublicAccessBlock GetBucketAbac
  GetBucketAccelerateConfiguration GetBucketAcl GetBucketAnalyticsConfiguration GetBucketCors GetBucketEncryption
  GetBucketIntelligentTieringConfiguration GetBucketInventoryConfiguration GetBucketLifecycleConfiguration
  GetBucketLocation GetBucketLogging GetBucketMetadataConfiguration GetBucketMetadataTableConfiguration
  GetBucketMetricsConfiguration GetBucketNotificationConfiguration GetBucketOwnershipControls GetBucketPolicy
  GetBucketPolicyStatus GetBucketReplication GetBucketRequestPayment GetBucketTagging GetBucketVersioning
  GetBucketWebsite GetObject GetObjectAcl GetObjectAnnotation GetObjectAttributes GetObjectLegalHold GetObjectLockConfiguration
  GetObjectRetention GetObjectTagging GetObjectTorrent GetPublicAccessBlock HeadBucket HeadObject
  ListBucketAnalyticsConfigurations ListBucketIntelligentTieringConfigurations ListBucketInventoryConfigurations
  ListBucketMetricsConfigurations ListBuckets ListDirectoryBuckets ListMultipartUploads ListObjectAnnotations ListObjects ListObjectsV2
  ListObjectVersions ListParts PostObject PutBucketAbac PutBucketAccelerateConfiguration PutBucketAcl
  PutBucketAnalyticsConfiguration PutBucketCors PutBucketEncryption PutBucketIntelligentTieringConfiguration
  PutBucketInventoryConfiguration PutBucketLifecycleConfiguration PutBucketLogging PutBucketMetricsConfiguration
  PutBucketNotificationConfiguration PutBucketOwnershipControls PutBucketPolicy PutBucketReplication
  PutBucketRequestPayment PutBucketTagging PutBucketVersioning PutBucketWebsite PutObject PutObjectAcl
  PutObjectAnnotation PutObjectLegalHold PutObjectLockConfiguration PutObjectRetention PutObjectTagging PutPublicAccessBlock RenameObject
  RestoreObject SelectObjectContent UpdateBucketMetadataAnnotationTableConfiguration UpdateBucketMetadataInventoryTableConfiguration
  UpdateBucketMetadataJournalTableConfiguration UpdateObjectEncryption UploadPart UploadPartCopy
  WriteGetObjectResponse`.split(/\s+/)

describe('the table of operations', () => {
  it('names every operation once, and every operation there is', () => {
    const names = operations.map(({ name }) => name)
    expect([...names].sort()).toEqual([...reference].sort())
    expect(new Set(names).size).toBe(names.length)
  })

  it.each(operations.map((row) => [row.name, row] as const))('finds %s by its own request', (name, row) => {
    expect(detect(sampleOf(row)).name).toBe(name)
  })

  it('takes x-svc- headers for x-amz- ones', () => {
    const headers = createRequestHeaders(['x-svc-copy-source', '/a/b'])
    const shape = { method: 'PUT', level: 'object', query: parseQuery(''), headers } as const
    expect(detect(shape).name).toBe('CopyObject')
  })

  it('distinguishes versions of the listing by the number, not by its presence', () => {
    const shape = (query: string) =>
      ({ method: 'GET', level: 'bucket', query: parseQuery(query), headers: createRequestHeaders([]) }) as const
    expect(detect(shape('list-type=2')).name).toBe('ListObjectsV2')
    expect(detect(shape('list-type=3')).name).toBe('ListObjects')
  })

  it('refuses a method with the list of those that a resource has', () => {
    const shape = (method: string, level: 'service' | 'bucket' | 'object') =>
      ({ method, level, query: parseQuery(''), headers: createRequestHeaders([]) }) as const
    const refused = { code: 'MethodNotAllowed' }
    expect(() => detect(shape('PUT', 'service'))).toThrow(
      expect.objectContaining({ ...refused, headers: { allow: 'GET' } }),
    )
    expect(() => detect(shape('POST', 'object'))).toThrow(
      expect.objectContaining({ ...refused, headers: { allow: 'DELETE, GET, HEAD, PUT' } }),
    )
  })
})
