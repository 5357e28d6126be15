import type { ObjectContent } from '@varve/core'
import { bodyBytes, runBytes } from '../budgets/request-budget.ts'
import { objectBody } from '../objects/object-body.ts'
import { readAnswer } from '../objects/read-answer.ts'
import { readError } from '../objects/read-errors.ts'
import { type ReadRequest, readRequest } from '../objects/read-request.ts'
import { annotationHeaders } from '../objects/annotation-headers.ts'
import type { ObjectContext, ObjectOperation } from '../contract/operation.ts'

export const getObject: ObjectOperation = async (context) => {
  const { client, downloads, budget } = context
  const reading = readRequest(context)
  const request = reading instanceof Promise ? await reading : reading
  const giveBack = downloads.take(budget.holder)
  try {
    const object = await budget.reading(() => openObject(context, request, giveBack === undefined))
    try {
      const annotations = annotationHeaders(context, object)
      const shown = annotations instanceof Promise ? await annotations : annotations
      const answer = readAnswer(object, request, shown)
      if (!isLittle(object)) return { body: objectBody(object, client.signal, giveBack), ...answer }
      giveBack?.()
      return Object.assign(answer, { body: object.buffered })
    } catch (error) {
      await object.close()
      throw error
    }
  } catch (error) {
    giveBack?.()
    throw error
  }
}

/** Opens the object with its first bytes, and reserves memory for them. */
async function openObject(context: ObjectContext, request: ReadRequest, thrifty: boolean): Promise<ObjectContent> {
  const { store, bucket, key, client, budget } = context
  const { takesBeforeNext: reuseBuffers = false } = client
  const options = { thrifty, reuseBuffers, ...request.options }
  let object: ObjectContent | undefined
  try {
    object = await store.objects.get(bucket, key, options)
    if (!isLittle(object)) budget.holdBody(thrifty ? bodyBytes : runBytes)
    return object
  } catch (error) {
    await object?.close()
    throw object === undefined ? await readError(error, context) : error
  }
}

/** Whether the object is no larger than a reduced download holds, so that a slow client costs no more than others. */
const isLittle = (object: ObjectContent): object is ObjectContent & { readonly buffered: Uint8Array } =>
  object.buffered !== undefined && object.buffered.length <= bodyBytes
