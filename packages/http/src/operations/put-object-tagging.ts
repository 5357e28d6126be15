import { annotate, annotatedHeaders } from '../objects/annotated-version.ts'
import { readTagging } from '../xml/tagging.ts'
import { emptyAnswer } from './answer.ts'
import type { ObjectOperation } from './operation.ts'

const bytesMax = 1024 * 1024

/** All the tags there were give way to these. */
export const putObjectTagging: ObjectOperation = async (context) => {
  const value = readTagging(await context.body.small(bytesMax))
  const said = await annotate(context, { kind: 'tags', value }, { method: 'PUT' })
  return emptyAnswer(200, await annotatedHeaders(context, said))
}
