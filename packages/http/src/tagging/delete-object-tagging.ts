import { annotate, annotatedHeaders } from '../objects/annotated-version.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

export const deleteObjectTagging: ObjectOperation = async (context) => {
  const annotated = await annotate(context, { kind: 'tags' }, { method: 'DELETE' })
  return emptyAnswer(204, await annotatedHeaders(context, annotated))
}
