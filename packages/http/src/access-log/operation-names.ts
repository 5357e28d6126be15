/** The names of operations in access logs: `REST.GET.OBJECT`. S3 names the resource, and not the operation. */

const resources: Readonly<Record<string, string>> = {
  ListBuckets: 'SERVICE',
  Accelerate: 'ACCELERATE',
  Cors: 'CORS',
  Encryption: 'ENCRYPTION',
  Lifecycle: 'LIFECYCLE',
  ObjectLock: 'OBJECT_LOCK_CONFIGURATION',
  Logging: 'LOGGING_STATUS',
  Notification: 'NOTIFICATION',
  OwnershipControls: 'OWNERSHIP_CONTROLS',
  PolicyStatus: 'POLICY_STATUS',
  Policy: 'BUCKETPOLICY',
  PublicAccessBlock: 'PUBLIC_ACCESS_BLOCK',
  RequestPayment: 'REQUEST_PAYMENT',
  ObjectTagging: 'OBJECT_TAGGING',
  BucketTagging: 'TAGGING',
  Website: 'WEBSITE',
  ObjectAcl: 'OBJECT_ACL',
  BucketAcl: 'ACL',
  Location: 'LOCATION',
  Versioning: 'VERSIONING',
  ListMultipartUploads: 'UPLOADS',
  ListObjectVersions: 'BUCKETVERSIONS',
  ListObjects: 'BUCKET',
  DeleteObjects: 'MULTI_OBJECT_DELETE',
  PostObject: 'OBJECT',
  ObjectAttributes: 'OBJECT_ATTRIBUTES',
  LegalHold: 'LEGAL_HOLD',
  ObjectRetention: 'RETENTION',
  ObjectTorrent: 'TORRENT',
  ListParts: 'UPLOAD',
  AbortMultipartUpload: 'UPLOAD',
  CompleteMultipartUpload: 'UPLOAD',
  CreateMultipartUpload: 'UPLOADS',
  UploadPart: 'PART',
  Object: 'OBJECT',
  Bucket: 'BUCKET',
}

/** A copy is no PUT in access logs. */
const whole: Readonly<Record<string, string>> = {
  CopyObject: 'REST.COPY.OBJECT',
  UploadPartCopy: 'REST.COPY.PART',
}

interface Named {
  readonly operation?: string
  readonly method: string
  readonly key?: string
}

/** The resource is that of the first name that the operation contains. */
export function operationName({ operation, method, key }: Named): string {
  if (operation === 'Website') return `WEBSITE.${method}.OBJECT`
  const known = operation === undefined ? undefined : whole[operation]
  if (known !== undefined) return known
  if (method === 'OPTIONS') return 'REST.OPTIONS.PREFLIGHT'
  const [, resource] = Object.entries(resources).find(([name]) => operation?.includes(name)) ?? []
  return `REST.${method}.${resource ?? (key === undefined ? 'BUCKET' : 'OBJECT')}`
}
