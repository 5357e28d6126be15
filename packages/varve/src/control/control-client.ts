/** Sends requests of the control API, and checks the answers. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { type ByteSource, type ObjectInfo, onAbort, StorageError } from '@varve/core'
import {
  type BytesRow,
  type CallHead,
  callText,
  checksumTrailer,
  type LinesRow,
  type NamedCaller,
  type ValueRow,
} from '@varve/http'
import type { ControlTransport } from './control-transport.ts'
import { bodyOf, errorOf, factsIn, failureOf, linesOf, valueIn } from './control-answer.ts'
import { ClientProgress } from './client-progress.ts'
import { feed, type Fed } from './feed-request.ts'

type Row<I extends object> = Pick<ValueRow<I, unknown>, 'method' | 'path' | 'input'>

/** In whose name the requests are made, and for which transaction. */
export type Caller = Omit<CallHead, 'arguments'>

interface Sending {
  readonly signal?: AbortSignal | undefined
  readonly body?: ByteSource
  /** Called after the last byte of the body; returns the checksum that the bytes must have. */
  readonly checksum?: (() => string | undefined) | undefined
}

/** The facts of an object, and its bytes, which are still to be read. */
export interface AnsweredContent {
  readonly facts: ObjectInfo
  readonly body: ByteSource
  /** Ends the answer. */
  end(): void
}

export class ControlClient {
  readonly #transport: ControlTransport
  readonly #caller: Caller
  readonly #progress: ClientProgress

  constructor(transport: ControlTransport, caller: Caller = {}, progress = new ClientProgress()) {
    this.#transport = transport
    this.#caller = caller
    this.#progress = progress
  }

  /** The id of all requests, if the caller chose one. */
  get requestId(): string | undefined {
    return this.#caller.requestId
  }

  /** The same connections with another caller. */
  as(caller: Caller): ControlClient {
    return new ControlClient(this.#transport, { ...this.#caller, ...caller }, this.#progress)
  }

  /** @throws StorageError as the operation throws it, and `StoreClosed` without an owner that listens; the reason of the signal */
  async value<I extends object, O>(row: ValueRow<I, O>, input: I, sending: Sending = {}): Promise<O> {
    return this.#progress.during(async () => valueIn(row, await this.#send(row, input, sending), sending.signal))
  }

  /** @throws as `value`, when it is read */
  async *lines<I extends object, O>(row: LinesRow<I, O>, input: I, sending: Sending = {}): AsyncGenerator<O> {
    const answer = this.#progress.reading(await this.#send(row, input, sending))
    yield* linesOf(row, answer, sending.signal)
  }

  /**
   * @param head Gives the facts where the answer does not contain them.
   * @throws as `value`, also when the body is read
   */
  async content<I extends object>(
    row: BytesRow<I>,
    head: ValueRow<I, ObjectInfo>,
    input: I,
    sending: Sending = {},
  ): Promise<AnsweredContent> {
    const known = this.#transport.writesCalls ? undefined : await this.value(head, input, sending)
    const answer = this.#progress.reading(await this.#send(row, input, sending))
    const chunks = bodyOf(answer, sending.signal)
    const end = (): void => void answer.destroy()
    return known === undefined ? { ...(await factsIn(row, chunks)), end } : { facts: known, body: chunks, end }
  }

  /**
   * Ends all answers that are being read and all bodies that are being sent, waits for the other requests, and closes the
   * connections. Idempotent.
   */
  async close(): Promise<void> {
    await this.#progress.end()
    this.#transport.close()
  }

  async #send<I extends object>(row: Row<I>, input: I, sending: Sending): Promise<IncomingMessage> {
    const { signal } = sending
    signal?.throwIfAborted()
    this.#progress.assertOpen()
    const head = this.#headOf(row, input, sending)
    for (let mayRenew = true; ; mayRenew = false) {
      const fed: Fed = {}
      try {
        return await this.#answerTo(this.#begin(head, sending, fed), signal)
      } catch (error) {
        if (fed.failure !== undefined) throw fed.failure.error
        if (!isUnconnected(error)) throw failureOf(error, signal)
        // Nothing was sent, so the request can go to an owner that has another address.
        if (!mayRenew || !(await this.#transport.renew())) throw this.#transport.unreachable(error as Error)
      }
    }
  }

  #headOf<I extends object>({ method, path, input: form }: Row<I>, input: I, { body }: Sending): Head {
    const target = { method, path }
    if (this.#transport.writesCalls) {
      const call = callText({ ...this.#caller, arguments: input })
      return { ...target, query: '', call, payload: body === undefined ? call : undefined }
    }
    const { transaction, ...caller } = this.#caller
    if (transaction !== undefined) throw new StorageError('NotImplemented', 'A server takes no calls of transactions.')
    const { query, json } = form.write(input)
    const named = Object.keys(caller).length > 0 ? { caller } : {}
    return { ...target, ...named, query, call: undefined, payload: body === undefined ? (json ?? '') : undefined }
  }

  #begin({ call, ...head }: Head, { body, checksum, signal }: Sending, fed: Fed): ClientRequest {
    const request = endedBy(signal, () => this.#transport.begin({ ...head, isCall: call !== undefined }))
    if (body === undefined) return request.end(head.payload)
    this.#progress.feeding(request)
    if (call !== undefined) request.write(call)
    return request.once('continue', () => void feed(request, { body, trailer: trailerOf(checksum), fed }))
  }

  async #answerTo(request: ClientRequest, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      request.once('response', resolve).on('error', reject),
    )
    this.#transport.check(answer)
    if (answer.statusCode === 200 || answer.statusCode === 206) return answer
    throw await errorOf(answer, signal)
  }
}

interface Head {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly payload: string | undefined
  /** Who calls, where there is no such line. */
  readonly caller?: NamedCaller
  /** The first line of the body, in the form of a call. */
  readonly call: string | undefined
}

const isUnconnected = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall === 'connect'

/** Node's own option for this calls more methods of a signal than a program may have given it. */
function endedBy(signal: AbortSignal | undefined, begin: () => ClientRequest): ClientRequest {
  if (signal === undefined) return begin()
  const begun: { request?: ClientRequest } = {}
  const unlisten = onAbort(signal, () => void begun.request?.destroy())
  begun.request = begin()
  return begun.request.once('close', unlisten)
}

const trailerOf = (checksum: (() => string | undefined) | undefined) => (): Readonly<Record<string, string>> => {
  const value = checksum?.()
  return value === undefined ? {} : { [checksumTrailer]: value }
}
