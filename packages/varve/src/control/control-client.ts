/** Sends requests of the control API to the socket of a store, and checks the answers. */
import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { StorageError } from '@varve/core'
import type { BytesRow, LinesRow, ValueRow } from '@varve/http'
import type { ReadableContent } from '../bodies/readable-content.ts'
import { bodyOf, errorOf, failureOf, linesOf, valueIn } from './control-answer.ts'

type Row<I extends object> = Pick<ValueRow<I, unknown>, 'method' | 'path' | 'input'>

interface Sending {
  readonly signal?: AbortSignal | undefined
  readonly body?: AsyncIterable<Uint8Array>
}

/** Errors of connecting: the owner does not listen, or not any more. */
const unreachable: ReadonlySet<string> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'EACCES',
  'EPERM',
  'EINVAL',
  'ENAMETOOLONG',
])

export class ControlClient {
  readonly #address: string
  readonly #accepts: (answer: IncomingMessage) => boolean
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })

  /** @param accepts Whether an answer comes from the store that is meant. */
  constructor(address: string, accepts: (answer: IncomingMessage) => boolean) {
    this.#address = address
    this.#accepts = accepts
  }

  /** @throws StorageError as the operation throws it, and `StoreClosed` without an owner that listens; the reason of the signal */
  async value<I extends object, O>(row: ValueRow<I, O>, input: I, sending: Sending = {}): Promise<O> {
    return valueIn(row, await this.#send(row, input, sending), sending.signal)
  }

  /** @throws as `value`, when it is read */
  async *lines<I extends object, O>(row: LinesRow<I, O>, input: I, sending: Sending = {}): AsyncGenerator<O> {
    yield* linesOf(row, await this.#send(row, input, sending), sending.signal)
  }

  /** @throws as `value`, also when the body is read */
  async bytes<I extends object>(row: BytesRow<I>, input: I, sending: Sending = {}): Promise<ReadableContent> {
    const answer = await this.#send(row, input, sending)
    return { body: bodyOf(answer, sending.signal), close: async () => void answer.destroy() }
  }

  close(): void {
    this.#agent.destroy()
  }

  async #send<I extends object>(row: Row<I>, input: I, { signal, body }: Sending): Promise<IncomingMessage> {
    signal?.throwIfAborted()
    const request = this.#request(row, input, { signal, body })
    const answer = await answerTo(request).catch((error: NodeJS.ErrnoException) => {
      if (unreachable.has(error.code ?? '') && error.syscall === 'connect') throw closed(error)
      throw failureOf(error, signal)
    })
    if (!this.#accepts(answer)) {
      answer.destroy()
      throw closed()
    }
    if (answer.statusCode === 200) return answer
    throw await errorOf(answer, signal)
  }

  #request<I extends object>(row: Row<I>, input: I, { signal, body }: Sending): ClientRequest {
    const { query, json } = row.input.write(input)
    const request = httpRequest({
      socketPath: this.#address,
      method: row.method,
      path: query === '' ? row.path : `${row.path}?${query}`,
      headers: { host: 'varve', te: 'trailers', ...(body && { expect: '100-continue' }) },
      agent: this.#agent,
      ...(signal && { signal }),
    })
    if (body === undefined) return request.end(json)
    return request.once('continue', () => void feed(body, request))
  }
}

/** Sends the body until it is answered. An error of the body becomes an error of the request. */
async function feed(body: AsyncIterable<Uint8Array>, request: ClientRequest): Promise<void> {
  let isOver = false
  for (const event of ['response', 'close'] as const) request.once(event, () => (isOver = true))
  try {
    for await (const chunk of body) {
      if (isOver) return
      if (!request.write(chunk)) await moved(request)
    }
    request.end()
  } catch (error) {
    request.destroy(error as Error)
  }
}

const moved = (request: ClientRequest): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) request.off(event, done)
      resolve()
    }
    for (const event of events) request.on(event, done)
  })

const events = ['drain', 'response', 'close'] as const

const answerTo = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => request.once('response', resolve).on('error', reject))

const closed = (cause?: unknown): StorageError =>
  new StorageError('StoreClosed', 'No process that has the store open listens for others.', { cause })
