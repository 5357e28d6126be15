/** Faults that a test requests: delays, errors and lost connections for the requests that match. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { schema } from '@varve/core'
import { type Answer, type AnswerBody, type InterceptedRequest, type Result, S3Error } from '@varve/http'
import { type Fault, type FaultRule, faultRule, type FaultTarget } from './fault-rule.ts'

/** A fault that was added. */
export interface AddedFault {
  /** How many requests it has met. */
  readonly count: number
  /** Later requests do not meet it. Idempotent. */
  remove(): void
}

/** The faults of a server for tests. A request meets the first fault that it matches, in the order of their addition. */
export interface Faults {
  /** @throws StorageError `InvalidArgument` */
  add(rule: FaultRule): AddedFault
  /** Removes all faults. */
  clear(): void
}

interface Live {
  readonly rule: FaultRule
  /** The requests that matched, and those of them that met the fault. */
  matched: number
  met: number
}

export class FaultList implements Faults {
  #all: Live[] = []

  add(given: FaultRule): AddedFault {
    const fault: Live = { rule: schema.checked('rule', faultRule, given), matched: 0, met: 0 }
    this.#all = [...this.#all, fault]
    return {
      get count() {
        return fault.met
      },
      remove: () => {
        this.#all = this.#all.filter((each) => each !== fault)
      },
    }
  }

  clear(): void {
    this.#all = []
  }

  /** Answers a request, with the fault that it meets. */
  async answer(request: InterceptedRequest, answer: () => Promise<Result>): Promise<Result> {
    const fault = this.#all.find((each) => meets(each, request))?.rule.fault
    return fault === undefined ? answer() : withFault(fault, request, answer)
  }
}

/** Counts the request. */
function meets(fault: Live, request: InterceptedRequest): boolean {
  const { when = {}, times = Number.POSITIVE_INFINITY } = fault.rule
  if (!matches(when, request)) return false
  fault.matched++
  if (when.nth !== undefined ? fault.matched !== when.nth : fault.met >= times) return false
  fault.met++
  return true
}

function matches(when: FaultTarget, { method, operation, bucket, key }: InterceptedRequest): boolean {
  if (when.method !== undefined && when.method !== method) return false
  if (when.operation !== undefined && when.operation !== operation) return false
  if (when.bucket !== undefined && when.bucket !== bucket) return false
  if (when.key === undefined) return true
  if (key === undefined) return false
  // `search` starts at the beginning of the key also for an expression with the flag `g`.
  return typeof when.key === 'string' ? when.key === key : key.search(when.key) !== -1
}

async function withFault(fault: Fault, request: InterceptedRequest, answer: () => Promise<Result>): Promise<Result> {
  switch (fault.kind) {
    case 'slow':
      await setTimeout(fault.ms, undefined, { signal: request.client.signal })
      return answer()
    case 'error':
      throw new S3Error(fault.code, '')
    case 'status':
      return { status: fault.status }
    case 'disconnect':
      if (fault.afterBytes !== undefined) return cut(await answer(), fault.afterBytes, request)
      return disconnected(request)
  }
}

/** What is returned is sent to a connection that has ended. */
function disconnected({ client }: InterceptedRequest): Answer {
  client.disconnect?.()
  return { status: 503 }
}

/** At most so many bytes of the body are sent, and never all of them: then the connection ends. */
function cut(result: Result, bytesMax: number, request: InterceptedRequest): Answer {
  if ('slow' in result || result.body === undefined || request.method === 'HEAD') return disconnected(request)
  const body = typeof result.body === 'string' ? Buffer.from(result.body) : result.body
  const contentLength = result.contentLength ?? (body instanceof Uint8Array ? body.length : undefined)
  const bytes = Math.min(bytesMax, (contentLength ?? Number.POSITIVE_INFINITY) - 1)
  if (bytes <= 0) return disconnected(request)
  return {
    ...result,
    body: firstBytes(body, bytes, request),
    ...(contentLength !== undefined && { contentLength }),
  }
}

async function* firstBytes(body: Exclude<AnswerBody, string>, bytes: number, { client }: InterceptedRequest) {
  let left = bytes
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) break
  }
  // The connection passes on what it was given before it ends.
  await setImmediate()
  client.disconnect?.()
}
