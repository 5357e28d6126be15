/** Transfer acceleration can only be suspended: this server has no faster endpoint, so enabling it would have no effect. */
import { S3Error } from '../errors/errors.ts'
import { readXml } from '../xml/read.ts'
import { object, oneOf } from '../xml/schema.ts'
import { element } from '../xml/write.ts'
import { settingAnswer, type SettingDocument } from './setting-rows.ts'

const root = 'AccelerateConfiguration'
const schema = object({ Status: oneOf('Enabled', 'Suspended') })

export const acceleration: SettingDocument<'Acceleration'> = {
  kind: 'Acceleration',
  query: 'accelerate',
  get: { name: 'GetBucketAccelerateConfiguration' },
  put: { name: 'PutBucketAccelerateConfiguration' },
  read(bytes, { bucket }) {
    const { Status } = readXml(bytes, root, schema)
    if (Status === 'Suspended') return Status
    if (!bucket.includes('.')) throw new S3Error('NotImplemented', 'S3 Transfer Acceleration is not implemented.')
    throw new S3Error(
      'InvalidRequest',
      'S3 Transfer Acceleration is not supported for buckets with periods (.) in their names',
    )
  },
  write: (status, context) => settingAnswer(root, context, [element('Status', status)]),
  absent: (context) => settingAnswer(root, context, []),
}
