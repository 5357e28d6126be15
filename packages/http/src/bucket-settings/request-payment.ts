/** Who pays. Nothing is billed here, but requests of others must accept the charges: see `pipeline/request-buckets.ts`. */
import { readXml } from '../xml/read.ts'
import { object, oneOf } from '../xml/schema.ts'
import { element } from '../xml/write.ts'
import { settingAnswer, type SettingDocument } from './setting-rows.ts'

const root = 'RequestPaymentConfiguration'
const schema = object({ Payer: oneOf('BucketOwner', 'Requester') })

export const requestPayment: SettingDocument<'RequestPayment'> = {
  kind: 'RequestPayment',
  query: 'requestPayment',
  get: { name: 'GetBucketRequestPayment' },
  put: { name: 'PutBucketRequestPayment' },
  read: (bytes) => readXml(bytes, root, schema).Payer,
  write: (payer, context) => settingAnswer(root, context, [element('Payer', payer)]),
  absent: (context) => settingAnswer(root, context, [element('Payer', 'BucketOwner')]),
}
