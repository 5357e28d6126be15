import { objectBody } from '../objects/object-body.ts'
import { readAnswer } from '../objects/read-answer.ts'
import { explainReadError } from '../objects/read-errors.ts'
import { readRequest } from '../objects/read-request.ts'
import { saidHeaders } from '../objects/said-headers.ts'
import type { ObjectOperation } from './operation.ts'

/** No more than a thrifty download holds: whoever takes it slowly costs no more than any other. */
const bufferedBytesMax = 128 * 1024

export const getObject: ObjectOperation = async (context) => {
  const { store, bucket, key, client, downloads } = context
  const request = await readRequest(context)
  const giveBack = downloads.take()
  try {
    const { takesBeforeNext: reuseBuffers = false } = client
    const options = { thrifty: giveBack === undefined, reuseBuffers, ...request.options }
    const object = await store.objects.get(bucket, key, options).catch(explainReadError(context))
    const said = await saidHeaders(context, object).catch(async (error: unknown) => {
      await object.close()
      throw error
    })
    const answer = readAnswer(object, request, said)
    const { buffered } = object
    if (buffered === undefined || buffered.length > bufferedBytesMax) {
      return { body: objectBody(object, client.signal, giveBack), ...answer }
    }
    giveBack?.()
    return { body: buffered, ...answer }
  } catch (error) {
    giveBack?.()
    throw error
  }
}
