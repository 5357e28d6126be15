import { publicAccessBlockElements, readPublicAccessBlock } from './public-access-configuration.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

export const publicAccessBlock: SettingDocument<'PublicAccessBlock'> = {
  kind: 'PublicAccessBlock',
  query: 'publicAccessBlock',
  get: { name: 'GetPublicAccessBlock' },
  put: { name: 'PutPublicAccessBlock' },
  delete: { name: 'DeletePublicAccessBlock' },
  read: (bytes) => readPublicAccessBlock(bytes),
  write: (block, context) => settingAnswer('PublicAccessBlockConfiguration', context, publicAccessBlockElements(block)),
  absent(context) {
    throw settingAbsent(
      'NoSuchPublicAccessBlockConfiguration',
      'The public access block configuration was not found',
      context,
    )
  },
}
