import { annotate, annotatedHeaders } from '../objects/annotated-version.ts'
import { emptyAnswer } from './answer.ts'
import type { ObjectOperation } from './operation.ts'

export const deleteObjectTagging: ObjectOperation = async (context) => {
  const said = await annotate(context, { kind: 'tags' }, { method: 'DELETE' })
  return emptyAnswer(204, await annotatedHeaders(context, said))
}
