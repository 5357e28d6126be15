/** Which pages of other origins may use a bucket. The code in `cors/` applies these rules. */
import type { CorsRule } from '@varve/core'
import { readXml } from '../xml/read.ts'
import { list, object, optional, signedInteger, text } from '../xml/schema.ts'
import type { Infer } from '../xml/schema.ts'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

const root = 'CORSConfiguration'
const rulesMax = 100
/** More do not fit in the 64 KiB of a document. */
const wordsMax = 2000
const words = { max: wordsMax }

const rule = object({
  ID: optional(text({ max: 255 })),
  AllowedHeader: list(text(), words),
  AllowedMethod: list(text(), { min: 1, ...words }),
  AllowedOrigin: list(text(), { min: 1, ...words }),
  ExposeHeader: list(text(), words),
  MaxAgeSeconds: optional(signedInteger(2 ** 31 - 1)),
})
const schema = object({ CORSRule: list(rule, { min: 1, max: rulesMax }) })

export const cors: SettingDocument<'Cors'> = {
  kind: 'Cors',
  query: 'cors',
  get: { name: 'GetBucketCors' },
  put: { name: 'PutBucketCors' },
  delete: { name: 'DeleteBucketCors' },
  read: (bytes) => readXml(bytes, root, schema).CORSRule.map(ruleOf),
  write: (rules, context) => settingAnswer(root, context, rules.map(ruleElement)),
  absent(context) {
    throw settingAbsent('NoSuchCORSConfiguration', 'The CORS configuration does not exist', context)
  },
}

function ruleOf(read: Infer<typeof rule>): CorsRule {
  const { ID, AllowedOrigin, AllowedMethod, AllowedHeader, ExposeHeader, MaxAgeSeconds } = read
  return {
    ...(ID !== undefined && { id: ID }),
    allowedOrigins: AllowedOrigin,
    allowedMethods: AllowedMethod,
    allowedHeaders: AllowedHeader,
    exposeHeaders: ExposeHeader,
    ...(MaxAgeSeconds !== undefined && { maxAgeSeconds: MaxAgeSeconds }),
  }
}

function ruleElement(kept: CorsRule): Xml {
  return element('CORSRule', [
    optionalElement('ID', kept.id),
    ...kept.allowedHeaders.map((header) => element('AllowedHeader', header)),
    ...kept.allowedMethods.map((method) => element('AllowedMethod', method)),
    ...kept.allowedOrigins.map((origin) => element('AllowedOrigin', origin)),
    ...kept.exposeHeaders.map((header) => element('ExposeHeader', header)),
    optionalElement('MaxAgeSeconds', kept.maxAgeSeconds),
  ])
}
