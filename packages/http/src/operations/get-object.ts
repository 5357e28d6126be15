import { objectBody } from '../objects/object-body.ts'
import { readAnswer } from '../objects/read-answer.ts'
import { explainReadError } from '../objects/read-errors.ts'
import { readRequest } from '../objects/read-request.ts'
import type { ObjectOperation } from './operation.ts'

export const getObject: ObjectOperation = async (context) => {
  const { store, bucket, key, signal, downloads } = context
  const request = await readRequest(context)
  const giveBack = downloads.take()
  try {
    const options = { thrifty: giveBack === undefined, ...request.options }
    const object = await store.objects.get(bucket, key, options).catch(explainReadError(context))
    return { body: objectBody(object, signal, giveBack), ...readAnswer(object, request) }
  } catch (error) {
    giveBack?.()
    throw error
  }
}
