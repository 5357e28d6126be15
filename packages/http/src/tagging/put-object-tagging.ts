import { annotate, annotatedHeaders } from '../objects/annotated-version.ts'
import { readTagging } from './tagging.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'
import { checkWithBody } from '../contract/permissions.ts'

const bytesMax = 1024 * 1024

/** The new tags replace all existing ones. */
export const putObjectTagging: ObjectOperation = async (context) => {
  const value = readTagging(await context.body.small(bytesMax))
  const tagged = Object.fromEntries(value.map((tag) => [`s3:requestobjecttag/${tag.key}`, [tag.value]]))
  await checkWithBody('PutObjectTagging', context, {
    ...tagged,
    's3:requestobjecttagkeys': value.map(({ key }) => key),
  })
  const annotated = await annotate(context, { kind: 'tags', value }, { method: 'PUT' })
  return emptyAnswer(200, await annotatedHeaders(context, annotated))
}
