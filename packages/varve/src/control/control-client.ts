/** Sends requests of the control API, and checks the answers. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { BytesRow, LinesRow, ValueRow } from '@varve/http'
import type { ReadableContent } from '../bodies/readable-content.ts'
import type { ControlTransport } from './control-transport.ts'
import { bodyOf, errorOf, failureOf, linesOf, valueIn } from './control-answer.ts'

type Row<I extends object> = Pick<ValueRow<I, unknown>, 'method' | 'path' | 'input'>

interface Sending {
  readonly signal?: AbortSignal | undefined
  readonly body?: AsyncIterable<Uint8Array>
}

export class ControlClient {
  readonly #transport: ControlTransport

  constructor(transport: ControlTransport) {
    this.#transport = transport
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
    this.#transport.close()
  }

  async #send<I extends object>(row: Row<I>, input: I, { signal, body }: Sending): Promise<IncomingMessage> {
    signal?.throwIfAborted()
    const request = this.#begin(row, input, { signal, body })
    const answer = await answerTo(request).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === 'connect' ? this.#transport.unreachable(error) : failureOf(error, signal)
    })
    this.#transport.check(answer)
    if (answer.statusCode === 200) return answer
    throw await errorOf(answer, signal)
  }

  #begin<I extends object>(row: Row<I>, input: I, { signal, body }: Sending): ClientRequest {
    const { query, json } = row.input.write(input)
    const payload = body === undefined ? (json ?? '') : undefined
    const request = this.#transport.begin({ method: row.method, path: row.path, query, payload, signal })
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
