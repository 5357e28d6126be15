import { readTagging, tagSetElement } from '../../xml/tagging.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

export const tagging: SettingDocument<'Tags'> = {
  kind: 'Tags',
  query: 'tagging',
  get: { name: 'GetBucketTagging', action: 's3:GetBucketTagging' },
  put: { name: 'PutBucketTagging', action: 's3:PutBucketTagging', status: 204 },
  delete: { name: 'DeleteBucketTagging', action: 's3:PutBucketTagging' },
  bytesMax: 1024 * 1024,
  /** No tags are no setting. */
  read(bytes) {
    const tags = readTagging(bytes)
    return tags.length === 0 ? undefined : tags
  },
  write: (tags, context) => settingAnswer('Tagging', context, [tagSetElement(tags)]),
  absent(context) {
    throw settingAbsent('NoSuchTagSet', 'The TagSet does not exist', context)
  },
}
