/** Operations on a bucket that are built, most specific first: the first row whose `when` holds is the operation. */

import type { OperationName } from '../access/permission-table.ts'
import { bypassHeader } from '../object-lock/bypass-governance.ts'
import { creationHeaders } from '../object-operations/creation-options.ts'
import { objectLockEnabledHeader } from '../object-lock/lock-in.ts'
import { createBucket } from '../buckets/create-bucket.ts'
import { signatureFields } from '../form/form-signature.ts'
import { deleteBucket } from '../buckets/delete-bucket.ts'
import { deleteObjects } from '../object-operations/delete-objects.ts'
import { getBucketAcl } from '../acl/get-bucket-acl.ts'
import { getBucketLocation } from '../buckets/get-bucket-location.ts'
import { getBucketPolicyStatus } from '../buckets/get-bucket-policy-status.ts'
import { getBucketVersioning } from '../buckets/get-bucket-versioning.ts'
import { headBucket } from '../buckets/head-bucket.ts'
import { listMultipartUploads } from '../multipart/list-multipart-uploads.ts'
import { listObjectVersions } from '../listings/list-object-versions.ts'
import { listObjects } from '../listings/list-objects.ts'
import { listObjectsV2 } from '../listings/list-objects-v2.ts'
import type { BucketRow, FormRow } from '../contract/operation.ts'
import { writeConditionHeaders } from '../objects/write-conditions.ts'
import { aclHeaderNames } from '../policies/permission-rule.ts'
import { eachKeyActions, permissionsOf } from '../contract/permissions.ts'
import { postObject } from '../object-operations/post-object.ts'
import { putBucketAcl } from '../acl/put-bucket-acl.ts'
import { putBucketVersioning } from '../buckets/put-bucket-versioning.ts'

const listing = ['delimiter', 'encoding-type', 'prefix'] as const

const row = (
  fields: Omit<BucketRow, 'level' | 'permissions' | 'name'> & { readonly name: OperationName },
): BucketRow => ({ level: 'bucket', permissions: permissionsOf(fields.name), ...fields })

export const bucketRows: readonly (BucketRow | FormRow)[] = [
  row({
    name: 'GetBucketAcl',
    method: 'GET',
    when: { query: ['acl'] },
    handler: getBucketAcl,
  }),
  row({
    name: 'GetBucketPolicyStatus',
    method: 'GET',
    when: { query: ['policyStatus'] },
    handler: getBucketPolicyStatus,
  }),
  row({
    name: 'PutBucketAcl',
    method: 'PUT',
    when: { query: ['acl'] },
    understands: aclHeaderNames,
    body: 'document',
    handler: putBucketAcl,
  }),
  row({
    name: 'GetBucketLocation',
    method: 'GET',
    when: { query: ['location'] },
    handler: getBucketLocation,
  }),
  row({
    name: 'GetBucketVersioning',
    method: 'GET',
    when: { query: ['versioning'] },
    handler: getBucketVersioning,
  }),
  row({
    name: 'ListMultipartUploads',
    method: 'GET',
    when: { query: ['uploads'] },
    params: [...listing, 'key-marker', 'max-uploads', 'upload-id-marker'],
    handler: listMultipartUploads,
  }),
  row({
    name: 'ListObjectVersions',
    method: 'GET',
    when: { query: ['versions'] },
    params: [...listing, 'key-marker', 'max-keys', 'version-id-marker'],
    handler: listObjectVersions,
  }),
  row({
    name: 'ListObjectsV2',
    method: 'GET',
    when: { query: [['list-type', '2']] },
    // `marker` is accepted here so that the handler can refuse it with its own error.
    params: [...listing, 'continuation-token', 'fetch-owner', 'marker', 'max-keys', 'start-after'],
    handler: listObjectsV2,
  }),
  row({
    name: 'ListObjects',
    method: 'GET',
    when: {},
    params: [...listing, 'continuation-token', 'list-type', 'marker', 'max-keys', 'start-after'],
    handler: listObjects,
  }),
  row({
    name: 'HeadBucket',
    method: 'HEAD',
    when: {},
    handler: headBucket,
  }),
  row({
    name: 'DeleteBucket',
    method: 'DELETE',
    when: {},
    handler: deleteBucket,
  }),
  row({
    name: 'DeleteObjects',
    method: 'POST',
    when: { query: ['delete'] },
    later: eachKeyActions('DeleteObjects'),
    // Some clients always send this header when they delete, even to buckets without Object Lock. S3 refuses that; here
    // the header has no effect.
    understands: [bypassHeader],
    body: 'document',
    handler: deleteObjects,
  }),
  // Every other POST to a bucket is treated as a form, and refused if it is not one.
  {
    name: 'PostObject',
    method: 'POST',
    level: 'bucket',
    when: {},
    form: true,
    permissions: permissionsOf('PostObject'),
    // Fields become headers, those of the signature too.
    understands: [...creationHeaders, ...writeConditionHeaders, ...signatureFields, 'x-amz-copy-source'],
    handler: postObject,
  },
  row({
    name: 'PutBucketVersioning',
    method: 'PUT',
    when: { query: ['versioning'] },
    body: 'document',
    handler: putBucketVersioning,
  }),
  row({
    name: 'CreateBucket',
    method: 'PUT',
    when: {},
    understands: [objectLockEnabledHeader, ...aclHeaderNames, 'x-amz-object-ownership'],
    takesForkSource: true,
    body: 'document',
    handler: createBucket,
  }),
]
