/** Operations on a bucket that are built, most specific first: the first row whose `when` holds is the operation. */

import { bypassHeader } from '../objects/bypass-governance.ts'
import { creationHeaders } from '../objects/creation/creation-options.ts'
import { objectLockEnabledHeader } from '../objects/creation/lock-in.ts'
import { createBucket } from './create-bucket.ts'
import { deleteBucket } from './delete-bucket.ts'
import { deleteObjects } from './delete-objects.ts'
import { getBucketAcl } from './get-bucket-acl.ts'
import { getBucketLocation } from './get-bucket-location.ts'
import { getBucketPolicyStatus } from './get-bucket-policy-status.ts'
import { getBucketVersioning } from './get-bucket-versioning.ts'
import { headBucket } from './head-bucket.ts'
import { listMultipartUploads } from './list-multipart-uploads.ts'
import { listObjectVersions } from './list-object-versions.ts'
import { listObjects } from './list-objects.ts'
import { listObjectsV2 } from './list-objects-v2.ts'
import type { BucketRow, FormRow } from './operation.ts'
import { aclHeaders } from './screening.ts'
import { askedLater, onBucket, onBucketOrObjects, onObject } from './permissions.ts'
import { postObject } from './post-object.ts'
import { putBucketAcl } from './put-bucket-acl.ts'
import { putBucketVersioning } from './put-bucket-versioning.ts'

const listing = ['delimiter', 'encoding-type', 'prefix'] as const
const row = (fields: Omit<BucketRow, 'level'>): BucketRow => ({ level: 'bucket', ...fields })

export const bucketRows: readonly (BucketRow | FormRow)[] = [
  row({
    name: 'GetBucketAcl',
    method: 'GET',
    when: { query: ['acl'] },
    permissions: onBucket('s3:GetBucketAcl'),
    handler: getBucketAcl,
  }),
  row({
    name: 'GetBucketPolicyStatus',
    method: 'GET',
    when: { query: ['policyStatus'] },
    permissions: onBucket('s3:GetBucketPolicyStatus'),
    handler: getBucketPolicyStatus,
  }),
  row({
    name: 'PutBucketAcl',
    method: 'PUT',
    when: { query: ['acl'] },
    permissions: onBucket('s3:PutBucketAcl'),
    understands: aclHeaders,
    body: 'document',
    handler: putBucketAcl,
  }),
  row({
    name: 'GetBucketLocation',
    method: 'GET',
    when: { query: ['location'] },
    permissions: onBucket('s3:GetBucketLocation'),
    handler: getBucketLocation,
  }),
  row({
    name: 'GetBucketVersioning',
    method: 'GET',
    when: { query: ['versioning'] },
    permissions: onBucket('s3:GetBucketVersioning'),
    handler: getBucketVersioning,
  }),
  row({
    name: 'ListMultipartUploads',
    method: 'GET',
    when: { query: ['uploads'] },
    permissions: onBucket('s3:ListBucketMultipartUploads'),
    params: [...listing, 'key-marker', 'max-uploads', 'upload-id-marker'],
    handler: listMultipartUploads,
  }),
  row({
    name: 'ListObjectVersions',
    method: 'GET',
    when: { query: ['versions'] },
    permissions: onBucketOrObjects('s3:ListBucketVersions'),
    params: [...listing, 'key-marker', 'max-keys', 'version-id-marker'],
    handler: listObjectVersions,
  }),
  row({
    name: 'ListObjectsV2',
    method: 'GET',
    when: { query: [['list-type', '2']] },
    permissions: onBucket('s3:ListBucket'),
    // `marker` is known only to be refused in words of its own.
    params: [...listing, 'continuation-token', 'fetch-owner', 'marker', 'max-keys', 'start-after'],
    handler: listObjectsV2,
  }),
  row({
    name: 'ListObjects',
    method: 'GET',
    when: {},
    permissions: onBucket('s3:ListBucket'),
    params: [...listing, 'continuation-token', 'list-type', 'marker', 'max-keys', 'start-after'],
    handler: listObjects,
  }),
  row({
    name: 'HeadBucket',
    method: 'HEAD',
    when: {},
    permissions: onBucket('s3:ListBucket'),
    handler: headBucket,
  }),
  row({
    name: 'DeleteBucket',
    method: 'DELETE',
    when: {},
    permissions: onBucket('s3:DeleteBucket'),
    handler: deleteBucket,
  }),
  row({
    name: 'DeleteObjects',
    method: 'POST',
    when: { query: ['delete'] },
    permissions: askedLater,
    // Clients that clean up send it always, to buckets without locks too: S3 refuses that, and here it lets nothing through.
    understands: [bypassHeader],
    body: 'document',
    handler: deleteObjects,
  }),
  // Whatever else is sent to a bucket by POST is taken for a form, and is told so when it is none.
  {
    name: 'PostObject',
    method: 'POST',
    level: 'bucket',
    when: {},
    form: true,
    permissions: onObject('s3:PutObject'),
    understands: creationHeaders,
    handler: postObject,
  },
  row({
    name: 'PutBucketVersioning',
    method: 'PUT',
    when: { query: ['versioning'] },
    permissions: onBucket('s3:PutBucketVersioning'),
    body: 'document',
    handler: putBucketVersioning,
  }),
  row({
    name: 'CreateBucket',
    method: 'PUT',
    when: {},
    permissions: onBucket('s3:CreateBucket'),
    understands: [objectLockEnabledHeader, ...aclHeaders, 'x-amz-object-ownership'],
    body: 'document',
    handler: createBucket,
  }),
]
