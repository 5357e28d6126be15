/** The permissions of operations on objects. */

import { aclHeaderNames, onObject, onVersion, type PermissionRule } from '../policies/permission-rule.ts'

/** Options of a write, besides its bytes, that need their own permission. */
const annotated: readonly PermissionRule[] = [
  { action: 's3:PutObjectAcl', resource: 'object', when: { headers: aclHeaderNames }, creates: true },
  {
    action: 's3:PutObjectTagging',
    resource: 'object',
    when: { headers: ['x-amz-tagging'], except: [''] },
    creates: true,
  },
  {
    action: 's3:PutObjectRetention',
    resource: 'object',
    when: { headers: ['x-amz-object-lock-mode', 'x-amz-object-lock-retain-until-date'] },
  },
  { action: 's3:PutObjectLegalHold', resource: 'object', when: { headers: ['x-amz-object-lock-legal-hold'] } },
]
const write = (creation: boolean): readonly PermissionRule[] => [
  { action: 's3:PutObject', resource: 'object', creation },
]
/** Comparing an ETag reveals it as reading does. */
const ifMatch: PermissionRule = { action: 's3:GetObject', resource: 'object', when: { headers: ['if-match'] } }
/** The answer has a checkpoint of the log, and making it costs more than the write. */
const receipt: PermissionRule = {
  action: 'varve:ReadCheckpoints',
  resource: 'bucket',
  when: { headers: ['x-varve-receipt'], except: ['false'] },
}
const readSource: PermissionRule = { action: 's3:GetObject', ofVersion: 's3:GetObjectVersion', resource: 'source' }
const read: readonly PermissionRule[] = [
  ...onVersion('s3:GetObject', 's3:GetObjectVersion'),
  {
    action: 's3:GetObjectTagging',
    ofVersion: 's3:GetObjectVersionTagging',
    resource: 'object',
    when: { shown: 'tags' },
    without: 'header left out',
  },
  {
    action: 's3:GetObjectRetention',
    resource: 'object',
    when: { shown: 'retention' },
    without: 'header left out',
  },
  {
    action: 's3:GetObjectLegalHold',
    resource: 'object',
    when: { shown: 'legal hold' },
    without: 'header left out',
  },
]
const bypass = (resource: 'object' | 'each key'): PermissionRule => ({
  action: 's3:BypassGovernanceRetention',
  resource,
  when: { headers: ['x-amz-bypass-governance-retention'], only: ['true'] },
  without: 'header ignored',
})
const tagKeys = ['s3:requestobjecttag', 's3:requestobjecttagkeys']
const retentionKeys = [
  's3:object-lock-mode',
  's3:object-lock-remaining-retention-days',
  's3:object-lock-retain-until-date',
]

export const objectPermissions = {
  GetObject: read,
  HeadObject: read,
  // Attributes reveal as much about the bytes as reading them, so they need that permission too.
  GetObjectAttributes: [
    ...onVersion('s3:GetObject', 's3:GetObjectVersion'),
    ...onVersion('s3:GetObjectAttributes', 's3:GetObjectVersionAttributes'),
  ],
  GetObjectTorrent: onObject('s3:GetObjectTorrent'),
  GetObjectAcl: onVersion('s3:GetObjectAcl', 's3:GetObjectVersionAcl'),
  GetObjectTagging: onVersion('s3:GetObjectTagging', 's3:GetObjectVersionTagging'),
  GetObjectRetention: onObject('s3:GetObjectRetention'),
  GetObjectLegalHold: onObject('s3:GetObjectLegalHold'),

  PutObject: [...write(true), ...annotated, ifMatch, receipt],
  PostObject: [...write(true), ...annotated, ifMatch],
  CopyObject: [
    ...write(true),
    readSource,
    ...annotated,
    ifMatch,
    receipt,
    {
      action: 's3:GetObjectTagging',
      ofVersion: 's3:GetObjectVersionTagging',
      resource: 'source',
      when: { copied: 'tags' },
    },
    { action: 's3:PutObjectTagging', resource: 'object', when: { copied: 'tags' }, creates: true },
  ],
  CreateMultipartUpload: [...write(false), ...annotated],
  UploadPart: write(false),
  UploadPartCopy: [...write(false), readSource],
  CompleteMultipartUpload: [...write(true), ifMatch, receipt],
  AbortMultipartUpload: onObject('s3:AbortMultipartUpload'),
  ListParts: onObject('s3:ListMultipartUploadParts'),

  PutObjectAcl: onVersion('s3:PutObjectAcl', 's3:PutObjectVersionAcl'),
  PutObjectTagging: [
    { action: 's3:PutObjectTagging', ofVersion: 's3:PutObjectVersionTagging', resource: 'object', body: tagKeys },
  ],
  DeleteObjectTagging: onVersion('s3:DeleteObjectTagging', 's3:DeleteObjectVersionTagging'),
  PutObjectRetention: [{ action: 's3:PutObjectRetention', resource: 'object', body: retentionKeys }, bypass('object')],
  PutObjectLegalHold: [{ action: 's3:PutObjectLegalHold', resource: 'object', body: ['s3:object-lock-legal-hold'] }],

  DeleteObject: [
    ...onVersion('s3:DeleteObject', 's3:DeleteObjectVersion'),
    {
      action: 's3:GetObject',
      ofVersion: 's3:GetObjectVersion',
      resource: 'object',
      when: { headers: ['if-match'], except: ['*'] },
    },
    bypass('object'),
    receipt,
  ],
  DeleteObjects: [
    { action: 's3:DeleteObject', ofVersion: 's3:DeleteObjectVersion', resource: 'each key' },
    { action: 's3:GetObject', ofVersion: 's3:GetObjectVersion', resource: 'each key', when: { element: 'ETag' } },
    bypass('each key'),
  ],
} as const satisfies Readonly<Record<string, readonly PermissionRule[]>>
