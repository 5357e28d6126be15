/** The default encryption of new objects. */
import type { BucketEncryption } from '@varve/core'
import { readXml } from '../xml/read.ts'
import { boolean, list, object, oneOf, optional, text } from '../xml/schema.ts'
import { element } from '../xml/write.ts'
import { malformed } from '../xml/malformed.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

const root = 'ServerSideEncryptionConfiguration'
const schema = object({
  Rule: list(
    object({
      ApplyServerSideEncryptionByDefault: optional(
        object({
          SSEAlgorithm: oneOf('AES256', 'aws:kms', 'aws:kms:dsse'),
          KMSMasterKeyID: optional(text({ max: 2048 })),
        }),
      ),
      BucketKeyEnabled: optional(boolean()),
    }),
    { min: 1, max: 10 },
  ),
})

export const encryption: SettingDocument<'Encryption'> = {
  kind: 'Encryption',
  query: 'encryption',
  get: { name: 'GetBucketEncryption' },
  put: { name: 'PutBucketEncryption' },
  delete: { name: 'DeleteBucketEncryption' },
  read(bytes) {
    const [rule, another] = readXml(bytes, root, schema).Rule
    if (rule === undefined || another !== undefined) throw malformed('there must be one rule')
    const { ApplyServerSideEncryptionByDefault: applied, BucketKeyEnabled: bucketKey = false } = rule
    if (applied === undefined) throw malformed('the rule must say what applies')
    const { SSEAlgorithm: mode, KMSMasterKeyID: keyName } = applied
    return { mode, ...(keyName !== undefined && { keyName }), bucketKey }
  },
  write: (value, context) => settingAnswer(root, context, [ruleElement(value)]),
  absent(context) {
    throw settingAbsent(
      'ServerSideEncryptionConfigurationNotFoundError',
      'The server side encryption configuration was not found',
      context,
    )
  },
}

const ruleElement = ({ mode, keyName, bucketKey = false }: BucketEncryption) =>
  element('Rule', [
    element('ApplyServerSideEncryptionByDefault', [
      element('SSEAlgorithm', mode),
      ...(keyName === undefined ? [] : [element('KMSMasterKeyID', keyName)]),
    ]),
    element('BucketKeyEnabled', bucketKey),
  ])
