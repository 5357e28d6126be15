import type { ObjectInfo } from '@varve/core'
import { readAnswer } from '../objects/read-answer.ts'
import { readError } from '../objects/read-errors.ts'
import { type ReadRequest, readRequest } from '../objects/read-request.ts'
import { annotationHeaders } from '../objects/annotation-headers.ts'
import type { ObjectContext, ObjectOperation } from '../contract/operation.ts'

/** Answers like GET, without the bytes. */
export const headObject: ObjectOperation = async (context) => {
  const reading = readRequest(context)
  const request = reading instanceof Promise ? await reading : reading

  const info = await headOf(context, request)

  const annotations = annotationHeaders(context, info)
  return readAnswer(info, request, annotations instanceof Promise ? await annotations : annotations)
}

async function headOf(context: ObjectContext, { options }: ReadRequest): Promise<ObjectInfo> {
  const { store, bucket, key } = context
  try {
    return await store.objects.head(bucket, key, options)
  } catch (error) {
    throw await readError(error, context)
  }
}
