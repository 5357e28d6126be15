import { readAnswer } from '../objects/read-answer.ts'
import { explainReadError } from '../objects/read-errors.ts'
import { readRequest } from '../objects/read-request.ts'
import { annotationHeaders } from '../objects/annotation-headers.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** Answers like GET, without the bytes. */
export const headObject: ObjectOperation = async (context) => {
  const { store, bucket, key } = context
  const reading = readRequest(context)
  const request = reading instanceof Promise ? await reading : reading

  const info = await store.objects.head(bucket, key, request.options).catch(explainReadError(context))

  const annotations = annotationHeaders(context, info)
  return readAnswer(info, request, annotations instanceof Promise ? await annotations : annotations)
}
