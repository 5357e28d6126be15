import { grantsToOthers } from '../access/acl.ts'
import { S3Error } from '../errors/errors.ts'
import { ownershipElements, readOwnershipControls } from './ownership-controls.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

export const ownership: SettingDocument<'Ownership'> = {
  kind: 'Ownership',
  query: 'ownershipControls',
  get: { name: 'GetBucketOwnershipControls' },
  put: { name: 'PutBucketOwnershipControls' },
  delete: { name: 'DeleteBucketOwnershipControls' },
  read(bytes, { bucketAccess: { acl } }) {
    const value = readOwnershipControls(bytes)
    if (value === 'BucketOwnerEnforced' && acl !== undefined && grantsToOthers(acl)) {
      throw new S3Error(
        'InvalidBucketAclWithObjectOwnership',
        "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
      )
    }
    return value
  },
  write: (value, context) => settingAnswer('OwnershipControls', context, ownershipElements(value)),
  absent(context) {
    throw settingAbsent('OwnershipControlsNotFoundError', 'The bucket ownership controls were not found', context)
  },
}
