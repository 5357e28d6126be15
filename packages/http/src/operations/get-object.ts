import { bodyBytes, runBytes } from '../budgets/request-budget.ts'
import { objectBody } from '../objects/object-body.ts'
import { readAnswer } from '../objects/read-answer.ts'
import { explainReadError } from '../objects/read-errors.ts'
import { type ReadRequest, readRequest } from '../objects/read-request.ts'
import { saidHeaders } from '../objects/said-headers.ts'
import type { Result } from './answer.ts'
import type { ObjectContext, ObjectOperation } from './operation.ts'

export const getObject: ObjectOperation = async (context) => {
  const { budget } = context
  const request = await readRequest(context)
  return budget.reading(() => readObject(context, request))
}

async function readObject(context: ObjectContext, request: ReadRequest): Promise<Result> {
  const { store, bucket, key, client, downloads, budget } = context
  const giveBack = downloads.take(budget.holder)
  try {
    const { takesBeforeNext: reuseBuffers = false } = client
    const options = { thrifty: giveBack === undefined, reuseBuffers, ...request.options }
    const object = await store.objects.get(bucket, key, options).catch(explainReadError(context))
    try {
      const answer = readAnswer(object, request, await saidHeaders(context, object))
      const { buffered } = object
      // No more than a thrifty download holds: whoever takes it slowly costs no more than any other.
      if (buffered !== undefined && buffered.length <= bodyBytes) {
        giveBack?.()
        return { body: buffered, ...answer }
      }
      budget.holdBody(giveBack === undefined ? bodyBytes : runBytes)
      return { body: objectBody(object, client.signal, giveBack), ...answer }
    } catch (error) {
      await object.close()
      throw error
    }
  } catch (error) {
    giveBack?.()
    throw error
  }
}
