import { readTagging, tagSetElement } from '../tagging/tagging.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

export const tagging: SettingDocument<'Tags'> = {
  kind: 'Tags',
  query: 'tagging',
  get: { name: 'GetBucketTagging' },
  put: { name: 'PutBucketTagging', status: 204 },
  delete: { name: 'DeleteBucketTagging' },
  bytesMax: 1024 * 1024,
  /** An empty tag set removes the setting. */
  read(bytes) {
    const tags = readTagging(bytes)
    return tags.length === 0 ? undefined : tags
  },
  write: (tags, context) => settingAnswer('Tagging', context, [tagSetElement(tags)]),
  absent(context) {
    throw settingAbsent('NoSuchTagSet', 'The TagSet does not exist', context)
  },
}
