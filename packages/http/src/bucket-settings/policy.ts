/** The policy of a bucket. It is returned byte for byte as it was sent. */
import { bucketPolicyBytesMax, parseBucketPolicy, policyText } from '../policies/bucket-policy.ts'
import { checkStatements } from '../policies/effective-statements.ts'
import { isPublicPolicy } from '../policies/policy-status.ts'
import { publicAccessBlocked, S3Error } from '../errors/errors.ts'
import { settingAbsent, type SettingDocument } from './setting-rows.ts'

export const policy: SettingDocument<'Policy'> = {
  kind: 'Policy',
  query: 'policy',
  get: { name: 'GetBucketPolicy' },
  // A policy is stored with or without this confirmation: the owner can always change it.
  put: { name: 'PutBucketPolicy', status: 204, understands: ['x-amz-confirm-remove-self-bucket-access'] },
  delete: { name: 'DeleteBucketPolicy' },
  read(bytes, { bucket, bucketAccess: { publicAccessBlock } }) {
    if (bytes.length > bucketPolicyBytesMax) {
      throw new S3Error('MalformedPolicy', 'Policy exceeds the maximum allowed document size.')
    }
    const text = policyText(bytes)
    const parsed = parseBucketPolicy(text, bucket)
    checkStatements(parsed, bucket)
    const isPublic = isPublicPolicy(parsed)
    if (publicAccessBlock?.blockPublicPolicy === true && isPublic) {
      throw publicAccessBlocked('policies', 'BlockPublicPolicy')
    }
    return text
  },
  write: (text) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: text }),
  absent(context) {
    throw settingAbsent('NoSuchBucketPolicy', 'The bucket policy does not exist', context)
  },
}
