/**
 * A signed connection to the server. It learns two things from refusals and tries again at once: the region of the
 * server, and how far the clock of this machine differs from the server's.
 */

import { canonicalQuery, type Query, sentPath } from '../signing/percent.ts'
import {
  type Credentials,
  type Headers as HeaderFields,
  presignedQuery,
  sha256Hex,
  signedHeaders,
  unsignedPayload,
} from '../signing/sign.ts'
import type { Endpoint } from './endpoint.ts'
import { hasCode, type ServerError } from './failures.ts'
import { send as sendOverHttp, type HttpRequest } from './send.ts'

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Decoded, such as `/photos/a b.jpg`. */
  readonly path: string
  readonly query?: Query
  readonly headers?: HeaderFields
  /** Text is covered by the signature. The bytes of files are not: hashing them would take longer than sending them. */
  readonly body?: string | Blob
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (bytesSent: number) => void
}

/** Reads an error answer; S3 and the control API write different ones. */
export type ErrorReader = (response: Response, body: string) => ServerError

export interface ConnectionOptions {
  readonly endpoint: Endpoint
  readonly credentials: Credentials
  readonly region?: string
  readonly now?: () => number
  readonly send?: (request: HttpRequest) => Promise<Response>
  /** Called after every call, with its error or `undefined`. */
  readonly onOutcome?: (error: unknown) => void
}

const regionGuess = 'us-east-1'

export class Connection {
  readonly endpoint: Endpoint
  readonly credentials: Credentials
  readonly #now: () => number
  readonly #send: (request: HttpRequest) => Promise<Response>
  readonly #onOutcome: (error: unknown) => void
  #region: string
  #clockOffsetMs = 0

  constructor(options: ConnectionOptions) {
    this.endpoint = options.endpoint
    this.credentials = options.credentials
    this.#region = options.region ?? regionGuess
    this.#now = options.now ?? Date.now
    this.#send = options.send ?? sendOverHttp
    this.#onOutcome = options.onOutcome ?? (() => undefined)
  }

  /** The time of the server, as far as it is known. */
  now(): Date {
    return new Date(this.#now() + this.#clockOffsetMs)
  }

  /**
   * Sends a call and returns its answer of status 2xx.
   * @throws ServerError, Unreachable, `AbortError`
   */
  async send(call: Call, errorOf: ErrorReader): Promise<Response> {
    try {
      const response = await this.#sendAndLearn(call, errorOf)
      this.#onOutcome(undefined)
      return response
    } catch (error) {
      this.#onOutcome(error)
      throw error
    }
  }

  /** A URL that works for anyone who has it, until it expires. */
  presign(path: string, query: Query, expiresSeconds: number): string {
    const request = { method: 'GET', host: this.endpoint.host, path, query }
    const signed = presignedQuery(request, { ...this.#context(), expiresSeconds })
    return `${this.endpoint.url}${sentPath(path)}?${signed}`
  }

  async #sendAndLearn(call: Call, errorOf: ErrorReader): Promise<Response> {
    try {
      return await this.#sendOnce(call, errorOf)
    } catch (error) {
      if (!this.#learn(error)) throw error
      return this.#sendOnce(call, errorOf)
    }
  }

  async #sendOnce(call: Call, errorOf: ErrorReader): Promise<Response> {
    const { method, path, query = [], headers = {}, body } = call
    const payloadHash = body instanceof Blob ? unsignedPayload : sha256Hex(body ?? '')
    const request = { method, host: this.endpoint.host, path, query, headers, payloadHash }
    const response = await this.#send({
      method,
      url: `${this.endpoint.url}${sentPath(path)}${query.length === 0 ? '' : `?${canonicalQuery(query)}`}`,
      headers: signedHeaders(request, this.#context()),
      body,
      signal: call.signal,
      onProgress: call.onProgress,
    })
    if (response.ok) return response
    throw errorOf(response, await response.text())
  }

  #context() {
    return { credentials: this.credentials, region: this.#region, now: this.now() }
  }

  /** Returns whether another attempt makes sense. */
  #learn(error: unknown): boolean {
    if (hasCode(error, 'RequestTimeTooSkewed')) {
      const serverTime = Date.parse(error.details['ServerTime'] ?? error.details['date'] ?? '')
      if (Number.isNaN(serverTime)) return false
      this.#clockOffsetMs = serverTime - this.#now()
      return true
    }
    const region = hasCode(error, 'AuthorizationHeaderMalformed') ? error.details['Region'] : undefined
    if (region === undefined || region === '' || region === this.#region) return false
    this.#region = region
    return true
  }
}
