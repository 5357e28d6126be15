/** Given back to the byte as it was sent. */
import { bucketPolicyBytesMax, checkKnownActions, parseBucketPolicy, policyText } from '../../access/bucket-policy.ts'
import { isPublicPolicy } from '../../access/policy-status.ts'
import { S3Error } from '../../errors.ts'
import { settingAbsent, type SettingDocument } from './setting-rows.ts'

export const policy: SettingDocument<'Policy'> = {
  kind: 'Policy',
  query: 'policy',
  get: { name: 'GetBucketPolicy' },
  put: { name: 'PutBucketPolicy', status: 204 },
  delete: { name: 'DeleteBucketPolicy' },
  read(bytes, { bucket, bucketAccess: { publicAccessBlock } }) {
    if (bytes.length > bucketPolicyBytesMax) {
      throw new S3Error('MalformedPolicy', 'Policy exceeds the maximum allowed document size.')
    }
    const text = policyText(bytes)
    const parsed = parseBucketPolicy(text, bucket)
    checkKnownActions(parsed)
    const isPublic = isPublicPolicy(parsed)
    if (publicAccessBlock?.blockPublicPolicy === true && isPublic) throw new S3Error('AccessDenied', 'Access Denied')
    return text
  },
  write: (text) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: text }),
  absent(context) {
    throw settingAbsent('NoSuchBucketPolicy', 'The bucket policy does not exist', context)
  },
}
